import { type FileHandle, open } from "node:fs/promises";

/** DuckDB's files are three headers and then blocks, each behind a checksum: all headers. */
export const HEADERS_BYTES = 3 * 4096;

/** A block, with its checksum. */
export const BLOCK_BYTES = 262_144;

/** Its checksum, which it begins with. */
export const CHECKSUM_BYTES = 8;

/** The checksum is the XOR of all words, each times this, and of a number to begin with. */
export const CHECKSUM_FACTOR = 0xbf_58_47_6d_1c_e4_e5_b9n;

/**
 * Where the second and the third header are, of which the one counts that was written last, and what
 * is in them: how often they were written, where the list of free blocks is, how many blocks there are.
 */
const HEADERS = [4096, 8192];
const ITERATION_AT = 8;
const FREE_LIST_AT = 24;
const BLOCK_COUNT_AT = 32;

/** Such a list is in parts of blocks: where the next part is, numbers of blocks, and first how many. */
const PART_BYTES = 4088;
const WORD_BYTES = 8;
const NO_PART = 0xff_ff_ff_ff_ff_ff_ff_ffn;

/** Bytes of a file up to which all of its blocks are looked at (decision 65). */
export const CHECKED_BYTES_MAX = 268_435_456;

/**
 * Whether a file of DuckDB's of up to CHECKED_BYTES_MAX lacks a block, or has one that is not as it was
 * written: free ones do not count, which may be half written, or behind the end. False if there is no file
 * that can be read, which the engine tells better.
 */
export async function isSuspect(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    return await hasBadBlock(file);
  } catch {
    return false;
  } finally {
    await file?.close();
  }
}

async function hasBadBlock(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size > CHECKED_BYTES_MAX) return false;
  const { count, free } = await layoutOf(file);
  const there = Math.floor((size - HEADERS_BYTES) / BLOCK_BYTES);
  for (let block = there; block < count; block += 1) if (!free.has(block)) return true;
  const { memory, checksum } = summing();
  const halves = [0, 1].map((half) => {
    const from = (half * memory.byteLength) / 2;
    return { from, bytes: Buffer.from(memory, from, memory.byteLength / 2) };
  });
  const read = async (half: number, at: number) => {
    const { from, bytes } = halves[half] ?? { from: 0, bytes: Buffer.of() };
    const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
    return { from, bytes, blocks: Math.floor(bytesRead / BLOCK_BYTES) };
  };
  // While one half is looked at, the other one is read.
  let next = read(0, HEADERS_BYTES);
  for (let [at, half] = [HEADERS_BYTES, 0]; ; half = 1 - half) {
    const { from, bytes, blocks } = await next;
    if (blocks === 0) return false;
    next = read(1 - half, at + blocks * BLOCK_BYTES);
    for (let block = 0; block < blocks * BLOCK_BYTES; block += BLOCK_BYTES) {
      const sum = checksum(from + block + CHECKSUM_BYTES, from + block + BLOCK_BYTES);
      if (BigInt.asUintN(64, sum) === bytes.readBigUInt64LE(block)) continue;
      if (free.has((at - HEADERS_BYTES + block) / BLOCK_BYTES)) continue;
      await next;
      return true;
    }
    at += blocks * BLOCK_BYTES;
  }
}

/** How many blocks a file has had, and which of them are free, as the newer of both headers says. */
async function layoutOf(file: FileHandle): Promise<{ count: number; free: Set<number> }> {
  const bytes = Buffer.alloc(HEADERS_BYTES);
  await file.read(bytes, 0, HEADERS_BYTES, 0);
  const headers = HEADERS.map((at) => ({
    iteration: bytes.readBigUInt64LE(at + ITERATION_AT),
    list: bytes.readBigUInt64LE(at + FREE_LIST_AT),
    count: Math.min(Number(bytes.readBigUInt64LE(at + BLOCK_COUNT_AT)), BLOCKS_MAX),
  }));
  const { list, count } = headers.reduce((a, b) => (a.iteration > b.iteration ? a : b));
  return { count, free: await freeBlocks(file, list, count) };
}

/** As many as a file may have that is looked at, and a few more: its end may be cut. */
const BLOCKS_MAX = (2 * CHECKED_BYTES_MAX) / BLOCK_BYTES;

/** What a damaged list says is none: then the block that it is in is not as it was written, either. */
async function freeBlocks(file: FileHandle, list: bigint, count: number): Promise<Set<number>> {
  const free = new Set<number>();
  let left: number | undefined;
  let part = list;
  for (let parts = 0; part !== NO_PART && parts <= count && left !== 0; parts += 1) {
    const bytes = Buffer.alloc(PART_BYTES);
    const block = Number(BigInt.asUintN(56, part)) * BLOCK_BYTES;
    const at = HEADERS_BYTES + block + CHECKSUM_BYTES + Number(part >> 56n) * PART_BYTES;
    await file.read(bytes, 0, PART_BYTES, at);
    part = bytes.readBigUInt64LE(0);
    for (let word = WORD_BYTES; word < PART_BYTES && left !== 0; word += WORD_BYTES) {
      const number = Number(bytes.readBigUInt64LE(word));
      if (left !== undefined) free.add(number);
      left = left === undefined ? number : left - 1;
    }
  }
  return free;
}

/**
 * 64-bit products, of which JavaScript has none that are fast: 250 MB take 15 ms. The function, as
 * text, with 4 MiB of memory beside it:
 *
 * (func (export "sum") (param $at i32) (param $end i32) (result i64) (local $sum i64)
 *   (local.set $sum (i64.const 5381))
 *   (loop
 *     (local.set $sum (i64.xor (local.get $sum)
 *       (i64.mul (i64.load (local.get $at)) (i64.const 0xbf58476d1ce4e5b9))))
 *     (br_if 0 (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $end))))
 *   (local.get $sum))
 */
const SUM =
  "AGFzbQEAAAABBwFgAn9/AX4DAgEABQMBAEAHEAIGbWVtb3J5AgADc3VtAAAKMgEwAQF+QoUqIQIDQCACIAApAwBCucuT59Htkay/f36FIQIgAEEIaiIAIAFJDQALIAIL";

/** Makes checksums of what is between two places of a memory. */
function summing(): { memory: ArrayBuffer; checksum: (from: number, to: number) => bigint } {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(SUM, "base64")));
  const made = exports as unknown as {
    memory: { buffer: ArrayBuffer };
    sum: (from: number, to: number) => bigint;
  };
  return { memory: made.memory.buffer, checksum: made.sum };
}
