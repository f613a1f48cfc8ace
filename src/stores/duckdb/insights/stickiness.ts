import type { CellOf, PlanOf, StickinessRow } from "../../../core/ports/insights.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Stickiness } from "../../../core/queries/stickiness.ts";
import {
  actorsSelect,
  eventScan,
  type Row,
  type Statement,
  type Target,
  TIME,
} from "./statement.ts";
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

/** Returns the statement of the persons who had events in exactly so many intervals. */
export function stickinessActors(
  target: Target,
  { query: { series, interval }, period }: PlanOf<"StickinessQuery">,
  { series: index, intervals }: CellOf["StickinessQuery"],
): Statement {
  const scan = eventScan(target, period);
  const columns = [
    `${scan.person()} AS person_id`,
    `${scan.startOf(interval)} AS starts_at`,
    `${TIME} AS t`,
  ];
  const conditions = [...scan.within(), scan.isOf(series[index] ?? { event: null, filters: [] })];
  const select = actorsSelect({
    count: "count(DISTINCT starts_at)",
    from: "FROM acted",
    conditions: [],
  });
  return {
    tables: [scan.named("acted AS", columns, conditions)],
    select: `${select} HAVING count(DISTINCT starts_at) = ${intervals}`,
  };
}

/** Reads a row of a stickiness. */
export function stickinessRow(row: Row): StickinessRow {
  const { intervals, persons } = row as Row & StickinessRow;
  return { intervals, persons };
}
