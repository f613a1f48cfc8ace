import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventNames } from "../../../core/questions/names.ts";
import { ALL_PROPERTIES } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";
import { pointer } from "./property-filter.ts";

/** Names that are read of either kind, beside those that are asked about. */
const NAMES_MAX = 1000;

/** The newest events, in which properties are looked for, and the newest persons. */
const NEWEST_MAX = 2000;

/** The newest events and persons in which a property is looked for that is asked about. */
const NEWEST_ASKED_MAX = 1_000_000;

/** Names that are asked about and looked for as those of properties. */
const PROPERTIES_ASKED_MAX = 10;

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

const EVENTS_ASKED = `
  SELECT event AS name, count(*)::DOUBLE AS count FROM events
  WHERE project_id = $project::INTEGER
    AND event IN (SELECT unnest(from_json($names::JSON, '["VARCHAR"]')))
  GROUP BY name ORDER BY count DESC, name`;

/** Numbers of arrival are of all projects: what is older is not read. */
const PROPERTY_ASKED = (table: "events" | "persons", order: string, all = "properties") => `
  SELECT $name::VARCHAR AS name, 1 AS count FROM ${table}
  WHERE project_id = $project::INTEGER AND json_exists(${all}, $pointer::VARCHAR)
    AND ${order} > (SELECT max(${order}) FROM ${table}) - $newest::BIGINT
  LIMIT 1`;

/** Characters of a property's name; longer ones are not told. */
const PROPERTY_NAME_CHARS_MAX = 200;

/**
 * What a project's events are called, and properties of events and persons. Of what is less frequent
 * come the names that are asked about, those of properties only if they are of no event.
 */
export async function eventNames(
  connection: DuckDBConnection,
  project: number,
  asked: readonly string[] = [],
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
    return asked.filter((name) => !known.has(name));
  };
  if (unknown().length > 0) {
    names.events.push(...(await read(EVENTS_ASKED, { names: JSON.stringify(unknown()) })));
  }
  for (const name of unknown().slice(0, PROPERTIES_ASKED_MAX)) {
    const values = { name, pointer: pointer(name), newest: NEWEST_ASKED_MAX };
    names.properties.push(...(await read(PROPERTY_ASKED("events", "seq"), values)));
    names.person_properties.push(
      ...(await read(PROPERTY_ASKED("persons", "id", ALL_PROPERTIES), values)),
    );
  }
  return names;
}
