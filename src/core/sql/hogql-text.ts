import { ownValue } from "../values/json.ts";
import { named, refuse } from "./extent.ts";
import { HOGQL_REFUSED } from "./hogql-functions.ts";

/** Texts, names in quotes, comments, and texts in dollars: none of it is changed. */
const KEPT =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(?<![\w$.])\$(\w*)\$[\s\S]*?\$\1\$/;

/** Where an expression begins, so that `and(a, b)` is a call. */
const BEGINS = String.raw`(?<=(?:^|[(,]|\b(?:select|where|and|or|on|having|when|then|else|by|if|not))\s*)`;
const BEGINS_WITHOUT_NOT = BEGINS.replace("|not", "");

const HOGQL = new RegExp(
  [
    `(?<kept>${KEPT.source})`,
    '`(?<ticked>[^`"]+)`',
    String.raw`(?<![\w$])(?<dollar>\$[a-zA-Z_][\w$]*)`,
    String.raw`(?<![\w$])(?<measure>[a-zA-Z]\w*)\((?<at>[\d., ]+)\)\s*\(`,
    String.raw`(?<![\w$.]|[=<>]\s*)(?<any>any)\s*\((?!\s*select\b)`,
    String.raw`(?<![\w$.])(?<extract>extract)\s*\((?!\s*\w+\s+from\b)`,
    String.raw`(?<![\w$.])(?<cast>cast)\s*\(`,
    String.raw`(?<![\w$.])(?<position>position)\s*\((?![^(),]*\sin\s)`,
    String.raw`(?<![\w$.])(?<frame>lag|lead)InFrame\s*\(`,
    String.raw`${BEGINS}(?<joined>and|or)\s*\(`,
    String.raw`${BEGINS_WITHOUT_NOT}(?<within>in)\s*\(`,
    String.raw`(?<comma>,)(?=\s*\))`,
    String.raw`(?<else>\?\?)`,
    String.raw`(?<ternary>\?)`,
    String.raw`\b(?<cohort>in\s+cohort)\b`,
    String.raw`\b(?<limit>limit\s+\d+\s+by)\b`,
    String.raw`\{\s*(?<filled>[a-zA-Z_][\w.]*)\s*\}`,
  ].join("|"),
  "gi",
);

const MEASURES = new Map(
  ["quantile", "quantileIf"].map((name) => [name.toLowerCase(), `"${name}()"(`]),
);

/** Syntax of ClickHouse and PostHog that is refused, with the SQL to write instead, by the name of its group. */
export const HOGQL_SYNTAX_REFUSED = {
  ternary: "a ? b : c is not taken: write if(a, b, c).",
  cohort:
    "IN COHORT is not taken, for there are no cohorts: write the condition, such as person.properties.plan = 'pro'.",
  limit:
    "LIMIT … BY is not taken: write QUALIFY row_number() OVER (PARTITION BY value ORDER BY timestamp) <= 3.",
} as const;

type Found = Readonly<Record<string, string | undefined>>;

const PARTS = new RegExp(String.raw`(?<kept>${KEPT.source})|[(),[\]]|\bas\b`, "gi");

/** Whether the rest of a cast has its type after a comma, as in `CAST(a, 'Float64')`. */
function hasComma(rest: string): boolean {
  let depth = 0;
  for (const [part] of rest.matchAll(PARTS)) {
    if (part === "(" || part === "[") depth += 1;
    if (part === ")" || part === "]") depth -= 1;
    if (depth < 0 || (depth === 0 && /^as$/i.test(part))) return false;
    if (depth === 0 && part === ",") return true;
  }
  return false;
}

const inQuotes = (_: Found, all: string) => all.replace(/^(\w+)\s*\(/, '"$1"(');

/** The whole statement, and its text after a part. */
type Place = { text: string; rest: string };

/** The text of each part for DuckDB, by the name of its group. A part that has a sentence fails with it. */
const MADE: Record<string, string | ((found: Found, all: string, place: Place) => string)> = {
  kept: (_, all) => all,
  ticked: ({ ticked }) => `"${ticked}"`,
  dollar: ({ dollar }) => `"${dollar}"`,
  comma: () => "",
  else: () => "|||",
  frame: ({ frame }) => `${frame}(`,
  any: inQuotes,
  extract: inQuotes,
  position: inQuotes,
  joined: inQuotes,
  within: inQuotes,
  ...HOGQL_SYNTAX_REFUSED,
  cast: (found, all, { rest }) => (hasComma(rest) ? inQuotes(found, all) : all),
  filled: ({ filled }, _, { text }) =>
    refuse(`{${filled}} is filled in by PostHog: write the condition instead.`, null, text),
  measure({ measure = "", at }, _, { text }) {
    const quoted = MEASURES.get(measure.toLowerCase());
    if (quoted !== undefined) return `${quoted}${at}, `;
    const advice =
      ownValue(HOGQL_REFUSED, measure.toLowerCase()) ?? "of these there is quantile(0.9)(x)";
    return refuse(`The function ${named(measure)} is not taken: ${advice}.`, null, text);
  },
};

/**
 * Returns a statement with what DuckDB's parser does not read in quotes: `$browser`, names in backticks,
 * `any(x)`, `and(a, b)` and `quantile(0.9)(x)`. `a ?? b` becomes `a ||| b`. Fails `invalid_input` on what PostHog
 * fills in, and on what only ClickHouse has.
 */
export function readableSql(text: string): string {
  return text.replace(HOGQL, (all: string, ...rest) => {
    const found = rest.at(-1) as Found;
    const group = Object.keys(MADE).find((name) => found[name] !== undefined) ?? "";
    const made = MADE[group];
    if (made === undefined) return all;
    if (typeof made === "string") return refuse(made, null, text);
    return made(found, all, { text, rest: text.slice(Number(rest.at(-3)) + all.length) });
  });
}

/** Returns what to write in place of signs that stand in no condition here; empty without such signs. */
export function signAdvice(text: string): string {
  const hasSign = /&&|\|\|/.test(text.replace(new RegExp(KEPT, "gi"), ""));
  return hasSign ? ". Conditions are joined by AND and OR, not by && and ||" : "";
}
