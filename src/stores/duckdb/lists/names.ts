import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventNames } from "../../../core/questions/names.ts";
import { ALL_PROPERTIES, PROPERTY_COLUMNS } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";

/** Most frequent names of each kind. */
const NAMES_MAX = 1000;

/** Newest persons whose properties are listed. */
const NEWEST_PERSONS_MAX = 2000;

/** Characters of the name of a property; longer ones are not listed. */
const PROPERTY_NAME_CHARS_MAX = 200;

const ASKED = `(SELECT unnest(from_json($asked::JSON, '["VARCHAR"]')))`;

/** A name as `folded` in core spells it. */
const SPELLED = `lower(trim(regexp_replace(
  translate(nfc_normalize(name), '‘’“”„«»', '''''"""""'), '\\s+', ' ', 'g')))`;

/** The most frequent names, and the names that a question may have. */
const NAMES = (counts: string) => `
  WITH counted AS MATERIALIZED (${counts})
  FROM (
    FROM (FROM counted ORDER BY count DESC, name LIMIT ${NAMES_MAX})
    UNION FROM counted WHERE ${SPELLED} IN ${ASKED})
  ORDER BY count DESC, name`;

const EVENTS = NAMES(`
  SELECT event AS name, count(*)::DOUBLE AS count FROM events
  WHERE project_id = $project::INTEGER GROUP BY name`);

const PROPERTIES = NAMES(`
  SELECT name, sum(count)::DOUBLE AS count FROM property_counts
  WHERE project_id = $project::INTEGER AND length(name) <= ${PROPERTY_NAME_CHARS_MAX}
  GROUP BY name`);

const NEWEST_PERSONS = `
  SELECT name, count(*)::DOUBLE AS count
  FROM (SELECT unnest(json_keys(properties)) AS name FROM (
    SELECT ${ALL_PROPERTIES} AS properties FROM persons WHERE project_id = $project::INTEGER
    ORDER BY id DESC LIMIT ${NEWEST_PERSONS_MAX}))
  WHERE length(name) <= ${PROPERTY_NAME_CHARS_MAX}
  GROUP BY name ORDER BY count DESC, name LIMIT ${NAMES_MAX}`;

const keysIn = (column: string) => `
  SELECT unnest(json_keys(${column})) AS name FROM persons WHERE project_id = $project::INTEGER`;

const ALL_PERSONS = `
  SELECT name, count(*)::DOUBLE AS count
  FROM (${PROPERTY_COLUMNS.map(keysIn).join(" UNION ALL ")})
  WHERE ${SPELLED} IN ${ASKED}
  GROUP BY name ORDER BY count DESC, name`;

type Name = EventNames["events"][0];

async function read(
  connection: DuckDBConnection,
  sql: string,
  values: Record<string, number | string>,
): Promise<Name[]> {
  const found = await rows(connection, sql, values);
  return found.map(({ name, count }) => ({ name: String(name), count: Number(count) }));
}

/** Returns the most frequent names of events and properties of a project, and those whose folded name is asked for. */
export async function eventNames(
  connection: DuckDBConnection,
  project: number,
  asked: readonly string[] = [],
): Promise<EventNames> {
  const values = { project, asked: JSON.stringify(asked) };
  return {
    events: await read(connection, EVENTS, values),
    properties: await read(connection, PROPERTIES, values),
    person_properties: await read(connection, NEWEST_PERSONS, { project }),
  };
}

/** Returns properties of all persons of a project whose folded name is asked for. */
export function personNames(
  connection: DuckDBConnection,
  project: number,
  asked: readonly string[],
): Promise<Name[]> {
  return read(connection, ALL_PERSONS, { project, asked: JSON.stringify(asked) });
}
