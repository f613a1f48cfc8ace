import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Volumes } from "../ports/volume.ts";
import { Failure } from "../values/failure.ts";
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

/** Least free space that the setting `disk_floor` keeps, in bytes. A checkpoint and a few loads need it. */
export const FLOOR_BYTES_MIN = 134_217_728;

/** Most free space that the setting `disk_floor` keeps, in bytes. A share of a large volume would be too much. */
export const FLOOR_BYTES_MAX = 2_147_483_648;

/** Time for which a reading of the volume counts, in milliseconds. */
const READING_MS = 1000;

type Needs = {
  volume: Volumes["volume"];
  /** The share of the volume to keep free, in percent; 0 keeps nothing. */
  floorPercent: number;
  /** Milliseconds of a monotonic clock. */
  elapsedMs: () => number;
  log: Log;
};

/** Watches free disk space, because a failed checkpoint invalidates DuckDB's database (decision 66). */
export type DiskGuard = {
  /** Whether free space is below the limit: events are rejected, reads go on. */
  isLow(): boolean;
  /** Whether free space is below half the limit: the stores wait as well. */
  isCritical(): boolean;
  /** Free bytes and the limit, for metrics; undefined if the system does not know. */
  figures(): { free: number; floor: number } | undefined;
};

/** Watches a volume, with at most one reading a second, and logs changes. */
export function diskGuard({ volume, floorPercent, elapsedMs, log }: Needs): DiskGuard {
  let readAt = Number.NEGATIVE_INFINITY;
  let figures: { free: number; floor: number } | undefined;
  let wasLow = false;

  const read = () => {
    if (elapsedMs() - readAt < READING_MS) return figures;
    readAt = elapsedMs();
    const space = volume();
    figures = space && { free: space.free, floor: floorOf(space.total, floorPercent) };
    const low = figures !== undefined && figures.free < figures.floor;
    if (low !== wasLow) {
      if (low) log.warn("free disk space below limit; rejecting events", figures);
      else log.info("free disk space above limit; accepting events", figures);
    }
    wasLow = low;
    return figures;
  };

  const isBelow = (share: number) => {
    const now = read();
    return now !== undefined && now.free < now.floor * share;
  };
  return { isLow: () => isBelow(1), isCritical: () => isBelow(0.5), figures: read };
}

/** Returns the bytes of a volume to keep free, of a share in percent. */
export function floorOf(total: number, percent: number): number {
  if (percent === 0) return 0;
  return Math.min(Math.max((total * percent) / 100, FLOOR_BYTES_MIN), FLOOR_BYTES_MAX);
}

/** Wraps `journal.append`; fails `unavailable` while free disk space is below the limit. */
export function rejectWhenDiskLow(
  journal: Pick<Journal, "append">,
  guard: Pick<DiskGuard, "isLow">,
) {
  return {
    append(entry: Parameters<Journal["append"]>[0]): Promise<number> {
      if (!guard.isLow()) return journal.append(entry);
      const detail = "The disk is almost full: events are rejected until there is space.";
      return Promise.reject(new Failure("unavailable", detail));
    },
  };
}
