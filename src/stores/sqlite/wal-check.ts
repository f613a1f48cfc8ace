import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";

/*
 * SQLite reads its write-ahead log up to the first wrong frame, and takes the rest for a torn write. So
 * committed changes after a damaged frame would vanish silently. The constants below are those of the log
 * (sqlite.org/fileformat2.html#the_write_ahead_log) and of its index in the file `-shm`
 * (sqlite.org/walformat.html). After a kill, that file still exists.
 */

/** The magic number of a log whose checksums are little-endian, as on every machine we run on. */
const LITTLE_ENDIAN = 0x37_7f_06_82;
const BIG_ENDIAN = 0x37_7f_06_83;

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Offsets in the index: the count of committed frames, and the salt of their log. */
const INDEX = { frames: 16, salt: 32, end: 40 };

/** The two running checksums of a log; each frame continues them. */
type Sums = [number, number];

/**
 * Whether the write-ahead log of a database lacks committed changes. Must be called before the database is
 * opened, because that rebuilds the index.
 */
export function isLogDamaged(path: string): boolean {
  const log = `${path}-wal`;
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return false;
  const index = indexOf(`${path}-shm`);
  if (size < HEADER_BYTES) return index.frames > 0;
  const file = openSync(log, "r");
  try {
    return isCut(file, size, index);
  } finally {
    closeSync(file);
  }
}

type Index = { frames: number; salt: string };

function indexOf(path: string): Index {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return { frames: 0, salt: "" };
  const bytes = readFileSync(path).subarray(0, INDEX.end);
  if (bytes.length < INDEX.end) return { frames: 0, salt: "" };
  return {
    frames: bytes.readUInt32LE(INDEX.frames),
    salt: bytes.toString("hex", INDEX.salt, INDEX.end),
  };
}

function isCut(file: number, size: number, index: Index): boolean {
  const header = readAt(file, 0, HEADER_BYTES);
  // A power cut may leave a log that was never written.
  if (header.every((byte) => byte === 0)) return index.frames > 0;
  if (header.readUInt32BE(0) === BIG_ENDIAN) return false;
  const sums = summed(header.subarray(0, FRAME_HEADER_BYTES), [0, 0]);
  if (header.readUInt32BE(0) !== LITTLE_ENDIAN || !isSum(header, FRAME_HEADER_BYTES, sums)) {
    return true;
  }
  const salt = header.toString("hex", 16, FRAME_HEADER_BYTES);
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  const count = Math.floor((size - HEADER_BYTES) / frameBytes);
  const frame = (at: number) => readAt(file, HEADER_BYTES + at * frameBytes, frameBytes);
  const whole = wholeFrames({ count, frame, salt, sums });
  if (index.salt === salt) return index.frames > whole;
  return isFollowed({ from: whole, count, frame, salt });
}

type Frames = { count: number; frame: (at: number) => Buffer; salt: string };

/** Returns the number of undamaged frames before the first damaged one. */
function wholeFrames({ count, frame, salt, sums }: Frames & { sums: Sums }): number {
  let before = sums;
  for (let at = 0; at < count; at += 1) {
    const bytes = frame(at);
    if (saltOf(bytes) !== salt) return at;
    before = summed(bytes.subarray(FRAME_HEADER_BYTES), summed(bytes.subarray(0, 8), before));
    if (!isSum(bytes, 16, before)) return at;
  }
  return count;
}

/** Whether a frame follows a commit, whose changes were durable before. */
function isFollowed({ from, count, frame, salt }: Frames & { from: number }): boolean {
  let isCommitted = false;
  for (let at = from; at < count; at += 1) {
    const bytes = frame(at);
    if (saltOf(bytes) !== salt) continue;
    if (isCommitted) return true;
    isCommitted = bytes.readUInt32BE(4) !== 0;
  }
  return false;
}

const saltOf = (frame: Buffer): string => frame.toString("hex", 8, 16);

function isSum(bytes: Buffer, at: number, [first, second]: Sums): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
}

function summed(bytes: Buffer, [first, second]: Sums): Sums {
  let [one, two] = [first, second];
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let at = 0; at < words.length; at += 2) {
    one = (one + (words[at] ?? 0) + two) >>> 0;
    two = (two + (words[at + 1] ?? 0) + one) >>> 0;
  }
  return [one, two];
}

/** Bytes of a file, in memory of their own that words can be read from. */
function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(length));
  readSync(file, bytes, 0, length, position);
  return bytes;
}
