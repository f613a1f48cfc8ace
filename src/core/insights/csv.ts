import { csvLine } from "../values/csv.ts";
import type { InsightResults } from "./results.ts";
import { shownValue } from "./text-table.ts";

/** An answer as CSV: a line for each of its lines, with its label and a bare number for each column. */
export function insightCsv({ columns, results }: InsightResults): string {
  const isCompared = results.some(({ compare_label }) => compare_label !== undefined);
  const hasUnit = results.some(({ unit }) => unit !== undefined);
  const head = [
    ...["label", "breakdown_value"],
    ...(hasUnit ? ["unit"] : []),
    ...(isCompared ? ["compare_label"] : []),
  ];
  const lines = results.map(({ label, breakdown_value, unit, compare_label, data }) => [
    label,
    [breakdown_value ?? []].flat().map(shownValue).join(", "),
    ...(hasUnit ? [unit ?? ""] : []),
    ...(isCompared ? [compare_label ?? ""] : []),
    ...data,
  ]);
  return [[...head, ...columns], ...lines].map(csvLine).join("");
}
