import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { shrink } from "./memory-limit.ts";

/** DuckDB's files are three headers and then blocks; each begins with its checksum. */
const HEADERS_BYTES = 3 * 4096;
const BLOCK_BYTES = 262_144;
const CHECKSUM_BYTES = 8;

/** The checksum is the XOR of a number to begin with and of all words, each times this. */
const CHECKSUM_FACTOR = 0xbf_58_47_6d_1c_e4_e5_b9n;

const PAGE_BYTES = BLOCK_BYTES - CHECKSUM_BYTES;

/** Where a page that goes on names the next one. */
const NEXT_BYTES = 8;

/** Values that are compressed together. */
const VECTOR_ROWS = 2048;

/** Marks a page of a segment that begins in this very page. */
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

type Stale = {
  /** The name under which the file is attached, and its path. */
  name: string;
  path: string;
  memory_bytes: number;
};

/**
 * Clears bytes of deleted rows from the padding of pages, and from memory that becomes pages. Without it
 * three of 30 runs left values in the new file, written with the next checkpoint. Nothing else may run.
 */
export async function scrubFreedPages(
  connection: DuckDBConnection,
  { name, path, memory_bytes }: Stale,
): Promise<void> {
  // A result stays in memory until the garbage collection.
  Bun.gc(true);
  const clear = () => zeroPagePadding(connection, { name, path });
  // Also before the checkpoint: pages that it frees keep their content.
  await clear();
  await connection.run("CHECKPOINT");
  await clear();
  syncFile(path);
  await shrink(connection, { memory_bytes });
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

/** The further pages of a segment, and how many bytes of each are used. */
function pagesOf(file: number, segment: Segment): Map<number, number> {
  const { block, offset, count } = segment;
  const used = new Map<number, number>();
  const vectors = Math.ceil(count / VECTOR_ROWS);
  const sizes = Math.ceil((vectors * 12) / 8) * 8;
  const head = read(file, block, offset, sizes + vectors * 16);
  for (let at = 0; at < vectors; at++) {
    const lengths = Math.min(VECTOR_ROWS, count - at * VECTOR_ROWS) * 4;
    const ends = follow(file, segment, {
      page: head.readBigInt64LE(at * 8),
      from: head.readUInt32LE(vectors * 8 + at * 4) + lengths,
      bytes: Number(head.readBigUInt64LE(sizes + vectors * 8 + at * 8)),
    });
    for (const [page, end] of ends) used.set(page, Math.max(used.get(page) ?? 0, end));
  }
  return used;
}

/** The pages on which a vector is, and where it ends on each; not the segment's own. */
function* follow(
  file: number,
  { block, offset }: Segment,
  { page, from, bytes }: { page: bigint; from: number; bytes: number },
): Generator<[page: number, end: number]> {
  let [at, start, rest] = [page, from, bytes];
  for (;;) {
    const room = PAGE_BYTES - NEXT_BYTES - start;
    const isLast = rest <= room;
    if (at !== SAME_PAGE) yield [Number(at), isLast ? start + rest : PAGE_BYTES];
    if (isLast) return;
    const next = PAGE_BYTES - NEXT_BYTES + (at === SAME_PAGE ? offset : 0);
    at = read(file, at === SAME_PAGE ? block : Number(at), next, NEXT_BYTES).readBigInt64LE();
    rest -= room;
    start = 0;
  }
}

/** That of what changes is enough for the checksum. */
function clearPage(file: number, page: number, used: number): void {
  const from = used - (used % 8);
  if (from >= PAGE_BYTES) return;
  const tail = read(file, page, from, PAGE_BYTES - from);
  const slack = tail.subarray(used - from);
  if (slack.equals(ZEROS.subarray(0, slack.length))) return;
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  readSync(file, checksum, 0, CHECKSUM_BYTES, positionOf(page));
  const before = sum(tail);
  tail.fill(0, used - from);
  checksum.writeBigUInt64LE(checksum.readBigUInt64LE() ^ before ^ sum(tail));
  writeSync(file, tail, 0, tail.length, positionOf(page) + CHECKSUM_BYTES + from);
  writeSync(file, checksum, 0, CHECKSUM_BYTES, positionOf(page));
}

function sum(bytes: Buffer): bigint {
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
