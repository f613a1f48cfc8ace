import { join } from "node:path";
import type { Disk, WritableFile } from "../files/disk.ts";
import { keepPart, type Part } from "./reader.ts";
import {
  type Claim,
  claimsIn,
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  frameBytesOf,
  frameLinesOf,
  lastSeq,
  openSegment,
  type Segment,
  segmentHeader,
  segmentName,
  segmentsAmong,
  WINDOW_BYTES,
} from "./segment.ts";

/** A segment on disk: the number in its name and its size up to the end of its last frame. */
export type SegmentFile = { first: number; bytes: number };

/** What a crash has left. */
export type Recovered = {
  /** Ascending. */
  segments: SegmentFile[];
  /** The last segment, open and on disk; undefined if there is none that may be gone on with. */
  tail: WritableFile | undefined;
  /** The number of the last event that is on disk, or was and is damaged; 0 when there is none. */
  last: number;
  /** A number that the oldest event has, or had, or exceeds; undefined when there was no segment. */
  first: number | undefined;
  /** The highest number that a segment's name says was given out, 0 when there is none. */
  given: number;
};

/** A part that was torn, and how many events and log records it said to have. */
export type TornPart = Part & { events: number };

type Options = {
  directory: string;
  disk: Disk;
  /** The highest number that a store has applied. */
  after: number;
  /** Told what a crash had torn off, once it is cut. */
  onCut: (part: TornPart) => void;
  /** Told what was damaged and is kept aside, once it is cut. */
  onCorrupt: (part: Part) => void;
};

/**
 * Finds the segments in `directory` and cuts what the last one ends with that is no frame. What a
 * crash may have torn nobody was told to be durable; of anything else a copy is kept (decision 85).
 * Only the last segment with a frame is checked, and those behind it; a bad frame before a good one is no torn tail and is left to
 * the reader, and nothing is added to a segment that has one. Throws what the disk throws, and on
 * a segment of another format version.
 */
export async function recoverSegments(options: Options): Promise<Recovered> {
  const { directory, disk } = options;
  const segments = segmentsAmong(disk.list(directory)).map((first) => sized(options, first));
  const first = segments.at(0)?.first;
  let tail: WritableFile | undefined;
  let last = 0;
  let given = 0;

  for (let isEnd = false; !isEnd; ) {
    const newest = segments.at(-1);
    if (newest === undefined) break;
    const found = walk(options, newest.first);
    const end = keepEnd(options, newest, found);
    tail = await mend(options, newest, found);
    end.tell();
    last = Math.max(last, found.last, end.last);
    isEnd = found.end > 0;
    if (isEnd || end.isKept) given = Math.max(given, newest.first);
    if (!isEnd) segments.pop();
  }
  // The names of the last files may not have reached the disk before the crash.
  await disk.syncDirectory(directory);
  return { segments, tail, last, first, given };
}

/**
 * The last number that the journal in `directory` has or says to have given out, 0 when there is none, as far
 * as its frames can be read; it stays as it is. Throws what the disk throws.
 */
export function reachedIn(place: { disk: Pick<Disk, "list" | "read">; directory: string }): number {
  const newest = segmentsAmong(place.disk.list(place.directory)).at(-1);
  return newest === undefined ? 0 : Math.max(newest - 1, walk(place, newest).last);
}

/** How to tell of what a segment ended with; whether that was durable and is kept, and the last number in it. */
type Ended = { tell: () => void; isKept: boolean; last: number };

/**
 * Keeps the bytes at a segment's end, unless they are zeros of a file that was made ahead, or torn.
 */
function keepEnd(
  { disk, directory, after, onCut, onCorrupt }: Options,
  { first, bytes }: SegmentFile,
  { end, last }: Walked,
): Ended {
  const nothing = { tell: () => {}, isKept: false, last: 0 };
  if (end === bytes) return nothing;
  const part = { segment: segmentName(first), offset: end, bytes: bytes - end };
  // What a store has applied was durable once, whatever became of it.
  const isApplied = after > Math.max(last, first - 1);
  const segment = openSegment(disk, directory, first);
  const isReserved = !isApplied && isUnwritten(segment, end);
  const rest = isReserved ? undefined : segment.bytes(end, bytes);
  segment.close();
  if (isReserved || rest === undefined) return nothing;
  const claims = claimsFrom(last === 0 ? first : last + 1, rest);
  if (!isApplied && mayBeTorn(rest, end)) {
    const events = claims.reduce((sum, { isWarnings, count }) => sum + (isWarnings ? 0 : count), 0);
    return { tell: () => onCut({ ...part, events }), isKept: false, last: 0 };
  }
  keepPart({ disk, directory }, part, rest);
  return { tell: () => onCorrupt(part), isKept: true, last: claims.at(-1)?.last ?? 0 };
}

/** What bytes that are no frames claim to be, one behind the other from the number `next` on. */
function claimsFrom(next: number, bytes: Uint8Array): (Claim & { last: number })[] {
  const found: (Claim & { last: number })[] = [];
  for (const claim of claimsIn(bytes)) {
    if (claim.first_seq === (found.at(-1)?.last ?? next - 1) + 1) {
      found.push({ ...claim, last: lastSeq(claim) });
    }
  }
  return found;
}

/** Whether there are but zeros from a place on: looked at in parts, for they may be many. */
function isUnwritten(segment: Segment, from: number): boolean {
  const end = segment.size();
  for (let at = from; at < end; at += WINDOW_BYTES) {
    const part = segment.bytes(at, Math.min(at + WINDOW_BYTES, end));
    if (part === undefined || !isZeros(part)) return false;
  }
  return true;
}

type Walked = {
  /** The number of the last event, 0 when there is none. */
  last: number;
  /** Where the last frame ends, 0 when there is none. */
  end: number;
  /** Whether there is something before `end` that is no frame. */
  damaged: boolean;
};

function walk(
  { disk, directory }: { disk: Pick<Disk, "read">; directory: string },
  first: number,
): Walked {
  const segment = openSegment(disk, directory, first);
  try {
    const walked = { last: 0, end: 0, damaged: segment.start() === 0 };
    let offset = segment.start();
    for (;;) {
      const placed = segment.frameAt(offset) ?? segment.findFrame(offset + 1);
      if (placed === undefined) return walked;
      walked.damaged ||= placed.start !== offset;
      walked.last = lastSeq(placed.frame);
      walked.end = placed.end;
      offset = placed.end;
    }
  } finally {
    segment.close();
  }
}

/** Cuts a segment behind its last frame, or removes it if it has none. */
async function mend(
  { disk, directory }: Options,
  segment: SegmentFile,
  { end, damaged }: Walked,
): Promise<WritableFile | undefined> {
  const path = join(directory, segmentName(segment.first));
  if (end === 0) {
    await disk.remove(path);
    return undefined;
  }
  const file = await disk.open(path);
  try {
    if (end < segment.bytes) await file.truncate(end);
    // After a kill the frames may be in memory only, and from here on they count as durable.
    await file.sync();
  } catch (error) {
    await file.close();
    throw error;
  }
  segment.bytes = end;
  if (!damaged) return file;
  await file.close();
  return undefined;
}

function sized({ disk, directory }: Options, first: number): SegmentFile {
  const segment = openSegment(disk, directory, first);
  const bytes = segment.size();
  segment.close();
  return { first, bytes };
}

/** What a disk writes as one: lines have no zeros, so such a piece of them was never written. */
const SECTOR_BYTES = 512;

const LINE_FEED = 0x0a;

/**
 * Whether the end of a segment, from `offset` on, may be of frames that a crash has cut off: then
 * nobody was told that they are durable. Else it was damaged later (decision 85).
 */
function mayBeTorn(rest: Uint8Array, offset: number): boolean {
  const end = written(rest, offset);
  const header = offset === 0 ? segmentHeader().subarray(0, end.length) : new Uint8Array(0);
  if (header.some((byte, index) => end[index] !== byte)) return false;
  return isTornFrame(end.subarray(header.length));
}

const ZEROS = new Uint8Array(65_536);

/** Whether there is nothing but zeros. */
function isZeros(bytes: Uint8Array): boolean {
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
