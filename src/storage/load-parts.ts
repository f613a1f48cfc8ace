import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { isoTime } from "../domain/time.ts";
import { rowsOf } from "./blank-rows.ts";
import { blankEvents, type SliceEvent, writeEvents } from "./event-lines.ts";

/** A file of a load. Only the first `bytes` count: what failed is behind. */
export type Part = { path: string; bytes: number; rows: number };

/** `rowsTaken` are those of the events and the blank ones; `end` is the event that came last. */
export type EventPart = Part & {
  rowsTaken: number;
  end: SliceEvent | undefined;
  historical: boolean;
};

/** Characters of lines after which they are written, so that a file is never in memory as one text. */
const CHARS_PER_WRITE = 1_048_576;

/** Where the file is; null if there is none. */
export const pathOf = ({ path, rows }: Part): string | null => (rows === 0 ? null : path);

/** The first of the events, as many as fit into so many rows. */
export function fitting(events: SliceEvent[], rowsLeft: number): SliceEvent[] {
  let left = rowsLeft;
  const end = events.findIndex(({ line }) => {
    left -= rowsOf(line.length);
    return left < 0;
  });
  return end === -1 ? events : events.slice(0, end);
}

/** The file with more events. */
export function appendedEvents(part: EventPart, events: readonly SliceEvent[]): EventPart {
  const rowsTaken = events.reduce((sum, { line }) => sum + rowsOf(line.length), part.rowsTaken);
  const historical = part.historical || events.some((event) => event.historical);
  const end = events.at(-1) ?? part.end;
  const done = written(part, events.length, (write) => writeEvents(events, write));
  return { ...done, rowsTaken, end, historical };
}

/** The part with blank rows in the place of events that do not fit. */
export function filled(part: EventPart, rowsMax: number): EventPart {
  const { end, rows, rowsTaken } = part;
  if (end === undefined || rowsTaken === rowsMax) return part;
  const blank = blankEvents(end, isoTime(end.arrived_at), rowsMax - rowsTaken);
  const { bytes } = written(part, rows, (write) => write(Buffer.from(blank)));
  return { ...part, bytes, rowsTaken: rowsMax };
}

/** The file with more lines. */
export function appended(part: Part, lines: Iterable<string>): Part {
  let done = part;
  let text = "";
  let rows = 0;
  const put = () => {
    const bytes = Buffer.from(text);
    done = written(done, rows, (write) => write(bytes));
    text = "";
    rows = 0;
  };
  for (const line of lines) {
    text += line;
    rows += 1;
    if (text.length >= CHARS_PER_WRITE) put();
  }
  put();
  return done;
}

/** The part with more rows; what an attempt that failed has left behind it is cut off. */
function written(
  part: Part,
  rows: number,
  work: (write: (bytes: Uint8Array) => void) => void,
): Part {
  if (rows === 0) return part;
  let { bytes } = part;
  const file = openSync(part.path, bytes === 0 ? "w" : "r+", 0o600);
  try {
    ftruncateSync(file, bytes);
    work((more) => {
      for (let at = 0; at < more.length; )
        at += writeSync(file, more, at, more.length - at, bytes + at);
      bytes += more.length;
    });
  } finally {
    closeSync(file);
  }
  return { path: part.path, bytes, rows: part.rows + rows };
}
