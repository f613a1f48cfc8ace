import type { PlanOf } from "../../../core/ports/insights.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Series, SeriesMath } from "../../../core/queries/trend.ts";
import { groupColumn } from "../../loads/event-lines.ts";
import { numberOf } from "../lists/property-filter.ts";
import { draftScan, shownBucket } from "./scan.ts";

/** A series by its letter, as formulas name it. */
export const letterOf = (index: number): string => String.fromCharCode(65 + index);

/**
 * SQL of trends over the views (decision 89): a row for each series, value of the breakdown and
 * interval that has events, and one without interval for the whole time.
 */
export function draftTrends({ query, period, previous, timezone }: PlanOf<"TrendsQuery">): string {
  const { series, formula, breakdown } = query;
  const periods = [
    { period, label: "current", suffix: "" },
    ...(previous === null ? [] : [{ period: previous, label: "previous", suffix: "_previous" }]),
  ];
  const tables: string[] = [];
  const parts = periods.flatMap(({ suffix, label, ...one }) =>
    series.map((each, index) => {
      const name = `${letterOf(index).toLowerCase()}${suffix}`;
      tables.push(matched(name, each, { ...query, timezone, ...one }));
      // With a formula all series must tell the same values apart; and so must what is compared.
      const ranked = letterOf(formula === null ? index : 0).toLowerCase();
      if (breakdown !== null && ranked === name) {
        tables.push(top(name, aggregateOf(each), breakdown.limit));
      }
      const period = previous === null ? "" : `, '${label}' AS period`;
      const told = `'${letterOf(index)}' AS series${period}`;
      return breakdown === null ? whole(name, told, each) : broken(name, ranked, told, each);
    }),
  );
  const order = ["series", ...(previous === null ? [] : ["period"])];
  if (breakdown !== null) order.push("is_other", "breakdown NULLS LAST");
  return `WITH ${tables.join(", ")}
${parts.join("\nUNION ALL\n")}
ORDER BY ${order.join(", ")}, bucket NULLS LAST`;
}

const NUMBER = `${numberOf("text")} AS number`;

type Scanned = Pick<PlanOf<"TrendsQuery">["query"], "interval" | "breakdown"> & {
  period: Period;
  timezone: string;
};

/** The events of a series, and of each what is counted or calculated with. */
function matched(
  name: string,
  series: Series,
  { interval, breakdown, period, timezone }: Scanned,
): string {
  const scan = draftScan(period, timezone);
  const { math, math_property, math_group_type_index } = series;
  const columns = [
    `${shownBucket(interval, scan.began(interval))} AS bucket`,
    ...(breakdown === null ? [] : [`${scan.value(breakdown)} AS breakdown`]),
    ...(math === "dau" ? ["events.person_id"] : []),
    ...(math === "unique_session" ? [`nullif(events."$session_id", '') AS session_id`] : []),
    ...(math_group_type_index === null
      ? []
      : [`events."${groupColumn(math_group_type_index)}" AS group_key`]),
    ...(math_property === null
      ? []
      : [`${scan.text({ type: "event" }, math_property)} AS text`, NUMBER]),
  ];
  const isOf = scan.isOf(series);
  return `${name} AS (
  SELECT ${columns.join(",\n    ")}
  ${scan.selected([isOf])}
)`;
}

function whole(name: string, told: string, series: Series): string {
  return `SELECT ${told}, bucket, ${aggregateOf(series)} AS value
FROM ${name}
GROUP BY GROUPING SETS ((bucket), ())
HAVING count(*) > 0`;
}

/** The values that are told apart. */
function top(name: string, aggregate: string, limit: number): string {
  return `${name}_top AS (
  SELECT breakdown, true AS is_top FROM ${name} GROUP BY breakdown
  ORDER BY ${aggregate} DESC NULLS LAST, breakdown NULLS LAST
  LIMIT ${limit}
)`;
}

function broken(name: string, ranked: string, told: string, series: Series): string {
  const values = `${ranked}_top.breakdown, ${ranked}_top.is_top`;
  return `SELECT ${told}, ${draftValue(`${ranked}_top`)}, bucket, ${aggregateOf(series)} AS value
${draftRanked(name, `${ranked}_top`)}
GROUP BY GROUPING SETS ((${values}, bucket), (${values}))`;
}

/** The value of a breakdown, by the table of those on top: none of all that are not told apart. */
export function draftValue(top: string): string {
  return `${top}.breakdown, ${top}.is_top IS NULL AS is_other`;
}

/** The rows of a table, and which of them have a value on top. */
export function draftRanked(name: string, top: string): string {
  return `FROM ${name} LEFT JOIN ${top} ON ${name}.breakdown IS NOT DISTINCT FROM ${top}.breakdown`;
}

function aggregateOf({ math }: { math: SeriesMath }): string {
  switch (math) {
    case "total":
      return "count(*)";
    case "dau":
      return "count(DISTINCT person_id)";
    case "unique_session":
      return "count(DISTINCT session_id)";
    case "unique_group":
      return "count(DISTINCT group_key)";
    case "sum":
    case "avg":
    case "min":
    case "max":
    case "median":
      return `${math}(number)`;
    default:
      return `quantile_cont(number, ${Number(math.slice(1)) / 100})`;
  }
}

/** SQL of a stickiness over the views: how many persons did it in so many intervals. */
export function draftStickiness({ query, period, timezone }: PlanOf<"StickinessQuery">): string {
  const parts = query.series.map((series, index) => {
    const scan = draftScan(period, timezone);
    const isOf = scan.isOf(series);
    return `SELECT '${letterOf(index)}' AS series, intervals, count(*) AS persons
FROM (
  SELECT events.person_id, count(DISTINCT ${scan.began(query.interval)}) AS intervals
  ${scan.selected([isOf])}
  GROUP BY events.person_id
)
GROUP BY intervals`;
  });
  return `${parts.join("\nUNION ALL\n")}\nORDER BY series, intervals`;
}
