import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventNames } from "../../../core/questions/names.ts";
import { ALL_PROPERTIES } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";
import { pointer } from "./property-filter.ts";

/** Most frequent names of each kind. */
const NAMES_MAX = 1000;

/** Newest events and newest persons whose properties are listed. */
const NEWEST_MAX = 2000;

/** Newest events and persons in which a requested property is searched. */
const SEARCHED_MAX = 1_000_000;

/** Requested names that are searched as properties. */
const SEARCHED_NAMES_MAX = 10;

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

const REQUESTED_EVENTS = `
  SELECT event AS name, count(*)::DOUBLE AS count FROM events
  WHERE project_id = $project::INTEGER
    AND event IN (SELECT unnest(from_json($names::JSON, '["VARCHAR"]')))
  GROUP BY name ORDER BY count DESC, name`;

// Numbers of arrival count the events of all projects, so the search reads no older rows.
const REQUESTED_PROPERTY = (table: "events" | "persons", order: string, all = "properties") => `
  SELECT $name::VARCHAR AS name, 1 AS count FROM ${table}
  WHERE project_id = $project::INTEGER AND json_exists(${all}, $pointer::VARCHAR)
    AND ${order} > (SELECT max(${order}) FROM ${table}) - $newest::BIGINT
  LIMIT 1`;

/** Characters of the name of a property; longer ones are not listed. */
const PROPERTY_NAME_CHARS_MAX = 200;

/**
 * Returns the most frequent names of events and properties of a project, and those of `requested` that
 * exist. A requested name of an event is not searched as a property.
 */
export async function eventNames(
  connection: DuckDBConnection,
  project: number,
  requested: readonly string[] = [],
): Promise<EventNames> {
  const read = async (sql: string, values: Record<string, number | string>) =>
    (await rows(connection, sql, { project, ...values })).map((row) => ({
      name: String(row["name"]),
      count: Number(row["count"]),
    }));
  const limit = { limit: NAMES_MAX };
  const newest = { ...limit, newest: NEWEST_MAX, chars: PROPERTY_NAME_CHARS_MAX };
  const names: EventNames = {
    events: await read(EVENTS, limit),
    properties: await read(PROPERTIES("events", "seq"), newest),
    person_properties: await read(PROPERTIES("persons", "id", ALL_PROPERTIES), newest),
  };
  const unknown = () => {
    const known = new Set(Object.values(names).flatMap((list) => list.map(({ name }) => name)));
    return requested.filter((name) => !known.has(name));
  };
  if (unknown().length > 0) {
    names.events.push(...(await read(REQUESTED_EVENTS, { names: JSON.stringify(unknown()) })));
  }
  for (const name of unknown().slice(0, SEARCHED_NAMES_MAX)) {
    const values = { name, pointer: pointer(name), newest: SEARCHED_MAX };
    names.properties.push(...(await read(REQUESTED_PROPERTY("events", "seq"), values)));
    names.person_properties.push(
      ...(await read(REQUESTED_PROPERTY("persons", "id", ALL_PROPERTIES), values)),
    );
  }
  return names;
}
