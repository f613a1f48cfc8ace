import { join } from "node:path";
import { JOURNAL_READ_BYTES_MAX } from "../../core/events/event.ts";
import type { Frame, JournalGaps, JournalReader, SeqGap } from "../../core/ports/journal.ts";
import type { Disk } from "../files/disk.ts";
import {
  claimsIn,
  lastSeq,
  openSegment,
  type Placed,
  type Segment,
  segmentName,
  segmentsAmong,
} from "./segment.ts";

/** A part of a segment: `bytes` bytes at `offset`. `segment` is a file name. */
export type Part = { segment: string; offset: number; bytes: number };

/** Folder of damaged parts in the journal's directory. */
const CORRUPT = "corrupt";

/** Copies a part that is no frame to `corrupt/<segment>-<offset>.bin` of the journal's directory. */
export function quarantinePart(
  { disk, directory }: { disk: Pick<Disk, "put">; directory: string },
  { segment, offset }: Omit<Part, "bytes">,
  bytes: Uint8Array,
): void {
  disk.put(join(directory, CORRUPT, segment.replace(".journal", `-${offset}.bin`)), bytes);
}

/** Reads all quarantined parts. */
function quarantinedParts({
  disk,
  directory,
}: {
  disk: Pick<Disk, "list" | "read">;
  directory: string;
}): Uint8Array[] {
  if (!disk.list(directory).includes(CORRUPT)) return [];
  const kept = join(directory, CORRUPT);
  return disk.list(kept).map((name) => {
    const file = disk.read(join(kept, name));
    const bytes = new Uint8Array(file.size());
    file.read(bytes, 0);
    file.close();
    return bytes;
  });
}

/** A reader of files, which need not be waited for. */
export type FileReader = JournalReader & {
  readSync(range: Parameters<JournalReader["read"]>[0]): Frame[];
};

/**
 * Makes a reader of the journal in `directory`, which must exist. Bytes that are no valid frame are
 * quarantined: copied, reported to `onCorrupt` and left out. A second read of them only leaves them out.
 */
export function journalReader(options: {
  directory: string;
  disk: Disk;
  onCorrupt: (part: Part) => void;
}): FileReader {
  const { directory, disk, onCorrupt } = options;
  let segment: Segment | undefined;
  let offset = 0;
  /** The last number that was returned or skipped. */
  let mark = 0;
  /** All numbers up to this one are read. A call up to here needs no file. */
  let exhausted = 0;
  /** Names of the copies that this reader has made. Each is a file, so there are few. */
  const copied = new Set<string>();

  function enter(first: number | undefined): void {
    const entered = first === undefined ? undefined : openSegment(disk, directory, first);
    segment?.close();
    segment = entered;
    offset = 0;
  }

  /** Opens the segment that has the number after `after`, or would have it. */
  function seek(after: number): void {
    const firsts = segmentsAmong(disk.list(directory));
    enter(firsts.findLast((first) => first <= after + 1) ?? firsts[0]);
    exhausted = after;
  }

  function here(from: Segment): Placed | undefined {
    if (offset === 0) offset = from.start();
    return from.frameAt(offset);
  }

  /** Copies and reports the bytes from the offset to `end`, and moves there. */
  function quarantine(from: Segment, end: number): void {
    const segment = segmentName(from.first);
    const bytes = from.bytes(offset, end);
    const copy = `${segment} ${offset}`;
    if (bytes !== undefined && bytes.length > 0 && !copied.has(copy)) {
      quarantinePart({ disk, directory }, { segment, offset }, bytes);
      copied.add(copy);
      onCorrupt({ segment, offset, bytes: bytes.length });
    }
    offset = end;
  }

  /** Moves on from an offset without a frame; returns false if the frame may still be written. */
  function skipDamage(from: Segment, upTo: number): boolean {
    // The list comes first: a segment with a later one does not change any more.
    const later = segmentsAmong(disk.list(directory)).find((first) => first > from.first);
    from.refresh();
    if (here(from) !== undefined) return true;

    const whole = from.findFrame(offset + 1);
    // Bytes before a durable frame are damaged. Other bytes may still be written.
    const durable = whole !== undefined && lastSeq(whole.frame) <= upTo;
    if (!durable && later === undefined) return false;
    quarantine(from, whole?.start ?? from.size());
    if (whole === undefined) enter(later);
    return true;
  }

  /** Returns the first frame from the offset on that ends in the range. */
  function next({ after, upTo }: { after: number; upTo: number }): Placed | undefined {
    while (segment !== undefined) {
      const placed = here(segment);
      if (placed === undefined) {
        if (!skipDamage(segment, upTo)) return undefined;
        continue;
      }
      if (lastSeq(placed.frame) > upTo) return undefined;
      if (lastSeq(placed.frame) > after) return placed;
      offset = placed.end;
    }
    return undefined;
  }

  const readSync: FileReader["readSync"] = ({ after, upTo, eventsMax }) => {
    if (upTo <= after) return [];
    if (segment === undefined || after < mark) seek(after);
    mark = after;
    if (upTo <= exhausted) return [];
    segment?.refresh();

    const taken = bounded(eventsMax);
    // The loop ends at `upTo`, because a long preallocated end may follow.
    const following = () => (mark < upTo && !taken.isFull() ? next({ after, upTo }) : undefined);
    for (let placed = following(); placed && taken.add(placed.frame); placed = following()) {
      mark = lastSeq(placed.frame);
      offset = placed.end;
    }
    // The frames keep it for as long as they are needed.
    segment?.dropBuffer();
    if (!taken.isFull()) exhausted = upTo;
    return taken.frames;
  };
  return { readSync, read: async (range) => readSync(range), close: () => enter(undefined) };
}

/** Collects the frames of one read, up to its limits. */
function bounded(eventsMax: number) {
  const frames: Frame[] = [];
  let events = 0;
  let bytes = 0;
  return {
    frames,
    isFull: () => frames.length > 0 && (events >= eventsMax || bytes >= JOURNAL_READ_BYTES_MAX),
    /** Adds a frame and returns true if it fits; the first one always does. */
    add(frame: Frame): boolean {
      events += frame.count;
      bytes += frame.lines.length;
      const isOver = events > eventsMax || bytes > JOURNAL_READ_BYTES_MAX;
      if (isOver && frames.length > 0) return false;
      frames.push(frame);
      return true;
    },
  };
}

/**
 * Finds gaps of the journal: numbers that it lost or never had. `journal` must be a reader of its own,
 * because each call moves its position.
 */
export function journalGaps(
  journal: JournalReader,
  place: { disk: Pick<Disk, "list" | "read">; directory: string },
): JournalGaps {
  /** Numbers of lost warnings, read from the copies of damaged parts: no event is lost with them. */
  const warnings = (): SeqGap[] =>
    quarantinedParts(place)
      .flatMap(claimsIn)
      .filter(({ isWarnings }) => isWarnings)
      .map((claim) => ({ first: claim.first_seq, last: lastSeq(claim) }));

  return {
    /**
     * Returns the gaps above `after` and up to `last`. Each call reads a part of the journal, so `last`
     * may be below `upTo`.
     */
    async find({ after, upTo }: { after: number; upTo: number }) {
      const gaps: SeqGap[] = [];
      let last = after;
      const pass = (before: number) => {
        if (before > last + 1) gaps.push({ first: last + 1, last: before - 1 });
      };
      const range = { after, upTo, eventsMax: Number.POSITIVE_INFINITY };
      const frames = await journal.read(range);
      for (const frame of frames) {
        pass(frame.first_seq);
        last = lastSeq(frame);
      }
      if (frames.length === 0) {
        pass(upTo + 1);
        journal.close();
        last = upTo;
      }
      const others = gaps.length === 0 ? [] : warnings();
      return { gaps: gaps.flatMap((gap) => without(gap, others)), last };
    },
  };
}

/** Returns the parts of a gap that are in none of the other ranges. */
function without(gap: SeqGap, others: readonly SeqGap[]): SeqGap[] {
  return others.reduce(
    (left: SeqGap[], { first, last }) =>
      left
        .flatMap((of) => [
          { first: of.first, last: Math.min(of.last, first - 1) },
          { first: Math.max(of.first, last + 1), last: of.last },
        ])
        .filter((of) => of.first <= of.last),
    [gap],
  );
}
