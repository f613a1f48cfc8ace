import type { Entry, Frame, Journal } from "../../core/ports/journal.ts";
import { Failure } from "../../core/values/failure.ts";
import type { Disk } from "../files/disk.ts";
import type { Part } from "./reader.ts";
import { recoverSegments, type TornPart } from "./recovery.ts";
import { frameBytes } from "./segment.ts";
import { type Refused, segmentReserve, segmentWriter } from "./writer.ts";

/** Largest size of a segment, unless one frame is larger. */
export const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;

/** Most bytes of a group commit, unless one frame is larger. */
export const COMMIT_BYTES_MAX = 8 * 1024 * 1024;

/** Most bytes of lines in a frame of several entries: damage loses a whole frame. */
const JOINED_BYTES_MAX = 65_536;

/** Longest time from the arrival of the first entry of a frame to that of the last, which counts as that of the first. */
const JOINED_MS_MAX = 20;

/** Most bytes that wait for the disk. */
export const WAITING_BYTES_MAX = 128 * 1024 * 1024;

type Options = {
  /** Created if it is missing, with mode 0700. */
  directory: string;
  disk: Disk;
  /** The highest number that a store has applied; new events are numbered above it. */
  after: number;
  /** Called with the torn write at the end of the last segment, after it is cut. */
  onCut?: (part: TornPart) => void;
  /** Called with the damaged end of the last segment, after it is copied to `corrupt`. */
  onCorrupt?: (part: Part) => void;
  /** Called with the error of the first group that the disk refuses. */
  onRefused?: (error: unknown) => void;
  /** Called when the disk takes a group again. */
  onAccepted?: () => void;
  /** Called with the last durable number, before its append resolves. */
  onDurable?: (seq: number) => void;
  /** SEGMENT_BYTES_MAX by default. */
  segmentBytesMax?: number;
  /** RESERVE_AFTER_BYTES by default. */
  reserveAfterBytes?: number;
};

type Waiting = { entry: Entry; resolve: (seq: number) => void; reject: (failure: Failure) => void };

/**
 * Opens the journal in `directory` and repairs the end that a crash has left.
 * Fails with the error of the disk, and for a segment of a newer format.
 */
export async function openJournal(options: Options): Promise<Journal> {
  const { directory, disk, after, segmentBytesMax = SEGMENT_BYTES_MAX } = options;
  const { onCut = () => {}, onCorrupt = () => {}, reserveAfterBytes } = options;
  const { onRefused = () => {}, onAccepted = () => {}, onDurable = () => {} } = options;
  await disk.makeDirectory(directory);
  const reserve = await segmentReserve({ directory, disk, bytes: segmentBytesMax });
  const recovered = await recoverSegments({ directory, disk, after, onCut, onCorrupt });
  const places = { directory, disk, segmentBytesMax };
  const segments = segmentWriter(recovered, { ...places, reserve, reserveAfterBytes });

  // Numbers that a store has were durable, also if the journal was trimmed or lost them.
  let durable = Math.max(recovered.last, after);
  let next = Math.max(durable, recovered.given) + 1;
  const queue: Waiting[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  let closed = false;
  let refusal: string | undefined;

  /** Reports a change between a disk that takes groups and one that refuses them. */
  function report(refused: Refused | undefined): void {
    if (refused !== undefined && refusal === undefined) onRefused(refused.error);
    if (refused === undefined && refusal !== undefined) onAccepted();
    refusal = refused === undefined ? undefined : codeOf(refused.error);
  }

  /** Writes group after group until the queue is empty. */
  async function write(): Promise<void> {
    // All entries of this turn of the event loop form one group. No longer wait is needed, because the
    // next group fills while this one is synced.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const group = queue.splice(0, groupLength(queue));
      const first = next;
      const frames = framesOf(group).map((part) => numbered(joined(part)));
      const refused = await segments.write(frames);
      if (refused === undefined) durable = next - 1;
      else if (refused.isGone) next = first;
      if (refused === undefined) onDurable(durable);
      report(refused);
      waitingBytes -= group.reduce((sum, { entry }) => sum + frameBytes(entry), 0);
      answer(group, first, refused);
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
    refusal: () => refusal,

    async rotate() {
      while (writing !== undefined) await writing;
      const last = durable;
      const ended = segments.end();
      // Entries that are appended meanwhile wait, because they belong into the next segment.
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

/** Entries of the next group: at least one, and warnings together with the entry before them. */
function groupLength(queue: readonly Waiting[]): number {
  let bytes = 0;
  const end = queue.findIndex(({ entry }, at) => {
    bytes += frameBytes(entry);
    return at > 0 && bytes > COMMIT_BYTES_MAX && entry.kind !== "warnings";
  });
  return end === -1 ? queue.length : end;
}

/** Resolves the appends of a group whose first line has the number `first`, or fails them. */
function answer(group: readonly Waiting[], first: number, refused: Refused | undefined): void {
  let seq = first;
  for (const { entry, resolve, reject } of group) {
    if (refused === undefined) resolve(seq);
    else reject(unavailable(refused.error));
    seq += entry.count;
  }
}

/** Divides a group into frames. */
function framesOf(group: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = [];
  let bytes = 0;
  for (const waiting of group) {
    const { entry } = waiting;
    const part = parts.at(-1);
    const first = part?.[0]?.entry;
    bytes += entry.lines.length;
    if (first !== undefined && isAlike(first, entry) && bytes <= JOINED_BYTES_MAX) {
      part?.push(waiting);
      continue;
    }
    parts.push([waiting]);
    bytes = entry.lines.length;
  }
  return parts;
}

/** Whether an entry may be in the frame of one before it. */
function isAlike(first: Entry, { kind, project_id, arrived_at }: Entry): boolean {
  return (
    first.kind === kind &&
    first.project_id === project_id &&
    Math.abs(arrived_at - first.arrived_at) <= JOINED_MS_MAX
  );
}

/** The entry with the lines of all. */
function joined(part: readonly Waiting[]): Entry {
  const entries = part.map(({ entry }) => entry);
  const [first] = entries;
  if (first === undefined) throw new Error("A frame without entries");
  if (entries.length === 1) return first;
  return {
    ...first,
    count: entries.reduce((sum, { count }) => sum + count, 0),
    lines: Buffer.concat(entries.map(({ lines }) => lines)),
  };
}

function unavailable(cause?: unknown): Failure {
  const failure = new Failure("unavailable", "Events cannot be stored at the moment.");
  return Object.assign(failure, { cause });
}

/** Returns the code of an error of the disk. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "an unknown error";
}
