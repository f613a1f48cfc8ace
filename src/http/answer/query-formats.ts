import type { ActorsAnswer } from "../../core/insights/actors.ts";
import type { TimedAnswer } from "../../core/insights/insights.ts";
import { insightCsv } from "../../core/insights/lines/csv.ts";
import { insightTable } from "../../core/insights/lines/text-table.ts";
import { isTableAnswer, MORE_ROWS, tableCsv, tableText } from "../../core/insights/tables/text.ts";
import type { SqlCell } from "../../core/ports/sql.ts";
import { jsonOf, type SqlAnswer } from "../../core/sql/sql.ts";
import { csvLine } from "../../core/values/csv.ts";
import { table as columnsOf } from "../../core/values/table.ts";
import { CSV_HEADERS, plainText } from "./format.ts";

/** How an answer is asked for; JSON by default. */
export type Format = "json" | "csv" | "txt" | undefined;

/** Returns an answer as text under its name. */
export function answerText(name: string, answer: TimedAnswer, query = answer.query): Response {
  return plainText(
    isTableAnswer(answer)
      ? tableText(name, answer)
      : insightTable(name, String(query["kind"]), answer),
  );
}

/** Returns an answer as it is, or as text or CSV. */
export function written(answer: TimedAnswer, format: Format): Response | TimedAnswer {
  if (format === "txt") return answerText("", answer);
  if (format !== "csv") return answer;
  const lines = isTableAnswer(answer) ? tableCsv(answer) : insightCsv(answer);
  const more = isTableAnswer(answer) && answer.hasMore ? [MORE_ROWS] : [];
  return csvOf(lines, [...(answer.warnings ?? []), ...more]);
}

/** Bytes of the header `Hoglet-Warnings`. The other warnings are counted in it. */
export const WARNINGS_BYTES_MAX = 4096;

/** Returns CSV, which has no place for warnings: they are a JSON list in a header, in ASCII. */
function csvOf(lines: string, warnings: readonly string[]): Response {
  if (warnings.length === 0) return new Response(lines, { headers: CSV_HEADERS });
  const ascii = (list: readonly string[]) =>
    JSON.stringify(list).replace(/[^ -~]/g, (one) => `\\u${hex(one)}`);
  let kept = [...warnings];
  let header = ascii(kept);
  while (header.length > WARNINGS_BYTES_MAX) {
    kept = kept.slice(0, -1);
    header = ascii([...kept, `${warnings.length - kept.length} more: JSON has all of them.`]);
  }
  return new Response(lines, { headers: { ...CSV_HEADERS, "hoglet-warnings": header } });
}

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, "0");

/** Persons as they are, or as a table with their names. */
export function listed(answer: ActorsAnswer, format: Format): Response | ActorsAnswer {
  if (format !== "csv" && format !== "txt") return answer;
  const heads = ["uuid", "name", "count", "last_at"];
  const rows = answer.results.map(([person, count, last_at]) => [
    ...[person?.uuid ?? "", person?.name ?? "(no profile)"],
    ...[String(count), last_at],
  ]);
  const more = answer.hasMore ? [MORE_ROWS] : [];
  return format === "csv"
    ? csvOf([heads, ...rows].map(csvLine).join(""), more)
    : plainText(`${[...columnsOf(heads, rows), ...more.flatMap((one) => ["", one])].join("\n")}\n`);
}

/** Rows of SQL as JSON, or as text or CSV. */
export function table(answer: SqlAnswer, format: Format): Response {
  if (format !== "csv" && format !== "txt") return json(answer);
  const rows = answer.results.map((row) => row.map(cell));
  if (format === "csv") {
    return new Response([answer.columns, ...rows].map(csvLine).join(""), { headers: CSV_HEADERS });
  }
  const texts = rows.map((row) => row.map((value) => String(plainOf(value) ?? "")));
  return plainText(`${columnsOf(answer.columns, texts).join("\n")}\n`);
}

/** Writes JSON by hand, because a number may have more digits than JavaScript keeps. */
function json({ results, ...answer }: SqlAnswer): Response {
  const rows = results.map((row) => `[${row.map(jsonOf).join(",")}]`);
  const { columns, types, ...rest } = answer;
  const [names, kinds] = [columns, types].map((part) => JSON.stringify(part));
  const text = `{"columns":${names},"types":${kinds},"results":[${rows.join(",")}],${JSON.stringify(rest).slice(1)}`;
  return new Response(text, { headers: { "content-type": "application/json" } });
}

const plainOf = (value: ReturnType<typeof cell>) =>
  typeof value === "object" && value !== null ? value.digits : value;

const cell = (value: SqlCell) =>
  typeof value === "object" && value !== null && "json" in value ? value.json : value;
