import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { freeCachedBlocks } from "./memory-limit.ts";

/** DuckDB's files are three headers and then blocks; each begins with its checksum. */
const HEADERS_BYTES = 3 * 4096;
const BLOCK_BYTES = 262_144;
const CHECKSUM_BYTES = 8;

/** The checksum is the XOR of a start value and of all 8-byte words, each multiplied by this factor. */
const CHECKSUM_FACTOR = 0xbf_58_47_6d_1c_e4_e5_b9n;

const PAGE_BYTES = BLOCK_BYTES - CHECKSUM_BYTES;

/** Bytes at the end of a full page, which name the next one. */
const NEXT_BYTES = 8;

/** Values that are compressed together. */
const VECTOR_ROWS = 2048;

/** The page number of a vector that begins on the segment's own page. */
const SAME_PAGE = -1n;

const ZEROS = Buffer.alloc(PAGE_BYTES);

type Segment = { block: number; offset: number; count: number };

/**
 * Overwrites the padding of compressed pages in an attached file with zeros. DuckDB writes such pages whole,
 * with old content of memory in the padding: pages of the old file (decision 60). The caller must keep others
 * from writing the file; rows that are not checkpointed are skipped.
 */
export async function zeroPagePadding(
  connection: DuckDBConnection,
  { name, path }: { name: string; path: string },
): Promise<void> {
  const segments = await compressedSegments(connection, name);
  const file = openSync(path, "r+");
  try {
    for (const segment of segments) {
      for (const [page, used] of pagesOf(file, segment)) clearPage(file, page, used);
      // A large file takes seconds, and others wait for this thread.
      await Bun.sleep(0);
    }
  } finally {
    closeSync(file);
  }
}

type ScrubOptions = {
  /** The name under which the file is attached, and its path. */
  name: string;
  path: string;
  memory_bytes: number;
};

/**
 * Clears bytes of deleted rows from the padding of pages, and from memory that is later written as pages.
 * Without it, the next checkpoint wrote such values into the new file in three of 30 runs. No other statement
 * may run meanwhile.
 */
export async function scrubFreedPages(
  connection: DuckDBConnection,
  { name, path, memory_bytes }: ScrubOptions,
): Promise<void> {
  // The result of a query holds its memory until it is garbage collected.
  Bun.gc(true);
  const zeroPadding = () => zeroPagePadding(connection, { name, path });
  // Also before the checkpoint, because pages that it frees keep their content.
  await zeroPadding();
  await connection.run("CHECKPOINT");
  await zeroPadding();
  syncFile(path);
  await freeCachedBlocks(connection, { memory_bytes });
}

/** Makes a file survive a power cut. */
export function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

async function compressedSegments(connection: DuckDBConnection, name: string): Promise<Segment[]> {
  const tables = await connection.runAndReadAll(
    "SELECT table_name FROM duckdb_tables() WHERE database_name = $name AND NOT internal",
    { name },
  );
  const segments: Segment[] = [];
  for (const [table] of tables.getRows()) {
    const found = await connection.runAndReadAll(
      `SELECT block_id, block_offset, count FROM pragma_storage_info($table)
       WHERE compression = 'ZSTD' AND persistent`,
      { table: `${name}.${table}` },
    );
    for (const [block, offset, count] of found.getRows()) {
      segments.push({ block: Number(block), offset: Number(offset), count: Number(count) });
    }
  }
  return segments;
}

/** Returns the pages of a segment after its own, with the number of used bytes of each. */
function pagesOf(file: number, segment: Segment): Map<number, number> {
  const { block, offset, count } = segment;
  const used = new Map<number, number>();
  const vectors = Math.ceil(count / VECTOR_ROWS);
  const sizes = Math.ceil((vectors * 12) / 8) * 8;
  const head = read(file, block, offset, sizes + vectors * 16);
  for (let vector = 0; vector < vectors; vector++) {
    const lengths = Math.min(VECTOR_ROWS, count - vector * VECTOR_ROWS) * 4;
    const ends = vectorPages(file, segment, {
      page: head.readBigInt64LE(vector * 8),
      from: head.readUInt32LE(vectors * 8 + vector * 4) + lengths,
      bytes: Number(head.readBigUInt64LE(sizes + vectors * 8 + vector * 8)),
    });
    for (const [page, end] of ends) used.set(page, Math.max(used.get(page) ?? 0, end));
  }
  return used;
}

/** Yields the pages of a vector, except the segment's own, and where the vector ends on each. */
function* vectorPages(
  file: number,
  { block, offset }: Segment,
  { page, from, bytes }: { page: bigint; from: number; bytes: number },
): Generator<[page: number, end: number]> {
  let [current, start, left] = [page, from, bytes];
  for (;;) {
    const space = PAGE_BYTES - NEXT_BYTES - start;
    const isLast = left <= space;
    if (current !== SAME_PAGE) yield [Number(current), isLast ? start + left : PAGE_BYTES];
    if (isLast) return;
    const [owner, shift] = current === SAME_PAGE ? [block, offset] : [Number(current), 0];
    current = read(file, owner, PAGE_BYTES - NEXT_BYTES + shift, NEXT_BYTES).readBigInt64LE();
    left -= space;
    start = 0;
  }
}

/** Zeros the padding of a page. Because the checksum is an XOR, only the words that change are needed. */
function clearPage(file: number, page: number, used: number): void {
  const from = used - (used % 8);
  if (from >= PAGE_BYTES) return;
  const tail = read(file, page, from, PAGE_BYTES - from);
  const padding = tail.subarray(used - from);
  if (padding.equals(ZEROS.subarray(0, padding.length))) return;
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  readSync(file, checksum, 0, CHECKSUM_BYTES, positionOf(page));
  const before = checksumOf(tail);
  tail.fill(0, used - from);
  checksum.writeBigUInt64LE(checksum.readBigUInt64LE() ^ before ^ checksumOf(tail));
  writeSync(file, tail, 0, tail.length, positionOf(page) + CHECKSUM_BYTES + from);
  writeSync(file, checksum, 0, CHECKSUM_BYTES, positionOf(page));
}

function checksumOf(bytes: Buffer): bigint {
  let result = 0n;
  for (let at = 0; at < bytes.length; at += 8) {
    const word = bytes.readBigUInt64LE(at);
    if (word !== 0n) result ^= BigInt.asUintN(64, word * CHECKSUM_FACTOR);
  }
  return result;
}

function read(file: number, block: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const got = readSync(file, bytes, 0, length, positionOf(block) + CHECKSUM_BYTES + offset);
  if (got !== length) throw new Error("The event store's file ends within a page");
  return bytes;
}

function positionOf(block: number): number {
  return HEADERS_BYTES + block * BLOCK_BYTES;
}
