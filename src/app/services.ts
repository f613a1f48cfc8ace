import { join } from "node:path";
import type { Keys } from "../core/access/keys.ts";
import type { Projects } from "../core/access/projects.ts";
import { runningQueries } from "../core/access/running-queries.ts";
import type { Archiving } from "../core/archive/archive-runs.ts";
import { capture } from "../core/capture/capture.ts";
import { annotations } from "../core/dashboards/annotations.ts";
import { dashboards } from "../core/dashboards/dashboards.ts";
import {
  type DeletionRunNeeds,
  type DeletionRuns,
  startDeletionRuns,
} from "../core/erasure/deletion-runs.ts";
import { type DeletionDesk, deletionDesk } from "../core/erasure/deletions.ts";
import { definitions } from "../core/events/definitions.ts";
import { liveEvents } from "../core/ingest/live.ts";
import { startColumnMaterializer } from "../core/insights/hot-columns.ts";
import { insights } from "../core/insights/insights.ts";
import { keptVocabulary } from "../core/insights/words/kept-vocabulary.ts";
import { logs } from "../core/logs/logs.ts";
import { arrivals } from "../core/operations/arrivals.ts";
import { activities } from "../core/persons/activity-log.ts";
import { bareIds } from "../core/persons/bare-ids.ts";
import { deletionPreview } from "../core/persons/deletion-preview.ts";
import { personMerges } from "../core/persons/merges.ts";
import { personEdits } from "../core/persons/person-edits.ts";
import { persons } from "../core/persons/persons.ts";
import { playlists } from "../core/playlists/playlists.ts";
import type { DeletionRow } from "../core/ports/erasure.ts";
import type { InsightDrafts } from "../core/ports/insights.ts";
import { sql } from "../core/sql/sql.ts";
import type { Clock } from "../core/values/time.ts";
import { EVENTS_DIRECTORY } from "../stores/duckdb/engine/duckdb.ts";
import { orUnavailable } from "../stores/duckdb/engine/faults.ts";
import { apiReads } from "../stores/duckdb/engine/query-deadline.ts";
import { materializedColumns, USE_SECONDS_MIN } from "../stores/duckdb/events/hot-columns.ts";
import { removeQuarantined } from "../stores/duckdb/events/quarantine.ts";
import { draftSql, insightDraft } from "../stores/duckdb/insights/drafts.ts";
import { selectEvents } from "../stores/duckdb/insights/event-tables.ts";
import { insightQueries } from "../stores/duckdb/insights/queries.ts";
import { tableReads } from "../stores/duckdb/insights/tables/tables.ts";
import { definitionReads } from "../stores/duckdb/lists/definitions.ts";
import { eventReads } from "../stores/duckdb/lists/events.ts";
import { logReads } from "../stores/duckdb/lists/logs.ts";
import { personSearch } from "../stores/duckdb/lists/persons.ts";
import { sqlReads } from "../stores/duckdb/sql/sql.ts";
import { removeLeftovers } from "../stores/files/erase-leftovers.ts";
import { machine } from "./process/machine-limits.ts";
import { randomBytes } from "./process/sources.ts";
import {
  deletionPatterns,
  type ServiceNeeds as Needs,
  reports,
  SELF,
  statusOf,
} from "./reports.ts";
import type { Base } from "./stores.ts";

const MACHINE = { memoryBytesMax: machine().memoryBytes };

/** The services that the command line uses; the event store stays closed. */
export type Admin = { projects: Projects; keys: Keys; deletionDesk: DeletionDesk };

/** All services, by name. */
export type Services = ReturnType<typeof openServices>;

/**
 * Builds the services of core on the stores (decision 1): services that accept events, that find and change
 * data, and that report on the server. The writes of SQLite are in `threads/store-worker.ts`.
 */
export function openServices(needs: Needs) {
  const { base, accepting } = needs;
  const { now, ingest } = accepting;
  const { reads, stores, projects, keys } = base;
  const { restoring, journal } = needs.events;
  const replayUntil = journal.durableSeq();
  const isCatchingUp = () => restoring.active() || ingest.applied() < replayUntil;
  // While a full disk stalls ingest, reads answer from the stored rows instead of 503 (decision 66).
  const isUnreadable = () => restoring.active() || (isCatchingUp() && !ingest.isStalled());
  const editing = { reads: reads.persons, restoring, ingest, journal, store: stores.persons };
  const arrived = arrivals(now);
  const found = searches(needs, isUnreadable);
  const services = {
    projects,
    keys,
    arrivals: arrived,
    capture: capture({ ...accepting, projects, arrived: arrived.count }),
    logs: logs(accepting),
    personEdits: personEdits({ ...editing, bareIds: found.bareIds, batches: stores.batches, now }),
    activities: activities(reads.activity, reads.persons),
    isCatchingUp: isUnreadable,
    now,
    ...found,
    ...records(base, now),
    sessions: base.sessions,
    instance: base.instance,
  };
  const reported = reports(needs, services, isCatchingUp);
  const live = liveEvents({ ...services, ingest, waitMs: arrived.waitMs, log: accepting.log });
  return { ...services, ...reported, live, status: statusOf(needs, services, reported.readiness) };
}

/** The services that read the event store. */
function searches(needs: Needs, isCatchingUp: () => boolean) {
  const { settings, base, events: opened, accepting } = needs;
  const { now, log, ingest } = accepting;
  const { reads, stores, projects } = base;
  const { duckdb, restoring } = opened;
  const insightStore = { reads: reads.insights, writes: stores.insights, randomBytes };
  const apiQueries = apiReads(duckdb, settings.query_seconds, (error) => {
    log.warn("a read found no memory", { error });
  });
  const columnMaterializer = startColumnMaterializer({
    ...{ restoring, ingest, now, log },
    materializedColumns: materializedColumns(duckdb),
  });
  const drafts: InsightDrafts = { sql: insightDraft, overview: draftSql };
  const { groups, definitions: notes } = reads;
  const found = insightQueries(apiQueries, columnMaterializer.used, {
    groupTypes: groups.types,
    words: notes.words,
  });
  const { vocabulary, drop } = keptVocabulary(found.vocabulary, now);
  const queries = { ...found, vocabulary };
  const statements = sql({
    reads: sqlReads(duckdb),
    now,
    timezoneOf: async (project) => (await projects.get(project)).timezone,
    isCatchingUp,
    limits: settings,
    ...SELF,
    ...MACHINE,
  });
  const events = eventReads(apiQueries, {
    select: selectEvents,
    noteUse: columnMaterializer.used,
  });
  const logs = logReads(apiQueries);
  const bare = bareIds({ reads: reads.persons, events, logs, warnings: reads.warnings });
  return {
    columnMaterializer,
    typing: { ...insightStore, projects, isCatchingUp },
    insights: insights({
      ...{ ...insightStore, queries, drafts, projects, groups, isCatchingUp, now },
      dropNames: drop,
      persons: reads.persons,
      tables: tableReads(apiQueries, columnMaterializer.used),
    }),
    dashboards: dashboards({
      ...{ reads: reads.dashboards, writes: stores.dashboards, insights: stores.insights },
      ...{ projects, now, randomBytes },
      async eventNames(project, signal) {
        if (isCatchingUp()) return undefined;
        const { events: found } = await queries.names(project, signal);
        return found.map(({ name }) => name);
      },
      onFrequent: (properties) => columnMaterializer.used(properties, USE_SECONDS_MIN * 1000),
    }),
    persons: persons({
      reads: reads.persons,
      search: personSearch(apiQueries, reads.persons),
      isCatchingUp,
      projects,
      now,
    }),
    definitions: definitions({
      ...{ reads: definitionReads(apiQueries), notes, writes: stores.definitions, isCatchingUp },
      onWords: drop,
    }),
    events,
    logReads: logs,
    bareIds: bare,
    merges: personMerges({ reads: reads.persons, events, isCatchingUp }),
    previewDeletion: deletionPreview({
      ...{ reads: reads.persons, bareIds: bare, events, logs, isCatchingUp, now },
      traces: stores.deletions.traces,
      patterns: deletionPatterns(settings),
    }),
    sql: statements,
    runningQueries: runningQueries(),
  };
}

/** The services on records, such as groups and playlists. */
function records(base: Base, now: Clock) {
  const { reads, projects, stores } = base;
  const writes = stores.playlists;
  return {
    annotations: annotations({
      ...{ reads: reads.annotations, writes: stores.annotations, projects, now },
    }),
    deletions: reads.deletions,
    deletionDesk: deletionQueue(base, now),
    groups: reads.groups,
    playlists: playlists({ reads: reads.playlists, writes, projects, now, randomBytes }),
    users: reads.users,
    warnings: reads.warnings,
  };
}

/** The queue of deletions, which the command line also uses. */
export function deletionQueue({ reads, stores }: Base, now: Clock): DeletionDesk {
  const { deletions, users } = reads;
  return deletionDesk({ reads: deletions, writes: stores.deletions, users, now });
}

/** Starts the schedules of deletions: they erase from both stores, the archive and the journal. */
export function startDeletions({
  settings,
  base,
  events: opened,
  archiving,
  ...needs
}: Omit<Needs, "diskGuard" | "descriptors" | "accepting"> & {
  archiving: Archiving;
} & Pick<DeletionRunNeeds, "ingest" | "now" | "log">): DeletionRuns {
  const { directory, stores } = base;
  const eraseArchived = async (tasks: readonly DeletionRow[]): Promise<void> => {
    await orUnavailable(opened.archive.erase(tasks));
    // Events that only the journal has go into the archive, without the erased ones.
    await orUnavailable(archiving.run());
    removeQuarantined(join(directory, EVENTS_DIRECTORY));
  };
  return startDeletionRuns({
    ...needs,
    ...{ directory, eraseArchived, removeLeftovers },
    events: opened.eventsStored,
    journal: opened.journal,
    writes: stores.deletions,
    batches: stores.batches,
    patterns: deletionPatterns(settings),
  });
}
