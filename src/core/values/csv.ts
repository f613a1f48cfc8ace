import { type Json, type JsonObject, setKey } from "./json.ts";

/** The value of a cell; `digits` is a number that a double may not hold exactly. */
type Value = string | number | boolean | null | { digits: string };

/** A name on the way to a value, and those below it. */
type Column = {
  name: string;
  key: string;
  above: Column | undefined;
  below: Map<string, Column>;
  /** Where its values are in a line; undefined if no row has one, -1 until that is known. */
  at: number | undefined;
  /** How many rows have a value in it. */
  rows: number;
};

/** Rows of nested values as lines of a CSV: `properties.plan`, `distinct_ids.0`. */
export type CsvTable = {
  /** Adds the columns of a row; empty values add no column. */
  add(row: JsonObject): void;
  /** The line of names. It fixes the columns and their order. */
  head(): string;
  /** The line of a row. Columns that are new since `head` are left out, or go into the last column. */
  line(row: JsonObject): string;
};

/** The last column if there are too many: an object of the values that have no column. */
const REST = "other";

/**
 * A table without rows, which in any case has the columns of a row `always`. A dot or backslash of a key has a
 * backslash before it, so that no two values share a column. They are in the order of their names. Of
 * more than `max`, those stay that most rows have a value in; the others share one, the last, as JSON.
 */
export function csvTable(always: JsonObject = {}, max = Number.MAX_SAFE_INTEGER): CsvTable {
  const column = (name: string, key: string, above?: Column): Column => {
    return { name, key, above, below: new Map(), at: undefined, rows: 0 };
  };
  const root = column("", "");
  let found: Column[] = [];
  let hasRest = false;

  const nameOf = (above: string | null, key: string) =>
    above === null ? escaped(key) : `${above}.${escaped(key)}`;
  const below = (above: Column, key: string): Column => {
    const made = column(nameOf(above === root ? null : above.name, key), key, above);
    above.below.set(key, made);
    return made;
  };
  /** Forgets a column and its path, so that memory has a limit. */
  const forget = (last: Column): void => {
    last.at = undefined;
    let gone = last;
    while (gone.above !== undefined && gone.at === undefined && gone.below.size === 0) {
      gone.above.below.delete(gone.key);
      gone = gone.above;
    }
  };
  const keepMost = (most: number): void => {
    if (found.length <= most) return;
    hasRest = true;
    found.sort((a, b) => b.rows - a.rows);
    for (const one of found.slice(most)) forget(one);
    found = found.slice(0, most);
  };
  const add = (column: Column, key: string, value: Json): void => {
    const inner = column.below.get(key) ?? below(column, key);
    if (typeof value === "object" && value !== null) {
      addAll(inner, value);
      return;
    }
    inner.rows += 1;
    if (inner.at !== undefined) return;
    inner.at = -1;
    found.push(inner);
  };
  const addAll = (column: Column, values: JsonObject | Json[]): void => {
    for (const [key, value] of Object.entries(values)) add(column, key, value);
  };
  type Line = { cells: Value[]; rest: JsonObject };
  /** `inner` is undefined where no column is on the way. */
  const put = (inner: Column | undefined, name: string | null, value: Json, line: Line): void => {
    if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        const next = inner?.below.get(key);
        put(next, next?.name ?? nameOf(name, key), one, line);
      }
    } else if (inner?.at !== undefined) line.cells[inner.at] = value;
    else setKey(line.rest, name ?? "", value);
  };

  addAll(root, always);
  for (const one of found) one.rows = Number.POSITIVE_INFINITY;
  return {
    add(row) {
      addAll(root, row);
      if (found.length > max * 2) keepMost(max);
    },
    head() {
      // Of all that are left to it, the rest itself is one.
      if (hasRest || found.length > max) keepMost(max - 1);
      found.sort((a, b) => (a.name < b.name ? -1 : 1));
      found.forEach((column, at) => {
        column.at = at;
      });
      return csvLine([...found.map(({ name }) => name), ...(hasRest ? [REST] : [])]);
    },
    line(row) {
      const line: Line = { cells: new Array<Value>(found.length).fill(null), rest: {} };
      put(root, null, row, line);
      if (!hasRest) return csvLine(line.cells);
      const isEmpty = Object.keys(line.rest).length === 0;
      return csvLine([...line.cells, isEmpty ? null : JSON.stringify(line.rest)]);
    },
  };
}

function escaped(key: string): string {
  return key.replace(/[.\\]/g, "\\$&");
}

/** A line of values (RFC 4180), with its end. */
export function csvLine(values: readonly Value[]): string {
  return `${values.map(cell).join(",")}\r\n`;
}

/** Spreadsheets run a text that starts like this as a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

function cell(value: Value): string {
  if (value === null) return "";
  if (typeof value === "object") return value.digits;
  if (typeof value !== "string") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
