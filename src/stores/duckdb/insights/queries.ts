import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type {
  Answered,
  Found,
  InsightQueries,
  Plan,
  PlanOf,
} from "../../../core/ports/insights.ts";
import type { Query } from "../../../core/queries/insight.ts";
import type { EventFilters } from "../../../core/queries/query-fields.ts";
import type { Series } from "../../../core/queries/trend.ts";
import { filtersIn } from "../../../core/values/property-filter.ts";
import { rows } from "../engine/duckdb.ts";
import type { ApiReads } from "../engine/query-deadline.ts";
import { promotedIn } from "../events/hot-columns.ts";
import { eventNames } from "../lists/names.ts";
import { type Bind, binder, checkPatterns } from "../lists/property-filter.ts";
import type { Scanned } from "./event-scan.ts";
import { funnelSql } from "./funnels.ts";
import { lifecycleSql } from "./lifecycle.ts";
import { pathsSql } from "./paths.ts";
import { retentionSql } from "./retention.ts";
import { stickinessSql } from "./stickiness.ts";
import { type TrendsPart, trendsSql } from "./trends.ts";

/** One statement of a query. */
type Statement = (bind: Bind) => string;

/** Told of the properties of events that a query looked at without a hot column, and of its time. */
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
        const promoted = await promotedIn(connection);
        const scanned = { project, promoted, onUse: (property: string) => used.add(property) };
        const patterns = filtersIn({ any: false, of: filtersOf(plan.query) });
        await checkPatterns(
          connection,
          patterns.map(({ filter }) => filter),
          "query",
        );
        const found: unknown[][] = [];
        try {
          for (const statement of statementsOf(scanned, plan)) {
            found.push(await ask(connection, statement));
          }
        } finally {
          // What did not end in its time needs columns most of all.
          noteUse(used, performance.now() - began);
        }
        return { kind: plan.query.kind, plan, found: foundOf(plan, found) } as Answered;
      }),
    names: (project, signal, asked) =>
      reads.read(signal, (connection) => eventNames(connection, project, asked)),
  };
}

async function ask(connection: DuckDBConnection, sql: Statement): Promise<unknown[]> {
  const { bind, values } = binder();
  const found = await rows(connection, sql(bind), values);
  return found.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  );
}

/** Texts, numbers and lists of them; what is no finite number is null. */
function plain(value: DuckDBValue): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value !== null && typeof value === "object" && "items" in value) {
    return (value.items as DuckDBValue[]).map(plain);
  }
  return value;
}

/** The rows of the statements, as the kind of the query has them. */
function foundOf({ query }: Plan, found: unknown[][]): Found[Query["kind"]] {
  if (query.kind === "TrendsQuery") {
    const [current, previous] = [0, query.series.length].map((at) =>
      found.slice(at, at + query.series.length),
    );
    return { current, previous } as Found["TrendsQuery"];
  }
  return (query.kind === "StickinessQuery" ? found : found[0]) as Found["StickinessQuery"];
}

function statementsOf(scanned: Scanned, plan: Plan): Statement[] {
  const { query, period } = plan;
  switch (query.kind) {
    case "TrendsQuery": {
      const trends = plan as PlanOf<"TrendsQuery">;
      const periods = [period, ...(plan.previous === null ? [] : [plan.previous])];
      return periods.flatMap((one) =>
        query.series.map(
          (_, index) => (bind) =>
            trendsSql(scanned, partOf(trends, index, one === period), one, bind),
        ),
      );
    }
    case "FunnelsQuery":
      return [(bind) => funnelSql(scanned, query, period, bind)];
    case "RetentionQuery":
      return [(bind) => retentionSql(scanned, query, period, bind)];
    case "PathsQuery":
      return [(bind) => pathsSql(scanned, query, period, bind)];
    case "LifecycleQuery":
      return [(bind) => lifecycleSql(scanned, query, period, bind)];
    case "StickinessQuery":
      return query.series.map(
        (series) => (bind) => stickinessSql(scanned, { ...query, series }, period, bind),
      );
  }
}

/** With a formula all series must tell the same values apart; and so must what is compared. */
function partOf(
  { query, period }: PlanOf<"TrendsQuery">,
  index: number,
  isCurrent: boolean,
): TrendsPart {
  const { formula, interval, breakdown } = query;
  const [first, own] = [query.series[0], query.series[index]] as [Series, Series];
  const series = formula === null ? own : first;
  const ranked = isCurrent && series === own ? null : { series, period };
  return { series: own, ranked, interval, breakdown };
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
