import type { EventNames } from "../../../core/questions/names.ts";
import { quoted } from "../engine/duckdb.ts";
import { propertyText } from "./scan.ts";

/** Names that the draft's remarks tell of either kind. */
const TOLD_MAX = 20;

/** Properties that the draft shows as columns of their own. */
const COLUMNS_MAX = 3;

/**
 * A first query over a project's events, with remarks on what else there is (decision 71): per day
 * and event, how many there were, and of how many persons.
 */
export function draftSql({ events, properties }: EventNames): string {
  const named = events.slice(0, TOLD_MAX);
  const own = properties.filter(({ name }) => !name.startsWith("$")).slice(0, COLUMNS_MAX);
  const columns = own.map(({ name }, index) => {
    return `  count(DISTINCT ${propertyText("events", name)}) AS values_${index + 1}, -- of ${remark(name)}\n`;
  });
  const chosen = named.map(({ name }) => `    ${quoted(name)}`).join(",\n");
  return `-- Events and persons per day and event, of the last 30 days (UTC).
-- ${said("Events, the most frequent first", named)}
-- ${said("Properties of the newest events", properties.slice(0, TOLD_MAX))}
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

function said(what: string, names: { name: string; count: number }[]): string {
  if (names.length === 0) return `${what}: none yet.`;
  return `${what}: ${names.map(({ name, count }) => `${remark(name)} (${count})`).join(", ")}.`;
}

/** A name in a remark: as JSON it has no line end, which would end the remark. */
function remark(name: string): string {
  return JSON.stringify(name);
}
