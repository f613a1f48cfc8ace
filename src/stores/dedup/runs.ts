import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import {
  type DedupEntry,
  type DedupHash,
  type DedupRecords,
  RECORD_FIELDS,
  TOMBSTONE_MINUTE,
} from "../../core/ingest/dedup-table.ts";
import type { DedupRuns } from "../../core/ports/dedup.ts";

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
 * The deduplication window's runs in `directory` (decisions 4 and 183): 16 bytes an entry in a file and about
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

/** Average entries of a bucket. Their prints, the parts of hashes in memory, fill a cache line. */
const BUCKET_ENTRIES = 16;

const PART_BITS = 8;

/** Numbers of the parts of a run. A large run is read part by part, because it may not fit into memory. */
const RUN_PARTS: readonly number[] = Array.from({ length: 2 ** PART_BITS }, (_, at) => at);

const RECORD_BYTES = RECORD_FIELDS * Uint32Array.BYTES_PER_ELEMENT;

/**
 * Entries in a file that is written once, in buckets by the first bits of their hashes. A print of each entry
 * stays in memory: 16 further bits of its hash. So most lookups of new events need no read of the file.
 */
type DedupRun = ReturnType<typeof openRun>;

/**
 * Writes at most `entriesMax` entries as a run into a new file; returns undefined without entries.
 * Several parts of records must be in the order of {@link RUN_PARTS}. Fails with the error of the disk.
 */
function writeRun(
  path: string,
  entriesMax: number,
  parts: Iterable<DedupRecords>,
): DedupRun | undefined {
  const bits = Math.max(PART_BITS, Math.ceil(Math.log2(Math.max(entriesMax, 1) / BUCKET_ENTRIES)));
  const sizes = new Uint32Array(2 ** bits);
  const prints = new Uint16Array(entriesMax);
  let count = 0;
  let newest = 0;
  const file = openSync(path, "wx+", 0o600);
  const close = () => {
    closeSync(file);
    rmSync(path, { force: true });
  };
  try {
    for (const part of parts) {
      const records = sortIntoBuckets(part, bits, sizes);
      writeAll(file, records, count * RECORD_BYTES);
      for (let at = 0; at < records.length; at += RECORD_FIELDS) {
        prints[count] = printOf(records[at + 1] as number);
        newest = Math.max(newest, records[at + 2] as number);
        count += 1;
      }
    }
  } catch (error) {
    close();
    throw error;
  }
  if (count > 0)
    return openRun({ file, close, newest, bits, sizes, prints: prints.slice(0, count) });
  close();
  return undefined;
}

type Written = {
  file: number;
  close: () => void;
  /** Latest minute of arrival of an entry. */
  newest: number;
  bits: number;
  /** Number of entries of each bucket. */
  sizes: Uint32Array;
  /** The prints of all entries, in the order of the file; see {@link printOf}. */
  prints: Uint16Array;
};

function openRun({ file, close, newest, bits, sizes, prints }: Written) {
  /** The first index of each bucket, and the end of the last one. */
  const starts = new Uint32Array(sizes.length + 1);
  for (const [bucket, size] of sizes.entries()) starts[bucket + 1] = (starts[bucket] ?? 0) + size;
  const record = new Uint32Array(RECORD_FIELDS);
  let hasTombstones = false;

  /** Reads the entry of a hash into `record` and returns its index; undefined without one. */
  const read = (hash: DedupHash): number | undefined => {
    const bucket = bucketOf(hash.low, bits);
    const print = printOf(hash.high);
    const start = starts[bucket] as number;
    // If two entries have the same hash, the later one counts.
    for (let at = (starts[bucket + 1] as number) - 1; at >= start; at -= 1) {
      if (prints[at] !== print) continue;
      readAll(file, record, at * RECORD_BYTES);
      if (record[0] === hash.low && record[1] === hash.high) return at;
    }
    return undefined;
  };

  return {
    count: prints.length,
    newest,
    close,

    /** Returns the entry of a hash; undefined without one. */
    find(hash: DedupHash): DedupEntry | undefined {
      if (read(hash) === undefined) return undefined;
      return { minute: record[2] as number, fingerprint: record[3] as number };
    },

    /** Replaces an entry by a tombstone; returns false if there was no entry. */
    remove(hash: DedupHash): boolean {
      const at = read(hash);
      if (at === undefined) return false;
      record[2] = TOMBSTONE_MINUTE;
      writeAll(file, record, at * RECORD_BYTES);
      hasTombstones = true;
      return true;
    },

    hasTombstones: () => hasTombstones,

    /** Reads the entries of one of {@link RUN_PARTS}: the first bits of their hashes are that number. */
    part(number: number): DedupRecords {
      const [from = 0, to = 0] = [number, number + 1].map((at) => starts[at << (bits - PART_BITS)]);
      const records = new Uint32Array((to - from) * RECORD_FIELDS);
      readAll(file, records, from * RECORD_BYTES);
      return records;
    },
  };
}

const bucketOf = (low: number, bits: number) => low >>> (32 - bits);

/** Returns the print of a hash: bits that are kept in memory, other than those of its bucket. */
const printOf = (high: number) => high & 0xff_ff;

/** Sorts entries by bucket and adds them to `sizes`; entries of one bucket keep their order. */
function sortIntoBuckets(records: DedupRecords, bits: number, sizes: Uint32Array): DedupRecords {
  let first = sizes.length;
  let last = -1;
  for (let at = 0; at < records.length; at += RECORD_FIELDS) {
    const bucket = bucketOf(records[at] as number, bits);
    sizes[bucket] = (sizes[bucket] as number) + 1;
    first = Math.min(first, bucket);
    last = Math.max(last, bucket);
  }
  const offsets = new Uint32Array(Math.max(last - first + 1, 0));
  for (let bucket = first, offset = 0; bucket <= last; bucket++) {
    offsets[bucket - first] = offset;
    offset += (sizes[bucket] as number) * RECORD_FIELDS;
  }
  const sorted = new Uint32Array(records.length);
  for (let at = 0; at < records.length; at += RECORD_FIELDS) {
    const bucket = bucketOf(records[at] as number, bits) - first;
    const offset = offsets[bucket] as number;
    offsets[bucket] = offset + RECORD_FIELDS;
    for (let field = 0; field < RECORD_FIELDS; field++) {
      sorted[offset + field] = records[at + field] as number;
    }
  }
  return sorted;
}

/** Writes all bytes, or fails. */
function writeAll(file: number, records: DedupRecords, position: number): void {
  const bytes = bytesOf(records);
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
  }
}

/** Fills `into`, or fails. */
function readAll(file: number, into: DedupRecords, position: number): void {
  const bytes = bytesOf(into);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file, bytes, done, bytes.length - done, position + done);
    if (read === 0) throw new Error("A file of the deduplication window was cut");
    done += read;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: DedupRecords): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
