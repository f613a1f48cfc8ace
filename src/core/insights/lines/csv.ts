import { csvLine } from "../../values/csv.ts";
import type { InsightResults } from "./results.ts";
import { shownValue } from "./text-table.ts";

/** An answer as CSV: a line for each of its lines, with its label and a bare number for each column. */
export function insightCsv({ columns, results }: InsightResults): string {
  const isCompared = results.some(({ compare_label }) => compare_label !== undefined);
  // The numbers of the times of a funnel are persons.
  const unitOf = ({ unit, median_conversion_time: time }: InsightResults["results"][0]) =>
    time === undefined ? unit : undefined;
  const hasUnit = results.some((line) => unitOf(line) !== undefined);
  const head = [
    ...["label", "breakdown_value"],
    ...(hasUnit ? ["unit"] : []),
    ...(isCompared ? ["compare_label"] : []),
  ];
  const lines = results.map((line) => [
    line.label,
    [line.breakdown_value ?? []].flat().map(shownValue).join(", "),
    ...(hasUnit ? [unitOf(line) ?? ""] : []),
    ...(isCompared ? [line.compare_label ?? ""] : []),
    ...line.data,
  ]);
  return [[...head, ...columns], ...lines].map(csvLine).join("");
}
