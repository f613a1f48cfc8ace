import type { DuckDBConnection } from "@duckdb/node-api";
import type { PartAsked } from "../../../core/ports/person-reads.ts";
import type {
  MatchedNow,
  MatchFilter,
  PersonMatches,
  PropertyValue,
} from "../../../core/ports/person-search.ts";
import { folded } from "../../../core/values/case-folding.ts";
import { filtersIn, type PropertyFilter } from "../../../core/values/property-filter.ts";
import { propertyColumn } from "../../loads/person-columns.ts";
import { rows } from "../engine/duckdb.ts";
import type { ApiReads } from "../engine/query-deadline.ts";
import { personsNow } from "./changed-persons.ts";
import {
  type Bind,
  binder,
  checkPatterns,
  groupMet,
  hasPart,
  passes,
  pointer,
  textIn,
} from "./property-filter.ts";

/** Values that are told of one property, and bytes of one of them. */
const PROPERTY_VALUES_MAX = 100;
const VALUE_BYTES_MAX = 1024;

/** Looks for persons in the event store. */
export function personMatches(reads: ApiReads): PersonMatches {
  return {
    read: (signal, work) =>
      reads.read(signal, async (connection) => {
        const [row] = await rows(connection, VERSION);
        return work({
          version: Number(row?.["value"]),
          places: (...asked) => places(connection, ...asked),
          values: (...asked) => values(connection, ...asked),
        });
      }),
  };
}

const VERSION = "SELECT value FROM meta WHERE key = 'mirror_version'";

async function values(
  connection: DuckDBConnection,
  project: number,
  key: string,
  part: string,
  now: MatchedNow,
): Promise<PropertyValue[]> {
  const { values: wanted, bind } = binder();
  const summary = COUNTED(hasPart("name", part, bind));
  const asked = {
    project,
    names: [key],
    selected: `${shortOnly(textIn("$key", propertyColumn(key)))} AS name, 1 AS count`,
    where: "true",
    values: { key: pointer(key), ...wanted },
    summary,
    row: { name: "VARCHAR", count: "BIGINT" },
    again: "row.name, row.count",
  };
  const { found, values } = await personsNow(connection, asked, now);
  const counted = await rows(
    connection,
    `${summary(found)} ORDER BY count DESC, name LIMIT $limit::BIGINT`,
    { ...values, limit: PROPERTY_VALUES_MAX },
  );
  return counted.map(({ name, count }) => ({ name: String(name), count: Number(count) }));
}

/** A lambda, so that a text is taken out of the JSON once. */
const shortOnly = (text: string) =>
  `list_transform([${text}], lambda t: CASE WHEN strlen(t) <= ${VALUE_BYTES_MAX} THEN t END)[1]`;

const COUNTED = (isWanted: string) => (found: string) =>
  `
  SELECT name, sum(count)::DOUBLE AS count FROM (${found})
  WHERE name IS NOT NULL AND ${isWanted}
  GROUP BY name`;

const AT = "strftime(created_at, '%Y-%m-%dT%H:%M:%S.%fZ')";

const PLACED = (found: string) => `SELECT id::DOUBLE AS id, ${AT} AS at FROM (${found})`;

/** One scan finds the page and counts all, also where the page has nobody. */
const PLACES = (found: string, isMoved: boolean, behind: string) => `
  WITH found AS MATERIALIZED (${isMoved ? MOVED(found) : found})
  SELECT total.count, page.id, page.at
  FROM (SELECT count(*)::DOUBLE AS count FROM found) AS total
  LEFT JOIN (
    SELECT id::DOUBLE AS id, created_at, ${AT} AS at FROM found ${behind}
    ORDER BY created_at DESC, id DESC LIMIT $limit::BIGINT OFFSET $offset::BIGINT
  ) AS page ON true
  ORDER BY page.created_at DESC, page.id DESC`;

/** Those who were elsewhere when the walk began, there. */
const MOVED = (found: string) => `
  SELECT id, coalesce(moved.at::TIMESTAMP, created_at) AS created_at FROM (${found}) AS found
  LEFT JOIN (SELECT unnest(from_json($moved::JSON, '[{"id": "BIGINT", "at": "VARCHAR"}]'),
    recursive := true)) AS moved USING (id)`;

const BEHIND = `WHERE created_at <= $at::TIMESTAMP
  AND (created_at < $at::TIMESTAMP OR id < $after::BIGINT)`;

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
  const asked = {
    project,
    names: namesIn(filter),
    ...{ selected: "id, created_at", where, values },
    ...{ summary: PLACED, row: { id: "BIGINT", at: "VARCHAR" } },
    again: "row.id, row.at::TIMESTAMP",
  };
  const { found, values: bound } = await personsNow(connection, asked, now);
  const moved = now.moved(after?.since);
  const sql = PLACES(found, moved.length > 0, after === undefined ? "" : BEHIND);
  const placed = await rows(connection, sql, {
    ...bound,
    ...(moved.length === 0 ? {} : { moved: JSON.stringify(moved) }),
    ...(after === undefined ? {} : { at: after.at, after: after.id }),
    ...{ limit, offset },
  });
  return {
    count: Number(placed[0]?.["count"] ?? 0),
    places: placed
      .filter(({ id }) => id !== null)
      .map(({ id, at }) => ({ id: Number(id), at: String(at) })),
  };
}

/** The names of all properties that a filter looks at. */
function namesIn({ properties, email }: MatchFilter): string[] {
  const names = filtersIn({ any: false, of: properties }).map(({ key }) => key);
  return email === undefined ? names : [...names, "email"];
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
