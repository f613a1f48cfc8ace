import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { DISTINCT_ID_CHARS_MAX } from "../../../core/events/event.ts";
import {
  filtersIn,
  LOG_FILTERS_ATTR,
  type LogFilterType,
  type LogQuery,
} from "../../../core/logs/query.ts";
import type { LogRecord } from "../../../core/logs/record.ts";
import { LOG_DISTINCT_ID_KEYS } from "../../../core/logs/record.ts";
import type { LogReads, LogRow } from "../../../core/ports/logs.ts";
import { PAGE_BYTES_MAX } from "../../../core/values/page.ts";
import { quoted, rows } from "../engine/duckdb.ts";
import type { ApiReads } from "../engine/query-deadline.ts";
import { type Bind, binder, checkPatterns, groupMet, passes, pointer } from "./property-filter.ts";

/** Lists log records of the event store. */
export function logReads(reads: ApiReads): LogReads {
  return {
    list: (project, query, signal) =>
      reads.read(signal, (connection) => listLogs(connection, project, query)),
    naming: (project, ids, signal) =>
      reads.read(signal, async (connection) => {
        const values = { project, ids: JSON.stringify(ids) };
        const [found] = await rows(connection, NAMING(), values);
        return { count: Number(found?.["count"]), ids: JSON.parse(String(found?.["ids"])) };
      }),
  };
}

const TEXTS = [
  ...["trace_id", "span_id", "severity_text", "level", "service_name", "event_name", "body"],
  ...["attributes", "resource_attributes", "instrumentation_scope"],
];
const BYTES = TEXTS.map((name) => `strlen(${name})`).join(" + ");

/**
 * Finds the records of a page, then the ones within its bytes, then their texts. So memory holds the texts
 * of at most one page.
 */
const LIST = (where: string, order: string) => `
  WITH place AS MATERIALIZED (
    SELECT "timestamp", seq FROM logs WHERE ${where}
    ORDER BY ${order} LIMIT $limit::BIGINT OFFSET $offset::BIGINT
  ), fitting AS MATERIALIZED (
    SELECT seq FROM (
      SELECT "timestamp", seq, ${BYTES} AS bytes FROM logs
      WHERE project_id = $project::INTEGER AND seq IN (SELECT seq FROM place))
    QUALIFY sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - bytes < $bytes::BIGINT
  )
  SELECT (SELECT count(*) FROM place)::DOUBLE AS places, seq::DOUBLE AS seq, uuid::VARCHAR AS uuid,
    strftime("timestamp", '%Y-%m-%dT%H:%M:%S.%fZ') AS at,
    strftime(observed_timestamp, '%Y-%m-%dT%H:%M:%S.%fZ') AS observed_at,
    severity_number::DOUBLE AS severity_number, ${TEXTS.join(", ")}
  FROM logs WHERE project_id = $project::INTEGER AND seq IN (SELECT seq FROM fitting)
  ORDER BY ${order}`;

const DIRECTIONS = {
  latest: { order: `"timestamp" DESC, seq DESC`, comparison: "<" },
  earliest: { order: `"timestamp", seq`, comparison: ">" },
};

async function listLogs(connection: DuckDBConnection, project: number, query: LogQuery) {
  await checkPatterns(connection, filtersIn(query.filters), LOG_FILTERS_ATTR);
  const { values, bind } = binder();
  const { limit, offset } = query;
  const { order } = DIRECTIONS[query.order];
  const found = await rows(connection, LIST(conditions(query, bind).join(" AND "), order), {
    ...values,
    project,
    limit: limit + 1,
    offset,
    bytes: PAGE_BYTES_MAX,
  });
  const records = found.slice(0, limit).map(logRow);
  return { rows: records, isMore: Number(found[0]?.["places"] ?? 0) > records.length };
}

function conditions(query: LogQuery, bind: Bind): string[] {
  const { from, before, levels, services, search, filters } = query;
  const oneOf = (values: string[]) => values.map((value) => bind(value)).join(", ");
  return [
    "project_id = $project::INTEGER",
    `"timestamp" >= ${bind(from, "TIMESTAMP")}`,
    ...(before === undefined ? [] : [`"timestamp" < ${bind(before, "TIMESTAMP")}`]),
    ...afterCursor(query, bind),
    ...(levels.length === 0 ? [] : [`level IN (${oneOf(levels)})`]),
    ...(services.length === 0 ? [] : [`service_name IN (${oneOf(services)})`]),
    ...(search === "" ? [] : [`contains(lower(body), lower(${bind(search)}))`]),
    ...(filters.of.length === 0
      ? []
      : [groupMet(filters, ({ type, filter }) => passes(filter, ATTRIBUTE_TEXT[type], bind))]),
  ];
}

function afterCursor({ after, order }: LogQuery, bind: Bind): string[] {
  if (after === undefined) return [];
  const { comparison } = DIRECTIONS[order];
  const at = bind(after.at, "TIMESTAMP");
  const seq = bind(after.id, "BIGINT");
  return [
    `"timestamp" ${comparison}= ${at} AND ("timestamp" ${comparison} ${at} OR seq ${comparison} ${seq})`,
  ];
}

const attribute = (pointer: string) => `json_extract_string(attributes, ${pointer})`;
const ofResource = (pointer: string) => `json_extract_string(resource_attributes, ${pointer})`;

/** SQL of the text of an attribute, by the type of its filter. */
const ATTRIBUTE_TEXT: Record<LogFilterType, (pointer: string) => string> = {
  log: (pointer) => `coalesce(${attribute(pointer)}, ${ofResource(pointer)})`,
  log_attribute: attribute,
  log_resource_attribute: ofResource,
};

function logRow(row: Record<string, DuckDBValue>): LogRow & { seq: number } {
  const text = (name: string) => String(row[name]);
  return {
    seq: Number(row["seq"]),
    uuid: text("uuid"),
    timestamp: text("at"),
    observed_timestamp: text("observed_at"),
    severity_text: text("severity_text"),
    severity_number: Number(row["severity_number"]),
    level: text("level") as LogRecord["level"],
    service_name: text("service_name"),
    body: text("body"),
    attributes: JSON.parse(text("attributes")),
    resource_attributes: JSON.parse(text("resource_attributes")),
    trace_id: text("trace_id"),
    span_id: text("span_id"),
    instrumentation_scope: JSON.parse(text("instrumentation_scope")),
    event_name: text("event_name"),
  };
}

const COLUMNS = ["attributes", "resource_attributes"];

const IDS = `list_concat(${COLUMNS.map((column) => {
  const pointers = LOG_DISTINCT_ID_KEYS.map((key) => quoted(pointer(key)));
  return `json_extract_string(${column}, [${pointers.join(", ")}])`;
}).join(", ")})`;

/**
 * SQL of the distinct ids of a row of `logs`, a list with nulls. They are cut as distinct ids of events are, so
 * that both are equal.
 */
export const LOG_OWNERS = `list_transform(${IDS}, lambda id: left(id, ${DISTINCT_ID_CHARS_MAX}))`;

/** The shortest of the keys: each key contains one of them. */
const KEY_PARTS = LOG_DISTINCT_ID_KEYS.filter(
  (key) => !LOG_DISTINCT_ID_KEYS.some((other) => other !== key && key.includes(other)),
);

/** SQL of whether LOG_OWNERS may have a value. A search in the text is faster than reading JSON. */
export const MAY_HAVE_OWNER = `(${COLUMNS.flatMap((column) =>
  KEY_PARTS.map((part) => `contains(${column}::VARCHAR, ${quoted(part)})`),
).join(" OR ")})`;

const NAMING = () => `
  WITH naming AS (
    SELECT list_intersect(${LOG_OWNERS}, from_json($ids::JSON, '["VARCHAR"]')) AS ids
    FROM logs WHERE project_id = $project::INTEGER AND ${MAY_HAVE_OWNER}
  )
  SELECT count(*) FILTER (len(ids) > 0) AS count,
    to_json((SELECT coalesce(list(DISTINCT id), []) FROM (SELECT unnest(ids) AS id FROM naming))) AS ids
  FROM naming`;
