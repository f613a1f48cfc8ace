import type {
  Actors,
  ActorsPart,
  CellOf,
  FoundActors,
  PlanOf,
} from "../../../core/ports/insights.ts";
import type { Series, Trends } from "../../../core/queries/trend.ts";
import { folded } from "../../../core/values/case-folding.ts";
import { listIn } from "./breakdown-values.ts";
import { funnelActors } from "./funnels.ts";
import { lifecycleActors } from "./lifecycle.ts";
import { pathsActors } from "./paths.ts";
import { retentionActors } from "./retention.ts";
import {
  actorsSelect,
  bucketOf,
  isOfLine,
  joinedWith,
  type Row,
  type Statement,
  type Target,
  TIME,
  topValues,
} from "./statement.ts";
import { stickinessActors } from "./stickiness.ts";
import { daysOf, eventsOf, rowsOf, type SeriesIn, uniqueIn } from "./trend-rows.ts";
import { FORMULA_TOP, formulaTop, seriesOf } from "./trends.ts";

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

/** SQL of the count of a person's events, and the condition that they count at all. */
function countedOf(series: Series): { count: string; counts: string[] } {
  const { math, math_property } = series;
  const id = uniqueIn(series);
  if (id !== undefined && id !== "person_id") {
    return { count: `count(DISTINCT ${id})`, counts: [`${id} IS NOT NULL`] };
  }
  if (id !== undefined || math_property === null) return { count: "count(*)", counts: [] };
  return {
    count: math === "sum" ? "sum(number)" : "count(number)",
    counts: ["number IS NOT NULL"],
  };
}

/** Returns the statement of the persons of a number of a trend. */
function trendsActors(
  target: Target,
  plan: PlanOf<"TrendsQuery">,
  { series: index, bucket, isPrevious, line }: CellOf["TrendsQuery"],
): Statement {
  const { query, period, previous } = plan;
  const { breakdown, formula } = query;
  const own = seriesOf(isPrevious ? { ...plan, period: previous ?? period } : plan)[
    index
  ] as SeriesIn;
  const table = "acted";
  const events = eventsOf(target, query, own, {
    table,
    more: (scan) => [`${scan.person()} AS actor`, `${TIME} AS t`, "events.seq AS event_seq"],
  });
  const { count, counts } = countedOf(own.series);
  const conditions = [...counts, ...isWithin(target, query, own, bucket)];
  const select = (from: string) => actorsSelect({ actor: "actor", count, from, conditions });
  // An event with several values of a list counts once, in all values and in the line of all others.
  const eachOnce = (from: string, where: readonly string[] = ["true"]) => `once AS (
  SELECT ${table}.* ${from} WHERE ${where.join(" AND ")}
  QUALIFY row_number() OVER (PARTITION BY event_seq) = 1
)`;
  const isList = breakdown !== null && listIn(breakdown) !== undefined;
  if (breakdown === null || line === null) {
    const from = `FROM ${table}`;
    return isList
      ? { tables: [events, eachOnce(from)], select: select("FROM once") }
      : { tables: [events], select: select(from) };
  }
  const ranked = seriesOf(plan)
    .filter((_, at) => formula !== null || at === index)
    .map((one) => ({ own: one, rows: rowsOf(target, { ...query, isWhole: true }, one) }));
  const [first] = ranked.map(({ rows }) => rows);
  const name = formula === null ? "top_values" : FORMULA_TOP;
  const top =
    formula === null
      ? topValues(name, first?.ranked ?? "", first?.rankedBy ?? "", breakdown)
      : formulaTop(breakdown, formula, ranked);
  const value = { breakdown: `${table}.breakdown`, isOther: `(${name}.is_top IS NULL)` };
  const ofLine = isOfLine(target, line, value);
  const tables = [events, ...ranked.flatMap(({ rows }) => rows.tables), top];
  const joined = joinedWith(name, table);
  if (isList) {
    return { tables: [...tables, eachOnce(joined, ofLine)], select: select("FROM once") };
  }
  conditions.push(...ofLine);
  return { tables, select: select(joined) };
}

/** Returns the conditions that an event counts in an interval; in the whole period without one. */
function isWithin(
  { bind }: Target,
  { interval }: Trends,
  { series, period }: SeriesIn,
  bucket: string | null,
): string[] {
  const days = daysOf(series);
  if (days > 1) {
    // An event makes its person active on so many days from its own on.
    const last = bind(bucket ?? period.buckets.at(-1) ?? period.before, "DATE");
    const since = bucket === null ? [] : [`starts_at > ${last} - ${days}`];
    return [`starts_at <= ${last}`, ...since];
  }
  if (bucket === null) return [];
  return [
    `${bucketOf(interval, "starts_at", period)} = ${bind(bucket, interval === "hour" ? "VARCHAR" : "DATE")}`,
  ];
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
