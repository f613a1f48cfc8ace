import { distinctIdIn } from "../events/event.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { isoTime } from "../values/time.ts";
import { listIn, requestList } from "./otlp-json.ts";
import {
  asText,
  attributesOf,
  jsonOf,
  objectOf,
  plainOf,
  type ReportLogChange,
  reportOthers,
  textOf,
} from "./value.ts";

/** UTF-8 bytes of one log record as it is stored; a larger one is rejected (decision 36). */
export const LOG_RECORD_BYTES_MAX = 1_048_576;

/** The severity of a record, the lowest first. */
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

/** The fields that all records of one scope share. */
export type LogOrigin = {
  /** The resource's `service.name`. */
  service_name: string;
  resource_attributes: JsonObject;
  /** `name`, `version` and `attributes`, each only if the sender gave it. */
  instrumentation_scope: JsonObject;
};

/** Log records in the JSON shape of OTLP, with the resource and the scope that they come from. */
export type LogGroup = { resource: Json; scope: Json; records: Iterable<Json> };

/** The time of arrival, in milliseconds since 1970, and the id of a record. */
export type LogArrival = { now: number; uuid: string };

/**
 * The groups of an ExportLogsServiceRequest in JSON (OTLP 1.7). Absent fields are empty. Fails
 * `invalid_payload` if a list or an object has another type, or a list has the name of protobuf.
 */
export function* logGroups(request: Json): Generator<LogGroup> {
  for (const ofResource of requestList(request, "resourceLogs")) {
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

/** Other fields of a resource or scope in OTLP 1.7, which are not kept. */
const UNKEPT = ["droppedAttributesCount", "entityRefs"];
const RESOURCE_FIELDS: ReadonlySet<string> = new Set(["attributes", ...UNKEPT]);
const SCOPE_FIELDS: ReadonlySet<string> = new Set(["name", "version", "attributes", ...UNKEPT]);
const RECORD_FIELDS: ReadonlySet<string> = new Set([
  ...["timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText", "eventName"],
  ...["body", "attributes", "flags", "traceId", "spanId", "droppedAttributesCount"],
]);

/** The JSON of what the records of a resource have in common, without braces. */
export function resourceJson(resource: Json, report: ReportLogChange): string {
  const attributes = attributesOf(
    objectOf(resource, RESOURCE_FIELDS, report)["attributes"],
    report,
  );
  return members(
    {
      service_name: asText(attributes["service.name"] ?? null, report),
      resource_attributes: attributes,
    } satisfies Omit<LogOrigin, "instrumentation_scope">,
    report,
  );
}

/** The JSON of what the records of a scope have in common, without braces. */
export function scopeJson(scope: Json, report: ReportLogChange): string {
  const given = objectOf(scope, SCOPE_FIELDS, report);
  const name = textOf(given["name"], report);
  const version = textOf(given["version"], report);
  const attributes = attributesOf(given["attributes"], report);
  const instrumentation_scope: JsonObject = {
    ...(name === "" ? {} : { name }),
    ...(version === "" ? {} : { version }),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
  };
  return members({ instrumentation_scope } satisfies Partial<LogOrigin>, report);
}

/**
 * The JSON of a record's own fields, without braces; with {@link resourceJson} and {@link scopeJson} it is a
 * {@link LogRecord}. Fields of a wrong type count as absent and are reported.
 */
export function recordJson(
  record: JsonObject,
  { now, uuid }: LogArrival,
  report: ReportLogChange,
): string {
  reportOthers(record, RECORD_FIELDS, report);
  const observed = timeOf(record["observedTimeUnixNano"], report);
  const severity_text = textOf(record["severityText"], report);
  const severity_number = wholeOf(record["severityNumber"], SEVERITY_NUMBER_MAX, report);
  return members(
    {
      uuid,
      timestamp: isoTime(timeOf(record["timeUnixNano"], report) ?? observed ?? now),
      observed_timestamp: isoTime(observed ?? now),
      trace_id: idOf(record["traceId"], report),
      span_id: idOf(record["spanId"], report),
      trace_flags: flagsOf(record["flags"], report),
      severity_text,
      severity_number,
      level: levelOf(severity_number, severity_text),
      event_name: textOf(record["eventName"], report),
      body: asText(plainOf(record["body"], report), report),
      attributes: attributesOf(record["attributes"], report),
    } satisfies Omit<LogRecord, keyof LogOrigin>,
    report,
  );
}

/**
 * Attributes that name the distinct id of a log record (decision 92): first the names of PostHog's SDKs, then
 * other usual names, then OpenTelemetry's names of a user.
 */
export const LOG_DISTINCT_ID_KEYS = [
  "posthogDistinctId",
  "posthog.distinct_id",
  "posthog_distinct_id",
  "$distinct_id",
  "distinct_id",
  "distinctId",
  "user.id",
  "enduser.id",
] as const;

/** Returns the distinct id in a record's own attributes, in the form of events; null without one. */
export function logDistinctId(record: Json): string | null {
  const { attributes }: JsonObject = isObject(record) ? record : {};
  const [id] = namesIn(attributesOf(attributes, () => {}));
  return id ?? null;
}

/** Returns all distinct ids in the attributes of a stored record and its resource, in the form of events. */
export function logDistinctIds({ attributes, resource_attributes }: JsonObject): string[] {
  return [attributes, resource_attributes].flatMap((given) =>
    isObject(given ?? null) ? namesIn(given as JsonObject) : [],
  );
}

function namesIn(attributes: JsonObject): string[] {
  return LOG_DISTINCT_ID_KEYS.flatMap((key) => {
    const id = attributes[key];
    const isId = typeof id === "string" || typeof id === "number";
    return (isId ? distinctIdIn(String(id)) : undefined) ?? [];
  });
}

const SEVERITY_NUMBER_MAX = 24;
const UINT32_MAX = 0xff_ff_ff_ff;
const TRACE_FLAGS_MASK = 0xff;

/** Names of severities: the levels, common aliases, and syslog's as OpenTelemetry maps them. */
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
function timeOf(nanos: Json | undefined, report: ReportLogChange): number | undefined {
  if (nanos === undefined || nanos === null || nanos === 0) return undefined;
  if (typeof nanos === "string" && NANOS.test(nanos)) {
    // A double holds the microseconds of these times, but not the nanoseconds.
    return Number(nanos.slice(0, -3)) / 1000 || undefined;
  }
  if (typeof nanos === "number" && nanos > 0 && nanos < NANOS_END) {
    return Math.floor(nanos / 1000) / 1000 || undefined;
  }
  report("ignored_invalid_log_time");
  return undefined;
}

/** Nanoseconds are unsigned numbers of 64 bits. */
const NANOS_END = 2 ** 64;

/** A whole number, which JSON may hold as text; 0 if it is invalid or out of range. */
function wholeOf(value: Json | undefined, max: number, report: ReportLogChange): number {
  if (value === undefined || value === null) return 0;
  const number = typeof value === "string" && NANOS.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= max) {
    return number;
  }
  report("ignored_invalid_log_field");
  return 0;
}

/** W3C's flags. OTLP reserves the bits above them, which are not kept. */
function flagsOf(value: Json | undefined, report: ReportLogChange): number {
  const flags = wholeOf(value, UINT32_MAX, report);
  if (flags > TRACE_FLAGS_MASK) report("ignored_invalid_log_field");
  return flags & TRACE_FLAGS_MASK;
}

/** The id of a trace or span; only zeros mean no id (W3C trace context). */
function idOf(value: Json | undefined, report: ReportLogChange): string {
  const id = textOf(value, report);
  if (/^0*$/.test(id)) return "";
  // In base64, as some send it, the case of letters counts.
  return /^[\da-f]*$/i.test(id) ? id.toLowerCase() : id;
}

function members(object: JsonObject, report: ReportLogChange): string {
  return jsonOf(object, report).slice(1, -1);
}

function memberOf(object: Json, name: string): Json {
  return isObject(object) ? (object[name] ?? null) : null;
}
