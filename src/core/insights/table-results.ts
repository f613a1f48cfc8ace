import type { SqlCell } from "../ports/sql.ts";
import type { Period } from "../queries/period.ts";
import type { Reading } from "../questions/readings/reading.ts";
import { measureName, measureUnit } from "../questions/readings/say.ts";
import { BREAKDOWN_WORDS, type InsightResult, type InsightResults } from "./results.ts";
import { sumOf } from "./trend-days.ts";

/** The only column of an answer that has one number for the whole time. */
export const TOTAL_COLUMN = "total";

/** The rows of a question that ran as SQL. */
export type Table = { columns: readonly string[]; rows: readonly (readonly SqlCell[])[] };

/**
 * Returns the lines of an answer from the rows of its SQL: a line for each combination of labels, with a number for the
 * whole time, or one for each interval.
 */
export function tableResults(
  reading: Reading,
  table: Table,
  period: Period,
  isOverTime: boolean,
): InsightResults {
  const places = table.columns.flatMap((name, at) => (name.startsWith("label_") ? [at] : []));
  const valueAt = table.columns.indexOf("value");
  const startAt = table.columns.indexOf("interval_start");
  const label = measureName(reading.measure);
  const unit = measureUnit(reading.measure);
  const columns = isOverTime ? period.buckets : [TOTAL_COLUMN];
  const lines = new Map<
    string,
    { labels: (string | null)[]; data: (number | null)[]; text: string | null }
  >();
  if (isOverTime && places.length === 0)
    lines.set("[]", { labels: [], data: columns.map(() => 0), text: null });
  for (const row of table.rows) {
    const labels = places.map((at) => textOf(row[at] ?? null));
    const key = JSON.stringify(labels);
    const line = lines.get(key) ?? {
      labels,
      data: columns.map(() => (isOverTime ? 0 : null)),
      text: null,
    };
    const at = isOverTime ? columns.indexOf(bucketOf(row[startAt] ?? null, columns)) : 0;
    const value = row[valueAt] ?? null;
    line.data[at] = numberIn(value);
    if (numberIn(value) === null) line.text = textOf(value);
    lines.set(key, line);
  }
  const results = [...lines.values()].map(
    ({ labels, data, text }): InsightResult => ({
      label,
      ...(unit === undefined ? {} : { unit }),
      breakdown_value: text ?? valueOfLabels(labels),
      data,
      aggregated_value: isOverTime ? null : (data[0] ?? null),
    }),
  );
  return { columns: [...columns], results };
}

function valueOfLabels(labels: readonly (string | null)[]): InsightResult["breakdown_value"] {
  const texts = labels.map((one) => one ?? BREAKDOWN_WORDS.none);
  if (texts.length > 1) return texts;
  return texts[0] ?? null;
}

function numberIn(cell: SqlCell): number | null {
  if (typeof cell === "number") return cell;
  if (typeof cell === "object" && cell !== null && "digits" in cell) return Number(cell.digits);
  return null;
}

function textOf(cell: SqlCell): string | null {
  if (cell === null) return null;
  if (typeof cell !== "object") return String(cell);
  return "digits" in cell ? cell.digits : cell.json;
}

/** Returns the name of the interval that begins at a time. */
function bucketOf(cell: SqlCell, columns: readonly string[]): string {
  const text = String(textOf(cell) ?? "")
    .replace("T", " ")
    .replace("Z", "");
  return text.slice(0, columns[0]?.length ?? 10);
}

/** Returns the results of one number, or one for each line, without its intervals. */
export function withoutIntervals({ results }: InsightResults): InsightResults {
  return {
    columns: [TOTAL_COLUMN],
    results: results.map((line) => {
      const { days: _days, labels: _labels, ...rest } = line;
      const data = [line.aggregated_value];
      return { ...rest, data, count: sumOf(data) };
    }),
  };
}
