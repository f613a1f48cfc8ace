import type { Settings } from "./config.ts";
import type { Clock } from "./domain/time.ts";
import type { Log } from "./log.ts";
import { machine } from "./machine.ts";
import { definitions } from "./services/definitions.ts";
import { events } from "./services/events.ts";
import type { Ingest } from "./services/ingest.ts";
import { insights } from "./services/insights.ts";
import { logQueries } from "./services/log-query.ts";
import { personMatching } from "./services/person-matching.ts";
import { personSearching } from "./services/person-searching.ts";
import { persons } from "./services/persons.ts";
import { startPromoting } from "./services/promoting.ts";
import { sql } from "./services/sql.ts";
import { addressPacks } from "./storage/address-packs.ts";
import { apiReads } from "./storage/api-reads.ts";
import { definitionReads } from "./storage/definitions.ts";
import { draftSql } from "./storage/draft-sql.ts";
import { eventReads } from "./storage/event-list.ts";
import { insightQueries } from "./storage/insight-queries.ts";
import { insightReads } from "./storage/insights.ts";
import { logReads } from "./storage/log-list.ts";
import type { PersonReads } from "./storage/person-list.ts";
import { personMatches } from "./storage/person-match.ts";
import { personSearches } from "./storage/person-search.ts";
import { personSnapshots } from "./storage/person-snapshots.ts";
import { promotions } from "./storage/promotions.ts";
import { sqlReads } from "./storage/sql.ts";
import { type Base, type openEvents, randomBytes } from "./stores.ts";
import { VERSION } from "./version.ts";

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
  const queries = insightQueries(asked, promoting.used);
  return {
    promoting,
    insights: insights({ ...kept, queries, draft: draftSql, projects, isBehind, now }),
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
