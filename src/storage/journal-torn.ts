import {
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  frameBytesOf,
  frameLinesOf,
  SEGMENT_HEADER_BYTES,
  segmentHeader,
} from "./journal-frame.ts";

/** What a disk writes as one: lines have no zeros, so such a piece of them was never written. */
const SECTOR_BYTES = 512;

const LINE_FEED = 0x0a;

/**
 * Whether the end of a segment, from `offset` on, may be of frames that a crash has cut off: then
 * nobody was told that they are durable. Else it was damaged later (decision 85).
 */
export function mayBeTorn(end: Uint8Array, offset: number): boolean {
  if (isUnwritten(end, offset)) return true;
  const header = offset === 0 ? segmentHeader().subarray(0, end.length) : new Uint8Array(0);
  if (header.some((byte, index) => end[index] !== byte)) return false;
  const frames = end.subarray(header.length);
  const frameAt = offset === 0 ? SEGMENT_HEADER_BYTES : offset;
  return isUnwritten(frames, frameAt) || isTornFrame(frames, frameAt);
}

/** Whether the first bytes, up to the end of their sector, were never written. */
function isUnwritten(bytes: Uint8Array, offset: number): boolean {
  const toNext = SECTOR_BYTES - (offset % SECTOR_BYTES);
  return bytes.subarray(0, toNext).every((byte) => byte === 0);
}

/** Whether bytes that are no whole frame begin as one, and lack a part of it. */
function isTornFrame(bytes: Uint8Array, offset: number): boolean {
  if (bytes.length < FRAME_HEADER_BYTES) {
    return FRAME_MAGIC.subarray(0, bytes.length).every((byte, index) => bytes[index] === byte);
  }
  const count = frameLinesOf(bytes);
  if (count === undefined) return false;
  const length = frameBytesOf(bytes) ?? 0;
  const lines = bytes.subarray(FRAME_HEADER_BYTES, length);
  if (length > bytes.length) return feedsIn(lines) < count || lines.includes(0);
  return hasUnwritten(lines, offset + FRAME_HEADER_BYTES);
}

function feedsIn(lines: Uint8Array): number {
  let feeds = 0;
  for (let at = lines.indexOf(LINE_FEED); at !== -1; at = lines.indexOf(LINE_FEED, at + 1)) {
    feeds += 1;
  }
  return feeds;
}

function hasUnwritten(lines: Uint8Array, offset: number): boolean {
  for (let at = 0; at < lines.length; at += SECTOR_BYTES - ((offset + at) % SECTOR_BYTES)) {
    if (isUnwritten(lines.subarray(at), offset + at)) return true;
  }
  return false;
}
