import { isObject, type Json, type JsonObject } from "./json.ts";

/** A row with nested values taken apart: `properties.plan`, `distinct_ids.0`. */
export type FlatRow = Map<string, string | number | boolean | null>;

/** Takes nested values apart; what is empty leaves nothing. */
export function flatRow(row: JsonObject): FlatRow {
  const flat: FlatRow = new Map();
  const put = (name: string, value: Json) => {
    if (!isObject(value) && !Array.isArray(value)) flat.set(name, value);
    else for (const [key, inner] of Object.entries(value)) put(`${name}.${key}`, inner);
  };
  for (const [key, value] of Object.entries(row)) put(key, value);
  return flat;
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
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

function cell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
