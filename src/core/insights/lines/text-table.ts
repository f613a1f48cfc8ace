import { BREAKDOWN_WORDS } from "./line-order.ts";
import type { InsightResult } from "./results.ts";
import { comparedWith, duration, shown, withUnit } from "./text-numbers.ts";
import { TOTAL_COLUMN } from "./trend-days.ts";

/** A line of numbers, one for each of some columns. */
type Line = Pick<
  InsightResult,
  | "label"
  | "unit"
  | "breakdown_value"
  | "data"
  | "aggregated_value"
  | "compare_label"
  | "days"
  | "median_conversion_times"
  | "median_conversion_time"
>;

/** A row of a table: its name, its numbers as texts, and the bar at its end. */
type Row = { name: string; cells: string[]; end: string };

/** Characters of the longest bar. */
const BAR_CHARS = 40;

/** Characters of a heading. */
const HEADING_CHARS_MAX = 200;

const CONTROLS = /\p{C}/gu;

/** From nothing to the greatest number of a line. */
const SPARKS = [..." ▁▂▃▄▅▆▇█"];

/**
 * An answer as text. Over time it is a table for each line, with a row and a bar for each number. A funnel has a row
 * for each step. Retention, lifecycle, paths and answers of one number for each line are one table. `explanation`
 * and warnings come below the name, if it has them.
 */
export function insightTable(
  name: string,
  kind: string,
  {
    columns,
    results,
    explanation = "",
    warnings = [],
  }: { columns: string[]; results: readonly Line[]; explanation?: string; warnings?: string[] },
): string {
  const heads = [
    plain(name),
    ...[explanation, ...warnings].map((one) => one.replace(CONTROLS, " ")),
  ];
  const head = heads.filter((one) => one !== "").join("\n");
  if (results.length === 0) return `${head}\n\nNothing was found.\n`;
  return `${head}\n${textOf(kind, columns, results)}`;
}

function textOf(kind: string, columns: readonly string[], lines: readonly Line[]): string {
  switch (kind) {
    case "FunnelsQuery":
      return funnels(columns, lines);
    case "RetentionQuery":
    case "PathsQuery":
      return rowEach(columns, lines);
    case "LifecycleQuery":
      return columnEach(columns, lines);
    case "StickinessQuery":
      return tableEach(withoutEnd(columns, lines), lines);
    default:
      return columns.length === 1 && columns[0] === TOTAL_COLUMN
        ? totals(lines)
        : tableEach(columns, lines);
  }
}

/** The columns up to the last in which a line has a number other than 0. */
function withoutEnd(columns: readonly string[], lines: readonly Line[]): readonly string[] {
  const last = columns.findLastIndex((_, at) => lines.some(({ data }) => (data[at] ?? 0) !== 0));
  return columns.slice(0, Math.max(1, last + 1));
}

/** The longest bar belongs to the greatest number; negative numbers have no bar. */
function tableEach(columns: readonly string[], lines: readonly Line[]): string {
  const numbers = lines.flatMap(({ data }) => data.filter((value) => value !== null));
  const greatest = numbers.reduce((most, value) => Math.max(most, value), 0);
  const tables = lines.map((line) => {
    const rows = (line.days ?? columns).map((column, at) => ({
      name: column,
      cells: [withUnit(line.data[at] ?? null, line.unit)],
      end: bars(line.data[at] ?? 0, greatest),
    }));
    const all = { name: "all", cells: [withUnit(line.aggregated_value, line.unit)], end: "" };
    const isWhole = line.aggregated_value !== null && rows.length > 1;
    return { heading: headingOf(line), rows: isWhole ? [...rows, all] : rows };
  });
  const widths = widthsOf(tables.flatMap(({ rows }) => rows));
  return tables
    .map(({ heading, rows }) => `\n${heading}\n${rows.map((row) => written(row, widths)).join("")}`)
    .join("");
}

/** Retention and paths: with several columns a row ends in a line of sparks, with one in a bar. */
function rowEach(columns: readonly string[], lines: readonly Line[]): string {
  const greatest = lines.reduce((most, { data }) => Math.max(most, data[0] ?? 0), 0);
  const rows = lines.map((line) => ({
    name: headingOf(line),
    cells: columns.map((_, at) => cell(line.data[at])),
    end: columns.length === 1 ? bars(line.data[0] ?? 0, greatest) : sparks(line.data),
  }));
  return withHead("", columns, rows);
}

/** A column for each line, a row for each of their numbers. */
function columnEach(columns: readonly string[], lines: readonly Line[]): string {
  const rows = columns.map((column, at) => ({
    name: column,
    cells: lines.map(({ data }) => cell(data[at])),
    end: "",
  }));
  return withHead("", lines.map(headingOf), rows);
}

/** A funnel over time is a trend; of its times there is a row for each bin that has persons. */
function funnels(columns: readonly string[], lines: readonly Line[]): string {
  const [first] = lines;
  if (first?.days !== undefined) return tableEach(columns, lines);
  if (first?.median_conversion_time === undefined) {
    return lines.map((line) => funnel(columns, line)).join("");
  }
  return lines.map((line) => times(columns, line)).join("");
}

function times(columns: readonly string[], line: Line): string {
  const greatest = line.data.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const rows = columns.flatMap((column, at) => {
    const persons = line.data[at] ?? 0;
    const name = `from ${duration(Number(column))}`;
    return persons === 0 ? [] : [{ name, cells: [shown(persons)], end: bars(persons, greatest) }];
  });
  const all = { name: "all", cells: [withUnit(line.aggregated_value, line.unit)], end: "" };
  return withHead(
    line.breakdown_value === null ? "" : headingOf(line),
    ["persons"],
    [...rows, all],
  );
}

/** A row for each step: persons, and their share of the first step and of the one before. */
function funnel(columns: readonly string[], line: Line): string {
  const [began = 0] = line.data;
  const rows = columns.map((column, at) => {
    const persons = line.data[at] ?? 0;
    const before = line.data[at - 1];
    const seconds = line.median_conversion_times?.[at] ?? null;
    return {
      name: column,
      cells: [
        shown(persons),
        percent(persons, began),
        before === undefined ? "" : percent(persons, before),
        seconds === null ? "" : duration(seconds),
      ],
      end: bars(persons, began ?? 0),
    };
  });
  const heading = line.breakdown_value === null ? "" : headingOf(line);
  return withHead(heading, ["persons", "of all", "of those before", "median time"], rows);
}

/** One number for each line; with the time before, both and the change. One number alone has no bar. */
function totals(lines: readonly Line[]): string {
  const [first] = lines;
  // Times and texts stand where else the value of a breakdown is.
  const isOfTexts = lines.every(({ data, breakdown_value }) => data[0] === null && breakdown_value);
  if (isOfTexts) {
    const rows = lines.map((line) => ({
      name: plain(line.label),
      cells: [valuesOf(line)],
      end: "",
    }));
    return withHead(undefined, [], rows);
  }
  const isOfOne = lines.every(
    ({ label, breakdown_value }) => label === first?.label && breakdown_value !== null,
  );
  const now = lines.filter(({ compare_label }) => compare_label !== "previous");
  const before = lines.filter(({ compare_label }) => compare_label === "previous");
  const greatest = now.reduce((most, { data }) => Math.max(most, data[0] ?? 0), 0);
  const rows = now.map((line) => {
    const [value = null] = line.data;
    const earlier = before.find((one) => headingOf(one) === headingOf(line) + BEFORE);
    const compared = before.length === 0 ? [] : comparedWith(line, earlier?.data[0] ?? null);
    return {
      name: isOfOne ? valuesOf(line) : headingOf(line),
      cells: [withUnit(value, line.unit), ...compared],
      end: now.length === 1 ? "" : bars(value ?? 0, greatest),
    };
  });
  const label = isOfOne && first ? labelOf(first) : "";
  if (before.length > 0) return withHead(label, ["now", "before", "change"], rows);
  if (isOfOne) return withHead("", [label], rows);
  return withHead(now.length === 1 ? undefined : "", [TOTAL_COLUMN], rows);
}

const percent = (part: number, whole: number | null) =>
  whole ? `${shown((100 * part) / whole, 1)}%` : "-";

/** A table with names of its columns, unless the name of the first is left out. */
function withHead(
  name: string | undefined,
  columns: readonly string[],
  rows: readonly Row[],
): string {
  const head = name === undefined ? [] : [{ name, cells: columns.map(plain), end: "" }];
  const all = [...head, ...rows];
  const widths = widthsOf(all);
  return `\n${all.map((row) => written(row, widths)).join("")}`;
}

function widthsOf(rows: readonly Row[]): number[] {
  const [first] = rows;
  const names = widest(rows.map(({ name }) => plain(name)));
  const cells = (first?.cells ?? []).map((_, at) => widest(rows.map((row) => row.cells[at] ?? "")));
  return [names, ...cells];
}

function written({ name, cells, end }: Row, [names = 0, ...widths]: readonly number[]): string {
  const aligned = cells.map((text, at) => filled(text, widths[at] ?? 0, "left"));
  return `${[filled(plain(name), names), ...aligned, end].join("  ").trimEnd()}\n`;
}

type Heading = Pick<Line, "label" | "unit" | "breakdown_value" | "compare_label">;

/** The label; without its unit where each number has it. */
const labelOf = ({ label, unit }: Heading): string =>
  plain(unit === undefined ? label : label.replace(UNIT_OF_LABEL, ""));

const UNIT_OF_LABEL = / in (?:percent|seconds)$/;

const BEFORE = ", the time before";

function headingOf(line: Heading): string {
  const { breakdown_value, compare_label } = line;
  const values = valuesOf({ breakdown_value });
  const value = values === "" ? "" : `: ${values}`;
  return plain(labelOf(line) + value + (compare_label === "previous" ? BEFORE : ""));
}

const valuesOf = ({ breakdown_value }: Pick<Heading, "breakdown_value">): string =>
  plain([breakdown_value ?? []].flat().map(shownValue).join(", "));

/** Returns a value of a breakdown as text. */
export const shownValue = (value: string): string =>
  SHOWN_VALUES.get(value) ?? value.replace(TIME, "$1 $2 UTC");

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

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
function filled(text: string, width: number, side: "left" | "right" = "right"): string {
  const space = " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
  return side === "left" ? space + text : text + space;
}

/** A text without line ends and control characters. */
function plain(text: string): string {
  return [...text.replace(CONTROLS, " ")].slice(0, HEADING_CHARS_MAX).join("");
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
