import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Restore } from "../../core/ports/archive.ts";
import type { JournalGaps, SeqGap } from "../../core/ports/journal.ts";
import type { Log } from "../../core/ports/log.ts";
import { takeRows } from "../../stores/archive/gap-rows.ts";
import { EVENTS_DIRECTORY } from "../../stores/duckdb/engine/duckdb.ts";
import { quarantinedIn } from "../../stores/duckdb/events/quarantine.ts";
import type { OpenedStore } from "./open-event-store.ts";

/** What was lost from the journal, and is sought elsewhere. */
export type LostEvents = {
  /** What the journal has nothing of, above a sequence number and up to another. */
  holes(range: { after: number; upTo: number }): Promise<SeqGap[]>;
  /** Puts it into the event store that is filled so far, where one that was set aside has it. */
  take(after: number): Promise<void>;
  /** Whether one that was set aside could not be read whole. */
  isUnread(): boolean;
  /** Tells, once, of what no store has either; after `take`, if that is due (decision 132). */
  tell(): Promise<void>;
  /** How many sequence numbers of the journal it has told of. */
  count(): number;
};

type Needs = {
  /** The data directory. */
  directory: string;
  memory_bytes: number;
  holes: JournalGaps;
  /** The last sequence number of the journal. */
  range: { upTo: number };
  store: Pick<OpenedStore, "applied">;
  restore: Pick<Restore, "add">;
  log: Log;
};

/**
 * What the journal has lost of the events that are not archived is taken from the event store that is
 * made anew, as it was set aside (decision 64).
 */
export function lostEvents(needs: Needs): LostEvents {
  const { holes, range, restore, log, ...place } = needs;
  const { directory } = place;
  let isUnread = false;
  /** Up to here an event store has, or had, all that there ever was. */
  let { applied } = needs.store;
  let isTold = false;
  let count = 0;

  const holesIn = (among: { after: number; upTo: number }) =>
    allHoles(holes, { ...among, end: range.upTo });

  const takeFrom = async (file: string, lost: readonly SeqGap[]): Promise<number> => {
    const { files, damage, applied: last } = await takeRows(file, lost, place);
    const taken = { events: 0, logs: 0 };
    try {
      for (const part of files) {
        await restore.add(part);
        taken[part.kind] += part.rows;
      }
    } finally {
      for (const { path } of files) await rm(path, { force: true });
    }
    const name = basename(file);
    if (damage === undefined) applied = Math.max(applied, last);
    const rows = taken.events + taken.logs;
    if (rows > 0) {
      const message = "what the journal has lost was taken from the event store that was set aside";
      log.warn(message, { file: name, ...taken });
    }
    if (damage !== undefined) {
      isUnread = true;
      const message =
        "an event store that was set aside cannot be read whole: what the journal has lost, too, may be in it";
      log.error(message, { file: name, error: damage });
    }
    return rows;
  };

  return {
    isUnread: () => isUnread,
    holes: holesIn,
    async take(after) {
      const asides = quarantinedIn(join(directory, EVENTS_DIRECTORY));
      const lost = asides.length > 0 ? await holesIn({ after, ...range }) : [];
      if (lost.length === 0) return;
      // One that is behind another is of another time, or was killed before it had anything.
      for (const file of asides) {
        if ((await takeFrom(file, lost)) > 0) return;
      }
    },
    async tell() {
      if (isTold) return;
      for (const { first, last } of await holesIn({ after: applied, ...range })) {
        count += last - first + 1;
        log.error(LOST, { first, last, count: last - first + 1 });
      }
      isTold = true;
    },
    count: () => count,
  };
}

/** An append that the disk refused to sync leaves a gap, too, and nobody was told that it is stored. */
const LOST =
  "the journal has nothing of these sequence numbers, nor has any store that can be read whole: unless they were refused, the disk failing, events are lost";

/** Holes in a range of a journal that ends with `end`: a frame may have numbers within the range and behind it. */
async function allHoles(
  holes: JournalGaps,
  { after, upTo, end }: { after: number; upTo: number; end: number },
): Promise<SeqGap[]> {
  const all: SeqGap[] = [];
  for (let at = after; at < Math.min(upTo, end); ) {
    const found = await holes.find({ after: at, upTo: end });
    all.push(...found.gaps);
    at = found.last;
  }
  return all
    .map(({ first, last }) => ({ first: Math.max(first, after + 1), last: Math.min(last, upTo) }))
    .filter(({ first, last }) => first <= last);
}
