/** The field that failures of SQL name. */
export const SQL_ATTR = "query__query";

/** A column that SQL may read: its type, and a description if the name is not enough. */
export type SqlColumn = { type: string; about?: string };

const text: SqlColumn = { type: "VARCHAR" };
const uuid: SqlColumn = { type: "UUID" };
const time: SqlColumn = { type: "TIMESTAMP" };
const json: SqlColumn = { type: "JSON" };
const ofEntry: SqlColumn = { type: "VARCHAR", about: "of its first `$pageview`" };
const ofEnd: SqlColumn = { type: "VARCHAR", about: "of its last `$pageview`" };

const columns = (names: string, column: SqlColumn): Record<string, SqlColumn> =>
  Object.fromEntries(names.split(" ").map((name) => [name, column]));

/** The tables of SQL, all of one project, with their columns (decision 81). Times of projects on UTC are `TIMESTAMP`, of others `TIMESTAMP WITH TIME ZONE`. */
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
      about: "the same as `properties` for an event larger than 16 KiB, else null",
    },
    properties: {
      type: "JSON",
      about:
        "`properties->>'plan'` is one as text, `properties->>'/$geoip_city_name'` one whose name begins with `$`",
    },
    ...columns("$session_id $current_url $pathname $host $referring_domain $browser $os", text),
    ...columns("$device_type $lib $screen_name", text),
    ...columns("utm_source utm_medium utm_campaign utm_content utm_term", text),
    ...columns("$group_0 $group_1 $group_2 $group_3 $group_4", {
      type: "VARCHAR",
      about: "the key of its group of this type, else an empty text",
    }),
  },
  persons: {
    ...columns("id uuid", { type: "UUID", about: "the same as `person_id` of events" }),
    created_at: time,
    properties: json,
  },
  person_distinct_ids: { distinct_id: text, person_id: uuid },
  groups: {
    type_index: { type: "INTEGER", about: "0 for the type of `$group_0`" },
    key: text,
    created_at: time,
    properties: json,
  },
  sessions: {
    session_id: { type: "VARCHAR", about: "the `$session_id` that its events share" },
    distinct_id: { type: "VARCHAR", about: "of its first event, as is all without a meaning" },
    person_id: { type: "UUID", about: "the person of the first event now, after all merges" },
    ...columns("$start_timestamp $end_timestamp", time),
    ...columns("$session_duration duration", {
      type: "DOUBLE",
      about: "end minus start, in seconds with their fraction",
    }),
    ...columns("$pageview_count $autocapture_count $screen_count $event_count", {
      type: "BIGINT",
    }),
    $urls: { type: "VARCHAR[]", about: "the different `$current_url` of its events" },
    $num_uniq_urls: { type: "BIGINT", about: "how many they are" },
    $is_bounce: {
      type: "BOOLEAN",
      about: "one page view, no `$autocapture`, less than 10 s; null without a page view",
    },
    ...columns("$entry_current_url $entry_pathname $entry_hostname", ofEntry),
    ...columns("$end_current_url $end_pathname $end_hostname", ofEnd),
    ...columns("$exit_current_url $exit_pathname", ofEnd),
    ...columns("$entry_referring_domain $entry_utm_source $entry_utm_medium", text),
    ...columns("$entry_utm_campaign $entry_utm_term $entry_utm_content", text),
    ...columns("$entry_referrer $entry_gclid $entry_gad_source $entry_gclsrc $entry_dclid", text),
    ...columns("$entry_gbraid $entry_wbraid $entry_fbclid $entry_msclkid $entry_twclid", text),
    ...columns("$entry_li_fat_id $entry_mc_cid $entry_igshid $entry_ttclid", text),
    $channel_type: { type: "VARCHAR", about: "by PostHog's default rules, such as `Paid Search`" },
    ...columns("$browser $os $device_type $geoip_country_code $geoip_country_name", text),
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
