/** A column that SQL may read: its type in DuckDB, and its meaning if the name is not enough. */
export type SqlColumn = { type: string; about?: string };

const text: SqlColumn = { type: "VARCHAR" };
const uuid: SqlColumn = { type: "UUID" };
const time: SqlColumn = { type: "TIMESTAMP" };
const json: SqlColumn = { type: "JSON" };

const columns = (names: string, column: SqlColumn): Record<string, SqlColumn> =>
  Object.fromEntries(names.split(" ").map((name) => [name, column]));

/** The views of SQL, all of one project, with their columns (decision 81). Times are UTC. */
export const SQL_VIEWS: Record<string, Record<string, SqlColumn>> = {
  events: {
    uuid,
    seq: { type: "BIGINT", about: "the order of arrival" },
    ...columns("event distinct_id", text),
    person_id: { type: "UUID", about: "the person of the event now, after all merges" },
    timestamp: time,
    ingested_at: { type: "TIMESTAMP", about: "when it arrived" },
    whole_properties: {
      type: "JSON",
      about: "all properties of an event larger than 16 KiB, else null",
    },
    properties: {
      type: "JSON",
      about:
        "`properties->>'plan'` is one as text, `properties->>'/$geoip_city_name'` one whose name begins with `$`; of an event larger than 16 KiB, those of at most 1 KiB each",
    },
    ...columns("$session_id $current_url $pathname $host $referring_domain $browser $os", text),
    ...columns("$device_type $lib $screen_name", text),
    ...columns("utm_source utm_medium utm_campaign utm_content utm_term", text),
    ...columns("$group_0 $group_1 $group_2 $group_3 $group_4", text),
  },
  persons: {
    id: { type: "BIGINT" },
    uuid: { type: "UUID", about: "the same as `person_id` of events" },
    created_at: time,
    properties: json,
  },
  groups: {
    type_index: { type: "INTEGER", about: "0 for the type of `$group_0`" },
    key: text,
    created_at: time,
    properties: json,
  },
  logs: {
    uuid,
    timestamp: time,
    observed_timestamp: time,
    ingested_at: time,
    severity_text: text,
    severity_number: { type: "UTINYINT" },
    ...columns("level service_name body", text),
    ...columns("attributes resource_attributes", json),
    ...columns("trace_id span_id", text),
    instrumentation_scope: json,
    event_name: text,
  },
};
