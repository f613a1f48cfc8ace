import { parseUuid } from "../values/ids.ts";
import {
  isObject,
  isObjectOrEmpty,
  type Json,
  type JsonObject,
  setKey,
  storable,
  storableText,
} from "../values/json.ts";
import { isoTime, parseEventTime, TIME_MS_MIN } from "../values/time.ts";
import { hasUnreadField } from "./event-fields.ts";

/** Characters (code points) of a distinct id; the rest is cut with a warning. */
export const DISTINCT_ID_CHARS_MAX = 200;

/** Characters (code points) of an event name; the rest is cut with a warning. */
export const EVENT_NAME_CHARS_MAX = 200;

/** UTF-8 bytes of one event as it is stored; a larger one is dropped with a warning. */
export const EVENT_BYTES_MAX = 1_048_576;

/** UTF-8 bytes of one event as it is stored that came by `/i/v0/ai/batch/`; prompts and answers are long. */
export const AI_EVENT_BYTES_MAX = 8_388_608;

/**
 * UTF-8 bytes of the events, as the journal keeps them, that are read and worked on together, unless
 * one request alone has more. In memory they take many times as much: 2,000 new persons of 400 KB took
 * 1,340 MB with 64 MiB here, and take 920 MB.
 */
export const JOURNAL_READ_BYTES_MAX = 16_777_216;

/** Time that an event may be ahead of the server's clock, in milliseconds; beyond it, the time of arrival is stored. */
export const FUTURE_MS_MAX = 23 * 3_600_000;

/**
 * An event as the journal keeps it, one JSON line each. Top-level `$set` and `$set_once` have
 * moved into `properties`; `timestamp` is corrected, ISO 8601 in UTC.
 */
export type CapturedEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: JsonObject;
  /** Why it differs from the event as it was sent; absent if it does not. */
  changed?: ChangeReason[];
};

/**
 * Why a submitted event is not stored. None is an error: the answer is still 200 (contract 7).
 * Names that are too long, invalid times and a uuid twice in a batch drop an event of the newer protocol only.
 */
export type DropReason =
  | "duplicate_uuid"
  | "missing_event_name"
  | "missing_distinct_id"
  | "invalid_event"
  | "message_size_too_large"
  | "event_nested_too_deep"
  | "event_has_too_many_keys"
  | "invalid_event_name"
  | "invalid_distinct_id"
  | "invalid_timestamp"
  | "invalid_options"
  | "invalid_event_when_process_person_profile_is_false"
  | "client_ingestion_warning"
  | "heatmap_not_kept"
  | "performance_event_not_kept"
  | "session_recording_not_kept";

/** Reasons why a stored event differs from the sent one. */
export type ChangeReason =
  | "distinct_id_too_large"
  | "event_name_too_long"
  | "ignored_invalid_timestamp"
  | "ignored_invalid_sent_at"
  | "event_timestamp_in_future"
  | "event_timestamp_too_early"
  | "replaced_invalid_uuid"
  | "replaced_invalid_text"
  | "replaced_infinite_number"
  | "rounded_unsafe_integer"
  | "ignored_invalid_set"
  | "ignored_invalid_unset"
  | "ignored_event_field"
  | "cookieless_visitor_unknown"
  | "invalid_process_person_profile";

/** The outcome for one submitted event: its journal line, or the reason why it is dropped. */
export type Admitted = { line: string; changes: ChangeReason[] } | { dropped: DropReason };

/** An outcome and which event it is of; null where a dropped one does not say. */
export type Outcome = Admitted & { uuid: string | null; distinct_id: string | null };

/** The distinct id that SDKs send for all users without cookies. */
export const COOKIELESS_ID = "$posthog_cookieless";

/** Whether a distinct id is of a visitor without cookies: of one on one day, or of all together. */
export function isCookielessId(distinctId: string): boolean {
  return distinctId === COOKIELESS_ID || /^cookieless_[\w-]{22}$/.test(distinctId);
}

/** Facts about the arrival of an event: all times in milliseconds since 1970. */
export type Arrival = {
  now: number;
  sentAt: number | undefined;
  /** Whether the sender gave its clock, but only in an invalid form. */
  isSentAtInvalid?: boolean;
  newUuid: () => string;
  /** UTF-8 bytes of an event as it is stored; EVENT_BYTES_MAX by default. */
  bytesMax?: number;
  /** Makes the additions to an event, which was sent as `raw`. */
  add?: (event: CapturedEvent, raw: JsonObject, changes: ChangeReason[]) => void;
};

/** Events that connect ids or groups and mean nothing without a person (decision 11). */
const IDENTITY_EVENTS = new Set([
  "$identify",
  "$create_alias",
  "$merge_dangerously",
  "$groupidentify",
]);

/** Events of other kinds than those of contract 6, which nothing here would show (decision 8). */
export const UNSTORED: ReadonlyMap<string, DropReason> = new Map([
  ["$$client_ingestion_warning", "client_ingestion_warning"],
  ["$$heatmap", "heatmap_not_kept"],
  ["$performance_event", "performance_event_not_kept"],
  ["$snapshot", "session_recording_not_kept"],
  ["$snapshot_items", "session_recording_not_kept"],
]);

/**
 * Admits one submitted event (contract 2.5, 4.5 and 7; decisions 8 to 12). Never throws: a bad
 * event is a value, so that it cannot harm its neighbours.
 */
export function admit(raw: Json, arrival: Arrival): Outcome {
  if (!isWellShaped(raw)) return refused("invalid_event", raw);
  const name = raw["event"];
  if (typeof name !== "string" || name.trim() === "") return refused("missing_event_name", raw);
  const given = isObject(raw["properties"]) ? raw["properties"] : {};
  const changes: ChangeReason[] = [];
  const distinctId = distinctIdOf(raw, given);
  if (distinctId === undefined) return refused("missing_distinct_id", raw);

  const unstored = UNSTORED.get(name);
  if (unstored !== undefined) return refused(unstored, raw);
  const profile = given["$process_person_profile"] ?? null;
  if (profile === false && IDENTITY_EVENTS.has(name)) {
    return refused("invalid_event_when_process_person_profile_is_false", raw);
  }
  if (profile !== null && typeof profile !== "boolean") {
    changes.push("invalid_process_person_profile");
  }
  const event = cut(storableText(name), EVENT_NAME_CHARS_MAX, "event_name_too_long", changes);
  const id = cut(storableText(distinctId), DISTINCT_ID_CHARS_MAX, "distinct_id_too_large", changes);
  const captured: CapturedEvent = {
    uuid: uuidOf(raw["uuid"], arrival, changes),
    event,
    distinct_id: id,
    timestamp: isoTime(timeOf(raw, given, arrival, changes)),
    properties: lifted(raw, given, changes),
  };
  arrival.add?.(captured, raw, changes);
  const json = JSON.stringify(captured);
  const line = storable(json);
  if (!(line === json && distinctId.startsWith(id) && name.startsWith(event))) {
    changes.push("replaced_invalid_text");
  }
  // A UTF-16 unit is at most 3 bytes of UTF-8, so most lines need not be counted.
  const { bytesMax = EVENT_BYTES_MAX } = arrival;
  const large = line.length * 3 > bytesMax && Buffer.byteLength(line) > bytesMax;
  if (large) return refused("message_size_too_large", raw);
  return { line, changes, uuid: captured.uuid, distinct_id: captured.distinct_id };
}

/** The outcome for an event that is not stored, with as much of its identity as it tells. */
export function refused(dropped: DropReason, raw: Json): Outcome {
  if (!isObject(raw)) return { dropped, uuid: null, distinct_id: null };
  const uuid = typeof raw["uuid"] === "string" ? parseUuid(raw["uuid"]) : undefined;
  const id = distinctIdOf(raw, isObject(raw["properties"]) ? raw["properties"] : {});
  return {
    dropped,
    uuid: uuid ?? null,
    distinct_id: id === undefined ? null : shortened(storableText(id), DISTINCT_ID_CHARS_MAX),
  };
}

/** Whether an item is an object whose `event` and `properties`, where given, have their types. */
export function isWellShaped(raw: Json): raw is JsonObject {
  if (!isObject(raw)) return false;
  const name = raw["event"] ?? null;
  return (name === null || typeof name === "string") && isObjectOrEmpty(raw["properties"]);
}

/** Top level first, else in `properties` (contract 2.5). Blank is absent; others become text. */
function distinctIdOf(raw: JsonObject, properties: JsonObject): string | undefined {
  const value = raw["distinct_id"] ?? raw["$distinct_id"] ?? properties["distinct_id"] ?? null;
  return distinctIdText(value);
}

/** A value as a distinct id (decision 9), not yet cut; undefined if it is blank or none. */
function distinctIdText(value: Json): string | undefined {
  // A number that JSON cannot carry exactly would make one person of two.
  if (value === null || (typeof value === "number" && !isExact(value))) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.trim() === "" ? undefined : text;
}

/** The distinct id that a property names, in the form that events have them. */
export function distinctIdIn(value: Json | undefined): string | undefined {
  const text = distinctIdText(value ?? null);
  return text === undefined ? undefined : shortened(storableText(text), DISTINCT_ID_CHARS_MAX);
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value));
}

function uuidOf(value: Json | undefined, { newUuid }: Arrival, changes: ChangeReason[]): string {
  const uuid = typeof value === "string" ? parseUuid(value) : undefined;
  if (uuid !== undefined) return uuid;
  if (value !== undefined && value !== null && value !== "") changes.push("replaced_invalid_uuid");
  return newUuid();
}

function cut(text: string, chars: number, reason: ChangeReason, changes: ChangeReason[]): string {
  if (text.length <= chars) return text;
  const short = shortened(text, chars);
  if (short !== text) changes.push(reason);
  return short;
}

/** The first `chars` code points; a text has at most two units for each. */
function shortened(text: string, chars: number): string {
  return text.length <= chars ? text : [...text.slice(0, chars * 2)].slice(0, chars).join("");
}

/**
 * When it happened, by our clock: `offset` (milliseconds before it was sent) counts most; else
 * `timestamp` less the sender's clock skew; else now (decision 12).
 */
function timeOf(
  raw: JsonObject,
  properties: JsonObject,
  { now, sentAt, isSentAtInvalid }: Arrival,
  changes: ChangeReason[],
): number {
  const offset = raw["offset"] ?? null;
  const given = raw["timestamp"] ?? null;
  if (typeof offset === "number") return clamped(now - offset, now, changes);
  if (given === null && offset === null) return now;
  const time = parseEventTime(given);
  const ignoresSentAt = properties["$ignore_sent_at"] ?? false;
  if (typeof ignoresSentAt !== "boolean") changes.push("ignored_invalid_sent_at");
  if (time === undefined || offset !== null) changes.push("ignored_invalid_timestamp");
  if (time === undefined) return now;
  if (ignoresSentAt === true) return clamped(time, now, changes);
  if (isSentAtInvalid && typeof ignoresSentAt === "boolean")
    changes.push("ignored_invalid_sent_at");
  return clamped(sentAt === undefined ? time : time - (sentAt - now), now, changes);
}

function clamped(time: number, now: number, changes: ChangeReason[]): number {
  if (time <= now + FUTURE_MS_MAX && time >= TIME_MS_MIN) return time;
  changes.push(time < TIME_MS_MIN ? "event_timestamp_too_early" : "event_timestamp_in_future");
  return now;
}

/** The properties as sent (decision 21), top-level `$set` and `$set_once` inside and winning. */
function lifted(raw: JsonObject, properties: JsonObject, changes: ChangeReason[]): JsonObject {
  const given = [raw["$set"], raw["$set_once"], properties["$set"], properties["$set_once"]];
  if (!given.every(isObjectOrEmpty)) changes.push("ignored_invalid_set");
  const unset = properties["$unset"] ?? null;
  if ((unset !== null && !isUnset(unset)) || (raw["$unset"] ?? null) !== null) {
    changes.push("ignored_invalid_unset");
  }
  if (hasUnreadField(raw, properties)) changes.push("ignored_event_field");
  if (given[0] === undefined && given[1] === undefined) return properties;
  const result = { ...properties };
  for (const name of ["$set", "$set_once"]) {
    const top = raw[name];
    const inner = properties[name];
    if (isObject(top)) setKey(result, name, isObject(inner) ? { ...inner, ...top } : top);
  }
  return result;
}

/** Whether it is keys and nothing else: a list of texts, one text, or an object, whose keys count. */
function isUnset(value: Json): boolean {
  if (Array.isArray(value)) return value.every((key) => typeof key === "string");
  return typeof value === "string" || isObject(value);
}
