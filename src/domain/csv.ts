import { isObject, type Json, type JsonObject } from "./json.ts";

/** A row with nested values taken apart: `properties.plan`, `distinct_ids.0`. */
export type FlatRow = Map<string, string | number | boolean | null>;

/**
 * Takes nested values apart; what is empty leaves nothing. A dot or backslash of a key has a
 * backslash before it, so that no two values share a column.
 */
export function flatRow(row: JsonObject): FlatRow {
  const flat: FlatRow = new Map();
  const put = (name: string, value: Json) => {
    if (!isObject(value) && !Array.isArray(value)) flat.set(name, value);
    else for (const [key, inner] of Object.entries(value)) put(`${name}.${escaped(key)}`, inner);
  };
  for (const [key, value] of Object.entries(row)) put(escaped(key), value);
  return flat;
}

function escaped(key: string): string {
  return key.replace(/[.\\]/g, "\\$&");
}

/** The columns of a table in the order in which they are written. */
export function csvColumns(names: Iterable<string>): string[] {
  return [...names].sort((a, b) => (a < b ? -1 : 1));
}

/** A line of values (RFC 4180), with its end. */
export function csvLine(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(cell).join(",")}\r\n`;
}

/** Spreadsheets run a text that starts like this as a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

function cell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
