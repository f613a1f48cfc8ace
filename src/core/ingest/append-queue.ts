import type { DeadLetter, EventStore } from "../ports/events.ts";
import type { Journal } from "../ports/journal.ts";
import type { BulkLoad, ProjectionFiles, RemoveLoad } from "../ports/loads.ts";
import type { Log } from "../ports/log.ts";
import { warningEntry } from "../warnings/warning.ts";
import type { BatchResult, PersonsChanged } from "./batches.ts";
import type { Retrier } from "./retry.ts";

/**
 * Loads that may wait for the event store, as files of 30 MB each. With fewer, the thread that writes
 * them idles during a checkpoint of DuckDB.
 */
const QUEUED_MAX = 4;

/** Dependencies of {@link appendQueue}. */
export type AppendNeeds = {
  journal: Pick<Journal, "append">;
  events: Pick<EventStore, "applied" | "append" | "applyProjection">;
  removeLoad: RemoveLoad;
  log: Log;
};

/** Appends loads to the event store one after the other, and counts their events. */
export async function appendQueue(needs: AppendNeeds, retries: Retrier, onWarned: () => void) {
  const { events, removeLoad, log } = needs;
  let applied = await events.applied();
  const counts = { stored: 0, duplicates: 0, dead: 0 };
  const queued: Promise<void>[] = [];

  /** Repeats only the append after a failure, because SQLite has the batches of the load already. */
  const append = async (load: BulkLoad): Promise<void> => {
    const { dead } = await retries.retryUntilDone("appending a load", () => events.append(load));
    applied = load.last;
    counts.stored += load.count - dead.length;
    counts.dead += dead.length;
    await removeLoad(load).catch((error: unknown) => {
      log.warn("removing the files of a load failed; the next start removes them", { error });
    });
    if (dead.length === 0) return;
    log.warn("events went to the dead-letter file", { count: dead.length });
    await warnOfDead(dead, needs);
    onWarned();
  };

  const project = async (changes: ProjectionFiles): Promise<void> => {
    await retries.retryUntilDone("updating the projection of persons", () =>
      events.applyProjection(changes),
    );
    await removeLoad({ events: null, logs: null, projection: changes });
  };

  /** Runs work after all queued work. */
  const enqueued = (work: () => Promise<void>): Promise<void> => {
    const done = (queued.at(-1) ?? Promise.resolve()).then(work);
    done.catch(() => {});
    queued.push(done);
    return done;
  };

  return {
    applied: () => applied,
    /** Reads the last number of the event store again, after a rebuild. */
    async reload(): Promise<void> {
      applied = await events.applied();
    },
    counts: () => ({ ...counts }),
    /** Counts the duplicates of a batch, and logs how many were other events. */
    note({ duplicates, reused }: Pick<BatchResult, "duplicates" | "reused">): void {
      counts.duplicates += duplicates;
      if (reused > 0) log.warn("uuid reused by another event; event dropped", { count: reused });
    },
    /** Queues changes of persons and the load before them; resolves when the event store has both. */
    applyProjection({ load, changes }: PersonsChanged): Promise<void> {
      if (load !== null) enqueued(() => append(load));
      return enqueued(() => project(changes));
    },
    /** Queues loads; resolves when the queue has space for another one. */
    async enqueue(loads: readonly (BulkLoad | null)[]): Promise<void> {
      for (const load of loads) if (load !== null) enqueued(() => append(load));
      while (queued.length > QUEUED_MAX) await queued.shift();
    },
    /** Resolves when the queue is empty. */
    async drained(): Promise<void> {
      while (queued.length > 0) await queued.shift();
    },
  };
}

/** Appends warnings of dead letters to the journal, for a later batch: their own batch is applied already. */
async function warnOfDead(
  dead: readonly DeadLetter[],
  { journal, log }: AppendNeeds,
): Promise<void> {
  const groups = Map.groupBy(dead, ({ project_id, type }) => `${project_id} ${type}`);
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const { project_id, type, uuid: event_uuid, distinct_id, arrived_at } = first;
    const warning = { type, count: 1 + others.length, event_uuid, distinct_id };
    await journal.append(warningEntry([warning], { project_id, arrived_at })).catch((error) => {
      log.warn("a warning of dead letters is lost: the journal rejected it", { error });
    });
  }
}
