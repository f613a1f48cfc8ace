/** A reason why the server is not ready: in a sentence, with its remedy. */
export type Explained = { sentence: string; remedy: string };

const KNOWN: Record<string, Explained> = {
  shutting_down: {
    sentence: "The server is shutting down.",
    remedy: "It will accept events again after a restart.",
  },
  rebuilding: {
    sentence: "The event store is being rebuilt.",
    remedy: "No action needed. New events are accepted; queries resume when it finishes.",
  },
  replaying_journal: {
    sentence: "The server is catching up with queued events.",
    remedy: "No action needed. No event is lost; queries resume when it finishes.",
  },
  disk_full: {
    sentence: "The disk is almost full, so events are refused.",
    remedy: "Free up space on the disk that holds the data directory, or use a larger disk.",
  },
  journal_refused: {
    sentence: "Events are refused because they can't be written to disk.",
    remedy:
      "Check the disk that holds the data directory: it must be writable and have free space.",
  },
  ingest_stalled: {
    sentence: "Events are queued but not being written to the database.",
    remedy: "Check the server log for the error. The events are safe; a restart tries again.",
  },
};

/** Whether a reason goes away by itself, such as a rebuild. */
export const isPassing = (reason: string): boolean =>
  ["shutting_down", "rebuilding", "replaying_journal"].includes(reason);

/** A reason of the server in a sentence with its remedy. */
export function explained(reason: string): Explained {
  const known = Object.hasOwn(KNOWN, reason) ? KNOWN[reason] : undefined;
  return (
    known ?? {
      sentence: `The server says: ${reason}.`,
      remedy: "Check the server log for details.",
    }
  );
}
