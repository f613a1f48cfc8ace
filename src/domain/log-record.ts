import { Failure } from "./errors.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  setKey,
  storableJson,
  storableText,
} from "./json.ts";
import { isoTime } from "./time.ts";

/** UTF-8 bytes of one log record as it is stored; a larger one is rejected (decision 36). */
export const LOG_RECORD_BYTES_MAX = 1_048_576;

/** How grave a record is, from the least to the most. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * A log record as the journal keeps it, one JSON line each. Times are ISO 8601 in UTC; texts are
 * empty where the sender gave none, as in OTLP itself.
 */
export type LogRecord = {
  uuid: string;
  /** When it happened: its time, else when it was observed, else when it arrived. */
  timestamp: string;
  /** When a collector saw it first; its arrival if the sender does not say. */
  observed_timestamp: string;
  /** Hexadecimal, lower case. */
  trace_id: string;
  span_id: string;
  /** The W3C trace flags, 0 to 255. */
  trace_flags: number;
  severity_text: string;
  /** 1 to 24; 0 if the sender does not say. */
  severity_number: number;
  level: LogLevel;
  event_name: string;
  /** A body that is no text is written as JSON. */
  body: string;
  attributes: JsonObject;
} & LogOrigin;

/** What the records of one scope have in common. */
export type LogOrigin = {
  /** The resource's `service.name`. */
  service_name: string;
  resource_attributes: JsonObject;
  /** `name`, `version` and `attributes`, each only if the sender gave it. */
  instrumentation_scope: JsonObject;
};

/** Log records in the JSON shape of OTLP, with the resource and the scope that they come from. */
export type LogGroup = { resource: Json; scope: Json; records: Iterable<Json> };

/** What is not in the record itself: `now` is when it came, in milliseconds since the epoch. */
export type LogArrival = { now: number; newUuid: () => string };

/**
 * The groups of an ExportLogsServiceRequest in JSON (OTLP 1.7). What is absent is empty. Fails
 * `invalid_payload` where a list or an object of it is something else.
 */
export function* logGroups(request: Json): Generator<LogGroup> {
  for (const ofResource of listIn(request, "resourceLogs")) {
    for (const ofScope of listIn(ofResource, "scopeLogs")) {
      const records = listIn(ofScope, "logRecords");
      yield {
        resource: memberOf(ofResource, "resource"),
        scope: memberOf(ofScope, "scope"),
        records,
      };
    }
  }
}

/** The JSON of what the records of a resource have in common, without braces. */
export function resourceJson(resource: Json): string {
  const attributes = attributesOf(isObject(resource) ? resource["attributes"] : null);
  return members({
    service_name: asText(attributes["service.name"] ?? null),
    resource_attributes: attributes,
  } satisfies Omit<LogOrigin, "instrumentation_scope">);
}

/** The JSON of what the records of a scope have in common, without braces. */
export function scopeJson(scope: Json): string {
  const { name, version, attributes }: JsonObject = isObject(scope) ? scope : {};
  const extra = attributesOf(attributes);
  const instrumentation_scope: JsonObject = {
    ...(textOf(name) === "" ? {} : { name: textOf(name) }),
    ...(textOf(version) === "" ? {} : { version: textOf(version) }),
    ...(Object.keys(extra).length === 0 ? {} : { attributes: extra }),
  };
  return members({ instrumentation_scope } satisfies Partial<LogOrigin>);
}

/**
 * The JSON of what is a record's own, without braces; with {@link resourceJson} and
 * {@link scopeJson} it is a {@link LogRecord}. Undefined if it is no object. What has the wrong
 * type counts as absent.
 */
export function recordJson(record: Json, { now, newUuid }: LogArrival): string | undefined {
  if (!isObject(record)) return undefined;
  const observed = timeOf(record["observedTimeUnixNano"]);
  const severity_text = textOf(record["severityText"]);
  const severity_number = wholeOf(record["severityNumber"], SEVERITY_NUMBER_MAX);
  return members({
    uuid: newUuid(),
    timestamp: isoTime(timeOf(record["timeUnixNano"]) ?? observed ?? now),
    observed_timestamp: isoTime(observed ?? now),
    trace_id: idOf(record["traceId"]),
    span_id: idOf(record["spanId"]),
    trace_flags: wholeOf(record["flags"], UINT32_MAX) & TRACE_FLAGS_MASK,
    severity_text,
    severity_number,
    level: levelOf(severity_number, severity_text),
    event_name: textOf(record["eventName"]),
    body: asText(plainOf(record["body"])),
    attributes: attributesOf(record["attributes"]),
  } satisfies Omit<LogRecord, keyof LogOrigin>);
}

const SEVERITY_NUMBER_MAX = 24;
const UINT32_MAX = 0xff_ff_ff_ff;
const TRACE_FLAGS_MASK = 0xff;

/** Severity names beside the levels' own; syslog's as OpenTelemetry maps them. */
const LEVEL_NAMES: ReadonlyMap<string, LogLevel> = new Map([
  ...LOG_LEVELS.map((level) => [level, level] as const),
  ["verbose", "trace"],
  ["information", "info"],
  ["informational", "info"],
  ["notice", "info"],
  ["warning", "warn"],
  ["err", "error"],
  ["critical", "error"],
  ["crit", "error"],
  ["alert", "error"],
  ["emergency", "fatal"],
  ["emerg", "fatal"],
  ["panic", "fatal"],
]);

/** Four numbers a level; without one the text, without either it is `info` (decision 36). */
function levelOf(number: number, text: string): LogLevel {
  const byNumber = number > 0 ? LOG_LEVELS[(number - 1) >> 2] : undefined;
  // `INFO2` and its like are the short names of the numbers between.
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[2-4]$/, "");
  return byNumber ?? LEVEL_NAMES.get(name) ?? "info";
}

const NANOS = /^\d{1,20}$/;

/** Milliseconds of nanoseconds since the epoch, microseconds as fraction; 0 means unknown. */
function timeOf(nanos: Json | undefined): number | undefined {
  if (typeof nanos === "string" && NANOS.test(nanos)) {
    // A double holds the microseconds of these times, but not the nanoseconds.
    return Number(nanos.slice(0, -3)) / 1000 || undefined;
  }
  if (typeof nanos === "number" && nanos > 0 && nanos < NANOS_END) {
    return Math.floor(nanos / 1000) / 1000 || undefined;
  }
  return undefined;
}

/** Nanoseconds are unsigned numbers of 64 bits. */
const NANOS_END = 2 ** 64;

/** A whole number, which JSON may hold as text; 0 if it is none or out of range. */
function wholeOf(value: Json | undefined, max: number): number {
  const number = typeof value === "string" && NANOS.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= max
    ? number
    : 0;
}

/** A trace's or span's id; nothing but zeros is none (W3C trace context). */
function idOf(value: Json | undefined): string {
  const id = textOf(value).toLowerCase();
  return /^0*$/.test(id) ? "" : id;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? storableText(value) : "";
}

function asText(value: Json): string {
  if (value === null) return "";
  return typeof value === "string" ? storableText(value) : storableJson(value);
}

/** An object of OTLP's list of keys and values. */
function attributesOf(list: Json | undefined): JsonObject {
  const attributes: JsonObject = {};
  if (!Array.isArray(list)) return attributes;
  for (const item of list) {
    if (isObject(item)) setKey(attributes, textOf(item["key"]), plainOf(item["value"]));
  }
  return attributes;
}

/**
 * What an AnyValue stands for. Whole numbers beyond 2^53 stay text, and so do the numbers that
 * JSON has not; bytes are base64.
 */
function plainOf(value: Json | undefined): Json {
  if (!isObject(value)) return null;
  const { stringValue, intValue, doubleValue, arrayValue, kvlistValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (isObject(arrayValue)) {
    const { values } = arrayValue;
    return Array.isArray(values) ? values.map(plainOf) : [];
  }
  if (isObject(kvlistValue)) return attributesOf(kvlistValue["values"]);
  return (
    numberOf(intValue, Number.isSafeInteger) ??
    numberOf(doubleValue, Number.isFinite) ??
    value["boolValue"] ??
    value["bytesValue"] ??
    null
  );
}

function numberOf(value: Json | undefined, isExact: (number: number) => boolean): Json {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "string" || value.trim() === "") return null;
  return isExact(Number(value)) ? Number(value) : value;
}

function members(object: JsonObject): string {
  return storableJson(object).slice(1, -1);
}

function memberOf(object: Json, name: string): Json {
  return isObject(object) ? (object[name] ?? null) : null;
}

function listIn(object: Json, name: string): Json[] {
  const list = isObject(object) ? (object[name] ?? []) : undefined;
  if (Array.isArray(list)) return list;
  throw new Failure("invalid_payload", `An object with the array \`${name}\` is expected.`, name);
}
