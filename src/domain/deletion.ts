/** When events are deleted: with their person once a week, or alone in the night (contract 4.4). */
export type DeletionKind = "weekly" | "nightly";

/** How far a deletion has come. */
export type DeletionState = "queued" | "running" | "done" | "failed" | "cancelled";

/** What a list of deletions may be confined to, and the states that are meant. */
export const DELETION_STATUSES = {
  pending: ["queued", "running"],
  completed: ["done"],
} as const satisfies Record<string, readonly DeletionState[]>;
