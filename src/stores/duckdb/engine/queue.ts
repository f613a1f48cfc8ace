import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import { isOutOfMemory } from "./faults.ts";

/** How long a write waits for reads before it interrupts them, in milliseconds. */
const INTERRUPTED_AFTER_MS = 2000;

/** The longest wait for reads that must not be interrupted, in milliseconds. */
const WAITED_MS_MAX = 10_000;

/** Milliseconds between interrupts. They repeat, because an interrupt between two statements has no effect. */
export const INTERRUPT_EVERY_MS = 50;

/** The most repetitions of a read that writes interrupted. */
const REPEATS_MAX = { never: 0, final: 0, repeat: 2 };

const INTERRUPTED_DETAIL =
  "The event store needed its memory for events that came in. Try again, or ask for less at once.";

/**
 * How a write that lacks memory may interrupt a read: `never`; `final`, so that the read fails; or `repeat`,
 * so that it runs again after the write.
 */
export type Interruption = keyof typeof REPEATS_MAX;

type Reading = {
  connection: DuckDBConnection;
  interruption: Interruption;
  /** Set by an interrupt; resolves when the write no longer needs the memory. */
  isOver?: Promise<void>;
};

/** Orders reads and exclusive jobs, because memory may be too short for both at once (decision 106). */
export function jobQueue() {
  /** The reads that run, and the end of each. */
  const running = new Map<Reading, Promise<unknown>>();
  /** The end of the last exclusive job; undefined while there is no such job. */
  let lastExclusive: Promise<void> | undefined;

  /** Resolves when the reads that run now have ended. */
  const readsDrained = () => Promise.allSettled(running.values());

  const readsDrainedWithin = (ms: number) => Promise.race([readsDrained(), Bun.sleep(ms)]);

  /** Later reads and exclusive jobs wait until `work` has ended. */
  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = lastExclusive;
    const { promise, resolve } = Promise.withResolvers<void>();
    lastExclusive = promise;
    try {
      await before;
      return await work();
    } finally {
      if (lastExclusive === promise) lastExclusive = undefined;
      resolve();
    }
  };

  /**
   * Interrupts the reads that may be interrupted; they may end a little later. Reads that are repeated wait
   * for `isOver` first.
   */
  const interruptReads = (isOver: Promise<void>): void => {
    for (const reading of running.keys()) {
      if (reading.interruption === "never") continue;
      reading.isOver = isOver;
      reading.connection.interrupt();
    }
  };

  const runOnce = async <T>(reading: Reading, work: () => Promise<T>): Promise<T> => {
    while (lastExclusive !== undefined) await lastExclusive;
    const done = work();
    running.set(reading, done);
    try {
      return await done;
    } finally {
      running.delete(reading);
    }
  };

  /**
   * Runs a read after exclusive work. Fails `unavailable` if writes interrupted it finally or too often.
   * `work` may be repeated.
   */
  const read = async <T>(
    connection: DuckDBConnection,
    interruption: Interruption,
    work: () => Promise<T>,
  ): Promise<T> => {
    for (let left = REPEATS_MAX[interruption]; ; left -= 1) {
      const reading: Reading = { connection, interruption };
      try {
        return await runOnce(reading, work);
      } catch (error) {
        if (reading.isOver === undefined) throw error;
        if (left === 0) throw new Failure("unavailable", INTERRUPTED_DETAIL);
      }
      await reading.isOver;
    }
  };

  /**
   * Runs `work` exclusively. Waits 2 s for running reads, then interrupts them for up to 8 s; `isAlone` is false
   * if any remain.
   */
  const runAlone = <T>(work: (isAlone: boolean) => Promise<T>): Promise<T> =>
    exclusively(async () => {
      await readsDrainedWithin(INTERRUPTED_AFTER_MS);
      // No wait is needed, because repeated reads wait for exclusive work anyway.
      const interrupting = setInterval(() => interruptReads(Promise.resolve()), INTERRUPT_EVERY_MS);
      await readsDrainedWithin(WAITED_MS_MAX - INTERRUPTED_AFTER_MS);
      clearInterval(interrupting);
      return work(running.size === 0);
    });

  /** Runs `work` exclusively once no read runs; returns undefined if reads go on for `ms` milliseconds. */
  const whenIdle = async <T>(ms: number, work: () => Promise<T>): Promise<T | undefined> => {
    const deadline = performance.now() + ms;
    while (lastExclusive !== undefined || running.size > 0) {
      const left = deadline - performance.now();
      if (left <= 0) return undefined;
      await Promise.race([lastExclusive ?? readsDrained(), Bun.sleep(left)]);
    }
    return exclusively(work);
  };

  return {
    ...{ readsDrained, interruptReads, read, runAlone, whenIdle },

    /** Runs `shared` along with reads. If it lacks memory, or with `isShort`, runs `work` alone. */
    async sharedOrAlone<T>(
      work: () => Promise<T>,
      { shared = work, isShort = false }: { shared?: () => Promise<T>; isShort?: boolean },
    ): Promise<T> {
      try {
        if (!isShort) return await shared();
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
      }
      return await runAlone(work);
    },

    /** Runs `work` once no read runs, after `ms` milliseconds alone. Throws `stillRead` if a read does not end. */
    async withoutReads<T>(ms: number, stillRead: () => Error, work: () => Promise<T>): Promise<T> {
      const done = await whenIdle(ms, async () => ({ result: await work() }));
      if (done !== undefined) return done.result;
      return await runAlone((isAlone) => {
        if (!isAlone) throw stillRead();
        return work();
      });
    },
  };
}

/** A request for a connection; `caller` is undefined for the server itself. */
type Waiting = { caller: number | undefined; start: (connection: DuckDBConnection) => void };

/**
 * Lends connections. A caller never holds all of them, and callers take turns: the next connection goes to a caller
 * with the fewest, in the order of the requests. The server itself has no such share. Fails `unavailable` if
 * `waitingMax` requests wait already.
 */
export function pool(all: readonly DuckDBConnection[], waitingMax: number) {
  const idle = [...all];
  const waiting: Waiting[] = [];
  const held = new Map<number | undefined, number>();
  const shareMax = Math.max(1, all.length - 1);
  const heldBy = (caller: number | undefined) =>
    caller === undefined ? 0 : (held.get(caller) ?? 0);
  const take = (caller: number | undefined) => held.set(caller, (held.get(caller) ?? 0) + 1);
  const giveUp = (caller: number | undefined) => {
    const left = (held.get(caller) ?? 1) - 1;
    if (left === 0) held.delete(caller);
    else held.set(caller, left);
  };

  /** Lends idle connections to those whose turn it is. */
  const lend = (): void => {
    for (;;) {
      const next = waiting
        .filter(({ caller }) => heldBy(caller) < shareMax)
        .reduce<Waiting | undefined>(
          (first, one) =>
            first === undefined || heldBy(one.caller) < heldBy(first.caller) ? one : first,
          undefined,
        );
      const connection = next === undefined ? undefined : idle.pop();
      if (next === undefined || connection === undefined) return;
      waiting.splice(waiting.indexOf(next), 1);
      take(next.caller);
      next.start(connection);
    }
  };

  return {
    /** Whether no connection is lent. */
    isIdle: () => idle.length === all.length,

    async use<T>(work: (connection: DuckDBConnection) => Promise<T>, caller?: number): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<DuckDBConnection>();
      waiting.push({ caller, start: resolve });
      lend();
      if (waiting.length > waitingMax) {
        waiting.pop();
        throw new Failure("unavailable", "Too many queries are waiting. Try again in a moment.");
      }
      const connection = await promise;
      try {
        return await work(connection);
      } finally {
        giveUp(caller);
        idle.push(connection);
        lend();
      }
    },
  };
}

/** A rollback that lacks memory or is interrupted is repeated for so long, with this pause, in milliseconds. */
const ROLLBACK_MS_MAX = 10_000;
const ROLLBACK_EVERY_MS = 20;

/** Interrupts of a read repeat until it has ended, so one may hit its rollback. */
const INTERRUPTED = /INTERRUPT Error/;

/**
 * Runs `work` in one transaction; rolls back and rethrows if it throws. `before` runs before the commit and
 * before a rollback. If memory is short, a commit may succeed and still report an error, because there was no
 * memory for its empty result.
 */
export async function transaction<T>(
  connection: DuckDBConnection,
  work: (connection: DuckDBConnection) => Promise<T>,
  before: () => Promise<unknown> = async () => {},
): Promise<T> {
  try {
    await connection.run("BEGIN TRANSACTION");
    const result = await work(connection);
    await before();
    await connection.run("COMMIT");
    return result;
  } catch (error) {
    await before().catch(() => undefined);
    await rollBack(connection);
    throw error;
  }
}

/** Rolls back the transaction, if there is one. */
export async function rollBack(connection: DuckDBConnection): Promise<void> {
  const deadline = performance.now() + ROLLBACK_MS_MAX;
  for (;;) {
    try {
      await connection.run("ROLLBACK");
      return;
    } catch (cause) {
      // A failed COMMIT has ended the transaction already.
      if (!isOutOfMemory(cause) && !INTERRUPTED.test(String(cause))) return;
      if (performance.now() > deadline) {
        throw new Error("FATAL Error: a transaction cannot be rolled back", { cause });
      }
    }
    await Bun.sleep(ROLLBACK_EVERY_MS);
  }
}
