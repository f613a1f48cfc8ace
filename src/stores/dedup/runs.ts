import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type DedupRecords,
  RECORD_FIELDS,
  TOMBSTONE_MINUTE,
} from "../../core/ingest/dedup-table.ts";
import type { DedupRuns } from "../../core/ports/dedup.ts";
import { type DedupRun, RUN_PARTS, writeRun } from "./run.ts";

/** Name of the folder of the runs in the data directory. */
export const DEDUP_DIRECTORY = "seen";

/**
 * Number of runs of about the same size that are merged into one. A smaller number writes each entry more
 * often, and a larger one makes each lookup ask more runs.
 */
const MERGED_RUNS = 4;

/** Most entries of a merged run: larger ones are not made, because a merge takes half a second. */
const RUN_ENTRIES_MAX = 8_388_608;

/**
 * The deduplication window's runs in `directory` (decision 4): 16 bytes an entry in a file and about
 * 2.3 bytes in memory. The files belong to this process: they are not synced, and a start removes them.
 */
export function dedupRuns(directory: string): DedupRuns {
  const leftovers = existsSync(directory) ? readdirSync(directory) : [];
  for (const leftover of leftovers) rmSync(join(directory, leftover));
  /** The newest run is the last. */
  let runs: DedupRun[] = [];
  let written = 0;

  const write = (entriesMax: number, parts: Iterable<DedupRecords>): DedupRun[] => {
    written += 1;
    // The folder is made only now: a start on a full disk needs none.
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const run = writeRun(join(directory, `${written}.seen`), entriesMax, parts);
    return run === undefined ? [] : [run];
  };

  /** Replaces adjacent runs by one, without tombstones and without entries before a minute. */
  const merge = (from: number, count: number, minute: number): void => {
    const old = runs.slice(from, from + count);
    const entries = old.reduce((sum, run) => sum + run.count, 0);
    const firstMinute = Math.max(minute, TOMBSTONE_MINUTE + 1);
    const parts = RUN_PARTS.values().map((part) => mergedPart(old, part, firstMinute));
    runs = runs.toSpliced(from, count, ...write(entries, parts));
    for (const run of old) run.close();
  };

  return {
    append(records) {
      runs = [...runs, ...write(records.length / RECORD_FIELDS, [records])];
    },
    compact(firstMinute) {
      while (isMergeDue(runs)) merge(runs.length - MERGED_RUNS, MERGED_RUNS, firstMinute);
    },
    find(hash) {
      for (let at = runs.length - 1; at >= 0; at -= 1) {
        const entry = runs[at]?.find(hash);
        if (entry !== undefined) return entry;
      }
      return undefined;
    },
    remove: (hash) => void runs.findLast((run) => run.remove(hash)),
    expire(firstMinute) {
      const old = runs.filter(({ newest }) => newest < firstMinute);
      runs = runs.filter(({ newest }) => newest >= firstMinute);
      for (const run of old) run.close();
    },
    purge() {
      for (let at = runs.length - 1; at >= 0; at -= 1) {
        if (runs[at]?.hasTombstones()) merge(at, 1, 0);
      }
    },
    size: () => runs.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Whether the newest runs are of about the same size, and their merged run is not too large. */
function isMergeDue(runs: readonly DedupRun[]): boolean {
  const newest = runs.slice(-MERGED_RUNS);
  const [largest = 0, ...others] = newest.map(({ count }) => count);
  if (newest.length < MERGED_RUNS || largest > Math.max(...others) * 2) return false;
  return largest * MERGED_RUNS <= RUN_ENTRIES_MAX;
}

/** The entries that some runs have in a part, without those before a minute. */
function mergedPart(runs: readonly DedupRun[], part: number, firstMinute: number): DedupRecords {
  const records = runs.map((run) => run.part(part));
  const merged = new Uint32Array(records.reduce((sum, { length }) => sum + length, 0));
  let used = 0;
  for (const from of records) {
    for (let at = 0; at < from.length; at += RECORD_FIELDS) {
      if ((from[at + 2] as number) < firstMinute) continue;
      for (let field = 0; field < RECORD_FIELDS; field++) {
        merged[used + field] = from[at + field] as number;
      }
      used += RECORD_FIELDS;
    }
  }
  return merged.subarray(0, used);
}
