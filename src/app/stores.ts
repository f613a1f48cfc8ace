import { existsSync } from "node:fs";
import { join } from "node:path";
import { serialized } from "../core/access/key-changes.ts";
import { keys } from "../core/access/keys.ts";
import { openProjects } from "../core/access/projects.ts";
import { sessions } from "../core/access/sessions.ts";
import type { MetricNeeds } from "../core/operations/metrics.ts";
import type { Log } from "../core/ports/log.ts";
import type { Volume } from "../core/ports/volume.ts";
import type { Clock } from "../core/values/time.ts";
import { lockDirectory } from "../stores/files/lock.ts";
import { LockedError, opened, useDirectory } from "./process/data-directory.ts";
import type { LogFormat } from "./process/log.ts";
import { newUuid, randomBytes } from "./process/sources.ts";
import { RECORDS } from "./records.ts";
import type { Settings } from "./settings/settings.ts";
import { startWriter } from "./threads/start.ts";
import type { Writer, WriterOptions } from "./threads/store-worker.ts";

/** The environment of the server: its clock, its log, and the format of logs in other threads. */
export type Environment = {
  now: Clock;
  log: Log;
  logFormat: LogFormat;
  /** How long ingest must be idle before it checkpoints, in milliseconds; as `idleWork` takes it. */
  idleMs?: number;
  /** The size and free space of the data directory's disk; by default as the system reports them. */
  volume?: () => Volume | undefined;
  /** Descriptors and ended connections, for the metrics; unknown by default. */
  descriptors?: MetricNeeds["descriptors"];
};

/** Milliseconds of an hour, the unit of the setting `dedup_window`. */
export const HOUR_MS = 3_600_000;

/**
 * Locks the directory, starts the thread that writes, and opens SQLite with projects and keys. Throws
 * DataError if the directory cannot be used.
 */
export async function openBase(settings: Settings, environment: Environment) {
  const { now, log, logFormat } = environment;
  // SQLite and DuckDB create files with the mode of the process: only this user may read them.
  process.umask(0o077);
  const directory = useDirectory(settings.data);
  const locked = join(directory, "lock.db");
  const lock = await opened(locked, "Remove it: it holds nothing.", async () =>
    lockDirectory(locked),
  );
  if (lock === undefined) {
    throw new LockedError(`Another hoglet is using ${directory}. Stop it, or give --data another.`);
  }
  const writer = startWriter(log);
  const stores = writer.api;
  const ids = { now, newUuid, randomBytes };
  const windowMs = settings.dedup_window * HOUR_MS;
  const opening = openRecords(stores, { directory, windowMs, logFormat }, ids);
  const { reads, projects } = await openOrRollBack(opening, () => {
    writer.terminate();
    lock.release();
  });
  const close = async () => {
    reads.close();
    await stores.writer.close();
    writer.terminate();
    lock.release();
  };
  const allKeys = keys({
    reads: reads.keys,
    writes: stores.keys,
    users: { ...reads.users, insert: stores.users.insert, rename: stores.users.rename },
    ownerEmail: settings.owner_email,
    hasProject: projects.exists,
    log,
    ...ids,
  });
  const personalKeys = serialized(allKeys, reads.keys, ids.now);
  // The first user is the owner, so the owner is made before any command can make a user (decision 16).
  await openOrRollBack(personalKeys.makeOwner(), close);
  // The end of a uuid is random.
  const instance = (await reads.users.owner())?.uuid.slice(-8) ?? "";
  const consoleSessions = sessions({
    ...{ keys: personalKeys, keyReads: reads.keys, users: reads.users, log, ...ids },
    reads: reads.sessions,
    writes: stores.sessions,
  });
  const access = { projects, keys: personalKeys, sessions: consoleSessions, instance };
  return { directory, stores, reads, ...access, close };
}

type Ids = Pick<Parameters<typeof openProjects>[0], "newUuid" | "now" | "randomBytes">;

/** Opens the records, in the thread that writes and in this one. */
async function openRecords(
  stores: Writer,
  { directory, ...options }: Pick<WriterOptions, "directory" | "logFormat" | "windowMs">,
  ids: Ids,
) {
  const path = join(directory, RECORDS.file);
  const journal = join(directory, "journal");
  return await opened(path, RECORDS.recoveryAdvice(path), async () => {
    // If there is a journal, missing records were lost. Opening them would create empty ones.
    const lostAdvice = "Restore it from a backup: there is nothing in its place to be recovered.";
    if (existsSync(journal)) await opened(path, lostAdvice, async () => RECORDS.expectKept(path));
    await stores.writer.open({ directory, records: path, journal, ...options });
    const reads = RECORDS.openReads(path);
    const writes = stores.projects;
    return { reads, projects: await openProjects({ reads: reads.projects, writes, ...ids }) };
  });
}

/** The result of {@link openBase}. */
export type Base = Awaited<ReturnType<typeof openBase>>;

/**
 * The opened store; if opening fails, `rollBack` closes the others first, because a start may be
 * tried again (decision 66).
 */
export async function openOrRollBack<T>(opening: Promise<T>, rollBack: () => unknown): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await rollBack();
    throw error;
  }
}
