import {
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  frameBytesOf,
  frameLinesOf,
  segmentHeader,
} from "./frame.ts";

/** What a disk writes as one: lines have no zeros, so such a piece of them was never written. */
const SECTOR_BYTES = 512;

const LINE_FEED = 0x0a;

/**
 * Whether the end of a segment, from `offset` on, may be of frames that a crash has cut off: then
 * nobody was told that they are durable. Else it was damaged later (decision 85).
 */
export function mayBeTorn(rest: Uint8Array, offset: number): boolean {
  const end = written(rest, offset);
  const header = offset === 0 ? segmentHeader().subarray(0, end.length) : new Uint8Array(0);
  if (header.some((byte, index) => end[index] !== byte)) return false;
  return isTornFrame(end.subarray(header.length));
}

const ZEROS = new Uint8Array(65_536);

/** Whether there is nothing but zeros. */
export function isZeros(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += ZEROS.length) {
    const part = bytes.subarray(at, at + ZEROS.length);
    if (Buffer.compare(part, ZEROS.subarray(0, part.length)) !== 0) return false;
  }
  return true;
}

/** The bytes before the first sector of which none was written, without zeros at their end. */
function written(bytes: Uint8Array, offset: number): Uint8Array {
  let end = 0;
  while (end < bytes.length) {
    const next = end + SECTOR_BYTES - ((offset + end) % SECTOR_BYTES);
    if (isZeros(bytes.subarray(end, next))) break;
    end = Math.min(next, bytes.length);
  }
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

/** Whether bytes that are no whole frame begin as one, and lack its end. */
function isTornFrame(bytes: Uint8Array): boolean {
  if (bytes.length < FRAME_HEADER_BYTES) {
    return FRAME_MAGIC.subarray(0, bytes.length).every((byte, index) => bytes[index] === byte);
  }
  const count = frameLinesOf(bytes);
  if (count === undefined || (frameBytesOf(bytes) ?? 0) <= bytes.length) return false;
  const lines = bytes.subarray(FRAME_HEADER_BYTES);
  return feedsIn(lines) < count || lines.includes(0);
}

function feedsIn(lines: Uint8Array): number {
  let feeds = 0;
  for (let at = lines.indexOf(LINE_FEED); at !== -1; at = lines.indexOf(LINE_FEED, at + 1)) {
    feeds += 1;
  }
  return feeds;
}
