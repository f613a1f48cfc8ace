import type { Period } from "../domain/insight-period.ts";
import { PATH_GAP_MINUTES, type Paths } from "../domain/path.ts";
import { eventScan } from "./event-scan.ts";
import type { Bind } from "./property-match.ts";

/** A way from one place to the next. */
export type PathsRow = {
  /** Which place of its path `source` is, from 1 on. */
  step: number;
  source: string;
  target: string;
  /** How many paths went that way. */
  paths: number;
  average_ms: number;
};

/** SQL of paths (decision 80), as rows of {@link PathsRow}, the most frequent first. */
export function pathsSql(project: number, paths: Paths, period: Period, bind: Bind): string {
  const { types, filters, excluded, edges } = paths;
  const scan = eventScan(project, period, bind);
  const columns = [
    `${scan.person()} AS person_id`,
    `"timestamp" AS t`,
    "seq",
    `CASE event
      WHEN '$pageview' THEN ${placeIn(`coalesce(nullif("$pathname", ''), nullif("$current_url", ''), event)`)}
      WHEN '$screen' THEN coalesce(nullif("$screen_name", ''), event) ELSE event END AS place`,
  ];
  const isType = types.map((type) => {
    return type === "custom_event" ? "NOT starts_with(event, '$')" : `event = '${type}'`;
  });
  const conditions = [
    ...scan.within(),
    `(${isType.join(" OR ")})`,
    scan.isOf({ event: null, filters }),
  ];
  const passed = excluded.map((place) => bind(place)).join(", ");
  return `WITH ${scan.named("matched", columns, conditions)}, noted AS (
  SELECT *, lag(place) OVER forwards AS before,
    CASE WHEN t - lag(t) OVER forwards <= INTERVAL ${PATH_GAP_MINUTES} MINUTE THEN 0 ELSE 1 END AS begins
  FROM matched${passed === "" ? "" : ` WHERE place NOT IN (${passed})`}
  WINDOW forwards AS (PARTITION BY person_id ORDER BY t, seq)
), numbered AS (
  SELECT *, sum(begins) OVER (PARTITION BY person_id ORDER BY t, seq ROWS UNBOUNDED PRECEDING) AS path
  FROM noted
), walked AS (
  SELECT list_sort(list({t: t, seq: seq, place: place})) AS steps
  FROM numbered WHERE begins = 1 OR place <> before GROUP BY person_id, path
), ${cutSql(paths, bind)}, ways AS (
  SELECT unnest(list_transform(range(1, len(steps)), lambda n: {
    step: n, source: steps[n].place, target: steps[n + 1].place,
    took: epoch_us(steps[n + 1].t) - epoch_us(steps[n].t)
  })) AS way FROM cut
)
SELECT way.step::INTEGER AS step, way.source AS source, way.target AS target,
  count(*)::DOUBLE AS paths, avg(way.took) / 1000 AS average_ms
FROM ways GROUP BY ALL ORDER BY paths DESC, step, source, target LIMIT ${bind(edges, "BIGINT")}`;
}

/** The part of each path that is told, as `cut`. */
function cutSql({ start, end, steps }: Paths, bind: Bind): string {
  const limit = bind(steps, "BIGINT");
  if (start === null && end === null)
    return `cut AS (SELECT steps[1:${limit}] AS steps FROM walked)`;
  const places = "list_transform(steps, lambda step: step.place)";
  if (start === null || end === null) {
    const at = `list_position(${places}, ${bind(start ?? end ?? "")})`;
    const part = end === null ? `n:n + ${limit} - 1` : `greatest(1, n - ${limit} + 1):n`;
    return `found AS (SELECT steps, ${at} AS n FROM walked), cut AS (
  SELECT steps[${part}] AS steps FROM found WHERE n > 0
)`;
  }
  return `begun AS (SELECT steps, list_position(${places}, ${bind(start)}) AS n FROM walked), found AS (
  SELECT steps[n:] AS steps, list_position(${places}[n + 1:], ${bind(end)}) AS until
  FROM begun WHERE n > 0
), cut AS (
  SELECT steps[1:until + 1] AS steps FROM found WHERE until > 0 AND until < ${limit}
)`;
}

const ADDRESS = "^([a-zA-Z][a-zA-Z0-9+.-]*:/)?/";
const HOST = "^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*";

/** The same as `placeOf` of the domain. */
function placeIn(text: string): string {
  const path = `regexp_replace(regexp_replace(x, '${HOST}', ''), '[?#](?s:.*)$', '')`;
  return `list_transform([${text}], lambda x: CASE WHEN regexp_matches(x, '${ADDRESS}')
        THEN coalesce(nullif(rtrim(${path}, '/'), ''), '/') ELSE x END)[1]`;
}
