import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../domain/errors.ts";
import type { Place } from "../domain/page.ts";
import type { PropertyFilter, PropertyTest } from "../domain/property-filter.ts";
import type { Version } from "../domain/version-range.ts";
import { type Bind, binder, type Duckdb, rows } from "./duckdb.ts";
import type { MatchFilter, PartAsked } from "./person-list.ts";

/** A value of a property, and how many persons have it. */
export type PropertyValue = { name: string; count: number };

/** Values that are told of one property. */
const PROPERTY_VALUES_MAX = 100;

/** Persons by their properties, from the event store's mirror: seconds behind, under load. */
export type PersonMatches = {
  /**
   * Where the persons are, newest first by `created_at`, then id. `count` is of all. Fails
   * `invalid_input` on a pattern that is none.
   */
  places(
    project: number,
    filter: MatchFilter,
    part: PartAsked,
  ): Promise<{ count: number; places: Place[] }>;
  /** The values of a property, the most frequent first; `part` is in them, in any case. */
  values(project: number, key: string, part: string): Promise<PropertyValue[]>;
};

/** Looks for persons in the event store. */
export function personMatches(duckdb: Duckdb): PersonMatches {
  return {
    places: (project, filter, part) =>
      duckdb.read((connection) => places(connection, project, filter, part)),
    values: (project, key, part) =>
      duckdb.read(async (connection) => {
        const values = { project, key: pointer(key), part, limit: PROPERTY_VALUES_MAX };
        const found = await rows(connection, VALUES, values);
        return found.map(({ name, count }) => ({ name: String(name), count: Number(count) }));
      }),
  };
}

const VALUES = `
  SELECT name, count(*)::DOUBLE AS count
  FROM (SELECT json_extract_string(properties, $key) AS name FROM persons
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
  await checkPatterns(connection, filter.properties);
  const { bind, values } = binder();
  const where = [
    "project_id = $project::INTEGER",
    ...ownConditions(filter, bind),
    ...filter.properties.map((property) => condition(property, bind)),
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

/** RE2 takes no backtracking pattern and none that is too large: the caller is told which it is. */
export async function checkPatterns(
  connection: DuckDBConnection,
  filters: readonly PropertyFilter[],
): Promise<void> {
  for (const { test } of filters) {
    for (const pattern of test.is === "matches" ? test.any : []) {
      try {
        await rows(connection, "SELECT regexp_matches('', $pattern)", { pattern });
      } catch (error) {
        if (!String(error).includes("Invalid Input Error")) throw error;
        const detail = "A regular expression of RE2 is expected, which has no lookaround.";
        throw new Failure("invalid_input", detail, "properties");
      }
    }
  }
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

/**
 * A filter on the column `properties`. What has no value passes no test, and so every test that
 * is turned round.
 */
export function condition({ key, not, test }: PropertyFilter, bind: Bind): string {
  const passes = tested(test, `json_extract_string(properties, ${bind(pointer(key))})`, bind);
  return `(${passes}) IS ${not ? "NOT TRUE" : "TRUE"}`;
}

function tested(test: PropertyTest, text: string, bind: Bind): string {
  const any = (values: string[], one: (value: string) => string) =>
    values.map((value) => one(bind(value))).join(" OR ") || "false";
  switch (test.is) {
    case "set":
      return `${text} IS NOT NULL`;
    case "equal":
      return any(test.any, (value) => `${text} = ${value}`);
    case "contains":
      return any(test.any, (value) => `contains(lower(${text}), lower(${value}))`);
    case "starts":
      return any(test.any, (value) => `starts_with(${text}, ${value})`);
    case "ends":
      return any(test.any, (value) => `ends_with(${text}, ${value})`);
    case "matches":
      return any(test.any, (value) => `regexp_matches(${text}, ${value})`);
    case "compare": {
      const asText = `${text} ${test.by} ${bind(test.text)}`;
      if (test.number === null) return asText;
      const asNumber = `TRY_CAST(${text} AS DOUBLE) ${test.by} ${bind(test.number, "DOUBLE")}`;
      return `coalesce(${asNumber}, ${asText})`;
    }
    case "between":
      return `TRY_CAST(${text} AS DOUBLE)
        BETWEEN ${bind(test.from, "DOUBLE")} AND ${bind(test.to, "DOUBLE")}`;
    case "date":
      return within(`TRY_CAST(${text} AS TIMESTAMP)`, test, (time) => bind(time, "TIMESTAMP"));
    case "version": {
      const isVersion = `regexp_matches(${text}, '^[vV]?\\d')`;
      return `${isVersion} AND ${within(versionOf(text), test, (version: Version) => {
        return `[${version.map((part) => bind(part, "BIGINT")).join(", ")}]`;
      })}`;
    }
  }
}

function within<T>(
  value: string,
  { from, before }: { from: T | null; before: T | null },
  bind: (bound: T) => string,
): string {
  return [
    ...(from === null ? [] : [`${value} >= ${bind(from)}`]),
    ...(before === null ? [] : [`${value} < ${bind(before)}`]),
  ].join(" AND ");
}

/** The first three numbers of a version, as a list. */
function versionOf(text: string): string {
  const numbers = `regexp_extract(${text}, '^[vV]?(\\d+(?:\\.\\d+){0,2})', 1)`;
  return `list_resize(TRY_CAST(string_split(${numbers}, '.') AS BIGINT[]), 3, 0)`;
}

/** A key as a JSON pointer (RFC 6901): as a path, `$` and dots in it would mean something. */
export function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
