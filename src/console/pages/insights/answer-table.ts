import type { Answer, Query } from "../../api/ask.ts";
import type { Schemas } from "../../api/client.ts";
import { type NumberTable, type Series, tableOfLines } from "../../charts/series.ts";

/** One line of an answer. */
export type Line = Schemas["InsightResult"];

const VALUE_NAMES: Record<string, string> = {
  $$_posthog_breakdown_other_$$: "(others)",
  $$_posthog_breakdown_null_$$: "(none)",
};

/** Whether a query is a statement in SQL, whose answer has rows instead of lines. */
export const isSql = ({ kind }: Query): boolean => kind === "HogQLQuery" || kind === "SQLQuery";

/** Frequent measures in the words of the default dashboard. */
const MEASURES: Record<string, string> = {
  $pageview: "Page views",
  "number of $pageview events": "Page views",
  "unique users of $pageview": "Visitors",
  "sessions of $pageview": "Sessions",
  "unique sessions of $pageview": "Sessions",
};

/** The words for what a line counts; without the unit, which its numbers have. */
const measureOf = ({ label, unit }: Line): string =>
  unit === undefined ? label : label.replace(/ in (percent|seconds)$/, "");

/** The measure of all lines of an answer, for the head above their numbers; undefined if they differ. */
export function commonMeasure({ results }: Answer): string | undefined {
  const [measure, ...others] = new Set(results.map(measureOf));
  return measure === undefined || others.length > 0 ? undefined : (MEASURES[measure] ?? measure);
}

/** The name of a line: its value of the breakdown, and its measure if there are several. */
export function nameOf(line: Line, isOnlyMeasure: boolean): string {
  const { breakdown_value } = line;
  const label = measureOf(line);
  if (breakdown_value === null) return label;
  const values = [breakdown_value].flat().map((value) => VALUE_NAMES[value] ?? value);
  return isOnlyMeasure ? values.join(", ") : `${label}: ${values.join(", ")}`;
}

/** The lines of an answer as a chart draws them. */
export function seriesOf({ results }: Answer): Series[] {
  const isOnlyMeasure = new Set(results.map(({ label }) => label)).size === 1;
  return results.map((line) => ({
    label: nameOf(line, isOnlyMeasure),
    data: line.data,
    unit: line.unit,
    isBefore: line.compare_label === "previous",
  }));
}

/** The numbers of an answer: a row for each interval, or for each line if it only has totals. */
export function tableOf(answer: Answer): NumberTable {
  if (isSql(answer.query)) {
    return { head: answer.columns, rows: answer.results as unknown as NumberTable["rows"] };
  }
  const series = seriesOf(answer);
  const table = tableOfLines(answer.columns, series);
  if (answer.columns.length > 1) return table;
  const [, ...names] = table.head;
  return {
    head: ["Name", commonMeasure(answer) ?? "Number"],
    rows: names.map((name, at) => [name, table.rows[0]?.[at + 1] ?? null]),
    unitAt: (row) => series[row]?.unit,
  };
}
