import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import { isOutOfMemory } from "./faults.ts";

/** How long a write waits for reads before it interrupts them, in milliseconds. */
const ENDED_AFTER_MS = 2000;

/** The longest wait for reads that must not be interrupted, in milliseconds. */
const WAITED_MS_MAX = 10_000;

/** The pause between interrupts of a read: one between two steps has no effect. */
const INTERRUPT_EVERY_MS = 50;

/** The most repetitions of a read that writes interrupted. */
const AGAIN_MAX = { never: 0, final: 0, repeat: 2 };

const ENDED =
  "The event store needed its memory for events that came in. Try again, or ask for less at once.";

/**
 * Whether a write without memory may interrupt a read: never, finally, or so that the read is repeated after
 * the write, which only costs time (decision 106).
 */
export type Ending = keyof typeof AGAIN_MAX;

type Reading = {
  connection: DuckDBConnection;
  ending: Ending;
  /** Resolves when the write that interrupted it no longer needs the memory. */
  ended?: Promise<void>;
};

/** Admits reads and writes where memory is too short for both at once (decision 106). */
export function jobQueue() {
  /** The reads that run, and the end of each. */
  const running = new Map<Reading, Promise<unknown>>();
  /** The end of the last exclusive job; undefined while there is no such job. */
  let turn: Promise<void> | undefined;

  /** Resolves when the reads that run now have ended. */
  const settled = () => Promise.allSettled(running.values());

  const settledWithin = (ms: number) => Promise.race([settled(), Bun.sleep(ms)]);

  /** Later reads and exclusive jobs wait until `work` has ended. */
  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    turn = promise;
    try {
      await before;
      return await work();
    } finally {
      if (turn === promise) turn = undefined;
      resolve();
    }
  };

  /**
   * Interrupts the reads that may be interrupted; they may end a little later. Reads that are repeated wait
   * for `until` first.
   */
  const end = (until: Promise<void>): void => {
    for (const reading of running.keys()) {
      if (reading.ending === "never") continue;
      reading.ended = until;
      reading.connection.interrupt();
    }
  };

  const once = async <T>(reading: Reading, work: () => Promise<T>): Promise<T> => {
    while (turn !== undefined) await turn;
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
    ending: Ending,
    work: () => Promise<T>,
  ): Promise<T> => {
    for (let left = AGAIN_MAX[ending]; ; left -= 1) {
      const reading: Reading = { connection, ending };
      try {
        return await once(reading, work);
      } catch (error) {
        if (reading.ended === undefined) throw error;
        if (left === 0) throw new Failure("unavailable", ENDED);
      }
      await reading.ended;
    }
  };

  /** Runs `work` exclusively. Waits 2 s for running reads, then interrupts them for up to 8 s; `isAlone` is false if any remain. */
  const alone = <T>(work: (isAlone: boolean) => Promise<T>): Promise<T> =>
    exclusively(async () => {
      await settledWithin(ENDED_AFTER_MS);
      // Repeated reads wait for this work anyway.
      const ending = setInterval(() => end(Promise.resolve()), INTERRUPT_EVERY_MS);
      await settledWithin(WAITED_MS_MAX - ENDED_AFTER_MS);
      clearInterval(ending);
      return work(running.size === 0);
    });

  /** Runs `work` once no read runs; `undefined` if reads go on for so many milliseconds. */
  const between = async <T>(ms: number, work: () => Promise<T>): Promise<T | undefined> => {
    const deadline = performance.now() + ms;
    while (turn !== undefined || running.size > 0) {
      const left = deadline - performance.now();
      if (left <= 0) return undefined;
      await Promise.race([turn ?? settled(), Bun.sleep(left)]);
    }
    return exclusively(work);
  };

  return {
    ...{ settled, end, read, alone, between },

    /** Runs `shared`; without memory, or with `isShort`, runs `work` alone. */
    async orAlone<T>(
      work: () => Promise<T>,
      { shared = work, isShort = false }: { shared?: () => Promise<T>; isShort?: boolean },
    ): Promise<T> {
      try {
        if (!isShort) return await shared();
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
      }
      return await alone(work);
    },

    /** Runs `work` once no read runs, after so many milliseconds alone. Throws `held` if a read does not end. */
    async withoutReads<T>(ms: number, held: () => Error, work: () => Promise<T>): Promise<T> {
      const done = await between(ms, async () => ({ result: await work() }));
      if (done !== undefined) return done.result;
      return await alone((isAlone) => {
        if (!isAlone) throw held();
        return work();
      });
    },
  };
}

/** Lends connections, in the order of asking. Fails `unavailable` when `waitingMax` wait already. */
export function pool(all: readonly DuckDBConnection[], waitingMax: number) {
  const idle = [...all];
  const waiting: ((connection: DuckDBConnection) => void)[] = [];
  return {
    /** Whether no connection is lent. */
    isIdle: () => idle.length === all.length,

    async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
      let connection = idle.pop();
      if (connection === undefined) {
        if (waiting.length >= waitingMax) {
          throw new Failure("unavailable", "Too many queries are waiting. Try again in a moment.");
        }
        connection = await new Promise<DuckDBConnection>((resolve) => waiting.push(resolve));
      }
      try {
        return await work(connection);
      } finally {
        const next = waiting.shift();
        if (next === undefined) idle.push(connection);
        else next(connection);
      }
    },
  };
}

/** How long a rollback is tried again that found no memory or was interrupted, and how often, in milliseconds. */
const ROLLBACK_MS_MAX = 10_000;
const ROLLBACK_EVERY_MS = 20;

/** A read that is to end is interrupted until it has, and then its rollback may be. */
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

/** Ends the transaction without a trace, if there is one. */
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
