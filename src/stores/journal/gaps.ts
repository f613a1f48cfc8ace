import type { JournalGaps, JournalReader, SeqGap } from "../../core/ports/journal.ts";
import type { Disk } from "../files/disk.ts";
import { quarantinedParts } from "./reader.ts";
import { claimsIn, lastSeq } from "./segment.ts";

/**
 * Finds gaps of the journal: numbers that it lost or never had. `journal` must be a reader of its own,
 * because each call moves its position.
 */
export function journalGaps(
  journal: JournalReader,
  place: { disk: Pick<Disk, "list" | "read">; directory: string },
): JournalGaps {
  /** Numbers of lost warnings, read from the copies of damaged parts: no event is lost with them. */
  const warnings = (): SeqGap[] =>
    quarantinedParts(place)
      .flatMap(claimsIn)
      .filter(({ isWarnings }) => isWarnings)
      .map((claim) => ({ first: claim.first_seq, last: lastSeq(claim) }));

  return {
    /**
     * Returns the gaps above `after` and up to `last`. Each call reads a part of the journal, so `last`
     * may be below `upTo`.
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

/** Returns the parts of a gap that are in none of the other ranges. */
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
