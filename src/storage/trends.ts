import type { Interval, Period } from "../domain/insight-period.ts";
import type { BreakdownKind } from "../domain/insight-result.ts";
import type { Series, SeriesMath, Trends } from "../domain/trend.ts";
import { groupColumn } from "./event-lines.ts";
import { eventScan } from "./event-scan.ts";
import type { Bind } from "./property-match.ts";

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

/** One series of a trends query, and which of its values of a breakdown are told apart. */
export type TrendsPart = Pick<Trends, "interval" | "breakdown"> & {
  series: Series;
  /** Another series whose values are told apart instead of its own. */
  ranked: Series | null;
};

/** What of the matched events each math tells. Sums, means and percentiles are of doubles. */
const AGGREGATES: Record<SeriesMath, string> = {
  total: "count(*)",
  dau: "count(DISTINCT person_id)",
  unique_session: "count(DISTINCT session_id)",
  unique_group: "count(DISTINCT group_key)",
  sum: "sum(number)",
  avg: "avg(number)",
  min: "min(number)",
  max: "max(number)",
  median: "quantile_cont(number, 0.5)",
  p50: "quantile_cont(number, 0.5)",
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

/**
 * SQL of the numbers of one series, as rows of {@link TrendsRow}: none where there are no events.
 * Counts are exact.
 */
export function trendsSql(project: number, part: TrendsPart, period: Period, bind: Bind): string {
  const { series, ranked, interval, breakdown } = part;
  const aggregate = AGGREGATES[series.math];
  const bucket = `strftime(starts_at, '${BUCKET_FORMATS[interval]}') AS bucket`;
  const matched = (one: Series, name: string) =>
    matchedSql(project, part, period, { one, name, bind });
  if (breakdown === null) {
    return `WITH ${matched(series, "matched")}
SELECT 'value' AS kind, NULL AS breakdown, ${bucket}, (${aggregate})::DOUBLE AS value
FROM matched GROUP BY GROUPING SETS ((starts_at), ()) HAVING count(*) > 0`;
  }
  const other = ranked === null ? "" : `, ${matched(ranked, "ranked")}`;
  return `WITH ${matched(series, "matched")}${other}, top AS (
  SELECT breakdown, true AS is_top FROM ${ranked === null ? "matched" : "ranked"} GROUP BY breakdown
  ORDER BY ${AGGREGATES[(ranked ?? series).math]} DESC NULLS LAST, breakdown NULLS LAST
  LIMIT ${bind(breakdown.limit, "BIGINT")}
), named AS (
  SELECT matched.* EXCLUDE (breakdown), ${toldApart("matched")}
)
SELECT kind, told AS breakdown, ${bucket}, (${aggregate})::DOUBLE AS value
FROM named GROUP BY GROUPING SETS ((kind, told, starts_at), (kind, told))`;
}

/** `kind` and `told` of the rows of a table with a column `breakdown`, by the table `top`. */
export function toldApart(table: string): string {
  return `CASE WHEN is_top IS NULL THEN 'other' WHEN ${table}.breakdown IS NULL THEN 'none'
      ELSE 'value' END AS kind,
    CASE WHEN is_top THEN ${table}.breakdown END AS told
  FROM ${table} LEFT JOIN top ON ${table}.breakdown IS NOT DISTINCT FROM top.breakdown`;
}

/** The events of a series, and of each what the aggregates look at. */
function matchedSql(
  project: number,
  { interval, breakdown }: TrendsPart,
  period: Period,
  { one, name, bind }: { one: Series; name: string; bind: Bind },
): string {
  const scan = eventScan(project, period, bind);
  const { math, math_property, math_group_type_index } = one;
  const columns = [
    `date_trunc('${interval}', ${scan.wall}) AS starts_at`,
    ...(breakdown === null ? [] : [`${scan.text(breakdown.of, breakdown.property)} AS breakdown`]),
    ...(math === "dau" ? [`${scan.person()} AS person_id`] : []),
    ...(math === "unique_session" ? [`"$session_id" AS session_id`] : []),
    ...(math_group_type_index === null
      ? []
      : [`"${groupColumn(math_group_type_index)}" AS group_key`]),
    ...(math_property === null
      ? []
      : [`${numberOf(scan.text({ type: "event" }, math_property))} AS number`]),
  ];
  return scan.named(name, columns, [...scan.within(), scan.isOf(one)]);
}

/** The finite number that a text says in decimal digits, as JSON and scripts write them. */
function numberOf(text: string): string {
  const number = `CASE WHEN regexp_matches(${text}, '^-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?$')
      THEN TRY_CAST(${text} AS DOUBLE) END`;
  return `CASE WHEN isfinite(${number}) THEN ${number} END`;
}
