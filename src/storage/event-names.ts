import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventNames } from "../domain/words-names.ts";
import { rows } from "./duckdb.ts";
import { ALL_PROPERTIES } from "./person-rows.ts";

/** Names that are read of either kind. */
const NAMES_MAX = 1000;

/** The newest events, in which properties are looked for, and the newest persons. */
const NEWEST_MAX = 2000;

const EVENTS = `
  SELECT event AS name, count(*)::DOUBLE AS count FROM events
  WHERE project_id = $project::INTEGER
  GROUP BY name ORDER BY count DESC, name LIMIT $limit::BIGINT`;

const PROPERTIES = (table: "events" | "persons", order: string, all = "properties") => `
  SELECT name, count(*)::DOUBLE AS count
  FROM (SELECT unnest(json_keys(properties)) AS name FROM (
    SELECT ${all} AS properties FROM ${table} WHERE project_id = $project::INTEGER
    ORDER BY ${order} DESC LIMIT $newest::BIGINT))
  WHERE length(name) <= $chars::INTEGER
  GROUP BY name ORDER BY count DESC, name LIMIT $limit::BIGINT`;

/** Characters of a property's name; longer ones are not told. */
const PROPERTY_NAME_CHARS_MAX = 200;

/** What a project's events are called, and properties of events and persons. */
export async function eventNames(
  connection: DuckDBConnection,
  project: number,
): Promise<EventNames> {
  const read = async (sql: string, values: Record<string, number>) =>
    (await rows(connection, sql, { project, limit: NAMES_MAX, ...values })).map((row) => ({
      name: String(row["name"]),
      count: Number(row["count"]),
    }));
  const newest = { newest: NEWEST_MAX, chars: PROPERTY_NAME_CHARS_MAX };
  return {
    events: await read(EVENTS, {}),
    properties: await read(PROPERTIES("events", "seq"), newest),
    person_properties: await read(PROPERTIES("persons", "id", ALL_PROPERTIES), newest),
  };
}
