import { isUtf8 } from "node:buffer";
import { isWellShaped } from "../events/event.ts";
import {
  itemOf,
  JSON_DEPTH_MAX,
  limitViolationOf,
  MARK,
  OBJECT_KEYS_MAX,
  type Part,
  type Scan,
  scanBody,
} from "../events/json-limits.ts";
import { putExact, UNSAFE_ID_FIELDS } from "../events/number-ids.ts";
import { Failure } from "../values/failure.ts";
import { foundIn, isObject, isObjectOrEmpty, type Json, type JsonObject } from "../values/json.ts";
import { jsonFault } from "../values/json-fault.ts";
import { parseEventTime } from "../values/time.ts";
import { withoutWords } from "./json-words.ts";
import { itemKey, keyIn, knownKey, oneKey } from "./key-in-body.ts";
import { sketchOf } from "./oversized-event.ts";

/** Data of a request outside its body; the same data in the body comes first. */
export type RequestHints = {
  /** The project key of the query or the `Authorization` header. */
  key: string | undefined;
  /** Whether the body is searched for a key, which then comes first. */
  keyInBody: boolean;
  /** The sender's clock when it sent (the query's `_`), in milliseconds since the epoch. */
  sentAt: number | undefined;
  /** The query's `_` as it was sent; undefined without one. */
  sentAtText?: string | undefined;
  /** The country of the client, if it is known. Absent if the setting `geoip` is off. */
  geoip?: { country: string | undefined } | undefined;
  /** The address and the `User-Agent` of the client; undefined where they are unknown. */
  client?: { address?: string | undefined; userAgent?: string | undefined };
};

/**
 * Receives one item of a body. For `count` items without a key it gets an empty object or null. `mark` is
 * 0 or the findings of the scan ({@link MARK}); an item over a limit has only the keys of {@link sketchOf}.
 */
export type Take = (raw: Json, mark: number, count: number) => void;

/** One capture request. Its envelope is parsed; its items are parsed while `each` runs. */
export type Submission = {
  /** The body without its list of events; of a single event, the event. */
  envelope: JsonObject;
  /** The sender's clock when it sent, in milliseconds since the epoch. */
  sentAt: number | undefined;
  historical: boolean;
  /**
   * Passes on each item in order and returns the project key as it was sent, which is not checked yet.
   * Items are parsed part by part, so that a large body is never in memory as objects. Fails
   * `invalid_payload` for an item that is no JSON, also after earlier items were passed on.
   */
  each(take: Take): string;
  /** The project key of an item, as far as it is known from the request and the item itself. */
  keyOf(raw: JsonObject): string | undefined;
};

/**
 * Reads a body's text: one event, a list of events, or `{batch: […]}` (contract 4.5, decision 7). `NaN` and `Infinity`
 * are read as numbers that are too large. Fails `invalid_payload` on any other shape, and where the body breaks a limit
 * other than by one of its items; `each` fails `invalid_api_key` without one project key. Bytes that are no UTF-8
 * become U+FFFD, and mark their item.
 */
export function readSubmission(bytes: Uint8Array, hints: RequestHints): Submission {
  const isWhole = isUtf8(bytes);
  const body = isWhole ? bytes : new TextEncoder().encode(new TextDecoder().decode(bytes));
  const { each, ...rest } = explained(bytes, () => {
    const scan = scanBody(body);
    return scan.hasWords ? submission(withoutWords(body), hints) : submission(body, hints, scan);
  });
  return {
    ...rest,
    each: (take) => explained(bytes, () => each(isWhole ? take : markingText(take))),
  };
}

/** Marks the items that have U+FFFD. */
const markingText =
  (take: Take): Take =>
  (raw, mark, count) => {
    take(raw, JSON.stringify(raw).includes("\ufffd") ? mark | MARK.text : mark, count);
  };

/** Replaces a failure of the parser by one that names the place in the body. */
function explained<T>(bytes: Uint8Array, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof NoJson)) throw error;
    throw invalid(jsonFault(bytes) ?? error.message);
  }
}

/** The failure for a body that may be no JSON. */
class NoJson extends Error {}

function submission(bytes: Uint8Array, hints: RequestHints, scan = scanBody(bytes)): Submission {
  if (scan.refused !== undefined) {
    throw new NoJson(
      `${REFUSALS[scan.refused]} at byte ${scan.refusedAt?.toLocaleString("en-US")}.`,
    );
  }
  const { list } = scan;
  const isSplit = list !== undefined && (list.parts.length > 1 || scan.excesses.length > 0);
  const body = parse(isSplit ? around(bytes, list) : text(bytes));
  if (isObject(body) && body["batch"] === undefined)
    return single({ event: body, bytes }, scan, hints);
  const envelope = Array.isArray(body) ? {} : body;
  if (!isObject(envelope)) throw invalid("A JSON object or list is expected.");
  const items = Array.isArray(body) ? body : envelope["batch"];
  // A split list is cut out; a remaining item comes from a second list whose name has escapes.
  if (!Array.isArray(items) || (isSplit && items.length > 0)) {
    throw invalid("`batch` must be one list of events.", "batch");
  }
  return {
    envelope,
    sentAt: sentAtOf(envelope, hints),
    historical: historicalOf(envelope),
    keyOf: (raw) => knownKey((hints.keyInBody && (keyIn(envelope) ?? itemKey(raw))) || hints.key),
    each(take) {
      const envelopeKey = hints.keyInBody ? keyIn(envelope) : hints.key;
      const key = oneKey(envelopeKey);
      const isInItems = envelopeKey === undefined && hints.keyInBody;
      const exact = withIds(bytes, scan.ids, take);
      const takeItem: Take = (raw, mark, count) => {
        if (isInItems) key.add(itemKey(raw));
        exact(raw, mark, count);
      };
      if (isSplit) eachOfParts(bytes, list.parts, scan, takeItem);
      else eachOf(items, scan, takeItem);
      return key.value(hints);
    },
  };
}

const REFUSALS: Record<NonNullable<Scan["refused"]>, string> = {
  depth: `The JSON is nested deeper than ${JSON_DEPTH_MAX} levels`,
  keys: `An object has more than ${OBJECT_KEYS_MAX} keys, one too many`,
  nodes: "The event has too many objects and lists, one too many",
  lists: "`batch` must be one list of events. A second one begins",
  open: "`batch` has no end. It begins",
};

function single(
  { event, bytes }: { event: JsonObject; bytes: Uint8Array },
  scan: Scan,
  hints: RequestHints,
): Submission {
  return {
    envelope: event,
    sentAt: sentAtOf(event, hints),
    historical: historicalOf(event),
    keyOf: () => knownKey(itemKey(event) ?? hints.key),
    each(take) {
      const key = oneKey(itemKey(event)).value(hints);
      if (!isWellShaped(event)) {
        const attr = isObjectOrEmpty(event["properties"]) ? "event" : "properties";
        const expected = attr === "event" ? "a text" : "an object";
        throw invalid(`\`${attr}\` is ${foundIn(event[attr])}: ${expected} is expected.`, attr);
      }
      withIds(bytes, scan.ids, take)(withoutBodyFields(event), scan.marks[0] ?? 0, 1);
      return key;
    },
  };
}

/** An event without the fields that belong to its body. In an item of a batch they leave a warning. */
function withoutBodyFields(event: JsonObject): JsonObject {
  if (event["sent_at"] === undefined && event["historical_migration"] === undefined) return event;
  const { historical_migration: _, sent_at: _sentAt, ...raw } = event;
  return raw;
}

/** Passes on items with the exact digits of ids that the parser has rounded. */
function withIds(bytes: Uint8Array, ids: readonly number[], take: Take): Take {
  if (ids.length === 0) return take;
  let item = 0;
  let next = 0;
  return (raw, mark, count) => {
    let bits = mark;
    // One call has many items without a key, and no event is among them.
    for (; (ids[next] ?? Number.POSITIVE_INFINITY) < item + count; next += UNSAFE_ID_FIELDS) {
      const id = ids.slice(next + 1, next + UNSAFE_ID_FIELDS);
      if (ids[next] === item && !putExact(raw, bytes, id)) bits |= MARK.rounded;
    }
    item += count;
    take(raw, bits, count);
  };
}

function eachOf(items: Json[], { marks }: Scan, take: Take): void {
  if (items.length === 0) throw invalid("The batch holds no events.", "batch");
  const markAt = markReader(marks);
  for (let index = 0; index < items.length; index++) take(items[index] ?? null, markAt(index), 1);
}

/** Passes on items that are parsed part by part; an item over a limit as a sketch. */
function eachOfParts(bytes: Uint8Array, parts: Part[], scan: Scan, take: Take): void {
  const clean = scan.excesses.length === 0 ? bytes : withoutItems(bytes, scan.excesses);
  const markAt = markReader(scan.marks);
  const nextSketch = sketchReader(bytes, scan.excesses);
  let index = 0;
  for (const { start, end, count, bare } of parts) {
    const items = parse(`[${text(clean.subarray(start, end))}]`);
    // The counts differ if an item is missing between two commas or before the end.
    if (!Array.isArray(items) || items.length !== count)
      throw new NoJson("The body is not valid JSON.");
    if (bare) {
      takeBare(items, take);
      index += count;
      continue;
    }
    for (const raw of items) {
      const mark = markAt(index++);
      take(limitViolationOf(mark) === undefined ? raw : nextSketch(), mark, 1);
    }
  }
}

/** Passes on items without a key as two counts, so that millions cost little. */
function takeBare(items: Json[], take: Take): void {
  let objects = 0;
  for (const item of items) if (isObject(item)) objects += 1;
  if (objects > 0) take({}, 0, objects);
  if (objects < items.length) take(null, 0, items.length - objects);
}

/** Returns the marks of items; the calls must be in order. */
function markReader(marks: number[]): (index: number) => number {
  let next = 0;
  return (index) => {
    const mark = marks[next];
    if (mark === undefined || itemOf(mark) !== index) return 0;
    next += 1;
    return mark;
  };
}

/** Returns the sketches of items one after the other; `bounds` has the start and end of each. */
function sketchReader(bytes: Uint8Array, bounds: number[]): () => Json {
  let next = 0;
  return () => {
    const [start, end] = bounds.slice(next, next + 2);
    next += 2;
    return sketchOf(bytes.subarray(start, end));
  };
}

/** Returns a copy with `null` for each of some items; `bounds` has the start and end of each. */
function withoutItems(bytes: Uint8Array, bounds: number[]): Uint8Array {
  // `slice` of a Buffer is no copy.
  const copy = new Uint8Array(bytes);
  for (let at = 0; at < bounds.length; at += 2) {
    const [start = 0, end = 0] = bounds.slice(at, at + 2);
    copy.fill(0x20, start, end).set(Buffer.from("null"), start);
  }
  return copy;
}

/** The body with an empty list. */
function around(bytes: Uint8Array, { start, end }: { start: number; end: number }): string {
  return text(bytes.subarray(0, start)) + text(bytes.subarray(end));
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

const text = (bytes: Uint8Array) => orNoJson(() => utf8.decode(bytes));

const parse = (json: string) => orNoJson<Json>(() => JSON.parse(json));

function orNoJson<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new NoJson("The body is not valid JSON in UTF-8.");
  }
}

function sentAtOf(envelope: JsonObject, hints: RequestHints): number | undefined {
  const sentAt = envelope["sent_at"];
  return (typeof sentAt === "string" ? parseEventTime(sentAt) : undefined) ?? hints.sentAt;
}

function historicalOf(envelope: JsonObject): boolean {
  const given = envelope["historical_migration"] ?? false;
  if (typeof given === "boolean") return given;
  throw invalid("`historical_migration` must be true or false.", "historical_migration");
}

function invalid(detail: string, attr: string | null = null): Failure {
  return new Failure("invalid_payload", detail, attr);
}
