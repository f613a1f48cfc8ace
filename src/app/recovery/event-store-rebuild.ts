import type { Batches } from "../../core/ingest/batches.ts";
import { type RestoreProgress, restoring } from "../../core/ingest/restore.ts";
import type { ArchiveFiles } from "../../core/ports/archive.ts";
import type { EventStore } from "../../core/ports/events.ts";
import type { JournalGaps } from "../../core/ports/journal.ts";
import type { Log } from "../../core/ports/log.ts";
import { restoreOf } from "../../stores/archive/restore.ts";
import { removeLoad } from "../../stores/loads/loads.ts";
import type { Settings } from "../settings/settings.ts";
import { quarantineDamaged, reportMissing } from "./archive-repair.ts";
import { lostEvents } from "./journal-gaps.ts";
import type { OpenedStore } from "./open-event-store.ts";

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
  { directory, batches, holes }: { directory: string; batches: Batches; holes: JournalGaps },
  { store, files, first: journalFirst, last: upTo, eventsStored, onProgress, ...needs }: Filling,
) {
  const restore = restoreOf(store.duckdb, files);
  const memory_bytes = memory * MB;
  const range = { upTo };
  const { rebuild, log } = needs;
  reportMissing(files, !store.unfilled, log);
  const lost = lostEvents({ directory, memory_bytes, holes, range, store, restore, log });
  const filling = restoring({
    restore,
    archive: store.unfilled ? files : undefined,
    journalFirst,
    holes: lost.holes,
    recoverGaps: lost.take,
    reportLost: lost.tell,
    batches,
    events: eventsStored,
    removeLoad,
    onProgress,
    onDamaged: (damaged) => quarantineDamaged(damaged, files, { rebuild, store, log }),
  });
  return { restoring: filling, lost };
}

/** Tells the log how far a rebuild is. */
export function progressLog(log: Log) {
  return ({ rows, of }: RestoreProgress): void =>
    log.info("filling the event store from the archive", { rows, of });
}
