import { join } from "node:path";
import type { Frame } from "../../core/ports/journal.ts";
import type { Disk } from "../files/disk.ts";
import {
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  frameBytesOf,
  frameOf,
  isSegmentHeader,
  SEGMENT_HEADER_BYTES,
  segmentName,
} from "./frame.ts";

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
  letGo(): void;
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

  function letGo(): void {
    window = new Uint8Array(0);
  }

  return {
    first,
    size: () => size,
    refresh() {
      size = file.size();
      letGo();
    },
    letGo,
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
