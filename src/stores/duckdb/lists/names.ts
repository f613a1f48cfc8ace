import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventNames } from "../../../core/questions/names.ts";
import { ALL_PROPERTIES, PROPERTY_COLUMNS } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";

/** Names of each kind that are read with a question: the most frequent ones. */
const NAMES_MAX = 1000;

/** Most persons, the newest, whose properties are listed. */
const NEWEST_PERSONS_MAX = 2000;

/** Most characters of the name of a property; longer names are not listed. */
const PROPERTY_NAME_CHARS_MAX = 200;

const FOLDED_NAMES = `(SELECT unnest(from_json($folded_names::JSON, '["VARCHAR"]')))`;

/** SQL of a name in the form of `folded` in core. */
const FOLDED = `lower(trim(regexp_replace(
  translate(nfc_normalize(name), '‘’“”„«»', '''''"""""'), '\\s+', ' ', 'g')))`;

/** Returns SQL of the most frequent names, and of the names whose folded form is wanted. */
const NAMES = (counts: string) => `
  WITH counted AS MATERIALIZED (${counts})
  FROM (
    FROM (FROM counted ORDER BY count DESC, name LIMIT ${NAMES_MAX})
    UNION FROM counted WHERE ${FOLDED} IN ${FOLDED_NAMES})
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
  WHERE ${FOLDED} IN ${FOLDED_NAMES}
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

/** Returns names of events and properties: the most frequent ones, and those whose folded form is given. */
export async function eventNames(
  connection: DuckDBConnection,
  project: number,
  foldedNames: readonly string[] = [],
): Promise<EventNames> {
  const values = { project, folded_names: JSON.stringify(foldedNames) };
  return {
    events: await read(connection, EVENTS, values),
    properties: await read(connection, PROPERTIES, values),
    person_properties: await read(connection, NEWEST_PERSONS, { project }),
  };
}

/** Returns the names of properties of all persons whose folded form is given. */
export function personNames(
  connection: DuckDBConnection,
  project: number,
  foldedNames: readonly string[],
): Promise<Name[]> {
  return read(connection, ALL_PERSONS, { project, folded_names: JSON.stringify(foldedNames) });
}
