import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../domain/errors.ts";

/** How long reads may go on that a write waits for, in milliseconds, before they are ended. */
const ENDED_AFTER_MS = 2000;

/** How long is waited for those that nobody may end, in milliseconds. */
const WAITED_MS_MAX = 10_000;

/** How often a read that is to end is told so: an interrupt between two steps goes unheard. */
const INTERRUPT_EVERY_MS = 50;

const ENDED =
  "The event store needed its memory for events that came in. Try again, or ask for less at once.";

type Reading = { connection: DuckDBConnection; mayBeEnded: boolean; isEnded: boolean };

/** Who may use the engine's memory, where there is too little for a write and reads beside it (decision 106). */
export function memoryTurns() {
  const running = new Set<Reading>();
  let turn: Promise<void> | undefined;
  let empty = Promise.withResolvers<void>();

  /** Resolves when nobody reads, or the time is over. */
  const emptied = (ms: number): Promise<void> =>
    running.size === 0 ? Promise.resolve() : Promise.race([empty.promise, Bun.sleep(ms)]);

  /** Who comes from here on waits, until it is called. */
  const take = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    turn = promise;
    return () => {
      if (turn === promise) turn = undefined;
      resolve();
    };
  };

  const end = () => {
    for (const reading of running) {
      if (!reading.mayBeEnded) continue;
      reading.isEnded = true;
      reading.connection.interrupt();
    }
  };

  return {
    /** Ends those who read, and may be ended; they may not hear it at once. */
    end,

    /** Reads, behind a write that is alone; fails `unavailable` if one has ended it. */
    async reading<T>(
      connection: DuckDBConnection,
      mayBeEnded: boolean,
      work: () => Promise<T>,
    ): Promise<T> {
      while (turn !== undefined) await turn;
      const reading = { connection, mayBeEnded, isEnded: false };
      running.add(reading);
      try {
        return await work();
      } catch (error) {
        throw reading.isEnded ? new Failure("unavailable", ENDED) : error;
      } finally {
        running.delete(reading);
        if (running.size === 0) {
          empty.resolve();
          empty = Promise.withResolvers();
        }
      }
    },

    /** Works while nobody reads, as far as those who do come to their end; one after the other. */
    async alone<T>(work: (isAlone: boolean) => Promise<T>): Promise<T> {
      const before = turn;
      const release = take();
      try {
        await before;
        await emptied(ENDED_AFTER_MS);
        const ending = setInterval(end, INTERRUPT_EVERY_MS);
        await emptied(WAITED_MS_MAX - ENDED_AFTER_MS);
        clearInterval(ending);
        return await work(running.size === 0);
      } finally {
        release();
      }
    },

    /** Works as soon as nobody reads; `undefined` if somebody does for so many milliseconds. */
    async between<T>(ms: number, work: () => Promise<T>): Promise<T | undefined> {
      const deadline = performance.now() + ms;
      while (turn !== undefined || running.size > 0) {
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
