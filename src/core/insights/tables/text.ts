import { csvLine } from "../../values/csv.ts";
import { isObject, type Json } from "../../values/json.ts";
import { table } from "../../values/table.ts";
import type { TableAnswer } from "./answer.ts";

/** Returns whether an answer is a table of persons or events. */
export const isTableAnswer = (answer: object): answer is TableAnswer => "hasMore" in answer;

/** A table of persons or events as CSV: a line for each row, with JSON for all but texts. */
export function tableCsv({ columns, results }: TableAnswer): string {
  return [columns, ...results.map((row) => row.map(textOf))].map(csvLine).join("");
}

/** The same as text, below its name and explanation. */
export function tableText(
  name: string,
  { columns, results, explanation, warnings = [], hasMore }: TableAnswer,
): string {
  const head = [name, explanation, ...warnings].filter((one) => one !== "").join("\n");
  if (results.length === 0) return `${head}\n\nNothing was found.\n`;
  const rows = results.map((row) => row.map((cell, at) => shownIn(columns[at], cell)));
  const more = hasMore ? ["", MORE_ROWS] : [];
  return `${[head, "", ...table(columns, rows), ...more].join("\n")}\n`;
}

/** Says of an answer without a field for it that it is a part. */
export const MORE_ROWS = "More rows follow: limit and offset of the query read them.";

/** A person is shown by its name, or without one by its uuid. */
function shownIn(column: string | undefined, cell: Json): string {
  if (column !== "person" || !isObject(cell)) return textOf(cell);
  return textOf(cell["name"] ?? cell["uuid"] ?? null);
}

function textOf(cell: Json): string {
  if (cell === null) return "";
  return typeof cell === "string" ? cell : JSON.stringify(cell);
}
