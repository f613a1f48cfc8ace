import {
  AI_EVENT_BYTES_MAX,
  type Arrival,
  admit,
  type CapturedEvent,
  type ChangeReason,
  type DropReason,
  EVENT_BYTES_MAX,
  type Outcome,
  refused,
} from "../events/event.ts";
import { hasUnreadBeside } from "../events/event-fields.ts";
import { type LimitViolation, limitViolationOf, MARK } from "../events/json-limits.ts";
import { Failure } from "../values/failure.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { parseEventTime } from "../values/time.ts";
import { type Warning, warningTally } from "../warnings/warning.ts";
import { addAll, type Sender } from "./additions.ts";
import type { DailySalts } from "./cookieless.ts";
import type { CountryOf } from "./country.ts";
import { BODY_BYTES_MAX, decompress, type EncodedBody } from "./decode-body.ts";
import { fromV1 } from "./event-v1.ts";
import { type RequestHints, readSubmission, type Submission } from "./read-body.ts";

/**
 * How a path reads a body: `events` as in contract 4.5, `ai` the same with larger events, `engage` sets
 * properties without an event name, `v1` answers for each event (decision 33).
 */
export type Protocol = "events" | "ai" | "engage" | "v1";

/** A capture body as it was received, with the other data of its request. */
export type Body = EncodedBody & {
  hints: RequestHints;
  protocol: Protocol;
  /** v1's `PostHog-Sdk-Info`; empty elsewhere. */
  sdk: string;
};

/** The events of a body, ready for the journal once the project of the key is known. */
export type Admission = {
  key: string;
  historical: boolean;
  count: number;
  /** The admitted events as NDJSON. */
  lines: Uint8Array;
  /** Number of its events that are not stored. */
  dropped: number;
  /** Reasons of the events that are not stored. */
  warnings: Warning[];
  /** v1's results in JSON, by uuid; empty elsewhere. */
  results: string;
};

type Arrived = {
  now: number;
  salts: DailySalts;
  newUuid: () => string;
  countryOf: CountryOf;
  inflatedBytesMax?: number;
  /** Runs a garbage collection after a large amount of garbage. */
  collect?: () => void;
};

/**
 * Decodes a body and admits its events. It has no side effects, and runs on the main thread for small
 * bodies and on the decode worker for large ones. Fails `invalid_payload`, `invalid_api_key`,
 * `payload_too_large` or `unsupported_media_type`.
 */
export function admitBody(body: Body, arrived: Arrived): Admission {
  const bytes = decompress(body, arrived.inflatedBytesMax ?? BODY_BYTES_MAX);
  const submission = readSubmission(bytes, body.hints);
  const { sentAt, historical } = submission;
  const isSentAtGiven = (submission.envelope["sent_at"] ?? body.hints.sentAtText ?? null) !== null;
  const isSentAtInvalid = sentAt === undefined && isSentAtGiven;
  const report = body.protocol === "v1" ? v1Report(submission.envelope) : undefined;
  const sender = senderOf(body.hints, submission, arrived);
  const arrival = {
    now: arrived.now,
    newUuid: arrived.newUuid,
    sentAt,
    isSentAtInvalid,
    bytesMax: body.protocol === "ai" ? AI_EVENT_BYTES_MAX : EVENT_BYTES_MAX,
    add: (event: CapturedEvent, raw: JsonObject, changes: ChangeReason[]) =>
      addAll(event, sender, changes, raw),
  };
  const warnings = warningTally();
  const lines = ndjsonBuffer(bytes.length, arrived.collect);
  let dropped = 0;
  const key = submission.each((raw, mark, count) => {
    const first =
      mark === 0 ? outcomeOf(raw, body, arrival) : markedOutcome(raw, mark, body, arrival);
    const outcome = report?.isRepeated(first) ? refused("duplicate_uuid", raw) : first;
    report?.add(raw, outcome, count);
    const { uuid: event_uuid, distinct_id } = outcome;
    if ("dropped" in outcome) {
      dropped += count;
      warnings.add({ type: outcome.dropped, count, event_uuid, distinct_id });
      return;
    }
    lines.add(withChanges(outcome));
  });
  const beside = besideBatch(submission.envelope);
  if (beside !== undefined) warnings.add({ ...beside, count: 1 });
  if (beside?.type === "invalid_event") dropped += 1;
  return {
    key,
    historical,
    count: lines.count(),
    lines: lines.bytes(),
    dropped,
    warnings: warnings.all(),
    results: report?.text() ?? "",
  };
}

/** The warning about an event, or other fields that are not read, next to the list of events. */
function besideBatch(envelope: JsonObject): Omit<Warning, "count"> | undefined {
  if (envelope["batch"] === undefined) return undefined;
  const isEvent = (envelope["event"] ?? null) !== null;
  if (!(isEvent || hasUnreadBeside(envelope))) return undefined;
  const { uuid: event_uuid, distinct_id } = refused("invalid_event", envelope);
  return { type: isEvent ? "invalid_event" : "ignored_event_field", event_uuid, distinct_id };
}

/** The sender of the events of a request. The address of a client that imports events is not that of their senders. */
function senderOf(
  { client = {}, geoip }: RequestHints,
  { historical, keyOf }: Submission,
  { countryOf, salts }: Arrived,
): Sender {
  const { address, userAgent } = historical ? {} : client;
  const countries = geoip && { client: historical ? undefined : geoip.country, countryOf };
  return { countries, salts, address, userAgent, keyOf };
}

/** The journal line of an event with its changes, so that only a stored event is reported (decision 38). */
function withChanges({ line, changes }: { line: string; changes: ChangeReason[] }): string {
  return changes.length === 0 ? line : `${line.slice(0, -1)},"changed":${JSON.stringify(changes)}}`;
}

const DROP_REASONS: Record<LimitViolation, DropReason> = {
  depth: "event_nested_too_deep",
  keys: "event_has_too_many_keys",
  nodes: "message_size_too_large",
};

/** The outcome for an event that the scan has marked. */
function markedOutcome(raw: Json, mark: number, body: Body, arrival: Arrival): Outcome {
  const violation = limitViolationOf(mark);
  if (violation !== undefined) return refused(DROP_REASONS[violation], raw);
  const outcome = outcomeOf(raw, body, arrival);
  if ("line" in outcome) {
    if (mark & MARK.overflow) outcome.changes.push("replaced_infinite_number");
    if (mark & MARK.rounded) outcome.changes.push("rounded_unsafe_integer");
    if (mark & MARK.text) outcome.changes.push("replaced_invalid_text");
  }
  return outcome;
}

function outcomeOf(raw: Json, { protocol, sdk }: Body, arrival: Arrival): Outcome {
  if (protocol === "events" || protocol === "ai" || !isObject(raw)) return admit(raw, arrival);
  const read = eventOf(raw, protocol, sdk);
  return "dropped" in read ? refused(read.dropped, raw) : admit(read.raw, arrival);
}

function eventOf(raw: JsonObject, protocol: Protocol, sdk: string): ReturnType<typeof fromV1> {
  if (protocol === "v1") return fromV1(raw, sdk);
  // Mixpanel's `engage` requests have no event name.
  const isUnnamed = protocol === "engage" && (raw["event"] ?? null) === null;
  return { raw: isUnnamed ? { ...raw, event: "$identify" } : raw };
}

/** Characters of a uuid, as it was sent, that names a result. */
const UUID_CHARS_MAX = 100;

/**
 * Builds v1's answer: a result for each uuid as it was sent, and for an event without one by its place, such as
 * `batch[3]`. Fails `invalid_payload` without `created_at` or `batch`.
 */
function v1Report(envelope: JsonObject) {
  const createdAt = envelope["created_at"];
  if (typeof createdAt !== "string" || parseEventTime(createdAt) === undefined) {
    throw new Failure("invalid_payload", "`created_at` must be a time.", "created_at");
  }
  if (envelope["batch"] === undefined) {
    throw new Failure("invalid_payload", "`batch` must be a list of events.", "batch");
  }
  const stored = new Set<string | null>();
  const results = new Map<string, V1Result>();
  let index = 0;
  return {
    /** Whether an event of the same batch with its uuid is stored already. */
    isRepeated: (outcome: Outcome) => "line" in outcome && stored.has(outcome.uuid),
    /** Adds the outcome of an item, or of `count` items without a key. */
    add(raw: Json, outcome: Outcome, count: number): void {
      if ("line" in outcome) stored.add(outcome.uuid);
      const uuid = isObject(raw) ? raw["uuid"] : undefined;
      const isName = typeof uuid === "string" && uuid !== "" && uuid.length <= UUID_CHARS_MAX;
      const name = isName ? uuid : `batch[${index}]`;
      index += count;
      const result = resultOf(outcome);
      const before = results.get(name);
      // Of two events under one name, the sender learns that not both are as they were sent.
      const isMixed = before !== undefined && before.result !== result.result;
      results.set(name, isMixed ? { ...before, ...result, result: "warning" } : result);
    },
    text: () => JSON.stringify({ results: Object.fromEntries(results) }),
  };
}

type V1Result = { result: "ok" | "warning" | "drop"; details?: string };

function resultOf(outcome: Outcome): V1Result {
  if ("dropped" in outcome) return { result: "drop", details: outcome.dropped };
  const [change] = outcome.changes;
  return change === undefined ? { result: "ok" } : { result: "warning", details: change };
}

/** Characters of lines that are kept as texts before they are encoded, to save memory. */
const TEXT_CHARS_MAX = 1_048_576;

/** Size of the buffer as a share of a large body; its unused pages take no memory. */
const BUFFER_SHARE = 1.25;

const encoder = new TextEncoder();

/** Collects lines as UTF-8, each ended by a line feed. */
export type NdjsonBuffer = {
  add(line: string): void;
  count(): number;
  /** Returns all lines; may be called once. */
  bytes(): Uint8Array;
};

/**
 * Collects the lines of a body of `bodyBytes`. Their texts are garbage once they are encoded, so
 * `collect` is called after each TEXT_CHARS_MAX characters.
 */
export function ndjsonBuffer(bodyBytes: number, collect: () => void = () => {}): NdjsonBuffer {
  let whole = new Uint8Array();
  let used = 0;
  let texts: string[] = [];
  let chars = 0;
  let count = 0;

  const encoded = (): Uint8Array => {
    const part = encoder.encode(texts.join(""));
    texts = [];
    chars = 0;
    return part;
  };

  const put = (part: Uint8Array): void => {
    const needed = used + part.length;
    if (needed > whole.length) {
      const larger = new Uint8Array(Math.max(bodyBytes * BUFFER_SHARE, needed * 2));
      larger.set(whole.subarray(0, used));
      whole = larger;
    }
    whole.set(part, used);
    used = needed;
  };

  return {
    add(line) {
      texts.push(line, "\n");
      count += 1;
      chars += line.length;
      if (chars < TEXT_CHARS_MAX) return;
      put(encoded());
      collect();
    },
    count: () => count,
    bytes() {
      if (used === 0) return encoded();
      put(encoded());
      return whole.subarray(0, used);
    },
  };
}
