import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Entry, Frame } from "../../core/ports/journal.ts";
import type { Disk } from "../files/disk.ts";

/*
 * The journal on disk, version 1. Numbers are little-endian.
 *
 * A segment is a file `<n>.journal`, where n, 16 decimal digits, is at most the first sequence
 * number in it and above every sequence number in the segments before it. It begins with
 *
 *    0  u8[8]  "hogletjl"
 *    8  u32    format version
 *   12  u32    CRC-32 of the 12 bytes before
 *
 * and goes on with frames, one for each accepted request, in the order of their numbers:
 *
 *    0  u8[4]  0xFF "HJ" 0xFF
 *    4  u32    CRC-32 of everything that follows in this frame
 *    8  u32    bytes of lines
 *   12  u32    what it holds: 0 events, 1 historical events, 2 logs, 3 warnings
 *   16  u32    project_id
 *   20  u32    count of lines
 *   24  f64    first_seq, a whole number below 2^53
 *   32  f64    arrived_at, in milliseconds since 1970
 *   40  u8[…]  lines: events, log records or warnings as NDJSON
 *
 * UTF-8 never contains 0xFF, so a frame's magic is found nowhere inside lines: whoever lost his
 * place finds the next frame by looking for it.
 */

/** What the lines of an entry are; the place of each is its number on disk. */
const KINDS: readonly Entry["kind"][] = ["events", "historical", "logs", "warnings"];

const VERSION = 1;
const SEGMENT_MAGIC = new TextEncoder().encode("hogletjl");
const NAME = /^(\d{16})\.journal$/;

/** Bytes of a frame before its lines. */
export const FRAME_HEADER_BYTES = 40;

/** Bytes of a segment before its first frame. */
export const SEGMENT_HEADER_BYTES = 16;

/** What every frame begins with. */
export const FRAME_MAGIC = Uint8Array.of(0xff, 0x48, 0x4a, 0xff);
const MAGIC = viewOf(FRAME_MAGIC).getUint32(0, true);

/** The number of a frame's last event. */
export const lastSeq = ({ first_seq, count }: Pick<Frame, "first_seq" | "count">): number =>
  first_seq + count - 1;

/** Bytes that an entry takes in the journal. */
export const frameBytes = (entry: Entry): number => FRAME_HEADER_BYTES + entry.lines.length;

/** What stands before the lines of this frame. */
export function frameHeader(frame: Frame): Uint8Array {
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(FRAME_MAGIC);
  view.setUint32(8, frame.lines.length, true);
  view.setUint32(12, KINDS.indexOf(frame.kind), true);
  view.setUint32(16, frame.project_id, true);
  view.setUint32(20, frame.count, true);
  view.setFloat64(24, frame.first_seq, true);
  view.setFloat64(32, frame.arrived_at, true);
  view.setUint32(4, crc32(frame.lines, crc32(header.subarray(8))), true);
  return header;
}

/** How long the frame that begins with this header says it is; undefined if it is no frame. */
export function frameBytesOf(header: Uint8Array): number | undefined {
  const view = viewOf(header);
  if (view.getUint32(0, true) !== MAGIC) return undefined;
  return FRAME_HEADER_BYTES + view.getUint32(8, true);
}

/** How many lines the frame that begins with this header says it has; undefined if it is none. */
export function frameLinesOf(header: Uint8Array): number | undefined {
  const view = viewOf(header);
  if (frameBytesOf(header) === undefined) return undefined;
  return view.getUint32(12, true) < KINDS.length ? view.getUint32(20, true) : undefined;
}

/** What a damaged frame says of its lines. */
export type Claim = Pick<Frame, "count" | "first_seq"> & { isWarnings: boolean };

/** What each line of warnings begins with, and no other. */
const WARNING_BEGINS = Buffer.from('{"type":');

/**
 * What damaged bytes say of the frames that begin in them: nothing vouches for a header alone, so what
 * cannot be is left out.
 */
export function claimsIn(bytes: Uint8Array): Claim[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const claims: Claim[] = [];
  for (let at = buffer.indexOf(FRAME_MAGIC); at !== -1; at = buffer.indexOf(FRAME_MAGIC, at + 1)) {
    if (at + FRAME_HEADER_BYTES > bytes.length) break;
    const view = viewOf(bytes.subarray(at));
    const [length, count] = [view.getUint32(8, true), view.getUint32(20, true)];
    const first_seq = view.getFloat64(24, true);
    const isPossible = Number.isSafeInteger(first_seq) && first_seq > 0 && count > 0;
    if (!isPossible || count > length) continue;
    // A wrong bit in the kind is as likely as any other.
    const lines = buffer.subarray(at + FRAME_HEADER_BYTES);
    const isWarnings = WARNING_BEGINS.equals(lines.subarray(0, WARNING_BEGINS.length));
    claims.push({ count, first_seq, isWarnings });
  }
  return claims;
}

/** The frame that is exactly these bytes; undefined if a bit of it is wrong. No copy is made. */
function frameOf(bytes: Uint8Array): Frame | undefined {
  const view = viewOf(bytes);
  const kind = KINDS[view.getUint32(12, true)];
  if (kind === undefined || crc32(bytes.subarray(8)) !== view.getUint32(4, true)) return undefined;
  return {
    kind,
    project_id: view.getUint32(16, true),
    arrived_at: view.getFloat64(32, true),
    count: view.getUint32(20, true),
    lines: bytes.subarray(FRAME_HEADER_BYTES),
    first_seq: view.getFloat64(24, true),
  };
}

/** What every segment begins with. */
export function segmentHeader(): Uint8Array {
  const header = new Uint8Array(SEGMENT_HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(SEGMENT_MAGIC);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, crc32(header.subarray(0, 12)), true);
  return header;
}

/** Whether SEGMENT_HEADER_BYTES bytes are a segment's header. Throws if another version wrote it. */
function isSegmentHeader(header: Uint8Array): boolean {
  if (SEGMENT_MAGIC.some((byte, index) => header[index] !== byte)) return false;
  const view = viewOf(header);
  if (crc32(header.subarray(0, 12)) !== view.getUint32(12, true)) return false;
  const version = view.getUint32(8, true);
  if (version === VERSION) return true;
  throw new Error(
    `The journal was written in format ${version}, and this version reads only format ${VERSION}.`,
  );
}

/** The file name of the segment that begins at this sequence number. */
export const segmentName = (seq: number): string => `${String(seq).padStart(16, "0")}.journal`;

/** Where the segments among these file names begin, ascending; other files are passed over. */
export function segmentsAmong(names: readonly string[]): number[] {
  return names
    .map((name) => NAME.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A frame and where it is: from offset `start` to `end`, where the next one begins. */
export type Placed = { frame: Frame; start: number; end: number };

/** One segment file, being read. What it says holds as of opening or the last `refresh`. */
export type Segment = {
  /** The number in its name. */
  readonly first: number;
  size(): number;
  /** Looks at the file again, which may have grown since. */
  refresh(): void;
  /** Lets go of what was read. */
  dropBuffer(): void;
  /** Where the first frame begins, 0 if the header is damaged. Throws on an unknown version. */
  start(): number;
  /** The frame that begins at `offset`; undefined at the end, and if it is torn or corrupt. */
  frameAt(offset: number): Placed | undefined;
  /** The first whole frame that begins at `offset` or behind it. */
  findFrame(offset: number): Placed | undefined;
  /** These bytes of the file; undefined if it ends before. */
  bytes(from: number, to: number): Uint8Array | undefined;
  close(): void;
};

/** How much is read at once. Frames point into it, so a frame keeps as much alive. */
export const WINDOW_BYTES = 256 * 1024;

/** Opens a segment of the journal in `directory` for reading. */
export function openSegment(disk: Pick<Disk, "read">, directory: string, first: number): Segment {
  const file = disk.read(join(directory, segmentName(first)));
  let size = file.size();
  let window = new Uint8Array(0);
  let windowAt = 0;

  /** `bytes` from `offset` on and whatever was read behind them; undefined if they end before. */
  function ahead(offset: number, bytes: number): Uint8Array | undefined {
    if (offset + bytes > size) return undefined;
    if (offset < windowAt || offset + bytes > windowAt + window.length) {
      // Never into the old window: frames that were handed out point into it.
      const fresh = new Uint8Array(Math.min(Math.max(bytes, WINDOW_BYTES), size - offset));
      window = fresh.subarray(0, file.read(fresh, offset));
      windowAt = offset;
      // The file may have been cut since its size was taken.
      if (window.length < bytes) return undefined;
    }
    return window.subarray(offset - windowAt);
  }

  function frameAt(offset: number): Placed | undefined {
    const header = ahead(offset, FRAME_HEADER_BYTES);
    const bytes = header && frameBytesOf(header);
    if (bytes === undefined) return undefined;
    const whole = ahead(offset, bytes)?.subarray(0, bytes);
    const frame = whole && frameOf(whole);
    return frame && { frame, start: offset, end: offset + bytes };
  }

  function findFrame(offset: number): Placed | undefined {
    let at = offset;
    for (;;) {
      const bytes = ahead(at, FRAME_HEADER_BYTES);
      if (bytes === undefined) return undefined;
      const hit = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(FRAME_MAGIC);
      const placed = hit === -1 ? undefined : frameAt(at + hit);
      if (placed !== undefined) return placed;
      // The end of what was read may hold the beginning of a magic.
      at += hit === -1 ? bytes.length - FRAME_MAGIC.length + 1 : hit + 1;
    }
  }

  function dropBuffer(): void {
    window = new Uint8Array(0);
  }

  return {
    first,
    size: () => size,
    refresh() {
      size = file.size();
      dropBuffer();
    },
    dropBuffer,
    start() {
      const header = ahead(0, SEGMENT_HEADER_BYTES);
      return header && isSegmentHeader(header) ? SEGMENT_HEADER_BYTES : 0;
    },
    frameAt,
    findFrame,
    bytes: (from, to) => ahead(from, to - from)?.subarray(0, to - from),
    close: () => file.close(),
  };
}
