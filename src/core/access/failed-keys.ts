import type { Clock } from "../values/time.ts";

/** Wrong personal keys from one address in a minute that get 401; further ones get 429. */
export const FAILURES_PER_MINUTE_MAX = 5;

/** The most addresses that are remembered; a new one replaces the one whose last failure is oldest. */
export const SOURCES_MAX = 10_000;

const MINUTE_MS = 60_000;

/** Failed keys by address, to slow down guesses without blocking neighbours (decision 53). In memory only. */
export type Attempts = {
  /**
   * Notes a failure. Undefined if it is among the first of its minute, else how long until the
   * source may fail again, in milliseconds.
   */
  failed(source: string): number | undefined;
};

/** Counts failed keys by address; no address has failed at first. */
export function attempts(now: Clock): Attempts {
  const failures = new Map<string, number[]>();
  return {
    failed(source) {
      const at = now();
      // A clock that was set back must not block callers for longer.
      const recent = (failures.get(source) ?? []).filter(
        (time) => time > at - MINUTE_MS && time <= at,
      );
      failures.delete(source);
      const [longest] = failures.keys();
      if (longest !== undefined && failures.size >= SOURCES_MAX) failures.delete(longest);
      failures.set(source, recent);
      const [first = at] = recent;
      if (recent.length >= FAILURES_PER_MINUTE_MAX) return first + MINUTE_MS - at;
      recent.push(at);
      return undefined;
    },
  };
}
