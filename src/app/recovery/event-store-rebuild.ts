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
import { gapRecovery } from "./journal-gaps.ts";
import type { OpenedStore } from "./open-event-store.ts";

/** Bytes of the unit of the setting `memory`. */
const MB = 1_000_000;

type Plan = {
  log: Log;
  rebuild: boolean;
  /** Called while rows of the archive are loaded. */
  onProgress: (progress: RestoreProgress) => void;
  store: OpenedStore;
  files: ArchiveFiles;
  /** The first and the last sequence number of the journal. */
  first: number | undefined;
  last: number;
  /** The last sequence number that the journal is known to have had. */
  noted: number;
  eventsStored: EventStore;
};

/** Plans the rebuild of an event store from the archive, if it needs one, and finds gaps in the journal. */
export function planRebuild(
  { memory }: Settings,
  {
    directory,
    batches,
    journalGaps,
  }: { directory: string; batches: Batches; journalGaps: JournalGaps },
  { store, files, first, last: lastSeq, noted, eventsStored, onProgress, rebuild, log }: Plan,
) {
  const restore = restoreOf(store.duckdb, files);
  const memory_bytes = memory * MB;
  reportMissing(files, !store.unfilled, log);
  const seqs = { lastSeq, noted };
  const gaps = gapRecovery({ directory, memory_bytes, journalGaps, ...seqs, store, restore, log });
  const rebuilding = restoring({
    restore,
    archive: store.unfilled ? files : undefined,
    journalFirst: first,
    ...gaps,
    batches,
    events: eventsStored,
    removeLoad,
    onProgress,
    onDamaged: (damaged) => quarantineDamaged(damaged, files, { rebuild, store, log }),
  });
  return { restoring: rebuilding, gaps };
}

/** Returns a function that logs the progress of a rebuild. */
export function progressLog(log: Log) {
  return ({ rows, of }: RestoreProgress): void =>
    log.info("filling the event store from the archive", { rows, of });
}
