import type { DeletionKind } from "../erasure/deletion.ts";
import type { Actor } from "../identity/activity.ts";
import type { SplitAsked } from "../identity/split.ts";
import type { Batches, PersonsChanged } from "../ingest/batches.ts";
import { type Ingest, isLate } from "../ingest/ingest.ts";
import type { Restoring } from "../ingest/restore.ts";
import type { Journal } from "../ports/journal.ts";
import type { PersonReads } from "../ports/person-reads.ts";
import type { EditAsked, PersonWrites as Store } from "../ports/person-writes.ts";
import { Failure } from "../values/failure.ts";

/**
 * How long a change waits for the events that were accepted before it, and how long until queries
 * know of it, in milliseconds.
 */
const WAIT_MS_MAX = 10_000;

/** How often is looked whether they are applied, in milliseconds. */
const POLL_MS = 5;

/** What changes to persons go through. */
export type PersonWritesNeeds = {
  reads: Pick<PersonReads, "applied">;
  store: Pick<Store, "queueEvents" | "projected">;
  restoring: Pick<Restoring, "active">;
  batches: Batches;
  ingest: Pick<Ingest, "flushUpTo" | "applyProjection">;
  journal: Pick<Journal, "durableSeq">;
};

/**
 * Changes to persons by users: each behind the events that were accepted before it, so that none
 * of those undoes it (decision 49), and done when queries know of it too. All fail `unavailable`
 * while ingest is far behind, or if the event store does not take what was done (decision 66); all but `remove` say whether there is such a person.
 */
export function personWrites({
  reads,
  store,
  restoring,
  batches,
  ingest,
  journal,
}: PersonWritesNeeds) {
  const caughtUp = async (): Promise<number> => {
    if (restoring.active()) {
      throw new Failure("unavailable", "The event store is being made anew.");
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
  const applyProjection = async (changed: PersonsChanged): Promise<void> => {
    const { version, owned } = changed.changes;
    const known = ingest.applyProjection(changed).then(async () => {
      // Distinct ids that were written down for this alone must not outlive a deletion.
      if (owned !== null) await store.projected(version);
    });
    if (!(await isLate(known, WAIT_MS_MAX))) return;
    // It is brought there in the end, or by the next start.
    known.catch(() => {});
    throw new Failure("unavailable", "The change is made; that queries know of it takes longer.");
  };
  const shown = async (changed: PersonsChanged | "unchanged" | null): Promise<boolean> => {
    if (changed !== null && changed !== "unchanged") await applyProjection(changed);
    return changed !== null;
  };
  return {
    async split(project: number, id: number, asked: SplitAsked, by: Actor): Promise<boolean> {
      await caughtUp();
      return shown(await batches.split(project, id, asked, by));
    },
    async edit(project: number, id: number, asked: EditAsked): Promise<boolean> {
      await caughtUp();
      return shown(await batches.edit(project, id, asked));
    },
    /** Says how many of the persons there were. `withEvents` queues theirs for the weekly task. */
    async remove(
      project: number,
      ids: readonly number[],
      { by, withEvents }: { by: Actor; withEvents: boolean },
    ): Promise<number> {
      const journal_seq = await caughtUp();
      const events = withEvents ? { kind: "weekly" as const, journal_seq, by } : undefined;
      const removed = await batches.remove(project, ids, { by, events });
      await applyProjection(removed);
      return removed.count;
    },
    /** Queues the deletion of the events of persons; says of how many: those that there are. */
    async queueEvents(
      project: number,
      ids: readonly number[],
      { by, kind }: { by: Actor; kind: DeletionKind },
    ): Promise<number> {
      const asked = { kind, journal_seq: await caughtUp(), by };
      let queued = 0;
      for (const id of ids) if (await store.queueEvents(project, id, asked)) queued += 1;
      return queued;
    },
  };
}
