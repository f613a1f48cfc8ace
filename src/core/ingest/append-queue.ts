import type { DeadLetter, EventStore } from "../ports/events.ts";
import type { Journal } from "../ports/journal.ts";
import type { BulkLoad, MirrorFiles, RemoveLoad } from "../ports/loads.ts";
import type { Log } from "../ports/log.ts";
import { warningEntry } from "../warnings/warnings.ts";
import type { BatchResult, PersonsChanged } from "./batches.ts";
import type { Persist } from "./retry.ts";

/**
 * Loads that may wait for the event store, as files of 30 MB each. With fewer, the thread that makes
 * them would stand idle while DuckDB makes a checkpoint.
 */
const APPENDS_WAITING_MAX = 4;

/** What bringing loads to the event store takes. */
export type AppendingNeeds = {
  journal: Pick<Journal, "append">;
  events: Pick<EventStore, "applied" | "append" | "mirror">;
  /** Removes a load's files. */
  removeLoad: RemoveLoad;
  log: Log;
};

/** The end of a load's way: the event store, and what is counted and told of it. */
export async function appending(needs: AppendingNeeds, persist: Persist, onWarned: () => void) {
  const { events, removeLoad, log } = needs;
  let applied = await events.applied();
  const counts = { stored: 0, duplicates: 0, dead: 0 };
  const waiting: Promise<void>[] = [];

  /** Appends a load. Only this may be repeated by itself: SQLite has its batches already. */
  const append = async (load: BulkLoad): Promise<void> => {
    const { dead } = await persist("append a load", () => events.append(load));
    applied = load.last;
    counts.stored += load.count - dead.length;
    counts.dead += dead.length;
    await removeLoad(load).catch((error: unknown) => {
      log.warn("a load's files could not be removed; the next start does it", { error });
    });
    if (dead.length === 0) return;
    log.warn("events went to the dead-letter file", { count: dead.length });
    await tellDead(dead, needs);
    onWarned();
  };

  const mirrored = async (changes: MirrorFiles): Promise<void> => {
    await persist("change the mirror of persons", () => events.mirror(changes));
    await removeLoad({ events: null, logs: null, mirror: changes });
  };

  /** Carries out work behind all that waits. */
  const behind = (work: () => Promise<void>): Promise<void> => {
    const done = (waiting.at(-1) ?? Promise.resolve()).then(work);
    done.catch(() => {});
    waiting.push(done);
    return done;
  };

  return {
    applied: () => applied,
    /** Looks again how far the event store is, which was filled. */
    async filled(): Promise<void> {
      applied = await events.applied();
    },
    counts: () => ({ ...counts }),
    /** Takes note of what became of a slice. */
    note({ duplicates }: Pick<BatchResult, "duplicates">): void {
      counts.duplicates += duplicates.length;
      const others = duplicates.filter(({ isRetry }) => !isRetry).length;
      if (others > 0) log.warn("a known uuid came with another event", { count: others });
    },
    mirror({ load, changes }: PersonsChanged): Promise<void> {
      if (load !== null) behind(() => append(load));
      return behind(() => mirrored(changes));
    },
    /** Appends loads behind those that wait; resolves when there is room for another. */
    async push(loads: readonly (BulkLoad | null)[]): Promise<void> {
      for (const load of loads) if (load !== null) behind(() => append(load));
      while (waiting.length > APPENDS_WAITING_MAX) await waiting.shift();
    },
    /** Resolves when none waits. */
    async drained(): Promise<void> {
      while (waiting.length > 0) await waiting.shift();
    },
  };
}

/** Puts warnings of dead events into the journal, for a later slice; SQLite has theirs already. */
async function tellDead(
  dead: readonly DeadLetter[],
  { journal, log }: AppendingNeeds,
): Promise<void> {
  const groups = Map.groupBy(dead, ({ project_id, type }) => `${project_id} ${type}`);
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const { project_id, type, uuid: event_uuid, distinct_id, arrived_at } = first;
    const warning = { type, count: 1 + others.length, event_uuid, distinct_id };
    await journal.append(warningEntry([warning], { project_id, arrived_at })).catch((error) => {
      log.warn("a warning of dead letters is lost: the journal does not take it", { error });
    });
  }
}
