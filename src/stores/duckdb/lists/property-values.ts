import type { DuckDBConnection } from "@duckdb/node-api";
import type { EventValuesQuery, GroupValuesQuery } from "../../../core/ports/definitions.ts";
import type { PropertyValue } from "../../../core/ports/person-search.ts";
import { eventColumn } from "../../loads/event-lines.ts";
import { rows } from "../engine/duckdb.ts";
import { binder, hasPart, pointer, textIn } from "./property-filter.ts";

/** Events or groups, the newest, whose values are counted: the JSON of so many takes 0.1 s to read. */
const NEWEST_MAX = 20_000;

/** The most values of one property in an answer, and the most bytes of one of them. */
const VALUES_MAX = 50;
const VALUE_BYTES_MAX = 1024;

/** Returns SQL that counts the texts `name` of a query that contain a part, the most frequent first. */
const counted = (found: string, has: string) => `
  SELECT name, count(*)::DOUBLE AS count FROM (${found})
  WHERE name IS NOT NULL AND strlen(name) <= ${VALUE_BYTES_MAX} AND ${has}
  GROUP BY name ORDER BY count DESC, name LIMIT ${VALUES_MAX}`;

/** Returns values of a property of the newest events. */
export async function eventValues(
  connection: DuckDBConnection,
  project: number,
  { key, part, event }: EventValuesQuery,
): Promise<PropertyValue[]> {
  const { values, bind } = binder();
  const column = eventColumn(key);
  const text = column === undefined ? textIn(bind(pointer(key))) : `"${column}"`;
  const read = column === undefined ? "properties" : `"${column}"`;
  const named = event === undefined ? "" : ` AND event = ${bind(event)}`;
  const newest = `
    SELECT ${text} AS name FROM (
      SELECT ${read} FROM events WHERE project_id = ${bind(project, "INTEGER")}${named}
      ORDER BY seq DESC LIMIT ${NEWEST_MAX})`;
  return valuesIn(await rows(connection, counted(newest, hasPart("name", part, bind)), values));
}

/** Returns values of a property of the newest groups of a type. */
export async function groupValues(
  connection: DuckDBConnection,
  project: number,
  { type_index, key, part }: GroupValuesQuery,
): Promise<PropertyValue[]> {
  const { values, bind } = binder();
  const newest = `
    SELECT ${textIn(bind(pointer(key)))} AS name FROM (
      SELECT properties FROM groups WHERE project_id = ${bind(project, "INTEGER")}
        AND type_index = ${bind(type_index, "INTEGER")}
      ORDER BY created_at DESC, key LIMIT ${NEWEST_MAX})`;
  return valuesIn(await rows(connection, counted(newest, hasPart("name", part, bind)), values));
}

const valuesIn = (found: Awaited<ReturnType<typeof rows>>): PropertyValue[] =>
  found.map(({ name, count }) => ({ name: String(name), count: Number(count) }));
