import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventNames } from "../../../core/ports/insights.ts";
import { rows } from "../engine/duckdb.ts";

/** Names of each kind that are read: the most frequent ones. */
const NAMES_MAX = 1000;

/** Most characters of the name of a property; longer names are not listed. */
const PROPERTY_NAME_CHARS_MAX = 200;

const NAMES = (counts: string) => `FROM (${counts}) ORDER BY count DESC, name LIMIT ${NAMES_MAX}`;

const EVENTS = NAMES(`
  SELECT event AS name, count(*)::DOUBLE AS count FROM events
  WHERE project_id = $project::INTEGER GROUP BY name`);

const PROPERTIES = NAMES(`
  SELECT name, sum(count)::DOUBLE AS count FROM property_counts
  WHERE project_id = $project::INTEGER AND length(name) <= ${PROPERTY_NAME_CHARS_MAX}
  GROUP BY name`);

/** Returns the most frequent names of events and properties. */
export async function eventNames(
  connection: DuckDBConnection,
  project: number,
): Promise<EventNames> {
  const read = async (sql: string) => {
    const found = await rows(connection, sql, { project });
    return found.map(({ name, count }) => ({ name: String(name), count: Number(count) }));
  };
  return { events: await read(EVENTS), properties: await read(PROPERTIES) };
}
