import type { ArchivedFile, ArchiveFiles, Restore } from "../ports/archive.ts";
import type { EventStore } from "../ports/events.ts";
import type { SeqGap } from "../ports/journal.ts";
import type { RemoveLoad } from "../ports/loads.ts";
import type { Batches } from "./batches.ts";

/** Progress of a rebuild: rows of the archive in the event store, and all rows. */
export type RestoreProgress = { rows: number; of: number };

/** The rebuild of an event store. */
export type Restoring = {
  /** Returns true until the rebuild is done. */
  active(): boolean;
  /**
   * Rebuilds the event store, if that is needed; a call after a failure starts from the beginning.
   * `onFilled` runs before the end, because the event store's last number may be lower than before.
   */
  run(isStopped: () => boolean, onFilled?: () => Promise<void>): Promise<void>;
};

type Needs = {
  restore: Restore;
  /** The archive; undefined if no rebuild is needed. */
  archive: Pick<ArchiveFiles, "state" | "isSound"> | undefined;
  /** A sequence number at or below that of the journal's oldest event. */
  journalFirst: number | undefined;
  /** Quarantines damaged files; fails if the rebuild must not go on without them. */
  onDamaged(files: readonly ArchivedFile[]): Promise<void>;
  /** Returns the gaps of the journal above `after` and up to `upTo`. */
  gapsOf(range: { after: number; upTo: number }): Promise<SeqGap[]>;
  /** Adds lost events of the journal after a sequence number, from other copies. */
  recoverGaps(after: number): Promise<void>;
  /** Reports events that no copy has. */
  reportLost(): Promise<void>;
  batches: Pick<Batches, "projectionSince">;
  events: Pick<EventStore, "applyProjection">;
  removeLoad: RemoveLoad;
  onProgress: (progress: RestoreProgress) => void;
};

/**
 * Fills the event store from the archive and the persons (decision 64). Ingest adds the later events
 * from the journal.
 */
export function restoring({ archive, ...needs }: Needs): Restoring {
  let isActive = archive !== undefined;
  return {
    active: () => isActive,
    async run(isStopped, onFilled = async () => {}) {
      if (isActive && archive !== undefined) {
        await fill({ archive, ...needs }, isStopped);
        await onFilled();
      }
      isActive = false;
      await needs.reportLost();
    },
  };
}

type Filling = Needs & { archive: NonNullable<Needs["archive"]> };

async function fill(needs: Filling, isStopped: () => boolean): Promise<void> {
  const { archive, onDamaged, recoverGaps, batches, events, restore } = needs;
  const damaged: ArchivedFile[] = [];
  for (const file of archive.state().files) {
    if (!(await archive.isSound(file))) damaged.push(file);
  }
  if (damaged.length > 0) await onDamaged(damaged);
  const mark = markOf(needs);
  const unread = await load(needs, mark, isStopped);
  if (unread !== undefined) {
    await onDamaged([unread]);
    return fill(needs, isStopped);
  }
  await recoverGaps(mark);
  const persons = await batches.projectionSince(0);
  if (persons !== null) {
    await events.applyProjection(persons);
    await needs.removeLoad({ events: null, logs: null, projection: persons });
  }
  await restore.assign();
  await restore.end();
}

/**
 * Returns the last sequence number that comes from the archive. If rows are missing there, all events of
 * the journal come from the journal (decision 76).
 */
function markOf({ archive, journalFirst }: Filling): number {
  const { last, missing } = archive.state();
  return missing === 0 || journalFirst === undefined ? last : Math.min(last, journalFirst - 1);
}

/** Loads the files of the archive; returns the first one that cannot be read. */
async function load(
  { archive, restore, gapsOf, onProgress }: Filling,
  mark: number,
  isStopped: () => boolean,
): Promise<ArchivedFile | undefined> {
  const { files, last } = archive.state();
  const gaps = mark < last ? await gapsOf({ after: mark, upTo: last }) : [];
  const counting = { mark, gaps };
  const of = files.reduce((sum, file) => sum + file.rows, 0);
  let rows = 0;
  await restore.begin(mark);
  onProgress({ rows, of });
  for (const file of files.toSorted((a, b) => a.first - b.first)) {
    if (isStopped()) throw new Error("The event store is not filled: the server stops");
    if (!(await restore.load(file, counting))) return file;
    rows += file.rows;
    onProgress({ rows, of });
  }
  return undefined;
}
