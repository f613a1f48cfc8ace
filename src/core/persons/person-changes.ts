import type { DeletionKind } from "../erasure/deletion.ts";
import type { Actor } from "../identity/activity.ts";
import type { Batches, PersonsChanged } from "../ingest/batches.ts";
import { type Ingest, isLate } from "../ingest/ingest.ts";
import type { Restoring } from "../ingest/restore.ts";
import type { Journal } from "../ports/journal.ts";
import type { PersonReads } from "../ports/person-reads.ts";
import type { PersonWrites as Store, UserChange } from "../ports/person-writes.ts";
import { Failure } from "../values/failure.ts";

/**
 * How long a change waits for the events that were accepted before it, and then for the projection, in
 * milliseconds.
 */
const WAIT_MS_MAX = 10_000;

/** Time between two checks whether these events are applied, in milliseconds. */
const POLL_MS = 5;

/** The parts of the server that a change goes through. */
export type PersonWritesNeeds = {
  reads: Pick<PersonReads, "applied">;
  store: Pick<Store, "queueEvents" | "projected">;
  restoring: Pick<Restoring, "active">;
  batches: Pick<Batches, "change">;
  ingest: Pick<Ingest, "flushUpTo" | "applyProjection">;
  journal: Pick<Journal, "durableSeq">;
};

/**
 * Changes of persons by users. Each comes after the events that were accepted before it, so that none of them undoes it (decision 49), and is done once queries see it. All fail `unavailable` while ingest has much to catch up on, or if the event store cannot store (decision 66).
 */
export function personWrites(needs: PersonWritesNeeds) {
  const { reads, store, restoring, batches, ingest, journal } = needs;
  const caughtUp = async (): Promise<number> => {
    if (restoring.active()) {
      throw new Failure("unavailable", "The event store is being rebuilt.");
    }
    const journal_seq = journal.durableSeq();
    const deadline = performance.now() + WAIT_MS_MAX;
    ingest.flushUpTo(journal_seq);
    while (reads.applied() < journal_seq) {
      if (performance.now() > deadline) {
        throw new Failure("unavailable", "Events that were accepted before are being applied.");
      }
      await Bun.sleep(POLL_MS);
    }
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
    throw new Failure("unavailable", "The change is made; that queries know of it takes longer.");
  };
  return {
    /** Makes a change, and returns how many of its persons exist. */
    async change(changeAt: (journal_seq: number) => UserChange): Promise<number> {
      const { found, changed } = await batches.change(changeAt(await caughtUp()));
      if (changed !== null) await project(changed);
      return found;
    },
    /** Queues the deletion of the events of the persons that exist, and returns their number. */
    async queueEvents(
      project_id: number,
      ids: readonly number[],
      { by, kind }: { by: Actor; kind: DeletionKind },
    ): Promise<number> {
      const task = { kind, journal_seq: await caughtUp(), by };
      let queued = 0;
      for (const id of ids) if (await store.queueEvents(project_id, id, task)) queued += 1;
      return queued;
    },
  };
}
