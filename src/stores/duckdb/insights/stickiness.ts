import type { Period } from "../../../core/queries/period.ts";
import type { EventsNode } from "../../../core/queries/query-fields.ts";
import type { Stickiness } from "../../../core/queries/stickiness.ts";
import type { Bind } from "../lists/property-filter.ts";
import { eventScan, type Scanned } from "./event-scan.ts";

/** SQL of one series of a stickiness (decision 79), as rows of {@link StickinessRow}. */
export function stickinessSql(
  scanned: Scanned,
  { series, interval }: { series: EventsNode } & Pick<Stickiness, "interval">,
  period: Period,
  bind: Bind,
): string {
  const scan = eventScan(scanned, period, bind);
  const columns = [`${scan.person()} AS person_id`, `${scan.startOf(interval)} AS starts_at`];
  return `WITH ${scan.named("matched AS", columns, [...scan.within(), scan.isOf(series)])}, present AS (
  SELECT DISTINCT person_id, starts_at FROM matched
), active AS (
  SELECT person_id, count(*) AS intervals FROM present GROUP BY person_id
)
SELECT intervals::INTEGER AS intervals, count(*)::DOUBLE AS persons FROM active GROUP BY intervals`;
}
