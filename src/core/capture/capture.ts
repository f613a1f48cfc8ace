import { unknownProjectKey } from "../access/key.ts";
import type { Projects } from "../access/projects.ts";
import { responseDelayMs } from "../ingest/backpressure.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Entry, Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import { Failure, type FailureCode } from "../values/failure.ts";
import type { Clock } from "../values/time.ts";
import { warningAppender } from "../warnings/warning.ts";
import { type Admission, admitBody, type Body } from "./admit-body.ts";
import type { DailySalts } from "./cookieless.ts";
import type { CountryOf } from "./country.ts";
import type { EncodedBody } from "./decode-body.ts";

/** Bodies larger than this, as sent or inflated, are decoded by the decode worker. */
export const INLINE_BYTES_MAX = 262_144;

/** Time for which a refusal of the disk counts, in milliseconds, if no later event is accepted. */
const REFUSED_MS = 15_000;

/**
 * Time without a refusal after which an accepted event ends the refusal, in milliseconds: a full disk
 * still has space for a small event at times.
 */
const CALM_MS = 2000;

/** The worker that decodes large bodies. */
export type Decoder = {
  admit(body: Body, now: number, salts: DailySalts): Promise<Admission>;
  /** Counts the bytes of a body and of its lines that became garbage. */
  releaseBytes(bytes: number): void;
};

/** Result of a capture request. */
export type Captured = {
  accepted: number;
  dropped: number;
  /** v1's answer; empty elsewhere. */
  results: string;
};

type Needs = {
  journal: Pick<Journal, "append">;
  projects: Pick<Projects, "ofKey">;
  decoder: Decoder;
  now: Clock;
  newUuid: () => string;
  countryOf: CountryOf;
  /** Returns the secrets of the days around now. */
  salts: () => DailySalts;
  ingest: Pick<Ingest, "wake" | "backlogMs">;
  /** Receives the durable events of each request; the sequence number is that of the last. */
  arrived: (project: number, events: ArrivedEvents) => void;
  log: Log;
};

/** Events of one request: the number of stored and dropped ones. */
type ArrivedEvents = { accepted: number; dropped: number; last_seq: number };

/** Accepts events (contract 4.5). */
export type Capture = {
  /**
   * Admits a body's events; when it resolves they are durable (decision 2). Events that lack a name or a
   * distinct id are dropped (contract 7). Fails as {@link admitBody} does, `invalid_api_key` for
   * a key that no project has, and `unavailable` when the disk refuses.
   */
  accept(body: Body): Promise<Captured>;
  /** Whether the journal has refused events and accepted none since, for at most REFUSED_MS. */
  isRejecting(): boolean;
  /** Counts a refused request. */
  refused(code: FailureCode): void;
  /** Returns counts since the start: accepted events by project, refused requests by code. */
  counts(): { accepted: Map<number, number>; refused: Map<FailureCode, number> };
};

/** Capture on a journal. */
export function capture(needs: Needs): Capture {
  const { journal, projects, decoder, now, newUuid, countryOf, ingest } = needs;
  const counts = { accepted: new Map<number, number>(), refused: new Map<FailureCode, number>() };
  const warn = warningAppender(needs);
  let refusedAt = Number.NEGATIVE_INFINITY;
  const append = async (entry: Entry) => {
    try {
      const first_seq = await journal.append(entry);
      if (Math.abs(now() - refusedAt) >= CALM_MS) refusedAt = Number.NEGATIVE_INFINITY;
      return first_seq;
    } catch (error) {
      // Without a cause the limit of free space refused it, which readiness sees by itself.
      if (error instanceof Error && error.cause !== undefined) refusedAt = now();
      throw error;
    }
  };
  return {
    async accept(body) {
      const arrived_at = now();
      const sent = body.bytes.length;
      const salts = needs.salts();
      const inflatedBytesMax = INLINE_BYTES_MAX;
      const arrived = { now: arrived_at, newUuid, countryOf, salts, inflatedBytesMax };
      const inline = admittedInline(body, () => admitBody(body, arrived));
      // Only this name keeps the lines, which may be large, so they are freed during a delay.
      const { key, historical, count, lines, dropped, warnings, results } =
        inline ?? (await decoder.admit(body, arrived_at, salts));
      const project_id = projects.ofKey(key);
      if (project_id === undefined) throw unknownProjectKey(key, "api_key");
      const kind = historical ? "historical" : "events";
      // Both at once, so that one group commit has both; the events first, so that they fit.
      const accepted =
        count > 0 ? append({ kind, project_id, arrived_at, count, lines }) : undefined;
      const warned = warn(warnings, { project_id, arrived_at });
      const first_seq = (await accepted) ?? 0;
      await warned;
      if (inline === undefined) decoder.releaseBytes(sent + lines.length);
      ingest.wake();
      add(counts.accepted, project_id, count);
      needs.arrived(project_id, { accepted: count, dropped, last_seq: first_seq + count - 1 });
      const delayMs = responseDelayMs(ingest.backlogMs(count), count);
      if (delayMs > 0) await Bun.sleep(delayMs);
      return { accepted: count, dropped, results };
    },
    // The absolute value, because a clock that is set back must not prolong it.
    isRejecting: () => Math.abs(now() - refusedAt) < REFUSED_MS,
    refused: (code) => add(counts.refused, code, 1),
    counts: () => counts,
  };
}

function add<T>(counts: Map<T, number>, key: T, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Returns the admission of a small body; undefined for one that is large, as sent or inflated. */
export function admittedInline<T>({ bytes }: EncodedBody, admit: () => T): T | undefined {
  if (bytes.length > INLINE_BYTES_MAX) return undefined;
  try {
    return admit();
  } catch (error) {
    if (error instanceof Failure && error.code === "payload_too_large") return undefined;
    throw error;
  }
}
