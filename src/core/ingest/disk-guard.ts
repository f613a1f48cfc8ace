import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Volumes } from "../ports/volume.ts";
import { Failure } from "../values/failure.ts";

/** Least free space that the setting `disk_floor` keeps, in bytes. A checkpoint and a few loads need it. */
export const FLOOR_BYTES_MIN = 134_217_728;

/** Most free space that the setting `disk_floor` keeps, in bytes. A share of a large volume would be too much. */
export const FLOOR_BYTES_MAX = 2_147_483_648;

/** How long what the volume said counts, in milliseconds. */
const LOOK_MS = 1000;

type Needs = {
  volume: Volumes["volume"];
  /** The share of the volume to keep free, in percent; 0 keeps nothing. */
  floorPercent: number;
  /** Milliseconds of a clock that is never set. */
  elapsedMs: () => number;
  log: Log;
};

/** Whether the disk has space: a checkpoint that fails takes DuckDB's database down (decision 66). */
export type DiskGuard = {
  /** Whether less is free than the floor: nothing is taken any more, reads go on. */
  isLow(): boolean;
  /** Whether less than half the floor is free: the stores wait, too. */
  isCritical(): boolean;
  /** Free bytes and the floor, for metrics; undefined if nobody can tell. */
  figures(): { free: number; floor: number } | undefined;
};

/** Watches a volume, with a look at most once a second. Says in the log when that changes. */
export function diskGuard({ volume, floorPercent, elapsedMs, log }: Needs): DiskGuard {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let seen: { free: number; floor: number } | undefined;
  let wasLow = false;

  const look = () => {
    if (elapsedMs() - lookedAt < LOOK_MS) return seen;
    lookedAt = elapsedMs();
    const found = volume();
    seen = found && { free: found.free, floor: floorOf(found.total, floorPercent) };
    const low = seen !== undefined && seen.free < seen.floor;
    if (low !== wasLow) {
      if (low) log.warn("the disk is below its floor: events are refused until it is not", seen);
      else log.info("the disk is above its floor again: events are taken", seen);
    }
    wasLow = low;
    return seen;
  };

  const isBelow = (share: number) => {
    const figures = look();
    return figures !== undefined && figures.free < figures.floor * share;
  };
  return { isLow: () => isBelow(1), isCritical: () => isBelow(0.5), figures: look };
}

function floorOf(total: number, percent: number): number {
  if (percent === 0) return 0;
  return Math.min(Math.max((total * percent) / 100, FLOOR_BYTES_MIN), FLOOR_BYTES_MAX);
}

/** The journal as those see it who accept: below the floor it takes nothing. */
export function rejectWhenDiskLow(
  journal: Pick<Journal, "append">,
  room: Pick<DiskGuard, "isLow">,
) {
  return {
    append(entry: Parameters<Journal["append"]>[0]): Promise<number> {
      if (!room.isLow()) return journal.append(entry);
      const detail = "The disk is almost full: nothing is taken until there is space.";
      return Promise.reject(new Failure("unavailable", detail));
    },
  };
}
