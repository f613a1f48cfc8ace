/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. Parsed ones may own a key named `__proto__`: copy with {@link setKey}. */
export type JsonObject = { [key: string]: Json };

/** Whether `value` is an object and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets an own key, also one named `__proto__`, which plain assignment would swallow. */
export function setKey(object: JsonObject, key: string, value: Json): void {
  if (key !== "__proto__") {
    object[key] = value;
    return;
  }
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** Whether two JSON values are the same; the order of keys does not count. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index] ?? null));
  }
  if (!(isObject(a) && isObject(b))) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null));
}

const ESCAPES_OF_NOTE = /\\(?:u(0000|d[89a-f][0-9a-f]{2})|.)/gi;

/** JSON text that DuckDB and SQLite accept whole, as {@link storable} makes it. */
export function storableJson(value: Json): string {
  return storable(JSON.stringify(value));
}

/**
 * JSON with NUL and lone surrogates replaced by U+FFFD. `JSON.stringify` writes both as escapes, so a text
 * without escapes is returned as it is.
 */
export function storable(json: string): string {
  if (!json.includes("\\u")) return json;
  return json.replace(ESCAPES_OF_NOTE, (found, unstorable) => (unstorable ? "\ufffd" : found));
}

/** A string that every store accepts: NUL and lone surrogates become U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

/** Whether a text has more than `chars` code points. */
export function isLonger(text: string, chars: number): boolean {
  return text.length > chars && [...text.slice(0, chars * 2 + 1)].length > chars;
}

/** Whether a field counts as absent: null, false, or empty. */
export function isNothing(value: Json): boolean {
  if (value === null || value === false || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** A part of `JSON` that TypeScript does not declare yet (ECMA-262, JSON.parse source text access). */
type ExactJson = {
  parse(text: string, reviver: (key: string, value: Json, at: { source: string }) => Json): Json;
  rawJSON(text: string): Json;
  isRawJSON(value: Json): boolean;
};
const exact = JSON as unknown as ExactJson;

/** Reads JSON whose numbers may have more digits than a number has here: those stay as they are written. */
export function exactJson(text: string): Json {
  return exact.parse(text, (_key, value, { source }) => {
    const isExact = typeof value !== "number" || JSON.stringify(value) === source;
    return isExact ? value : exact.rawJSON(source);
  });
}

/** Whether a value is such a number, to be written as it is. */
export const isExactNumber = (value: Json): boolean => exact.isRawJSON(value);
