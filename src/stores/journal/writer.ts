import { join } from "node:path";
import type { Frame } from "../../core/ports/journal.ts";
import type { Disk, WritableFile } from "../files/disk.ts";
import type { Reserve } from "./preallocate.ts";
import type { Recovered, SegmentFile } from "./recovery.ts";
import { frameBytes, frameHeader, lastSeq, segmentHeader, segmentName } from "./segment.ts";

/** The journal's segments as files: the last one grows, the oldest ones go. */
export type SegmentWriter = {
  /**
   * Resolves once these frames would survive a power cut, or the disk has refused them; then they
   * have been cut away again, as far as it allows, and other frames may be written. One call at a
   * time, with growing numbers. What is written together is in one segment.
   */
  write(frames: readonly Frame[]): Promise<Refused | undefined>;
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

/**
 * What the disk said; `isGone` where nothing of the frames can ever be in the journal, so that others
 * may have their numbers.
 */
export type Refused = { error: unknown; isGone: boolean };

/** What is written before a reserve is made, in bytes: who has little to write needs none. */
export const RESERVE_AFTER_BYTES = 4 * 1024 * 1024;

type Options = {
  directory: string;
  disk: Disk;
  segmentBytesMax: number;
  reserve: Reserve;
  /** RESERVE_AFTER_BYTES by default. */
  reserveAfterBytes?: number | undefined;
};

/** `reserved`: whether there may be zeros behind what was written. */
type Active = { segment: SegmentFile; file: WritableFile; reserved: boolean };

/** Goes on where `recovered` ends. */
export function segmentWriter(recovered: Recovered, options: Options): SegmentWriter {
  const { segments, tail } = recovered;
  const { directory, disk, segmentBytesMax, reserve } = options;
  const { reserveAfterBytes = RESERVE_AFTER_BYTES } = options;
  const newest = segments.at(-1);
  /** The segment that is written, while there is one that may be. */
  let active: Active | undefined = tail &&
    newest && { segment: newest, file: tail, reserved: false };
  let writtenBytes = 0;
  /** The last number that was written. */
  let { last } = recovered;
  /** The newest segment, if it was ended. */
  let ended: SegmentFile | undefined;

  const pathOf = (segment: SegmentFile) => join(directory, segmentName(segment.first));

  /** A segment without a byte, or of zeros: its header comes with the first frames. */
  async function begin(first: number): Promise<Active> {
    const segment = { first, bytes: 0 };
    const path = pathOf(segment);
    const reserved = await reserve.take(path);
    const file = reserved ?? (await disk.create(path));
    segments.push(segment);
    return { segment, file, reserved: reserved !== undefined };
  }

  async function leave({ segment, file }: Active): Promise<void> {
    active = undefined;
    // Whatever these two say, all that counts was synced before.
    await quietly(file.close());
    if (segment.bytes > 0) return;
    segments.splice(segments.indexOf(segment), 1);
    await quietly(disk.remove(pathOf(segment)));
  }

  const finish = async (done: Active): Promise<void> => {
    await cutReserve(done);
    await leave(done);
  };

  /** Whether another segment is to be begun: one that grows ends when one made ahead is there. */
  const isDone = ({ segment, reserved }: Active, more: number) =>
    segment.bytes > 0 &&
    (segment.bytes + more > segmentBytesMax || (!reserved && reserve.isReady()));

  /** Where so many bytes may be written next. */
  const room = async (first: number, bytes: number): Promise<Active> => {
    if (active !== undefined && isDone(active, bytes)) await finish(active);
    active ??= await begin(first);
    return active;
  };

  const reserveIfLow = ({ segment, reserved }: Active): void => {
    const isLow = !reserved || segment.bytes > segmentBytesMax / 2;
    if (isLow && writtenBytes >= reserveAfterBytes) reserve.prepare();
  };

  const isBelow = (seq: number, segment: SegmentFile, following: SegmentFile | undefined) =>
    following === undefined ? segment === ended && last < seq : following.first <= seq;

  return {
    async write(frames) {
      const first = frames[0]?.first_seq;
      if (first === undefined) return undefined;
      const bytes = frames.reduce((sum, frame) => sum + frameBytes(frame), 0);
      const to = await room(first, bytes).catch((error: unknown) => ({ error, isGone: false }));
      if ("error" in to) return to;
      const added = await add(frames, to, options);
      if ("error" in added) {
        if (!added.isGone) await leave(to);
        return added;
      }
      last = frames.reduce((_, frame) => lastSeq(frame), first);
      to.segment.bytes += added.bytes;
      writtenBytes += added.bytes;
      reserveIfLow(to);
      return undefined;
    },

    bytes: () => segments.reduce((sum, segment) => sum + segment.bytes, 0),

    removeBelow: (seq) =>
      removeWhile((segment, following) => isBelow(seq, segment, following), segments, options),

    async end() {
      if (active !== undefined) await finish(active);
      ended = segments.at(-1);
    },

    async close() {
      const closing = active;
      active = undefined;
      await reserve.close();
      if (closing === undefined) return;
      await quietly(cutReserve(closing));
      await leave(closing);
    },
  };
}

/** Removes the oldest segments as long as they may go; how many. */
async function removeWhile(
  mayGo: (segment: SegmentFile, following: SegmentFile | undefined) => boolean,
  segments: SegmentFile[],
  { disk, directory }: Pick<Options, "disk" | "directory">,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const [oldest, following] = segments;
    if (oldest === undefined || !mayGo(oldest, following)) break;
    segments.shift();
    try {
      await disk.remove(join(directory, segmentName(oldest.first)));
    } catch (error) {
      segments.unshift(oldest);
      throw error;
    }
    removed += 1;
  }
  await disk.syncDirectory(directory);
  return removed;
}

/** How many bytes were made durable; of a failure, where all is gone, other frames may be added to the file. */
type Added = { bytes: number } | Refused;

/** Makes frames durable, or cuts them away again. */
async function add(
  frames: readonly Frame[],
  to: Active,
  { disk, directory }: Pick<Options, "disk" | "directory">,
): Promise<Added> {
  const { segment, file } = to;
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
    to.reserved = false;
    // When a sync fails, the kernel forgets which pages are not on disk, and the next sync of
    // the file would succeed without them. So nothing is ever added to it again.
    return { error, isGone: cut && !written };
  }
  return { bytes: buffers.reduce((sum, buffer) => sum + buffer.length, 0) };
}

/**
 * Zeros at the end of a segment that is not the last one would be taken for damage. Throws where they
 * stay; then more may be added. Not where the sync fails: nothing may be added behind that, and
 * the frames were synced before.
 */
async function cutReserve({ segment, file, reserved }: Active): Promise<void> {
  if (!reserved || segment.bytes === 0) return;
  await file.truncate(segment.bytes);
  await quietly(file.sync());
}

/** Whether it succeeded. For what is tried on a disk that has already failed. */
function quietly(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
