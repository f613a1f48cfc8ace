import { BREAKDOWN_WORDS, type InsightResult } from "./results.ts";
import { TOTAL_COLUMN } from "./table-results.ts";

/** A line of numbers, one for each of some columns. */
type Line = Pick<
  InsightResult,
  "label" | "breakdown_value" | "data" | "aggregated_value" | "compare_label" | "days"
>;

/** Characters of the longest bar. */
const BAR_CHARS = 40;

/** Characters of a heading. */
const HEADING_CHARS_MAX = 200;

const CONTROLS = /\p{C}/gu;

/** From nothing to the greatest number of a line. */
const SPARKS = [..." ▁▂▃▄▅▆▇█"];

/**
 * An answer as text: a table for each line, with a row and a bar for each of its numbers. Retention, paths and
 * answers of one number for each line are one table, with a row for each line. `explanation` comes below the name.
 */
export function insightTable(
  name: string,
  kind: string,
  {
    columns,
    results,
    explanation,
  }: { columns: string[]; results: readonly Line[]; explanation?: string },
): string {
  const isTotal = columns.length === 1 && columns[0] === TOTAL_COLUMN;
  const isOne = kind === "RetentionQuery" || kind === "PathsQuery" || isTotal;
  const whole = kind === "FunnelsQuery" ? "share" : "all";
  const text = isOne ? rowEach(columns, results) : tableEach(columns, results, whole);
  const head = explanation === undefined ? plain(name) : `${plain(name)}\n${plain(explanation)}`;
  return `${head}\n${results.length === 0 ? "\nNothing was found.\n" : text}`;
}

/** The longest bar belongs to the greatest number; negative numbers have no bar. */
function tableEach(columns: readonly string[], lines: readonly Line[], whole: string): string {
  const numbers = lines.flatMap(({ data }) => data.filter((value) => value !== null));
  const greatest = numbers.reduce((most, value) => Math.max(most, value), 0);
  const names = widest([whole, ...columns.map(plain)]);
  const width = widest(
    [...numbers, ...lines.map((line) => line.aggregated_value), null].map(shown),
  );
  const row = (column: string, value: number | null) => {
    const bar = bars(value ?? 0, greatest);
    const number = shown(value).padStart(width);
    return `${filled(plain(column), names)}  ${number}${bar === "" ? "" : `  ${bar}`}\n`;
  };
  const tables = lines.map(({ data, aggregated_value, days, ...line }) => {
    const rows = (days ?? columns).map((column, at) => row(column, data[at] ?? null));
    const all = `${filled(whole, names)}  ${shown(aggregated_value).padStart(width)}\n`;
    return `\n${headingOf(line)}\n${rows.join("")}${all}`;
  });
  return tables.join("");
}

/** With several columns a row ends in a line of sparks, with one in a bar. */
function rowEach(columns: readonly string[], lines: readonly Line[]): string {
  const greatest = lines.reduce((most, { data }) => Math.max(most, data[0] ?? 0), 0);
  const labels = widest(["", ...lines.map(headingOf)]);
  const widths = columns.map((column, at) =>
    widest([column, ...lines.map(({ data }) => cell(data[at]))]),
  );
  const row = (label: string, cells: string[], end: string) => {
    const aligned = cells.map((text, at) => text.padStart(widths[at] ?? 0));
    return `${[filled(label, labels), ...aligned, end].join("  ").trimEnd()}\n`;
  };
  const rows = lines.map(({ data, ...line }) => {
    const end = columns.length === 1 ? bars(data[0] ?? 0, greatest) : sparks(data);
    return row(
      headingOf(line),
      columns.map((_, at) => cell(data[at])),
      end,
    );
  });
  return `\n${row("", [...columns], "")}${rows.join("")}`;
}

type Heading = Pick<Line, "label" | "breakdown_value" | "compare_label">;

function headingOf({ label, breakdown_value, compare_label }: Heading): string {
  const values = [breakdown_value ?? []].flat().map((one) => SHOWN_VALUES.get(one) ?? one);
  const value = values.length === 0 ? "" : `: ${values.join(", ")}`;
  return plain(label + value + (compare_label === "previous" ? ", the time before" : ""));
}

const SHOWN_VALUES: ReadonlyMap<string, string> = new Map([
  [BREAKDOWN_WORDS.none, "(none)"],
  [BREAKDOWN_WORDS.other, "(others)"],
]);

function cell(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : shown(value);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, Bun.stringWidth(text)), 0);
}

/** A text padded to a width in columns of a terminal: wide characters take two, combining marks zero. */
function filled(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

/** A text without line ends and control characters. */
function plain(text: string): string {
  return [...text.replace(CONTROLS, " ")].slice(0, HEADING_CHARS_MAX).join("");
}

function shown(value: number | null): string {
  if (value === null) return "-";
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

function bars(value: number, greatest: number): string {
  if (!(value > 0)) return "";
  return "█".repeat(Math.max(1, Math.round((value / greatest) * BAR_CHARS)));
}

function sparks(data: readonly (number | null)[]): string {
  const greatest = data.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return data
    .map((value) => SPARKS[greatest === 0 ? 0 : Math.round(((value ?? 0) / greatest) * 8)] ?? " ")
    .join("");
}
