import type { JournalGaps, JournalReader, SeqGap } from "../../core/ports/journal.ts";
import type { Disk } from "../files/disk.ts";
import { keptParts } from "./reader.ts";
import { claimsIn, lastSeq } from "./segment.ts";

/**
 * Finds what the journal has nothing of: what it lost, and what was never in it. Its reader must be
 * for this alone, so that nobody else's place is lost.
 */
export function journalGaps(
  journal: JournalReader,
  place: { disk: Pick<Disk, "list" | "read">; directory: string },
): JournalGaps {
  /** Numbers of lost warnings, which are no events, as far as what is kept of damaged parts says. */
  const warnings = (): SeqGap[] =>
    keptParts(place)
      .flatMap(claimsIn)
      .filter(({ isWarnings }) => isWarnings)
      .map((claim) => ({ first: claim.first_seq, last: lastSeq(claim) }));

  return {
    /**
     * Holes above `after` and up to `last`, which is at most `upTo`: each call reads a part of the
     * journal, and from its end another one goes on.
     */
    async find({ after, upTo }: { after: number; upTo: number }) {
      const gaps: SeqGap[] = [];
      let last = after;
      const pass = (before: number) => {
        if (before > last + 1) gaps.push({ first: last + 1, last: before - 1 });
      };
      const frames = journal.read({ after, upTo, eventsMax: Number.POSITIVE_INFINITY });
      for (const frame of frames) {
        pass(frame.first_seq);
        last = lastSeq(frame);
      }
      if (frames.length === 0) {
        pass(upTo + 1);
        journal.close();
        last = upTo;
      }
      const others = gaps.length === 0 ? [] : warnings();
      return { gaps: gaps.flatMap((gap) => without(gap, others)), last };
    },
  };
}

/** What of a gap is in none of some others. */
function without(gap: SeqGap, others: readonly SeqGap[]): SeqGap[] {
  return others.reduce(
    (left: SeqGap[], { first, last }) =>
      left
        .flatMap((of) => [
          { first: of.first, last: Math.min(of.last, first - 1) },
          { first: Math.max(of.first, last + 1), last: of.last },
        ])
        .filter((of) => of.first <= of.last),
    [gap],
  );
}
