import type { Batches, PersonsChanged } from "../ingest/batches.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Restoring } from "../ingest/restore.ts";
import { isLate } from "../ingest/retry.ts";
import type { DeletionAsked } from "../ports/erasure.ts";
import type { Journal } from "../ports/journal.ts";
import type { PersonReads } from "../ports/persons/reads.ts";
import type { PersonWrites as Store, UserChange } from "../ports/persons/writes.ts";
import { Failure } from "../values/failure.ts";

/** The stores, and the order in which events reach them. */
export type WriteNeeds = {
  reads: Pick<PersonReads, "applied">;
  store: Pick<Store, "queueEvents" | "projected">;
  restoring: Pick<Restoring, "active">;
  batches: Pick<Batches, "change">;
  ingest: Pick<Ingest, "flushUpTo" | "applied" | "applyProjection">;
  journal: Pick<Journal, "durableSeq">;
};

/** Writes of persons by users, as {@link orderedWrites} makes them. */
export type OrderedWrites = ReturnType<typeof orderedWrites>;

/**
 * How long a change waits for the events that were accepted before it, and then for the projection, in
 * milliseconds.
 */
const WAIT_MS_MAX = 10_000;

/** Time between two checks whether these events are applied, in milliseconds. */
const POLL_MS = 5;

/**
 * Changes of persons by users. Each comes after the events that were accepted before it, so that none of them undoes it (decision 49), and is done once queries see it. All fail `unavailable` while ingest has much to catch up on, or if the event store cannot store (decision 66).
 */
export function orderedWrites({ reads, store, restoring, batches, ingest, journal }: WriteNeeds) {
  const until = async (isApplied: () => Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + WAIT_MS_MAX;
    while (!(await isApplied())) {
      if (performance.now() > deadline) {
        throw new Failure("unavailable", "Events that were accepted before are being applied.");
      }
      await Bun.sleep(POLL_MS);
    }
  };
  const caughtUp = async (): Promise<number> => {
    if (restoring.active()) {
      throw new Failure("unavailable", "The event store is being rebuilt.");
    }
    const journal_seq = journal.durableSeq();
    ingest.flushUpTo(journal_seq);
    await until(async () => (await reads.applied()) >= journal_seq);
    return journal_seq;
  };
  const project = async (changed: PersonsChanged): Promise<void> => {
    const { version, owned } = changed.changes;
    const projected = ingest.applyProjection(changed).then(async () => {
      // Distinct ids that were noted only for this must not outlive a deletion.
      if (owned !== null) await store.projected(version);
    });
    if (!(await isLate(projected, WAIT_MS_MAX))) return;
    // It goes on without the caller; after a failure, the next start repeats it.
    projected.catch(() => {});
    throw new Failure("unavailable", "Saved. Queries will reflect it shortly.");
  };
  return {
    caughtUp,
    /** Waits until the event store, too, has the events up to a sequence number. */
    stored: (journal_seq: number) => until(async () => ingest.applied() >= journal_seq),
    /** Makes a change, and returns how many of its persons exist. */
    async change(changeAt: (journal_seq: number) => UserChange): Promise<number> {
      const { found, changed } = await batches.change(changeAt(await caughtUp()));
      if (changed !== null) await project(changed);
      return found;
    },
    /** Queues the deletion of the events of persons that exist, and of distinct ids, and returns their number. */
    async queueEvents(
      project_id: number,
      all: readonly (number | string)[],
      task: DeletionAsked,
    ): Promise<number> {
      let queued = 0;
      for (const one of all) if (await store.queueEvents(project_id, one, task)) queued += 1;
      return queued;
    },
  };
}
