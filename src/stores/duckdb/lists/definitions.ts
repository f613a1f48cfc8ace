import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type {
  DefinitionFilter,
  PropertyDefinition,
  PropertyOwner,
} from "../../../core/events/definition.ts";
import type { DefinitionKeys, DefinitionReads } from "../../../core/ports/definitions.ts";
import type { Part } from "../../../core/values/page.ts";
import { SPREAD_PROPERTIES } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";
import type { ApiReads } from "../engine/query-deadline.ts";
import { type Kind, omittedIn } from "./omitted-properties.ts";
import { eventValues, groupValues, newestSeq } from "./property-values.ts";

/** Persons or groups, the newest, whose properties a list reads. */
export const PROPERTY_PERSONS_MAX = 20_000;

/** A page of a list; `count` counts all pages. */
type Page<T> = { count: number; rows: T[] };

/** Returns where the newest events of the names in a list's parameters begin; nothing for other lists. */
async function sinceOf(
  connection: DuckDBConnection,
  { project, event_names }: Record<string, DuckDBValue>,
): Promise<{ since?: number }> {
  if (project === undefined || event_names === undefined) return {};
  const values = { project, event_names };
  return {
    since: await newestSeq(connection, { where: OF_NAMES, values, limit: NAMED_EVENTS_MAX }),
  };
}

/** Lists events and properties of the event store. */
export function definitionReads(reads: ApiReads): DefinitionReads {
  const page = async <T>(
    signal: AbortSignal,
    sql: string,
    values: Record<string, DuckDBValue>,
    read: (row: Record<string, DuckDBValue>) => T,
  ): Promise<Page<T>> => {
    const found = await reads.read(signal, async (connection) => {
      return rows(connection, sql, { ...values, ...(await sinceOf(connection, values)) });
    });
    const entries = found.filter(({ name }) => name !== null);
    return { count: Number(found[0]?.["total"]), rows: entries.map(read) };
  };
  return {
    events: (project, filter, part, signal) =>
      page(
        signal,
        PAGE(EVENTS(filter)),
        { project, ...named(filter), ...pageValues(part) },
        (row) => ({
          name: String(row["name"]),
          count: Number(row["count"]),
          first_seen_at: String(row["first_seen_at"]),
          last_seen_at: String(row["last_seen_at"]),
        }),
      ),
    eventValues: (project, query, signal) =>
      reads.read(signal, (connection) => eventValues(connection, project, query)),
    groupValues: (project, query, signal) =>
      reads.read(signal, (connection) => groupValues(connection, project, query)),
    properties: (project, { type, event_names, ...filter }, part, signal) => {
      const most = type === "event" ? {} : { most: PROPERTY_PERSONS_MAX };
      const names = event_names && { event_names: JSON.stringify(event_names) };
      const values = { project, ...named(filter), ...most, ...names, ...pageValues(part) };
      const counts = COUNTS[type] + (names === undefined ? "" : OF_EVENTS);
      return page(signal, PAGE(PROPERTIES(counts, filter)), values, (row) => {
        const property_type = row["property_type"] as PropertyDefinition["property_type"];
        return {
          name: String(row["name"]),
          type,
          property_type,
          is_numerical: property_type === "Numeric",
          count: Number(row["count"]),
          last_seen_at: row["last_seen_at"] === null ? null : String(row["last_seen_at"]),
        };
      });
    },
  };
}

// Without a key, the page starts before the largest possible count.
function pageValues({ limit, offset, after }: Part<DefinitionKeys>) {
  const [after_count, after_name] = after ?? [Number.MAX_VALUE, ""];
  return { limit, offset, after_count: String(after_count), after_name };
}

const ISO_FORMAT = "'%Y-%m-%dT%H:%M:%S.%fZ'";

/** Returns the condition of a filter on the names in a column, and its values. */
const isNamed = (column: string, { names, isOwn }: DefinitionFilter) =>
  `contains(lower(${column}), lower($search))` +
  (names === undefined ? "" : ` AND ${column} IN (${LISTED("names")})`) +
  (isOwn ? ` AND NOT starts_with(${column}, '$')` : "");
const named = ({ search = "", names }: DefinitionFilter): Record<string, string> =>
  names === undefined ? { search } : { search, names: JSON.stringify(names) };

/** The names in a parameter that is a JSON list. */
const LISTED = (parameter: string) =>
  `SELECT unnest(from_json($${parameter}::JSON, '["VARCHAR"]'))`;

const EVENTS = (filter: DefinitionFilter) => `
  SELECT event AS name, count(*)::DOUBLE AS count,
    strftime(min("timestamp"), ${ISO_FORMAT}) AS first_seen_at,
    strftime(max("timestamp"), ${ISO_FORMAT}) AS last_seen_at
  FROM events WHERE project_id = $project::INTEGER AND ${isNamed("event", filter)}
  GROUP BY name`;

/** The condition that a text is a time in the form that events have; a text in another form may be anything. */
const IS_TIME = `regexp_full_match(json_extract_string(properties, place),
    '\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d.*)?')`;

/**
 * Returns SQL that counts properties by name and type of the value, as `countProperties` does. The query
 * `objects` has the columns `project_id`, `seen` and `properties`. A value is read by its JSON pointer (RFC 6901).
 */
export const propertyCounts = (objects: string) => `
  SELECT project_id, name, property_type, count(*) AS count, max(seen) AS last_seen
  FROM (
    SELECT project_id, seen, name, CASE json_type(properties, place)
        WHEN 'BOOLEAN' THEN 'Boolean' WHEN 'BIGINT' THEN 'Numeric' WHEN 'UBIGINT' THEN 'Numeric'
        WHEN 'DOUBLE' THEN 'Numeric'
        WHEN 'VARCHAR' THEN CASE WHEN ${IS_TIME} THEN 'DateTime' ELSE 'String' END
      END AS property_type
    FROM (
      SELECT *, '/' || replace(replace(name, '~', '~0'), '/', '~1') AS place
      FROM (SELECT *, unnest(list_distinct(json_keys(properties))) AS name FROM (${objects}))))
  GROUP BY ALL`;

/** Counts the properties of the newest persons or groups; omitted ones count without a type. */
const newest = (
  kind: Kind,
  table: string,
  { properties, order }: { properties: string; order: string },
) => {
  const newestRows = `rowid IN (SELECT rowid FROM ${table} WHERE project_id = $project::INTEGER
    ORDER BY ${order} LIMIT $most::BIGINT)`;
  return `${propertyCounts(`
    SELECT project_id, NULL::TIMESTAMP AS seen, ${properties} AS properties FROM ${table} WHERE ${newestRows}`)}
    UNION ALL BY NAME SELECT name, count(*) AS count
      FROM (${omittedIn(kind, { where: newestRows })}) GROUP BY name`;
};

/** SQL of the counts of properties, by their owner. */
const COUNTS: Record<PropertyOwner, string> = {
  event: "FROM property_counts WHERE project_id = $project::INTEGER ",
  person: newest("person", "persons", { properties: SPREAD_PROPERTIES, order: "id DESC" }),
  group: newest("group", "groups", {
    properties: "properties",
    order: "created_at DESC, type_index, key",
  }),
};

/** Events, the newest of some names, whose properties are looked up. */
const NAMED_EVENTS_MAX = 5000;

const OF_NAMES = `project_id = $project::INTEGER
  AND event IN (${LISTED("event_names")})`;

/** The condition that one of the newest events of some names, from `$since` on, has a property. */
const OF_EVENTS = ` AND name IN (
    SELECT unnest(json_keys(properties)) FROM events WHERE ${OF_NAMES} AND seq >= $since::BIGINT
    UNION ALL SELECT name FROM omitted_properties
    WHERE kind = 'event' AND ${OF_NAMES.replace("event IN", "owner IN")})`;

const PROPERTIES = (counts: string, filter: DefinitionFilter) => `
  SELECT name, sum(count)::DOUBLE AS count,
    arg_max(property_type, count) FILTER (property_type IS NOT NULL) AS property_type,
    strftime(max(last_seen), ${ISO_FORMAT}) AS last_seen_at
  FROM (SELECT name, property_type, sum(count) AS count, max(last_seen) AS last_seen
    FROM (${counts}) WHERE ${isNamed("name", filter)} GROUP BY name, property_type)
  GROUP BY name`;

/** Returns SQL of a page, each row with the count of all pages. An empty page has one row of nulls with it. */
const PAGE = (found: string) => `
  WITH found AS MATERIALIZED (${found})
  SELECT total, shown.*
  FROM (SELECT count(*)::DOUBLE AS total FROM found)
  LEFT JOIN (
    FROM found WHERE count < $after_count::DOUBLE OR (count = $after_count::DOUBLE AND name > $after_name)
    ORDER BY count DESC, name LIMIT $limit::BIGINT OFFSET $offset::BIGINT
  ) AS shown ON true
  ORDER BY count DESC, name`;
