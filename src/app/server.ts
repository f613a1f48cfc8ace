import { type FirstStart, prepare } from "../core/access/first-start.ts";
import { startArchiving } from "../core/archive/archive-runs.ts";
import type { DeletionRuns } from "../core/erasure/deletion-runs.ts";
import { diskGuard, rejectWhenDiskLow } from "../core/ingest/backpressure.ts";
import { type Ingest, startIngest } from "../core/ingest/ingest.ts";
import { startTypingWords } from "../core/insights/words/typed-words.ts";
import { type HttpNeeds, type HttpServer, httpServer } from "../http/server.ts";
import { openSalts } from "../stores/files/daily-salts.ts";
import { volumeOf } from "../stores/files/volume.ts";
import { openEvents } from "./open-events.ts";
import { countryOf } from "./process/countries.ts";
import { elapsedMs, newUuid, randomBytes } from "./process/sources.ts";
import { VERSION } from "./process/version.ts";
import {
  type Admin,
  deletionQueue,
  openServices,
  type Services,
  startDeletions,
} from "./services.ts";
import type { Settings } from "./settings/settings.ts";
import { type Environment, openBase, openOrRollBack } from "./stores.ts";
import { startDecoder } from "./threads/start.ts";

/** The longest time in which a failed start closes its stores again, in milliseconds. */
const ROLL_BACK_MS_MAX = 5000;

/** The whole server. */
export type App = Services & {
  deletionRuns: DeletionRuns;
  ingest: Ingest;
  /** The keys that the first start made; undefined on every other start. */
  firstStart: FirstStart | undefined;
  /** The HTTP server for requests to `listenUrl`; `connectionOf` gives the connection of a request. */
  http(listenUrl: string, connectionOf?: HttpNeeds["connectionOf"]): HttpServer;
  /** Refuses new events from now on; accepted ones are safe. */
  drain(): void;
  /** Applies what fits into `deadlineMs`, then closes all. The journal keeps the rest. */
  close(deadlineMs: number): Promise<void>;
};

/** Opens projects, keys and the queue of deletions alone. Throws DataError if the directory cannot be used. */
export async function openAdmin(
  settings: Settings,
  environment: Environment,
): Promise<Admin & { close(): Promise<void> }> {
  const base = await openBase(settings, environment);
  const deletionDesk = deletionQueue(base, environment.now);
  return { projects: base.projects, keys: base.keys, deletionDesk, close: base.close };
}

/**
 * Opens the server, in this order: directory and SQLite; archive, journal and event store; ingest; runs of
 * the archive; the thread for large bodies; services; runs of deletions. `close` ends with the directory. It
 * closes the journal before ingest, so that nothing new is accepted while the last events are applied. Throws DataError if the directory cannot be used.
 */
export async function openApp(settings: Settings, environment: Environment): Promise<App> {
  const { now, log } = environment;
  const base = await openBase(settings, environment);
  const events = await openOrRollBack(openEvents(settings, base, environment), base.close);
  const { volume = () => volumeOf(base.directory) } = environment;
  const guard = diskGuard({ volume, floorPercent: settings.disk_floor, elapsedMs, log });
  const { idleMs } = environment;
  const ingest = await startIngest({ ...events.ingestNeeds, idleMs, diskGuard: guard, log });
  const archiving = startArchiving({ ...events.archivingNeeds, ingest, log });
  const decoder = startDecoder(log);
  const journal = rejectWhenDiskLow(events.journal, guard);
  const salts = openSalts({ directory: base.directory, now, randomBytes, log });
  const sources = { now, newUuid, countryOf, salts: salts.current, log };
  const accepting = { ...sources, journal, decoder: decoder.decoder, ingest };
  const { descriptors } = environment;
  const services = openServices({
    settings,
    base,
    events,
    diskGuard: guard,
    descriptors,
    accepting,
  });
  const deletionRuns = startDeletions({ settings, base, events, archiving, ingest, now, log });
  const { insights, typing } = services;
  const words = startTypingWords({ ...typing, typed: insights.typed, log });
  const close = async (deadlineMs: number) => {
    await words.stop();
    salts.close();
    const deleted = await deletionRuns.stop(deadlineMs);
    const archived = archiving.stop(deadlineMs);
    const materialized = services.columnMaterializer.stop();
    await events.journal.close();
    decoder.close();
    const applied = await ingest.stop(deadlineMs);
    // Unfinished work is left to the next start: the process must end.
    if (!(deleted && applied && (await archived))) return;
    await materialized;
    await events.duckdb.close();
    await base.close();
  };
  const keys = { projectKey: settings.project_key, personalKey: settings.personal_key };
  const setUp = prepare({ ...services, ...keys, log });
  const firstStart = await openOrRollBack(setUp, () => close(ROLL_BACK_MS_MAX));
  return {
    ...services,
    deletionRuns,
    ingest,
    firstStart,
    http: (listenUrl, connectionOf = () => undefined) =>
      httpServer({
        ...services,
        ...{ deletionRuns, now, newUuid, log, connectionOf, listenUrl },
        version: VERSION,
        prefer: settings.prefer,
        publicUrl: settings.public_url,
        allowedHosts: settings.allowed_hosts,
        trustedProxies: settings.trusted_proxies,
        hasConsole: settings.console === "on",
        countryOf: settings.geoip === "on" ? countryOf : undefined,
      }),
    drain() {
      services.state.draining = true;
      services.live.end("shutting_down");
    },
    close,
  };
}
