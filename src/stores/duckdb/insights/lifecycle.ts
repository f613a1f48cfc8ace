import type { Lifecycle } from "../../../core/queries/lifecycle.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Bind } from "../lists/property-filter.ts";
import { eventScan, type Scanned } from "./event-scan.ts";

/**
 * SQL of a lifecycle (decision 79), as rows of {@link LifecycleRow}; no row where there is nobody.
 * `period` begins with the interval before the first that is told of: its number is 0, and -1 is
 * whatever was before it.
 */
export function lifecycleSql(
  scanned: Scanned,
  { series, interval }: Lifecycle,
  period: Period,
  bind: Bind,
): string {
  const scan = eventScan(scanned, period, bind);
  const from = bind(period.from, "TIMESTAMP");
  const columns = [
    `${scan.person()} AS person_id`,
    `CASE WHEN ${scan.wall} < ${from} THEN -1
      ELSE date_diff('${interval}', ${from}, ${scan.wall}) END AS place`,
  ];
  const conditions = [...scan.within({ everBefore: true }), scan.isOf(series)];
  return `WITH ${scan.named("matched AS", columns, conditions)}, active AS (
  SELECT DISTINCT person_id, place FROM matched
), followed AS (
  SELECT place, lag(place) OVER forwards AS earlier, lead(place) OVER forwards AS later
  FROM active WINDOW forwards AS (PARTITION BY person_id ORDER BY place)
), told AS (
  SELECT place, CASE WHEN earlier IS NULL THEN 'new'
    WHEN earlier = place - 1 THEN 'returning' ELSE 'resurrecting' END AS status
  FROM followed WHERE place > 0
  UNION ALL
  SELECT place + 1 AS place, 'dormant' AS status FROM followed
  WHERE place >= 0 AND later IS DISTINCT FROM place + 1
    AND place + 1 < ${bind(period.buckets.length, "BIGINT")}
)
SELECT status, place::INTEGER AS place, count(*)::DOUBLE AS persons FROM told GROUP BY ALL`;
}
