import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { ArchiveFiles } from "../../core/ports/archive.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Clock } from "../../core/values/time.ts";
import { restoreOf } from "../../stores/archive/restore.ts";
import { type Duckdb, rows } from "../../stores/duckdb/engine/duckdb.ts";
import { isDamage } from "../../stores/duckdb/engine/faults.ts";
import {
  isNotedDamaged,
  quarantine,
  quarantinedIn,
  removeEventFile,
  removeQuarantined,
  restoreQuarantined,
} from "../../stores/duckdb/events/quarantine.ts";
import { DataError } from "../process/data-directory.ts";

/** Why the event store's file is made anew. */
type Reason = "asked" | "missing" | "damaged" | "unfinished" | "behind";

type Needs = {
  file: string;
  /** Opens the file; damage that this does not find shows in use, and costs one restart (decision 65). */
  open: () => Promise<Duckdb>;
  files: ArchiveFiles;
  /** A number that the journal's oldest event has or exceeds. */
  journalFirst: number | undefined;
  /** Whether the file is to be made anew however it is. */
  rebuild: boolean;
  /**
   * Throws a DataError if the other stores do not have all behind this sequence number; `held` is how far the
   * file is that is to be replaced.
   */
  check: (applied: number, held?: number) => void;
  now: Clock;
  log: Log;
};

/** The event store, open. */
export type OpenedStore = {
  duckdb: Duckdb;
  /** The last sequence number that it has, or is about to get from the archive. */
  applied: number;
  /** Whether it is yet to be filled from the archive. */
  unfilled: boolean;
  /** Where the file is that it replaces; undefined if there was none. */
  aside: string | undefined;
};

/**
 * Opens the event store. A file that is missing, damaged, half made or older than the journal is set
 * aside and made anew (decision 65), if archive, journal and persons have all that it takes: else it
 * stays as it is, and this throws a DataError.
 */
export async function openEventStore(needs: Needs): Promise<OpenedStore> {
  const { file, open, files, check, log } = needs;
  const archived = files.state().last;
  await endReplacing(needs);
  const found = await inspect(needs);
  if ("duckdb" in found) {
    check(found.applied);
    return { ...found, unfilled: false, aside: undefined };
  }
  const { reason, cause } = found;
  await expectCompared(needs);
  await expectRest(needs, archived);
  const stamp = new Date(needs.now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  if (reason === "unfinished") removeEventFile(file);
  const name = `${reason === "asked" ? "replaced" : "damaged"}-${stamp}`;
  const aside = quarantine(file, name);
  // What was set aside may have what the journal lost (decision 64).
  const unfilled = archived > 0 || quarantinedIn(dirname(file)).length > 0;
  if (unfilled || aside !== undefined) {
    const kept = aside === undefined ? {} : { set_aside: basename(aside) };
    const error = cause === undefined ? {} : { error: cause };
    const facts = { file: basename(file), reason, ...kept, ...error };
    log.warn("the event store is made anew from archive, journal and persons", facts);
  }
  const duckdb = await open();
  try {
    if (unfilled) await restoreOf(duckdb, files).begin();
  } catch (error) {
    await duckdb.close();
    throw error;
  }
  return { duckdb, applied: archived, unfilled, aside };
}

/**
 * A rebuild that was killed is undone, so that nothing is lost that only the file has which it was to
 * replace, and no copy of it stays; unless what it made is whole (decision 64).
 */
async function endReplacing(needs: Needs): Promise<void> {
  const directory = dirname(needs.file);
  // Later ones, of an earlier version, are what a rebuild made before that one was killed, too.
  const replaced = quarantinedIn(directory, { kind: "replaced" }).at(-1);
  if (replaced === undefined) return;
  const found = await inspect({ ...needs, rebuild: false });
  if ("duckdb" in found) await found.duckdb.close();
  else restoreQuarantined(replaced);
  removeQuarantined(directory, { kind: "replaced" });
}

/** Throws a DataError if the archive lacks rows, or may, that an event store has which is whole. */
async function expectCompared(needs: Needs): Promise<void> {
  const { files, rebuild, file } = needs;
  if (!rebuild || files.state().missing === 0) return;
  const found = await inspect({ ...needs, rebuild: false });
  if (!("duckdb" in found)) return;
  await found.duckdb.close();
  throw new DataError(
    `Files of the archive, or its marker archive.json, are missing. Start hoglet serve: it repairs the archive from the event store, which is whole; then rebuild. Or move ${file} away and rebuild from the archive as it is.`,
  );
}

/** Throws a DataError if what is not archived is nowhere. */
async function expectRest(needs: Needs, archived: number): Promise<void> {
  const { check, rebuild } = needs;
  try {
    check(archived);
  } catch (error) {
    // What has left the journal is taken from the file itself, if that is whole (decision 64).
    const found = rebuild ? await inspect({ ...needs, rebuild: false }) : undefined;
    if (found === undefined || !("duckdb" in found)) throw error;
    await found.duckdb.close();
    check(archived, found.applied);
  }
}

type Inspected = { duckdb: Duckdb; applied: number } | { reason: Reason; cause?: unknown };

async function inspect({ file, open, files, journalFirst, rebuild }: Needs): Promise<Inspected> {
  if (rebuild) return { reason: "asked" };
  if (isNotedDamaged(file)) return { reason: "damaged" };
  if (!existsSync(file)) return { reason: "missing" };
  let duckdb: Duckdb | undefined;
  try {
    duckdb = await open();
    const applied = await duckdb.read(appliedSeq);
    // Killed before it could be marked as unfinished, a new file has nothing.
    const isNew = applied === 0 && quarantinedIn(dirname(file)).length > 0;
    const isUnfinished = isNew || (await restoreOf(duckdb, files).isUnfinished());
    const reason = isUnfinished ? "unfinished" : undefined;
    const isCatchingUp = applied < files.state().last && !(Number(journalFirst) <= applied + 1);
    if (reason === undefined && !isCatchingUp) return { duckdb, applied };
    await duckdb.close();
    return { reason: reason ?? "behind" };
  } catch (error) {
    await duckdb?.close();
    if (error instanceof Error && isDamage(error)) return { reason: "damaged", cause: error };
    throw error;
  }
}

async function appliedSeq(connection: Parameters<typeof rows>[0]): Promise<number> {
  const [row] = await rows(connection, "SELECT value FROM meta WHERE key = 'applied_seq'");
  return Number(row?.["value"] ?? 0);
}
