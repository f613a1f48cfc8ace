import type { Json, JsonObject } from "./json.ts";

/** What a cell holds. */
type Value = string | number | boolean | null;

/** A name on the way to a value, and those below it. */
type Column = {
  name: string;
  below: Map<string, Column>;
  /** Where its values are in a line; undefined if no row has one, -1 until that is known. */
  at: number | undefined;
};

/** Rows of nested values as lines of a CSV: `properties.plan`, `distinct_ids.0`. */
export type CsvTable = {
  /** Takes the columns of a row; what is empty has none. */
  add(row: JsonObject): void;
  /** Columns so far. */
  columns(): number;
  /** The line of names, by which the order of the columns is settled. */
  head(): string;
  /** The line of a row; what has no column is left out. */
  line(row: JsonObject): string;
};

/**
 * A table without rows, which has some columns in any case. A dot or backslash of a key has a
 * backslash before it, so that no two values share a column. They are in the order of their names.
 */
export function csvTable(always: readonly string[] = []): CsvTable {
  const root: Column = { name: "", below: new Map(), at: undefined };
  const found: Column[] = [];

  const below = (column: Column, key: string): Column => {
    const name = column === root ? escaped(key) : `${column.name}.${escaped(key)}`;
    const made = { name, below: new Map(), at: undefined };
    column.below.set(key, made);
    return made;
  };
  const add = (column: Column, key: string, value: Json): void => {
    const inner = column.below.get(key) ?? below(column, key);
    if (typeof value === "object" && value !== null) addAll(inner, value);
    else if (inner.at === undefined) {
      inner.at = -1;
      found.push(inner);
    }
  };
  const addAll = (column: Column, values: JsonObject | Json[]): void => {
    for (const [key, value] of Object.entries(values)) add(column, key, value);
  };
  const put = (column: Column, values: JsonObject | Json[], line: Value[]): void => {
    for (const [key, value] of Object.entries(values)) {
      const inner = column.below.get(key);
      if (inner === undefined) continue;
      if (typeof value === "object" && value !== null) put(inner, value, line);
      else if (inner.at !== undefined) line[inner.at] = value;
    }
  };

  for (const name of always) add(root, name, null);
  return {
    add: (row) => addAll(root, row),
    columns: () => found.length,
    head() {
      found.sort((a, b) => (a.name < b.name ? -1 : 1));
      found.forEach((column, at) => {
        column.at = at;
      });
      return csvLine(found.map(({ name }) => name));
    },
    line(row) {
      const line = new Array<Value>(found.length).fill(null);
      put(root, row, line);
      return csvLine(line);
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
  if (typeof value !== "string") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
