import { gunzipSync } from "node:zlib";
import { Failure } from "../domain/errors.ts";
import { admit } from "../domain/event.ts";
import {
  exceedsLimits,
  isObject,
  JSON_DEPTH_MAX,
  type Json,
  OBJECT_KEYS_MAX,
} from "../domain/json.ts";
import { readSubmission } from "../domain/submission.ts";
import { parseUuid } from "../domain/uuid.ts";
import type { Warning } from "../domain/warning.ts";

/** Bytes of a capture body, as it is sent and again as it is inflated (contract 8). */
export const BODY_BYTES_MAX = 20_971_520;

/** A capture body as it was received. */
export type Body = {
  bytes: Uint8Array;
  /** The `Content-Encoding`, lower case; empty without one. */
  encoding: string;
};

/** What a body holds, ready for the journal once its key is known. */
export type Admission = {
  key: string;
  historical: boolean;
  count: number;
  /** NDJSON of the admitted events, one a line. */
  lines: Uint8Array;
  /** How many of its events are not stored. */
  dropped: number;
  /** What happened to events that were dropped or changed; one for each reason. */
  warnings: Warning[];
};

type Arrived = { now: number; newUuid: () => string; inflatedBytesMax?: number };

/**
 * Decodes and admits a body: pure work on bytes, done on the server's thread for small bodies
 * and on the decoder's for large ones. Fails `invalid_payload`, `invalid_api_key` or
 * `payload_too_large`.
 */
export function admitBody(body: Body, arrived: Arrived): Admission {
  const bytes = inflate(body, arrived.inflatedBytesMax ?? BODY_BYTES_MAX);
  const { key, items, sentAt, historical } = readSubmission(parse(bytes));
  let dropped = 0;
  const warnings = new Map<string, Warning>();
  const warn = (type: Warning["type"], sample: () => Sample) => {
    const known = warnings.get(type);
    if (known === undefined) warnings.set(type, { type, count: 1, ...sample() });
    else known.count += 1;
  };
  const lines: string[] = [];
  for (const item of items) {
    const outcome = admit(item, { ...arrived, sentAt });
    if ("dropped" in outcome) {
      warn(outcome.dropped, () => sampleOf(item));
      dropped += 1;
      continue;
    }
    lines.push(outcome.line, "\n");
    for (const change of outcome.changes) warn(change, () => sampleOf(JSON.parse(outcome.line)));
  }
  return {
    key,
    historical,
    count: lines.length / 2,
    lines: new TextEncoder().encode(lines.join("")),
    dropped,
    warnings: [...warnings.values()],
  };
}

type Sample = Pick<Warning, "event_uuid" | "distinct_id">;

/** What a warning shows of an event, stored or not. */
function sampleOf(item: Json): Sample {
  const event = isObject(item) ? item : {};
  const properties = isObject(event["properties"]) ? event["properties"] : {};
  const id = event["distinct_id"] ?? properties["distinct_id"] ?? null;
  const { uuid } = event;
  return {
    event_uuid: typeof uuid === "string" ? (parseUuid(uuid) ?? null) : null,
    distinct_id: typeof id === "string" && id.trim() !== "" ? id : null,
  };
}

/**
 * Gzip by its magic bytes, whatever the headers say: SDKs lose the header on the way. Stops at
 * the cap, so that a bomb costs no more than a large body.
 */
export function inflate({ bytes, encoding }: Body, bytesMax: number): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    if (encoding !== "" && encoding !== "identity" && encoding !== "gzip") {
      throw new Failure("unsupported_media_type", "The Content-Encoding is not supported.");
    }
    return bytes;
  }
  try {
    return gunzipSync(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
      throw tooLarge();
    }
    throw new Failure("invalid_payload", "The body is not valid gzip.");
  }
}

/** The refusal of a body over the cap, compressed or not. */
export function tooLarge(): Failure {
  return new Failure("payload_too_large", `The body is larger than ${BODY_BYTES_MAX} bytes.`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON in a body's bytes, if it keeps to the limits (decision 8). Fails `invalid_payload`. */
export function parse(bytes: Uint8Array): Json {
  const exceeded = exceedsLimits(bytes);
  if (exceeded === "depth") {
    throw new Failure("invalid_payload", `The JSON is nested deeper than ${JSON_DEPTH_MAX}.`);
  }
  if (exceeded === "keys") {
    throw new Failure("invalid_payload", `An object has more than ${OBJECT_KEYS_MAX} keys.`);
  }
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Failure("invalid_payload", "The body is not valid JSON in UTF-8.");
  }
}
