/** When events are deleted: with their person once a week, or alone in the night (contract 4.4). */
export type DeletionKind = "weekly" | "nightly";

/** The state of a deletion. */
export type DeletionState = "queued" | "running" | "done" | "failed" | "cancelled";

/** The statuses by which deletions are listed, each with its states. */
export const DELETION_STATUSES = {
  pending: ["queued", "running"],
  completed: ["done"],
} as const satisfies Record<string, readonly DeletionState[]>;

/**
 * The permanent record of a deletion: the person, the user who asked for it, the times, the attempts, and the
 * number of removed rows of each kind. Times are ISO 8601.
 */
export type Receipt = {
  id: number;
  project_id: number;
  person_uuid: string;
  kind: DeletionKind;
  /** The user's id, and e-mail address as it is now. */
  requested_by: number;
  requested_by_email: string | null;
  requested_at: string;
  state: DeletionState;
  attempts: number;
  /** Why it was postponed, or failed. */
  error: string | null;
  started_at: string | null;
  finished_at: string | null;
  /**
   * Rows that are gone: `events` and `logs` of the event store (and its archive), `warnings` that
   * named the person of the person store, and lines of the file `dead_letters`.
   */
  counts: Record<string, number> | null;
  /** Where people may have written an id or the e-mail address of the person; null before the run. */
  places: Places | null;
};

/** A record that contains a name of a deleted person. It stays as it is. A dashboard may contain it in a text tile. */
export type Place = {
  kind: "annotation" | "dashboard" | "insight" | "playlist";
  id: number;
  /** Only of insights and playlists. */
  short_id?: string;
};

/** The number of places, and PLACES_MAX of them: by kind in the order of the alphabet, each the newest first. */
export type Places = { count: number; results: Place[] };

/** Why a deletion waits while another connection reads the person store, whose old bytes it may still need. */
export const READERS =
  "readers: another program reads hoglet.sqlite. The end of its reads lets this go on.";

/** The most places in a receipt; all are counted. */
export const PLACES_MAX = 100;

/** The most tasks of one run; the next run follows at once and takes the others. */
export const BATCH_TASKS_MAX = 10_000;

/** Attempts of a deletion before it counts as failed. */
export const ATTEMPTS_MAX = 5;
