import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { BatchEvent } from "../../core/ports/loads.ts";
import { isoTime } from "../../core/values/time.ts";
import { blankEvents, rowsOf, writeEvents } from "./event-lines.ts";
import { lineBuffer } from "./line-buffer.ts";

/** A file of a load. Only the first `bytes` count: what failed is behind. */
export type Part = { path: string; bytes: number; rows: number };

/** `rowsTaken` are those of the events and the blank ones; `end` is the event that came last. */
export type EventPart = Part & {
  rowsTaken: number;
  end: BatchEvent | undefined;
  historical: boolean;
};

/** Where the file is; null if there is none. */
export const pathOf = ({ path, rows }: Part): string | null => (rows === 0 ? null : path);

/** The first of the events, as many as fit into so many rows. */
export function fitting(events: BatchEvent[], rowsLeft: number): BatchEvent[] {
  let left = rowsLeft;
  const end = events.findIndex(({ line }) => {
    left -= rowsOf(line.length);
    return left < 0;
  });
  return end === -1 ? events : events.slice(0, end);
}

/** The file with more events. */
export function appendedEvents(part: EventPart, events: readonly BatchEvent[]): EventPart {
  const rowsTaken = events.reduce((sum, { line }) => sum + rowsOf(line.length), part.rowsTaken);
  const historical = part.historical || events.some((event) => event.historical);
  const end = events.at(-1) ?? part.end;
  const done = written(part, (write) => {
    writeEvents(events, write);
    return events.length;
  });
  return { ...done, rowsTaken, end, historical };
}

/** The part with blank rows in the place of events that do not fit. */
export function filled(part: EventPart, rowsMax: number): EventPart {
  const { end, rowsTaken } = part;
  if (end === undefined || rowsTaken === rowsMax) return part;
  const blank = blankEvents(end, isoTime(end.arrived_at), rowsMax - rowsTaken);
  const done = written(part, (write) => {
    write(Buffer.from(blank));
    return 0;
  });
  return { ...part, ...done, rowsTaken: rowsMax };
}

/** The file with more lines. */
export function appended(part: Part, lines: Iterable<string>): Part {
  return written(part, (write) => {
    const buffer = lineBuffer(write);
    let rows = 0;
    for (const line of lines) {
      buffer.text(line);
      rows += 1;
    }
    buffer.flush();
    return rows;
  });
}

/**
 * The part with what `work` writes, and as many rows more as it says; what an attempt that failed has
 * left behind it is cut off. Without a byte there is no file.
 */
function written(part: Part, work: (write: (bytes: Uint8Array) => void) => number): Part {
  let { bytes } = part;
  let file: number | undefined;
  try {
    const rows = work((more) => {
      if (file === undefined) {
        file = openSync(part.path, bytes === 0 ? "w" : "r+", 0o600);
        ftruncateSync(file, bytes);
      }
      for (let at = 0; at < more.length; )
        at += writeSync(file, more, at, more.length - at, bytes + at);
      bytes += more.length;
    });
    return { path: part.path, bytes, rows: part.rows + rows };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
