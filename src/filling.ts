import type { Settings } from "./config.ts";
import { giveUp } from "./damaged-archive.ts";
import type { OpenedStore } from "./event-store.ts";
import type { Log } from "./log.ts";
import { lostEvents } from "./lost-events.ts";
import { type RestoreProgress, restoring } from "./services/restoring.ts";
import type { Slices } from "./services/slices.ts";
import type { ArchiveFiles } from "./storage/archive-files.ts";
import { unlistedIn } from "./storage/archive-list.ts";
import type { EventStore } from "./storage/events.ts";
import type { JournalHoles } from "./storage/journal-holes.ts";
import { removeLoad } from "./storage/loads.ts";
import { restoreOf } from "./storage/restore.ts";

/** Bytes of the unit of the setting `memory`. */
const MB = 1_000_000;

type Filling = {
  log: Log;
  rebuild: boolean;
  /** Told how far the event store is filled, when it has to be. */
  onProgress: (progress: RestoreProgress) => void;
  store: OpenedStore;
  files: ArchiveFiles;
  /** What the journal begins and ends with. */
  first: number | undefined;
  last: number;
  eventsStored: EventStore;
};

/** What fills an event store that is made anew, and what is found of what the journal lost. */
export function fillingOf(
  { memory }: Settings,
  { directory, slices, holes }: { directory: string; slices: Slices; holes: JournalHoles },
  { store, files, first: journalFirst, last: upTo, eventsStored, onProgress, ...needs }: Filling,
) {
  const restore = restoreOf(store.duckdb, files);
  const memory_bytes = memory * MB;
  const range = { upTo };
  const { rebuild, log } = needs;
  const unlisted = store.unfilled ? unlistedIn(files.manifest()) : [];
  const among = { holes, range, unlisted };
  const lost = lostEvents({ directory, memory_bytes, ...among, store, restore, log });
  const filling = restoring({
    restore,
    archive: store.unfilled ? files : undefined,
    journalFirst,
    holes: lost.holes,
    takeLost: lost.take,
    tellLost: lost.tell,
    slices,
    events: eventsStored,
    removeLoad,
    onProgress,
    onDamaged: (damaged) => giveUp(damaged, files, { rebuild, store, journalFirst, log }),
  });
  return { restoring: filling, lost };
}

/** Tells the log how far a rebuild is. */
export function progressLog(log: Log) {
  return ({ rows, of }: RestoreProgress): void =>
    log.info("filling the event store from the archive", { rows, of });
}
