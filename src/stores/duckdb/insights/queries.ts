import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type {
  Answered,
  Found,
  InsightQueries,
  MentionedName,
  Plan,
} from "../../../core/ports/insights.ts";
import { propertyFiltersOf } from "../../../core/queries/behavior.ts";
import type { Query } from "../../../core/queries/insight.ts";
import type { EventFilters } from "../../../core/queries/query-fields.ts";
import { Failure } from "../../../core/values/failure.ts";
import { rows } from "../engine/duckdb.ts";
import { isOutOfMemory } from "../engine/faults.ts";
import type { ApiReads } from "../engine/query-deadline.ts";
import { readableColumns } from "../events/hot-columns.ts";
import { firstEventAt } from "../lists/first-event.ts";
import { eventNames, missingNames } from "../lists/names.ts";
import { type Omitted, omittedProperties } from "../lists/omitted-properties.ts";
import { binder, checkPatterns } from "../lists/property-filter.ts";
import { type VocabularySources, vocabulary } from "../lists/vocabulary.ts";
import { actorsSql, foundActors } from "./actors.ts";
import { eventTables } from "./event-tables.ts";
import { funnelFound, funnelSql } from "./funnels.ts";
import { lifecycleRow, lifecycleSql } from "./lifecycle.ts";
import { pathsRow, pathsSql } from "./paths.ts";
import { retentionRow, retentionSql } from "./retention.ts";
import { type Row, type Statement, sqlOf, type Target } from "./statement.ts";
import { stickinessRow, stickinessSql } from "./stickiness.ts";
import { trendsFound, trendsOrder, trendsSql } from "./trends.ts";

/** Receives the properties of events that a query read without a hot column, and its time. */
export type NoteUse = (properties: ReadonlySet<string>, ms: number) => void;

const NO_SOURCES: VocabularySources = { groupTypes: async () => [], words: async () => [] };

/** Names that are remembered once something has them, since the tiles of a dashboard ask for them again and again. */
const SEEN_NAMES_MAX = 10_000;

/** Runs queries of events in DuckDB. */
export function insightQueries(
  reads: ApiReads,
  noteUse: NoteUse = () => undefined,
  sources = NO_SOURCES,
): InsightQueries {
  const seen = new Set<string>();
  type Run = (statement: (target: Target) => Statement) => Promise<Row[]>;
  const runner = <T>(
    project: number,
    query: Query,
    signal: AbortSignal,
    work: (run: Run) => Promise<T>,
  ): Promise<T> =>
    reads.read(signal, async (connection) => {
      const used = new Set<string>();
      const beganMs = performance.now();
      const promoted = await readableColumns(connection);
      const omitted = await omittedProperties(connection, project);
      const onUse = (property: string) => used.add(property);
      const events = { project, promoted, omitted, onUse };
      await checkPatterns(connection, propertyFiltersOf(filtersOf(query)), "query");
      try {
        return await work(async (statement) => {
          const { bind, values } = binder();
          const source = eventTables(events, bind);
          const sql = sqlOf(statement({ bind, project, source }));
          return await rowsOf(connection, sql, values);
        });
      } catch (error) {
        throw isOutOfMemory(error) ? withoutMemory({ query, omitted, used }, error) : error;
      } finally {
        // Also for a query that ran out of time, because such queries need columns most.
        noteUse(used, performance.now() - beganMs);
      }
    });
  return {
    run: (project, plan, signal) =>
      runner(project, plan.query, signal, async (run) => {
        const { statements, resultOf } = compiled(plan);
        const results: Row[][] = [];
        for (const statement of statements) results.push(await run(statement));
        return { kind: plan.query.kind, plan, found: resultOf(results) } as Answered;
      }),
    actors: (project, asked, part, signal) =>
      runner(project, asked.plan.query, signal, async (run) =>
        foundActors(await run((target) => actorsSql(target, asked, part))),
      ),
    async missing(project, names, signal) {
      const keyOf = ({ of, name }: MentionedName) => `${project} ${of} ${name}`;
      const asked = names.filter((one) => !seen.has(keyOf(one)));
      if (asked.length === 0) return [];
      const read = (connection: DuckDBConnection) => missingNames(connection, project, asked);
      const missing = await reads.read(signal, read);
      if (seen.size > SEEN_NAMES_MAX) seen.clear();
      for (const one of asked) if (!missing.includes(one)) seen.add(keyOf(one));
      return missing;
    },
    names: (project, signal) => reads.read(signal, (connection) => eventNames(connection, project)),
    vocabulary: (project, signal) =>
      reads.read(signal, (connection) => vocabulary(connection, project, sources)),
    firstEventAt: (project, signal) =>
      reads.read(signal, (connection) => firstEventAt(connection, project)),
  };
}

type Read = {
  query: Query;
  omitted: Omitted;
  /** The properties of events that the query reads. */
  used: Iterable<string>;
};

/** Returns the failure of a query without memory that names the property whose values are long; else the error. */
export function withoutMemory({ query, omitted, used }: Read, error: Error): Error {
  const by = "breakdown" in query ? (query.breakdown?.by ?? []) : [];
  const large = by.find(({ of: { type }, property }) => {
    return (type === "event" || type === "person" || type === "group") && omitted(type, property);
  });
  if (large !== undefined) {
    const name = JSON.stringify(large.property);
    const detail = `The values of ${name} are too large for a breakdown: together they exceed the memory. Filter by it, or group by a part of it in SQL, such as substring(properties.${name}, 1, 100).`;
    return new Failure("invalid_input", detail, "query__breakdownFilter");
  }
  const long = [...used].find((property) => omitted("event", property));
  if (long === undefined) return error;
  const detail = `Reading the long values of ${JSON.stringify(long)} takes more memory than is free now. Try again later, ask for a shorter time, or start the server with more --memory.`;
  return new Failure("unavailable", detail);
}

async function rowsOf(
  connection: DuckDBConnection,
  sql: string,
  values: Record<string, DuckDBValue>,
): Promise<Row[]> {
  const found = await rows(connection, sql, values);
  return found.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  );
}

/** Returns a number, text, boolean or list of them; null for a number that is not finite. */
function plain(value: DuckDBValue): Row[string] {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || typeof value !== "object") return value;
  return "items" in value ? (value.items as DuckDBValue[]).map(plain) : String(value);
}

function filtersOf(query: Query): EventFilters {
  switch (query.kind) {
    case "FunnelsQuery":
      return [...query.steps, ...query.exclusions].flatMap(({ filters }) => filters);
    case "RetentionQuery":
      return [query.target, query.returning].flatMap(({ filters }) => filters);
    case "PathsQuery":
      return query.filters;
    case "LifecycleQuery":
      return query.series.filters;
    default:
      return query.series.flatMap(({ filters }) => filters);
  }
}

/** The statements of a query, and the function from their rows to the result. */
type Compiled = {
  /** A trend has one for each series and period, a stickiness one for each series, other kinds one. */
  statements: ((target: Target) => Statement)[];
  /** Columns by which the rows of all statements together are ordered; empty for one statement. */
  order: string;
  resultOf: (rows: Row[][]) => Found[Plan["query"]["kind"]];
};

/** Compiles a query of any kind. */
export function compiled(plan: Plan): Compiled {
  const { query, period } = plan;
  const bucketIndexes = new Map<unknown, number>(
    period.buckets.map((bucket, index) => [bucket, index]),
  );
  const one = (statement: (target: Target) => Statement, read: (row: Row) => unknown) => ({
    statements: [statement],
    order: "",
    resultOf: ([rows = []]: Row[][]) =>
      rows.map(read).filter((row) => row !== undefined) as Found["PathsQuery"],
  });
  switch (query.kind) {
    case "TrendsQuery": {
      const trends = { ...plan, query };
      return {
        statements: trendsSql(trends),
        order: trendsOrder(trends),
        resultOf: (all) => trendsFound(trends, all.flat()),
      };
    }
    case "FunnelsQuery":
      return {
        statements: [(target) => funnelSql(target, query, period)],
        order: "",
        resultOf: ([rows = []]) => funnelFound(rows, query),
      };
    case "RetentionQuery":
      return one(
        (target) => retentionSql(target, query, period),
        (row) => retentionRow(row, bucketIndexes),
      );
    case "PathsQuery":
      return one((target) => pathsSql(target, query, period), pathsRow);
    case "LifecycleQuery":
      return one(
        (target) => lifecycleSql(target, query, period),
        (row) => lifecycleRow(row, bucketIndexes),
      );
    case "StickinessQuery":
      return {
        statements: stickinessSql(query, period),
        order: "series, intervals",
        resultOf: (all) => all.map((some) => some.map(stickinessRow)),
      };
  }
}
