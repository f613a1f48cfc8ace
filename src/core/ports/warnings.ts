import type { Part } from "../values/page.ts";

/*
 * Ingestion warnings. They are written with the batch that they came with (`BatchChange.warnings` in
 * `person-writes.ts`). The rules of all ports are in `events.ts`.
 */

/** Total count of one type of warning in a project, with the times of the first and the last one. */
export type WarningCount = {
  project_id: number;
  type: string;
  /** Number of events and log records, of all time. It also counts warnings without a sample. */
  count: number;
  first_at: string;
  last_at: string;
};

/** One warning: the time of arrival, and one of its events. */
export type WarningSample = {
  at: string;
  /** Number of events that the warning is about. */
  count: number;
  /** Uuid and distinct id of one of them; null if absent. */
  event_uuid: string | null;
  distinct_id: string | null;
};

/** A type of warning with its samples, the newest first; at most WARNING_SAMPLES_MAX are kept. */
export type WarningRow = WarningCount & { samples: WarningSample[] };

/** Lists and counts of ingestion warnings. */
export type WarningReads = {
  /**
   * Returns the types of warnings of a project; if `filter.type` is set, only that type.
   * They are in descending order of `last_at`, then in ascending order of `type`.
   */
  list(
    project: number,
    filter: { type?: string | undefined },
    part: Part<readonly [last_at: string, type: string]>,
  ): Promise<{ count: number; rows: WarningRow[] }>;
  /** Returns the counts of all types of all projects, in order of project and type. */
  counts(): Promise<WarningCount[]>;
};
