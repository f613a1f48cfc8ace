import { join } from "node:path";
import type { Disk, WritableFile } from "../files/disk.ts";
import { type Part, quarantinePart } from "./reader.ts";
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

/** A segment on disk: the number in its name, and its size up to the end of its last frame. */
export type SegmentFile = { first: number; bytes: number };

/** State of the journal after a start. */
export type Recovered = {
  /** Ascending. */
  segments: SegmentFile[];
  /** The last segment, open and synced; undefined if no segment may be continued. */
  tail: WritableFile | undefined;
  /** The number of the last event on disk, damaged ones included; 0 without any. */
  last: number;
  /** A number at or below that of the oldest event; undefined without a segment. */
  first: number | undefined;
  /** The highest number in the name of a segment, which no later segment may have; 0 without any. */
  given: number;
};

/** A torn part, and the number of events and log records in the headers of its frames. */
export type TornPart = Part & { events: number };

type Options = {
  directory: string;
  disk: Disk;
  /** The highest number that a store has applied. */
  after: number;
  /** Called with a torn write, after it is cut. */
  onCut: (part: TornPart) => void;
  /** Called with a damaged end that is quarantined, after it is cut. */
  onCorrupt: (part: Part) => void;
};

/**
 * Finds the segments in `directory` and cuts the bytes after the last frame. A torn write was never
 * acknowledged; anything else is quarantined (decision 85). It checks the last segment with a frame and
 * the segments after it. A damaged frame before a whole one is left to the reader, and its segment is not
 * continued. Fails with the error of the disk, and for a segment of a newer format.
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
    const walked = walk(options, newest.first);
    const end = quarantineEnd(options, newest, walked);
    tail = await repair(options, newest, walked);
    end.report();
    last = Math.max(last, walked.last, end.last);
    isEnd = walked.end > 0;
    if (isEnd || end.isQuarantined) given = Math.max(given, newest.first);
    if (!isEnd) segments.pop();
  }
  // The names of the last files may not have reached the disk before the crash.
  await disk.syncDirectory(directory);
  return { segments, tail, last, first, given };
}

/**
 * Returns the last number that the journal in `directory` has used, as far as its frames can be read; 0
 * without any. It changes nothing. Fails with the error of the disk.
 */
export function reachedIn(place: { disk: Pick<Disk, "list" | "read">; directory: string }): number {
  const newest = segmentsAmong(place.disk.list(place.directory)).at(-1);
  return newest === undefined ? 0 : Math.max(newest - 1, walk(place, newest).last);
}

/** A segment's end: the report of it, whether it was durable and is quarantined, and its last number. */
type Ended = { report: () => void; isQuarantined: boolean; last: number };

/**
 * Quarantines the bytes at a segment's end, unless they are a torn write or zeros of a preallocated file.
 */
function quarantineEnd(
  { disk, directory, after, onCut, onCorrupt }: Options,
  { first, bytes }: SegmentFile,
  { end, last }: Walked,
): Ended {
  const nothing = { report: () => {}, isQuarantined: false, last: 0 };
  if (end === bytes) return nothing;
  const part = { segment: segmentName(first), offset: end, bytes: bytes - end };
  // Numbers that a store has applied were durable.
  const isApplied = after > Math.max(last, first - 1);
  const segment = openSegment(disk, directory, first);
  const isReserved = !isApplied && isUnwritten(segment, end);
  const rest = isReserved ? undefined : segment.bytes(end, bytes);
  segment.close();
  if (isReserved || rest === undefined) return nothing;
  const claims = claimsFrom(last === 0 ? first : last + 1, rest);
  if (!isApplied && mayBeTorn(rest, end)) {
    const events = claims.reduce((sum, { isWarnings, count }) => sum + (isWarnings ? 0 : count), 0);
    return { report: () => onCut({ ...part, events }), isQuarantined: false, last: 0 };
  }
  quarantinePart({ disk, directory }, part, rest);
  return { report: () => onCorrupt(part), isQuarantined: true, last: claims.at(-1)?.last ?? 0 };
}

/** Headers of frames in damaged bytes, with consecutive numbers from `next` on. */
function claimsFrom(next: number, bytes: Uint8Array): (Claim & { last: number })[] {
  const claims: (Claim & { last: number })[] = [];
  for (const claim of claimsIn(bytes)) {
    if (claim.first_seq === (claims.at(-1)?.last ?? next - 1) + 1) {
      claims.push({ ...claim, last: lastSeq(claim) });
    }
  }
  return claims;
}

/** Whether all bytes from an offset on are zero; read in windows, because they may be many. */
function isUnwritten(segment: Segment, from: number): boolean {
  const end = segment.size();
  for (let at = from; at < end; at += WINDOW_BYTES) {
    const part = segment.bytes(at, Math.min(at + WINDOW_BYTES, end));
    if (part === undefined || !isZeros(part)) return false;
  }
  return true;
}

type Walked = {
  /** The number of the last event; 0 without any. */
  last: number;
  /** The end of the last frame; 0 without any. */
  end: number;
  /** Whether some bytes before `end` belong to no frame. */
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

/** Cuts a segment after its last frame, or removes a segment without frames. */
async function repair(
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
    // After a kill the frames may only be in memory, and from here on they count as durable.
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

/** Unit in which a disk writes. Lines have no zeros, so a sector of zeros was never written. */
const SECTOR_BYTES = 512;

const LINE_FEED = 0x0a;

/**
 * Whether the end of a segment, from `offset` on, may be a torn write of a crash. Such frames were never
 * acknowledged. Any other end was damaged later (decision 85).
 */
function mayBeTorn(rest: Uint8Array, offset: number): boolean {
  const end = written(rest, offset);
  const header = offset === 0 ? segmentHeader().subarray(0, end.length) : new Uint8Array(0);
  if (header.some((byte, index) => end[index] !== byte)) return false;
  return isTornFrame(end.subarray(header.length));
}

const ZEROS = new Uint8Array(65_536);

/** Whether all bytes are zero. */
function isZeros(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += ZEROS.length) {
    const part = bytes.subarray(at, at + ZEROS.length);
    if (Buffer.compare(part, ZEROS.subarray(0, part.length)) !== 0) return false;
  }
  return true;
}

/** Returns the bytes before the first sector of zeros, without zeros at their end. */
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

/** Whether bytes begin as a frame and lack its end. */
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
