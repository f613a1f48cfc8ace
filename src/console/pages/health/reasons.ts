/** A reason why the server is not ready: in a sentence, with its remedy. */
export type Explained = { sentence: string; remedy: string };

const KNOWN: Record<string, Explained> = {
  shutting_down: {
    sentence: "The server is shutting down.",
    remedy: "It takes events again after its start.",
  },
  rebuilding: {
    sentence: "The event store is being rebuilt.",
    remedy: "Wait: the log says how far it is. Events are taken, and queries answer afterwards.",
  },
  replaying_journal: {
    sentence: "The stores lack events that the journal has.",
    remedy: "Wait: they are stored now, and none is lost. Queries answer afterwards.",
  },
  disk_full: {
    sentence: "The disk is almost full, so events are refused.",
    remedy: "Make space on the disk of the data directory, or give it a larger one.",
  },
  journal_refused: {
    sentence: "Events cannot be stored, so they are refused.",
    remedy: "Look at the disk of the data directory: it must be writable and have space.",
  },
  ingest_stalled: {
    sentence: "Events wait in the journal and do not get into the stores.",
    remedy: "Read the log for the error. The events are safe, and a new start tries again.",
  },
};

/** A reason of the server in a sentence with its remedy. */
export function explained(reason: string): Explained {
  const known = Object.hasOwn(KNOWN, reason) ? KNOWN[reason] : undefined;
  return known ?? { sentence: `The server says: ${reason}.`, remedy: "Read the log for more." };
}
