import { BATCH_EVENTS_MAX, type BatchResult } from "./batches.ts";

/** Work of the stores above which answers are delayed, in milliseconds. */
export const BACKLOG_FREE_MS = 3200;

/** Work of the stores at which the delay of an answer is longest, in milliseconds. */
export const BACKLOG_MAX_MS = 9600;

/** Events of a request from which on it counts as a backfill; smaller ones count as live. */
export const BULK_EVENTS_MIN = 10;

/** Factor by which the work may be larger before the answer to a live request is delayed. */
export const LIVE_FACTOR = 10;

/** Delay of an answer for each of its events at BACKLOG_MAX_MS, in milliseconds. */
const DELAY_MS_EACH = 10;

/** Longest delay of an answer, in milliseconds: far below the time-outs of SDKs. */
const DELAY_MS_MAX = 1000;

/** Assumed time of the stores for an event before the first measurement, in milliseconds. */
export const EACH_MS_AT_FIRST = 0.033;

/** Longest time for an event that counts, in milliseconds: a longer one is a disk that fails or is full. */
const EACH_MS_MAX = 0.5;

/** Number of full batches over which the pace is averaged. */
const BATCHES_COUNTED = 16;

/** Measures how fast the stores are, by consecutive full batches. */
export function pace() {
  let eachMs = EACH_MS_AT_FIRST;
  let last = { at: Number.NEGATIVE_INFINITY, isFollowed: false };
  return {
    /**
     * Counts a batch that started `at` and has `waiting` events after it. Returns the time since the
     * start of the previous batch, in milliseconds.
     */
    sinceLast({ count }: Pick<BatchResult, "count">, at: number, waiting: number): number {
      const ms = at - last.at;
      const isFull = count >= BATCH_EVENTS_MAX / 2;
      // If a full batch is there already, the next one waits for the stores alone.
      if (isFull && last.isFollowed) {
        eachMs += (Math.min(ms / count, EACH_MS_MAX) - eachMs) / BATCHES_COUNTED;
      }
      last = { at, isFollowed: isFull && waiting >= BATCH_EVENTS_MAX };
      return ms;
    },
    /** Returns the time of the stores for so many events and log records, in milliseconds. */
    msFor: (events: number): number => Math.max(events, 0) * eachMs,
  };
}

/**
 * Returns the delay of the answer to `count` events when the stores have work for `backlogMs` before
 * them, in whole milliseconds (decision 57). It grows with the events of the request, so that a backfill
 * slows down before live senders do.
 */
export function responseDelayMs(backlogMs: number, count: number): number {
  const counted = count < BULK_EVENTS_MIN ? backlogMs / LIVE_FACTOR : backlogMs;
  const beyond = (counted - BACKLOG_FREE_MS) / (BACKLOG_MAX_MS - BACKLOG_FREE_MS);
  const share = Math.min(Math.max(beyond, 0), 1);
  return Math.round(Math.min(share ** 3 * DELAY_MS_EACH * count, DELAY_MS_MAX));
}
