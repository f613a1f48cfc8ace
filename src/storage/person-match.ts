import type { DuckDBConnection } from "@duckdb/node-api";
import type { Place } from "../domain/page.ts";
import type { ApiReads } from "./api-reads.ts";
import { rows } from "./duckdb.ts";
import type { MatchFilter, PartAsked } from "./person-list.ts";
import { columnOf, mirroredIn } from "./person-rows.ts";
import { type Bind, binder, checkPatterns, passes, pointer, textIn } from "./property-match.ts";

/** A value of a property, and how many persons have it. */
export type PropertyValue = { name: string; count: number };

/** Values that are told of one property. */
const PROPERTY_VALUES_MAX = 100;

/** Persons by their properties, from the event store's mirror, which may be seconds behind, until `signal` ends it. */
export type PersonMatches = {
  /**
   * Where the persons are, newest first by `created_at`, then id. `count` is of all. Fails
   * `invalid_input` on a pattern that is none.
   */
  places(
    project: number,
    filter: MatchFilter,
    part: PartAsked,
    signal: AbortSignal,
  ): Promise<{ count: number; places: Place[] }>;
  /** The values of a property, the most frequent first; `part` is in them, in any case. */
  values(project: number, key: string, part: string, signal: AbortSignal): Promise<PropertyValue[]>;
};

/** Looks for persons in the event store. */
export function personMatches(reads: ApiReads): PersonMatches {
  return {
    places: (project, filter, part, signal) =>
      reads.read(signal, (connection) => places(connection, project, filter, part)),
    values: (project, key, part, signal) =>
      reads.read(signal, async (connection) => {
        const values = { project, key: pointer(key), part, limit: PROPERTY_VALUES_MAX };
        const column = (await columnsOf(connection))(key);
        const found = await rows(connection, VALUES(column), values);
        return found.map(({ name, count }) => ({ name: String(name), count: Number(count) }));
      }),
  };
}

/** Rows of an earlier version have all properties in one column. */
const UNDIVIDED = "SELECT 1 FROM persons WHERE sdk_properties IS NULL LIMIT 1";

/** Says where the mirror has a property. */
async function columnsOf(connection: DuckDBConnection): Promise<(key: string) => string> {
  const [undivided] = await rows(connection, UNDIVIDED);
  if (undivided === undefined) return columnOf;
  return mirroredIn;
}

const VALUES = (column: string) => `
  SELECT name, count(*)::DOUBLE AS count
  FROM (SELECT ${textIn("$key", column)} AS name FROM persons
    WHERE project_id = $project::INTEGER)
  WHERE name IS NOT NULL AND contains(lower(name), lower($part))
  GROUP BY name ORDER BY count DESC, name LIMIT $limit::BIGINT`;

/** One scan finds the page and counts all, also where the page has nobody. */
const PLACES = (where: string, behind: string) => `
  WITH found AS MATERIALIZED (SELECT id, created_at FROM persons WHERE ${where})
  SELECT total.count, page.id, page.at
  FROM (SELECT count(*)::DOUBLE AS count FROM found) AS total
  LEFT JOIN (
    SELECT id::DOUBLE AS id, created_at, strftime(created_at, '%Y-%m-%dT%H:%M:%S.%fZ') AS at
    FROM found ${behind}
    ORDER BY created_at DESC, id DESC LIMIT $limit::BIGINT OFFSET $offset::BIGINT
  ) AS page ON true
  ORDER BY page.created_at DESC, page.id DESC`;

const BEHIND = `WHERE created_at <= $at::TIMESTAMP
  AND (created_at < $at::TIMESTAMP OR id < $after::BIGINT)`;

async function places(
  connection: DuckDBConnection,
  project: number,
  filter: MatchFilter,
  { limit, offset, after }: PartAsked,
) {
  await checkPatterns(connection, filter.properties, "properties");
  const { values, bind } = binder();
  const columns = await columnsOf(connection);
  const where = [
    "project_id = $project::INTEGER",
    ...ownConditions(filter, bind),
    ...filter.properties.map((property) => {
      return passes(property, (pointer) => textIn(pointer, columns(property.key)), bind);
    }),
  ].join(" AND ");
  const found = await rows(connection, PLACES(where, after === undefined ? "" : BEHIND), {
    ...values,
    ...(after === undefined ? {} : { at: after.at, after: after.id }),
    project,
    limit,
    offset,
  });
  return {
    count: Number(found[0]?.["count"] ?? 0),
    places: found
      .filter(({ id }) => id !== null)
      .map(({ id, at }) => ({ id: Number(id), at: String(at) })),
  };
}

/** What SQLite answers where there is no filter by property: an address is a text here, too. */
function ownConditions({ distinct_id, email, search }: MatchFilter, bind: Bind): string[] {
  const address = `CASE json_type(properties, '/email') WHEN 'VARCHAR'
    THEN json_extract_string(properties, '/email') END`;
  const owner = (id: string) => `uuid IN (SELECT person_id FROM person_distinct_ids
    WHERE project_id = $project::INTEGER AND distinct_id = ${bind(id)})`;
  return [
    ...(distinct_id === undefined ? [] : [owner(distinct_id)]),
    ...(email === undefined ? [] : [`${address} = ${bind(email)}`]),
    ...(search === undefined
      ? []
      : [`(contains(lower(${address}), lower(${bind(search)})) OR ${owner(search)})`]),
  ];
}
