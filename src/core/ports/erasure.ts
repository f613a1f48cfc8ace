import type { DeletionKind, DeletionState, Places } from "../erasure/deletion.ts";
import type { Actor } from "../identity/activity.ts";
import type { Part } from "../values/page.ts";

/*
 * Deletions of persons' events. A task is one request to delete the events of one person. The person
 * store queues tasks with its changes (`person-writes.ts`), and a run carries them out. The rules of all
 * ports are in `events.ts`.
 *
 * A run takes a batch of tasks through these steps, in this order:
 * `begin`, `EventStore.erase` with `erasing`, `forget`, `removeLeftovers` with `count`, the archive,
 * `scrub`, `finish`. A step may be repeated unless its docstring says otherwise: after a crash between
 * two steps, the next run begins at the first one again. `fail` or `interrupt` end a run that stops.
 */

/** A task, as it is kept. */
export type DeletionRow = {
  id: number;
  project_id: number;
  /** 0 for a distinct id without a person. */
  person_id: number;
  person_uuid: string;
  /** The person's uuid, and the earlier uuids that its events may be stored with. */
  uuids: string[];
  /** The person's distinct ids at the request. The end of the task empties the list. */
  distinct_ids: string[];
  /** The person's e-mail address at the request. The end of the task empties it, too. */
  email: string | null;
  kind: DeletionKind;
  /** Id of the user who asked for it. */
  requested_by: number;
  requested_at: string;
  /** Events up to this sequence number are deleted; later ones stay (decision 51). */
  journal_seq: number;
  state: DeletionState;
  /** Number of attempts. An attempt that ended by `interrupt`, or by `fail` without `counts`, is left out. */
  attempts: number;
  /** Reason why the last attempt failed or was put off; null without one. */
  error: string | null;
  finished_at: string | null;
  /** Number of deleted rows, by `Counted`; null before the first are counted. */
  counts: Record<string, number> | null;
  started_at: string | null;
  /** Generation of the event store's file that has no events of the task; null before `erasing`. */
  generation: number | null;
  /** Insights and playlists that contain one of `distinct_ids` or `email`; null before `forget`. */
  places: Places | null;
};

/** Number of tasks of a project in a state. */
export type DeletionCount = { project_id: number; state: DeletionState; count: number };

/** Reads of tasks. */
export type DeletionReads = {
  /** Returns the number of tasks by project and state; a number that is 0 is left out. */
  counts(): Promise<DeletionCount[]>;
  /** Returns tasks of a project, the newest first. The conditions of `filter` all hold. */
  list(
    project: number,
    filter: { states?: readonly DeletionState[] | undefined; person_uuid?: string | undefined },
    part: Part,
  ): Promise<{ count: number; rows: DeletionRow[] }>;
  /** Returns tasks of all projects in some states, the newest first; at most `limit`. */
  all(states: readonly DeletionState[], limit: number): Promise<DeletionRow[]>;
  /** Returns one task. */
  get(id: number): Promise<DeletionRow | undefined>;
  /** Returns the time that `setDue` noted for a kind; undefined before the first. */
  lastDue(kind: DeletionKind): Promise<string | undefined>;
};

/** A request to delete a person's events up to the sequence number `journal_seq`. */
export type DeletionAsked = { kind: DeletionKind; journal_seq: number; by: Actor };

/** Tasks that a run takes: those of these kinds in these states. */
export type Wanted = {
  kinds: readonly DeletionKind[];
  states: readonly ("queued" | "failed")[];
};

/** The tasks of a run, as they were before it began. */
export type Batch = {
  tasks: DeletionRow[];
  /** Whether a person was deleted after the version that `forget` got last as `purged_version`. */
  isPurging: boolean;
  /** The version of the person store that deleted a person last; 0 without one. */
  removed_version: number;
};

/** The part of a task that says which rows go: those of `distinct_ids` up to `journal_seq`. */
export type Erasing = Pick<DeletionRow, "id" | "project_id" | "distinct_ids" | "journal_seq">;

/** Number of erased rows of the event store, by the id of their task. */
export type ErasedRows = Map<number, { events: number; logs: number }>;

/** A kind of deleted data in the counts of a task. */
export type Counted = "events" | "logs" | "warnings" | "dead_letters";

/** The input of `forget`: tasks whose events are gone, and versions of the projection. */
export type Leftovers = {
  tasks: readonly Pick<
    DeletionRow,
    "id" | "project_id" | "distinct_ids" | "email" | "requested_at"
  >[];
  /** The version that the projection has. */
  projection_version: number;
  /** The version that the projection had when the event store's file was rewritten; undefined if it was not. */
  purged_version: number | undefined;
};

/** Changes of tasks, and the traces of persons in the person store. Only one batch runs at a time. */
export type DeletionWrites = {
  /**
   * Returns what the person store has about a person besides the person: samples of warnings with one of its
   * distinct ids, and places that name it. It reads all insights, so it has no place among the reads.
   */
  traces(
    person: Pick<DeletionRow, "project_id" | "distinct_ids" | "email">,
  ): Promise<{ warnings: number; places: Places }>;
  /** As {@link DeletionReads}, also within the thread that writes. */
  lastDue: DeletionReads["lastDue"];
  /** Notes the time for which a run of a kind was due, after that run. It may be repeated. */
  setDue(kind: DeletionKind, at: string): Promise<void>;
  /**
   * Begins a batch: at most BATCH_TASKS_MAX tasks, in order of their ids. Interrupted tasks, in the state
   * `running`, come first. Then come the tasks of `wanted`, and queued tasks with an error.
   * Each task becomes `running` at `at`, with one more attempt and without an error. An interrupted task
   * that had ATTEMPTS_MAX attempts becomes `failed` instead, so that it cannot end each start.
   */
  begin(wanted: Wanted, at: string): Promise<Batch>;
  /**
   * Notes the rows that an erasure removes, and the generation of the file without them. It comes before
   * that file is used. Rows are added to those of an earlier generation. A repeated call for the same
   * generation replaces its rows.
   */
  erasing(tasks: readonly DeletionRow[], rows: ErasedRows, generation: number): Promise<void>;
  /**
   * Removes samples of warnings with the distinct ids of a task, up to `requested_at`, and adds them to
   * its counts. Removes data for the projection up to `projection_version`, as `PersonWrites.projected` does, and
   * keeps `purged_version`. Notes the `places` of each task. It comes after the erasure.
   */
  forget(leftovers: Leftovers): Promise<void>;
  /** Adds to the counts of tasks, by their ids. It must not be repeated: it adds again. */
  count(counted: Counted, found: ReadonlyMap<number, number>): Promise<void>;
  /**
   * Removes the distinct ids and e-mail addresses of tasks, and rewrites the store's files so that no byte of deleted data is
   * left in them (decision 60). If the disk is full it fails, and the tasks wait. It fails `unavailable` with READERS
   * while another connection reads the store, and never waits for that.
   */
  scrub(ids: readonly number[]): Promise<void>;
  /**
   * Erases the deleted insights, dashboards and annotations of all projects, so that no byte of them is left in the
   * store's files (decision 60). Fails as `scrub` does. If the disk is full they are gone, and the next rewrite of
   * the files, as `scrub` does, overwrites the rest of their bytes. It may be called at any time, and repeated.
   */
  eraseDeleted(): Promise<void>;
  /** Marks tasks as done at `at`. Counts that are absent become 0. It comes last. */
  finish(ids: readonly number[], at: string): Promise<void>;
  /**
   * Puts the tasks of a batch off, with the reason: they become `queued`, or `failed` after ATTEMPTS_MAX
   * attempts. With `counts` false, the attempt does not count. `tasks` is as `begin` returned it. It comes
   * instead of `finish`.
   */
  fail(tasks: readonly DeletionRow[], error: string, of: { counts: boolean }): Promise<void>;
  /** Does not count the attempt of a batch, because the server stops. The tasks stay `running`. */
  interrupt(tasks: readonly DeletionRow[]): Promise<void>;
  /**
   * Cancels a task that is queued or failed, and removes its distinct ids and e-mail. Returns false for any other
   * task, and if `generation` is set: events are gone then. A second call returns false.
   */
  cancel(id: number, at: string): Promise<boolean>;
};

/** Files with traces of persons that `removeLeftovers` has removed. */
export type RemovedLeftovers = {
  /** Number of dead letters, by the id of the task. */
  dead_letters: Map<number, number>;
  /** Names of removed files with damaged parts of the journal. */
  parts: string[];
};

/**
 * Removes traces of persons in files of the data directory: loads that both stores have, up to `stored`,
 * and dead letters of the tasks. All damaged parts of the journal go too, because their ids may be
 * damaged. `directory` is the data directory. It comes after the erasure. Fails with the error of the disk; it
 * may be repeated.
 */
export type RemoveLeftovers = (
  directory: string,
  tasks: readonly Erasing[],
  stored: { applied: number; projection_version: number },
) => Promise<RemovedLeftovers>;
