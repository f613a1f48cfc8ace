import { join } from "node:path";
import type { Disk, WritableFile } from "./disk.ts";
import {
  type Frame,
  frameBytes,
  frameHeader,
  lastSeq,
  segmentHeader,
  segmentName,
} from "./journal-frame.ts";
import type { Recovered, SegmentFile } from "./journal-recovery.ts";

/** The journal's segments as files: the last one grows, the oldest ones go. */
export type SegmentWriter = {
  /**
   * Resolves once these frames would survive a power cut. Throws what the disk throws; then they
   * have been cut away again, as far as the disk allows, and other frames may be written. One
   * call at a time, with growing numbers. What is written together is in one segment.
   */
  write(frames: readonly Frame[]): Promise<void>;
  /** Bytes of all segments. */
  bytes(): number;
  /** Ends the segment that is written; the next frames begin another one. Not during a `write`. */
  end(): Promise<void>;
  /**
   * Removes the segments all of whose numbers are below `seq`; how many. The newest stays, unless
   * it was ended.
   */
  removeBelow(seq: number): Promise<number>;
  close(): Promise<void>;
};

type Options = { directory: string; disk: Disk; segmentBytesMax: number };
type Active = { segment: SegmentFile; file: WritableFile };

/** Goes on where `recovered` ends. */
export function segmentWriter(recovered: Recovered, options: Options): SegmentWriter {
  const { segments, tail } = recovered;
  const { directory, disk, segmentBytesMax } = options;
  const newest = segments.at(-1);
  /** The segment that is written, while there is one that may be. */
  let active: Active | undefined = tail && newest && { segment: newest, file: tail };
  /** The last number that was written. */
  let { last } = recovered;
  /** The newest segment, if it was ended. */
  let ended: SegmentFile | undefined;

  const pathOf = (segment: SegmentFile) => join(directory, segmentName(segment.first));

  /** A segment without a byte: its header comes with the first frames. */
  async function begin(first: number): Promise<Active> {
    const segment = { first, bytes: 0 };
    const file = await disk.create(pathOf(segment));
    segments.push(segment);
    return { segment, file };
  }

  async function leave({ segment, file }: Active): Promise<void> {
    active = undefined;
    // Whatever these two say, all that counts was synced before.
    await quietly(file.close());
    if (segment.bytes > 0) return;
    segments.splice(segments.indexOf(segment), 1);
    await quietly(disk.remove(pathOf(segment)));
  }

  /** Makes frames durable, or cuts them away again and throws. */
  async function add(frames: readonly Frame[], { segment, file }: Active): Promise<void> {
    const buffers = frames.flatMap((frame) => [frameHeader(frame), frame.lines]);
    const fresh = segment.bytes === 0;
    if (fresh) buffers.unshift(segmentHeader());
    let written = false;
    try {
      await file.write(buffers, segment.bytes);
      written = true;
      await file.sync();
      if (fresh) await disk.syncDirectory(directory);
    } catch (error) {
      const cut = await quietly(file.truncate(segment.bytes));
      // When a sync fails, the kernel forgets which pages are not on disk, and the next sync of
      // the file would succeed without them. So nothing is ever added to it again.
      if (written || !cut) await leave({ segment, file });
      throw error;
    }
    segment.bytes += buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  }

  const isFull = (segment: SegmentFile, more: number) =>
    segment.bytes > 0 && segment.bytes + more > segmentBytesMax;

  const isBelow = (seq: number, segment: SegmentFile, following: SegmentFile | undefined) =>
    following === undefined ? segment === ended && last < seq : following.first <= seq;

  return {
    async write(frames) {
      const first = frames[0]?.first_seq;
      if (first === undefined) return;
      const bytes = frames.reduce((sum, frame) => sum + frameBytes(frame), 0);
      if (active !== undefined && isFull(active.segment, bytes)) await leave(active);
      active ??= await begin(first);
      await add(frames, active);
      last = frames.reduce((_, frame) => lastSeq(frame), first);
    },

    bytes: () => segments.reduce((sum, segment) => sum + segment.bytes, 0),

    async removeBelow(seq) {
      let removed = 0;
      for (;;) {
        const [oldest, following] = segments;
        if (oldest === undefined || !isBelow(seq, oldest, following)) break;
        segments.shift();
        try {
          await disk.remove(pathOf(oldest));
        } catch (error) {
          segments.unshift(oldest);
          throw error;
        }
        removed += 1;
      }
      await disk.syncDirectory(directory);
      return removed;
    },

    async end() {
      ended = segments.at(-1);
      if (active !== undefined) await leave(active);
    },

    async close() {
      if (active !== undefined) await leave(active);
    },
  };
}

/** Whether it succeeded. For what is tried on a disk that has already failed. */
function quietly(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
