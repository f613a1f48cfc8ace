import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { Query } from "../domain/insight.ts";
import type { Period } from "../domain/insight-period.ts";
import type { EventFilter } from "../domain/query-fields.ts";
import type { Trends } from "../domain/trend.ts";
import type { EventNames } from "../domain/words-names.ts";
import { type Duckdb, quoted, rows } from "./duckdb.ts";
import { eventNames } from "./event-names.ts";
import type { Scanned } from "./event-scan.ts";
import { type FunnelRow, funnelSql } from "./funnels.ts";
import { type LifecycleRow, lifecycleSql } from "./lifecycle.ts";
import { type PathsRow, pathsSql } from "./paths.ts";
import { promotedIn } from "./promotions.ts";
import { type Bind, binder, checkPatterns } from "./property-match.ts";
import { type RetentionRow, retentionSql } from "./retention.ts";
import { type StickinessRow, stickinessSql } from "./stickiness.ts";
import { type TrendsPart, type TrendsRow, trendsSql } from "./trends.ts";

/** A query of one kind with everything that it depends on. */
export type PlanOf<Kind extends Query["kind"]> = {
  query: Extract<Query, { kind: Kind }>;
  /** Of a lifecycle, with the interval before the first that is told of. */
  period: Period;
  /** What it is compared to; only trends are. */
  previous: Period | null;
  /** IANA name of the zone whose clock the periods are on. */
  timezone: string;
};

/** A query of any kind with everything that it depends on. */
export type Plan = { [Kind in Query["kind"]]: PlanOf<Kind> }[Query["kind"]];

/** The rows that each kind of query finds; lists are by series. */
export type Found = {
  TrendsQuery: { current: TrendsRow[][]; previous: TrendsRow[][] };
  FunnelsQuery: FunnelRow[];
  RetentionQuery: RetentionRow[];
  PathsQuery: PathsRow[];
  LifecycleQuery: LifecycleRow[];
  StickinessQuery: StickinessRow[][];
};

/** A query and what it found. */
export type Answered = {
  [Kind in Query["kind"]]: { kind: Kind; plan: PlanOf<Kind>; found: Found[Kind] };
}[Query["kind"]];

/** Analyses the events of a project. */
export type InsightQueries = {
  /** Fails `invalid_input` on a pattern that is none. */
  run(project: number, plan: Plan): Promise<Answered>;
  /** What `run` asks, with its values written out, and out of the JSON what may be a column. */
  sql(project: number, plan: Plan): string;
  /** What the project's events and their properties are called. */
  names(project: number): Promise<EventNames>;
};

/** One statement of a query, and what it is of. */
type Statement = { remark: string; sql: (bind: Bind) => string };

/** Told of the properties of events that a query looked at without a hot column, and of its time. */
export type NoteUse = (properties: ReadonlySet<string>, ms: number) => void;

/** Queries of the events in DuckDB. */
export function insightQueries(duckdb: Duckdb, noteUse: NoteUse = () => undefined): InsightQueries {
  return {
    run: (project, plan) =>
      duckdb.read(async (connection) => {
        const [used, began] = [new Set<string>(), performance.now()];
        const promoted = await promotedIn(connection);
        const scanned = { project, promoted, onUse: (property: string) => used.add(property) };
        const patterns = filtersOf(plan.query).map(({ filter }) => filter);
        await checkPatterns(connection, patterns, "query");
        const found: unknown[][] = [];
        for (const statement of statementsOf(scanned, plan)) {
          found.push(await ask(connection, statement));
        }
        noteUse(used, performance.now() - began);
        return { kind: plan.query.kind, plan, found: foundOf(plan, found) } as Answered;
      }),
    sql: (project, plan) =>
      statementsOf({ project, promoted: new Map(), onUse: () => {} }, plan)
        .map(({ remark, sql }) => `-- ${remark}.\n${sql(writtenOut)};\n`)
        .join("\n"),
    names: (project) => duckdb.read((connection) => eventNames(connection, project)),
  };
}

async function ask(connection: DuckDBConnection, { sql }: Statement): Promise<unknown[]> {
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

/** For SQL that is shown; what is run has parameters. */
const writtenOut: Bind = (value, type = "VARCHAR") => {
  if (typeof value === "number") return type === "DOUBLE" ? `${value}::DOUBLE` : String(value);
  return type === "VARCHAR" ? quoted(value) : `${quoted(value)}::${type}`;
};

/** A name in a remark: as JSON it has no line end, which would end the remark. */
const said = (name: string) => JSON.stringify(name);

function statementsOf(scanned: Scanned, plan: Plan): Statement[] {
  const { query, period, timezone } = plan;
  const clock = `on the clock of ${timezone}`;
  switch (query.kind) {
    case "TrendsQuery":
      return trendsStatements(scanned, { ...plan, query });
    case "FunnelsQuery": {
      const steps = query.steps.map(({ name }) => said(name)).join(", then ");
      const remark = `Funnel of ${steps}, ${clock}: persons who reached each step, and their seconds`;
      return [{ remark, sql: (bind) => funnelSql(scanned, query, period, bind) }];
    }
    case "RetentionQuery": {
      const names = [query.target, query.returning].map(({ name }) => said(name));
      const remark = `Persons who began with ${names[0]} in a ${query.interval}, and came back with ${names[1]} so many later, ${clock}`;
      return [{ remark, sql: (bind) => retentionSql(scanned, query, period, bind) }];
    }
    case "PathsQuery": {
      const remark = `Ways from one place of persons' paths to the next, ${clock}`;
      return [{ remark, sql: (bind) => pathsSql(scanned, query, period, bind) }];
    }
    case "LifecycleQuery": {
      const remark = `Persons of ${said(query.series.name)} by ${query.interval}, from 1 on, ${clock}`;
      return [{ remark, sql: (bind) => lifecycleSql(scanned, query, period, bind) }];
    }
    case "StickinessQuery":
      return query.series.map((series) => ({
        remark: `In how many intervals (${query.interval}) persons did ${said(series.name)}, ${clock}`,
        sql: (bind) => stickinessSql(scanned, { ...query, series }, period, bind),
      }));
  }
}

function trendsStatements(scanned: Scanned, plan: PlanOf<"TrendsQuery">): Statement[] {
  const { query, timezone } = plan;
  const periods = [plan.period, ...(plan.previous === null ? [] : [plan.previous])];
  const letter = (index: number) => String.fromCharCode(65 + index);
  return periods.flatMap((period) =>
    query.series.map((series, index) => {
      const of = `${series.math} of ${said(series.name)}`;
      const named =
        query.formula === null ? of : `${letter(index)} of ${said(query.formula.text)}: ${of}`;
      const what = `${named} by ${query.interval}, on the clock of ${timezone}`;
      return {
        remark: `${what}. Rows without a bucket are of the whole time`,
        sql: (bind) => trendsSql(scanned, partOf(query, index), period, bind),
      };
    }),
  );
}

/** With a formula all series must tell the same values apart. */
function partOf({ series, formula, interval, breakdown }: Trends, index: number): TrendsPart {
  const [first, one] = [series[0], series[index]] as [Trends["series"][0], Trends["series"][0]];
  const ranked = formula === null || index === 0 ? null : first;
  return { series: one, ranked, interval, breakdown };
}

function filtersOf(query: Query): EventFilter[] {
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
