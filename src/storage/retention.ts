import type { Period } from "../domain/insight-period.ts";
import type { BreakdownKind } from "../domain/insight-result.ts";
import type { Retention } from "../domain/retention.ts";
import { eventScan } from "./event-scan.ts";
import type { Bind } from "./property-match.ts";
import { retentionByValueSql } from "./retention-by-value.ts";

/** How many of those who began in the interval `began` came so many intervals later. */
export type RetentionRow = {
  began: number;
  later: number;
  persons: number;
  /** With a breakdown, the value by which they began. */
  kind?: BreakdownKind;
  breakdown?: string | null;
};

/**
 * SQL of a retention (decision 79), as rows of {@link RetentionRow}, intervals by their number from 0
 * on; no row where there is nobody. Zero intervals later are all who began. The intervals that a person
 * was there in are bits of a number: one pass over the events, and few persons differ.
 */
export function retentionSql(
  project: number,
  retention: Retention,
  period: Period,
  bind: Bind,
): string {
  const { target, returning, isFirstTime, interval, breakdown } = retention;
  if (breakdown !== null) {
    return retentionByValueSql(project, { ...retention, breakdown }, period, bind);
  }
  const scan = eventScan(project, period, bind);
  const from = bind(period.from, "TIMESTAMP");
  const isTarget = `(${scan.isOf(target)})`;
  const isReturning = returning === target ? isTarget : `(${scan.isOf(returning)})`;
  const columns = [
    `${scan.person()} AS person_id`,
    `${isTarget} AS is_target`,
    `${isReturning} AS is_returning`,
    `CASE WHEN ${scan.wall} < ${from} THEN -1
      ELSE date_diff('${interval}', ${from}, ${scan.wall}) END AS place`,
  ];
  const conditions = [
    ...scan.within({ everBefore: isFirstTime }),
    `(${isTarget} OR ${isReturning})`,
  ];
  // Who did it for the first time before is not new.
  const began = isFirstTime
    ? "1::HUGEINT << nullif(min(place) FILTER (is_target), -1)::INTEGER"
    : "bit_or(1::HUGEINT << place::INTEGER) FILTER (is_target)";
  const places = `range(${bind(period.buckets.length, "BIGINT")})`;
  const bits = (number: string) =>
    `unnest(list_filter(${places}, lambda bit: (${number} >> bit::INTEGER) & 1 = 1))`;
  return `WITH ${scan.named("matched", columns, conditions)}, present AS (
  SELECT ${began} AS began,
    coalesce(bit_or(1::HUGEINT << greatest(place, 0)::INTEGER) FILTER (is_returning AND place >= 0), 0) AS came
  FROM matched GROUP BY person_id
), alike AS (
  SELECT began, came, count(*) AS persons FROM present WHERE began IS NOT NULL GROUP BY began, came
), cohort AS (
  SELECT ${bits("began")} AS began, came, persons FROM alike
), later AS (
  -- Whoever began is there, whatever counts as coming back.
  SELECT began, (came >> began::INTEGER) | 1::HUGEINT AS came, sum(persons) AS persons
  FROM cohort GROUP BY ALL
), told AS (
  SELECT began, ${bits("came")} AS later, persons FROM later
)
SELECT began::INTEGER AS began, later::INTEGER AS later, sum(persons)::DOUBLE AS persons
FROM told GROUP BY ALL`;
}
