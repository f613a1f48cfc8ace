import { join } from "node:path";
import { JOURNAL_READ_BYTES_MAX } from "../../core/events/event.ts";
import type { Frame, JournalReader } from "../../core/ports/journal.ts";
import type { Disk } from "../files/disk.ts";
import {
  lastSeq,
  openSegment,
  type Placed,
  type Segment,
  segmentName,
  segmentsAmong,
} from "./segment.ts";

/** A part of a segment: `bytes` from `offset` on. `segment` is a file name. */
export type Part = { segment: string; offset: number; bytes: number };

/** Where damaged parts are kept, in the journal's directory. */
const CORRUPT = "corrupt";

/** Keeps a part that is no frame in `corrupt/<segment>-<offset>.bin` of the journal's directory. */
export function keepPart(
  { disk, directory }: { disk: Pick<Disk, "put">; directory: string },
  { segment, offset }: Omit<Part, "bytes">,
  bytes: Uint8Array,
): void {
  disk.put(join(directory, CORRUPT, segment.replace(".journal", `-${offset}.bin`)), bytes);
}

/** What is kept of all such parts. */
export function keptParts({
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

/**
 * Makes a reader of the journal in `directory`, which must exist. What is no valid frame is copied
 * to `corrupt/<segment>-<offset>.bin` in it, told to `onCorrupt`, and passed over; when the same
 * place is read again, that is all.
 */
export function journalReader(options: {
  directory: string;
  disk: Disk;
  onCorrupt: (part: Part) => void;
}): JournalReader {
  const { directory, disk, onCorrupt } = options;
  let segment: Segment | undefined;
  let offset = 0;
  /** The last event before this place that was returned or asked to be passed over. */
  let mark = 0;
  /** Up to here everything has been read, so a call that asks for no more touches no file. */
  let exhausted = 0;
  /** Copies that were made: a file each, so they are few. */
  const copied = new Set<string>();

  function enter(first: number | undefined): void {
    const entered = first === undefined ? undefined : openSegment(disk, directory, first);
    segment?.close();
    segment = entered;
    offset = 0;
  }

  /** Goes to the segment that holds the event behind `after`, or would hold it. */
  function seek(after: number): void {
    const firsts = segmentsAmong(disk.list(directory));
    enter(firsts.findLast((first) => first <= after + 1) ?? firsts[0]);
    exhausted = after;
  }

  function here(from: Segment): Placed | undefined {
    if (offset === 0) offset = from.start();
    return from.frameAt(offset);
  }

  /** Copies what lies between this place and `end`, reports it, and goes on to `end`. */
  function quarantine(from: Segment, end: number): void {
    const segment = segmentName(from.first);
    const bytes = from.bytes(offset, end);
    const copy = `${segment} ${offset}`;
    if (bytes !== undefined && bytes.length > 0 && !copied.has(copy)) {
      keepPart({ disk, directory }, { segment, offset }, bytes);
      copied.add(copy);
      onCorrupt({ segment, offset, bytes: bytes.length });
    }
    offset = end;
  }

  /** Goes on where no frame begins at this place; false as long as it cannot be told how. */
  function pass(from: Segment, upTo: number): boolean {
    // In this order: a segment that has a later one beside it does not change any more.
    const later = segmentsAmong(disk.list(directory)).find((first) => first > from.first);
    from.refresh();
    if (here(from) !== undefined) return true;

    const found = from.findFrame(offset + 1);
    // What precedes a durable frame was one. The rest may be on its way to the disk.
    const durable = found !== undefined && lastSeq(found.frame) <= upTo;
    if (!durable && later === undefined) return false;
    quarantine(from, found?.start ?? from.size());
    if (found === undefined) enter(later);
    return true;
  }

  /** The first frame from this place on that ends in the range. */
  function next({ after, upTo }: { after: number; upTo: number }): Placed | undefined {
    while (segment !== undefined) {
      const placed = here(segment);
      if (placed === undefined) {
        if (!pass(segment, upTo)) return undefined;
        continue;
      }
      if (lastSeq(placed.frame) > upTo) return undefined;
      if (lastSeq(placed.frame) > after) return placed;
      offset = placed.end;
    }
    return undefined;
  }

  return {
    read({ after, upTo, eventsMax }) {
      if (upTo <= after) return [];
      if (segment === undefined || after < mark) seek(after);
      mark = after;
      if (upTo <= exhausted) return [];
      segment?.refresh();

      const taken = bounded(eventsMax);
      // Behind the last one may be much that is only reserved: nobody looks through that.
      const following = () => (mark < upTo && !taken.isFull() ? next({ after, upTo }) : undefined);
      for (let placed = following(); placed && taken.add(placed.frame); placed = following()) {
        mark = lastSeq(placed.frame);
        offset = placed.end;
      }
      // The frames keep it for as long as they are needed.
      segment?.dropBuffer();
      if (!taken.isFull()) exhausted = upTo;
      return taken.frames;
    },

    close: () => enter(undefined),
  };
}

/** Gathers as many frames as are read together. */
function bounded(eventsMax: number) {
  const frames: Frame[] = [];
  let events = 0;
  let bytes = 0;
  return {
    frames,
    isFull: () => frames.length > 0 && (events >= eventsMax || bytes >= JOURNAL_READ_BYTES_MAX),
    /** Says whether it still fits, as the first one always does. */
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
