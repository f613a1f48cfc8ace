import { dirname } from "node:path";
import type { ArchivedFile, ArchiveFiles } from "../../core/ports/archive.ts";
import type { Log } from "../../core/ports/log.ts";
import { archiveOf } from "../../stores/archive/archive.ts";
import type { Duckdb } from "../../stores/duckdb/engine/duckdb.ts";
import type { OpenedStore } from "./open-event-store.ts";

/** Returns the archive, and counts of damage in it. */
export function countedArchive(duckdb: Duckdb, files: ArchiveFiles, log: Log) {
  let repaired = 0;
  const archive = archiveOf(duckdb, files, {
    onRepaired({ path: file }) {
      repaired += 1;
      log.warn("repaired a file of the archive from the event store", { file });
    },
    onLost: (rows) => log.error("rows of the archive are lost", { rows }),
  });
  const rowsLost = () => {
    const { missing = 0, rows_lost } = files.state();
    return rows_lost + missing;
  };
  return { archive, archiveCounts: { rowsLost, repaired: () => repaired } };
}

/** Logs that files of the archive are missing, or may be (decision 76). */
export function reportMissing(files: ArchiveFiles, hasEventStore: boolean, log: Log): void {
  const { missing } = files.state();
  if (missing === 0) return;
  if (hasEventStore) log.warn(REPAIRING, { rows: missing });
  else if (missing === undefined) log.error(UNKNOWN);
  else log.error(MISSING, { rows: missing });
}

const REPAIRING =
  "files of the archive or its marker archive.json are missing: the archive is compared with the event store";

/** No other store has the rows that were in a missing file. */
const MISSING =
  "files of the archive are missing, and the event store as well: their rows are lost, unless the journal has them";

const UNKNOWN =
  "the archive's marker archive.json is missing or damaged, and the event store as well: whether files of the archive are missing, and with them events, is unknown";

/** Logs that the archive is empty although events have left the journal. */
export function reportEmpty(
  { archived, first, persons }: { archived: number; first: number | undefined; persons: number },
  log: Log,
): void {
  const hasLeft = first === undefined ? persons > 0 : first > 1;
  if (archived > 0 || !hasLeft) return;
  log.warn("the archive is empty; its next run writes it from the event store");
}

type Rebuilding = { rebuild: boolean; store: Pick<OpenedStore, "replaced">; log: Log };

/**
 * Quarantines damaged files of the archive. Fails during a rebuild that can go back to the old event store,
 * because that store has their rows (decision 76).
 */
export async function quarantineDamaged(
  damaged: readonly ArchivedFile[],
  files: ArchiveFiles,
  { rebuild, store, log }: Rebuilding,
): Promise<void> {
  for (const file of damaged) await files.quarantine(file);
  if (rebuild && store.replaced !== undefined)
    throw new Error(rebuildAdvice(damaged, dirname(store.replaced)));
  for (const { path: file, rows, first, last } of damaged) {
    const message =
      "quarantined a damaged file of the archive: its rows are lost, unless the journal has them";
    log.error(message, { file, rows, first, last });
  }
}

/** Returns advice for the operator on how to rebuild the event store. */
function rebuildAdvice(damaged: readonly ArchivedFile[], events: string): string {
  const [{ path } = { path: "" }, ...others] = damaged;
  const which = others.length === 0 ? path : `${path} and ${others.length} more files`;
  const rows = damaged.reduce((sum, file) => sum + file.rows, 0);
  return (
    `${which} of the archive ${others.length === 0 ? "is" : "are"} damaged. ` +
    "Start hoglet serve: it repairs the archive from the event store; then rebuild. " +
    `Or move ${events} away and rebuild without the ${rows} rows`
  );
}
