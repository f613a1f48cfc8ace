import { lastSeq } from "./journal-frame.ts";
import type { JournalReader } from "./journal-reader.ts";

/** Sequence numbers, from `first` to `last`, of which the journal has nothing. */
export type Hole = { first: number; last: number };

/**
 * Finds what the journal has nothing of: what it lost, and what was never in it. Its reader must be
 * for this alone, so that nobody else's place is lost.
 */
export function journalHoles(journal: JournalReader) {
  return {
    /**
     * Holes above `after` and up to `last`, which is at most `upTo`: each call reads a part of the
     * journal, and from its end another one goes on.
     */
    async find({ after, upTo }: { after: number; upTo: number }) {
      const holes: Hole[] = [];
      let last = after;
      const pass = (before: number) => {
        if (before > last + 1) holes.push({ first: last + 1, last: before - 1 });
      };
      const frames = journal.read({ after, upTo, eventsMax: Number.POSITIVE_INFINITY });
      for (const frame of frames) {
        pass(frame.first_seq);
        last = lastSeq(frame);
      }
      if (frames.length > 0) return { holes, last };
      pass(upTo + 1);
      journal.close();
      return { holes, last: upTo };
    },
  };
}

/** The surface of {@link journalHoles} for other threads. */
export type JournalHoles = ReturnType<typeof journalHoles>;
