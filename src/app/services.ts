import { definitions } from "../core/events/definitions.ts";
import { events } from "../core/events/events.ts";
import type { Ingest } from "../core/ingest/ingest.ts";
import { startPromoting } from "../core/insights/hot-columns.ts";
import { insights } from "../core/insights/insights.ts";
import { logQueries } from "../core/logs/log-query.ts";
import { personSearching } from "../core/persons/email-search.ts";
import { persons } from "../core/persons/persons.ts";
import { personMatching } from "../core/persons/property-search.ts";
import type { InsightDrafts } from "../core/ports/insights.ts";
import type { Log } from "../core/ports/log.ts";
import type { PersonReads } from "../core/ports/person-reads.ts";
import { sql } from "../core/sql/sql.ts";
import type { Clock } from "../core/values/time.ts";
import { insightDraft } from "../stores/duckdb/drafts/insight.ts";
import { draftSql } from "../stores/duckdb/drafts/statement.ts";
import { apiReads } from "../stores/duckdb/engine/query-deadline.ts";
import { promotions } from "../stores/duckdb/events/hot-columns.ts";
import { insightQueries } from "../stores/duckdb/insights/queries.ts";
import { definitionReads } from "../stores/duckdb/lists/definitions.ts";
import { eventReads } from "../stores/duckdb/lists/events.ts";
import { logReads } from "../stores/duckdb/lists/logs.ts";
import { personMatches } from "../stores/duckdb/lists/persons.ts";
import { sqlReads } from "../stores/duckdb/sql/sql.ts";
import { insightReads } from "../stores/sqlite/insights.ts";
import { addressPacks } from "../stores/sqlite/persons/email-index.ts";
import { personSearches } from "../stores/sqlite/persons/search.ts";
import { personSnapshots } from "../stores/sqlite/persons/snapshots.ts";
import { machine } from "./process/machine-limits.ts";
import { VERSION } from "./process/version.ts";
import type { Settings } from "./settings/settings.ts";
import { type Base, type openEvents, randomBytes } from "./stores.ts";

/** What this process is, and the bytes that it has in memory. */
export const SELF = { version: VERSION, memoryBytes: () => process.memoryUsage.rss() };

const MACHINE = { memoryBytesMax: machine().memoryBytes };

/** Bytes of a project's addresses that are held at most, and the share of memory that they may take. */
const PACK_BYTES_MAX = Math.min(67_108_864, MACHINE.memoryBytesMax / 16);

type Searched = Pick<Awaited<ReturnType<typeof openEvents>>, "duckdb" | "restoring"> & {
  base: Base;
  reads: PersonReads;
  isBehind: () => boolean;
  ingest: Pick<Ingest, "lag" | "mirrored" | "watch">;
  now: Clock;
  settings: Settings;
  log: Log;
};

/** Puts together what is looked for in the event store. */
export function searches(searched: Searched) {
  const { base, reads, duckdb, isBehind, ingest, now, settings, log } = searched;
  const { sqlite, stores, projects } = base;
  const kept = { reads: insightReads(sqlite), writes: stores.insights, randomBytes };
  const asked = apiReads(duckdb, settings.query_seconds, (error) => {
    log.warn("a read found no memory", { error });
  });
  const matches = personMatches(asked);
  const promoting = startPromoting({ ...searched, promotions: promotions(duckdb) });
  const drafts: InsightDrafts = { sql: insightDraft, overview: draftSql };
  const queries = insightQueries(asked, promoting.used);
  return {
    promoting,
    insights: insights({ ...kept, queries, drafts, projects, isBehind, now }),
    persons: persons({
      reads,
      matching: personMatching({
        matches,
        snapshots: personSnapshots(sqlite),
        ingest,
        isBehind,
      }),
      searching: personSearching({
        searches: personSearches(sqlite),
        packs: addressPacks(sqlite, PACK_BYTES_MAX),
        matches,
        isBehind,
      }),
      projects,
      now,
    }),
    definitions: definitions(definitionReads(asked), isBehind),
    events: events(eventReads(asked), isBehind),
    logQueries: logQueries({ reads: logReads(asked), projects, isBehind, now }),
    sql: sql({ reads: sqlReads(duckdb), isBehind, limits: settings, ...SELF, ...MACHINE }),
  };
}
