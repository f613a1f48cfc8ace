import type { FunnelTimeRow, FunnelTrendRow } from "../../../core/ports/insights/funnel-rows.ts";
import type { CellOf, Found, FunnelRow, PlanOf } from "../../../core/ports/insights.ts";
import type { Exclusion, Funnel } from "../../../core/queries/funnel.ts";
import type { Period } from "../../../core/queries/period.ts";
import { attemptsSql, bestSql, nameCondition, numbersTo, type Tables } from "./funnel-attempts.ts";
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
  topValues,
} from "./statement.ts";

/**
 * Returns the statement of a funnel. Every event of the first step begins an attempt, and the best attempt of a
 * person counts.
 */
export function funnelSql(target: Target, funnel: Funnel, period: Period): Statement {
  if (funnel.viz === "trends") return trendSql(target, funnel, period);
  if (funnel.viz === "time_to_convert") return timesSql(target, funnel, period);
  const { steps, order, exclusions, breakdown } = funnel;
  const isFast =
    target.project !== null &&
    order === "ordered" &&
    exclusions.length === 0 &&
    (breakdown === null || isTouch(funnel));
  const all = isFast ? "sum(persons)" : "count(*)";
  const shown = { columns: numbersOf(steps.length, all), order: "persons_1 DESC" };
  if (!isFast) {
    const lines = linesOf(funnel, attemptsIn(target, funnel, period));
    return byLine(bestSql(target, funnel, lines), funnel, shown);
  }
  const best = { tables: byFollowing(target, funnel, period), rows: "best" };
  return byLine(linesOf(funnel, best, all), funnel, shown);
}

/** Returns the tables of all attempts. */
function attemptsIn(target: Target, funnel: Funnel, period: Period): Tables {
  return {
    tables: [...matchedSql(target, funnel, period), ...attemptsSql(funnel)],
    rows: "attempts",
  };
}

/**
 * Returns rows with their line in place of their value; `by` ranks the values. All other values are one line, and a
 * person may have several of them: so the best of rows is taken when they have their lines.
 */
function linesOf(
  { breakdown }: Funnel,
  { tables, rows }: Tables,
  by = "count(DISTINCT person_id)",
): Tables {
  if (breakdown === null) return { tables, rows };
  const lined = `lined AS (
  SELECT ${rows}.* REPLACE (top_values.breakdown AS breakdown), is_top IS NULL AS is_other
  ${joinedWith("top_values", rows)}
)`;
  return {
    tables: [...tables, topValues("top_values", rows, by, breakdown), lined],
    rows: "lined",
  };
}

/** Returns the statement of columns of rows, for each line of the breakdown. */
function byLine(
  { tables, rows }: Tables,
  { breakdown }: Funnel,
  { columns, order, also = [] }: { columns: string; order: string; also?: readonly string[] },
): Statement {
  const line = breakdown === null ? [] : ["breakdown", "is_other"];
  const keys = [...line, ...also];
  const sorted = breakdown === null ? order : `is_other, ${order}, breakdown NULLS LAST`;
  const grouped = keys.length === 0 ? "" : `\nGROUP BY ${keys.join(", ")}\nORDER BY ${sorted}`;
  return {
    tables,
    select: `SELECT ${[...line, columns].join(", ")}\nFROM ${rows}${grouped}`,
  };
}

/** Returns the statement of a funnel over time: a person counts once for each interval in which it began. */
function trendSql(target: Target, funnel: Funnel, period: Period): Statement {
  const { from, to } = funnel;
  const owner = ownerIn(funnel);
  const lines = linesOf(funnel, attemptsIn(target, funnel, period));
  const tables = [
    ...lines.tables,
    `begun AS (
  SELECT ${owner}, bucket, max(depth) AS depth, max(max(depth)) OVER each AS most,
    row_number() OVER each AS n
  FROM ${lines.rows} GROUP BY ${owner}, bucket WINDOW each AS (PARTITION BY ${owner})
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
  const shown = { columns, order: "bucket NULLS FIRST", also: ["bucket"] };
  return byLine({ tables, rows: "reached" }, funnel, shown);
}

/** Each row counts once in its part, and once in the whole. */
const PARTS = "(VALUES (true), (false)) AS parts(is_whole)";

/** Bins of times at most, where their number is not given. */
const AUTO_BINS_MAX = 60;

/** Seconds of a bin where all times are the same. */
const BIN_S = 60;

/**
 * Returns the statement of how long persons took, in bins; a row without a bin is of all persons together. The first
 * attempt of a person that came to the last step counts; in any order the best one.
 */
function timesSql(target: Target, funnel: Funnel, period: Period): Statement {
  const { order, from, to, bins, breakdown } = funnel;
  const line = breakdown === null ? "" : "breakdown, is_other, ";
  const count = bins ?? `least(${AUTO_BINS_MAX}, greatest(1, ceil(cbrt(count(*) OVER ()))))`;
  const attempts = attemptsIn(target, funnel, period);
  const converted = `converted AS (\n  SELECT * FROM attempts WHERE depth >= ${to + 1}\n)`;
  const lines = linesOf(funnel, { tables: [...attempts.tables, converted], rows: "converted" });
  const first = `best AS (
  SELECT * FROM ${lines.rows}
  QUALIFY row_number() OVER (PARTITION BY ${ownerIn(funnel)} ORDER BY t_1, seq) = 1
)`;
  const best =
    order === "unordered" ? bestSql(target, funnel, lines).tables : [...lines.tables, first];
  const tables = [
    ...best,
    `taken AS (
  SELECT ${line}epoch_us(t_${to + 1}) - epoch_us(t_${from + 1}) AS us FROM best
)`,
    `extent AS (
  SELECT ${line}us, floor(min(us) OVER () / 1000000) AS first_s, ceil(max(us) OVER () / 1000000) AS last_s,
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
  const shown = { columns, order: "bin NULLS FIRST", also: ["bin"] };
  return byLine({ tables, rows: "binned" }, funnel, shown);
}

/** Returns the statement of the persons who came to a step of a funnel, or were lost before it. */
export function funnelActors(
  target: Target,
  { query: funnel, period }: PlanOf<"FunnelsQuery">,
  { step, bucket, line }: CellOf["FunnelsQuery"],
): Statement {
  // Values are ranked by the persons of the whole time.
  const lines = linesOf(funnel, attemptsIn(target, funnel, period));
  const begun = () => {
    const is = `bucket = ${target.bind(...bucketIn(funnel, bucket ?? ""))}`;
    const table = `begun AS (\n  SELECT * FROM ${lines.rows} WHERE ${is}\n)`;
    return { tables: [...lines.tables, table], rows: "begun" };
  };
  const { tables } = bestSql(target, funnel, bucket === null ? lines : begun());
  const times = numbersTo(funnel.steps.length).map((one) => `WHEN ${one} THEN t_${one}`);
  tables.push(`reached AS (
  SELECT *, CASE depth ${times.join(" ")} END AS t FROM best
)`);
  const { from, to } = funnel;
  const isLost =
    funnel.viz === "trends" && bucket !== null && step < 0
      ? `depth BETWEEN ${from + 1} AND ${to}`
      : `depth = ${-step - 1}`;
  const ofLine =
    funnel.breakdown === null
      ? []
      : isOfLine(target, line, { breakdown: "breakdown", isOther: "is_other" });
  const conditions = [step > 0 ? `depth >= ${step}` : isLost, ...ofLine];
  return {
    tables,
    select: actorsSelect({ count: "max(depth)", from: "FROM reached", conditions }),
  };
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
