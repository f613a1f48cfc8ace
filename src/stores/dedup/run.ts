import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import {
  LEFT_MINUTE,
  RECORD_FIELDS,
  type Seen,
  type SeenHash,
  type SeenRecords,
} from "../../core/ingest/dedup-table.ts";

/** Entries in a bucket, about: their prints are one line of a processor's cache. */
const BUCKET_ENTRIES = 16;

const PART_BITS = 8;

/** The parts of a run, which may be read one at a time: all of a large one would not fit into memory. */
export const RUN_PARTS: readonly number[] = Array.from({ length: 2 ** PART_BITS }, (_, at) => at);

const RECORD_BYTES = RECORD_FIELDS * Uint32Array.BYTES_PER_ELEMENT;

/**
 * Writes at most `entriesMax` entries as a run into a file that is not there yet; undefined if there
 * are none. They may come in parts, as {@link SeenRun} has them.
 */
export function writeRun(
  path: string,
  entriesMax: number,
  parts: Iterable<SeenRecords>,
): SeenRun | undefined {
  const bits = bitsFor(entriesMax);
  const sizes = new Uint32Array(2 ** bits);
  const prints: Uint16Array[] = [];
  let count = 0;
  let newest = 0;
  const file = openSync(path, "wx+", 0o600);
  const close = () => {
    closeSync(file);
    rmSync(path, { force: true });
  };
  try {
    for (const part of parts) {
      const records = inBuckets(part, bits, sizes);
      writeAll(file, records, count * RECORD_BYTES);
      prints.push(printsOf(records));
      newest = Math.max(newest, newestOf(records));
      count += records.length / RECORD_FIELDS;
    }
  } catch (error) {
    close();
    throw error;
  }
  if (count > 0) return runOf({ file, close, newest, ...{ bits, sizes, count, prints } });
  close();
  return undefined;
}

/** Bits of a hash by which so many entries are put into buckets. */
function bitsFor(entries: number): number {
  return Math.max(PART_BITS, Math.ceil(Math.log2(Math.max(entries, 1) / BUCKET_ENTRIES)));
}

type Written = {
  file: number;
  close: () => void;
  /** The minute in which the last of its entries came. */
  newest: number;
  bits: number;
  /** How many entries each bucket has. */
  sizes: Uint32Array;
  count: number;
  /** The prints of its entries, in their order. */
  prints: Uint16Array[];
};

/**
 * Entries that were written once and stay, in the order of the buckets that the first bits of their
 * hashes name. Whether one may be among them is known without the file.
 */
export type SeenRun = ReturnType<typeof runOf>;

function runOf({ file, close, newest, bits, sizes, count, ...parts }: Written) {
  /** Where each bucket begins, and the last one ends. */
  const starts = new Uint32Array(sizes.length + 1);
  for (const [bucket, size] of sizes.entries()) starts[bucket + 1] = (starts[bucket] ?? 0) + size;
  const prints = joinedPrints(parts.prints, count);
  const one = new Uint32Array(RECORD_FIELDS);
  let removed = 0;

  /** Reads the entry of a hash, and says which it is; undefined if there is none. */
  const read = (hash: SeenHash): number | undefined => {
    const bucket = bucketOf(hash.low, bits);
    const print = printOf(hash.high);
    const start = starts[bucket] as number;
    // Of two of the same hash the later one counts.
    for (let at = (starts[bucket + 1] as number) - 1; at >= start; at -= 1) {
      if (prints[at] !== print) continue;
      readAll(file, one, at * RECORD_BYTES);
      if (one[0] === hash.low && one[1] === hash.high) return at;
    }
    return undefined;
  };

  return {
    count,
    newest,
    close,

    find(hash: SeenHash): Seen | undefined {
      if (read(hash) === undefined) return undefined;
      return { minute: one[2] as number, mark: one[3] as number };
    },

    /** Says whether it was there. */
    remove(hash: SeenHash): boolean {
      const at = read(hash);
      if (at === undefined) return false;
      one[2] = LEFT_MINUTE;
      writeAll(file, one, at * RECORD_BYTES);
      removed += 1;
      return true;
    },

    /** Whether something was removed. */
    lacks: () => removed > 0,

    /** Its entries of one of RUN_PARTS: the first bits of their hashes are that number. */
    part(number: number): SeenRecords {
      const [from, to] = [number, number + 1].map((at) => starts[at << (bits - PART_BITS)] ?? 0);
      const records = new Uint32Array(((to ?? 0) - (from ?? 0)) * RECORD_FIELDS);
      readAll(file, records, (from ?? 0) * RECORD_BYTES);
      return records;
    },
  };
}

const bucketOf = (low: number, bits: number) => low >>> (32 - bits);

/** The bits of a hash that are in memory beside those that name its bucket. */
const printOf = (high: number) => high & 0xff_ff;

/** Entries in the order of their buckets, those of one as they were; `sizes` counts them. */
function inBuckets(records: SeenRecords, bits: number, sizes: Uint32Array): SeenRecords {
  let first = sizes.length;
  let last = -1;
  for (let at = 0; at < records.length; at += RECORD_FIELDS) {
    const bucket = bucketOf(records[at] as number, bits);
    sizes[bucket] = (sizes[bucket] as number) + 1;
    first = Math.min(first, bucket);
    last = Math.max(last, bucket);
  }
  const places = new Uint32Array(Math.max(last - first + 1, 0));
  for (let bucket = first, place = 0; bucket <= last; bucket++) {
    places[bucket - first] = place;
    place += sizes[bucket] as number;
  }
  const sorted = new Uint32Array(records.length);
  for (let at = 0; at < records.length; at += RECORD_FIELDS) {
    const bucket = bucketOf(records[at] as number, bits) - first;
    const place = places[bucket] as number;
    places[bucket] = place + 1;
    for (let field = 0; field < RECORD_FIELDS; field++) {
      sorted[place * RECORD_FIELDS + field] = records[at + field] as number;
    }
  }
  return sorted;
}

function printsOf(records: SeenRecords): Uint16Array {
  const prints = new Uint16Array(records.length / RECORD_FIELDS);
  for (const at of prints.keys()) prints[at] = printOf(records[at * RECORD_FIELDS + 1] as number);
  return prints;
}

function joinedPrints(parts: readonly Uint16Array[], count: number): Uint16Array {
  const prints = new Uint16Array(count);
  let used = 0;
  for (const part of parts) {
    prints.set(part, used);
    used += part.length;
  }
  return prints;
}

function newestOf(records: SeenRecords): number {
  let newest = 0;
  for (let at = 2; at < records.length; at += RECORD_FIELDS) {
    newest = Math.max(newest, records[at] as number);
  }
  return newest;
}

/** Writes all of it, or throws. */
function writeAll(file: number, records: SeenRecords, position: number): void {
  const bytes = bytesOf(records);
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
  }
}

/** Reads as much as there is place for, or throws. */
function readAll(file: number, into: SeenRecords, position: number): void {
  const bytes = bytesOf(into);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file, bytes, done, bytes.length - done, position + done);
    if (read === 0) throw new Error("A file of the deduplication window was cut");
    done += read;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: SeenRecords): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
