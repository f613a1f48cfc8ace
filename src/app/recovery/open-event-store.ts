import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { ArchiveFiles } from "../../core/ports/archive.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Clock } from "../../core/values/time.ts";
import { restoreOf } from "../../stores/archive/restore.ts";
import type { Duckdb } from "../../stores/duckdb/engine/duckdb.ts";
import { isDamage } from "../../stores/duckdb/engine/faults.ts";
import { metaOf } from "../../stores/duckdb/events/projection.ts";
import {
  isNotedDamaged,
  quarantine,
  quarantinedIn,
  removeEventFile,
  removeQuarantined,
  restoreQuarantined,
} from "../../stores/duckdb/events/quarantine.ts";
import { DataError } from "../process/data-directory.ts";

/** Why the event store's file is replaced. */
type Reason = "requested" | "missing" | "damaged" | "unfinished" | "outdated";

type Needs = {
  file: string;
  /** Opens the file. Damage that is found only later, in use, costs one restart (decision 65). */
  open: () => Promise<Duckdb>;
  files: ArchiveFiles;
  /** A sequence number at or below that of the journal's oldest event. */
  journalFirst: number | undefined;
  /** Whether to replace the file even if it is whole. */
  rebuild: boolean;
  /**
   * Throws a DataError if the other stores lack events above `applied`; `held` is the last number of a whole
   * file that a rebuild replaces.
   */
  check: (applied: number, held?: number) => void;
  now: Clock;
  log: Log;
};

/** The event store, open. */
export type OpenedStore = {
  duckdb: Duckdb;
  /** The last sequence number that it has, or gets from the archive. */
  applied: number;
  /** Whether the rows of the archive must still be loaded. */
  unfilled: boolean;
  /** The path of the quarantined file that it replaces; undefined if there was no file. */
  replaced: string | undefined;
};

/**
 * Opens the event store. A file that is damaged, unfinished or older than the journal is quarantined, and a
 * new one is rebuilt from archive, journal and persons (decision 65). If they lack events, the file stays, and
 * this throws a DataError.
 */
export async function openEventStore(needs: Needs): Promise<OpenedStore> {
  const { file, open, files, check, log } = needs;
  const archived = files.state().last;
  await undoKilledRebuild(needs);
  const found = await inspect(needs);
  if ("duckdb" in found) {
    check(found.applied);
    return { ...found, unfilled: false, replaced: undefined };
  }
  const { reason, cause } = found;
  await expectWholeArchive(needs);
  await expectLaterEvents(needs, archived);
  const stamp = new Date(needs.now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  if (reason === "unfinished") removeEventFile(file);
  const name = `${reason === "requested" ? "replaced" : "damaged"}-${stamp}`;
  const replaced = quarantine(file, name);
  // A quarantined file may have events that the journal has lost (decision 64).
  const unfilled = archived > 0 || quarantinedIn(dirname(file)).length > 0;
  if (unfilled || replaced !== undefined) {
    const kept = replaced === undefined ? {} : { quarantined: basename(replaced) };
    const error = cause === undefined ? {} : { error: cause };
    const facts = { file: basename(file), reason, ...kept, ...error };
    log.warn("rebuilding event store", facts);
  }
  const duckdb = await open();
  try {
    if (unfilled) await restoreOf(duckdb, files).begin();
  } catch (error) {
    await duckdb.close();
    throw error;
  }
  return { duckdb, applied: archived, unfilled, replaced };
}

/**
 * Undoes a rebuild that was killed, unless its new file is whole: only the replaced file may have some events
 * (decision 64).
 */
async function undoKilledRebuild(needs: Needs): Promise<void> {
  const directory = dirname(needs.file);
  // The oldest file is the original one; the later ones are of rebuilds that were killed as well.
  const replaced = quarantinedIn(directory, "replaced").at(-1);
  if (replaced === undefined) return;
  if ((await heldBy(needs)) === undefined) restoreQuarantined(replaced);
  removeQuarantined(directory, "replaced");
}

/** Throws a DataError if the archive may lack rows while the event store to replace is whole. */
async function expectWholeArchive(needs: Needs): Promise<void> {
  const { files, rebuild, file } = needs;
  if (!rebuild || files.state().missing === 0 || (await heldBy(needs)) === undefined) return;
  throw new DataError(
    `Files of the archive, or its marker archive.json, are missing. Start hoglet serve: it repairs the archive from the event store, which is whole; then rebuild. Or move ${file} away and rebuild from the archive as it is.`,
  );
}

/** Throws a DataError if no store has the events that are not archived. */
async function expectLaterEvents(needs: Needs, archived: number): Promise<void> {
  const { check, rebuild } = needs;
  try {
    check(archived);
  } catch (error) {
    // Events that have left the journal come from the replaced file, if it is whole (decision 64).
    const held = rebuild ? await heldBy(needs) : undefined;
    if (held === undefined) throw error;
    check(archived, held);
  }
}

/** Returns the last sequence number of the file; undefined if it is not whole. */
async function heldBy(needs: Needs): Promise<number | undefined> {
  const found = await inspect({ ...needs, rebuild: false });
  if (!("duckdb" in found)) return undefined;
  await found.duckdb.close();
  return found.applied;
}

type Inspected = { duckdb: Duckdb; applied: number } | { reason: Reason; cause?: unknown };

async function inspect({ file, open, files, journalFirst, rebuild }: Needs): Promise<Inspected> {
  if (rebuild) return { reason: "requested" };
  if (isNotedDamaged(file)) return { reason: "damaged" };
  if (!existsSync(file)) return { reason: "missing" };
  let duckdb: Duckdb | undefined;
  try {
    duckdb = await open();
    const applied = await duckdb.read((connection) => metaOf(connection, "applied_seq"));
    // After a kill right at its creation, a new file is empty and has no mark yet.
    const isNew = applied === 0 && quarantinedIn(dirname(file)).length > 0;
    const isUnfinished = isNew || (await restoreOf(duckdb, files).isUnfinished());
    const reason = isUnfinished ? "unfinished" : undefined;
    const isOutdated = applied < files.state().last && !(Number(journalFirst) <= applied + 1);
    if (reason === undefined && !isOutdated) return { duckdb, applied };
    await duckdb.close();
    return { reason: reason ?? "outdated" };
  } catch (error) {
    await duckdb?.close();
    if (error instanceof Error && isDamage(error)) return { reason: "damaged", cause: error };
    throw error;
  }
}
