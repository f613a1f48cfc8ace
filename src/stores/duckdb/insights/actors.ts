import type { Actors, ActorsPart, FoundActors } from "../../../core/ports/insights.ts";
import { folded } from "../../../core/values/case-folding.ts";
import { funnelActors } from "./funnels.ts";
import { lifecycleActors } from "./lifecycle.ts";
import { pathsActors } from "./paths.ts";
import { retentionActors } from "./retention.ts";
import type { Row, Statement, Target } from "./statement.ts";
import { stickinessActors } from "./stickiness.ts";
import { trendsActors } from "./trends.ts";

/** Returns the statement of the persons of a number: one row for each in the part, and the count of all in each row. */
export function actorsSql(
  target: Target,
  asked: Actors,
  { limit, offset, search }: ActorsPart,
): Statement {
  const { bind, project } = target;
  const { tables, select } = actorsOf(target, asked);
  const searched =
    search === null
      ? ""
      : `\n  WHERE contains(known.email, ${bind(folded(search.text))})
    OR known.id IN (SELECT unnest(from_json(${bind(JSON.stringify(search.owners))}::JSON, '["BIGINT"]')))`;
  return {
    tables: [
      ...tables,
      `acting AS (\n${select}\n)`,
      `known AS (
  SELECT id, uuid, email FROM persons WHERE project_id = ${bind(project ?? 0, "INTEGER")}
)`,
      `listed AS MATERIALIZED (
  -- Persons without a profile are one row.
  SELECT known.id, sum(number)::DOUBLE AS number, max(last_at) AS last_at, count(*) AS persons
  FROM acting LEFT JOIN known ON known.uuid = acting.actor${searched}
  GROUP BY known.id
)`,
      `part AS (
  SELECT * FROM listed ORDER BY number DESC, last_at DESC, id NULLS LAST
  LIMIT ${limit} OFFSET ${offset}
)`,
    ],
    select: `SELECT total.count, part.id, number, persons IS NULL AS is_none,
  strftime(last_at, '%Y-%m-%dT%H:%M:%S.%fZ') AS last_at
FROM (SELECT coalesce(sum(persons), 0)::BIGINT AS count FROM listed) AS total LEFT JOIN part ON true
ORDER BY number DESC, part.last_at DESC, id NULLS LAST`,
  };
}

function actorsOf(target: Target, asked: Actors): Statement {
  switch (asked.kind) {
    case "TrendsQuery":
      return trendsActors(target, asked.plan, asked.cell);
    case "FunnelsQuery":
      return funnelActors(target, asked.plan, asked.cell);
    case "RetentionQuery":
      return retentionActors(target, asked.plan, asked.cell);
    case "PathsQuery":
      return pathsActors(target, asked.plan, asked.cell);
    case "LifecycleQuery":
      return lifecycleActors(target, asked.plan, asked.cell);
    case "StickinessQuery":
      return stickinessActors(target, asked.plan, asked.cell);
  }
}

/** Reads the rows of that statement. */
export function foundActors(rows: readonly Row[]): FoundActors {
  const [first] = rows;
  return {
    count: Number(first?.["count"] ?? 0),
    rows: rows
      .filter((row) => row["is_none"] === false)
      .map(({ id, number, last_at }) => ({
        id: (id ?? null) as number | null,
        count: Number(number),
        last_at: String(last_at),
      })),
  };
}
