import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";

/** How long a write waits for reads before it interrupts them, in milliseconds. */
const ENDED_AFTER_MS = 2000;

/** The longest wait for reads that must not be interrupted, in milliseconds. */
const WAITED_MS_MAX = 10_000;

/** The pause between interrupts of a read: one between two steps has no effect. */
const INTERRUPT_EVERY_MS = 50;

/** The most repetitions of a read that writes interrupted. */
const AGAIN_MAX = 2;

const ENDED =
  "The event store needed its memory for events that came in. Try again, or ask for less at once.";

/**
 * Whether a write without memory may interrupt a read: never, finally, or so that the read is repeated after
 * the write, which only costs time (decision 106).
 */
export type Ending = "never" | "final" | "repeat";

type Reading = {
  connection: DuckDBConnection;
  ending: Ending;
  /** Resolves when the write that interrupted it no longer needs the memory. */
  ended?: Promise<void>;
};

/** The reads that run now. */
function runningReads() {
  const running = new Set<Reading>();
  let empty = Promise.withResolvers<void>();
  return {
    isEmpty: () => running.size === 0,

    /** Resolves when no read runs, or after the time. */
    emptied: (ms: number): Promise<void> =>
      running.size === 0 ? Promise.resolve() : Promise.race([empty.promise, Bun.sleep(ms)]),

    async during<T>(reading: Reading, work: () => Promise<T>): Promise<T> {
      running.add(reading);
      try {
        return await work();
      } finally {
        running.delete(reading);
        if (running.size === 0) {
          empty.resolve();
          empty = Promise.withResolvers();
        }
      }
    },

    end(until: Promise<void>): void {
      for (const reading of running) {
        if (reading.ending === "never") continue;
        reading.ended = until;
        reading.connection.interrupt();
      }
    },
  };
}

/** Runs a read, and repeats it if a write interrupted it and it may be repeated. */
async function repeated<T>(
  asked: Pick<Reading, "connection" | "ending">,
  once: (reading: Reading) => Promise<T>,
): Promise<T> {
  for (let left = asked.ending === "repeat" ? AGAIN_MAX : 0; ; left -= 1) {
    const reading: Reading = { ...asked };
    try {
      return await once(reading);
    } catch (error) {
      if (reading.ended === undefined) throw error;
      if (left === 0) throw new Failure("unavailable", ENDED);
    }
    await reading.ended;
  }
}

/** Admits reads and writes where memory is too short for both at once (decision 106). */
export function readWriteGate() {
  const { isEmpty, emptied, during, end } = runningReads();
  let turn: Promise<void> | undefined;

  /** Later reads and writes wait until the returned function is called. */
  const take = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    turn = promise;
    return () => {
      if (turn === promise) turn = undefined;
      resolve();
    };
  };

  return {
    /**
     * Interrupts the reads that may be interrupted; they may end a little later. Reads that are repeated wait
     * for `until` first.
     */
    end,

    /**
     * Runs a read after exclusive work. Fails `unavailable` if writes interrupted it finally or too often.
     * `work` may be repeated.
     */
    async reading<T>(
      connection: DuckDBConnection,
      ending: Ending,
      work: () => Promise<T>,
    ): Promise<T> {
      return repeated({ connection, ending }, async (reading) => {
        while (turn !== undefined) await turn;
        return during(reading, work);
      });
    },

    /** Runs `work` exclusively. Waits 2 s for running reads, then interrupts them for up to 8 s; `isAlone` is false if any remain. */
    async alone<T>(work: (isAlone: boolean) => Promise<T>): Promise<T> {
      const before = turn;
      const release = take();
      try {
        await before;
        await emptied(ENDED_AFTER_MS);
        // Repeated reads wait for this work anyway.
        const ending = setInterval(() => end(Promise.resolve()), INTERRUPT_EVERY_MS);
        await emptied(WAITED_MS_MAX - ENDED_AFTER_MS);
        clearInterval(ending);
        return await work(isEmpty());
      } finally {
        release();
      }
    },

    /** Runs `work` once no read runs; `undefined` if reads go on for so many milliseconds. */
    async between<T>(ms: number, work: () => Promise<T>): Promise<T | undefined> {
      const deadline = performance.now() + ms;
      while (turn !== undefined || !isEmpty()) {
        const left = deadline - performance.now();
        if (left <= 0) return undefined;
        await (turn === undefined ? emptied(left) : Promise.race([turn, Bun.sleep(left)]));
      }
      const release = take();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

/**
 * Lends connections, in the order of asking. Fails `unavailable` when `waitingMax` wait already.
 */
export function pool(all: readonly DuckDBConnection[], waitingMax: number) {
  const idle = [...all];
  const waiting: ((connection: DuckDBConnection) => void)[] = [];
  const take = (): Promise<DuckDBConnection> | DuckDBConnection => {
    const connection = idle.pop();
    if (connection !== undefined) return connection;
    if (waiting.length >= waitingMax) {
      throw new Failure("unavailable", "Too many queries are waiting. Try again in a moment.");
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (connection: DuckDBConnection) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };
  return {
    async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
      const connection = await take();
      try {
        return await work(connection);
      } finally {
        release(connection);
      }
    },

    /** Lends all of them at once; does nothing if one is lent. */
    async whileIdle(work: (all: readonly DuckDBConnection[]) => Promise<void>): Promise<void> {
      if (idle.length < all.length) return;
      idle.length = 0;
      try {
        await work(all);
      } finally {
        for (const connection of all) release(connection);
      }
    },
  };
}
