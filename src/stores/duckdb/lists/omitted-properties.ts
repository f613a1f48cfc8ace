import type { DuckDBConnection } from "@duckdb/node-api";
import { isDotted } from "../../../core/values/property-filter.ts";
import { eventColumn } from "../../loads/event-lines.ts";
import { propertyColumn, SPREAD_PROPERTIES } from "../../loads/person-columns.ts";
import { quoted, rows } from "../engine/duckdb.ts";
import { pointer, textIn } from "./property-filter.ts";

/*
 * The rows of large events, persons and groups omit some properties, and have all of them in `whole_properties`
 * (decision 95). The table `omitted_properties` has the names of omitted ones, so that only a query of such a
 * name reads that column.
 */

/** A kind of rows that have properties. */
export type Kind = "event" | "person" | "group";

/** The kinds of rows that have properties. */
export const OWNERS: readonly Kind[] = ["event", "person", "group"];

/** The table of a kind, its owner as `omitted_properties` has it, and the properties of a row. */
const TABLES: Record<Kind, { table: string; owner: string; properties: string }> = {
  event: { table: "events", owner: "event", properties: "properties" },
  person: { table: "persons", owner: "''", properties: SPREAD_PROPERTIES },
  group: { table: "groups", owner: "type_index::VARCHAR", properties: "properties" },
};

/** SQL of all properties of rows of a kind. `table` is its name in the statement. */
export const wholeOf = (kind: Kind, table?: string): string => {
  const prefix = table === undefined ? "" : `${table}.`;
  const kept = kind === "person" ? SPREAD_PROPERTIES : `${prefix}properties`;
  return `coalesce(${prefix}whole_properties, ${kept})`;
};

/** Rows of a kind: a table or another source with its columns, and a condition; all rows of its table by default. */
type Rows = { from?: string; where?: string };

/** Returns SQL of the `project_id`, `owner` and `name` of each property that rows omit. */
export function omittedIn(kind: Kind, { from, where = "true" }: Rows): string {
  const { table, owner, properties } = TABLES[kind];
  // The names alone leave the first SELECT, because a copy of the properties for each name would fill the memory.
  return `SELECT project_id, owner, name FROM (
    SELECT project_id, owner, kept, unnest(names) AS name FROM (
      SELECT project_id, ${owner} AS owner, json_keys(${properties}) AS kept,
        list_distinct(json_keys(whole_properties)) AS names
      FROM ${from ?? table} WHERE whole_properties IS NOT NULL AND (${where})))
  WHERE NOT list_contains(kept, name)`;
}

/** Adds the names of properties that rows of a kind omit, in the caller's transaction. */
export async function noteOmitted(connection: DuckDBConnection, kind: Kind, those: Rows) {
  await connection.run(`
    INSERT INTO omitted_properties BY NAME
    SELECT DISTINCT project_id, '${kind}' AS kind, owner, name FROM (${omittedIn(kind, those)}) AS found
    WHERE (project_id, '${kind}', owner, name) NOT IN
      (SELECT (project_id, kind, owner, name) FROM omitted_properties)`);
}

/** Returns SQL of the names after a rewrite from one database to another: without those of erased rows. */
export const omittedAfter = ({ from, to }: { from: string; to: string }): string => {
  const ofKind = (kind: Kind) =>
    `SELECT DISTINCT *, '${kind}' AS kind FROM (${omittedIn(kind, { from: `${to}.${TABLES[kind].table}` })})`;
  return `SELECT * FROM ${from}.omitted_properties WHERE kind = 'event'
      AND (project_id, name) IN (SELECT (project_id, name) FROM ${to}.property_counts)
      AND (project_id, owner) IN (SELECT (project_id, event) FROM ${to}.events)
    UNION ALL BY NAME ${ofKind("person")} UNION ALL BY NAME ${ofKind("group")}`;
};

/** Returns whether some row of a project may omit a property; without a name, whether one may omit any. */
export type Omitted = (kind: Kind, name?: string) => boolean;

/** Names that are read; with more, each property counts as omitted. */
const NAMES_MAX = 10_000;

/** Reads which properties the rows of a project omit, in the caller's transaction. */
export async function omittedProperties(
  connection: DuckDBConnection,
  project: number,
  catalog?: string,
): Promise<Omitted> {
  const table = `${catalog === undefined ? "" : `${catalog}.main.`}omitted_properties`;
  const found = await rows(
    connection,
    `SELECT DISTINCT kind, name FROM ${table}
     WHERE project_id = $project::INTEGER LIMIT ${NAMES_MAX + 1}`,
    { project },
  );
  const names = new Set(found.flatMap(({ kind, name }) => [String(kind), `${kind} ${name}`]));
  return (kind, name) =>
    found.length > NAMES_MAX || names.has(name === undefined ? kind : `${kind} ${name}`);
}

/** SQL of a text that the row has, or else of a property in `whole_properties`. `at` is its JSON pointer. */
export const orWhole = (text: string, at: string, whole = "whole_properties"): string =>
  `coalesce(${text}, ${textIn(at, whole)})`;

/**
 * Returns SQL of a column of events, with what rows omit. `names` are the properties that a query reads of
 * `properties`; undefined for any.
 */
export function eventColumnOf(
  column: string,
  { table, omitted }: { table: string; omitted: Omitted },
  names?: Iterable<string>,
): string {
  const own = `${table}."${column}"`;
  if (column !== "properties") {
    if (eventColumn(column) === undefined || !omitted("event", column)) return own;
    return orWhole(own, quoted(pointer(column)), `${table}.whole_properties`);
  }
  const isNeeded =
    names === undefined ? omitted("event") : [...names].some((name) => omitted("event", name));
  return isNeeded ? wholeOf("event", table) : own;
}

/**
 * Returns a function from a parameter with the JSON pointer of a property to SQL of its text, also where it is omitted.
 * `own` is a column that has the text of rows. Where no property has a name with dots, it is a way to a nested value.
 */
export function textOf(
  kind: Kind,
  name: string,
  omitted: Omitted,
  own?: string,
): (pointer: string) => string {
  const literal = literalOf(kind, name, omitted, own);
  if (!isDotted(name)) return literal;
  const nested = literalOf(kind, name.slice(0, name.indexOf(".")), omitted);
  return (pointer) => `coalesce(${literal(pointer)}, ${nested(`replace(${pointer}, '.', '/')`)})`;
}

function literalOf(kind: Kind, name: string, omitted: Omitted, own?: string) {
  const column = kind === "person" ? propertyColumn(name) : "properties";
  const text = (pointer: string) => own ?? textIn(pointer, column);
  return omitted(kind, name) ? (pointer: string) => orWhole(text(pointer), pointer) : text;
}
