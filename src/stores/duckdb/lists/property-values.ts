import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { EventValuesQuery, GroupValuesQuery } from "../../../core/ports/definitions.ts";
import type { PropertyValue } from "../../../core/ports/persons/search.ts";
import { eventColumn } from "../../loads/event-lines.ts";
import { rows } from "../engine/duckdb.ts";
import { omittedProperties, textOf } from "./omitted-properties.ts";
import { binder, hasPart, pointer } from "./property-filter.ts";

/** Events or groups, the newest, whose values are counted. */
const NEWEST_MAX = 20_000;

/** The most values of one property in an answer, and the most bytes of one of them. */
const VALUES_MAX = 50;
const VALUE_BYTES_MAX = 1024;

/** Returns SQL that counts the texts `name` of a query that contain a part, the most frequent first. */
const counted = (found: string, has: string) => `
  SELECT name, count(*)::DOUBLE AS count FROM (${found})
  WHERE name IS NOT NULL AND strlen(name) <= ${VALUE_BYTES_MAX} AND ${has}
  GROUP BY name ORDER BY count DESC, name LIMIT ${VALUES_MAX}`;

/** Numbers, the newest, among which the newest events are looked for first. */
const NEAR_SEQS = 10 * NEWEST_MAX;

/**
 * Returns the least sequence number of the newest events that match, at most `limit`; 0 without any. Properties
 * are then read by number: a sort of whole rows would read those of all events, which takes a hundred times
 * as long. Row groups without near numbers are skipped.
 */
export async function newestSeq(
  connection: DuckDBConnection,
  { where, values, limit }: { where: string; values: Values; limit: number },
): Promise<number> {
  const find = async (near: string) => {
    const [found] = await rows(
      connection,
      `SELECT min(seq)::DOUBLE AS seq, count(*) AS count FROM (
         SELECT seq FROM events WHERE ${where} ${near} ORDER BY seq DESC LIMIT ${limit})`,
      values,
    );
    return { seq: Number(found?.["seq"] ?? 0), isFull: Number(found?.["count"]) === limit };
  };
  const near = await find(`AND seq > (SELECT max(seq) FROM events) - ${NEAR_SEQS}`);
  return near.isFull ? near.seq : (await find("")).seq;
}

type Values = Record<string, DuckDBValue>;

/** Returns values of a property of the newest events. */
export async function eventValues(
  connection: DuckDBConnection,
  project: number,
  { key, part, event }: EventValuesQuery,
): Promise<PropertyValue[]> {
  const asked = { project, ...(event === undefined ? {} : { event }) };
  const named = event === undefined ? "" : " AND event = $event";
  const where = `project_id = $project::INTEGER${named}`;
  const since = await newestSeq(connection, { where, values: asked, limit: NEWEST_MAX });
  const { values, bind } = binder();
  Object.assign(values, asked);
  const omitted = await omittedProperties(connection, project);
  const column = eventColumn(key);
  const own = column === undefined ? undefined : `"${column}"`;
  const text =
    own !== undefined && !omitted("event", key)
      ? own
      : textOf("event", key, omitted, own)(bind(pointer(key)));
  const newest = `
    SELECT ${text} AS name FROM events WHERE ${where} AND seq >= ${bind(since, "BIGINT")}`;
  return valuesIn(await rows(connection, counted(newest, hasPart("name", part, bind)), values));
}

/** Returns values of a property of the newest groups of a type. */
export async function groupValues(
  connection: DuckDBConnection,
  project: number,
  { type_index, key, part }: GroupValuesQuery,
): Promise<PropertyValue[]> {
  const { values, bind } = binder();
  const omitted = await omittedProperties(connection, project);
  const newest = `
    SELECT ${textOf("group", key, omitted)(bind(pointer(key)))} AS name FROM groups WHERE rowid IN (
      SELECT rowid FROM groups WHERE project_id = ${bind(project, "INTEGER")}
        AND type_index = ${bind(type_index, "INTEGER")}
      ORDER BY created_at DESC, key LIMIT ${NEWEST_MAX})`;
  return valuesIn(await rows(connection, counted(newest, hasPart("name", part, bind)), values));
}

const valuesIn = (found: Awaited<ReturnType<typeof rows>>): PropertyValue[] =>
  found.map(({ name, count }) => ({ name: String(name), count: Number(count) }));
