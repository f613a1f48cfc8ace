import { join } from "node:path";
import type { Settings } from "./config.ts";
import { checkTogether, LockedError, opened, useDirectory } from "./data-directory.ts";
import type { Clock } from "./domain/time.ts";
import type { Log, LogFormat } from "./log.ts";
import { keys } from "./services/keys.ts";
import { openProjects } from "./services/projects.ts";
import { nodeDisk } from "./storage/disk.ts";
import { EVENTS_DIRECTORY, openDuckdb } from "./storage/duckdb.ts";
import { eventStore } from "./storage/events.ts";
import { currentGeneration, generationFile } from "./storage/generations.ts";
import { openJournal } from "./storage/journal.ts";
import { keyReads } from "./storage/keys.ts";
import { lockDirectory } from "./storage/lock.ts";
import { projectReads } from "./storage/projects.ts";
import { readSqlite } from "./storage/sqlite.ts";
import { userReads } from "./storage/users.ts";
import { EXIT_INTERNAL, startWorker } from "./threads.ts";
import type { Writer } from "./writer.ts";

/** What the outside gives: time, the log, and where logs of other threads go. */
export type Surroundings = {
  now: Clock;
  log: Log;
  logFormat: LogFormat;
  /** How long ingest must be idle before it checkpoints, in milliseconds, if not as usual. */
  idleMs?: number;
};

/** Milliseconds of an hour, in which the deduplication window is set. */
export const HOUR_MS = 3_600_000;
const MB = 1_000_000;

/**
 * Locks the directory, starts the thread that writes, and opens what is kept in SQLite. Throws
 * DataError if the directory cannot be used.
 */
export async function openBase(settings: Settings, surroundings: Surroundings) {
  const { now, log, logFormat } = surroundings;
  // Both engines create files by themselves: none of them is for anybody else to read.
  process.umask(0o077);
  const directory = useDirectory(settings.data);
  const lock = lockDirectory(join(directory, "lock.db"));
  if (lock === undefined) {
    throw new LockedError(`Another hoglet is using ${directory}. Stop it, or give --data another.`);
  }
  const path = join(directory, "hoglet.sqlite");
  const writer = startWorker<Writer>(new Worker(new URL("./writer.ts", import.meta.url)), log);
  const stores = writer.surface;
  await opened(
    path,
    "Free space, give it to this user, or recover it with sqlite3's .recover.",
    () =>
      stores.writer.open({
        directory,
        sqlite: path,
        journal: join(directory, "journal"),
        windowMs: settings.dedup_window * HOUR_MS,
        logFormat,
      }),
  );
  const sqlite = readSqlite(path);
  const ids = { now, newUuid: () => Bun.randomUUIDv7(), randomBytes };
  const projects = await openProjects({
    reads: projectReads(sqlite),
    writes: stores.projects,
    ...ids,
  });
  const personal = keys({
    reads: keyReads(sqlite),
    writes: stores.keys,
    users: { ...userReads(sqlite), insert: stores.users.insert },
    ownerEmail: settings.owner_email,
    hasProject: projects.exists,
    log,
    ...ids,
  });
  return {
    directory,
    stores,
    sqlite,
    projects,
    keys: personal,
    async close() {
      sqlite.close();
      await stores.writer.close();
      writer.terminate();
      lock.release();
    },
  };
}

/** What {@link openBase} opens. */
export type Base = Awaited<ReturnType<typeof openBase>>;

/** Opens the event store and the journal, and checks that the stores belong together. */
export async function openEvents(
  settings: Settings,
  { directory, stores }: Pick<Base, "directory" | "stores">,
  log: Log,
) {
  const generation = currentGeneration(join(directory, EVENTS_DIRECTORY));
  const file = generationFile(join(directory, EVENTS_DIRECTORY), generation);
  const advice = "If it is damaged, move it away: it is made again from the journal.";
  const duckdb = await opened(file, advice, () =>
    openDuckdb({
      directory,
      generation,
      memory_bytes: settings.memory * MB,
      threads: settings.threads,
      onFatal(error) {
        log.error("the event store failed and must be opened anew; ending", { error });
        process.exit(EXIT_INTERNAL);
      },
    }),
  );
  const eventsStored = eventStore(duckdb, join(directory, "dead-letters.ndjson"));
  const applied = {
    events: await opened(file, advice, () => eventsStored.applied()),
    persons: await stores.persons.applied(),
  };
  const journal = await openJournal({
    directory: join(directory, "journal"),
    disk: nodeDisk,
    after: applied.persons,
    onCut: (part) => log.warn("the journal's torn end was cut off", part),
  });
  checkTogether(directory, { ...applied, first: journal.first(), last: journal.durable() });
  if (applied.events < journal.durable()) {
    const events = journal.durable() - applied.events;
    log.warn("the event store is behind: it is brought up from the journal", { events });
  }
  return { duckdb, eventsStored, journal };
}

/** Random bytes for keys and ids. */
export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}
