import { PATH_GAP_MINUTES, type Paths } from "../../../core/queries/path.ts";
import type { Period } from "../../../core/queries/period.ts";
import type { Bind } from "../lists/property-filter.ts";
import { eventScan, type Scanned } from "./event-scan.ts";

/** SQL of paths as rows of {@link PathsRow}, counted by paths and not persons (decision 80), most frequent first. */
export function pathsSql(scanned: Scanned, paths: Paths, period: Period, bind: Bind): string {
  const { types, filters, excluded, edges } = paths;
  const scan = eventScan(scanned, period, bind);
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
  const ordered = "PARTITION BY person_id ORDER BY t, seq";
  const part = partOf(paths, bind);
  return `WITH ${scan.named("matched AS", columns, conditions)}, noted AS (
  SELECT *, lag(place) OVER forwards AS before,
    CASE WHEN t - lag(t) OVER forwards <= INTERVAL ${PATH_GAP_MINUTES} MINUTE THEN 0 ELSE 1 END AS begins
  FROM matched${passed === "" ? "" : ` WHERE place NOT IN (${passed})`}
  WINDOW forwards AS (${ordered})
), moved AS (
  SELECT person_id, t, seq, place,
    sum(begins) OVER (${ordered} ROWS UNBOUNDED PRECEDING) AS path
  FROM noted WHERE begins = 1 OR place <> before
), walked AS (
  SELECT person_id, path, t, place AS source, row_number() OVER along AS n,
    lead(place) OVER along AS target, lead(t) OVER along AS later
  FROM moved WINDOW along AS (PARTITION BY person_id, path ORDER BY t, seq)
)${part.tables}, told AS (
  SELECT n - ${part.first} + 1 AS step, source, target, epoch_us(later) - epoch_us(t) AS took
  FROM ${part.from} WHERE target IS NOT NULL AND ${part.condition}
)
SELECT step::INTEGER AS step, source, target, count(*)::DOUBLE AS paths, avg(took) / 1000 AS average_ms
FROM told GROUP BY ALL ORDER BY paths DESC, step, source, target LIMIT ${bind(edges, "BIGINT")}`;
}

/** Which steps of each path are told: from its `first`, where `condition` holds. */
function partOf({ start, end, steps }: Paths, bind: Bind) {
  const limit = bind(steps, "BIGINT");
  const where = (place: string, more = "") =>
    `min(CASE WHEN source = ${bind(place)}${more} THEN n END) OVER (PARTITION BY person_id, path)`;
  const begun =
    start === null ? "" : `, begun AS (SELECT *, ${where(start)} AS first_n FROM walked)`;
  const from = start === null ? "walked" : "begun";
  const first = start === null ? "1" : "first_n";
  if (end === null) {
    const condition = `n >= ${first} AND n < ${first} + ${limit} - 1`;
    return { tables: begun, from, first, condition };
  }
  const last = where(end, start === null ? "" : " AND n > first_n");
  const tables = `${begun}, ended AS (SELECT *, ${last} AS last_n FROM ${from})`;
  if (start === null) {
    const earliest = `greatest(1, last_n - ${limit} + 1)`;
    const condition = `n >= ${earliest} AND n < last_n`;
    return { tables, from: "ended", first: earliest, condition };
  }
  const condition = `n >= first_n AND n < last_n AND last_n - first_n < ${limit}`;
  return { tables, from: "ended", first, condition };
}

const ADDRESS = "^([a-zA-Z][a-zA-Z0-9+.-]*:/)?/";
const HOST = "^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*";

/** The same as `placeOf` of the domain. */
function placeIn(text: string): string {
  const path = `regexp_replace(regexp_replace(x, '${HOST}', ''), '[?#](?s:.*)$', '')`;
  return `list_transform([${text}], lambda x: CASE WHEN regexp_matches(x, '${ADDRESS}')
        THEN coalesce(nullif(rtrim(${path}, '/'), ''), '/') ELSE x END)[1]`;
}
