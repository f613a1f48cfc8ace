import { join } from "node:path";
import type { Settings } from "./config.ts";
import { checkTogether, LockedError, opened, useDirectory } from "./data-directory.ts";
import type { Clock } from "./domain/time.ts";
import type { Meter } from "./http/body.ts";
import { type HttpNeeds, type HttpServer, httpServer } from "./http/server.ts";
import type { Log, LogFormat } from "./log.ts";
import { type Activities, activities } from "./services/activity.ts";
import { type Capture, capture } from "./services/capture.ts";
import { type Deletions, deletions } from "./services/deletions.ts";
import { type Events, events } from "./services/events.ts";
import { type Groups, groups } from "./services/groups.ts";
import { type Ingest, startIngest } from "./services/ingest.ts";
import { type Keys, keys } from "./services/keys.ts";
import { type Logs, logs } from "./services/logs.ts";
import { type Metrics, metrics } from "./services/metrics.ts";
import { type PersonEdits, personEdits } from "./services/person-edits.ts";
import { type Persons, persons } from "./services/persons.ts";
import { type Playlists, playlists } from "./services/playlists.ts";
import { openProjects, type Projects } from "./services/projects.ts";
import { type FirstStart, prepare } from "./services/setup.ts";
import { type Users, users } from "./services/users.ts";
import { type Warnings, warnings } from "./services/warnings.ts";
import { activityReads } from "./storage/activity.ts";
import { deletionReads } from "./storage/deletions.ts";
import { nodeDisk } from "./storage/disk.ts";
import { openDuckdb } from "./storage/duckdb.ts";
import { eventStore } from "./storage/events.ts";
import { groupReads } from "./storage/groups.ts";
import { openJournal } from "./storage/journal.ts";
import { keyReads } from "./storage/keys.ts";
import { removeLoad } from "./storage/loads.ts";
import { lockDirectory } from "./storage/lock.ts";
import { personReads } from "./storage/person-list.ts";
import { personMatches } from "./storage/person-match.ts";
import { playlistReads } from "./storage/playlists.ts";
import { projectReads } from "./storage/projects.ts";
import { readSqlite } from "./storage/sqlite.ts";
import { userReads } from "./storage/users.ts";
import { warningReads } from "./storage/warnings.ts";
import { EXIT_INTERNAL, startDecoder, startWorker } from "./threads.ts";
import { VERSION } from "./version.ts";
import type { Writer } from "./writer.ts";

/** What the outside gives: time, the log, and where logs of other threads go. */
export type Surroundings = {
  now: Clock;
  log: Log;
  logFormat: LogFormat;
  /** How long ingest must be idle before it checkpoints, in milliseconds, if not as usual. */
  idleMs?: number;
};

/** The part of the appliance that the CLI administers; the event store stays closed. */
export type Admin = { projects: Projects; keys: Keys };

/** The whole appliance, serving. */
export type App = Admin & {
  capture: Capture;
  logs: Logs;
  persons: Persons;
  personEdits: PersonEdits;
  activities: Activities;
  deletions: Deletions;
  events: Events;
  groups: Groups;
  playlists: Playlists;
  users: Users;
  warnings: Warnings;
  metrics: Metrics;
  ingest: Ingest;
  /** What the first start made; undefined on every other start. */
  firstStart: FirstStart | undefined;
  /** The HTTP surface. `listenUrl` is where it is reached, `connectionOf` tells who is connected. */
  http(listenUrl: string, connectionOf?: HttpNeeds["connectionOf"]): HttpServer;
  /** Refuses new events from now on; those accepted before are safe. */
  drain(): void;
  /** Applies what fits into `deadlineMs`, closes what is open. The journal keeps the rest. */
  close(deadlineMs: number): Promise<void>;
};

const HOUR_MS = 3_600_000;
const MB = 1_000_000;

/** The event store's file that is in use. */
const GENERATION = 1;

/** What the process knows of itself. */
const SELF = { version: VERSION, memoryBytes: () => process.memoryUsage.rss() };

/** Opens projects and keys alone. Throws DataError if the directory cannot be used. */
export async function openAdmin(
  settings: Settings,
  surroundings: Surroundings,
): Promise<Admin & { close(): Promise<void> }> {
  const { projects, keys: personal, close } = await openBase(settings, surroundings);
  return { projects, keys: personal, close };
}

/** Opens everything and starts to ingest (decision 1). Throws DataError if the directory cannot be used. */
export async function openApp(settings: Settings, surroundings: Surroundings): Promise<App> {
  const { now, log } = surroundings;
  const base = await openBase(settings, surroundings);
  const { sqlite, projects, stores } = base;
  const { slices } = stores;
  const { duckdb, eventsStored, journal } = await openEvents(settings, base, log);
  const replayUntil = journal.durable();
  const ingest = await startIngest({
    journal,
    slices,
    events: eventsStored,
    removeLoad,
    windowMs: settings.dedup_window * HOUR_MS,
    idleMs: surroundings.idleMs,
    log,
  });
  const decoder = startDecoder(log);
  const newUuid = () => Bun.randomUUIDv7();
  const state = { draining: false };
  const meter: Meter = { held: 0 };
  const outside = { now, newUuid, log };
  const accepting = { ...outside, journal, decoder: decoder.decoder, onAccepted: ingest.wake };
  const isBehind = () => ingest.applied() < replayUntil;
  const reads = personReads(sqlite);
  const services = {
    projects,
    keys: base.keys,
    capture: capture({ ...accepting, projects }),
    logs: logs(accepting),
    persons: persons({ reads, matches: personMatches(duckdb), isBehind, now }),
    personEdits: personEdits({ reads, store: stores.persons, slices, ingest, journal, now }),
    activities: activities(activityReads(sqlite), reads),
    events: events(eventsStored, isBehind),
    ...records(base, now),
  };
  const reasons = () => [
    ...(state.draining ? ["shutting down"] : []),
    ...(isBehind() ? ["replaying the journal"] : []),
    ...(services.capture.refusing() ? ["events cannot be stored"] : []),
  ];
  const isReady = () => reasons().length === 0;
  const measured = metrics({ ...services, ...SELF, ingest, journal, meter, isReady, now });
  return {
    ...services,
    metrics: measured,
    ingest,
    firstStart: await prepare({
      ...services,
      projectKey: settings.project_key,
      personalKey: settings.personal_key,
      log,
    }),
    http: (listenUrl, connectionOf = () => undefined) =>
      httpServer({
        ...services,
        metrics: measured,
        meter,
        readiness: () => ({ ready: isReady(), reasons: reasons() }),
        prefer: settings.prefer,
        ...outside,
        version: VERSION,
        publicUrl: settings.public_url,
        allowedHosts: settings.allowed_hosts,
        trustedProxies: settings.trusted_proxies,
        connectionOf,
        listenUrl,
      }),
    drain() {
      state.draining = true;
    },
    async close(deadlineMs) {
      await journal.close();
      decoder.close();
      // A slice that is still being applied is left to the journal, and the process must end.
      if (!(await ingest.stop(deadlineMs))) return;
      await duckdb.close();
      await base.close();
    },
  };
}

/** What is kept in SQLite and has no part in ingest. */
function records({ sqlite, stores }: Awaited<ReturnType<typeof openBase>>, now: Clock) {
  return {
    deletions: deletions(deletionReads(sqlite)),
    groups: groups(groupReads(sqlite)),
    playlists: playlists({
      reads: playlistReads(sqlite),
      writes: stores.playlists,
      now,
      randomBytes,
    }),
    users: users(userReads(sqlite)),
    warnings: warnings(warningReads(sqlite)),
  };
}

/** Opens the event store and the journal, and checks that the stores belong together. */
async function openEvents(
  settings: Settings,
  { directory, stores }: Pick<Awaited<ReturnType<typeof openBase>>, "directory" | "stores">,
  log: Log,
) {
  const file = join(directory, "events", `${GENERATION}.duckdb`);
  const advice = "If it is damaged, move it away: it is made again from the journal.";
  const duckdb = await opened(file, advice, () =>
    openDuckdb({
      directory,
      generation: GENERATION,
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

/** What both ways of opening share. */
async function openBase(settings: Settings, surroundings: Surroundings) {
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

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}
