import { existsSync } from "node:fs";
import { join } from "node:path";
import { inTurns } from "../core/access/key-changes.ts";
import { keys } from "../core/access/keys.ts";
import { openProjects } from "../core/access/projects.ts";
import { type Room, roomOn } from "../core/ingest/disk-floor.ts";
import type { RestoreProgress } from "../core/ingest/restore.ts";
import type { Journal } from "../core/ports/journal.ts";
import type { Log } from "../core/ports/log.ts";
import type { Volume } from "../core/ports/volume.ts";
import type { Clock } from "../core/values/time.ts";
import { ARCHIVE_DIRECTORY, openArchiveFiles } from "../stores/archive/files.ts";
import { isSuspect } from "../stores/duckdb/engine/block-checksums.ts";
import { EVENTS_DIRECTORY, openDuckdb } from "../stores/duckdb/engine/duckdb.ts";
import { isDamage } from "../stores/duckdb/engine/faults.ts";
import { currentGeneration, generationFile } from "../stores/duckdb/engine/generations.ts";
import { noteDamage } from "../stores/duckdb/events/set-aside.ts";
import { eventStore } from "../stores/duckdb/events/store.ts";
import { nodeDisk } from "../stores/files/disk.ts";
import { lockDirectory } from "../stores/files/lock.ts";
import { volumeOf } from "../stores/files/volume.ts";
import { openJournal, SEGMENT_BYTES_MAX } from "../stores/journal/journal.ts";
import { reachedIn } from "../stores/journal/recovery.ts";
import { removeLoad } from "../stores/loads/loads.ts";
import { keyReads } from "../stores/sqlite/keys.ts";
import { projectReads } from "../stores/sqlite/projects.ts";
import { expectKept, readSqlite } from "../stores/sqlite/sqlite.ts";
import { userReads } from "../stores/sqlite/users.ts";
import { LockedError, opened, useDirectory } from "./process/data-directory.ts";
import { giveBackExecutable } from "./process/executable-pages.ts";
import type { LogFormat } from "./process/log.ts";
import { poolGivesWay } from "./process/priority.ts";
import { checkTogether } from "./recovery/check-together.ts";
import { countedArchive, listingAnew, tellMissing } from "./recovery/damaged-archive.ts";
import { fillingOf, progressLog } from "./recovery/fill-event-store.ts";
import { openEventStore } from "./recovery/open-event-store.ts";
import type { Settings } from "./settings/settings.ts";
import { EXIT_INTERNAL, startSyncer, startWriter } from "./threads/start.ts";
import type { Writer, WriterOptions } from "./threads/writer.ts";

/** What the outside gives: time, the log, and where logs of other threads go. */
export type Surroundings = {
  now: Clock;
  log: Log;
  logFormat: LogFormat;
  /** How long ingest must be idle before it checkpoints, in milliseconds, if not as usual. */
  idleMs?: number;
  /** What the disk of the data directory says of itself, if not as it is. */
  volume?: () => Volume | undefined;
};

/** Milliseconds of an hour, in which the deduplication window is set. */
export const HOUR_MS = 3_600_000;
const MB = 1_000_000;

/** Segments that the journal has at least when it is full: a segment is what leaves it. */
const SEGMENTS_MIN = 4;

/**
 * Locks the directory, starts the thread that writes, and opens what is kept in SQLite. Throws
 * DataError if the directory cannot be used.
 */
export async function openBase(settings: Settings, surroundings: Surroundings) {
  const { now, log, logFormat } = surroundings;
  // Both engines create files by themselves: none of them is for anybody else to read.
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
  const stores = writer.surface;
  const ids = { now, newUuid: () => Bun.randomUUIDv7(), randomBytes };
  const windowMs = settings.dedup_window * HOUR_MS;
  const opening = openPersons(stores, { directory, windowMs, logFormat }, ids);
  const { sqlite, projects } = await orUndo(opening, () => {
    writer.terminate();
    lock.release();
  });
  const close = async () => {
    sqlite.close();
    await stores.writer.close();
    writer.terminate();
    lock.release();
  };
  const reads = keyReads(sqlite);
  const known = keys({
    reads,
    writes: stores.keys,
    users: { ...userReads(sqlite), insert: stores.users.insert, rename: stores.users.rename },
    ownerEmail: settings.owner_email,
    hasProject: projects.exists,
    log,
    ...ids,
  });
  const personal = inTurns(known, reads, ids.now);
  // Before anybody else can be the first user: those are for keys of their own (decision 16).
  await orUndo(personal.makeOwner(), close);
  return { directory, stores, sqlite, projects, keys: personal, close };
}

type Ids = Pick<Parameters<typeof openProjects>[0], "newUuid" | "now" | "randomBytes">;

/** Opens what is kept in SQLite, in the thread that writes and in this one. */
async function openPersons(
  stores: Writer,
  { directory, ...options }: Pick<WriterOptions, "directory" | "logFormat" | "windowMs">,
  ids: Ids,
) {
  const path = join(directory, "hoglet.sqlite");
  const journal = join(directory, "journal");
  const advice = `Restore it from a backup, or recover it: sqlite3 ${path} .recover | sqlite3 recovered.sqlite, and put that in its place, without -wal and -shm beside it (that takes the sqlite3 of sqlite.org: a distribution's may have no .recover).`;
  return await opened(path, advice, async () => {
    // Whoever has a journal had persons before.
    const kept = "Restore it from a backup: there is nothing in its place to be recovered.";
    if (existsSync(journal)) await opened(path, kept, async () => expectKept(path));
    await stores.writer.open({ directory, sqlite: path, journal, ...options });
    const sqlite = readSqlite(path);
    const reads = projectReads(sqlite);
    return { sqlite, projects: await openProjects({ reads, writes: stores.projects, ...ids }) };
  });
}

/** What {@link openBase} opens. */
export type Base = Awaited<ReturnType<typeof openBase>>;

type EventsSurroundings = Pick<Surroundings, "now" | "log"> & {
  rebuild?: boolean;
  /** Told how far the event store is filled, when it has to be. */
  onProgress?: (progress: RestoreProgress) => void;
};

/**
 * Opens the event store, the journal and the archive, and checks that they belong together. With
 * `rebuild` the event store is set aside and made anew.
 */
export async function openEvents(
  settings: Settings,
  { directory, stores }: Pick<Base, "directory" | "stores">,
  { now, log, rebuild = false, onProgress = progressLog(log) }: EventsSurroundings,
) {
  const generation = currentGeneration(join(directory, EVENTS_DIRECTORY));
  const file = generationFile(join(directory, EVENTS_DIRECTORY), generation);
  // It takes as long as all that is done before it is needed.
  const suspect = rebuild ? Promise.resolve(false) : isSuspect(file);
  const persons = await stores.persons.applied();
  const files = await openArchive(settings, { directory, persons, log });
  const journalBytesMax = settings.journal * MB;
  const journal = await syncedJournal(log, {
    directory: join(directory, "journal"),
    after: Math.max(persons, files.manifest().last),
    onCut: (part) => log.warn("the journal's torn end was cut off", part),
    onCorrupt: (part) => log.error("a corrupt part of the journal was set aside", part),
    segmentBytesMax: Math.min(SEGMENT_BYTES_MAX, journalBytesMax / SEGMENTS_MIN),
  });
  const seqs = { archived: files.manifest().last, first: journal.first(), last: journal.durable() };
  if (settings.archive === "on") tellMissing({ ...seqs, persons }, log);
  const open = (how: { readAll: boolean }) =>
    openDuckdb({
      ...how,
      directory,
      archiveDirectory: files.directory,
      generation,
      memory_bytes: settings.memory * MB,
      threads: settings.threads,
      onThreads: poolGivesWay,
      onUnpacked: giveBackExecutable,
      onFatal(error, current) {
        if (isDamage(error)) noteDamage(current);
        log.error("the event store failed and must be opened anew; ending", { error });
        process.exit(EXIT_INTERNAL);
      },
    });
  const opening = opened(file, "Give this user the file, or run hoglet rebuild.", () =>
    openEventStore({
      ...{ file, open, suspect, files },
      journalFirst: seqs.first,
      rebuild,
      check: (events, held) => checkTogether(directory, { events, held, persons, ...seqs }),
      now,
      log,
    }),
  );
  const store = await orUndo(opening, journal.close);
  const { duckdb, applied } = store;
  if (applied < journal.durable()) {
    const events = journal.durable() - applied;
    log.warn("the event store is behind: it is brought up from the journal", { events });
  }
  const eventsStored = eventStore(duckdb, join(directory, "dead-letters.ndjson"));
  const { slices } = stores;
  const places = { directory, slices, holes: stores.journalHoles };
  const needs = { store, files, eventsStored, rebuild, onProgress, log };
  const filling = fillingOf(settings, places, { ...needs, ...seqs });
  const { archive, archiveCounts } = countedArchive(duckdb, files, log);
  const common = { journal, events: eventsStored, restoring: filling.restoring };
  return {
    ...store,
    journal,
    eventsStored,
    ...filling,
    archiveCounts,
    archive,
    ingestNeeds: { ...common, slices, removeLoad, windowMs: settings.dedup_window * HOUR_MS },
    archivingNeeds: {
      ...common,
      archive,
      isArchiving: settings.archive === "on",
      now,
      journalBytesMax,
    },
  };
}

/** Opens the list of the archive's files. */
function openArchive(
  settings: Settings,
  { directory, persons, log }: { directory: string; persons: number; log: Log },
) {
  const archive = join(directory, ARCHIVE_DIRECTORY);
  const journal = join(directory, "journal");
  const advice =
    "Restore it from a backup, or move it away: then events that are only in it are lost.";
  const inJournal = () =>
    existsSync(journal) ? reachedIn({ disk: nodeDisk, directory: journal }) : 0;
  return opened(archive, advice, () =>
    openArchiveFiles(archive, {
      make: settings.archive === "on",
      listAnew: listingAnew(archive, log),
      reached: () => Math.max(persons, inJournal()),
    }),
  );
}

/** A journal whose disk a thread of its own waits for. */
async function syncedJournal(
  log: Log,
  options: Omit<Parameters<typeof openJournal>[0], "disk">,
): Promise<Journal> {
  const { disk, close } = startSyncer(log);
  const journal = await orUndo(openJournal({ ...options, disk }), close);
  return {
    ...journal,
    async close() {
      await journal.close();
      close();
    },
  };
}

/** What is opened, or what else was is closed first: a start may be tried again (decision 66). */
export async function orUndo<T>(opening: Promise<T>, undo: () => unknown): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Random bytes for keys and ids. */
export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** A clock that is never set, in milliseconds. */
export const elapsedMs = () => performance.now();

/** Watches the disk of the data directory. */
export function openRoom(settings: Settings, directory: string, around: Surroundings): Room {
  const { volume = () => volumeOf(directory), log } = around;
  return roomOn({ volume, floorPercent: settings.disk_floor, elapsedMs, log });
}
