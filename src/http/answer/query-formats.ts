import type { ActorsAnswer } from "../../core/insights/actors.ts";
import type { TimedAnswer } from "../../core/insights/insights.ts";
import { insightCsv } from "../../core/insights/lines/csv.ts";
import { insightTable } from "../../core/insights/lines/text-table.ts";
import { isTableAnswer, tableCsv, tableText } from "../../core/insights/tables/text.ts";
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
  return new Response(lines, { headers: CSV_HEADERS });
}

/** Persons as they are, or as a table with their names. */
export function listed(answer: ActorsAnswer, format: Format): Response | ActorsAnswer {
  if (format !== "csv" && format !== "txt") return answer;
  const heads = ["uuid", "name", "count", "last_at"];
  const rows = answer.results.map(([person, count, last_at]) => [
    ...[person?.uuid ?? "", person?.name ?? "(no profile)"],
    ...[String(count), last_at],
  ]);
  return format === "csv"
    ? new Response([heads, ...rows].map(csvLine).join(""), { headers: CSV_HEADERS })
    : plainText(`${columnsOf(heads, rows).join("\n")}\n`);
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
