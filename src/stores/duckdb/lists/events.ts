import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type {
  EventCursor,
  EventDetail,
  EventFilter,
  EventReads,
  EventRow,
} from "../../../core/ports/events.ts";
import type { PropertyConditions } from "../../../core/queries/query-fields.ts";
import { PAGE_BYTES_MAX, type PageQuery } from "../../../core/values/page.ts";
import { rows } from "../engine/duckdb.ts";
import type { ApiReads } from "../engine/query-deadline.ts";
import { type Bind, binder } from "./property-filter.ts";

/** The parts of a SELECT from `events` that meet filters of properties. */
export type EventSelection = {
  tables: string[];
  joins: string[];
  conditions: string[];
  /** The properties of events that have no column in all projects. */
  used: ReadonlySet<string>;
};

/** How filters become SQL; the same code serves insights. */
type Filtering = {
  select(
    connection: DuckDBConnection,
    project: number,
    filters: PropertyConditions,
    bind: Bind,
  ): Promise<EventSelection>;
  /** Receives the properties that a list read, and its time, as a property that is read often gets a column. */
  noteUse(properties: ReadonlySet<string>, ms: number): void;
};

/** Lists events of the event store. */
export function eventReads(reads: ApiReads, filtering: Filtering): EventReads {
  return {
    list: (project, filter, page, signal) =>
      reads.read(signal, (connection) =>
        listEvents(connection, project, { filter, filtering }, page),
      ),
    find: (project, uuid, signal) =>
      reads.read(signal, (connection) => findEvent(connection, project, uuid)),
    countsOf: (project, ids, signal) =>
      reads.read(signal, async (connection) => {
        const found = await rows(connection, COUNTS_OF, { project, ids: JSON.stringify(ids) });
        return new Map(found.map(({ id, count }) => [String(id), Number(count)]));
      }),
    idsOfPersons: (project, persons, signal) =>
      reads.read(signal, async (connection) => {
        const values = { project, ids: JSON.stringify(persons) };
        const found = await rows(connection, IDS_OF_PERSONS, values);
        return new Map(
          found.map(({ person, ids }) => [String(person), JSON.parse(String(ids))] as const),
        );
      }),
    arrivedSince: (project, filter, range, signal) =>
      reads.read(signal, async (connection) => {
        const given = filled(filter);
        const where = given.map(([name]) => `AND ${CONDITIONS[name]}`).join(" ");
        const { after, upTo: up_to, limit } = range;
        const values = { project, up_to, ...Object.fromEntries(given) };
        const [found] = await rows(connection, COUNT_ARRIVED(limit, where), {
          ...values,
          since: after,
        });
        const count = Number(found?.["count"] ?? 0);
        if (count === 0) return { count, rows: [] };
        const first = Number(found?.["first"]);
        const page = await rows(connection, ARRIVED(where), { ...values, first });
        return { count, rows: page.map((row) => withoutSeq(eventRow(row))) };
      }),
    extent: (project, signal) =>
      reads.read(signal, async (connection) => {
        const [found] = await rows(connection, EXTENT, { project });
        const textOf = (value: DuckDBValue | undefined) => (value == null ? null : String(value));
        return { first: textOf(found?.["first"]), last: textOf(found?.["last"]) };
      }),
  };
}

/** The fields of a filter that are compared with columns. */
type Compared = Omit<EventFilter, "properties">;

const CONDITIONS: Record<keyof Compared, string> = {
  event: "events.event = $event",
  distinct_id: "events.distinct_id = $distinct_id",
  person_id: `events.person_id IN (
    SELECT old_person_id FROM person_overrides
      WHERE project_id = $project::INTEGER AND person_id = $person_id::UUID
    UNION ALL SELECT $person_id::UUID WHERE NOT EXISTS (
      FROM person_overrides
        WHERE project_id = $project::INTEGER AND old_person_id = $person_id::UUID))`,
  uuid: "events.uuid = $uuid::UUID",
  after: `events."timestamp" > $after::TIMESTAMP`,
  before: `events."timestamp" < $before::TIMESTAMP`,
};

const AFTER_CURSOR = `events."timestamp" <= $cursor_timestamp::TIMESTAMP
  AND (events."timestamp" < $cursor_timestamp::TIMESTAMP OR events.seq < $cursor_seq::BIGINT)`;

const ORDER = `"timestamp" DESC, seq DESC`;

const TIME_FORMAT = "'%Y-%m-%dT%H:%M:%S.%fZ'";

/** The columns of an event as the API shows it, from `page` and the overrides `moved`. */
const COLUMNS = `page.seq::DOUBLE AS seq, page.uuid::VARCHAR AS uuid, event, distinct_id,
    coalesce(moved.person_id, page.person_id)::VARCHAR AS person_id,
    strftime("timestamp", ${TIME_FORMAT}) AS "timestamp", properties`;

const OWNER_NOW = `LEFT JOIN person_overrides AS moved
    ON moved.project_id = page.project_id AND moved.old_person_id = page.person_id`;

/**
 * Returns the events of a page: the rows of the table `place`, then the ones within its bytes, then their properties. So
 * memory holds the properties of at most one page. Only large events count, because the others take little.
 */
export const eventsInPlace = (tables: readonly string[], way: "ASC" | "DESC" = "DESC") => `
  WITH ${tables.join(", ")}, fitting AS MATERIALIZED (
    SELECT row FROM (
      SELECT row, place."timestamp", place.seq, coalesce(strlen(whole_properties), 0) AS bytes
      FROM place JOIN events ON events.rowid = row)
    QUALIFY sum(bytes) OVER (ORDER BY "timestamp" ${way}, seq ${way} ROWS UNBOUNDED PRECEDING) - bytes
      < $bytes::BIGINT
  )
  SELECT (SELECT count(*) FROM place)::DOUBLE AS places, ${COLUMNS}
  FROM (
    SELECT project_id, seq, uuid, event, distinct_id, person_id, "timestamp",
      coalesce(whole_properties, properties) AS properties
    FROM events WHERE rowid IN (SELECT row FROM fitting)
  ) AS page
  ${OWNER_NOW}
  ORDER BY page."timestamp" ${way}, page.seq ${way}`;

const LIST = (tables: readonly string[], from: string) =>
  eventsInPlace([
    ...tables,
    `place AS MATERIALIZED (
    SELECT events.rowid AS row, events."timestamp", events.seq ${from}
    ORDER BY events."timestamp" DESC, events.seq DESC LIMIT $limit::BIGINT OFFSET $offset::BIGINT
  )`,
  ]);

const COUNT = (tables: readonly string[], from: string) =>
  `${tables.length === 0 ? "" : `WITH ${tables.join(", ")} `}SELECT count(*) AS count ${from}`;

type Listing = { filter: EventFilter; filtering: Filtering };

async function listEvents(
  connection: DuckDBConnection,
  project: number,
  { filter: { properties = [], ...compared }, filtering }: Listing,
  { limit, offset, after }: PageQuery & { after?: EventCursor | undefined },
) {
  const beganMs = performance.now();
  const { values: bound, bind } = binder();
  const selected = await filtering.select(connection, project, properties, bind);
  const { tables, joins, conditions, used } = selected;
  const given = filled(compared);
  const values: Record<string, DuckDBValue> = { ...bound, ...Object.fromEntries(given) };
  // Only `person_id` needs the project again.
  if (compared.person_id !== undefined) values["project"] = project;
  const where = [...conditions, ...given.map(([name]) => CONDITIONS[name])];
  const from = (...more: string[]) =>
    ["FROM events", ...joins, `WHERE ${[...where, ...more].join(" AND ")}`].join("\n    ");
  try {
    const [total] = await rows(connection, COUNT(tables, from()), values);
    const cursor =
      after === undefined ? {} : { cursor_timestamp: after.timestamp, cursor_seq: after.seq };
    const afterCursor = after === undefined ? [] : [AFTER_CURSOR];
    const parameters: Record<string, DuckDBValue> = {
      ...values,
      ...cursor,
      limit: limit + 1,
      offset,
      bytes: PAGE_BYTES_MAX,
    };
    const found = await rows(connection, LIST(tables, from(...afterCursor)), parameters);
    const events = found.slice(0, limit).map(eventRow);
    const isMore = Number(found[0]?.["places"] ?? 0) > events.length;
    return { count: Number(total?.["count"]), rows: events, isMore };
  } finally {
    // Also after a list that ran out of time, because such lists need columns most.
    filtering.noteUse(used, performance.now() - beganMs);
  }
}

/** The fields of a filter that are set. */
const filled = (filter: Compared) =>
  Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name as keyof Compared, value] as const],
  );

/**
 * Counts events, and finds the number of the first event of the newest ones. Row groups before `$since` are
 * skipped, because rows come in the order of their numbers.
 */
const COUNT_ARRIVED = (limit: number, where: string) => `
  SELECT count(*)::DOUBLE AS count, list_min(max(seq, ${limit}))::DOUBLE AS first FROM events
  WHERE project_id = $project::INTEGER AND seq > $since::BIGINT AND seq <= $up_to::BIGINT ${where}`;

/** A plain range of numbers reads two row groups, where a sorted and limited one would visit all of them. */
const ARRIVED = (where: string) => `
  SELECT ${COLUMNS}
  FROM (
    SELECT project_id, seq, uuid, event, distinct_id, person_id, "timestamp", properties FROM events
    WHERE project_id = $project::INTEGER AND seq >= $first::BIGINT AND seq <= $up_to::BIGINT ${where}
  ) AS page
  ${OWNER_NOW}
  ORDER BY page.seq DESC`;

const COUNTS_OF = `
  SELECT distinct_id AS id, count(*)::DOUBLE AS count FROM events
  WHERE project_id = $project::INTEGER
    AND distinct_id IN (SELECT unnest(from_json($ids::JSON, '["VARCHAR"]')))
  GROUP BY id`;

const IDS_OF_PERSONS = `
  SELECT person_id::VARCHAR AS person, to_json(list(DISTINCT distinct_id)) AS ids FROM events
  WHERE project_id = $project::INTEGER
    AND person_id IN (SELECT unnest(from_json($ids::JSON, '["UUID"]')))
    AND person_id NOT IN (
      SELECT old_person_id FROM person_overrides WHERE project_id = $project::INTEGER)
  GROUP BY person_id`;

const EXTENT = `
  SELECT strftime(min(ingested_at), ${TIME_FORMAT}) AS first,
    strftime(max(ingested_at), ${TIME_FORMAT}) AS last
  FROM events WHERE project_id = $project::INTEGER`;

const FIND = `
  SELECT ${COLUMNS}, strftime(ingested_at, ${TIME_FORMAT}) AS ingested_at
  FROM (
    SELECT * EXCLUDE (properties), coalesce(whole_properties, properties) AS properties FROM events
    WHERE rowid IN (
      SELECT rowid FROM events WHERE project_id = $project::INTEGER AND uuid = $uuid::UUID
      ORDER BY ${ORDER} LIMIT 1)
  ) AS page
  ${OWNER_NOW}`;

async function findEvent(
  connection: DuckDBConnection,
  project: number,
  uuid: string,
): Promise<EventDetail | undefined> {
  const [found] = await rows(connection, FIND, { project, uuid });
  if (found === undefined) return undefined;
  return { ...withoutSeq(eventRow(found)), ingested_at: String(found["ingested_at"]) };
}

/** Returns an event without its number. */
export const withoutSeq = ({ seq: _, ...event }: EventRow & { seq: number }): EventRow => event;

/** Reads a row of {@link eventsInPlace}. */
export function eventRow(row: Record<string, DuckDBValue>): EventRow & { seq: number } {
  return {
    seq: Number(row["seq"]),
    uuid: String(row["uuid"]),
    event: String(row["event"]),
    distinct_id: String(row["distinct_id"]),
    person_id: String(row["person_id"]),
    timestamp: String(row["timestamp"]),
    properties: JSON.parse(String(row["properties"])),
  };
}
