import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { BatchEvent } from "../../core/ports/loads.ts";
import { isoTime } from "../../core/values/time.ts";
import { lineBuffer, paddingEvents, rowsFor, writeEvents } from "./event-lines.ts";

/** A file of a load. Only the first `bytes` count, because a failed write may have left more. */
export type Part = { path: string; bytes: number; rows: number };

/** `rowsTaken` counts events and padding rows; `longest` is in bytes; `end` is the last event. */
export type EventPart = Part & {
  rowsTaken: number;
  longest: number;
  end: BatchEvent | undefined;
  historical: boolean;
};

/** A file that nothing is written to yet. */
export const emptyPart = (path: string): Part => ({ path, bytes: 0, rows: 0 });

/** Returns the path of the file; null if it has no rows. */
export const pathOf = ({ path, rows }: Part): string | null => (rows === 0 ? null : path);

/** Returns the first events, as many as fit into `rowsLeft`. */
export function takeUpToRows(events: BatchEvent[], rowsLeft: number): BatchEvent[] {
  let left = rowsLeft;
  const end = events.findIndex(({ line }) => {
    left -= rowsFor(line.length);
    return left < 0;
  });
  return end === -1 ? events : events.slice(0, end);
}

/** Appends events to the file. */
export function appendEvents(part: EventPart, events: readonly BatchEvent[]): EventPart {
  const rowsTaken = events.reduce((sum, { line }) => sum + rowsFor(line.length), part.rowsTaken);
  const longest = events.reduce((max, { line }) => Math.max(max, line.length), part.longest);
  const historical = part.historical || events.some((event) => event.historical);
  const end = events.at(-1) ?? part.end;
  const done = append(part, (write) => {
    writeEvents(events, write);
    return events.length;
  });
  return { ...done, rowsTaken, longest, end, historical };
}

/** Fills the file with padding rows, in place of events that do not fit. */
export function addPadding(part: EventPart, rowsMax: number): EventPart {
  const { end, rowsTaken } = part;
  if (end === undefined || rowsTaken === rowsMax) return part;
  const padding = paddingEvents(end, isoTime(end.arrived_at), rowsMax - rowsTaken);
  const done = append(part, (write) => {
    write(Buffer.from(padding));
    return 0;
  });
  return { ...part, ...done, rowsTaken: rowsMax };
}

/** Appends lines to the file. */
export function appendLines(part: Part, lines: Iterable<string>): Part {
  return append(part, (write) => {
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
 * Adds the bytes that `work` writes, and the number of rows that it returns. Bytes of an earlier failed write are
 * cut first. If `work` writes no byte, no file is made.
 */
function append(part: Part, work: (write: (bytes: Uint8Array) => void) => number): Part {
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
