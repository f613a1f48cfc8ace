import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  LEFT_MINUTE,
  RECORD_FIELDS,
  type Seen,
  type SeenHash,
  type SeenRecords,
} from "../../core/ingest/dedup-table.ts";
import type { SeenRuns } from "../../core/ports/dedup.ts";
import { RUN_PARTS, type SeenRun, writeRun } from "./run.ts";

/** Where the runs are, in the data directory. */
export const SEEN_DIRECTORY = "seen";

/**
 * Runs of about the same size that are joined into one: with fewer, each entry would be written more
 * often, with more there would be more places to look at.
 */
const RUNS_ALIKE = 4;

/** Entries of a run; what would be larger is not joined: it takes half a second. */
const RUN_ENTRIES_MAX = 8_388_608;

/**
 * Entries of the deduplication window (decision 4) that are no longer in memory: 16 bytes each in a
 * file of `directory`, and 2.3 bytes by which most of those that are asked for are known not to be in
 * it. The files are this process's alone: they are made anew at every start, and are not synced. All
 * of it throws what the disk throws.
 */
export function seenRuns(directory: string): SeenRuns {
  const leftovers = existsSync(directory) ? readdirSync(directory) : [];
  for (const leftover of leftovers) rmSync(join(directory, leftover));
  /** The newest last. */
  let runs: SeenRun[] = [];
  let written = 0;

  const write = (entriesMax: number, parts: Iterable<SeenRecords>): SeenRun | undefined => {
    written += 1;
    // Not before: a start on a full disk needs none.
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return writeRun(join(directory, `${written}.seen`), entriesMax, parts);
  };

  /** One run in the place of some that follow each other, without what came before a minute or was removed. */
  const rewrite = (from: number, count: number, minute: number): void => {
    const old = runs.slice(from, from + count);
    const entries = old.reduce((sum, run) => sum + run.count, 0);
    const firstMinute = Math.max(minute, LEFT_MINUTE + 1);
    const parts = RUN_PARTS.values().map((part) => joinedPart(old, part, firstMinute));
    const joined = write(entries, parts);
    runs = runs.toSpliced(from, count, ...(joined === undefined ? [] : [joined]));
    for (const run of old) run.close();
  };

  return {
    /** Remembers entries, none of which is in it with a minute of the window. */
    put(records: SeenRecords): void {
      const run = write(records.length / RECORD_FIELDS, [records]);
      if (run !== undefined) runs = [...runs, run];
    },

    /** Joins the newest runs while there are too many alike, without what came before a minute. */
    join(firstMinute: number): void {
      for (let alike = alikeAtEnd(runs); alike > 0; alike = alikeAtEnd(runs)) {
        rewrite(runs.length - alike, alike, firstMinute);
      }
    },

    /** What is remembered of an event; undefined if nothing. */
    find(hash: SeenHash): Seen | undefined {
      for (let at = runs.length - 1; at >= 0; at -= 1) {
        const seen = runs[at]?.find(hash);
        if (seen !== undefined) return seen;
      }
      return undefined;
    },

    /** Makes an event as good as gone; its hash stays until {@link sweep}. */
    remove(hash: SeenHash): void {
      runs.findLast((run) => run.remove(hash));
    },

    /** Removes runs of which everything came before a minute. */
    forget(firstMinute: number): void {
      const old = runs.filter(({ newest }) => newest < firstMinute);
      runs = runs.filter(({ newest }) => newest >= firstMinute);
      for (const run of old) run.close();
    },

    /** Takes the hashes of what was removed off the disk. */
    sweep(): void {
      for (let at = runs.length - 1; at >= 0; at -= 1) {
        if (runs[at]?.lacks()) rewrite(at, 1, 0);
      }
    },

    /** Entries held. */
    size: () => runs.reduce((sum, { count }) => sum + count, 0),
  };
}

/** How many of the newest runs are to be one; 0 if none. */
function alikeAtEnd(runs: readonly SeenRun[]): number {
  const newest = runs.slice(-RUNS_ALIKE);
  const [largest = 0, ...others] = newest.map(({ count }) => count);
  const isJoined = newest.length === RUNS_ALIKE && largest <= Math.max(...others) * 2;
  return isJoined && largest * RUNS_ALIKE <= RUN_ENTRIES_MAX ? RUNS_ALIKE : 0;
}

/** What some runs have in a part, without what came before a minute. */
function joinedPart(runs: readonly SeenRun[], part: number, firstMinute: number): SeenRecords {
  const records = runs.map((run) => run.part(part));
  const joined = new Uint32Array(records.reduce((sum, { length }) => sum + length, 0));
  let used = 0;
  for (const from of records) {
    for (let at = 0; at < from.length; at += RECORD_FIELDS) {
      if ((from[at + 2] as number) < firstMinute) continue;
      for (let field = 0; field < RECORD_FIELDS; field++) {
        joined[used + field] = from[at + field] as number;
      }
      used += RECORD_FIELDS;
    }
  }
  return joined.subarray(0, used);
}
