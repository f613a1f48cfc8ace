/** Events and log records that may wait for the stores before answers are held back. */
export const LAG_FREE = 65_536;

/** How many may wait before an answer is held back for as long as it ever is. */
export const LAG_MAX = 196_608;

/** Events from which on a request counts as one of a backfill, and not of somebody live. */
export const BULK_EVENTS_MIN = 10;

/** How many times as many may wait before the answer to somebody live is held back. */
export const LIVE_FACTOR = 10;

/** How long an answer is held back for each of its events at LAG_MAX, in milliseconds. */
const HOLD_MS_EACH = 10;

/** How long an answer is held back at most, in milliseconds: far below what SDKs wait. */
const HOLD_MS_MAX = 1000;

/**
 * How long to hold back the answer to `count` events when `lag` of them wait for the stores, in
 * whole milliseconds (decision 57): little at first, and more the more a request holds, so that a
 * backfill gives way to those who send what happens just now.
 */
export function holdMs(lag: number, count: number): number {
  const counted = count < BULK_EVENTS_MIN ? lag / LIVE_FACTOR : lag;
  const share = Math.min(Math.max((counted - LAG_FREE) / (LAG_MAX - LAG_FREE), 0), 1);
  return Math.round(Math.min(share ** 3 * HOLD_MS_EACH * count, HOLD_MS_MAX));
}
