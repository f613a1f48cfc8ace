import type { PlanOf } from "../../../core/ports/insights.ts";
import { PATH_GAP_MINUTES, type Paths } from "../../../core/queries/path.ts";
import { quoted } from "../engine/duckdb.ts";
import { draftScan } from "./scan.ts";

/** SQL of paths over the views (decision 89): ways from one place to the next, the most frequent first. */
export function draftPaths({ query, period, timezone }: PlanOf<"PathsQuery">): string {
  const { types, filters, excluded, edges } = query;
  const scan = draftScan(period, timezone);
  const isType = types.map((type) =>
    type === "custom_event" ? "NOT starts_with(events.event, '$')" : `events.event = '${type}'`,
  );
  const passes = scan.isOf({ event: null, filters });
  const ordered = "PARTITION BY person_id ORDER BY t, seq";
  const part = partOf(query);
  const kept =
    excluded.length === 0 ? "" : `\n  WHERE place NOT IN (${excluded.map(quoted).join(", ")})`;
  return `WITH matched AS (
  SELECT events.person_id, events.timestamp AS t, events.seq,
    CASE events.event
      WHEN '$pageview' THEN coalesce(nullif(events."$pathname", ''), nullif(events."$current_url", ''), events.event)
      WHEN '$screen' THEN coalesce(nullif(events."$screen_name", ''), events.event)
      ELSE events.event END AS name,
    events.event = '$pageview' AND regexp_matches(name, '${ADDRESS}') AS is_address
  ${scan.selected([`(${isType.join(" OR ")})`, passes])}
), placed AS (
  -- Of an address only its path counts.
  SELECT person_id, t, seq, CASE WHEN is_address
    THEN coalesce(nullif(rtrim(regexp_replace(regexp_replace(name, '${HOST}', ''), '${QUERY}', ''), '/'), ''), '/')
    ELSE name END AS place
  FROM matched
), noted AS (
  -- A new path begins after ${PATH_GAP_MINUTES} minutes without a step.
  SELECT *, lag(place) OVER forwards AS place_before,
    CASE WHEN t - lag(t) OVER forwards <= INTERVAL ${PATH_GAP_MINUTES} MINUTE THEN 0 ELSE 1 END AS begins
  FROM placed${kept}
  WINDOW forwards AS (${ordered})
), moved AS (
  SELECT person_id, t, seq, place, sum(begins) OVER (${ordered} ROWS UNBOUNDED PRECEDING) AS path
  FROM noted WHERE begins = 1 OR place <> place_before
), walked AS (
  SELECT person_id, path, t, place AS source, row_number() OVER along AS n,
    lead(place) OVER along AS target, lead(t) OVER along AS t_target
  FROM moved WINDOW along AS (PARTITION BY person_id, path ORDER BY t, seq)
)${part.tables}
SELECT n - ${part.first} + 1 AS step, source, target, count(*) AS paths,
  avg(epoch_us(t_target) - epoch_us(t)) / 1000 AS average_ms
FROM ${part.from}
WHERE target IS NOT NULL AND ${part.condition}
GROUP BY ALL
ORDER BY paths DESC, step, source, target
LIMIT ${edges}`;
}

/** Which steps of each path are told: from its `first`, where `condition` holds. */
function partOf({ start, end, steps }: Paths) {
  const where = (place: string, more = "") =>
    `min(CASE WHEN source = ${quoted(place)}${more} THEN n END) OVER (PARTITION BY person_id, path)`;
  const begun =
    start === null ? "" : `, begun AS (\n  SELECT *, ${where(start)} AS first_n FROM walked\n)`;
  const from = start === null ? "walked" : "begun";
  const first = start === null ? "1" : "first_n";
  if (end === null) {
    const condition = `n >= ${first} AND n < ${first} + ${steps - 1}`;
    return { tables: begun, from, first, condition };
  }
  const last = where(end, start === null ? "" : " AND n > first_n");
  const tables = `${begun}, ended AS (\n  SELECT *, ${last} AS last_n FROM ${from}\n)`;
  if (start === null) {
    const earliest = `greatest(1, last_n - ${steps - 1})`;
    const condition = `n >= ${earliest} AND n < last_n`;
    return { tables, from: "ended", first: earliest, condition };
  }
  const condition = `n >= first_n AND n < last_n AND last_n - first_n < ${steps}`;
  return { tables, from: "ended", first, condition };
}

const ADDRESS = "^([a-zA-Z][a-zA-Z0-9+.-]*:/)?/";
const HOST = "^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*";
const QUERY = "[?#](?s:.*)$";
