import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Entry, Frame } from "../../core/ports/journal.ts";
import { newerVersion } from "../../core/values/schema-version.ts";
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
 * and goes on with frames, each of one accepted request or of small ones that arrived together, in the
 * order of their numbers:
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
 * UTF-8 never contains 0xFF, so the magic does not occur in lines. After damage, a search for the magic
 * finds the next frame.
 */

/** Content of the lines of an entry; the index is the number on disk. */
const KINDS: readonly Entry["kind"][] = ["events", "historical", "logs", "warnings"];

const VERSION = 1;
const SEGMENT_MAGIC = new TextEncoder().encode("hogletjl");
const NAME = /^(\d{16})\.journal$/;

/** Bytes of a frame before its lines. */
export const FRAME_HEADER_BYTES = 40;

/** Bytes of a segment before its first frame. */
export const SEGMENT_HEADER_BYTES = 16;

/** First bytes of every frame. */
export const FRAME_MAGIC = Uint8Array.of(0xff, 0x48, 0x4a, 0xff);
const MAGIC = viewOf(FRAME_MAGIC).getUint32(0, true);

/** The number of a frame's last event. */
export const lastSeq = ({ first_seq, count }: Pick<Frame, "first_seq" | "count">): number =>
  first_seq + count - 1;

/** Bytes of an entry in the journal. */
export const frameBytes = (entry: Entry): number => FRAME_HEADER_BYTES + entry.lines.length;

/** Returns the header of a frame. */
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

/** Returns the length of a frame by its header; undefined if it is no frame. */
export function frameBytesOf(header: Uint8Array): number | undefined {
  const view = viewOf(header);
  if (view.getUint32(0, true) !== MAGIC) return undefined;
  return FRAME_HEADER_BYTES + view.getUint32(8, true);
}

/** Returns the number of lines of a frame by its header; undefined if it is no frame. */
export function frameLinesOf(header: Uint8Array): number | undefined {
  const view = viewOf(header);
  if (frameBytesOf(header) === undefined) return undefined;
  return view.getUint32(12, true) < KINDS.length ? view.getUint32(20, true) : undefined;
}

/** The header of a damaged frame, which may be wrong. */
export type Claim = Pick<Frame, "count" | "first_seq"> & { isWarnings: boolean };

/** First bytes of each line of warnings; no other line begins so. */
const WARNING_BEGINS = Buffer.from('{"type":');

/**
 * Returns the headers of frames that begin in damaged bytes. A header alone has no checksum, so
 * impossible ones are left out.
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
    // The kind is read from the lines, because its bits may be wrong.
    const lines = buffer.subarray(at + FRAME_HEADER_BYTES);
    const isWarnings = WARNING_BEGINS.equals(lines.subarray(0, WARNING_BEGINS.length));
    claims.push({ count, first_seq, isWarnings });
  }
  return claims;
}

/** Returns the frame of exactly these bytes; undefined if a bit is wrong. It shares their memory. */
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

/** Returns the header of a segment. */
export function segmentHeader(): Uint8Array {
  const header = new Uint8Array(SEGMENT_HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(SEGMENT_MAGIC);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, crc32(header.subarray(0, 12)), true);
  return header;
}

/** Whether SEGMENT_HEADER_BYTES bytes are a segment's header. Throws SchemaError for a newer format. */
function isSegmentHeader(header: Uint8Array): boolean {
  if (SEGMENT_MAGIC.some((byte, index) => header[index] !== byte)) return false;
  const view = viewOf(header);
  if (crc32(header.subarray(0, 12)) !== view.getUint32(12, true)) return false;
  const version = view.getUint32(8, true);
  if (version === VERSION) return true;
  throw newerVersion(`format ${version}, this one knows ${VERSION}`);
}

/** Returns the file name of the segment that begins at a sequence number. */
export const segmentName = (seq: number): string => `${String(seq).padStart(16, "0")}.journal`;

/** Returns the first numbers of the segments among file names, ascending; other files are ignored. */
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

/** A frame with its offsets; the next one begins at `end`. */
export type Placed = { frame: Frame; start: number; end: number };

/** A segment file that is read, with its size as of opening or the last `refresh`. */
export type Segment = {
  /** The number in its name. */
  readonly first: number;
  size(): number;
  /** Reads the size again, because the file may have grown. */
  refresh(): void;
  /** Frees the read buffer. */
  dropBuffer(): void;
  /** Returns the offset of the first frame; 0 if the header is damaged. Throws SchemaError for a newer format. */
  start(): number;
  /** Returns the frame at `offset`; undefined at the end, and for a torn or damaged frame. */
  frameAt(offset: number): Placed | undefined;
  /** Returns the first whole frame at `offset` or after it. */
  findFrame(offset: number): Placed | undefined;
  /** Returns bytes of the file; undefined if it ends before. */
  bytes(from: number, to: number): Uint8Array | undefined;
  close(): void;
};

/** Bytes of one read. Frames share its memory, so a frame keeps all of it alive. */
export const WINDOW_BYTES = 256 * 1024;

/** Opens a segment of the journal in `directory` for reading. */
export function openSegment(disk: Pick<Disk, "read">, directory: string, first: number): Segment {
  const file = disk.read(join(directory, segmentName(first)));
  let size = file.size();
  let window = new Uint8Array(0);
  let windowAt = 0;

  /** Returns at least `bytes` bytes from `offset` on; undefined if the file ends before. */
  function ahead(offset: number, bytes: number): Uint8Array | undefined {
    if (offset + bytes > size) return undefined;
    if (offset < windowAt || offset + bytes > windowAt + window.length) {
      // Always a new buffer, because returned frames share the memory of the old one.
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
      // The end of the buffer may have the first bytes of a magic.
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
