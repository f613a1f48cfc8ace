import type { Principal } from "../access/key.ts";
import type { Projects } from "../access/projects.ts";
import type { DeletionKind } from "../erasure/deletion.ts";
import { nextDue } from "../erasure/schedules.ts";
import type { IsCatchingUp } from "../events/freshness.ts";
import type { DiskGuard } from "../ingest/backpressure.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { DeletionReads } from "../ports/erasure.ts";
import type { EventExtent, EventReads } from "../ports/events.ts";
import type { Log } from "../ports/log.ts";
import type { StoreSizes, Volumes } from "../ports/volume.ts";
import type { WarningReads, WarningRow } from "../ports/warnings.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { type Meaning, meaningOf } from "../warnings/meanings.ts";
import { type Advice, adviceFor } from "./advice.ts";
import { ARRIVALS_MINUTES, type Arrivals, type CountedRefusal } from "./arrivals.ts";
import type { Reason } from "./readiness.ts";

/** Types of warnings in a status: the latest. */
export const STATUS_WARNINGS_MAX = 10;

/** Milliseconds after which times of the store are read again, if events came since. */
const FRESH_MS = 60_000;

/** Milliseconds that such a reading may take for times to be read again at each call. */
const QUICK_MS = 20;

/** Milliseconds that disk, sizes and schedules are kept: one reading serves all visitors who ask at once. */
const FACTS_MS = 1000;

/** A regular run: its times, ISO 8601. `last_run_at` is when the last completed run was due. */
export type ScheduledRun = {
  kind: DeletionKind;
  cron: string;
  next_run_at: string | null;
  last_run_at: string | null;
};

/** How events of a project arrive, and whether the server does its work. Times are ISO 8601. */
export type ProjectStatus = {
  /** When the first stored event arrived; null without events. In large projects up to a minute old. */
  first_event_at: string | null;
  /** When the last stored event arrived; null without events. In large projects up to a minute old. */
  last_event_at: string | null;
  events_last_minute: number;
  /** Accepted events of all projects that queries do not see yet. */
  waiting: number;
  /** How long the oldest of them waits, in milliseconds. */
  lag_ms: number;
  arrivals: {
    minutes: number;
    accepted: number;
    dropped: number;
    /** Of all projects, the newest first. Empty for a key that is confined to projects. */
    refused: (Omit<CountedRefusal, "at"> & { at: string })[];
  };
  warnings: (Meaning & Pick<WarningRow, "type" | "count" | "first_at" | "last_at">)[];
  advice: Advice[];
  server: {
    version: string;
    /** The path of the data directory, for commands; null for a key that is confined to projects. */
    data_directory: string | null;
    ready: boolean;
    reasons: Reason[];
    disk_free: number | null;
    stores: Pick<StoreSizes, "events" | "loads" | "sqlite"> & { journal: number };
    schedules: ScheduledRun[];
  };
};

type Needs = {
  arrivals: Arrivals;
  events: Pick<EventReads, "extent">;
  projects: Pick<Projects, "get">;
  warnings: Pick<WarningReads, "list">;
  deletions: Pick<DeletionReads, "lastDue">;
  ingest: Pick<Ingest, "applied" | "lag">;
  journal: { bytes(): number };
  /** Sequence numbers of the journal that were gone at the start. */
  journalLost: () => number;
  diskGuard: Pick<DiskGuard, "figures">;
  sizes: Volumes["sizes"];
  readiness: () => { ready: boolean; reasons: Reason[] };
  patterns: Readonly<Record<DeletionKind, string>>;
  isCatchingUp: IsCatchingUp;
  now: Clock;
  version: string;
  /** The absolute path of the data directory. */
  directory: string;
  log: Log;
};

/** Reports the status of projects, cheap enough to be asked every two seconds. */
export type Status = {
  /** Fails `not_found`. */
  read(project: number, principal: Pick<Principal, "scoped_teams">): Promise<ProjectStatus>;
};

/** Reads the status from memory and small tables; of the event store only two times of the project's events. */
export function status(needs: Needs): Status {
  const { arrivals, projects, ingest, now } = needs;
  const extentOf = extents(needs);
  const factsNow = keptFacts(needs);
  return {
    async read(project, { scoped_teams }) {
      const { api_token, created_at } = await projects.get(project);
      const { first, last } = await extentOf(project);
      const { lastMinute, ...arrived } = arrivals.of(project);
      const refused = scoped_teams === null ? arrivals.refused() : [];
      const lag_ms = arrivals.waitMs(ingest.applied());
      const { rows } = await needs.warnings.list(
        project,
        {},
        { limit: STATUS_WARNINGS_MAX, offset: 0 },
      );
      const { ready, reasons } = needs.readiness();
      const from = isoTime(now() - ARRIVALS_MINUTES * 60_000);
      const warnings = rows.filter(({ last_at }) => last_at >= from);
      const hasEvents = first !== null;
      return {
        first_event_at: first,
        last_event_at: last,
        events_last_minute: lastMinute,
        waiting: Math.max(0, ingest.lag()),
        lag_ms,
        arrivals: {
          minutes: ARRIVALS_MINUTES,
          ...arrived,
          refused: refused.map((one) => ({ ...one, at: isoTime(one.at) })),
        },
        warnings: rows.map(({ type, count, first_at, last_at }) => {
          return { type, ...meaningOf(type), count, first_at, last_at };
        }),
        advice: adviceFor({
          ...{ api_token, hasEvents, arrived, refused, warnings, lag_ms, reasons },
          lost: needs.journalLost(),
          loaded: arrivals.loadedBy(project),
        }),
        server: {
          version: needs.version,
          data_directory: scoped_teams === null ? needs.directory : null,
          ready,
          reasons,
          ...since(created_at, await factsNow()),
        },
      };
    },
  };
}

type Facts = Pick<ProjectStatus["server"], "disk_free" | "stores" | "schedules">;

/** Reads disk, stores and schedules, at most once in FACTS_MS. */
function keptFacts(needs: Needs): () => Promise<Facts> {
  let kept: { facts: Promise<Facts>; at: number } | undefined;
  return () => {
    const at = needs.now();
    if (kept === undefined || Math.abs(at - kept.at) > FACTS_MS) {
      kept = { facts: serverFacts(needs), at };
    }
    return kept.facts;
  };
}

async function serverFacts(needs: Needs): Promise<Facts> {
  const { diskGuard, sizes, journal, patterns, deletions, now } = needs;
  const { events, loads, sqlite } = sizes();
  const schedules: ScheduledRun[] = [];
  for (const [kind, cron] of Object.entries(patterns) as [DeletionKind, string][]) {
    const last_run_at = (await deletions.lastDue(kind)) ?? null;
    schedules.push({ kind, cron, next_run_at: nextDue(cron, now()) ?? null, last_run_at });
  }
  return {
    disk_free: diskGuard.figures()?.free ?? null,
    stores: { events, loads, sqlite, journal: journal.bytes() },
    schedules,
  };
}

/** The schedules, without runs that were due before the project was made. */
const since = (created_at: string, { schedules, ...facts }: Facts): Facts => ({
  ...facts,
  schedules: schedules.map(({ last_run_at, ...run }) => {
    const isOlder = last_run_at === null || last_run_at <= created_at;
    return { ...run, last_run_at: isOlder ? null : last_run_at };
  }),
});

const NO_EVENTS: EventExtent = { first: null, last: null };

/** Keeps the times of the first and the last event of each project where reading them takes long, as it scans columns. */
function extents({ events, ingest, isCatchingUp, now, log }: Needs) {
  const kept = new Map<
    number,
    { extent: EventExtent; at: number; seq: number; isQuick: boolean }
  >();
  const reading = new Map<number, Promise<EventExtent>>();

  const read = async (project: number): Promise<EventExtent> => {
    const [seq, began] = [ingest.applied(), now()];
    try {
      const extent = await events.extent(project, new AbortController().signal);
      kept.set(project, { extent, at: now(), seq, isQuick: now() - began <= QUICK_MS });
      return extent;
    } catch (error) {
      log.warn("the times of the first and the last event could not be read", { error });
      return kept.get(project)?.extent ?? NO_EVENTS;
    } finally {
      reading.delete(project);
    }
  };
  const readOnce = (project: number): Promise<EventExtent> => {
    const running = reading.get(project) ?? read(project);
    reading.set(project, running);
    return running;
  };

  return async (project: number): Promise<EventExtent> => {
    const known = kept.get(project);
    if (isCatchingUp()) return known?.extent ?? NO_EVENTS;
    if (known === undefined) return readOnce(project);
    if (known.seq === ingest.applied()) return known.extent;
    // A page waits for the first event, and for the ones after it.
    if (known.extent.first === null || known.isQuick) return readOnce(project);
    if (Math.abs(now() - known.at) > FRESH_MS) void readOnce(project);
    return known.extent;
  };
}
