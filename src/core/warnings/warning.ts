import { type ChangeReason, DISTINCT_ID_CHARS_MAX, type DropReason } from "../events/event.ts";
import type { Entry, Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import { storableText } from "../values/json.ts";
import type { Clock } from "../values/time.ts";

/** Why ingest drops an event or log record after the answer. */
export type IngestReason = "duplicate_uuid" | "unreadable_event" | "unreadable_log";

/** Why a log record was dropped or changed. */
export type LogReason = LogDropReason | LogChange | Extract<IngestReason, "unreadable_log">;

/** Why a part of an event had no effect; the event itself is stored. */
export type EffectReason =
  | "cannot_merge_already_identified"
  | "cannot_merge_with_illegal_distinct_id"
  | "cannot_merge_with_itself"
  | "distinct_id_too_large"
  | "group_key_too_long"
  | "group_properties_size_violation"
  | "ignored_invalid_group"
  | "ignored_without_profile"
  | "missing_alias"
  | "person_properties_size_violation"
  | "set_on_groupidentify"
  | "too_many_group_properties"
  | "too_many_group_types"
  | "too_many_person_properties";

/** Why an event or log record was dropped or changed, or a part of it had no effect. */
export type WarningType = DropReason | ChangeReason | EffectReason | IngestReason | LogReason;

/** `error`: not stored. `warning`: stored differently from how it was sent. `info`: not used yet. */
export type Severity = "error" | "warning" | "info";

/** A number of events or log records that were dropped or changed for one reason (contract 7, decision 38). */
export type Warning = {
  type: WarningType;
  /** The number of events or log records. */
  count: number;
  /** Uuid and distinct id of one of them; null if absent. Properties are never kept. */
  event_uuid: string | null;
  distinct_id: string | null;
};

/** A warning about events of a project that arrived `at`, in milliseconds since the epoch. */
export type ProjectWarning = Warning & { project_id: number; at: number };

/** One line of a journal entry of warnings. A long distinct id is cut, so that the line stays short. */
export function warningLine({ type, count, event_uuid, distinct_id }: Warning): string {
  // The cut may leave half of a character at the end.
  const cut = distinct_id === null ? null : storableText(distinct_id.slice(0, SAMPLE_UNITS_MAX));
  return `${JSON.stringify({ type, count, event_uuid, distinct_id: cut })}\n`;
}

/** UTF-16 units of a distinct id in a sample: as many as a stored one may have. */
const SAMPLE_UNITS_MAX = 2 * DISTINCT_ID_CHARS_MAX;

/** Samples of one type of warning that a project keeps, the newest ones. */
export const WARNING_SAMPLES_MAX = 100;

/**
 * Collects the warnings of one request. Of each type it keeps WARNING_SAMPLES_MAX samples, and one for
 * all that have neither uuid nor distinct id. The last sample counts the others.
 */
export function warningTally() {
  const samplesOf = new Map<string, Warning[]>();
  return {
    add(warning: Warning): void {
      const isNameless = warning.event_uuid === null && warning.distinct_id === null;
      const key = `${warning.type} ${isNameless}`;
      const samples = samplesOf.get(key) ?? [];
      samplesOf.set(key, samples);
      const last = samples.at(-1);
      const isFull = samples.length >= (isNameless ? 1 : WARNING_SAMPLES_MAX);
      if (last !== undefined && isFull) last.count += warning.count;
      else samples.push(warning);
    },
    all: (): Warning[] => (samplesOf.size === 0 ? [] : [...samplesOf.values()].flat()),
  };
}

/** Why a log record is not stored. Other records of the same request are stored (decision 36). */
export type LogDropReason = "invalid_log_record" | "log_record_too_large" | "log_request_too_large";

/** How a stored log record differs from the record that was sent. */
export type LogChange =
  | "changed_log_number"
  | "ignored_invalid_log_field"
  | "ignored_invalid_log_time"
  | "replaced_invalid_log_text";

/** Warnings as an entry of the journal, so that a crash neither loses nor repeats them (decision 38). */
export function warningEntry(
  batch: readonly Warning[],
  from: Pick<Entry, "project_id" | "arrived_at">,
): Entry {
  const lines = new TextEncoder().encode(batch.map(warningLine).join(""));
  return { ...from, kind: "warnings", count: batch.length, lines };
}

/** Milliseconds between two log lines about lost warnings. */
const LOST_LOG_MS = 15_000;

/**
 * Returns a function that appends warnings to the journal (decision 38). It never fails, because the
 * events count more than their warnings. Lost warnings are logged.
 */
export function warningAppender({ journal, now, log }: AppenderNeeds) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async (
    batch: readonly Warning[],
    from: Pick<Entry, "project_id" | "arrived_at">,
  ): Promise<void> => {
    if (batch.length === 0) return;
    try {
      await journal.append(warningEntry(batch, from));
    } catch (error) {
      if (now() - loggedAt < LOST_LOG_MS) return;
      loggedAt = now();
      log.warn("append of ingestion warnings failed; warnings lost", { error });
    }
  };
}

type AppenderNeeds = { journal: Pick<Journal, "append">; now: Clock; log: Log };
