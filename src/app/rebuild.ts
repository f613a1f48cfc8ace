import { join } from "node:path";
import { diskGuard } from "../core/ingest/backpressure.ts";
import { startIngest } from "../core/ingest/ingest.ts";
import { reasonOf } from "../core/values/failure.ts";
import { EVENTS_DIRECTORY } from "../stores/duckdb/engine/duckdb.ts";
import {
  keepDamaged,
  removeQuarantined,
  restoreQuarantined,
} from "../stores/duckdb/events/quarantine.ts";
import { volumeOf } from "../stores/files/volume.ts";
import { openEvents } from "./open-events.ts";
import { DataError } from "./process/data-directory.ts";
import { elapsedMs } from "./process/sources.ts";
import type { Settings } from "./settings/settings.ts";
import { type Environment, openBase } from "./stores.ts";

/** The pause between reports of progress, in milliseconds. */
const PROGRESS_MS = 250;

/** The longest time in which ingest stops after its last event, in milliseconds. */
const STOP_MS_MAX = 60_000;

/** Progress of a rebuild: rows of the archive, or sequence numbers of the journal, done and in all. */
export type RebuildProgress = { from: "archive" | "journal"; done: number; of: number };

/** The result of a rebuild. */
export type Rebuilt = {
  events: number;
  logs: number;
  /** How many sequence numbers are neither in the journal nor in a store (decision 132). */
  lost: number;
};

/**
 * Rebuilds the event store from archive, journal and persons (decision 64). The old file is removed at the end,
 * or restored if the rebuild fails. Throws DataError if the directory cannot be used or something is missing;
 * nothing has changed then.
 */
export async function rebuildEvents(
  settings: Settings,
  environment: Environment & { onProgress: (progress: RebuildProgress) => void },
): Promise<Rebuilt> {
  const { log, onProgress } = environment;
  const base = await openBase(settings, environment);
  try {
    const stored = await openEvents(settings, base, {
      ...environment,
      rebuild: true,
      onProgress: ({ rows, of }) => onProgress({ from: "archive", done: rows, of }),
    });
    const eventsDirectory = join(base.directory, EVENTS_DIRECTORY);
    const { volume = () => volumeOf(base.directory) } = environment;
    const guard = diskGuard({ volume, floorPercent: settings.disk_floor, elapsedMs, log });
    const { duckdb, journal, eventsStored, restoring, replaced, gaps } = stored;
    try {
      // A failure is reported, not repeated.
      await restoring.run(() => false);
      const ingest = await startIngest({ ...stored.ingestNeeds, diskGuard: guard, log });
      const applied = ingest.applied();
      const of = journal.durableSeq() - applied;
      const timer = setInterval(() => {
        onProgress({ from: "journal", done: ingest.applied() - applied, of });
      }, PROGRESS_MS);
      await ingest.caughtUp();
      clearInterval(timer);
      onProgress({ from: "journal", done: of, of });
      await ingest.stop(STOP_MS_MAX);
      const counts = await eventsStored.counts();
      await duckdb.close();
      if (replaced !== undefined && gaps.isUnread()) keepDamaged(replaced);
      else removeQuarantined(eventsDirectory);
      return { ...counts, lost: gaps.count() };
    } catch (error) {
      await duckdb.close();
      if (replaced !== undefined) restoreQuarantined(replaced);
      throw new DataError(`The event store could not be rebuilt: ${reasonOf(error)}.`);
    } finally {
      await journal.close();
    }
  } finally {
    await base.close();
  }
}
