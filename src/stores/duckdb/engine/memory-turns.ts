import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";

/** How long reads may go on that a write waits for, in milliseconds, before they are ended. */
const ENDED_AFTER_MS = 2000;

/** How long is waited for those that nobody may end, in milliseconds. */
const WAITED_MS_MAX = 10_000;

/** How often a read that is to end is told so: an interrupt between two steps goes unheard. */
const INTERRUPT_EVERY_MS = 50;

/** How often a read is done again that a write has ended. */
const AGAIN_MAX = 2;

const ENDED =
  "The event store needed its memory for events that came in. Try again, or ask for less at once.";

/**
 * Whether a write that lacks memory may end a read: never, for good, or so that it is done again behind
 * the write, which nobody notices but by the time (decision 106).
 */
export type Ending = "never" | "for good" | "to be repeated";

type Reading = {
  connection: DuckDBConnection;
  ending: Ending;
  /** Resolves when whoever has ended it needs the memory no more. */
  ended?: Promise<void>;
};

/** Those who read now. */
function runningReads() {
  const running = new Set<Reading>();
  let empty = Promise.withResolvers<void>();
  return {
    isEmpty: () => running.size === 0,

    /** Resolves when nobody reads, or the time is over. */
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

/** Reads, and again if a write has ended it and that may be. */
async function repeated<T>(
  asked: Pick<Reading, "connection" | "ending">,
  once: (reading: Reading) => Promise<T>,
): Promise<T> {
  for (let left = asked.ending === "to be repeated" ? AGAIN_MAX : 0; ; left -= 1) {
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

/** Who may use the engine's memory, where there is too little for a write and reads beside it (decision 106). */
export function memoryTurns() {
  const { isEmpty, emptied, during, end } = runningReads();
  let turn: Promise<void> | undefined;

  /** Who comes from here on waits, until it is called. */
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
     * Ends those who read, and may be ended; they may not hear it at once. Who is to be repeated waits
     * `until` then.
     */
    end,

    /**
     * Reads, behind a write that is alone; fails `unavailable` if writes have ended it for good, or too
     * often: `work` may be repeated.
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

    /** Works while nobody reads, as far as those who do come to their end; one after the other. */
    async alone<T>(work: (isAlone: boolean) => Promise<T>): Promise<T> {
      const before = turn;
      const release = take();
      try {
        await before;
        await emptied(ENDED_AFTER_MS);
        // Who comes again waits for the turn anyway.
        const ending = setInterval(() => end(Promise.resolve()), INTERRUPT_EVERY_MS);
        await emptied(WAITED_MS_MAX - ENDED_AFTER_MS);
        clearInterval(ending);
        return await work(isEmpty());
      } finally {
        release();
      }
    },

    /** Works as soon as nobody reads; `undefined` if somebody does for so many milliseconds. */
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
