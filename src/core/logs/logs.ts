import { ndjsonBuffer } from "../capture/admit-body.ts";
import { admittedInline, INLINE_BYTES_MAX } from "../capture/capture.ts";
import {
  BODY_BYTES_MAX,
  decompress,
  type EncodedBody,
  inflate,
  isJson,
} from "../capture/decode-body.ts";
import { QUOTED, withoutWords } from "../capture/json-words.ts";
import { JSON_DEPTH_MAX, OBJECT_KEYS_MAX } from "../events/json-limits.ts";
import { responseDelayMs } from "../ingest/backpressure.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import { Failure } from "../values/failure.ts";
import { isObject, type Json } from "../values/json.ts";
import { jsonFault } from "../values/json-fault.ts";
import type { Clock } from "../values/time.ts";
import { meaningOf } from "../warnings/meanings.ts";
import {
  type LogChange,
  type LogDropReason,
  type Warning,
  type WarningType,
  warningAppender,
  warningTally,
} from "../warnings/warning.ts";
import { withoutLogExcesses } from "./otlp-json.ts";
import { logGroupsOfProtobuf } from "./otlp-protobuf.ts";
import {
  LOG_RECORD_BYTES_MAX,
  type LogGroup,
  logDistinctId,
  logGroups,
  recordJson,
  resourceJson,
  scopeJson,
} from "./record.ts";

/**
 * UTF-8 bytes of the log records of one request as they are stored; further records are rejected. Each
 * record carries its resource's attributes, so that they may be thousands of times the body.
 */
export const LOGS_BYTES_MAX = 67_108_864;

/** An ExportLogsServiceRequest (OTLP 1.7) as it was received. */
export type LogsBody = EncodedBody & { form: "json" | "protobuf" };

/** The log records of a request, ready for the journal. */
export type LogAdmission = {
  count: number;
  /** NDJSON of the records, one a line. */
  lines: Uint8Array;
  /** How many records were too large, or were no records (decision 36). */
  rejected: number;
  /** Warnings about rejected and changed records, one for each reason. */
  warnings: Warning[];
};

/** The thread that decodes large bodies. */
export type LogDecoder = {
  admitLogs(body: LogsBody, now: number): Promise<LogAdmission>;
  /** Counts what a request has of a signal that is not kept. Fails `invalid_payload` or `payload_too_large`. */
  countUnkept(body: LogsBody, signal: "traces" | "metrics"): Promise<number>;
  /** Called with the bytes of a body and of its lines once they are no longer needed. */
  releaseBytes(bytes: number): void;
};

type Needs = {
  journal: Pick<Journal, "append">;
  decoder: LogDecoder;
  now: Clock;
  newUuid: () => string;
  ingest: Pick<Ingest, "wake" | "backlogMs">;
  log: Log;
};

/** Accepts log records. */
export type Logs = {
  /**
   * Admits a request's records; when it resolves they are durable (decision 2). Fails as
   * {@link admitLogs} does, and `unavailable` when the disk refuses. `reasons` are the sentences that say why
   * records were rejected.
   */
  accept(project: number, body: LogsBody): Promise<{ rejected: number; reasons: string[] }>;
  /** Returns how many spans or data points a request has, all of which are rejected. Fails as `accept` does. */
  countUnkept: LogDecoder["countUnkept"];
};

/** Logs on a journal. */
export function logs(needs: Needs): Logs {
  const { journal, decoder, now, newUuid, ingest } = needs;
  const warn = warningAppender(needs);
  return {
    async accept(project_id, body) {
      const arrived_at = now();
      const sent = body.bytes.length;
      const arrived = { now: arrived_at, newUuid };
      const inline = admittedInline(body, () => admitLogs(body, arrived, LIMITS_HERE));
      const here = inline?.rejected === 0 ? inline : undefined;
      const { count, lines, rejected, warnings } =
        here ?? (await decoder.admitLogs(body, arrived_at));
      // Both at once, so that one group commit has both; the records first, so that they fit.
      const entry = { kind: "logs" as const, project_id, arrived_at, count, lines };
      const accepted = count > 0 ? journal.append(entry) : undefined;
      const warned = warn(warnings, { project_id, arrived_at });
      await accepted;
      await warned;
      if (here === undefined) decoder.releaseBytes(sent + lines.length);
      if (count > 0 || warnings.length > 0) ingest.wake();
      const hold = responseDelayMs(ingest.backlogMs(count), count);
      if (hold > 0) await Bun.sleep(hold);
      return { rejected, reasons: reasonsIn(warnings) };
    },
    async countUnkept(body, signal) {
      const sent = body.bytes.length;
      const count = await decoder.countUnkept(body, signal);
      decoder.releaseBytes(sent);
      return count;
    },
  };
}

function reasonsIn(warnings: readonly Warning[]): string[] {
  const meanings = warnings.map(({ type }) => meaningOf(type));
  const dropped = meanings.filter(({ severity }) => severity === "error");
  return [...new Set(dropped.map(({ meaning }) => meaning))];
}

type Limits = { inflatedBytesMax: number; storedBytesMax: number };

/** Limits of bodies that the decoder decodes. */
export const LIMITS: Limits = { inflatedBytesMax: BODY_BYTES_MAX, storedBytesMax: LOGS_BYTES_MAX };

/** Limits of bodies that the server's thread decodes itself, within a few milliseconds. */
const LIMITS_HERE: Limits = {
  inflatedBytesMax: INLINE_BYTES_MAX,
  storedBytesMax: 8 * INLINE_BYTES_MAX,
};

type Arrived = { now: number; newUuid: () => string; collect?: () => void };

/**
 * Decodes and admits a body: pure work on bytes, done on the server's thread for small bodies
 * and on the decoder's for large ones. Fails `invalid_payload` or `payload_too_large`.
 */
export function admitLogs(
  body: LogsBody,
  { now, newUuid, collect }: Arrived,
  limits = LIMITS,
): LogAdmission {
  const lines = ndjsonBuffer(body.bytes.length, collect);
  const warnings = warningTally();
  let left = limits.storedBytesMax;
  let rejected = 0;
  const report = (type: WarningType, event_uuid: string | null, record: Json) =>
    warnings.add({ type, count: 1, event_uuid, distinct_id: logDistinctId(record) });
  const reject = (reason: LogDropReason, record: Json) => {
    rejected += 1;
    report(reason, null, record);
  };
  const add = (record: Json, shared: Shared) => {
    if (!isObject(record)) return reject("invalid_log_record", record);
    // Not even put together if it cannot fit: there may be millions of them.
    if (shared.json.length >= LOG_RECORD_BYTES_MAX) return reject("log_record_too_large", record);
    if (shared.json.length >= left) return reject("log_request_too_large", record);
    const uuid = newUuid();
    const changes = new Set(shared.changes);
    const own = recordJson(record, { now, uuid }, (change) => changes.add(change));
    const line = `{${own},${shared.json}}`;
    const bytes = Buffer.byteLength(line) + 1;
    if (bytes > LOG_RECORD_BYTES_MAX) return reject("log_record_too_large", record);
    if (bytes > left) {
      // A request that is full stays so.
      left = 0;
      return reject("log_request_too_large", record);
    }
    left -= bytes;
    lines.add(line);
    for (const change of changes) report(change, uuid, record);
  };
  const shared = sharedJson();
  for (const { resource, scope, records } of groupsOf(body, limits)) {
    for (const record of records) add(record, shared(resource, scope));
  }
  return { count: lines.count(), lines: lines.bytes(), rejected, warnings: warnings.all() };
}

/** The JSON that records share, and the changes that were made in it. */
type Shared = { json: string; changes: Set<LogChange> };

/** Makes what records share once for all records of a resource or scope. */
function sharedJson() {
  let ofResource: (Shared & { resource: Json }) | undefined;
  let ofScope: (Shared & { scope: Json }) | undefined;
  return (resource: Json, scope: Json): Shared => {
    if (ofResource?.resource !== resource) {
      const changes = new Set<LogChange>();
      const json = resourceJson(resource, (change) => changes.add(change));
      ofResource = { resource, json, changes };
      ofScope = undefined;
    }
    if (ofScope?.scope !== scope) {
      const changes = new Set(ofResource.changes);
      const json = scopeJson(scope, (change) => changes.add(change));
      ofScope = { scope, json: `${ofResource.json},${json}`, changes };
    }
    return ofScope;
  };
}

function groupsOf(body: LogsBody, { inflatedBytesMax }: Limits): Iterable<LogGroup> {
  return body.form === "json"
    ? logGroups(bodyJson(body, inflatedBytesMax))
    : logGroupsOfProtobuf(protobufOf(body, inflatedBytesMax));
}

/** Returns the bytes of a body in protobuf. Fails as {@link admitLogs} does. */
export function protobufOf(body: LogsBody, inflatedBytesMax: number): Uint8Array {
  const bytes = inflate(body, inflatedBytesMax);
  if (isJson(bytes)) throw looksLike("JSON", "application/json");
  return bytes;
}

/** Returns the JSON of a body. Fails as {@link admitLogs} does. */
export function bodyJson(body: LogsBody, inflatedBytesMax = LIMITS.inflatedBytesMax): Json {
  const bytes = inflate(body, inflatedBytesMax);
  if (bytes[0] === FIRST_FIELD && !isJson(bytes)) {
    throw looksLike("protobuf", "application/x-protobuf");
  }
  return parse(decompress(body, inflatedBytesMax));
}

/** The first byte of a request in protobuf: the tag of its only field. */
const FIRST_FIELD = 0x0a;

function looksLike(form: string, type: string): Failure {
  const detail = `The body looks like ${form}, which its Content-Type does not say. Send \`Content-Type: ${type}\`.`;
  return new Failure("invalid_payload", detail);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON in a body's bytes, but for the records that break the limits of nesting and keys. */
function parse(bytes: Uint8Array): Json {
  const clean = withoutLogExcesses(bytes);
  if (typeof clean === "number") {
    const limits = `deeper than ${JSON_DEPTH_MAX}, or has an object of over ${OBJECT_KEYS_MAX} keys`;
    throw new Failure("invalid_payload", `The JSON is nested ${limits}, at byte ${clean}.`);
  }
  // Numbers as Python writes them are only looked for if the text is no JSON.
  for (const read of [() => clean, () => withoutWords(clean, QUOTED)]) {
    try {
      return JSON.parse(utf8.decode(read()));
    } catch {}
  }
  throw new Failure("invalid_payload", jsonFault(bytes) ?? "The body is not valid JSON in UTF-8.");
}
