import type { LogReason, Severity, WarningType } from "./warning.ts";

/** The severity of a type of warning, and its meaning in one sentence. */
export type Meaning = { severity: Severity; meaning: string };

const LOG_MEANINGS: Record<LogReason, Meaning> = {
  invalid_log_record: dropped(
    "The log record is not an object, is nested deeper than 128 levels, or contains an object with more than 10,000 keys.",
  ),
  log_record_too_large: dropped(
    "The log record is larger than 1 MiB as stored, with the attributes of its resource.",
  ),
  log_request_too_large: dropped(
    "The records of the request before this one have 64 MiB as stored, the most for one request.",
  ),
  unreadable_log: dropped(
    "The event store could not read the log record. It is in the file `dead-letters.ndjson`.",
  ),
  ignored_invalid_log_field: changed(
    "A field of the log record, its resource or scope does not follow OTLP 1.7 and was ignored, or an attribute came twice and its last value counts.",
  ),
  ignored_invalid_log_time: changed("A time of the log record was not valid and was ignored."),
  replaced_invalid_log_text: changed(
    "Text of the log record contained NUL, lone surrogates or invalid UTF-8. They became U+FFFD.",
  ),
  changed_log_number: changed(
    "A number in the log record was too large or too precise for a double. It was rounded, or stored as text.",
  ),
};

const MEANINGS: Record<WarningType, Meaning> = {
  missing_event_name: dropped("The event has no name."),
  missing_distinct_id: dropped(
    "The event has no distinct id, or a blank one, or a number such as 1e300.",
  ),
  invalid_event: dropped(
    "The event is not an object, its `event` is not text, its `properties` are not an object, or it is next to `batch`.",
  ),
  message_size_too_large: dropped("The event is over 1 MiB as stored, or 8 MiB on the AI path."),
  event_nested_too_deep: dropped("The event is nested deeper than 128 levels."),
  event_has_too_many_keys: dropped("An object in the event has more than 10,000 keys."),
  invalid_event_name: dropped(
    "The name of the event is longer than 200 characters, which the newer protocol refuses.",
  ),
  invalid_distinct_id: dropped(
    "The distinct id is longer than 200 characters, which the newer protocol refuses.",
  ),
  invalid_timestamp: dropped(
    "The event has no valid `timestamp`, which the newer protocol requires.",
  ),
  invalid_options: dropped("The `options` of the newer protocol have a value that is not valid."),
  invalid_event_when_process_person_profile_is_false: dropped(
    "The event is about a person, but its `$process_person_profile` is false.",
  ),
  client_ingestion_warning: dropped(
    "The SDK reported that it sent fewer events than the application made, mostly by its own rate limit.",
  ),
  heatmap_not_kept: dropped("Hoglet does not store `$$heatmap`, which has data for heat maps."),
  performance_event_not_kept: dropped("Hoglet does not store `$performance_event`."),
  session_recording_not_kept: dropped("Hoglet does not store session recordings."),
  duplicate_uuid: dropped(
    "An event with this uuid but another name, distinct id or properties was stored before, within the deduplication window. The newer protocol counts each second one of a batch.",
  ),
  unreadable_event: dropped(
    "The event store could not read the event. It is in the file `dead-letters.ndjson`.",
  ),
  cannot_merge_already_identified: changed(
    "An identified person is not merged into another one. The event belongs to the person of its distinct id.",
  ),
  cannot_merge_with_illegal_distinct_id: changed(
    "No persons were merged, because an id such as `null` or `undefined` belongs to no one person.",
  ),
  cannot_merge_with_itself: changed("No persons were merged, because both ids are the same."),
  missing_alias: changed("No persons were merged, because the event has no `alias`."),
  ignored_invalid_group: changed(
    "A group has no valid type or key, or its `$group_set` is not an object. That part was ignored.",
  ),
  ignored_without_profile: changed(
    "`$set`, `$set_once`, `$unset` or `$groups` had no effect, because the event has no profile: its `$process_person_profile` is false, or its visitor has no cookies.",
  ),
  cookieless_visitor_unknown: changed(
    "The visitor without cookies is unknown, because the event has no address or user agent, or its day is over. All such events count for one visitor, `$posthog_cookieless`.",
  ),
  set_on_groupidentify: changed(
    "`$set`, `$unset`, or a name such as `$group_set_once` or `$group_unset`, had no effect on `$groupidentify`. Use `$group_set` for the group.",
  ),
  group_key_too_long: changed(
    "The key of a group is longer than 400 characters. The event has no group of that type.",
  ),
  person_properties_size_violation: changed(
    "The properties of the person were not changed, because they would exceed 512 KiB.",
  ),
  too_many_group_types: changed(
    "The project has five types of groups already. Groups of another type were ignored.",
  ),
  group_properties_size_violation: changed(
    "The properties of the group were not changed, because they would exceed 512 KiB.",
  ),
  too_many_person_properties: changed(
    "A person has 10,000 properties at most. New properties beyond that were left out.",
  ),
  too_many_group_properties: changed(
    "A group has 10,000 properties at most. New properties beyond that were left out.",
  ),
  distinct_id_too_large: changed("A distinct id was cut to 200 characters."),
  event_name_too_long: changed("The name of the event was cut to 200 characters."),
  ignored_invalid_timestamp: changed(
    "The `timestamp` was not valid. The time of arrival was stored.",
  ),
  ignored_invalid_sent_at: changed(
    "`sent_at`, or `_` of the query, was not valid: the `timestamp` was stored without correction of the sender's clock. Or `$ignore_sent_at` was neither true nor false, and was ignored.",
  ),
  event_timestamp_in_future: changed(
    "The `timestamp` was more than 23 hours ahead. The time of arrival was stored.",
  ),
  event_timestamp_too_early: changed(
    "The `timestamp` was before the year 1. The time of arrival was stored.",
  ),
  replaced_invalid_text: changed("NUL, lone surrogates and bytes that are no UTF-8 became U+FFFD."),
  replaced_infinite_number: changed(
    "A number was NaN, infinite or too large for a double. It became null.",
  ),
  rounded_unsafe_integer: changed("An integer above 2^53 was rounded to the nearest double."),
  ignored_invalid_set: changed("`$set` or `$set_once` was not an object and was ignored."),
  ignored_invalid_unset: changed(
    "`$unset` was outside of `properties`, or had an item that is not text. That part was ignored.",
  ),
  ignored_event_field: changed(
    "A field of the event, or next to `batch`, was ignored, such as `$groups` or `$lib` outside of `properties`. Send it in `properties`; send `sent_at` next to `batch`.",
  ),
  replaced_invalid_uuid: changed("The uuid was not valid. The event got a new one."),
  invalid_process_person_profile: changed(
    "`$process_person_profile` was neither true nor false. It counts as true.",
  ),
  ...LOG_MEANINGS,
};

/** All types of warnings. */
export const WARNING_TYPES = Object.keys(MEANINGS) as WarningType[];

/** Returns the meaning of a type. The data may have a type of another version, which gets a general meaning. */
export function meaningOf(type: string): Meaning {
  const unknown: Meaning = {
    severity: "warning",
    meaning: "This type belongs to another version of Hoglet.",
  };
  return isWarningType(type) ? MEANINGS[type] : unknown;
}

/** Whether a text is a type of warning. */
export function isWarningType(type: string): type is WarningType {
  return Object.hasOwn(MEANINGS, type);
}

/** Whether a type is about log records, and not about events. */
export function isAboutLogs(type: string): boolean {
  return Object.hasOwn(LOG_MEANINGS, type);
}

/** Types of warnings as a table in Markdown. */
export function warningTable(types: readonly WarningType[] = WARNING_TYPES): string {
  const rows = types.map((type) => {
    const { severity, meaning } = MEANINGS[type];
    return `| \`${type}\` | ${severity} | ${meaning} |`;
  });
  return ["| type | severity | meaning |", "|---|---|---|", ...rows].join("\n");
}

function dropped(meaning: string): Meaning {
  return { severity: "error", meaning };
}

function changed(meaning: string): Meaning {
  return { severity: "warning", meaning };
}
