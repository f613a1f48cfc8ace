import type { DuckDBValue } from "@duckdb/node-api";
import type { PropertyDefinition, PropertyOwner } from "../../../core/events/definition.ts";
import type { DefinitionKeys, DefinitionReads } from "../../../core/ports/definitions.ts";
import type { Part } from "../../../core/values/page.ts";
import { ALL_PROPERTIES } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";
import type { ApiReads } from "../engine/query-deadline.ts";

/** Events that a list of properties reads; the newest of each name. */
export const PROPERTY_EVENTS_MAX = 200_000;

/** Events of one name that a list of properties reads. */
export const PROPERTY_EVENTS_EACH_MAX = 200;

/** Persons or groups that a list of properties reads; the newest. */
export const PROPERTY_PERSONS_MAX = 20_000;

/** A page of a list; `count` counts all pages. */
type Page<T> = { count: number; rows: T[] };

/** Lists events and properties of the event store. */
export function definitionReads(reads: ApiReads): DefinitionReads {
  const page = async <T>(
    signal: AbortSignal,
    sql: string,
    values: Record<string, DuckDBValue>,
    read: (row: Record<string, DuckDBValue>) => T,
  ): Promise<Page<T>> => {
    const all = await reads.read(signal, (connection) => rows(connection, sql, values));
    const named = all.filter(({ name }) => name !== null);
    return { count: Number(all[0]?.["total"]), rows: named.map(read) };
  };
  return {
    events: (project, { search = "" }, part, signal) =>
      page(signal, PAGE(EVENTS), { project, search, ...placed(part) }, (row) => ({
        name: String(row["name"]),
        count: Number(row["count"]),
        first_seen_at: String(row["first_seen_at"]),
        last_seen_at: String(row["last_seen_at"]),
      })),
    properties: (project, { search = "", type }, part, signal) => {
      const values = { project, search, ...SCANNED[type], ...placed(part) };
      return page(signal, PAGE(PROPERTIES(OWNERS[type])), values, (row) => {
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
function placed({ limit, offset, after }: Part<DefinitionKeys>) {
  const [after_count, after_name] = after ?? [Number.MAX_VALUE, ""];
  return { limit, offset, after_count: String(after_count), after_name };
}

const ISO_FORMAT = "'%Y-%m-%dT%H:%M:%S.%fZ'";
const IS_SEARCHED = "contains(lower(name), lower($search))";

const EVENTS = `
  SELECT event AS name, count(*)::DOUBLE AS count,
    strftime(min("timestamp"), ${ISO_FORMAT}) AS first_seen_at,
    strftime(max("timestamp"), ${ISO_FORMAT}) AS last_seen_at
  FROM events WHERE project_id = $project::INTEGER AND contains(lower(event), lower($search))
  GROUP BY name`;

/** Sources of properties, with the time at which each was seen. */
const OWNERS: Record<PropertyOwner, string> = {
  event: `
    SELECT properties, "timestamp" AS seen FROM events WHERE project_id = $project::INTEGER
    AND seq IN (SELECT unnest(newest) FROM (
      SELECT max(seq, (
        SELECT greatest(1, least($each::BIGINT, $most::BIGINT // count(DISTINCT event)))
        FROM events WHERE project_id = $project::INTEGER)) AS newest
      FROM events WHERE project_id = $project::INTEGER
      GROUP BY event ORDER BY count(*) DESC, event LIMIT $most::BIGINT))`,
  person: `
    SELECT ${ALL_PROPERTIES} AS properties, NULL::TIMESTAMP AS seen FROM persons WHERE project_id = $project::INTEGER
    ORDER BY id DESC LIMIT $most::BIGINT`,
  group: `
    SELECT properties, NULL::TIMESTAMP AS seen FROM groups WHERE project_id = $project::INTEGER
    ORDER BY created_at DESC, type_index, key LIMIT $most::BIGINT`,
};

const SCANNED = {
  event: { most: PROPERTY_EVENTS_MAX, each: PROPERTY_EVENTS_EACH_MAX },
  person: { most: PROPERTY_PERSONS_MAX },
  group: { most: PROPERTY_PERSONS_MAX },
};

/** Whether a text is a time as events have it; other forms may be anything. */
const IS_TIME = `regexp_full_match(json_extract_string(properties, place),
    '\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d.*)?')`;

// The key of a property is read by its JSON pointer (RFC 6901).
const PROPERTIES = (owner: string) => `
  SELECT name, count(*)::DOUBLE AS count, mode(kind) AS property_type,
    strftime(max(seen), ${ISO_FORMAT}) AS last_seen_at
  FROM (
    SELECT name, seen, CASE json_type(properties, place)
        WHEN 'BOOLEAN' THEN 'Boolean' WHEN 'BIGINT' THEN 'Numeric' WHEN 'UBIGINT' THEN 'Numeric'
        WHEN 'DOUBLE' THEN 'Numeric'
        WHEN 'VARCHAR' THEN CASE WHEN ${IS_TIME} THEN 'DateTime' ELSE 'String' END
      END AS kind
    FROM (
      SELECT name, seen, properties,
        '/' || replace(replace(name, '~', '~0'), '/', '~1') AS place
      FROM (SELECT properties, seen, unnest(json_keys(properties)) AS name FROM (${owner}))
      WHERE ${IS_SEARCHED}))
  GROUP BY name`;

/** A page with the count of all pages. An empty page has one row of nulls with the count. */
const PAGE = (found: string) => `
  WITH found AS MATERIALIZED (${found})
  SELECT total, shown.*
  FROM (SELECT count(*)::DOUBLE AS total FROM found)
  LEFT JOIN (
    FROM found WHERE count < $after_count::DOUBLE OR (count = $after_count::DOUBLE AND name > $after_name)
    ORDER BY count DESC, name LIMIT $limit::BIGINT OFFSET $offset::BIGINT
  ) AS shown ON true
  ORDER BY count DESC, name`;
