import type { DuckDBConnection } from "@duckdb/node-api";
import type { Place } from "../domain/page.ts";
import { filtersIn, type PropertyFilter } from "../domain/property-filter.ts";
import { folded } from "./any-case.ts";
import type { ApiReads } from "./api-reads.ts";
import { rows } from "./duckdb.ts";
import type { MatchFilter, PartAsked } from "./person-list.ts";
import { PROPERTY_COLUMNS, propertyColumn } from "./person-rows.ts";
import {
  type Bind,
  binder,
  checkPatterns,
  groupMet,
  passes,
  pointer,
  textIn,
} from "./property-match.ts";

/** A value of a property, and how many persons have it. */
export type PropertyValue = { name: string; count: number };

/** Values that are told of one property. */
const PROPERTY_VALUES_MAX = 100;

/** What a person is filtered by, as SQLite has it; `properties` is JSON. */
export type PersonFacts = { id: number; listed_at: string; properties: string };

/** What the mirror lacks of the persons of a project. */
export type Unmirrored = {
  /** Integer ids of all who changed, and of those who are no more. */
  ids: readonly number[];
  /** Those of them that there are. */
  persons: readonly PersonFacts[];
};

/** Persons by their properties: those of the event store's mirror, but for what it lacks. */
export type PersonMatches = {
  /** Runs `work` on one state of the mirror, until `signal` ends it. */
  read<T>(signal: AbortSignal, work: (mirror: MirrorState) => Promise<T>): Promise<T>;
};

/** One state of the mirror. */
export type MirrorState = {
  /** The version of the person store that it has. */
  version: number;
  /**
   * Where the persons are, newest first by `listed_at`, then id. `count` is of all. Fails
   * `invalid_input` on a pattern that is none.
   */
  places(
    project: number,
    filter: MatchFilter,
    part: PartAsked,
    now: MatchedNow,
  ): Promise<{ count: number; places: Place[] }>;
  /** How many persons of a project have a part in their address, in any case. */
  addressed(project: number, part: string): Promise<number>;
  /** The values of a property, the most frequent first; `part` is in them, in any case. */
  values(project: number, key: string, part: string, now: MatchedNow): Promise<PropertyValue[]>;
};

/** What is to be answered of, though the mirror may not have it. */
export type MatchedNow = {
  unmirrored: Unmirrored;
  /** The person of a distinct id. */
  owner(distinct_id: string): number | undefined;
};

/** Looks for persons in the event store. */
export function personMatches(reads: ApiReads): PersonMatches {
  return {
    read: (signal, work) =>
      reads.read(signal, async (connection) => {
        const [row] = await rows(connection, VERSION);
        return work({
          version: Number(row?.["value"]),
          addressed: (...asked) => addressed(connection, ...asked),
          places: (...asked) => places(connection, ...asked),
          values: (...asked) => values(connection, ...asked),
        });
      }),
  };
}

const VERSION = "SELECT value FROM meta WHERE key = 'mirror_version'";

/**
 * Selects of the mirror's persons of a project, and of what it lacks in their place. The condition
 * is on the tables themselves: on what they are put together to, each row would be looked at, and
 * not each value that rows have in common (decision 100).
 */
function personsNow(selected: string, where: string, { ids, persons }: Unmirrored) {
  const mirrored = `SELECT ${selected} FROM persons WHERE project_id = $project::INTEGER AND ${where}`;
  if (ids.length === 0) return { found: mirrored, values: {} };
  const lines = persons.map(({ id, listed_at, properties }) => {
    return `{"id":${id},"at":${JSON.stringify(listed_at)},"properties":${properties}}`;
  });
  return {
    found: `${mirrored} AND id NOT IN (SELECT unnest(from_json($changed::JSON, '["BIGINT"]')))
      UNION ALL
      SELECT ${selected} FROM (
        SELECT row.id AS id, row.at::TIMESTAMP AS listed_at,
          ${FOLDED} AS email,
          ${PROPERTY_COLUMNS.map((column) => `row.properties AS ${column}`).join(", ")}
        FROM (SELECT unnest(from_json($persons::JSON,
          '[{"id":"BIGINT","at":"VARCHAR","properties":"JSON"}]')) AS row))
      WHERE ${where}`,
    values: { changed: JSON.stringify(ids), persons: `[${lines.join(",")}]` },
  };
}

/** The address of a person that the mirror lacks, as the mirror has those of others. */
const FOLDED = `CASE json_type(row.properties, '/email') WHEN 'VARCHAR'
  THEN replace(lower(substr(json_extract_string(row.properties, '/email'), 1, 1000)), 'ς', 'σ') END`;

async function values(
  connection: DuckDBConnection,
  project: number,
  key: string,
  part: string,
  { unmirrored }: MatchedNow,
): Promise<PropertyValue[]> {
  const text = `${textIn("$key", propertyColumn(key))} AS name`;
  const { found, values } = personsNow(text, "true", unmirrored);
  const counted = await rows(connection, VALUES(found), {
    ...values,
    ...{ project, key: pointer(key), part, limit: PROPERTY_VALUES_MAX },
  });
  return counted.map(({ name, count }) => ({ name: String(name), count: Number(count) }));
}

const VALUES = (found: string) => `
  SELECT name, count(*)::DOUBLE AS count FROM (${found})
  WHERE name IS NOT NULL AND contains(lower(name), lower($part))
  GROUP BY name ORDER BY count DESC, name LIMIT $limit::BIGINT`;

/** One scan finds the page and counts all, also where the page has nobody. */
const PLACES = (found: string, behind: string) => `
  WITH found AS MATERIALIZED (${found})
  SELECT total.count, page.id, page.at
  FROM (SELECT count(*)::DOUBLE AS count FROM found) AS total
  LEFT JOIN (
    SELECT id::DOUBLE AS id, listed_at, strftime(listed_at, '%Y-%m-%dT%H:%M:%S.%fZ') AS at
    FROM found ${behind}
    ORDER BY listed_at DESC, id DESC LIMIT $limit::BIGINT OFFSET $offset::BIGINT
  ) AS page ON true
  ORDER BY page.listed_at DESC, page.id DESC`;

const BEHIND = `WHERE listed_at <= $at::TIMESTAMP
  AND (listed_at < $at::TIMESTAMP OR id < $after::BIGINT)`;

async function places(
  connection: DuckDBConnection,
  project: number,
  filter: MatchFilter,
  { limit, offset, after }: PartAsked,
  now: MatchedNow,
) {
  const group = { any: false, of: filter.properties };
  await checkPatterns(connection, filtersIn(group), "properties");
  const { values, bind } = binder();
  const passed = (property: PropertyFilter) =>
    passes(property, (pointer) => textIn(pointer, propertyColumn(property.key)), bind);
  const where = [
    ...ownConditions(filter, now, bind),
    ...(filter.properties.length === 0 ? [] : [groupMet(group, passed)]),
  ].join(" AND ");
  const { found, values: unmirrored } = personsNow("id, listed_at", where, now.unmirrored);
  const placed = await rows(connection, PLACES(found, after === undefined ? "" : BEHIND), {
    ...values,
    ...unmirrored,
    ...(after === undefined ? {} : { at: after.at, after: after.id }),
    project,
    limit,
    offset,
  });
  return {
    count: Number(placed[0]?.["count"] ?? 0),
    places: placed
      .filter(({ id }) => id !== null)
      .map(({ id, at }) => ({ id: Number(id), at: String(at) })),
  };
}

const ADDRESSED = `SELECT count(*)::DOUBLE AS count FROM persons
  WHERE project_id = $project::INTEGER AND contains(email, $part)`;

async function addressed(connection: DuckDBConnection, project: number, part: string) {
  const [row] = await rows(connection, ADDRESSED, { project, part: folded(part) });
  return Number(row?.["count"]);
}

/** An id that no person has. */
const NOBODY = -1;

/** What SQLite answers where there is no filter by property: an address is a text here, too. */
function ownConditions(
  { distinct_id, email, search }: MatchFilter,
  now: MatchedNow,
  bind: Bind,
): string[] {
  const column = propertyColumn("email");
  const address = `CASE json_type(${column}, '/email') WHEN 'VARCHAR'
    THEN json_extract_string(${column}, '/email') END`;
  const owner = (id: string) => `id = ${bind(String(now.owner(id) ?? NOBODY), "BIGINT")}`;
  return [
    ...(distinct_id === undefined ? [] : [owner(distinct_id)]),
    ...(email === undefined ? [] : [`${address} = ${bind(email)}`]),
    ...(search === undefined
      ? []
      : [`(contains(email, ${bind(folded(search))}) OR ${owner(search)})`]),
  ];
}
