import { BATCH_EVENTS_MAX, type BatchResult } from "./batches.ts";

/** For how long the stores may have work waiting before answers are held back, in milliseconds. */
export const BACKLOG_FREE_MS = 3200;

/** The same before an answer is held back for as long as it ever is. */
export const BACKLOG_MAX_MS = 9600;

/** Events from which on a request counts as one of a backfill, and not of somebody live. */
export const BULK_EVENTS_MIN = 10;

/** How many times as long it may be before the answer to somebody live is held back. */
export const LIVE_FACTOR = 10;

/** How long an answer is held back for each of its events at BACKLOG_MAX_MS, in milliseconds. */
const DELAY_MS_EACH = 10;

/** How long an answer is held back at most, in milliseconds: far below what SDKs wait. */
const DELAY_MS_MAX = 1000;

/** What the stores take for an event, in milliseconds, as long as nothing is known of it. */
export const EACH_MS_AT_FIRST = 0.033;

/** The most that counts of what they took for one: more is a disk that refuses, or is full. */
const EACH_MS_MAX = 0.5;

/** The share of a full slice in what is known of the pace: about so many count. */
const BATCHES_COUNTED = 16;

/** How fast the stores are, by the full batches that they took one behind the other. */
export function pace() {
  let eachMs = EACH_MS_AT_FIRST;
  let last = { at: Number.NEGATIVE_INFINITY, goesOn: false };
  return {
    /**
     * Takes note of a slice that began at a time, behind which so many are there by now, and says how
     * long that was after the one before.
     */
    sinceLast({ count }: Pick<BatchResult, "count">, at: number, waiting: number): number {
      const ms = at - last.at;
      const isFull = count >= BATCH_EVENTS_MAX / 2;
      // Where a whole slice is there already, the next one waits for nothing but the stores.
      if (isFull && last.goesOn) {
        eachMs += (Math.min(ms / count, EACH_MS_MAX) - eachMs) / BATCHES_COUNTED;
      }
      last = { at, goesOn: isFull && waiting >= BATCH_EVENTS_MAX };
      return ms;
    },
    /** How long so many events and log records will take them, in milliseconds. */
    msFor: (events: number): number => Math.max(events, 0) * eachMs,
  };
}

/**
 * How long to hold back the answer to `count` events when the stores have work for `backlogMs` before
 * them, in whole milliseconds (decision 57): little at first, and more the more a request holds, so
 * that a backfill gives way to those who send what happens just now.
 */
export function responseDelayMs(backlogMs: number, count: number): number {
  const counted = count < BULK_EVENTS_MIN ? backlogMs / LIVE_FACTOR : backlogMs;
  const beyond = (counted - BACKLOG_FREE_MS) / (BACKLOG_MAX_MS - BACKLOG_FREE_MS);
  const share = Math.min(Math.max(beyond, 0), 1);
  return Math.round(Math.min(share ** 3 * DELAY_MS_EACH * count, DELAY_MS_MAX));
}
