import type { DeletionKind, DeletionState } from "../erasure/deletion.ts";
import type { Actor } from "../identity/activity.ts";
import type { Part } from "../values/page.ts";

/** A deletion of a person's events as it is kept. */
export type DeletionRow = {
  id: number;
  project_id: number;
  person_id: number;
  person_uuid: string;
  uuids: string[];
  distinct_ids: string[];
  kind: DeletionKind;
  requested_by: number;
  requested_at: string;
  journal_seq: number;
  state: DeletionState;
  attempts: number;
  error: string | null;
  finished_at: string | null;
  counts: Record<string, number> | null;
  started_at: string | null;
  generation: number | null;
};

/** How many deletions of a project are in a state. */
export type DeletionCount = { project_id: number; state: DeletionState; count: number };

/** What deletions there are. */
export type DeletionReads = {
  /** Of every project, those in each state that any is in. */
  counts(): Promise<DeletionCount[]>;
  /** The newest first. `count` is exact. */
  list(
    project: number,
    filter: { states?: readonly DeletionState[] | undefined; person_uuid?: string | undefined },
    part: Part,
  ): Promise<{ count: number; rows: DeletionRow[] }>;
  /** Those of every project in some states, the newest first; at most `limit`. */
  all(states: readonly DeletionState[], limit: number): Promise<DeletionRow[]>;
  get(id: number): Promise<DeletionRow | undefined>;
};

/** A request to delete the events that came up to the sequence number `journal_seq`. */
export type DeletionAsked = { kind: DeletionKind; journal_seq: number; by: Actor };

/** Whose events go: those of distinct ids that came up to `journal_seq` (decision 51). */
export type Erasing = Pick<DeletionRow, "id" | "project_id" | "distinct_ids" | "journal_seq">;

/** Rows that were erased for each task, by its id. */
export type ErasedRows = Map<number, { events: number; logs: number }>;
