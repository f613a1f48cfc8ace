import { type ChangeReason, DISTINCT_ID_CHARS_MAX, type DropReason } from "../events/event.ts";
import { storableText } from "../values/json.ts";

/** What ingest finds out after the answer. */
export type IngestReason = "duplicate_uuid" | "unreadable_event" | "unreadable_log";

type LogReason = LogDropReason | LogChange | Extract<IngestReason, "unreadable_log">;

/** Why an event had less effect than it asked for; it is stored all the same. */
export type EffectReason =
  | "cannot_merge_already_identified"
  | "cannot_merge_with_illegal_distinct_id"
  | "cannot_merge_with_itself"
  | "distinct_id_too_large"
  | "group_key_too_long"
  | "group_properties_size_violation"
  | "ignored_invalid_group"
  | "missing_alias"
  | "person_properties_size_violation"
  | "set_on_cookieless"
  | "set_on_groupidentify"
  | "too_many_group_types";

/** Why an event or log record was dropped, changed or had less effect than it asked for. */
export type WarningType = DropReason | ChangeReason | EffectReason | IngestReason | LogReason;

/** `error`: not stored. `warning`: stored, but not as it was sent. `info`: as it should be. */
export type Severity = "error" | "warning" | "info";

/**
 * Something that happened to events or log records on their way in, told to admins (contract 7,
 * decision 38).
 */
export type Warning = {
  type: WarningType;
  /** How many it happened to. */
  count: number;
  /** One of them; null where it has none. Never a property. */
  event_uuid: string | null;
  distinct_id: string | null;
};

/** A warning about events of a project that arrived `at`, in milliseconds since the epoch. */
export type ProjectWarning = Warning & { project_id: number; at: number };

/** How bad a warning of a type is, and what it says, in one sentence. */
export type Meaning = { severity: Severity; meaning: string };

const LOG_MEANINGS: Record<LogReason, Meaning> = {
  invalid_log_record: dropped(
    "The item in a list of log records is no object, or nested deeper than 128 levels, or has an object of more than 10,000 keys.",
  ),
  log_record_too_large: dropped(
    "The log record is larger than 1 MiB as it would be stored, with its resource's attributes.",
  ),
  log_request_too_large: dropped(
    "The log records before it in its request fill the 64 MiB that one request may store.",
  ),
  unreadable_log: dropped(
    "The event store cannot read the log record; it is in the file dead-letters.ndjson.",
  ),
  ignored_invalid_log_field: changed(
    "A field of the log record is not as OTLP has it, or an attribute came twice: the last counts, or none.",
  ),
  ignored_invalid_log_time: changed("A time of the log record is none, so it counts as absent."),
  replaced_invalid_log_text: changed(
    "NUL, lone surrogates and what is no UTF-8 in the log record became U+FFFD.",
  ),
  changed_log_number: changed(
    "A number in the log record that no double holds was rounded, or became text.",
  ),
};

const MEANINGS: Record<WarningType, Meaning> = {
  missing_event_name: dropped("The event has no name."),
  missing_distinct_id: dropped(
    "The event has no distinct id, or an empty one, or a number with an exponent.",
  ),
  invalid_event: dropped(
    "The item is no object, or its `event` is no text or its `properties` no object.",
  ),
  message_size_too_large: dropped("The event is larger than 1 MiB as it would be stored."),
  event_nested_too_deep: dropped("The event is nested deeper than 128 levels."),
  event_has_too_many_keys: dropped("An object in the event has more than 10,000 keys."),
  invalid_event_name: dropped("The event's name is longer than the newer protocol allows."),
  invalid_distinct_id: dropped("The distinct id is longer than the newer protocol allows."),
  invalid_timestamp: dropped("The timestamp is none, which the newer protocol requires."),
  invalid_options: dropped("The options are none of the newer protocol's."),
  invalid_event_when_process_person_profile_is_false: dropped(
    "The event means nothing without a person, and `$process_person_profile` is false.",
  ),
  client_ingestion_warning: dropped(
    "The SDK reports that it withheld events, mostly by its own rate limit; the report is no event.",
  ),
  performance_event_not_kept: dropped("Events named `$performance_event` are not kept."),
  session_recording_not_kept: dropped("Session recordings are not kept, wherever they are sent."),
  duplicate_uuid: dropped(
    "The uuid came before, within the deduplication window, with another event or distinct id.",
  ),
  unreadable_event: dropped(
    "The event store cannot read the event; it is in the file dead-letters.ndjson.",
  ),
  cannot_merge_already_identified: changed(
    "An identified person is not merged into another; the event counts for its distinct id.",
  ),
  cannot_merge_with_illegal_distinct_id: changed(
    "An id such as `null` or `undefined` is nobody's, so nobody was merged.",
  ),
  cannot_merge_with_itself: changed("Both ids are the same, so nobody was merged."),
  missing_alias: changed("The event names no `alias`, so nobody was merged."),
  ignored_invalid_group: changed(
    "A group has no usable type or key, or what is set on it is no object: that was passed over.",
  ),
  set_on_cookieless: changed(
    "The id `$posthog_cookieless` is that of all visitors without cookies, and sets nobody's properties.",
  ),
  set_on_groupidentify: changed(
    "`$set` and `$unset` of `$groupidentify` change nobody: a group has `$group_set`.",
  ),
  group_key_too_long: changed("The group's key is too long, so the event is of no such group."),
  person_properties_size_violation: changed(
    "The person's properties would exceed 512 KiB, so they stay as they were.",
  ),
  too_many_group_types: changed(
    "The project has five types of groups, so the event is of no group of another one.",
  ),
  group_properties_size_violation: changed(
    "The group's properties would exceed 512 KiB, so they stay as they were.",
  ),
  distinct_id_too_large: changed("A distinct id was cut to 200 characters."),
  event_name_too_long: changed("The event's name was cut to 200 characters."),
  ignored_invalid_timestamp: changed(
    "The timestamp is no time, in no format that is known; the time of arrival counts.",
  ),
  ignored_invalid_sent_at: changed(
    "`sent_at` is no time in ISO 8601, so the timestamp counts by the sender's clock.",
  ),
  event_timestamp_in_future: changed(
    "The event's time is more than 23 hours ahead; the time of arrival counts.",
  ),
  event_timestamp_too_early: changed(
    "The event's time is before the year 1; the time of arrival counts.",
  ),
  replaced_invalid_text: changed("NUL and lone surrogates in the event became U+FFFD."),
  replaced_infinite_number: changed("A number that no double holds became null."),
  rounded_unsafe_integer: changed("An integer beyond 2^53 was rounded, as doubles are."),
  ignored_invalid_set: changed("`$set` or `$set_once` is no object, so it was passed over."),
  ignored_invalid_unset: changed(
    "`$unset` is no list of texts, or outside of `properties`: what is no key was passed over.",
  ),
  replaced_invalid_uuid: changed("The uuid is none; the event got a new one."),
  invalid_process_person_profile: changed(
    "`$process_person_profile` is neither true nor false; it counts as true.",
  ),
  ...LOG_MEANINGS,
};

/** Every type of warning there is. */
export const WARNING_TYPES = Object.keys(MEANINGS) as WarningType[];

/** What a type means; also one that another version has left in the data. */
export function meaningOf(type: string): Meaning {
  const unknown: Meaning = { severity: "warning", meaning: "Another version knows this type." };
  return isWarningType(type) ? MEANINGS[type] : unknown;
}

/** Whether there is such a type. */
export function isWarningType(type: string): type is WarningType {
  return Object.hasOwn(MEANINGS, type);
}

/** Whether a type is about log records, and not about events. */
export function isAboutLogs(type: string): boolean {
  return Object.hasOwn(LOG_MEANINGS, type);
}

/** The types as a table in Markdown, for whoever has to explain them. */
export function warningTable(): string {
  const rows = WARNING_TYPES.map((type) => {
    const { severity, meaning } = MEANINGS[type];
    return `| \`${type}\` | ${severity} | ${meaning} |`;
  });
  return ["| type | severity | meaning |", "|---|---|---|", ...rows].join("\n");
}

/** One line of a journal entry of warnings; however long the distinct id was, the line is short. */
export function warningLine({ type, count, event_uuid, distinct_id }: Warning): string {
  // Half of a character may be left at the end of what is cut.
  const cut = distinct_id === null ? null : storableText(distinct_id.slice(0, SAMPLE_UNITS_MAX));
  return `${JSON.stringify({ type, count, event_uuid, distinct_id: cut })}\n`;
}

/** UTF-16 units of a distinct id in a sample: as many as a stored one may have. */
const SAMPLE_UNITS_MAX = 2 * DISTINCT_ID_CHARS_MAX;

function dropped(meaning: string): Meaning {
  return { severity: "error", meaning };
}

function changed(meaning: string): Meaning {
  return { severity: "warning", meaning };
}

/** Cases of a reason that are kept, the newest ones. */
export const WARNING_SAMPLES_MAX = 100;

/**
 * The warnings of one request: as many cases of a reason as are kept, the others counted in the
 * last of them, and those that name neither event nor distinct id all in one.
 */
export function warningTally() {
  const cases = new Map<string, Warning[]>();
  return {
    add(warning: Warning): void {
      const isNameless = warning.event_uuid === null && warning.distinct_id === null;
      const key = `${warning.type} ${isNameless}`;
      const known = cases.get(key) ?? [];
      cases.set(key, known);
      const last = known.at(-1);
      const isFull = known.length >= (isNameless ? 1 : WARNING_SAMPLES_MAX);
      if (last !== undefined && isFull) last.count += warning.count;
      else known.push(warning);
    },
    all: (): Warning[] => [...cases.values()].flat(),
  };
}

/** Why a record is not stored; the others of its request are (decision 36). */
export type LogDropReason = "invalid_log_record" | "log_record_too_large" | "log_request_too_large";

/** What was changed in a record that is stored all the same. */
export type LogChange =
  | "changed_log_number"
  | "ignored_invalid_log_field"
  | "ignored_invalid_log_time"
  | "replaced_invalid_log_text";
