import { Failure } from "../domain/errors.ts";
import type { Clock } from "../domain/time.ts";
import type { Entry, Journal } from "../storage/journal.ts";
import { type Admission, admitBody, type Body } from "./admission.ts";
import type { Projects } from "./projects.ts";

/** Bodies larger than this, sent or inflated, are decoded on a thread of their own. */
export const INLINE_BYTES_MAX = 262_144;

/** How long a refusal counts, in milliseconds: nobody may be sending, to show that it is over. */
const REFUSED_MS = 15_000;

/** The thread that decodes large bodies. */
export type Decoder = { admit(body: Body, now: number): Promise<Admission> };

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
  /** Called when events are in the journal. */
  onAccepted: () => void;
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
  /** Events dropped and changed since the start, by reason. */
  counts(): Record<string, number>;
};

/** Capture on a journal. */
export function capture(needs: Needs): Capture {
  const { journal, projects, now, onAccepted } = needs;
  const counts: Record<string, number> = {};
  let refusedAt = Number.NEGATIVE_INFINITY;
  const append = async (entry: Entry) => {
    try {
      await journal.append(entry);
      refusedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      refusedAt = now();
      throw error;
    }
  };
  return {
    async accept(body) {
      const arrived = now();
      const admission =
        decodedHere(body, arrived, needs) ?? (await needs.decoder.admit(body, arrived));
      const project = projects.ofKey(admission.key);
      if (project === undefined) {
        throw new Failure("invalid_api_key", "The project API key is not known here.", "api_key");
      }
      const { historical, count: accepted, lines } = admission;
      if (accepted > 0) {
        const entry = {
          kind: historical ? ("historical" as const) : ("events" as const),
          project_id: project,
          arrived_at: arrived,
          count: accepted,
          lines,
        };
        await append(entry);
        onAccepted();
      }
      for (const { type, count: times } of admission.warnings) {
        counts[type] = (counts[type] ?? 0) + times;
      }
      const { dropped, results } = admission;
      return { accepted, dropped, results };
    },
    refusing: () => now() - refusedAt < REFUSED_MS,
    counts: () => ({ ...counts }),
  };
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
