import { join } from "node:path";
import type { Disk, WritableFile } from "../files/disk.ts";

/**
 * A file of zeros that waits to be the journal's next segment. Writes into it change neither its size nor
 * its place, so a sync waits for no other file: during other writes it takes 1.5 ms instead of 3.1,
 * and 64 connections store 14,000 to 21,000 single events a second instead of 7,000 to 10,000.
 */
export type Reserve = {
  /** Whether the file waits. */
  isReady(): boolean;
  /** Begins to make it, unless it waits or is being made, or the disk has too little room. */
  prepare(): void;
  /** Gives it another path and opens it there; undefined if none waits or the disk refuses. */
  take(path: string): Promise<WritableFile | undefined>;
  /** Ends the making and removes what waits. */
  close(): Promise<void>;
};

/** What must be free on the disk, in bytes: twice the highest floor below which events are refused. */
export const RESERVE_FREE_BYTES_MIN = 4_000_000_000;

/** How long a disk that refused is left alone, in milliseconds. */
const REFUSED_MS = 60_000;

/** The file's name while it waits. */
const NAME = "reserved";

type Options = { directory: string; disk: Disk; bytes: number };

/** A reserve of so many `bytes`. What an earlier process has left is removed. */
export async function segmentReserve({ directory, disk, bytes }: Options): Promise<Reserve> {
  const path = join(directory, NAME);
  if (disk.list(directory).includes(NAME)) await disk.remove(path);
  let isReady = false;
  let making: Promise<void> | undefined;
  let refusedAt = Number.NEGATIVE_INFINITY;
  const ending = new AbortController();

  async function make(): Promise<void> {
    try {
      await disk.fill(path, bytes, ending.signal);
      isReady = true;
    } catch {
      // Without it all goes on, only slower.
      refusedAt = performance.now();
      await disk.remove(path).catch(() => undefined);
    }
    making = undefined;
  }

  return {
    isReady: () => isReady,
    prepare() {
      if (isReady || making !== undefined || ending.signal.aborted) return;
      if (performance.now() - refusedAt < REFUSED_MS) return;
      if (disk.free(directory) - bytes < RESERVE_FREE_BYTES_MIN) return;
      making = make();
    },
    async take(segment) {
      if (!isReady) return undefined;
      isReady = false;
      try {
        await disk.rename(path, segment);
        return await disk.open(segment);
      } catch {
        for (const left of [path, segment]) await disk.remove(left).catch(() => undefined);
        return undefined;
      }
    },
    async close() {
      ending.abort();
      await making;
      if (isReady) await disk.remove(path).catch(() => undefined);
      isReady = false;
    },
  };
}
