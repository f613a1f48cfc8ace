import { refuse } from "./extent.ts";

/** Texts, names in quotes, comments, and texts in dollars: none of it is changed. */
const KEPT =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(?<![\w$.])\$(\w*)\$[\s\S]*?\$\1\$/;

const HOGQL = new RegExp(
  [
    `(?<kept>${KEPT.source})`,
    '`(?<ticked>[^`"]+)`',
    String.raw`(?<![\w$])(?<dollar>\$[a-zA-Z_][\w$]*)`,
    String.raw`(?<![\w$])(?<measure>[a-zA-Z]\w*)\((?<at>[\d., ]+)\)\s*\(`,
    String.raw`(?<![\w$.]|[=<>]\s*)(?<any>any)\s*\((?!\s*select\b)`,
    String.raw`\{\s*(?<filled>[a-zA-Z_][\w.]*)\s*\}`,
  ].join("|"),
  "gi",
);

const MEASURES = new Map(
  ["quantile", "quantileIf"].map((name) => [name.toLowerCase(), `"${name}()"(`]),
);

/**
 * Returns a statement with what DuckDB's parser does not read in quotes: `$browser`, names in backticks,
 * `any(x)` and `quantile(0.9)(x)`. Fails `invalid_input` on what PostHog fills in.
 */
export function readableSql(text: string): string {
  return text.replace(HOGQL, (all: string, ...rest) => {
    const { kept, ticked, dollar, measure, at, any, filled } = rest.at(-1);
    if (kept !== undefined) return all;
    if (ticked !== undefined) return `"${ticked}"`;
    if (dollar !== undefined) return `"${dollar}"`;
    if (any !== undefined) return `"any"(`;
    if (filled !== undefined) {
      refuse(`{${filled}} is filled in by PostHog: write the condition instead.`, null, text);
    }
    const quoted = MEASURES.get(measure.toLowerCase());
    if (quoted === undefined) {
      refuse(`${measure}(${at})(…) is not taken: of these there is quantile(0.9)(x).`, null, text);
    }
    return `${quoted}${at}, `;
  });
}
