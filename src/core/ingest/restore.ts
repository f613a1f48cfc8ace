import type { ArchivedFile, ArchiveFiles, Restore } from "../ports/archive.ts";
import type { EventStore } from "../ports/events.ts";
import type { SeqGap } from "../ports/journal.ts";
import type { RemoveLoad } from "../ports/loads.ts";
import type { Batches } from "./batches.ts";

/** How far a rebuild has come: rows of the archive that are in the event store, and all. */
export type RestoreProgress = { rows: number; of: number };

/** The filling of an event store that was made anew. */
export type Restoring = {
  /** Whether it is not done. */
  active(): boolean;
  /**
   * Does it, if there is anything to do; begins anew when it has failed or was stopped. `filled` is told when
   * it is about to be done: how far the event store is may be less than it was to be.
   */
  run(isStopped: () => boolean, filled?: () => Promise<void>): Promise<void>;
};

type Needs = {
  restore: Restore;
  /** The archive; undefined if the event store need not be filled. */
  archive: Pick<ArchiveFiles, "manifest" | "isSound"> | undefined;
  /** A number that the journal's oldest event has or exceeds. */
  journalFirst: number | undefined;
  /** Takes files that are damaged out of the archive; throws if it rather does without the rest. */
  onDamaged(files: readonly ArchivedFile[]): Promise<void>;
  /** What the journal has nothing of, above a sequence number and up to another. */
  holes(range: { after: number; upTo: number }): Promise<SeqGap[]>;
  /** Puts in what the journal, which has all behind a sequence number, has lost. */
  takeLost(after: number): Promise<void>;
  /** Tells of what is lost for good. */
  tellLost(): Promise<void>;
  batches: Pick<Batches, "mirrorSince">;
  events: Pick<EventStore, "mirror">;
  removeLoad: RemoveLoad;
  onProgress: (progress: RestoreProgress) => void;
};

/**
 * Fills the event store from the archive and the persons (decision 64); what came after the archive
 * is for ingest.
 */
export function restoring({ archive, ...needs }: Needs): Restoring {
  let isActive = archive !== undefined;
  return {
    active: () => isActive,
    async run(isStopped, filled = async () => {}) {
      if (isActive && archive !== undefined) {
        await fill({ archive, ...needs }, isStopped);
        await filled();
      }
      isActive = false;
      await needs.tellLost();
    },
  };
}

type Filling = Needs & { archive: NonNullable<Needs["archive"]> };

async function fill(needs: Filling, isStopped: () => boolean): Promise<void> {
  const { archive, onDamaged, takeLost, batches, events, restore } = needs;
  const damaged: ArchivedFile[] = [];
  for (const file of archive.manifest().files) {
    if (!(await archive.isSound(file))) damaged.push(file);
  }
  if (damaged.length > 0) await onDamaged(damaged);
  const mark = markOf(needs);
  const unread = await load(needs, mark, isStopped);
  if (unread !== undefined) {
    await onDamaged([unread]);
    return fill(needs, isStopped);
  }
  await takeLost(mark);
  const lacking = await batches.mirrorSince(0);
  if (lacking !== null) {
    await events.mirror(lacking);
    await needs.removeLoad({ events: null, logs: null, mirror: lacking });
  }
  await restore.assign();
  await restore.end();
}

/**
 * Up to which sequence number the archive is what the event store is filled from. Where a file was given
 * up, all that the journal has comes from there, and where the list was made anew, because a
 * file may have gone with the old one (decision 76).
 */
function markOf({ archive, journalFirst }: Filling): number {
  const { last, files, is_listed_anew } = archive.manifest();
  const isWhole = !is_listed_anew && files.every((file) => !file.is_given_up);
  return isWhole || journalFirst === undefined ? last : Math.min(last, journalFirst - 1);
}

/** Puts in what the archive has; returns a file that cannot be read, if there is one. */
async function load(
  { archive, restore, holes, onProgress }: Filling,
  mark: number,
  isStopped: () => boolean,
): Promise<ArchivedFile | undefined> {
  const { files, last } = archive.manifest();
  const there = files.filter((file) => !file.is_given_up);
  const counting = { mark, holes: mark < last ? await holes({ after: mark, upTo: last }) : [] };
  const of = there.reduce((sum, file) => sum + file.rows, 0);
  let rows = 0;
  await restore.begin(mark);
  onProgress({ rows, of });
  for (const file of there.toSorted((a, b) => a.first - b.first)) {
    if (isStopped()) throw new Error("The event store is not filled: told to stop");
    if (!(await restore.load(file, counting))) return file;
    rows += file.rows;
    onProgress({ rows, of });
  }
  return undefined;
}
