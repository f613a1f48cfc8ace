import type { Settings } from "./config.ts";
import type { Clock } from "./domain/time.ts";
import type { Meter } from "./http/body.ts";
import { type HttpNeeds, type HttpServer, httpServer } from "./http/server.ts";
import { type Activities, activities } from "./services/activity.ts";
import { type Capture, capture } from "./services/capture.ts";
import { type Deletions, deletions } from "./services/deletions.ts";
import { type Events, events } from "./services/events.ts";
import { type Groups, groups } from "./services/groups.ts";
import { type Ingest, startIngest } from "./services/ingest.ts";
import { type Insights, insights } from "./services/insights.ts";
import type { Keys } from "./services/keys.ts";
import { type Logs, logs } from "./services/logs.ts";
import { type Metrics, metrics } from "./services/metrics.ts";
import { type PersonEdits, personEdits } from "./services/person-edits.ts";
import { type Persons, persons } from "./services/persons.ts";
import { type Playlists, playlists } from "./services/playlists.ts";
import type { Projects } from "./services/projects.ts";
import { type FirstStart, prepare } from "./services/setup.ts";
import { type Users, users } from "./services/users.ts";
import { type Warnings, warnings } from "./services/warnings.ts";
import { activityReads } from "./storage/activity.ts";
import { deletionReads } from "./storage/deletions.ts";
import { draftSql } from "./storage/draft-sql.ts";
import { groupReads } from "./storage/groups.ts";
import { insightReads } from "./storage/insights.ts";
import { removeLoad } from "./storage/loads.ts";
import { personReads } from "./storage/person-list.ts";
import { personMatches } from "./storage/person-match.ts";
import { playlistReads } from "./storage/playlists.ts";
import { type TrendQueries, trendQueries } from "./storage/trends.ts";
import { userReads } from "./storage/users.ts";
import { warningReads } from "./storage/warnings.ts";
import {
  type Base,
  HOUR_MS,
  openBase,
  openEvents,
  randomBytes,
  type Surroundings,
} from "./stores.ts";
import { startDecoder } from "./threads.ts";
import { VERSION } from "./version.ts";

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
  insights: Insights;
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
  const accepting = { ...outside, journal, decoder: decoder.decoder, ingest };
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
    ...records(base, trendQueries(duckdb), isBehind, now),
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

/** What has no part in ingest. */
function records(
  { sqlite, stores, projects }: Base,
  trends: TrendQueries,
  isBehind: () => boolean,
  now: Clock,
) {
  const asked = { reads: insightReads(sqlite), writes: stores.insights, randomBytes, trends };
  return {
    deletions: deletions(deletionReads(sqlite)),
    groups: groups(groupReads(sqlite)),
    insights: insights({ ...asked, draft: draftSql, projects, isBehind, now }),
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
