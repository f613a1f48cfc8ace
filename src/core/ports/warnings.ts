import type { Part } from "../values/page.ts";

/** How often a project had a type of warning, ever. Times are ISO 8601. */
export type WarningCount = {
  project_id: number;
  type: string;
  count: number;
  first_at: string;
  last_at: string;
};

/** One warning as it was given: `count` events of one request, of which one is named. */
export type WarningSample = {
  at: string;
  count: number;
  event_uuid: string | null;
  distinct_id: string | null;
};

/** A type with its samples, the newest first. */
export type WarningRow = WarningCount & { samples: WarningSample[] };

/** What warnings projects have. */
export type WarningReads = {
  /** The types a project has had, the last seen first; only `type` if it is given. */
  list(
    project: number,
    filter: { type?: string | undefined },
    part: Part<readonly [last_at: string, type: string]>,
  ): Promise<{ count: number; rows: WarningRow[] }>;
  /** The counts of all projects. */
  counts(): Promise<WarningCount[]>;
};
