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

/**
 * JSON text that DuckDB and SQLite accept whole: NUL and lone surrogates become U+FFFD.
 * `JSON.stringify` writes both as escapes, so the text is scanned only when it has one.
 */
export function storableJson(value: Json): string {
  const text = JSON.stringify(value);
  if (!text.includes("\\u")) return text;
  return text.replace(ESCAPES_OF_NOTE, (found, unstorable) => (unstorable ? "\ufffd" : found));
}

/** A string that every store accepts: NUL and lone surrogates become U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

/** Nesting a body may have; deeper ones are refused before they are parsed. */
export const JSON_DEPTH_MAX = 128;

/** Keys one object of a body may have; 5 million of them took seconds to parse. */
export const OBJECT_KEYS_MAX = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Checks a JSON text's bytes against the limits above without parsing it, so that a hostile
 * body costs a scan and not a parse. Says nothing about validity.
 */
export function exceedsLimits(bytes: Uint8Array): "depth" | "keys" | undefined {
  const keys = new Uint32Array(JSON_DEPTH_MAX + 1);
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        if (depth > JSON_DEPTH_MAX) return "depth";
        keys[depth] = 0;
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        if (depth < 0) return undefined;
        break;
      case 0x3a: {
        const count = (keys[depth] ?? 0) + 1;
        if (count > OBJECT_KEYS_MAX) return "keys";
        keys[depth] = count;
      }
    }
  }
  return undefined;
}

/** The place of the quote that ends the string whose first quote stands at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return bytes.length;
}
