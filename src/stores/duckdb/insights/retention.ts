import type { RetentionRow } from "../../../core/ports/insights.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Retention } from "../../../core/queries/retention.ts";
import { breakdownOf, joinedWith, topColumns, topValues, valueColumns } from "./breakdown.ts";
import { bucketOf, eventScan, TIME } from "./event-scan.ts";
import { intervalsOf, retentionBitsSql } from "./retention-bits.ts";
import type { Row, Statement, Target } from "./target.ts";

/**
 * The statement of a retention (decision 79). Zero intervals later are all persons that began in the
 * interval. Pairs without persons have no row.
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
  const top = topColumns("top_values");
  const tables = [
    ...startedSql(target, retention, period),
    ...(breakdown === null
      ? []
      : [
          topValues("top_values", "started", "count(*)", breakdown),
          `cohorts AS (
  SELECT person_id, began, ${valueColumns(top)}
  ${joinedWith("top_values", "started")}
)`,
        ]),
    scan.named("returned AS", columns, [...scan.within(), scan.isOf(returning)]),
  ];
  const cohorts = breakdown === null ? "started" : "cohorts";
  const value = breakdown === null ? "" : "breakdown, is_other, ";
  const order = breakdown === null ? "" : "is_other, breakdown NULLS LAST, ";
  const began = `${bucketOf(interval, "began")} AS began`;
  const count = intervalsOf(retention, period);
  const within = count < period.buckets.length ? `\nWHERE later < ${count}` : "";
  const select = `-- All persons that began${isFirstTime ? " for the first time ever" : ""} count at 0, also without a return.
SELECT ${value}${began}, 0 AS later, count(*) AS persons
FROM ${cohorts} GROUP BY ALL
UNION ALL
SELECT ${value}${began}, date_diff('${interval}', began, returned_at) AS later, count(*) AS persons
FROM ${cohorts} JOIN returned ON returned.person_id = ${cohorts}.person_id AND returned_at > began${within}
GROUP BY ALL
ORDER BY ${order}began, later`;
  return { tables, select };
}

/** Tables up to `started`: persons, when they began, and the value of their first event in that interval. */
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
  const from = target.bind(period.from, "TIMESTAMP");
  if (breakdown !== null) {
    const each = isFirstTime ? "person_id" : "person_id, began";
    const started = `started AS (
  SELECT person_id, began, breakdown FROM begins
  QUALIFY row_number() OVER (PARTITION BY ${each} ORDER BY began, t, seq) = 1 AND began >= ${from}
)`;
    return [begins, started];
  }
  const started = isFirstTime
    ? `SELECT person_id, min(began) AS began FROM begins
  GROUP BY person_id HAVING min(began) >= ${from}`
    : "SELECT DISTINCT person_id, began FROM begins";
  return [begins, `started AS (\n  ${started}\n)`];
}

/** Reads a row of a retention; `places` are the indexes of the period's buckets. */
export function retentionRow(row: Row, places: ReadonlyMap<unknown, number>): RetentionRow {
  const { began, later, persons } = row as Row & RetentionRow;
  const value = row["is_other"] === undefined ? {} : breakdownOf(row);
  return { began: places.get(began) ?? began, later, persons, ...value };
}
