import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Log } from "./log.ts";
import { EVENTS_DIRECTORY } from "./storage/duckdb.ts";
import { asidesIn } from "./storage/event-file.ts";
import type { Hole, JournalHoles } from "./storage/journal-holes.ts";
import { takeRows } from "./storage/lost-rows.ts";
import type { Restore } from "./storage/restore.ts";

/** What was lost from the journal, and is sought elsewhere. */
export type LostEvents = {
  /** Puts it into the event store that is filled, where one that was set aside has it. */
  take(): Promise<void>;
  /** Whether one that was set aside could not be read whole. */
  isUnread(): boolean;
};

type Needs = {
  /** The data directory. */
  directory: string;
  memory_bytes: number;
  holes: JournalHoles;
  /** The last sequence numbers of the archive and of the journal. */
  range: { after: number; upTo: number };
  restore: Pick<Restore, "add">;
  log: Log;
};

/**
 * What the journal has lost of the events that are not archived is taken from the event store that is
 * made anew, as it was set aside (decision 69).
 */
export function lostEvents({ holes, range, restore, log, ...place }: Needs): LostEvents {
  const { directory } = place;
  let isUnread = false;

  const takeFrom = async (file: string, lost: readonly Hole[]): Promise<number> => {
    const { files, damage } = await takeRows(file, lost, place);
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
    const count = taken.events + taken.logs;
    if (count > 0) {
      const message = "what the journal has lost was taken from the event store that was set aside";
      log.warn(message, { file: name, ...taken });
    }
    if (damage !== undefined) {
      isUnread = true;
      const message =
        "an event store that was set aside cannot be read whole: what the journal has lost, too, may be in it";
      log.error(message, { file: name, error: damage });
    }
    return count;
  };

  return {
    isUnread: () => isUnread,
    async take() {
      const asides = asidesIn(join(directory, EVENTS_DIRECTORY));
      if (asides.length === 0) return;
      const lost = await allHoles(holes, range);
      if (lost.length === 0) return;
      // One that is behind another is of another time, or was killed before it had anything.
      for (const file of asides) if ((await takeFrom(file, lost)) > 0) return;
    },
  };
}

async function allHoles(holes: JournalHoles, { after, upTo }: Needs["range"]): Promise<Hole[]> {
  const all: Hole[] = [];
  for (let at = after; at < upTo; ) {
    const found = await holes.find({ after: at, upTo });
    all.push(...found.holes);
    at = found.last;
  }
  return all;
}
