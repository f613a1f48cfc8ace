import type { Log } from "../ports/log.ts";

/** Wait before what failed is tried again, in milliseconds: doubled from the first to the last. */
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 30_000;

/** Tells a loop to end: see {@link stopSignal}. */
export type StopSignal = ReturnType<typeof stopSignal>;
/** Does something until it succeeds: see {@link retrying}. */
export type Persist = ReturnType<typeof retrying>;

/** Says once that the loop is to end; whoever sleeps by it wakes then. */
export function stopSignal() {
  const told = Promise.withResolvers<void>();
  let stopped = false;
  return {
    stopped: () => stopped,
    sleep: (ms: number) => Promise.race([Bun.sleep(ms), told.promise]),
    stop() {
      stopped = true;
      told.resolve();
    },
  };
}

/** Repeats what fails until it succeeds, and is in `held` meanwhile; once the loop is to end, it fails. */
export function retrying(log: Log, signal: StopSignal, held: Set<string>) {
  return async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    for (let wait = RETRY_MS_MIN; ; wait = Math.min(wait * 2, RETRY_MS_MAX)) {
      try {
        const result = await work();
        held.delete(what);
        return result;
      } catch (error) {
        if (signal.stopped()) throw error;
        held.add(what);
        log.error(`could not ${what}; trying again`, { error, wait_ms: wait });
        await signal.sleep(wait);
      }
    }
  };
}
