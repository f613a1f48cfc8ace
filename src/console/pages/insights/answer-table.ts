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

/** The name of a line: its value of the breakdown, and its measure if there are several. */
export function nameOf({ label, breakdown_value }: Line, isOnlyMeasure: boolean): string {
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
    isBefore: line.compare_label === "previous",
  }));
}

/** The numbers of an answer: a row for each interval, or for each line if it only has totals. */
export function tableOf(answer: Answer): NumberTable {
  if (isSql(answer.query)) {
    return { head: answer.columns, rows: answer.results as unknown as NumberTable["rows"] };
  }
  const table = tableOfLines(answer.columns, seriesOf(answer));
  if (answer.columns.length > 1) return table;
  const [, ...names] = table.head;
  return {
    head: ["Name", "Number"],
    rows: names.map((name, at) => [name, table.rows[0]?.[at + 1] ?? null]),
  };
}
