import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Restore } from "../../core/ports/archive.ts";
import type { JournalGaps, SeqGap } from "../../core/ports/journal.ts";
import type { Log } from "../../core/ports/log.ts";
import { readRows } from "../../stores/archive/gap-rows.ts";
import { EVENTS_DIRECTORY } from "../../stores/duckdb/engine/duckdb.ts";
import { quarantinedIn } from "../../stores/duckdb/events/quarantine.ts";
import { lostNumbers } from "../../stores/journal/lost-numbers.ts";
import type { OpenedStore } from "./open-event-store.ts";

/** Recovers or reports events that the journal has lost. */
export type GapRecovery = {
  /** Returns the gaps of the journal above `after` and up to `upTo`. */
  gapsOf(range: { after: number; upTo: number }): Promise<SeqGap[]>;
  /** Adds the rows of gaps above `after` to the event store, from a quarantined event store that has them. */
  recoverGaps(after: number): Promise<void>;
  /** Returns whether a quarantined event store could not be read. */
  isUnread(): boolean;
  /** Logs once the gaps within the journal that no store has; after `recoverGaps` in a rebuild (decision 132). */
  reportLost(): Promise<void>;
  /** Returns the number of sequence numbers that were reported, by this start or an earlier one. */
  count(): number;
};

type Needs = {
  /** The data directory. */
  directory: string;
  memory_bytes: number;
  journalGaps: JournalGaps;
  /** The last sequence number of the journal. */
  lastSeq: number;
  /** The last sequence number that the journal is known to have had; above `lastSeq` if its end is lost. */
  noted: number;
  store: Pick<OpenedStore, "applied">;
  restore: Pick<Restore, "add">;
  log: Log;
};

/** The file with the numbers that the journal has lost. */
const JOURNAL_LOST = "journal.lost";

/** Recovers events in gaps of the journal from the event store that a rebuild replaces (decision 64). */
export function gapRecovery(needs: Needs): GapRecovery {
  const { journalGaps, lastSeq, noted, restore, log, ...source } = needs;
  const { directory } = source;
  let isUnread = false;
  /** Up to this number an event store has all events, or had them. */
  let { applied } = needs.store;
  let isReported = false;
  const lost = lostNumbers(join(directory, JOURNAL_LOST));

  const report = ({ first, last }: SeqGap) => {
    if (lost.has({ first, last })) return;
    lost.add({ first, last });
    log.error(LOST, { first, last, count: last - first + 1 });
  };
  // At once: new events get these numbers again, and replace the note.
  if (noted > lastSeq) report({ first: lastSeq + 1, last: noted });

  const gapsOf = (range: { after: number; upTo: number }) =>
    gapsIn(journalGaps, { ...range, end: lastSeq });

  const recoverFrom = async (file: string, gaps: readonly SeqGap[]): Promise<number> => {
    const { files, damage, applied: last } = await readRows(file, gaps, source);
    const recovered = { events: 0, logs: 0 };
    try {
      for (const part of files) {
        await restore.add(part);
        recovered[part.kind] += part.rows;
      }
    } finally {
      for (const { path } of files) await rm(path, { force: true });
    }
    const name = basename(file);
    const rows = recovered.events + recovered.logs;
    if (rows > 0) log.warn("recovered gaps of the journal", { file: name, ...recovered });
    if (damage === undefined) {
      applied = Math.max(applied, last);
    } else {
      isUnread = true;
      log.error("quarantined event store is unreadable; gaps of the journal may be in it", {
        file: name,
        error: damage,
      });
    }
    return rows;
  };

  return {
    isUnread: () => isUnread,
    gapsOf,
    async recoverGaps(after) {
      const quarantined = quarantinedIn(join(directory, EVENTS_DIRECTORY));
      const gaps = quarantined.length > 0 ? await gapsOf({ after, upTo: lastSeq }) : [];
      if (gaps.length === 0) return;
      // The newest file that has rows is the last complete one. Older files are of another time.
      for (const file of quarantined) {
        if ((await recoverFrom(file, gaps)) > 0) return;
      }
    },
    async reportLost() {
      if (isReported) return;
      for (const gap of await gapsOf({ after: applied, upTo: lastSeq })) report(gap);
      isReported = true;
    },
    count: lost.count,
  };
}

/** A failed sync of the journal leaves a gap as well, but its requests were never acknowledged. */
const LOST =
  "sequence numbers missing from journal and stores; events lost unless rejected earlier";

/** Returns the gaps in a range of a journal that ends with `end`. A frame may go beyond the range. */
async function gapsIn(
  journalGaps: JournalGaps,
  { after, upTo, end }: { after: number; upTo: number; end: number },
): Promise<SeqGap[]> {
  const all: SeqGap[] = [];
  for (let at = after; at < Math.min(upTo, end); ) {
    const found = await journalGaps.find({ after: at, upTo: end });
    all.push(...found.gaps);
    at = found.last;
  }
  return all
    .map(({ first, last }) => ({ first: Math.max(first, after + 1), last: Math.min(last, upTo) }))
    .filter(({ first, last }) => first <= last);
}
