import type { CellOf, LifecycleRow, PlanOf } from "../../../core/ports/insights.ts";
import type { Interval } from "../../../core/queries/intervals.ts";
import type { Lifecycle } from "../../../core/queries/lifecycle.ts";
import { type Period, withoutFirstInterval } from "../../../core/queries/period.ts";
import {
  actorsSelect,
  bucketOf,
  eventScan,
  type Row,
  type Statement,
  type Target,
  TIME,
} from "./statement.ts";

/** SQL of the length of an interval. */
const LENGTH: Record<Interval, string> = {
  hour: "INTERVAL 1 HOUR",
  day: "INTERVAL 1 DAY",
  week: "INTERVAL 7 DAY",
  month: "INTERVAL 1 MONTH",
};

/**
 * Returns the statement of a lifecycle; dormant persons count below zero. Intervals have numbers. Number 0 is the
 * first interval of the period, which is before the first of the answer. All earlier events have number -1.
 */
export function lifecycleSql(
  target: Target,
  { series, interval }: Lifecycle,
  period: Period,
): Statement {
  const from = target.bind(period.from, "TIMESTAMP");
  const tables = statusesOf(target, { series, interval }, period);
  const start = `(${from} + number * ${LENGTH[interval]})`;
  const select = `SELECT ${bucketOf(interval, start, period)} AS bucket, status,
  CASE status WHEN 'dormant' THEN -count(*) ELSE count(*) END AS persons
FROM statuses
WHERE number > 0 AND number < ${period.buckets.length}
GROUP BY number, status
ORDER BY number, status`;
  return { tables, select };
}

/** Returns the tables up to `statuses`: a row for each person and interval, with the person for a list of persons. */
function statusesOf(
  target: Target,
  { series, interval }: Pick<Lifecycle, "series" | "interval">,
  period: Period,
  isOfActors = false,
): string[] {
  const scan = eventScan(target, period, { asked: withoutFirstInterval(period) });
  const from = target.bind(period.from, "TIMESTAMP");
  const columns = [
    `${scan.person()} AS person_id`,
    ...(isOfActors ? [`${TIME} AS t`] : []),
    `CASE WHEN ${scan.wall} < ${from} THEN -1
      ELSE date_diff('${interval}', ${from}, ${scan.wall}) END AS number`,
  ];
  const conditions = [...scan.within({ everBefore: true }), scan.isOf(series)];
  const person = isOfActors ? "person_id, " : "";
  return [
    scan.named("matched AS", columns, conditions),
    `active AS (
  SELECT DISTINCT person_id, number FROM matched
)`,
    `neighbors AS (
  SELECT ${person}number, lag(number) OVER forwards AS earlier, lead(number) OVER forwards AS later
  FROM active WINDOW forwards AS (PARTITION BY person_id ORDER BY number)
)`,
    `statuses AS (
  SELECT ${person}number, CASE WHEN earlier IS NULL THEN 'new'
    WHEN earlier = number - 1 THEN 'returning' ELSE 'resurrecting' END AS status
  FROM neighbors
  UNION ALL
  SELECT ${person}neighbors.number + 1 AS number, 'dormant' AS status
  FROM neighbors WHERE later IS DISTINCT FROM neighbors.number + 1
)`,
  ];
}

/** Returns the statement of the persons of a status; the time of dormant ones is that of the interval before. */
export function lifecycleActors(
  target: Target,
  { query, period }: PlanOf<"LifecycleQuery">,
  { status, place }: CellOf["LifecycleQuery"],
): Statement {
  const select = actorsSelect({
    actor: "statuses.person_id",
    from: `FROM statuses JOIN matched ON matched.person_id = statuses.person_id
  AND matched.number = ${status === "dormant" ? place - 1 : place}`,
    conditions: [`statuses.number = ${place}`, `status = '${status}'`],
  });
  return { tables: statusesOf(target, query, period, true), select };
}

/** Reads a row of a lifecycle; `bucketIndexes` are the indexes of the period's buckets. */
export function lifecycleRow(row: Row, bucketIndexes: ReadonlyMap<unknown, number>): LifecycleRow {
  const { bucket, status, persons } = row as Pick<LifecycleRow, "status" | "persons"> & Row;
  return { status, place: bucketIndexes.get(bucket) ?? 0, persons: Math.abs(persons) };
}
