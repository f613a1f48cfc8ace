import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { Answered, InsightQueries } from "../../../core/ports/insights.ts";
import type { Query } from "../../../core/queries/insight.ts";
import type { EventFilters } from "../../../core/queries/query-fields.ts";
import { filtersIn } from "../../../core/values/property-filter.ts";
import { rows } from "../engine/duckdb.ts";
import type { ApiReads } from "../engine/query-deadline.ts";
import { readableColumns } from "../events/hot-columns.ts";
import { eventNames } from "../lists/names.ts";
import { binder, checkPatterns } from "../lists/property-filter.ts";
import { compiled } from "./compile.ts";
import { eventTables } from "./event-tables.ts";
import { type Row, sqlOf } from "./target.ts";

/** Receives the properties of events that a query read without a hot column, and its time. */
export type NoteUse = (properties: ReadonlySet<string>, ms: number) => void;

/** Queries of the events in DuckDB. */
export function insightQueries(
  reads: ApiReads,
  noteUse: NoteUse = () => undefined,
): InsightQueries {
  return {
    run: (project, plan, signal) =>
      reads.read(signal, async (connection) => {
        const [used, began] = [new Set<string>(), performance.now()];
        const promoted = await readableColumns(connection);
        const events = { project, promoted, onUse: (property: string) => used.add(property) };
        const patterns = filtersIn({ any: false, of: filtersOf(plan.query) });
        await checkPatterns(
          connection,
          patterns.map(({ filter }) => filter),
          "query",
        );
        const { statements, resultOf } = compiled(plan);
        const results: Row[][] = [];
        try {
          for (const statement of statements) {
            const { bind, values } = binder();
            const source = eventTables(events, bind);
            const sql = sqlOf(statement({ bind, project, source }));
            results.push(await rowsOf(connection, sql, values));
          }
        } finally {
          // A query that ran out of time needs columns most of all.
          noteUse(used, performance.now() - began);
        }
        return { kind: plan.query.kind, plan, found: resultOf(results) } as Answered;
      }),
    names: (project, signal, asked) =>
      reads.read(signal, (connection) => eventNames(connection, project, asked)),
  };
}

async function rowsOf(
  connection: DuckDBConnection,
  sql: string,
  values: Record<string, DuckDBValue>,
): Promise<Row[]> {
  const all = await rows(connection, sql, values);
  return all.map((row) =>
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
