import { isDeepStrictEqual } from "node:util";
import type { CellOf, PlanOf, RetentionRow } from "../../../core/ports/insights.ts";
import type { Interval } from "../../../core/queries/intervals.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { EventsNode } from "../../../core/queries/query-fields.ts";
import type { Retention } from "../../../core/queries/retention.ts";
import {
  actorsSelect,
  breakdownOf,
  bucketOf,
  type EventScan,
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
 * Returns the statement of a retention. Its rows count persons by the interval in which they began, and by the
 * intervals until a return. At 0 all persons of an interval count. Counts of zero have no row.
 */
export function retentionSql(target: Target, retention: Retention, period: Period): Statement {
  const { interval, breakdown, returning, isFirstTime } = retention;
  if (breakdown === null && target.project !== null) {
    return retentionBitsSql(target, retention, period);
  }
  const scan = eventScan(target, period);
  const columns = [
    `DISTINCT ${scan.person()} AS person_id`,
    `${scan.startOf(interval)} AS returned_at`,
  ];
  const tables = [
    ...cohortsSql(target, retention, period),
    scan.named("returned AS", columns, [...scan.within(), scan.isOf(returning)]),
  ];
  const cohorts = breakdown === null ? "started" : "cohorts";
  const value = breakdown === null ? "" : "breakdown, is_other, ";
  const order = breakdown === null ? "" : "is_other, breakdown NULLS LAST, ";
  const began = `${bucketOf(interval, "began", period)} AS began`;
  const count = intervalsOf(retention, period);
  const within = count < period.buckets.length ? `\nWHERE later < ${count}` : "";
  const select = `-- All persons that began${isFirstTime ? " for the first time ever" : ""} count at 0, also without a return.
SELECT ${value}${began}, 0 AS later, count(*) AS persons
FROM ${cohorts} GROUP BY ALL
UNION ALL
SELECT ${value}${began}, date_diff('${interval}', ${cohorts}.began, returned_at) AS later, count(*) AS persons
FROM ${cohorts} JOIN returned ON returned.person_id = ${cohorts}.person_id AND returned_at > began${within}
GROUP BY ALL
ORDER BY ${order}began, later`;
  return { tables, select };
}

/** Returns tables up to `started`; with a breakdown up to `cohorts`, which has the line of each person. */
function cohortsSql(target: Target, retention: Retention, period: Period): string[] {
  const { breakdown } = retention;
  const started = startedSql(target, retention, period);
  if (breakdown === null) return started;
  return [
    ...started,
    topValues("top_values", "started", "count(*)", breakdown),
    `cohorts AS (
  SELECT person_id, began, ${valueColumns(topColumns("top_values"))}
  ${joinedWith("top_values", "started")}
)`,
  ];
}

/** Returns the statement of the persons that began in an interval and came in a later one, with their events in it. */
export function retentionActors(
  target: Target,
  { query: retention, period }: PlanOf<"RetentionQuery">,
  { began, later, line }: CellOf["RetentionQuery"],
): Statement {
  const { interval, breakdown, target: node, returning } = retention;
  const scan = eventScan(target, period);
  const columns = [
    `${scan.person()} AS person_id`,
    `${scan.startOf(interval)} AS came_at`,
    `${TIME} AS t`,
  ];
  const did = scan.isOf(later === 0 ? node : returning);
  const cohorts = breakdown === null ? "started" : "cohorts";
  const bucketIs = (column: string, index: number) => {
    const type = interval === "hour" ? "VARCHAR" : "DATE";
    return `${bucketOf(interval, column, period)} = ${target.bind(period.buckets[index] ?? "", type)}`;
  };
  const value = { breakdown: "cohorts.breakdown", isOther: "cohorts.is_other" };
  const tables = [
    ...cohortsSql(target, retention, period),
    scan.named("acted AS", columns, [...scan.within(), did]),
  ];
  const select = actorsSelect({
    actor: `${cohorts}.person_id`,
    from: `FROM ${cohorts} JOIN acted ON acted.person_id = ${cohorts}.person_id`,
    conditions: [
      bucketIs("began", began),
      bucketIs("came_at", began + later),
      ...isOfLine(target, breakdown === null ? null : line, value),
    ],
  });
  return { tables, select };
}

/** Returns tables up to `started`: persons, the interval they began in, and the value of their first event in it. */
function startedSql(
  target: Target,
  { target: node, isFirstTime, interval, breakdown }: Retention,
  period: Period,
): string[] {
  const scan = eventScan(target, period);
  const columns = [
    `${scan.person()} AS person_id`,
    `${scan.startOf(interval)} AS began`,
    ...(breakdown === null
      ? []
      : [`${TIME} AS t`, "events.seq", `${scan.value(breakdown)} AS breakdown`]),
  ];
  const conditions = [...scan.within({ everBefore: isFirstTime }), scan.isOf(node)];
  const begins = scan.named("begins AS", columns, conditions);
  const from = () => target.bind(period.from, "TIMESTAMP");
  if (breakdown !== null) {
    const each = isFirstTime ? "person_id" : "person_id, began";
    const started = `started AS (
  SELECT person_id, began, breakdown FROM begins
  QUALIFY row_number() OVER (PARTITION BY ${each} ORDER BY began, t, seq) = 1 AND began >= ${from()}
)`;
    return [begins, started];
  }
  const started = isFirstTime
    ? `SELECT person_id, min(began) AS began FROM begins
  GROUP BY person_id HAVING min(began) >= ${from()}`
    : "SELECT DISTINCT person_id, began FROM begins";
  return [begins, `started AS (\n  ${started}\n)`];
}

/** Reads a row of a retention; `bucketIndexes` are the indexes of the period's buckets. */
export function retentionRow(row: Row, bucketIndexes: ReadonlyMap<unknown, number>): RetentionRow {
  const { began, later, persons } = row as Row & RetentionRow;
  const value = row["is_other"] === undefined ? {} : breakdownOf(row);
  return { began: bucketIndexes.get(began) ?? began, later, persons, ...value };
}

/** Microseconds of the intervals of constant length. Times are on the clock, where each day has 24 hours. */
const INTERVAL_US: Partial<Record<Interval, number>> = {
  hour: 3_600_000_000,
  day: 86_400_000_000,
  week: 604_800_000_000,
};

/**
 * Returns the statement of a run of a retention without a breakdown, with intervals by their index. The
 * intervals of a person are bits of a number; the lowest bit stands for all time before the period. One pass
 * over the events is enough, and many persons share a number. So 2 million events take 15 % less time than with
 * the joins of `retentionSql`.
 */
function retentionBitsSql(target: Target, retention: Retention, period: Period): Statement {
  const { target: began, returning, isFirstTime } = retention;
  const scan = eventScan(target, period);
  const isSame = isDeepStrictEqual(conditionsOf(returning), conditionsOf(began));
  const isTarget = `(${scan.isOf(began)})`;
  const isReturning = isSame ? isTarget : `(${scan.isOf(returning)})`;
  const bit = bitOf(target, retention, period, scan.wall);
  const columns = [
    `${scan.person()} AS person_id`,
    ...(isSame
      ? [`${bit} AS target_bit`]
      : [
          `CASE WHEN ${isTarget} THEN ${bit} END AS target_bit`,
          `CASE WHEN ${isReturning} THEN ${bit} END AS returning_bit`,
        ]),
  ];
  const conditions = [
    ...scan.within({ everBefore: isFirstTime }),
    isSame ? isTarget : `(${isTarget} OR ${isReturning})`,
  ];
  const came = isSame ? "began" : "coalesce(bit_or(returning_bit), 0)";
  // A person whose first time was before the period does not begin in it.
  const begins = isFirstTime ? "(began & -began) >> 1" : "began >> 1";
  const isNew = isFirstTime ? "began & 1 = 0" : "began IS NOT NULL";
  const bits = (number: string, count: number) =>
    `unnest(list_filter(range(${count}), lambda bit: (${number} >> bit::INTEGER) & 1 = 1))`;
  const tables = [
    scan.named("matched AS", columns, conditions),
    `present AS (
  SELECT bit_or(target_bit) AS began, ${came} AS came FROM matched GROUP BY person_id
)`,
    `patterns AS (
  SELECT ${begins} AS began, came >> 1 AS came, persons
  FROM (SELECT began::HUGEINT AS began, came::HUGEINT AS came, count(*) AS persons
    FROM present GROUP BY ALL)
  WHERE ${isNew}
)`,
    `cohorts AS (
  SELECT ${bits("began", period.buckets.length)} AS began, came, persons FROM patterns
)`,
    `later AS (
  -- All persons that began count at 0, also without a return.
  SELECT began, (came >> began::INTEGER) | 1::HUGEINT AS came, sum(persons) AS persons
  FROM cohorts GROUP BY ALL
)`,
    `pairs AS (
  SELECT began, ${bits("came", intervalsOf(retention, period))} AS later, persons FROM later
)`,
  ];
  const select = `SELECT began::INTEGER AS began, later::INTEGER AS later, sum(persons) AS persons
FROM pairs GROUP BY ALL`;
  return { tables, select };
}

/** Returns the number of intervals in an answer. */
function intervalsOf({ intervals }: Pick<Retention, "intervals">, { buckets }: Period): number {
  return Math.min(intervals, buckets.length);
}

const conditionsOf = ({ event, filters }: EventsNode) => ({ event, filters });

/** Returns SQL of the bit of an event's interval, in the smallest type with enough bits. */
function bitOf(
  { bind }: Target,
  { interval, isFirstTime }: Pick<Retention, "interval" | "isFirstTime">,
  { from, buckets }: Period,
  wall: EventScan["wall"],
): string {
  const start = bind(from, "TIMESTAMP");
  const width = INTERVAL_US[interval];
  const index =
    width === undefined
      ? `date_diff('${interval}', ${start}, ${wall})`
      : `(epoch_us(${wall}) - epoch_us(${start})) // ${width}`;
  const type = ["INTEGER", "BIGINT"][Math.floor((buckets.length + 1) / 31)] ?? "HUGEINT";
  const bit = `1::${type} << (1 + ${index})::${type}`;
  return isFirstTime ? `CASE WHEN ${wall} < ${start} THEN 1 ELSE ${bit} END` : bit;
}
