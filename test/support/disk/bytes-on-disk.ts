import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createZstdDecompress } from "node:zlib";
import { filesBelow } from "../start/server.ts";

/** The first bytes of a zstd frame (RFC 8878 3.1.1). */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** DuckDB's files are three headers and then blocks, each after its checksum. */
const HEADERS_BYTES = 3 * 4096;
const BLOCK_BYTES = 262_144;
const CHECKSUM_BYTES = 8;
/** The last bytes of a block are the number of the block that continues it. */
const POINTER_BYTES = 8;

/**
 * Which of some texts are in any file below a directory, in the open or within any zstd frame that
 * begins anywhere: also where no store would look any more. By the place: a file's name, or that of its
 * frames, `<name> in frames`.
 */
export async function findPlanted(
  directory: string,
  planted: readonly string[],
): Promise<Record<string, string[]>> {
  const found = new Map<string, Set<string>>();
  const search = (bytes: Buffer, file: string) => {
    for (const text of planted) {
      if (bytes.includes(text)) found.set(file, (found.get(file) ?? new Set()).add(text));
    }
  };
  for (const path of filesBelow(directory)) {
    if (path.includes("/engine/")) continue;
    const bytes = bytesOf(path);
    search(bytes, basename(path));
    for (let at = bytes.indexOf(MAGIC); at !== -1; at = bytes.indexOf(MAGIC, at + 1)) {
      for (const part of [piecesInBlocks(bytes, at), [bytes.subarray(at)]]) {
        search(await inflated(part), `${basename(path)} in frames`);
      }
    }
  }
  return Object.fromEntries([...found].map(([file, texts]) => [file, [...texts]]));
}

/** A file that a server has just removed has no bytes. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return Buffer.alloc(0);
  }
}

/** The rest of a block from `at` on, and the contents of the few blocks that continue it. */
function piecesInBlocks(bytes: Buffer, at: number): Buffer[] {
  const pieces: Buffer[] = [];
  const blockOf = (place: number) => Math.floor((place - HEADERS_BYTES) / BLOCK_BYTES);
  let start = at;
  for (let blocks = 0; blocks < 8 && start < bytes.length; blocks++) {
    const end = HEADERS_BYTES + (blockOf(start) + 1) * BLOCK_BYTES;
    pieces.push(bytes.subarray(start, end - POINTER_BYTES));
    const next = end <= bytes.length ? bytes.readBigInt64LE(end - POINTER_BYTES) : -1n;
    const isBlock = next >= 0n && next < BigInt(blockOf(bytes.length));
    start = (isBlock ? HEADERS_BYTES + Number(next) * BLOCK_BYTES : end) + CHECKSUM_BYTES;
  }
  return pieces;
}

/** As much as can be decompressed. */
async function inflated(pieces: readonly Buffer[]): Promise<Buffer> {
  const stream = createZstdDecompress();
  const parts: Buffer[] = [];
  const ended = Promise.withResolvers<void>();
  stream.on("data", (part: Buffer) => parts.push(part));
  stream.on("error", () => ended.resolve());
  stream.on("end", () => ended.resolve());
  for (const piece of pieces) stream.write(piece, () => {});
  stream.end();
  await ended.promise;
  return Buffer.concat(parts);
}
