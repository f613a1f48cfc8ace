import type { ArchivedFile, ArchiveFiles } from "../storage/archive-files.ts";
import type { EventStore } from "../storage/events.ts";
import type { LoadedFiles } from "../storage/loads.ts";
import type { Restore } from "../storage/restore.ts";
import type { Slices } from "./slices.ts";

/** How far a rebuild has come: rows of the archive that are in the event store, and all. */
export type RestoreProgress = { rows: number; of: number };

/** The filling of an event store that was made anew. */
export type Restoring = {
  /** Whether it is not done. */
  active(): boolean;
  /** Does it, if there is anything to do; begins anew when it has failed or was stopped. */
  run(isStopped: () => boolean): Promise<void>;
};

type Needs = {
  restore: Restore;
  /** The archive; undefined if the event store need not be filled. */
  archive: Pick<ArchiveFiles, "manifest" | "isSound"> | undefined;
  /** Takes files that are damaged out of the archive; throws if it rather does without the rest. */
  onDamaged(files: readonly ArchivedFile[]): Promise<void>;
  /** Puts in what the journal, which has all that is not archived, has lost. */
  takeLost(): Promise<void>;
  /** Tells of what is lost for good. */
  tellLost(): Promise<void>;
  slices: Pick<Slices, "mirrorSince">;
  events: Pick<EventStore, "mirror">;
  removeLoad(load: LoadedFiles): Promise<void>;
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
    async run(isStopped) {
      if (isActive && archive !== undefined) await fill({ archive, ...needs }, isStopped);
      isActive = false;
      await needs.tellLost();
    },
  };
}

async function fill(
  { archive, onDamaged, ...needs }: Needs & { archive: NonNullable<Needs["archive"]> },
  isStopped: () => boolean,
): Promise<void> {
  const { restore, takeLost, slices, events, removeLoad, onProgress } = needs;
  const damaged: ArchivedFile[] = [];
  for (const file of archive.manifest().files) {
    if (!(await archive.isSound(file))) damaged.push(file);
  }
  if (damaged.length > 0) await onDamaged(damaged);
  const { files } = archive.manifest();
  const of = files.reduce((sum, file) => sum + file.rows, 0);
  let rows = 0;
  await restore.begin();
  onProgress({ rows, of });
  for (const file of files.toSorted((a, b) => a.first - b.first)) {
    if (isStopped()) throw new Error("The event store is not filled: told to stop");
    await restore.load(file);
    rows += file.rows;
    onProgress({ rows, of });
  }
  await takeLost();
  const lacking = await slices.mirrorSince(0);
  if (lacking !== null) {
    await events.mirror(lacking);
    await removeLoad({ events: null, logs: null, mirror: lacking });
  }
  await restore.assign();
  await restore.end();
}
