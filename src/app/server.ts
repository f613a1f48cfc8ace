import { join } from "node:path";
import { type FirstStart, prepare } from "../core/access/first-start.ts";
import type { Keys } from "../core/access/keys.ts";
import type { Projects } from "../core/access/projects.ts";
import { type Users, users } from "../core/access/users.ts";
import { type Archiving, startArchiving } from "../core/archive/archive-runs.ts";
import { type Capture, capture } from "../core/capture/capture.ts";
import {
  type DeletionRunNeeds,
  type DeletionRuns,
  startDeletionRuns,
} from "../core/erasure/deletion-runs.ts";
import {
  type DeletionDesk,
  type Deletions,
  deletionDesk,
  deletions,
} from "../core/erasure/deletions.ts";
import type { Definitions } from "../core/events/definitions.ts";
import type { Events } from "../core/events/events.ts";
import { aboveFloor, type Room } from "../core/ingest/disk-floor.ts";
import { type Ingest, startIngest } from "../core/ingest/ingest.ts";
import type { Insights } from "../core/insights/insights.ts";
import type { LogQueries } from "../core/logs/log-query.ts";
import { type Logs, logs } from "../core/logs/logs.ts";
import { type MetricNeeds, type Metrics, metrics } from "../core/operations/metrics.ts";
import { readiness } from "../core/operations/readiness.ts";
import { timings } from "../core/operations/timings.ts";
import { type Activities, activities } from "../core/persons/activity-log.ts";
import { type Groups, groups } from "../core/persons/groups.ts";
import { type PersonEdits, personEdits } from "../core/persons/person-edits.ts";
import type { Persons } from "../core/persons/persons.ts";
import { type Playlists, playlists } from "../core/playlists/playlists.ts";
import type { DeletionRow } from "../core/ports/erasure.ts";
import type { Journal } from "../core/ports/journal.ts";
import type { Sql } from "../core/sql/sql.ts";
import type { Clock } from "../core/values/time.ts";
import { type Warnings, warnings } from "../core/warnings/warnings.ts";
import type { Meter } from "../http/request/body.ts";
import { type HttpNeeds, type HttpServer, httpServer } from "../http/server.ts";
import type { Archive } from "../stores/archive/archive.ts";
import { EVENTS_DIRECTORY } from "../stores/duckdb/engine/duckdb.ts";
import { orUnavailable } from "../stores/duckdb/engine/faults.ts";
import { removeSetAside } from "../stores/duckdb/events/set-aside.ts";
import { removeLeftovers } from "../stores/files/erase-leftovers.ts";
import { storeSizes } from "../stores/files/volume.ts";
import { activityReads } from "../stores/sqlite/activity.ts";
import { deletionReads } from "../stores/sqlite/deletions.ts";
import { groupReads } from "../stores/sqlite/groups.ts";
import { personReads } from "../stores/sqlite/persons/list.ts";
import { playlistReads } from "../stores/sqlite/playlists.ts";
import { userReads } from "../stores/sqlite/users.ts";
import { warningReads } from "../stores/sqlite/warnings.ts";
import { VERSION } from "./process/version.ts";
import { SELF, searches } from "./services.ts";
import type { Settings } from "./settings/settings.ts";
import {
  type Base,
  elapsedMs,
  openBase,
  openEvents,
  openRoom,
  orUndo,
  randomBytes,
  type Surroundings,
} from "./stores.ts";
import { startDecoder } from "./threads/start.ts";

/** How long what a start that fails has begun may take to end, in milliseconds. */
const UNDO_MS_MAX = 5000;

/** The part of the appliance that the CLI administers; the event store stays closed. */
export type Admin = { projects: Projects; keys: Keys; deletionDesk: DeletionDesk };

/** The whole appliance, serving. */
export type App = Admin & {
  capture: Capture;
  logs: Logs;
  logQueries: LogQueries;
  persons: Persons;
  personEdits: PersonEdits;
  activities: Activities;
  definitions: Definitions;
  deletions: Deletions;
  deletionRuns: DeletionRuns;
  events: Events;
  groups: Groups;
  insights: Insights;
  sql: Sql;
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

/** Opens projects and keys alone. Throws DataError if the directory cannot be used. */
export async function openAdmin(
  settings: Settings,
  surroundings: Surroundings,
): Promise<Admin & { close(): Promise<void> }> {
  const base = await openBase(settings, surroundings);
  const { projects, keys: personal, close } = base;
  return { projects, keys: personal, deletionDesk: desk(base, surroundings.now), close };
}

/**
 * Opens everything and starts to ingest; the only place that knows all layers (decision 1). Throws DataError if
 * the directory cannot be used.
 */
export async function openApp(settings: Settings, surroundings: Surroundings): Promise<App> {
  const { now, log } = surroundings;
  const base = await openBase(settings, surroundings);
  const { sqlite, projects, stores } = base;
  const { slices } = stores;
  const stored = await orUndo(openEvents(settings, base, surroundings), base.close);
  const { duckdb, eventsStored, journal, restoring } = stored;
  const room = openRoom(settings, base.directory, surroundings);
  const replayUntil = journal.durable();
  const { idleMs } = surroundings;
  const ingest = await startIngest({ ...stored.ingestNeeds, idleMs, room, log });
  const archiving = startArchiving({ ...stored.archivingNeeds, ingest, log });
  const decoder = startDecoder(log);
  const newUuid = () => Bun.randomUUIDv7();
  const state = { draining: false };
  const meter: Meter = { held: 0 };
  const outside = { now, newUuid, log };
  const taking = aboveFloor(journal, room);
  const accepting = { ...outside, journal: taking, decoder: decoder.decoder, ingest };
  const isBehind = () => restoring.active() || ingest.applied() < replayUntil;
  // What has nowhere to go will not be there soon: until then, what there is is shown (decision 66).
  const isNotThere = () => restoring.active() || (isBehind() && !ingest.held());
  const reads = personReads(sqlite);
  const editing = { reads, restoring, ingest, journal };
  const services = {
    projects,
    keys: base.keys,
    capture: capture({ ...accepting, projects }),
    logs: logs(accepting),
    personEdits: personEdits({ ...editing, store: stores.persons, slices, now }),
    activities: activities(activityReads(sqlite), reads),
    ...searches({ ...stored, base, reads, isBehind: isNotThere, ingest, now, settings, log }),
    ...records(base, now),
  };
  const counted = { archive: stored.archiveCounts, journalLost: stored.lost.count };
  const parts = { ingest, journal, meter, room, ...counted, now };
  const watched = watch({ services, base, parts, isBehind, isRestoring: restoring.active, state });
  const eraseArchived = archiveEraser(base.directory, stored.archive, archiving);
  const running = { events: eventsStored, ingest, journal, eraseArchived, now, log };
  const deletionRuns = runsOf(settings, base, running);
  const close = async (deadlineMs: number) => {
    const deleted = await deletionRuns.stop(deadlineMs);
    const archived = archiving.stop(deadlineMs);
    const promoted = services.promoting.stop();
    await journal.close();
    decoder.close();
    // What still goes on is left to the next start, and the process must end.
    const applied = await ingest.stop(deadlineMs);
    if (!(deleted && applied && (await archived))) return;
    await promoted;
    await duckdb.close();
    await base.close();
  };
  const prepared = prepare({ ...services, ...keysOf(settings), log });
  return {
    ...services,
    deletionRuns,
    metrics: watched.metrics,
    ingest,
    firstStart: await orUndo(prepared, () => close(UNDO_MS_MAX)),
    http: (listenUrl, connectionOf = () => undefined) =>
      httpServer({
        ...services,
        ...watched,
        meter,
        ...addressed(settings),
        ...outside,
        version: VERSION,
        connectionOf,
        listenUrl,
      }),
    drain() {
      state.draining = true;
    },
    close,
  };
}

type Watched = {
  services: Pick<App, "capture" | "warnings">;
  base: Base;
  parts: Pick<MetricNeeds, "archive" | "journalLost" | "meter" | "now"> & {
    ingest: Ingest;
    journal: Journal;
    room: Room;
  };
  isBehind: () => boolean;
  isRestoring: () => boolean;
  state: { draining: boolean };
};

/** What the server knows and tells of itself. */
function watch({ services, base, parts, isBehind, isRestoring, state }: Watched) {
  const reasons = readiness({
    ...parts,
    isBehind,
    isRestoring,
    refusing: services.capture.refusing,
    isDraining: () => state.draining,
    elapsedMs,
  });
  const measuredTimings = timings(elapsedMs);
  return {
    timings: measuredTimings,
    readiness: () => ({ ready: reasons().length === 0, reasons: reasons() }),
    metrics: metrics({
      ...services,
      ...SELF,
      ...parts,
      timings: measuredTimings,
      tasks: deletionReads(base.sqlite),
      sizes: () => storeSizes(base.directory),
      isReady: () => reasons().length === 0,
    }),
  };
}

/** The keys that the settings bring. */
function keysOf({ project_key: projectKey, personal_key: personalKey }: Settings) {
  return { projectKey, personalKey };
}

function addressed({ prefer, public_url, allowed_hosts, trusted_proxies }: Settings) {
  const [publicUrl, allowedHosts] = [public_url, allowed_hosts];
  return { prefer, publicUrl, allowedHosts, trustedProxies: trusted_proxies };
}

function runsOf(
  { deletions_weekly: weekly, deletions_nightly: nightly }: Settings,
  { directory, stores: { deletionRuns: writes, slices } }: Base,
  needs: Pick<DeletionRunNeeds, "events" | "ingest" | "journal" | "eraseArchived" | "now" | "log">,
): DeletionRuns {
  const patterns = { weekly, nightly };
  return startDeletionRuns({ ...needs, directory, writes, slices, removeLeftovers, patterns });
}

/** Takes the events of deletions out of the archive, and what is in the journal alone into it. */
function archiveEraser(directory: string, archive: Archive, archiving: Archiving) {
  return async (tasks: readonly DeletionRow[]): Promise<void> => {
    await orUnavailable(archive.erase(tasks));
    await orUnavailable(archiving.run());
    removeSetAside(join(directory, EVENTS_DIRECTORY));
  };
}

function desk({ sqlite, stores }: Pick<Base, "sqlite" | "stores">, now: Clock): DeletionDesk {
  const [reads, users] = [deletionReads(sqlite), userReads(sqlite)];
  return deletionDesk({ reads, writes: stores.deletionRuns, users, now });
}

/** What is kept in SQLite and has no part in ingest. */
function records({ sqlite, projects, stores }: Base, now: Clock) {
  return {
    deletions: deletions(deletionReads(sqlite)),
    deletionDesk: desk({ sqlite, stores }, now),
    groups: groups(groupReads(sqlite)),
    playlists: playlists({
      reads: playlistReads(sqlite),
      writes: stores.playlists,
      projects,
      now,
      randomBytes,
    }),
    users: users(userReads(sqlite)),
    warnings: warnings(warningReads(sqlite)),
  };
}
