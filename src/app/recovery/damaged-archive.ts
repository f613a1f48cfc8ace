import { dirname } from "node:path";
import type { ArchivedFile, ArchiveFiles } from "../../core/ports/archive.ts";
import type { Log } from "../../core/ports/log.ts";
import { archiveOf } from "../../stores/archive/archive.ts";
import type { ArchiveOpening } from "../../stores/archive/files.ts";
import { listedAnew } from "../../stores/archive/list.ts";
import type { Duckdb } from "../../stores/duckdb/engine/duckdb.ts";
import type { OpenedStore } from "./open-event-store.ts";

/** The archive, and what is counted of damage in it. */
export function countedArchive(duckdb: Duckdb, files: ArchiveFiles, log: Log) {
  let mended = 0;
  const archive = archiveOf(duckdb, files, ({ path: file, first, last, is_given_up }, rows) => {
    if (rows > 0) log.error("rows of a file of the archive are lost", { file, rows, first, last });
    if (is_given_up) return;
    mended += 1;
    log.warn("a damaged file of the archive was written anew from the event store", { file });
  });
  const rowsLost = () => {
    const { files: all, rows_lost = 0 } = files.manifest();
    const givenUp = all.filter(({ is_given_up }) => is_given_up);
    return givenUp.reduce((sum, { rows }) => sum + rows, rows_lost);
  };
  return { archive, archiveCounts: { rowsLost, mended: () => mended } };
}

/** Makes the list of the archive's files anew, and says so (decision 76). */
export function listingAnew(directory: string, log: Log): ArchiveOpening["listAnew"] {
  return async (paths, aside) => {
    const listed = await listedAnew(directory, paths, aside);
    const { files, last } = listed;
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    const unread = files.filter((file) => file.sha256 === undefined).map(({ path }) => path);
    const message =
      "archive.json is missing, damaged, or of another directory: it is written anew from the archive's files";
    log.warn(message, { files: files.length, rows, last, unread });
    return listed;
  };
}

/** Says that the archive has nothing at all of what has left the journal, whether it ever had or not. */
export function tellMissing(
  { archived, first, persons }: { archived: number; first: number | undefined; persons: number },
  log: Log,
): void {
  const hasLeft = first === undefined ? persons > 0 : first > 1;
  if (archived > 0 || !hasLeft) return;
  log.warn(
    "the archive is empty: its next run writes it from the event store, which alone has all",
  );
}

type GivingUp = {
  rebuild: boolean;
  store: Pick<OpenedStore, "aside">;
  /** A number that the journal's oldest event has or exceeds. */
  journalFirst: number | undefined;
  log: Log;
};

/**
 * Does without files of the archive; throws if a rebuild has an event store to go back to, which has
 * their rows. What the journal still has of them is taken from there (decision 76).
 */
export async function giveUp(
  damaged: readonly ArchivedFile[],
  files: ArchiveFiles,
  { rebuild, store, journalFirst, log }: GivingUp,
): Promise<void> {
  if (rebuild && store.aside !== undefined) {
    for (const file of damaged) await files.moveAway(file);
    throw new Error(wayOn(damaged, dirname(store.aside)));
  }
  for (const file of damaged.filter(({ is_given_up }) => !is_given_up)) {
    const { path, rows, first, last } = file;
    const hasLater = journalFirst !== undefined && journalFirst <= last;
    await (hasLater ? files.giveUp(file) : files.setAside(file));
    const lost = hasLater ? "what was in it, and is not in the journal," : "only what was in it";
    const message = `a file of the archive is missing or damaged: ${lost} is lost`;
    log.error(message, { file: path, rows, first, last });
  }
}

/** What whoever wants the event store made anew can do, when the archive is not whole. */
function wayOn(damaged: readonly ArchivedFile[], events: string): string {
  const [{ path } = { path: "" }, ...others] = damaged;
  const which = others.length === 0 ? path : `${path} and ${others.length} more files`;
  const rows = damaged.reduce((sum, file) => sum + file.rows, 0);
  return (
    `${which} of the archive ${others.length === 0 ? "is" : "are"} missing or damaged. ` +
    "Start hoglet serve: it writes that anew from the event store, while that is whole; then rebuild. " +
    `Or move ${events} away and rebuild without the ${rows} rows`
  );
}
