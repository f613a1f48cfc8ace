import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfString,
  type Json,
  type JsonObject,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "../values/json.ts";

/** Keys that name the event, its person and its project. Each has another length. */
const NAMES = ["uuid", "token", "$token", "api_key", "properties", "distinct_id", "$distinct_id"];
const NAME_CHARS_MAX = Math.max(...NAMES.map(({ length }) => length));
const NAME_OF_LENGTH = Array.from({ length: NAME_CHARS_MAX + 1 }, (_, length) =>
  NAMES.find((name) => name.length === length),
);

/** Bytes of a list or object that is read; a longer one may break a limit itself. */
const NESTED_BYTES_MAX = 1024;

/** The bytes of a value, with the blanks around it. */
type Range = { start: number; end: number };

/**
 * Reads from an event that breaks a limit only the keys that name the event, its person and its project,
 * in it and in its `properties` (decision 8). Null if it is no object. The value is an empty text, which
 * is no valid id, if it is no JSON or a long list or object. It takes one pass over the bytes, which may
 * be invalid, and keeps only the ranges of values.
 */
export function sketchOf(bytes: Uint8Array): JsonObject | null {
  if (firstByte(bytes, 0) !== OPEN_OBJECT) return null;
  const sketch = new Sketch(bytes);
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = sketch.text(at);
        break;
      case COLON:
        sketch.key(at);
        break;
      case COMMA:
        sketch.endValue(at);
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        sketch.depth += 1;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        sketch.endValue(at);
        sketch.depth -= 1;
        break;
      default:
    }
  }
  return sketch.result();
}

/** One level of an event: the known key whose value is being read, and the ranges of earlier values. */
class Level {
  key: string | undefined;
  start = 0;
  ranges = new Map<string, Range>();
}

class Sketch {
  readonly bytes: Uint8Array;
  readonly own = new Level();
  readonly inner = new Level();
  depth = 0;
  /** The previous text; at a colon it is the key. */
  last: Range = { start: 0, end: 0 };

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  text(at: number): number {
    const end = endOfString(this.bytes, at);
    this.last.start = at;
    this.last.end = end + 1;
    return end;
  }

  key(at: number): void {
    const level = this.level();
    if (level === undefined) return;
    level.key = nameIn(this.bytes, this.last);
    level.start = at + 1;
    // If `properties` come twice, the parser keeps the second.
    if (level === this.own && level.key === "properties") this.inner.ranges.clear();
  }

  /** Ends a value at the comma or bracket after it. Of two values with one key, the last counts. */
  endValue(end: number): void {
    const level = this.level();
    if (level?.key === undefined) return;
    level.ranges.set(level.key, { start: level.start, end });
    level.key = undefined;
  }

  result(): JsonObject {
    const own = this.values(this.own);
    const properties = this.own.ranges.get("properties");
    if (properties !== undefined && firstByte(this.bytes, properties.start) === OPEN_OBJECT) {
      own["properties"] = this.values(this.inner);
    }
    return own;
  }

  private level(): Level | undefined {
    if (this.depth === 1) return this.own;
    return this.depth === 2 && this.own.key === "properties" ? this.inner : undefined;
  }

  private values({ ranges }: Level): JsonObject {
    const entries = [...ranges].map(([name, range]) => [name, valueAt(this.bytes, range)] as const);
    return Object.fromEntries(entries);
  }
}

/** A buffer for the characters of one key. */
const chars = new Uint16Array(NAME_CHARS_MAX);

/** Returns the known name that a text has, also if it is written with escapes. */
function nameIn(bytes: Uint8Array, { start, end }: Range): string | undefined {
  let count = 0;
  for (let at = start + 1; at < end - 1; count++) {
    if (count === NAME_CHARS_MAX) return undefined;
    const isEscape = bytes[at] === BACKSLASH;
    chars[count] = isEscape ? escapedAt(bytes, at) : (bytes[at] ?? 0);
    at += isEscape ? ESCAPE_BYTES : 1;
  }
  const name = NAME_OF_LENGTH[count];
  for (let at = 0; at < count; at++) if (name?.charCodeAt(at) !== chars[at]) return undefined;
  return name;
}

/** Bytes of an escape with a character's code: a backslash, `u`, four digits. */
const ESCAPE_BYTES = 6;
const U = 0x75;

/** Returns the code of the escape at `at`; NaN for any other bytes. */
function escapedAt(bytes: Uint8Array, at: number): number {
  let code = bytes[at + 1] === U ? 0 : Number.NaN;
  for (let index = at + 2; index < at + ESCAPE_BYTES; index++) {
    code = code * 16 + hexDigit(bytes[index] ?? 0);
  }
  return code;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : Number.NaN;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function valueAt(bytes: Uint8Array, { start, end }: Range): Json {
  const first = firstByte(bytes, start);
  const isNested = first === OPEN_OBJECT || first === OPEN_LIST;
  if (isNested && end - start > NESTED_BYTES_MAX) return "";
  try {
    return JSON.parse(utf8.decode(bytes.subarray(start, end)));
  } catch {
    return "";
  }
}

/** The first byte from `start` on that is not blank. */
function firstByte(bytes: Uint8Array, start: number): number | undefined {
  let at = start;
  while (isBlank(bytes[at])) at += 1;
  return bytes[at];
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
