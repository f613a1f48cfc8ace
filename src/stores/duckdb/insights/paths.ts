import type { CellOf, PathsRow, PlanOf } from "../../../core/ports/insights.ts";
import { PATH_GAP_MINUTES, type Paths } from "../../../core/queries/path.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Bind } from "../lists/property-filter.ts";
import {
  actorsSelect,
  eventScan,
  type Row,
  type Statement,
  type Target,
  TIME,
} from "./statement.ts";

/** Returns the statement of paths, with the most frequent ways first. */
export function pathsSql(target: Target, paths: Paths, period: Period): Statement {
  const { tables, part } = stepsOf(target, paths, period);
  const ways = `ways AS (
  -- Paths that end at a place go a way without a target.
  SELECT n - ${part.first} + 1 AS step, source, target, count(*) AS paths,
    avg(epoch_us(t_target) - epoch_us(t)) / 1000 AS average_ms
  FROM ${part.from}
  WHERE ${part.condition}
  GROUP BY ALL
)`;
  const select = `SELECT step, source, target, paths, average_ms,
  (sum(paths) OVER of_source)::BIGINT AS source_paths,
  coalesce(sum(paths) FILTER (WHERE target IS NULL) OVER of_source, 0)::BIGINT AS source_ends,
  (sum(paths) OVER (PARTITION BY step, target))::BIGINT AS target_paths
FROM ways
WINDOW of_source AS (PARTITION BY step, source)
QUALIFY target IS NOT NULL
ORDER BY paths DESC, step, source, target
LIMIT ${paths.edges}`;
  return { tables: [...tables, ways], select };
}

/** Returns the statement of the persons who went a way; the time is that of its end. */
export function pathsActors(
  target: Target,
  { query, period }: PlanOf<"PathsQuery">,
  { step, source, target: to }: CellOf["PathsQuery"],
): Statement {
  const { tables, part } = stepsOf(target, query, period);
  const { bind } = target;
  const ways = `ways AS (
  SELECT person_id, t_target AS t FROM ${part.from}
  WHERE target = ${bind(to)} AND source = ${bind(source)} AND ${part.condition}
    AND n - ${part.first} + 1 = ${step}
)`;
  return { tables: [...tables, ways], select: actorsSelect({ from: "FROM ways", conditions: [] }) };
}

/** Returns the tables of the steps of paths, and the part of them that counts. */
function stepsOf(target: Target, paths: Paths, period: Period) {
  const { types, filters, excluded } = paths;
  const { bind } = target;
  const scan = eventScan(target, period);
  const columns = [
    `${scan.person()} AS person_id`,
    `${TIME} AS t`,
    "events.seq",
    `CASE events.event
      WHEN '$pageview' THEN coalesce(nullif(events."$pathname", ''), nullif(events."$current_url", ''), events.event)
      WHEN '$screen' THEN coalesce(nullif(events."$screen_name", ''), events.event)
      ELSE events.event END AS name`,
    `events.event = '$pageview' AND regexp_matches(name, '${ADDRESS}') AS is_address`,
  ];
  const isType = types.map((type) =>
    type === "custom_event" ? "NOT starts_with(events.event, '$')" : `events.event = '${type}'`,
  );
  const conditions = [
    ...scan.within(),
    `(${isType.join(" OR ")})`,
    scan.isOf({ event: null, filters }, "events"),
  ];
  const places = excluded.map((place) => bind(place)).join(", ");
  const forwards = "PARTITION BY person_id ORDER BY t, seq";
  const part = partOf(paths, bind);
  const tables = [
    scan.named("matched AS", columns, conditions),
    `placed AS (
  -- The place of an address is its path.
  SELECT person_id, t, seq, CASE WHEN is_address
    THEN coalesce(nullif(rtrim(regexp_replace(regexp_replace(name, '${HOST}', ''), '${QUERY}', ''), '/'), ''), '/')
    ELSE name END AS place
  FROM matched
)`,
    `marked AS (
  -- A new path begins after ${PATH_GAP_MINUTES} minutes without a step.
  SELECT *, lag(place) OVER forwards AS place_before,
    CASE WHEN t - lag(t) OVER forwards <= INTERVAL ${PATH_GAP_MINUTES} MINUTE THEN 0 ELSE 1 END AS begins
  FROM placed${places === "" ? "" : `\n  WHERE place NOT IN (${places})`}
  WINDOW forwards AS (${forwards})
)`,
    `visits AS (
  SELECT person_id, t, seq, place, sum(begins) OVER (${forwards} ROWS UNBOUNDED PRECEDING) AS path
  FROM marked WHERE begins = 1 OR place <> place_before
)`,
    `steps AS (
  SELECT person_id, path, t, place AS source, row_number() OVER along AS n,
    lead(place) OVER along AS target, lead(t) OVER along AS t_target
  FROM visits WINDOW along AS (PARTITION BY person_id, path ORDER BY t, seq)
)`,
    ...part.tables,
  ];
  return { tables, part };
}

/** Returns the steps of each path that count: from number `first` on, where `condition` holds. */
function partOf({ start, end, steps }: Paths, bind: Bind) {
  const where = (place: string, more = "") =>
    `min(CASE WHEN source = ${bind(place)}${more} THEN n END) OVER (PARTITION BY person_id, path)`;
  const begun =
    start === null ? [] : [`begun AS (\n  SELECT *, ${where(start)} AS first_n FROM steps\n)`];
  const from = start === null ? "steps" : "begun";
  const first = start === null ? "1" : "first_n";
  if (end === null) {
    const condition = `n >= ${first} AND n < ${first} + ${steps - 1}`;
    return { tables: begun, from, first, condition };
  }
  const last = where(end, start === null ? "" : " AND n > first_n");
  const tables = [...begun, `ended AS (\n  SELECT *, ${last} AS last_n FROM ${from}\n)`];
  if (start === null) {
    const earliest = `greatest(1, last_n - ${steps - 1})`;
    const condition = `n >= ${earliest} AND n < last_n`;
    return { tables, from: "ended", first: earliest, condition };
  }
  const condition = `n >= first_n AND n < last_n AND last_n - first_n < ${steps}`;
  return { tables, from: "ended", first, condition };
}

// These patterns must equal those in `placeOf` of core/queries/path.ts.
const ADDRESS = "^([a-zA-Z][a-zA-Z0-9+.-]*:/)?/";
const HOST = "^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*";
const QUERY = "[?#](?s:.*)$";

/** Reads a row of paths. */
export const pathsRow = (row: Row): PathsRow => row as PathsRow;
