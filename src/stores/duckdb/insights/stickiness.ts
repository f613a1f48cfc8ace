import type { StickinessRow } from "../../../core/ports/insights.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Stickiness } from "../../../core/queries/stickiness.ts";
import { eventScan, type Row, type Statement, type Target } from "./statement.ts";
import { letterOf } from "./trends.ts";

/** Returns the statements of a stickiness, one for each series. */
export function stickinessSql(
  { series: all, interval }: Stickiness,
  period: Period,
): ((target: Target) => Statement)[] {
  return all.map((series, index) => (target) => {
    const letter = letterOf(index);
    const name = letter.toLowerCase();
    const scan = eventScan(target, period);
    const columns = [`${scan.person()} AS person_id`, `${scan.startOf(interval)} AS starts_at`];
    const conditions = [...scan.within(), scan.isOf(series)];
    const tables = [
      scan.named(`${name}_events AS`, columns, conditions),
      `${name}_persons AS (
  SELECT person_id, count(*) AS intervals
  FROM (SELECT DISTINCT person_id, starts_at FROM ${name}_events)
  GROUP BY person_id
)`,
    ];
    return {
      tables,
      select: `SELECT '${letter}' AS series, intervals, count(*) AS persons
FROM ${name}_persons GROUP BY intervals`,
    };
  });
}

/** Reads a row of a stickiness. */
export function stickinessRow(row: Row): StickinessRow {
  const { intervals, persons } = row as Row & StickinessRow;
  return { intervals, persons };
}
