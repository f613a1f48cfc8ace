import type { Period } from "../../../core/queries/period.ts";
import type { Breakdown } from "../../../core/queries/query-fields.ts";
import type { Retention } from "../../../core/queries/retention.ts";
import type { Bind } from "../lists/property-filter.ts";
import { eventScan, type Scanned } from "./event-scan.ts";
import { toldApart } from "./trends.ts";

/**
 * SQL of a retention by the values of a property (decision 79), as rows of `RetentionRow`. A value is
 * that of the first event by which a person began in an interval; when a person came is a number with
 * a bit for each interval; `told` is how many of them are told of.
 */
export function retentionByValueSql(
  scanned: Scanned,
  { target, returning, isFirstTime, interval, breakdown }: Retention & { breakdown: Breakdown },
  { period, told }: { period: Period; told: number },
  bind: Bind,
): string {
  const scan = eventScan(scanned, period, bind);
  const from = bind(period.from, "TIMESTAMP");
  const isTarget = `(${scan.isOf(target)})`;
  const isReturning = returning === target ? isTarget : `(${scan.isOf(returning)})`;
  const columns = [
    `${scan.person()} AS person_id`,
    `"timestamp" AS t`,
    "seq",
    `${isTarget} AS is_target`,
    `${isReturning} AS is_returning`,
    `${scan.value(breakdown)} AS breakdown`,
    `CASE WHEN ${scan.wall} < ${from} THEN -1
      ELSE date_diff('${interval}', ${from}, ${scan.wall}) END AS place`,
  ];
  const conditions = [
    ...scan.within({ everBefore: isFirstTime }),
    `(${isTarget} OR ${isReturning})`,
  ];
  // Who did it for the first time before is not new.
  const first = isFirstTime
    ? "QUALIFY row_number() OVER (PARTITION BY person_id ORDER BY place) = 1"
    : "";
  return `WITH ${scan.named("matched AS", columns, conditions)}, started AS (
  SELECT person_id, place, arg_min({value: breakdown}, {t: t, seq: seq}).value AS breakdown
  FROM matched WHERE is_target GROUP BY person_id, place
  ${first}
), present AS (
  SELECT person_id, bit_or(1::HUGEINT << place::INTEGER) AS came
  FROM matched WHERE is_returning AND place >= 0 GROUP BY person_id
), alike AS (
  -- Whoever began is there, whatever counts as coming back.
  SELECT breakdown, place AS began,
    (coalesce(came, 0) >> place::INTEGER) | 1::HUGEINT AS came, count(*) AS persons
  FROM started LEFT JOIN present USING (person_id) WHERE place >= 0 GROUP BY ALL
), top AS (
  SELECT breakdown, true AS is_top FROM alike GROUP BY breakdown
  ORDER BY sum(persons) DESC, breakdown NULLS LAST
  LIMIT ${bind(breakdown.limit, "BIGINT")}
), named AS (
  SELECT began, came, persons, ${toldApart("alike")}
), told AS (
  SELECT kind, told, began, persons, unnest(list_filter(
    range(${bind(told, "BIGINT")}), lambda bit: (came >> bit::INTEGER) & 1 = 1)) AS later
  FROM named
)
SELECT kind, told AS breakdown, began::INTEGER AS began, later::INTEGER AS later,
  sum(persons)::DOUBLE AS persons
FROM told GROUP BY ALL`;
}
