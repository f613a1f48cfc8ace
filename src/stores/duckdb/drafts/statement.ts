import type { EventNames } from "../../../core/questions/names.ts";
import { quoted } from "../engine/duckdb.ts";
import { propertyText } from "./views.ts";

/** The most names of each kind in the remarks. */
const NAMES_MAX = 20;

/** The most properties with a column of their own. */
const COLUMNS_MAX = 3;

/**
 * Returns a first query over a project's events, with names in remarks (decision 71). For each day and
 * event it counts events and persons.
 */
export function draftSql({ events, properties }: EventNames): string {
  const named = events.slice(0, NAMES_MAX);
  const own = properties.filter(({ name }) => !name.startsWith("$")).slice(0, COLUMNS_MAX);
  const columns = own.map(({ name }, index) => {
    return `  count(DISTINCT ${propertyText("events", name)}) AS values_${index + 1}, -- of ${remark(name)}\n`;
  });
  const chosen = named.map(({ name }) => `    ${quoted(name)}`).join(",\n");
  return `-- Events and persons per day and event, of the last 30 days (UTC).
-- ${listOf("Events, the most frequent first", named)}
-- ${listOf("Properties of the newest events", properties.slice(0, NAMES_MAX))}
SELECT
  date_trunc('day', events.timestamp)::DATE AS day,
  event,
${columns.join("")}  count(*) AS events,
  count(DISTINCT person_id) AS persons
FROM events
WHERE events.timestamp >= date_trunc('day', now() AT TIME ZONE 'UTC') - INTERVAL 30 DAY
${chosen === "" ? "" : `  AND event IN (\n${chosen}\n  )\n`}GROUP BY day, event
ORDER BY day DESC, events DESC, event
LIMIT 1000;
`;
}

function listOf(kind: string, names: { name: string; count: number }[]): string {
  if (names.length === 0) return `${kind}: none yet.`;
  return `${kind}: ${names.map(({ name, count }) => `${remark(name)} (${count})`).join(", ")}.`;
}

/** Returns a name for a remark. JSON has no line end, which would end the remark. */
export function remark(name: string): string {
  return JSON.stringify(name);
}
