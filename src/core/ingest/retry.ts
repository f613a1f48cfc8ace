import type { Log } from "../ports/log.ts";

/** Wait before a failed step is repeated, in milliseconds; each failure doubles it, up to the maximum. */
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 30_000;

/** Ends a loop: see {@link stopSignal}. */
export type StopSignal = ReturnType<typeof stopSignal>;
/** Repeats the steps of a loop: see {@link retrier}. */
export type Retrier = ReturnType<typeof retrier>;

/** Tells a loop to end; `stop` also wakes a loop that sleeps. */
export function stopSignal() {
  const ended = Promise.withResolvers<void>();
  let stopped = false;
  return {
    stopped: () => stopped,
    sleep: (ms: number) => Promise.race([Bun.sleep(ms), ended.promise]),
    stop() {
      stopped = true;
      ended.resolve();
    },
  };
}

/** Repeats failing steps and waits for conditions, until the loop is to end. */
export function retrier(log: Log, signal: StopSignal) {
  const stalledSteps = new Set<string>();
  return {
    isStalled: () => stalledSteps.size > 0,

    /** Repeats a step until it succeeds. Fails with its error once the loop is to end. */
    async retryUntilDone<T>(step: string, work: () => Promise<T>): Promise<T> {
      for (let wait = RETRY_MS_MIN; ; wait = Math.min(wait * 2, RETRY_MS_MAX)) {
        try {
          const result = await work();
          stalledSteps.delete(step);
          return result;
        } catch (error) {
          if (signal.stopped()) throw error;
          stalledSteps.add(step);
          log.error(`${step} failed; retrying`, { error, wait_ms: wait });
          await signal.sleep(wait);
        }
      }
    },

    /** Waits while a condition holds, and looks at it again every `pollMs`. */
    async waitWhile(step: string, isBlocked: () => boolean, pollMs: number): Promise<void> {
      if (!isBlocked()) return;
      stalledSteps.add(step);
      while (isBlocked() && !signal.stopped()) await signal.sleep(pollMs);
      stalledSteps.delete(step);
    },
  };
}

/** Whether a promise has not resolved within so many milliseconds. */
export async function isLate(awaited: Promise<void>, ms: number): Promise<boolean> {
  const timer = Promise.withResolvers<boolean>();
  const handle = setTimeout(timer.resolve, ms, true);
  const late = await Promise.race([awaited.then(() => false), timer.promise]);
  clearTimeout(handle);
  return late;
}
