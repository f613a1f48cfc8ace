import { Failure } from "../domain/errors.ts";
import type { Json } from "../domain/json.ts";
import {
  LOG_RECORD_BYTES_MAX,
  type LogArrival,
  type LogGroup,
  logGroups,
  recordJson,
  resourceJson,
  scopeJson,
} from "../domain/log-record.ts";
import type { Clock } from "../domain/time.ts";
import type { Journal } from "../storage/journal.ts";
import { BODY_BYTES_MAX, type Body, inflate, parse } from "./admission.ts";
import { INLINE_BYTES_MAX } from "./capture.ts";
import { logGroupsOfProtobuf } from "./otlp.ts";

/**
 * UTF-8 bytes of one request's records as they are stored: each carries its resource's
 * attributes, so that they may be thousands of times the body. What goes beyond is rejected.
 */
export const LOGS_BYTES_MAX = 67_108_864;

/** An ExportLogsServiceRequest (OTLP 1.7) as it was received. */
export type LogsBody = Body & { form: "json" | "protobuf" };

/** What a request holds, ready for the journal. */
export type LogAdmission = {
  count: number;
  /** NDJSON of the records, one a line. */
  lines: Uint8Array;
  /** How many records were too large, or were no records (decision 36). */
  rejected: number;
};

/** The thread that decodes large bodies. */
export type LogDecoder = { admitLogs(body: LogsBody, now: number): Promise<LogAdmission> };

type Needs = {
  journal: Pick<Journal, "append">;
  decoder: LogDecoder;
  now: Clock;
  newUuid: () => string;
  /** Called when records are in the journal. */
  onAccepted: () => void;
};

/** Accepts log records. */
export type Logs = {
  /**
   * Admits a request's records; when it resolves they are durable (decision 2). Fails as
   * {@link admitLogs} does, and `unavailable` when the disk refuses.
   */
  accept(project: number, body: LogsBody): Promise<{ accepted: number; rejected: number }>;
};

/** Logs on a journal. */
export function logs({ journal, decoder, now, newUuid, onAccepted }: Needs): Logs {
  return {
    async accept(project, body) {
      const arrived = now();
      const admission =
        admittedHere(body, { now: arrived, newUuid }) ?? (await decoder.admitLogs(body, arrived));
      const { count, lines, rejected } = admission;
      if (count > 0) {
        const entry = { project_id: project, arrived_at: arrived, count, lines };
        await journal.append({ kind: "logs", ...entry });
        onAccepted();
      }
      return { accepted: count, rejected };
    },
  };
}

type Limits = { inflatedBytesMax: number; storedBytesMax: number };

const LIMITS: Limits = { inflatedBytesMax: BODY_BYTES_MAX, storedBytesMax: LOGS_BYTES_MAX };

/** What is done on the server's thread; a few milliseconds of work. */
const LIMITS_HERE: Limits = {
  inflatedBytesMax: INLINE_BYTES_MAX,
  storedBytesMax: 8 * INLINE_BYTES_MAX,
};

/**
 * Decodes and admits a body: pure work on bytes, done on the server's thread for small bodies
 * and on the decoder's for large ones. Fails `invalid_payload` or `payload_too_large`.
 */
export function admitLogs(body: LogsBody, arrival: LogArrival, limits = LIMITS): LogAdmission {
  const lines: string[] = [];
  let left = limits.storedBytesMax;
  let rejected = 0;
  const add = (record: Json, shared: string) => {
    // Not even put together if it cannot fit: there may be millions of them.
    const fits = shared.length < Math.min(left, LOG_RECORD_BYTES_MAX);
    const own = fits ? recordJson(record, arrival) : undefined;
    const line = `{${own},${shared}}\n`;
    const bytes = own === undefined ? 0 : Buffer.byteLength(line);
    // A request that is full stays so.
    if (bytes > left) left = 0;
    if (bytes === 0 || bytes > Math.min(left, LOG_RECORD_BYTES_MAX)) {
      rejected += 1;
      return;
    }
    left -= bytes;
    lines.push(line);
  };
  const shared = sharedJson();
  for (const { resource, scope, records } of groupsOf(body, limits)) {
    for (const record of records) add(record, shared(resource, scope));
  }
  return { count: lines.length, lines: new TextEncoder().encode(lines.join("")), rejected };
}

/** The JSON of what records share, made once for all records of a resource or scope. */
function sharedJson() {
  let ofResource: { resource: Json; json: string } | undefined;
  let ofScope: { scope: Json; json: string } | undefined;
  return (resource: Json, scope: Json): string => {
    if (ofResource?.resource !== resource) {
      ofResource = { resource, json: resourceJson(resource) };
      ofScope = undefined;
    }
    if (ofScope?.scope !== scope) {
      ofScope = { scope, json: `${ofResource.json},${scopeJson(scope)}` };
    }
    return ofScope.json;
  };
}

/** Admits a small body at once; undefined if it is large, or turns out so. */
function admittedHere(body: LogsBody, arrival: LogArrival): LogAdmission | undefined {
  if (body.bytes.length > INLINE_BYTES_MAX) return undefined;
  try {
    const admission = admitLogs(body, arrival, LIMITS_HERE);
    return admission.rejected === 0 ? admission : undefined;
  } catch (error) {
    if (error instanceof Failure && error.code === "payload_too_large") return undefined;
    throw error;
  }
}

function groupsOf(body: LogsBody, { inflatedBytesMax }: Limits): Iterable<LogGroup> {
  const bytes = inflate(body, inflatedBytesMax);
  return body.form === "json" ? logGroups(parse(bytes)) : logGroupsOfProtobuf(bytes);
}
