import type { Entry, Frame, Journal } from "../../core/ports/journal.ts";
import { Failure } from "../../core/values/failure.ts";
import type { Disk } from "../files/disk.ts";
import { segmentReserve } from "./preallocate.ts";
import type { Part } from "./reader.ts";
import { recoverSegments, type TornPart } from "./recovery.ts";
import { frameBytes } from "./segment.ts";
import { segmentWriter } from "./writer.ts";

/** The size that a segment does not exceed, unless one frame alone does. */
export const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;

/** How much is written before a sync, unless one frame alone is more. */
export const GROUP_BYTES_MAX = 8 * 1024 * 1024;

/** How much may wait for the disk. */
export const WAITING_BYTES_MAX = 128 * 1024 * 1024;

type Options = {
  /** Made if it is missing, mode 0700. */
  directory: string;
  disk: Disk;
  /** The highest number that a store has applied; new events are numbered above it. */
  after: number;
  /** Told what a crash had torn off the last segment's end, once it is cut. */
  onCut?: (part: TornPart) => void;
  /** Told what was damaged at the last segment's end, once it is kept in `corrupt`. */
  onCorrupt?: (part: Part) => void;
  /** SEGMENT_BYTES_MAX by default. */
  segmentBytesMax?: number;
  /** RESERVE_AFTER_BYTES by default. */
  reserveAfterBytes?: number;
};

type Waiting = { entry: Entry; resolve: (seq: number) => void; reject: (failure: Failure) => void };

/**
 * Opens the journal in `directory` and mends what a crash has left.
 * Throws what the disk throws, and on a segment of another format version.
 */
export async function openJournal(options: Options): Promise<Journal> {
  const { directory, disk, after, segmentBytesMax = SEGMENT_BYTES_MAX } = options;
  const { onCut = () => {}, onCorrupt = () => {}, reserveAfterBytes } = options;
  await disk.makeDirectory(directory);
  const reserve = await segmentReserve({ directory, disk, bytes: segmentBytesMax });
  const recovered = await recoverSegments({ directory, disk, after, onCut, onCorrupt });
  const places = { directory, disk, segmentBytesMax };
  const segments = segmentWriter(recovered, { ...places, reserve, reserveAfterBytes });

  // What a store has was durable, also where the journal was trimmed or has lost it.
  let durable = Math.max(recovered.last, after);
  let next = Math.max(durable, recovered.given) + 1;
  const queue: Waiting[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  let closed = false;

  /** Writes group after group until nothing waits. */
  async function write(): Promise<void> {
    // So that what the event loop has at hand in this turn is one group. Never for longer: while
    // a group is synced the next one gathers by itself.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const group = queue.splice(0, groupLength(queue));
      const first = next;
      const frames = group.map(({ entry }) => numbered(entry));
      const refused = await segments.write(frames);
      if (refused === undefined) durable = next - 1;
      else if (refused.isGone) next = first;
      group.forEach(({ entry, resolve, reject }, at) => {
        waitingBytes -= frameBytes(entry);
        if (refused === undefined) resolve(frames[at]?.first_seq ?? first);
        else reject(unavailable(refused.error));
      });
    }
    writing = undefined;
  }

  function numbered(entry: Entry): Frame {
    const frame = { ...entry, first_seq: next };
    next += entry.count;
    return frame;
  }

  return {
    append(entry) {
      if (entry.count < 1) return Promise.reject(new Error("A journal entry without events"));
      const bytes = frameBytes(entry);
      if (closed || waitingBytes + bytes > WAITING_BYTES_MAX) return Promise.reject(unavailable());
      waitingBytes += bytes;
      return new Promise((resolve, reject) => {
        queue.push({ entry, resolve, reject });
        writing ??= write();
      });
    },

    durableSeq: () => durable,
    first: () => recovered.first,
    bytes: segments.bytes,
    waiting: () => waitingBytes,

    async rotate() {
      while (writing !== undefined) await writing;
      const last = durable;
      const ended = segments.end();
      // What is appended meanwhile waits: it must not get into the segment that ends.
      writing = ended
        .catch(() => undefined)
        .then(() => {
          writing = queue.length > 0 ? write() : undefined;
        });
      await ended;
      return last;
    },

    trim: (upTo) => segments.removeBelow(upTo + 1),

    async close() {
      closed = true;
      while (writing !== undefined) await writing;
      await segments.close();
    },
  };
}

/** How many of those that wait are written together: at least one, and warnings with what they are of. */
function groupLength(queue: readonly Waiting[]): number {
  let bytes = 0;
  const end = queue.findIndex(({ entry }, at) => {
    bytes += frameBytes(entry);
    return at > 0 && bytes > GROUP_BYTES_MAX && entry.kind !== "warnings";
  });
  return end === -1 ? queue.length : end;
}

function unavailable(cause?: unknown): Failure {
  const failure = new Failure("unavailable", "Events cannot be stored at the moment.");
  return Object.assign(failure, { cause });
}
