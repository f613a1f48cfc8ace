import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventNames, MentionedName } from "../../../core/ports/insights.ts";
import { eventColumn } from "../../loads/event-lines.ts";
import { propertyColumn } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";
import { pointer } from "./property-filter.ts";

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

/** SQL of the rows that have a name, for each kind of name; `$at` is its JSON pointer. */
const HAVING: Record<MentionedName["of"], (name: string) => string> = {
  event: () => "FROM events WHERE event = $name",
  event_property: () => "FROM property_counts WHERE name = $name",
  person_property: (name) =>
    `FROM persons WHERE json_type(${propertyColumn(name)}, $at) IS NOT NULL`,
  group_property: () => "FROM groups WHERE json_type(properties, $at) IS NOT NULL",
};

const OMITTED = (kind: string) => `FROM omitted_properties WHERE kind = '${kind}' AND name = $name`;

/** Returns those of some names that nothing in the project has. */
export async function missingNames(
  connection: DuckDBConnection,
  project: number,
  asked: readonly MentionedName[],
): Promise<MentionedName[]> {
  const isIn = async (from: string, name: string) => {
    const values = { project, ...(from.includes("$at") ? { at: pointer(name) } : { name }) };
    const sql = `SELECT 1 AS found ${from} AND project_id = $project::INTEGER LIMIT 1`;
    return (await rows(connection, sql, values)).length > 0;
  };
  const missing: MentionedName[] = [];
  for (const one of asked) {
    const [kind = ""] = one.of.split("_");
    // A name with dots may lead into an object.
    const names = one.of === "event" ? [one.name] : [one.name, one.name.split(".", 1)[0] ?? ""];
    // Some columns are filled from other properties.
    let isKnown = one.of === "event_property" && eventColumn(one.name) !== undefined;
    for (const name of new Set(names)) {
      isKnown ||= await isIn(HAVING[one.of](name), name);
      if (one.of !== "event") isKnown ||= await isIn(OMITTED(kind), name);
    }
    if (!isKnown) missing.push(one);
  }
  return missing;
}
