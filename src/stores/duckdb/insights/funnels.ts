import type { FunnelTimeRow, FunnelTrendRow } from "../../../core/ports/insights/funnel-rows.ts";
import type { CellOf, Found, FunnelRow, PlanOf } from "../../../core/ports/insights.ts";
import type { Exclusion, Funnel } from "../../../core/queries/funnel.ts";
import type { Period } from "../../../core/queries/period.ts";
import { attemptsSql, bestSql, nameCondition, numbersTo } from "./funnel-attempts.ts";
import { byFollowing } from "./funnel-ordered.ts";
import { attributedSql, isTouch, ownerIn } from "./funnel-values.ts";
import {
  actorsSelect,
  breakdownOf,
  bucketOf,
  eventScan,
  isOfLine,
  joinedWith,
  type Row,
  type Statement,
  type Target,
  TIME,
  topColumns,
  topValues,
  valueColumns,
} from "./statement.ts";

/**
 * Returns the statement of a funnel. Every event of the first step begins an attempt, and the best attempt of a
 * person counts.
 */
export function funnelSql(target: Target, funnel: Funnel, period: Period): Statement {
  if (funnel.viz === "trends") return trendSql(target, funnel, period);
  const { steps, order, exclusions, breakdown, viz } = funnel;
  if (viz === "time_to_convert" && order !== "unordered") {
    const attempts = [...matchedSql(target, funnel, period), ...attemptsSql(funnel)];
    return timesSql([...attempts, firstSql(funnel)], funnel);
  }
  const isFast =
    target.project !== null &&
    order === "ordered" &&
    exclusions.length === 0 &&
    (breakdown === null || isTouch(funnel));
  const tables = isFast
    ? byFollowing(target, funnel, period)
    : [...matchedSql(target, funnel, period), ...attemptsSql(funnel), ...bestSql(target, funnel)];
  const all = isFast ? "sum(persons)" : "count(*)";
  if (viz === "time_to_convert") return timesSql(tables, funnel);
  return byValue({ tables, rows: "best", by: all }, funnel, {
    columns: numbersOf(steps.length, all),
    order: "persons_1 DESC",
  });
}

/** Returns the table of each owner's first attempt that came to the last step, as the time since then is asked for. */
const firstSql = (funnel: Funnel): string => `best AS (
  SELECT * FROM attempts WHERE depth >= ${funnel.to + 1}
  QUALIFY row_number() OVER (PARTITION BY ${ownerIn(funnel)} ORDER BY t_1, seq) = 1
)`;

/** Tables, the one of them whose rows are counted, and the aggregate of them by which values are ranked. */
type Counted = { tables: string[]; rows: string; by: string };

/** Returns the statement of columns of the rows of a table, for each value of the breakdown. */
function byValue(
  { tables, rows, by }: Counted,
  { breakdown }: Funnel,
  { columns, order, also = [] }: { columns: string; order: string; also?: readonly string[] },
): Statement {
  const grouping = (keys: readonly string[]) =>
    keys.length === 0 ? "" : `\nGROUP BY ${keys.join(", ")}`;
  if (breakdown === null) {
    const ordered = also.length === 0 ? "" : `\nORDER BY ${order}`;
    return { tables, select: `SELECT ${columns}\nFROM ${rows}${grouping(also)}${ordered}` };
  }
  const top = topColumns("top_values");
  const select = `SELECT ${valueColumns(top)},
  ${columns}
${joinedWith("top_values", rows)}${grouping([...top, ...also])}
ORDER BY is_other, ${order}, breakdown NULLS LAST`;
  return { tables: [...tables, topValues("top_values", rows, by, breakdown)], select };
}

/** Returns the statement of a funnel over time: a person counts once for each interval in which it began. */
function trendSql(target: Target, funnel: Funnel, period: Period): Statement {
  const { from, to } = funnel;
  const owner = ownerIn(funnel);
  const tables = [
    ...matchedSql(target, funnel, period),
    ...attemptsSql(funnel),
    `begun AS (
  SELECT ${owner}, bucket, max(depth) AS depth, max(max(depth)) OVER each AS most,
    row_number() OVER each AS n
  FROM attempts GROUP BY ${owner}, bucket WINDOW each AS (PARTITION BY ${owner})
)`,
    `reached AS (
  SELECT ${owner}, CASE WHEN NOT is_whole THEN bucket END AS bucket,
    CASE WHEN is_whole THEN most ELSE depth END AS depth
  FROM begun, ${PARTS} WHERE NOT is_whole OR n = 1
)`,
  ];
  const columns = `bucket,
  count(*) FILTER (depth >= ${from + 1}) AS persons_from,
  count(*) FILTER (depth >= ${to + 1}) AS persons_to`;
  const by = "count(*) FILTER (bucket IS NULL)";
  return byValue({ tables, rows: "reached", by }, funnel, {
    ...{ columns, order: "bucket NULLS FIRST", also: ["bucket"] },
  });
}

/** Each row counts once in its part, and once in the whole. */
const PARTS = "(VALUES (true), (false)) AS parts(is_whole)";

/** Bins of times at most, where their number is not given. */
const AUTO_BINS_MAX = 60;

/** Seconds of a bin where all times are the same. */
const BIN_S = 60;

/** Returns the statement of how long persons took, in bins; a row without a bin is of all persons together. */
function timesSql(best: string[], funnel: Funnel): Statement {
  const { from, to, bins, breakdown } = funnel;
  const value = breakdown === null ? "" : "breakdown, ";
  const count = bins ?? `least(${AUTO_BINS_MAX}, greatest(1, ceil(cbrt(count(*) OVER ()))))`;
  const tables = [
    ...best,
    `taken AS (
  SELECT ${value}epoch_us(t_${to + 1}) - epoch_us(t_${from + 1}) AS us FROM best WHERE depth >= ${to + 1}
)`,
    `extent AS (
  SELECT ${value}us, floor(min(us) OVER () / 1000000) AS first_s, ceil(max(us) OVER () / 1000000) AS last_s,
    ${count} AS bins
  FROM taken
)`,
    `divided AS (
  SELECT *, CASE WHEN last_s > first_s THEN ceil((last_s - first_s) / bins) ELSE ${BIN_S} END AS width_s
  FROM extent
)`,
    `binned AS (
  SELECT *, CASE WHEN NOT is_whole THEN floor((us / 1000000 - first_s) / width_s) END AS bin
  FROM divided, ${PARTS}
)`,
  ];
  const columns = `bin::INTEGER AS bin,
  count(*) AS persons,
  avg(us) / 1000000 AS average_s,
  median(us) / 1000000 AS median_s,
  any_value(first_s)::DOUBLE AS first_s,
  any_value(width_s)::DOUBLE AS width_s,
  any_value(bins)::INTEGER AS bins`;
  return byValue({ tables, rows: "binned", by: "count(*)" }, funnel, {
    ...{ columns, order: "bin NULLS FIRST", also: ["bin"] },
  });
}

/** Returns the statement of the persons who came to a step of a funnel, or were lost before it. */
export function funnelActors(
  target: Target,
  { query: funnel, period }: PlanOf<"FunnelsQuery">,
  { step, bucket, line }: CellOf["FunnelsQuery"],
): Statement {
  const began =
    bucket === null
      ? []
      : [
          `begun AS (\n  SELECT * FROM attempts WHERE bucket = ${target.bind(...bucketIn(funnel, bucket))}\n)`,
        ];
  const tables = [
    ...matchedSql(target, funnel, period),
    ...attemptsSql(funnel),
    ...began,
    ...bestSql(target, funnel, bucket === null ? "attempts" : "begun"),
  ];
  const times = numbersTo(funnel.steps.length).map((one) => `WHEN ${one} THEN t_${one}`);
  tables.push(`reached AS (
  SELECT *, CASE depth ${times.join(" ")} END AS t FROM best
)`);
  const { from, to } = funnel;
  const isLost =
    funnel.viz === "trends" && bucket !== null && step < 0
      ? `depth BETWEEN ${from + 1} AND ${to}`
      : `depth = ${-step - 1}`;
  const conditions = [step > 0 ? `depth >= ${step}` : isLost];
  const shared = { count: "max(depth)", conditions };
  if (funnel.breakdown === null || line === null) {
    return { tables, select: actorsSelect({ ...shared, from: "FROM reached" }) };
  }
  // Values are ranked by the persons of the whole time.
  tables.push(topValues("top_values", "attempts", "count(DISTINCT person_id)", funnel.breakdown));
  const value = { breakdown: "reached.breakdown", isOther: "(top_values.is_top IS NULL)" };
  conditions.push(...isOfLine(target, line, value));
  return { tables, select: actorsSelect({ ...shared, from: joinedWith("top_values", "reached") }) };
}

const bucketIn = ({ interval }: Funnel, bucket: string): [string, string] => [
  bucket,
  interval === "hour" ? "VARCHAR" : "DATE",
];

/** Returns columns: the persons who reached each step, and their seconds since the step before. */
function numbersOf(steps: number, all: string): string {
  const later = numbersTo(steps).slice(1);
  const secondsOf = (step: number, aggregate: string) =>
    `${aggregate}(epoch_us(t_${step}) - epoch_us(t_${step - 1})) FILTER (depth >= ${step}) / 1000000`;
  const numbers = [
    `${all} AS persons_1`,
    ...later.map((step) => `${all} FILTER (depth >= ${step}) AS persons_${step}`),
    ...later.map((step) => `${secondsOf(step, "avg")} AS average_s_${step}`),
    ...later.map((step) => `${secondsOf(step, "median")} AS median_s_${step}`),
  ];
  return numbers.join(",\n  ");
}

/**
 * Returns the tables of a funnel's events up to `matched`, with a column for each step and each exclusion, the value of
 * the breakdown and the interval of a trend.
 */
function matchedSql(target: Target, funnel: Funnel, period: Period): string[] {
  const { steps, order, exclusions, breakdown, interval } = funnel;
  const scan = eventScan(target, period);
  const is = (node: Exclusion | Funnel["steps"][number]) => `(${scan.isOf(node)})`;
  const columns = [
    `${scan.person()} AS person_id`,
    `${TIME} AS t`,
    "events.seq",
    ...steps.map((step, index) => `${is(step)} AS is_${index + 1}`),
    ...exclusions.map((exclusion, index) => `${is(exclusion)} AS is_excluded_${index + 1}`),
    ...(breakdown === null ? [] : [`${scan.value(breakdown)} AS breakdown`]),
    ...(interval === null
      ? []
      : [`${bucketOf(interval, scan.startOf(interval), period)} AS bucket`]),
  ];
  // In a strict funnel, any event between two steps ends the attempt.
  const among = order === "strict" ? [] : nameCondition(target, [...steps, ...exclusions]);
  const conditions = [...scan.within(), ...among];
  return attributedSql(funnel, (name) => scan.named(`${name} AS`, columns, conditions));
}

/** Reads the rows of a funnel. */
export function funnelFound(rows: readonly Row[], { viz, steps }: Funnel): Found["FunnelsQuery"] {
  if (viz === "trends") return rows.map(trendRow);
  if (viz === "time_to_convert") return rows.map(timeRow);
  return rows.flatMap((row) => stepsRow(row, steps.length) ?? []);
}

/** Reads a row of a funnel with `steps` steps; undefined if no person began. */
function stepsRow(row: Row, steps: number): FunnelRow | undefined {
  const each = (name: string) =>
    numbersTo(steps).map((step) => (row[`${name}_${step}`] ?? null) as number | null);
  const persons = each("persons").map((count) => count ?? 0);
  if (persons[0] === 0) return undefined;
  return { ...breakdownOf(row), persons, average_s: each("average_s"), median_s: each("median_s") };
}

const trendRow = (row: Row): FunnelTrendRow => ({
  ...breakdownOf(row),
  bucket: (row["bucket"] ?? null) as string | null,
  from: Number(row["persons_from"]),
  to: Number(row["persons_to"]),
});

const timeRow = (row: Row): FunnelTimeRow => ({
  ...breakdownOf(row),
  bin: (row["bin"] ?? null) as number | null,
  persons: Number(row["persons"]),
  average_s: Number(row["average_s"]),
  median_s: Number(row["median_s"]),
  first_s: Number(row["first_s"]),
  width_s: Number(row["width_s"]),
  bins: Number(row["bins"]),
});
