import type { Interval, Period } from "../../../core/queries/period.ts";
import type { Series, SeriesMath, Trends } from "../../../core/queries/trend.ts";
import { groupColumn } from "../../loads/event-lines.ts";
import { type Bind, numberOf } from "../lists/property-filter.ts";
import { type EventScan, eventScan, type Scanned } from "./event-scan.ts";

/** One series of a trends query, and which of its values of a breakdown are told apart. */
export type TrendsPart = Pick<Trends, "interval" | "breakdown"> & {
  series: Series;
  /** Another series, or another time, whose values are told apart instead of its own. */
  ranked: { series: Series; period: Period } | null;
};

/**
 * What a math tells of events. Most are worked out in cells first, of one value of the breakdown and
 * one bucket each: `cell` makes their columns, and `all` is of many of them. Sums, means and
 * percentiles are of doubles.
 */
type Told = { cell?: string; all: string; isOfIds?: boolean };

const OF_IDS: Told = { all: "count(DISTINCT id)", isOfIds: true };
const percentile = (share: number): Told => ({ all: `quantile_cont(number, ${share})` });

const MATHS: Record<SeriesMath, Told> = {
  total: { cell: "count(*) AS events", all: "sum(events)" },
  dau: OF_IDS,
  unique_session: OF_IDS,
  unique_group: OF_IDS,
  sum: { cell: "sum(number) AS number", all: "sum(number)" },
  avg: {
    cell: "sum(number) AS number, count(number) AS events",
    all: "sum(number) / sum(events)",
  },
  min: { cell: "min(number) AS number", all: "min(number)" },
  max: { cell: "max(number) AS number", all: "max(number)" },
  median: percentile(0.5),
  p50: percentile(0.5),
  p75: percentile(0.75),
  p90: percentile(0.9),
  p95: percentile(0.95),
  p99: percentile(0.99),
};

const BUCKET_FORMATS: Record<Interval, string> = {
  hour: "%Y-%m-%d %H:00",
  day: "%Y-%m-%d",
  week: "%Y-%m-%d",
  month: "%Y-%m-%d",
};

/**
 * SQL of the numbers of one series, as rows of {@link TrendsRow}; no row where there are no events. Events
 * are first counted in cells of one value and interval: of ten million by `$current_url` that takes 0.23 s
 * instead of 0.52, and by hand 0.31 s. Counts are exact.
 */
export function trendsSql(scanned: Scanned, part: TrendsPart, period: Period, bind: Bind): string {
  const { series, ranked, interval, breakdown } = part;
  const cells = (one: Series, name: string, when = period) =>
    cellsSql(scanned, part, when, { one, name, bind });
  const { all, isOfIds } = MATHS[series.math];
  const bucket = `strftime(starts_at, '${BUCKET_FORMATS[interval]}') AS bucket`;
  const tables = [cells(series, "cells")];
  if (breakdown === null) {
    const lines = "'value' AS kind, NULL AS breakdown";
    return isOfIds
      ? idsSql(tables, { lines, by: [], from: "cells", bucket })
      : `WITH ${tables.join(", ")}
SELECT ${lines}, ${bucket}, (${all})::DOUBLE AS value
FROM cells GROUP BY GROUPING SETS ((starts_at), ()) HAVING count(*) > 0`;
  }
  if (ranked !== null) tables.push(cells(ranked.series, "ranked", ranked.period));
  tables.push(`top AS (
  SELECT breakdown, true AS is_top FROM ${ranked === null ? "cells" : "ranked"} GROUP BY breakdown
  ORDER BY ${MATHS[(ranked?.series ?? series).math].all} DESC NULLS LAST, breakdown NULLS LAST
  LIMIT ${bind(breakdown.limit, "BIGINT")}
), named AS (
  SELECT cells.* EXCLUDE (breakdown), ${toldApart("cells")}
)`);
  const lines = "kind, told AS breakdown";
  return isOfIds
    ? idsSql(tables, { lines, by: ["kind", "told"], from: "named", bucket })
    : `WITH ${tables.join(", ")}
SELECT ${lines}, ${bucket}, (${all})::DOUBLE AS value
FROM named GROUP BY GROUPING SETS ((kind, told, starts_at), (kind, told))`;
}

/** Ids that GROUP BY has told apart are counted in half the time of a `count(DISTINCT id)`. */
function idsSql(
  tables: string[],
  { lines, by, from, bucket }: { lines: string; by: string[]; from: string; bucket: string },
): string {
  const grouped = by.length === 0 ? "HAVING count(*) > 0" : `GROUP BY ${by.join(", ")}`;
  return `WITH ${tables.join(", ")}, apart AS MATERIALIZED (
  SELECT DISTINCT ${[...by, "starts_at", "id"].join(", ")} FROM ${from}
)
SELECT ${lines}, ${bucket}, count(id)::DOUBLE AS value
FROM apart GROUP BY ${[...by, "starts_at"].join(", ")}
UNION ALL SELECT ${lines}, NULL AS bucket, count(id)::DOUBLE AS value
FROM (SELECT DISTINCT ${[...by, "id"].join(", ")} FROM apart) ${grouped}`;
}

/** `kind` and `told` of the rows of a table with a column `breakdown`, by the table `top`. */
export function toldApart(table: string): string {
  return `CASE WHEN is_top IS NULL THEN 'other' WHEN ${table}.breakdown IS NULL THEN 'none'
      ELSE 'value' END AS kind,
    CASE WHEN is_top THEN ${table}.breakdown END AS told
  FROM ${table} LEFT JOIN top ON ${table}.breakdown IS NOT DISTINCT FROM top.breakdown`;
}

/** The events of a series in cells, if its math is worked out in cells; else one by one. */
function cellsSql(
  scanned: Scanned,
  { interval, breakdown }: TrendsPart,
  period: Period,
  { one, name, bind }: { one: Series; name: string; bind: Bind },
): string {
  const scan = eventScan(scanned, period, bind);
  const { math, math_property } = one;
  const { cell, isOfIds } = MATHS[math];
  const places = [
    `${scan.startOf(interval)} AS starts_at`,
    ...(breakdown === null ? [] : [`${scan.value(breakdown)} AS breakdown`]),
    ...(isOfIds ? [`${idOf(one, scan)} AS id`] : []),
  ];
  const number =
    math_property === null
      ? []
      : [`${numberOf(scan.text({ type: "event" }, math_property))} AS number`];
  const conditions = [...scan.within(), scan.isOf(one)];
  // Ids that no breakdown ranks are told apart once, at the end.
  if (cell === undefined && !(isOfIds && breakdown !== null)) {
    return scan.named(`${name} AS`, [...places, ...number], conditions);
  }
  const of = breakdown === null ? ["starts_at"] : ["starts_at", "breakdown"];
  const columns = isOfIds ? [...of, "id"] : of;
  return `${scan.named(`${name}_events AS`, [...places, ...number], conditions)}, ${name} AS (
  SELECT ${[...columns, ...(cell === undefined ? [] : [cell])].join(", ")}
  FROM ${name}_events GROUP BY ${columns.join(", ")}
)`;
}

/** What a math counts each of once. */
function idOf({ math, math_group_type_index }: Series, scan: EventScan): string {
  if (math_group_type_index !== null) return `"${groupColumn(math_group_type_index)}"`;
  return math === "unique_session" ? `nullif("$session_id", '')` : scan.person();
}
