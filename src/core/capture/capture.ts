import type { Projects } from "../access/projects.ts";
import { responseDelayMs } from "../ingest/backpressure.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Entry, Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import { Failure, type FailureCode } from "../values/failure.ts";
import type { Clock } from "../values/time.ts";
import { warningAppender } from "../warnings/warnings.ts";
import { type Admission, admitBody, type Body } from "./admit-body.ts";

/** Bodies larger than this, sent or inflated, are decoded on a thread of their own. */
export const INLINE_BYTES_MAX = 262_144;

/** How long a refusal counts, in milliseconds: nobody may be sending, to show that it is over. */
const REFUSED_MS = 15_000;

/**
 * How long the disk may refuse nothing before something that is taken shows that it is over, in
 * milliseconds: into a full disk a small event still fits now and then.
 */
const CALM_MS = 2000;

/** The thread that decodes large bodies. */
export type Decoder = {
  admit(body: Body, now: number): Promise<Admission>;
  /** Told of the bytes of a body and of its lines, when nobody needs them any more. */
  releaseBytes(bytes: number): void;
};

/** What a capture request came to. */
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
  ingest: Pick<Ingest, "wake" | "backlogMs">;
  log: Log;
};

/** Accepts events (contract 4.5). */
export type Capture = {
  /**
   * Admits a body's events; when it resolves they are durable (decision 2). Events that lack a name or a
   * distinct id are dropped (contract 7). Fails as {@link admitBody} does, `invalid_api_key` for
   * a key that no project has, and `unavailable` when the disk refuses.
   */
  accept(body: Body): Promise<Captured>;
  /** Whether the journal refused events lately and has taken none since. */
  refusing(): boolean;
  /** Says that a request was refused; whoever answers it knows. */
  refused(code: FailureCode): void;
  /** Since the start: events accepted by project, requests refused by code. */
  counts(): { accepted: Map<number, number>; refused: Map<FailureCode, number> };
};

/** Capture on a journal. */
export function capture(needs: Needs): Capture {
  const { journal, projects, decoder, now, ingest } = needs;
  const counts = { accepted: new Map<number, number>(), refused: new Map<FailureCode, number>() };
  const warn = warningAppender(needs);
  let refusedAt = Number.NEGATIVE_INFINITY;
  let calmMs = 0;
  const append = async (entry: Entry) => {
    try {
      await journal.append(entry);
      if (Math.abs(now() - refusedAt) >= calmMs) refusedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      refusedAt = now();
      // What the floor refuses is over when there is room: the disk itself was not asked.
      calmMs = error instanceof Error && error.cause !== undefined ? CALM_MS : 0;
      throw error;
    }
  };
  return {
    async accept(body) {
      const arrived_at = now();
      const sent = body.bytes.length;
      const here = decodedHere(body, arrived_at, needs);
      // The lines may be many: nothing but this name has them, and nobody does while the answer is held.
      const { key, historical, count, lines, dropped, warnings, results } =
        here ?? (await decoder.admit(body, arrived_at));
      const project_id = projects.ofKey(key);
      if (project_id === undefined) {
        throw new Failure("invalid_api_key", "The project API key is not known here.", "api_key");
      }
      const kind = historical ? "historical" : "events";
      // Both at once, so that they are of one group; the events first, so that they find room.
      const accepted =
        count > 0 ? append({ kind, project_id, arrived_at, count, lines }) : undefined;
      const warned = warn(warnings, { project_id, arrived_at });
      await accepted;
      await warned;
      if (here === undefined) decoder.releaseBytes(sent + lines.length);
      ingest.wake();
      add(counts.accepted, project_id, count);
      const hold = responseDelayMs(ingest.backlogMs(count), count);
      if (hold > 0) await Bun.sleep(hold);
      return { accepted: count, dropped, results };
    },
    // A clock that was set back must not make it longer.
    refusing: () => Math.abs(now() - refusedAt) < REFUSED_MS,
    refused: (code) => add(counts.refused, code, 1),
    counts: () => counts,
  };
}

function add<T>(counts: Map<T, number>, key: T, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Decodes a small body at once; undefined if it is large, or turns out so when inflated. */
function decodedHere(body: Body, now: number, { newUuid }: Needs): Admission | undefined {
  if (body.bytes.length > INLINE_BYTES_MAX) return undefined;
  try {
    return admitBody(body, { now, newUuid, inflatedBytesMax: INLINE_BYTES_MAX });
  } catch (error) {
    if (error instanceof Failure && error.code === "payload_too_large") return undefined;
    throw error;
  }
}
