import type { DuckDBConnection } from "@duckdb/node-api";
import type { Series, SeriesMath, Trends } from "../domain/insight.ts";
import type { Interval, Period } from "../domain/insight-period.ts";
import type { EventNames } from "../domain/insight-words.ts";
import { type Duckdb, quoted, rows } from "./duckdb.ts";
import { HOT_PROPERTIES } from "./event-lines.ts";
import { eventNames } from "./event-names.ts";
import { type Bind, binder, checkPatterns, passes, pointer, textIn } from "./property-match.ts";

/** A trends query with everything that it depends on. */
export type TrendsPlan = Pick<Trends, "series" | "interval" | "breakdown"> & {
  period: Period;
  /** IANA name of the zone whose clock the period is on. */
  timezone: string;
};

/** The values of a breakdown: one of them, those that have none, all that are not told apart. */
export type BreakdownKind = "value" | "none" | "other";

/** A number of a series. */
export type TrendsRow = {
  kind: BreakdownKind;
  /** Null unless it is of one value. */
  breakdown: string | null;
  /** One of the period's `buckets`; null is the whole period. */
  bucket: string | null;
  /** Null if none of the events has a number, or if the number is not finite. */
  value: number | null;
};

/** Analyses the events of a project. */
export type TrendQueries = {
  /**
   * The rows of each series: none where there are no events. Counts are exact. Fails
   * `invalid_input` on a pattern that is none.
   */
  run(project: number, plan: TrendsPlan): Promise<TrendsRow[][]>;
  /** What `run` asks, with its values written out. */
  sql(project: number, plan: TrendsPlan): string;
  /** What the project's events and their properties are called. */
  names(project: number): Promise<EventNames>;
};

/** Trends of the events in DuckDB. */
export function trendQueries(duckdb: Duckdb): TrendQueries {
  return {
    run: (project, plan) =>
      duckdb.read(async (connection) => {
        const found: TrendsRow[][] = [];
        for (const series of plan.series) {
          found.push(await runSeries(connection, project, plan, series));
        }
        return found;
      }),
    sql: (project, plan) =>
      plan.series
        .map(
          (series) => `${remark(plan, series)}${seriesSql(project, plan, series, writtenOut)};\n`,
        )
        .join("\n"),
    names: (project) => duckdb.read((connection) => eventNames(connection, project)),
  };
}

/** Says what SQL is of; names as JSON, which has no line end that would end the remark. */
function remark({ interval, timezone }: TrendsPlan, { name, math }: Series): string {
  const what = `${math} of ${JSON.stringify(name)} by ${interval}, on the clock of ${timezone}`;
  return `-- ${what}. Rows without a bucket are of the whole time.\n`;
}

/** For SQL that is shown; what is run has parameters. */
const writtenOut: Bind = (value, type = "VARCHAR") => {
  if (typeof value === "number") return type === "DOUBLE" ? `${value}::DOUBLE` : String(value);
  return type === "VARCHAR" ? quoted(value) : `${quoted(value)}::${type}`;
};

async function runSeries(
  connection: DuckDBConnection,
  project: number,
  plan: TrendsPlan,
  series: Series,
): Promise<TrendsRow[]> {
  await checkPatterns(connection, series.filters, "query");
  const { bind, values } = binder();
  const found = await rows(connection, seriesSql(project, plan, series, bind), values);
  return found.map(({ kind, breakdown, bucket, value }) => ({
    kind: String(kind) as BreakdownKind,
    breakdown: breakdown === null ? null : String(breakdown),
    bucket: bucket === null ? null : String(bucket),
    value: value === null || !Number.isFinite(Number(value)) ? null : Number(value),
  }));
}

/** What of the matched events each math tells. Sums, means and percentiles are of doubles. */
const AGGREGATES: Record<SeriesMath, string> = {
  total: "count(*)",
  dau: "count(DISTINCT person_id)",
  unique_session: "count(DISTINCT session_id)",
  sum: "sum(number)",
  avg: "avg(number)",
  min: "min(number)",
  max: "max(number)",
  median: "quantile_cont(number, 0.5)",
  p75: "quantile_cont(number, 0.75)",
  p90: "quantile_cont(number, 0.9)",
  p95: "quantile_cont(number, 0.95)",
  p99: "quantile_cont(number, 0.99)",
};

const BUCKET_FORMATS: Record<Interval, string> = {
  hour: "%Y-%m-%d %H:00",
  day: "%Y-%m-%d",
  week: "%Y-%m-%d",
  month: "%Y-%m-%d",
};

/** Every value is bound; columns and functions are of the tables in this file alone. */
function seriesSql(project: number, plan: TrendsPlan, series: Series, bind: Bind): string {
  const { interval, breakdown } = plan;
  const aggregate = AGGREGATES[series.math];
  const bucket = `strftime(starts_at, '${BUCKET_FORMATS[interval]}') AS bucket`;
  const matched = `WITH ${matchedSql(project, plan, series, bind)}`;
  if (breakdown === null) {
    return `${matched}
SELECT 'value' AS kind, NULL AS breakdown, ${bucket}, (${aggregate})::DOUBLE AS value
FROM matched GROUP BY GROUPING SETS ((starts_at), ()) HAVING count(*) > 0`;
  }
  return `${matched}, top AS (
  SELECT breakdown, true AS is_top FROM matched GROUP BY breakdown
  ORDER BY ${aggregate} DESC NULLS LAST, breakdown NULLS LAST
  LIMIT ${bind(breakdown.limit, "BIGINT")}
), named AS (
  SELECT matched.* EXCLUDE (breakdown), matched.breakdown,
    CASE WHEN is_top IS NULL THEN 'other' WHEN matched.breakdown IS NULL THEN 'none'
      ELSE 'value' END AS kind,
    CASE WHEN is_top THEN matched.breakdown END AS told
  FROM matched LEFT JOIN top ON matched.breakdown IS NOT DISTINCT FROM top.breakdown
)
SELECT kind, told AS breakdown, ${bucket}, (${aggregate})::DOUBLE AS value
FROM named GROUP BY GROUPING SETS ((kind, told, starts_at), (kind, told))`;
}

/** The events of a series, and of each what the aggregates look at. */
function matchedSql(project: number, plan: TrendsPlan, series: Series, bind: Bind): string {
  const { interval, breakdown, period, timezone } = plan;
  const isUtc = timezone === "UTC";
  const time = isUtc ? `"timestamp"` : `("timestamp" + ahead)`;
  const columns = [
    `date_trunc('${interval}', ${time}) AS starts_at`,
    ...(breakdown === null ? [] : [`${textOf(breakdown.property, bind)} AS breakdown`]),
    ...(series.math === "dau" ? ["coalesce(moved.person_id, events.person_id) AS person_id"] : []),
    ...(series.math === "unique_session" ? [`"$session_id" AS session_id`] : []),
    ...(series.math_property === null
      ? []
      : [`${numberOf(textOf(series.math_property, bind))} AS number`]),
  ];
  const from = bind(period.from, "TIMESTAMP");
  const before = bind(period.before, "TIMESTAMP");
  const chosen = [
    `events.project_id = ${bind(project, "INTEGER")}`,
    ...(series.event === null ? [] : [`event = ${bind(series.event)}`]),
    // No clock is a day off: what is stored by time is passed over without looking at the clock.
    ...(isUtc
      ? []
      : [`"timestamp" >= ${from} - INTERVAL 1 DAY AND "timestamp" < ${before} + INTERVAL 1 DAY`]),
  ];
  const conditions = [
    ...chosen,
    `${time} >= ${from} AND ${time} < ${before}`,
    ...series.filters.map((filter) => passes(filter, textIn, bind)),
  ];
  const joined = [
    ...(isUtc ? [] : [`JOIN clock ON clock.slot = ${SLOT}`]),
    ...(series.math === "dau" ? [MOVED] : []),
  ];
  return `${isUtc ? "" : `${clockSql(bind(timezone), chosen)}, `}matched AS (
  SELECT ${columns.join(",\n    ")}
  ${["FROM events", ...joined].join("\n  ")}
  WHERE ${conditions.join("\n    AND ")}
)`;
}

/** Clocks are put forward and back at full quarters of an hour, everywhere since 1972. */
const SLOT = `time_bucket(INTERVAL 15 MINUTE, "timestamp")`;

/** How far a zone's clock is ahead: asked of every event, it would take ten times as long. */
function clockSql(timezone: string, chosen: string[]): string {
  return `clock AS (
  SELECT slot, timezone(${timezone}, timezone('UTC', slot)) - slot AS ahead
  FROM (SELECT DISTINCT ${SLOT} AS slot FROM events WHERE ${chosen.join("\n    AND ")})
)`;
}

/** Events count for the person who owns them now, after every merge. */
const MOVED = `LEFT JOIN person_overrides AS moved
    ON moved.project_id = events.project_id AND moved.old_person_id = events.person_id`;

/** A property as text: what is no text is so as JSON; null if it is missing or null. */
function textOf(property: string, bind: Bind): string {
  const hot = HOT_PROPERTIES.find((name) => name === property);
  return hot === undefined ? textIn(bind(pointer(property))) : `"${hot}"`;
}

/** The finite number that a text says in decimal digits, as JSON and scripts write them. */
function numberOf(text: string): string {
  const number = `CASE WHEN regexp_matches(${text}, '^-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?$')
      THEN TRY_CAST(${text} AS DOUBLE) END`;
  return `CASE WHEN isfinite(${number}) THEN ${number} END`;
}
