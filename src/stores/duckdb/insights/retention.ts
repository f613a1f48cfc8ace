import { isDeepStrictEqual } from "node:util";
import type { Interval, Period } from "../../../core/queries/period.ts";
import type { EventsNode } from "../../../core/queries/query-fields.ts";
import type { Retention } from "../../../core/queries/retention.ts";
import type { Bind } from "../lists/property-filter.ts";
import { type EventScan, eventScan, type Scanned } from "./event-scan.ts";
import { retentionByValueSql } from "./retention-breakdown.ts";

/** Microseconds of the intervals that are all as long; on a wall's clock no day is shorter. */
const INTERVAL_US: Partial<Record<Interval, number>> = {
  hour: 3_600_000_000,
  day: 86_400_000_000,
  week: 604_800_000_000,
};

/**
 * SQL of a retention (decision 79), as rows of {@link RetentionRow}, intervals by their number from 0
 * on; no row where there is nobody. Zero intervals later are all who began. The intervals that a person
 * was there in are bits of a number, the lowest is of all before them: one pass over the events, and
 * few persons differ.
 */
export function retentionSql(
  scanned: Scanned,
  retention: Retention,
  period: Period,
  bind: Bind,
): string {
  const { target, returning, isFirstTime, interval, breakdown } = retention;
  if (breakdown !== null) {
    const told = toldOf(retention, period);
    return retentionByValueSql(scanned, { ...retention, breakdown }, { period, told }, bind);
  }
  const scan = eventScan(scanned, period, bind);
  const isSame = isDeepStrictEqual(whichOf(returning), whichOf(target));
  const isTarget = `(${scan.isOf(target)})`;
  const isReturning = isSame ? isTarget : `(${scan.isOf(returning)})`;
  const bit = bitOf({ interval, isFirstTime }, period, { scan, bind });
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
  // Who did it for the first time before is not new.
  const begins = isFirstTime ? "(began & -began) >> 1" : "began >> 1";
  const isNew = isFirstTime ? "began & 1 = 0" : "began IS NOT NULL";
  const bits = (number: string, intervals = period.buckets.length) =>
    `unnest(list_filter(range(${bind(intervals, "BIGINT")}), lambda bit: (${number} >> bit::INTEGER) & 1 = 1))`;
  return `WITH ${scan.named("matched AS", columns, conditions)}, present AS (
  SELECT bit_or(target_bit) AS began, ${came} AS came FROM matched GROUP BY person_id
), alike AS (
  SELECT ${begins} AS began, came >> 1 AS came, persons
  FROM (SELECT began::HUGEINT AS began, came::HUGEINT AS came, count(*) AS persons
    FROM present GROUP BY ALL)
  WHERE ${isNew}
), cohort AS (
  SELECT ${bits("began")} AS began, came, persons FROM alike
), later AS (
  -- Whoever began is there, whatever counts as coming back.
  SELECT began, (came >> began::INTEGER) | 1::HUGEINT AS came, sum(persons) AS persons
  FROM cohort GROUP BY ALL
), told AS (
  SELECT began, ${bits("came", toldOf(retention, period))} AS later, persons FROM later
)
SELECT began::INTEGER AS began, later::INTEGER AS later, sum(persons)::DOUBLE AS persons
FROM told GROUP BY ALL`;
}

/** How many intervals are told of. */
export function toldOf({ intervals }: Pick<Retention, "intervals">, { buckets }: Period): number {
  return Math.min(intervals ?? buckets.length, buckets.length);
}

const whichOf = ({ event, filters }: EventsNode) => ({ event, filters });

/** The bit of an event's interval, in the smallest type that has one for each. */
function bitOf(
  { interval, isFirstTime }: Pick<Retention, "interval" | "isFirstTime">,
  { from, buckets }: Period,
  { scan, bind }: { scan: EventScan; bind: Bind },
): string {
  const start = bind(from, "TIMESTAMP");
  const width = INTERVAL_US[interval];
  const place =
    width === undefined
      ? `date_diff('${interval}', ${start}, ${scan.wall})`
      : `(epoch_us(${scan.wall}) - epoch_us(${start})) // ${width}`;
  const type = ["INTEGER", "BIGINT"][Math.floor((buckets.length + 1) / 31)] ?? "HUGEINT";
  const bit = `1::${type} << (1 + ${place})::${type}`;
  return isFirstTime ? `CASE WHEN ${scan.wall} < ${start} THEN 1 ELSE ${bit} END` : bit;
}
