import { isoTime } from "./time.ts";

/**
 * How far a zone's clock is ahead of UTC, negative if it is later, in spans of time: in order, each until a
 * time in UTC, ISO 8601; the last span does not end.
 */
export type ClockPiece = { until: string | null; ahead_s: number };

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;

/** No clock is as far from UTC as a day. */
const MARGIN_MS = DAY_MS;

/** No clock is put forward and back within a week. */
const STEP_MS = 7 * DAY_MS;

/** Earlier, no clock changed by a rule; later times of events are not accepted (decision 12). */
const RULES_MS = { from: Date.UTC(1800, 0), before: Date.UTC(2200, 0) };

/** The local clock of a zone at a time, as if it were UTC; both in milliseconds. */
export function wallClock(ms: number, timezone: string): number {
  return clockOf(timezone)(ms);
}

/**
 * When a zone's clock shows a time, the other way round than `wallClock`; a time that it passes over
 * when it is put forward is as much later.
 */
export function instantOf(wall: number, timezone: string): number {
  const clock = clockOf(timezone);
  const ahead = (ms: number) => clock(ms) - ms;
  return wall - ahead(wall - ahead(wall));
}

/**
 * The latest time that a zone's clock has shown by an instant, as `wallClock` gives it: where it was just
 * put back, that of before.
 */
export function latestShown(ms: number, timezone: string): number {
  const wall = wallClock(ms, timezone);
  const changes = clockPieces(timezone, { from: wall, before: wall }).map(changeOf);
  return Math.max(wall, ...changes.filter(({ at }) => at <= ms).map(({ shown }) => shown));
}

/**
 * When the hour that a zone's clock shows at an instant began; no earlier than the clock was put back
 * within it.
 */
export function hourStart(ms: number, timezone: string): number {
  const wall = wallClock(ms, timezone);
  const start = ms - (((wall % HOUR_MS) + HOUR_MS) % HOUR_MS);
  const changes = clockPieces(timezone, { from: wall, before: wall }).map(changeOf);
  return Math.max(start, ...changes.filter(({ at }) => at <= ms).map(({ at }) => at));
}

/** When a piece ends, and what the clock would show then. */
function changeOf({ until, ahead_s }: ClockPiece): { at: number; shown: number } {
  const at = until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
  return { at, shown: at + ahead_s * 1000 };
}

/**
 * How a zone's clock goes between two times on it, in milliseconds as `wallClock` gives them. Asked
 * of the engine for every event, it would take ten times as long.
 */
export function clockPieces(
  timezone: string,
  { from, before }: { from: number; before: number },
): ClockPiece[] {
  if (timezone === "UTC") return [{ until: null, ahead_s: 0 }];
  const clock = clockOf(timezone);
  const aheadAt = (ms: number) => Math.round((clock(ms) - ms) / 1000);
  const pieces: ClockPiece[] = [];
  let at = Math.max(from - MARGIN_MS, RULES_MS.from);
  const end = Math.min(before + MARGIN_MS, RULES_MS.before);
  for (let ahead_s = aheadAt(at); at < end; at += STEP_MS) {
    const next = aheadAt(at + STEP_MS);
    if (next === ahead_s) continue;
    const changed = changeWithin(at, at + STEP_MS, (ms) => aheadAt(ms) === ahead_s);
    pieces.push({ until: isoTime(changed), ahead_s });
    ahead_s = next;
  }
  return [...pieces, { until: null, ahead_s: aheadAt(at) }];
}

/** The first whole second at which something no longer holds that held at `from`. */
function changeWithin(from: number, to: number, holds: (ms: number) => boolean): number {
  let [held, changed] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (changed - held > 1) {
    const middle = Math.floor((held + changed) / 2);
    if (holds(middle * 1000)) held = middle;
    else changed = middle;
  }
  return changed * 1000;
}

/** Reads a zone's clock; making what reads it takes longer than many readings. */
function clockOf(timezone: string): (ms: number) => number {
  if (timezone === "UTC") return (ms) => ms;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    const day = new Date(0).setUTCFullYear(part("year"), part("month") - 1, part("day"));
    const seconds = (part("hour") * 60 + part("minute")) * 60 + part("second");
    return day + seconds * 1000 + (((ms % 1000) + 1000) % 1000);
  };
}
