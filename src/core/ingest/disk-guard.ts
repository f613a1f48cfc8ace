import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Volumes } from "../ports/volume.ts";
import { Failure } from "../values/failure.ts";

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

function floorOf(total: number, percent: number): number {
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
