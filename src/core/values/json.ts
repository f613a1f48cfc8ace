import { Failure } from "./failure.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. Parsed ones may own a key named `__proto__`: copy with {@link setKey}. */
export type JsonObject = { [key: string]: Json };

/** Whether `value` is an object and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether `value` is an object, absent, null or an empty list: PHP writes an empty object as `[]`. */
export function isObjectOrEmpty(value: Json | undefined): boolean {
  return isObject(value ?? {}) || (Array.isArray(value) && value.length === 0);
}

/** Says what stands in a place: a number or true and false as they are, other values by their type. */
export function foundIn(value: Json | undefined): string {
  if (value === undefined || value === null) return "missing";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return "a text";
  return Array.isArray(value) ? "a list" : "an object";
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

/** Whether a field counts as absent: null, false, empty, or an object of such fields. */
export function isNothing(value: Json): boolean {
  if (value === null || value === false || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every(isNothing);
}

/** Returns a value without the fields that are null, which count as absent; nulls of lists stay. */
export function withoutNulls<T extends Json>(sent: T): T {
  if (Array.isArray(sent)) return sent.map(withoutNulls) as T;
  if (!isObject(sent)) return sent;
  const fields = Object.entries(sent).filter(([, value]) => value !== null);
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutNulls(value)])) as T;
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

/** A number that a double does not keep, in the place of its value. */
const LOST = Symbol();

/** Texts without these have no such number. */
const MAY_BE_LOST = /\d[\d.]{15}|\d[eE]/;

/**
 * Reads JSON whose numbers are kept as doubles. Fails `invalid_input` on a number that would become another one, as it
 * would then be stored or asked for; `attr` is to blame, or else the way to the number. Throws on other faults of the text.
 */
export function keptJson(text: string, attr?: string): Json {
  const plain: Json = JSON.parse(text);
  if (!MAY_BE_LOST.test(text)) return plain;
  let isLost = false;
  const read = exact.parse(text, (_key, value, { source }) => {
    if (typeof value !== "number" || !isChanged(source, value)) return value;
    isLost = true;
    return LOST as unknown as Json;
  });
  if (!isLost) return plain;
  const detail =
    "This number is too large, or has more digits than the 15 to 17 that are kept. Write it as a text, in quotes.";
  throw new Failure("invalid_input", detail, attr ?? wayToLost(read)?.join("__") ?? null);
}

function wayToLost(value: unknown): string[] | undefined {
  if (value === LOST) return [];
  for (const [key, inner] of typeof value === "object" ? Object.entries(value ?? {}) : []) {
    const way = wayToLost(inner);
    if (way !== undefined) return [key, ...way];
  }
  return undefined;
}

const INTEGER = /^\d+$/;

/** The first number that is written with an exponent, as JavaScript writes it. */
const EXPONENT_MIN = 1e21;

/** Whether the digits of an integer become others: those of another number, or shorter ones of the same double. */
export function isRounded(digits: string, value: number): boolean {
  if (!INTEGER.test(digits)) return false;
  return value < EXPONENT_MIN ? String(value) !== digits : BigInt(digits) !== BigInt(value);
}

/** Digits of a number that `toPrecision` writes. */
const PRECISION_MAX = 100;

/** Whether a number as it is written has digits that its double lacks. Any double may be written with 17 of them. */
function isChanged(source: string, value: number): boolean {
  const text = source.replace("-", "");
  if (!Number.isFinite(value)) return true;
  if (INTEGER.test(text)) return isRounded(text, Math.abs(value));
  const digits = significant(text);
  const precision = Math.min(digits.length, PRECISION_MAX);
  return precision > 0 && significant(Math.abs(value).toPrecision(precision)) !== digits;
}

const significant = (text: string) =>
  text
    .replace(/e.*/i, "")
    .replace(".", "")
    .replace(/^0+|0+$/g, "");

/** Whether a value is a number as it is written, see {@link exactJson}. */
export const isExactNumber = (value: Json): boolean => exact.isRawJSON(value);

/** Bytes that JSON's grammar is made of (RFC 8259 2). */
export const QUOTE = 0x22;
/** Between the items of a list and the fields of an object. */
export const COMMA = 0x2c;
/** After a key. */
export const COLON = 0x3a;
/** Before a list. */
export const OPEN_LIST = 0x5b;
/** After a list. */
export const CLOSE_LIST = 0x5d;
/** Before an object. */
export const OPEN_OBJECT = 0x7b;
/** After an object. */
export const CLOSE_OBJECT = 0x7d;
/** In a string, before what it escapes. */
export const BACKSLASH = 0x5c;

/** The place of the quote that ends the string whose first quote stands at `start`. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return bytes.length;
}

/** Whether a byte is a digit in ASCII. */
export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Whether a byte begins the exponent of a number. */
export function isExponent(byte: number | undefined): boolean {
  return byte === 0x65 || byte === 0x45;
}

/** Whether a byte may stand in a number. */
export function isOfNumber(byte: number | undefined): boolean {
  return isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === 0x2e || isExponent(byte);
}

/** The place of the last of the digits and points that begin at `start`. */
export function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (isDigit(bytes[at]) || bytes[at] === 0x2e) at += 1;
  return at - 1;
}

/** Whether the bytes from `start` on are the ASCII text. */
export function isTextAt(bytes: Uint8Array, start: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (bytes[start + at] !== text.charCodeAt(at)) return false;
  }
  return true;
}

/** Characters that terminals and readers act on instead of showing them: C0, C1, line ends, directions. */
const CONTROL_CHARS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** A text with control characters as escapes such as `\u202e`, so that a terminal only shows them. */
export function escapeControlChars(text: string): string {
  return text.replace(
    CONTROL_CHARS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the value of a table's own key; undefined of any other text, such as `constructor`. */
export const ownValue = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
