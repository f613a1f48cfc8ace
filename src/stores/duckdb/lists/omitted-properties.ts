import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { readParts } from "../../../core/persons/persons.ts";
import type { PersonReads } from "../../../core/ports/person-reads.ts";
import { type JsonObject, setKey, storableJson } from "../../../core/values/json.ts";
import { ALL_KEYS } from "../../loads/brief-properties.ts";
import { LEFT_OUT, PROPERTY_COLUMNS, searchedEmail } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";

/*
 * The projection omits some properties of large persons, because DuckDB handles 2,048 rows at once (decision
 * 95). A filter would take them as missing, and a negated filter would find the wrong persons. So these few
 * persons are tested by their properties in the person store.
 */

/** A search of persons, in a transaction of the event store. */
export type Search = {
  connection: DuckDBConnection;
  project: number;
  persons: Pick<PersonReads, "read">;
};

/** Returns the integer ids of the persons of whom the projection omits one of the properties. */
export async function omittedPersons(
  { connection, project }: Pick<Search, "connection" | "project">,
  keys: readonly string[],
): Promise<number[]> {
  const found = await rows(connection, OMITTED, {
    project,
    keys: JSON.stringify([...keys, ALL_KEYS]),
  });
  return found.map(({ id }) => Number(id));
}

/** The comparison with '[' skips row groups without omitted properties, so a million persons take 1 ms. */
const OMITTED = `SELECT id::DOUBLE AS id FROM persons
  WHERE project_id = $project::INTEGER AND ${LEFT_OUT} >= '['
    AND list_has_any(from_json(${LEFT_OUT}, '["VARCHAR"]'), from_json($keys::JSON, '["VARCHAR"]'))`;

/** A condition on the columns of the projection of persons, and its parameters. */
export type Condition = { where: string; values: Record<string, DuckDBValue> };

/** Returns the persons among `ids` that meet a condition on the properties `keys`, as the person store has them. */
export async function personsMeeting(
  { connection, project, persons }: Search,
  ids: readonly number[],
  keys: readonly string[],
  { where, values }: Condition,
): Promise<number[]> {
  const found: number[] = [];
  for await (const part of readParts(persons, project, ids)) {
    const given = part.map(({ id, properties }) => {
      const text = storableJson(pick(properties, keys));
      return { id, email: searchedEmail(properties), properties: text };
    });
    const sql = `SELECT id::DOUBLE AS id FROM (${GIVEN}) WHERE ${where}`;
    const met = await rows(connection, sql, { ...values, given: JSON.stringify(given) });
    found.push(...met.map(({ id }) => Number(id)));
  }
  return found;
}

/** The rows of `$given` with the columns of the projection; `properties` is a text that is JSON. */
const GIVEN = `
  SELECT id, email, ${PROPERTY_COLUMNS.map((column) => `properties AS ${column}`).join(", ")}
  FROM (SELECT unnest(from_json($given::JSON,
    '[{"id": "BIGINT", "email": "VARCHAR", "properties": "VARCHAR"}]'), recursive := true))`;

function pick(properties: JsonObject, keys: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const key of keys) {
    const value = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (value !== undefined) setKey(picked, key, value);
  }
  return picked;
}

/** Counts the values of a property of some persons by their text; texts over `bytesMax` bytes do not count. */
export async function countTexts(
  { project, persons }: Omit<Search, "connection">,
  ids: readonly number[],
  { key, bytesMax }: { key: string; bytesMax: number },
): Promise<{ name: string; count: number }[]> {
  const counts = new Map<string, number>();
  for await (const part of readParts(persons, project, ids)) {
    for (const { properties } of part) {
      const text = textOf(properties, key);
      if (text === undefined || Buffer.byteLength(text) > bytesMax) continue;
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return [...counts].map(([name, count]) => ({ name, count }));
}

function textOf(properties: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(properties, key) ? (properties[key] ?? null) : null;
  if (value === null) return undefined;
  return typeof value === "string" ? value : storableJson(value);
}
