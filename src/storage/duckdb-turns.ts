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
  let onEmpty = () => {};

  /** Resolves when nobody reads, or the time is over. */
  const emptied = (ms: number): Promise<void> => {
    if (running.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    onEmpty = resolve;
    return Promise.race([promise, Bun.sleep(ms)]);
  };

  const end = () => {
    for (const reading of running) {
      if (!reading.mayBeEnded) continue;
      reading.isEnded = true;
      reading.connection.interrupt();
    }
  };

  return {
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
        if (running.size === 0) onEmpty();
      }
    },

    /** Works while nobody reads, as far as those who do come to their end; one after the other. */
    async alone<T>(work: () => Promise<T>): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = turn;
      turn = promise;
      try {
        await before;
        await emptied(ENDED_AFTER_MS);
        const ending = setInterval(end, INTERRUPT_EVERY_MS);
        await emptied(WAITED_MS_MAX - ENDED_AFTER_MS);
        clearInterval(ending);
        return await work();
      } finally {
        if (turn === promise) turn = undefined;
        resolve();
      }
    },
  };
}
