import type { Line, Query } from "./query.ts";
import { sourceNames } from "./source-name.ts";

/** The first part of a sentence; a comma in quotes is a part of a name. */
const FIRST_PART = /^(?:"(?:[^"\\]|\\.)*"|[^",])+/;

/**
 * The measure in a sentence: `Bounce rate` of `Bounce rate per day, last 7 days`. Undefined if the sentence only repeats
 * the formula.
 */
export function formulaWords(
  sentence: string,
  { interval = "day", breakdownFilter = {} }: Pick<Query, "interval" | "breakdownFilter">,
): string | undefined {
  const part = FIRST_PART.exec(sentence)?.[0] ?? "";
  const isDivided = Object.keys(breakdownFilter).length > 0;
  const ends = [part.lastIndexOf(` per ${interval}`), isDivided ? part.lastIndexOf(" by ") : -1];
  const [end = part.length] = ends.filter((at) => at > 0).sort((a, b) => a - b);
  const words = part.slice(0, end).trim();
  return words === "" || /\b[A-Z] is |^[\sA-Z\d.()+*/-]+$/.test(words) ? undefined : words;
}

/** The lines of an answer with their names in words: formulas by their measure, and sites by their names. */
export function namedLines(lines: readonly Line[], query: Query, sentence: string): Line[] {
  const { trendsFilter = {}, breakdownFilter = {} } = query;
  const nodes = trendsFilter["formulaNodes"] as { formula?: unknown }[] | undefined;
  const formula = trendsFilter["formula"] ?? nodes?.[0]?.formula;
  const words = formula === undefined ? undefined : formulaWords(sentence, query);
  const isOfSources = /referring_domain$/.test(String(breakdownFilter["breakdown"]));
  const domains = [...new Set(lines.map(({ breakdown_value }) => breakdown_value))].filter(
    (value) => typeof value === "string",
  );
  const names = new Map(sourceNames(domains).map((name, at) => [domains[at], name]));
  return lines.map((line) => {
    const { breakdown_value: value } = line;
    const site = isOfSources && typeof value === "string" ? names.get(value) : undefined;
    const isNamed = words !== undefined && line.math === "formula" && line.label === formula;
    return {
      ...line,
      ...(isNamed ? { label: words } : {}),
      ...(site === undefined || site === value ? {} : { value_name: site }),
    };
  });
}
