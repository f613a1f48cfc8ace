import type { CapturedEvent } from "../events/event.ts";
import type { Frame } from "../ports/journal.ts";
import type { BatchEvent } from "../ports/loads.ts";
import type { ProjectWarning, Warning, WarningType } from "../warnings/warning.ts";

/** An event of the journal. */
export type Candidate = Omit<BatchEvent, "person_id" | "groups" | "mark">;

const utf8 = new TextDecoder();

/** Whether a frame holds events; a batch may end within such a frame. */
export function isOfEvents({ kind }: Frame): boolean {
  return kind === "events" || kind === "historical";
}

/** Returns the events of frames above `after` and up to `upTo`, because a batch may end within a frame. */
export function eventsIn(frames: Frame[], { after, upTo }: { after: number; upTo: number }) {
  return frames.filter(isOfEvents).flatMap((frame) => eventsOf(frame, { after, upTo }));
}

/** Returns the frames of log records up to a sequence number, which is the end of a frame. */
export function logsIn(frames: Frame[], upTo: number): Frame[] {
  return frames.filter(({ kind, first_seq }) => kind === "logs" && first_seq <= upTo);
}

function eventsOf(frame: Frame, { after, upTo }: { after: number; upTo: number }): Candidate[] {
  const { kind, count, first_seq, project_id, arrived_at } = frame;
  const from = Math.max(after + 1 - first_seq, 0);
  const to = Math.min(upTo + 1 - first_seq, count);
  if (from >= to) return [];
  const lines = linesOf(frame, from, to);
  const texts = utf8.decode(lines).split("\n");
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  const historical = kind === "historical";
  let start = 0;
  return texts.slice(0, to - from).map((text, index) => {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = lines.subarray(start, end);
    start = end + 1;
    const event = JSON.parse(text) as CapturedEvent;
    return { seq: first_seq + from + index, project_id, arrived_at, historical, event, line };
  });
}

/** Returns the lines of a frame from index `from` to `to`, without `to`. */
function linesOf({ lines, count }: Frame, from: number, to: number): Uint8Array {
  if (from === 0 && to === count) return lines;
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  let start = 0;
  let end = 0;
  for (let line = 0; line < to; line += 1) {
    if (line === from) start = end;
    end = bytes.indexOf(LINE_FEED, end) + 1;
  }
  return lines.subarray(start, end);
}

const LINE_FEED = 0x0a;

/** The warnings of frames up to a sequence number. */
export function warningsIn(frames: Frame[], upTo: number): ProjectWarning[] {
  return frames
    .filter(({ kind, first_seq }) => kind === "warnings" && first_seq <= upTo)
    .flatMap(warningsOf);
}

/** One warning for each change that admission made to an event. */
export function changeWarnings(candidate: Candidate): ProjectWarning[] {
  return (candidate.event.changed ?? []).map((type) => eventWarning(type, candidate));
}

/** A warning about one event. */
export function eventWarning(
  type: WarningType,
  { project_id, arrived_at: at, event }: Candidate,
): ProjectWarning {
  return { type, count: 1, event_uuid: event.uuid, distinct_id: event.distinct_id, project_id, at };
}

function warningsOf({ lines, count, project_id, arrived_at }: Frame): ProjectWarning[] {
  const texts = utf8.decode(lines).split("\n").slice(0, count);
  return texts.map((text) => ({ ...(JSON.parse(text) as Warning), project_id, at: arrived_at }));
}
