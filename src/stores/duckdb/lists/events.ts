import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { EventCursor, EventFilter, EventReads, EventRow } from "../../../core/ports/events.ts";
import { PAGE_BYTES_MAX, type PageQuery } from "../../../core/values/page.ts";
import { rows } from "../engine/duckdb.ts";
import type { ApiReads } from "../engine/query-deadline.ts";

/** Lists events of the event store. */
export function eventReads(reads: ApiReads): EventReads {
  return {
    list: (project, filter, page, signal) =>
      reads.read(signal, (connection) => listEvents(connection, project, filter, page)),
  };
}

const CONDITIONS: Record<keyof EventFilter, string> = {
  event: "event = $event",
  distinct_id: "distinct_id = $distinct_id",
  person_id: `person_id IN (
    SELECT old_person_id FROM person_overrides
      WHERE project_id = $project::INTEGER AND person_id = $person_id::UUID
    UNION ALL SELECT $person_id::UUID WHERE NOT EXISTS (
      FROM person_overrides
        WHERE project_id = $project::INTEGER AND old_person_id = $person_id::UUID))`,
  uuid: "uuid = $uuid::UUID",
  after: `"timestamp" > $after::TIMESTAMP`,
  before: `"timestamp" < $before::TIMESTAMP`,
};

const AFTER_CURSOR = ` AND "timestamp" <= $cursor_timestamp::TIMESTAMP
  AND ("timestamp" < $cursor_timestamp::TIMESTAMP OR seq < $cursor_seq::BIGINT)`;

const ORDER = `"timestamp" DESC, seq DESC`;

/**
 * Finds the rows of a page, then the ones within its bytes, then their properties. So memory holds the properties
 * of at most one page. Only large events count, because the others take little.
 */
const LIST = (where: string) => `
  WITH place AS MATERIALIZED (
    SELECT rowid AS row, "timestamp", seq FROM events WHERE ${where}
    ORDER BY ${ORDER} LIMIT $limit::BIGINT OFFSET $offset::BIGINT
  ), fitting AS MATERIALIZED (
    SELECT row FROM (
      SELECT row, place."timestamp", place.seq, coalesce(strlen(whole_properties), 0) AS bytes
      FROM place JOIN events ON events.rowid = row)
    QUALIFY sum(bytes) OVER (ORDER BY ${ORDER} ROWS UNBOUNDED PRECEDING) - bytes < $bytes::BIGINT
  )
  SELECT (SELECT count(*) FROM place)::DOUBLE AS places, page.seq::DOUBLE AS seq,
    page.uuid::VARCHAR AS uuid, event, distinct_id,
    coalesce(moved.person_id, page.person_id)::VARCHAR AS person_id,
    strftime("timestamp", '%Y-%m-%dT%H:%M:%S.%fZ') AS "timestamp", properties
  FROM (
    SELECT project_id, seq, uuid, event, distinct_id, person_id, "timestamp",
      coalesce(whole_properties, properties) AS properties
    FROM events WHERE rowid IN (SELECT row FROM fitting)
  ) AS page
  LEFT JOIN person_overrides AS moved
    ON moved.project_id = page.project_id AND moved.old_person_id = page.person_id
  ORDER BY page."timestamp" DESC, page.seq DESC`;

async function listEvents(
  connection: DuckDBConnection,
  project: number,
  filter: EventFilter,
  { limit, offset, after }: PageQuery & { after?: EventCursor | undefined },
) {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const values: Record<string, DuckDBValue> = { project, ...Object.fromEntries(given) };
  const where = [
    "project_id = $project::INTEGER",
    ...given.map(([name]) => CONDITIONS[name as keyof EventFilter]),
  ].join(" AND ");
  const [total] = await rows(
    connection,
    `SELECT count(*) AS count FROM events WHERE ${where}`,
    values,
  );
  const cursor = after && { cursor_timestamp: after.timestamp, cursor_seq: after.seq };
  const afterCursor = cursor === undefined ? "" : AFTER_CURSOR;
  const parameters = { ...values, ...cursor, limit: limit + 1, offset, bytes: PAGE_BYTES_MAX };
  const found = await rows(connection, LIST(where + afterCursor), parameters);
  const events = found.slice(0, limit).map(eventRow);
  const isMore = Number(found[0]?.["places"] ?? 0) > events.length;
  return { count: Number(total?.["count"]), rows: events, isMore };
}

function eventRow(row: Record<string, DuckDBValue>): EventRow & { seq: number } {
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
