import { isoTime, parseTime, TIME_MS_MAX, TIME_MS_MIN } from "./time.ts";

/** The base of relative dates, in milliseconds since 1970, and the zone of dates without one: an IANA name. */
export type Moment = { now: number; timezone: string };

const DAY_MS = 86_400_000;
const MICROSECOND_MS = 0.001;

/** Milliseconds of the units that always last as long. */
const UNIT_MS: Record<string, number> = {
  M: 60_000,
  h: DAY_MS / 24,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

const UNIT_MONTHS: Record<string, number> = { m: 1, q: 3, y: 12 };

/**
 * Milliseconds since the epoch of a time as filters give it: ISO 8601, or how long ago it was in
 * minutes, hours, days, weeks, months, quarters or years (`-5M`, `-24h`, `-7d`, `-2w`, `-1m`,
 * `-1q`, `-1y`). Undefined for other texts.
 */
export function parseTimeOrAge(text: string, now: number): number | undefined {
  const [, count = "", unit = ""] = /^-(\d{1,4})([Mhdwmqy])$/.exec(text) ?? [];
  if (unit === "") return parseTime(text);
  const fixed = UNIT_MS[unit];
  if (fixed !== undefined) return now - Number(count) * fixed;
  return monthsBefore(now, Number(count) * (UNIT_MONTHS[unit] ?? 0));
}

/** From a time on and before another, in milliseconds since the epoch; both can be stored. */
export type TimeSpan = { from: number; before: number };

const DATE_ONLY = /^\d{4}-\d\d-\d\d$/;

/**
 * The time that a text spans, which is as {@link parseTimeOrAge} takes it: a whole day where no
 * time of day is given, with `agesAreDays` an age too; else a microsecond.
 */
export function timeSpan(
  text: string,
  now: number,
  { agesAreDays = false } = {},
): TimeSpan | undefined {
  const time = parseTimeOrAge(text, now);
  if (time === undefined) return undefined;
  const isDay = DATE_ONLY.test(text) || (agesAreDays && text.startsWith("-"));
  const from = isDay ? Math.floor(time / DAY_MS) * DAY_MS : time;
  const before = from + (isDay ? DAY_MS : MICROSECOND_MS);
  return { from: storable(from), before: storable(before) };
}

const ABSOLUTE = { time: /[T ].*(?:Z|[+-]\d\d(?::?\d\d)?)$/i, age: /^-\d+[hM]$/ };

/** Whether a text does not depend on a zone: a time with its own zone, or hours and minutes ago. */
export function isInstant(text: string, { agesAreDays = false } = {}): boolean {
  return ABSOLUTE.time.test(text.trim()) || (!agesAreDays && ABSOLUTE.age.test(text));
}

/**
 * A clock that is put back shows a time twice: `instant` is from the first time it shows the beginning to the last time
 * it shows the end, and `inner` from the last time to the first. `wall` is what the clock shows then, as if that were UTC.
 */
export type ZonedSpan = { instant: TimeSpan; inner: TimeSpan; wall: TimeSpan };

/** The time that a text spans, as {@link timeSpan} has it, read in a time zone (an IANA name). */
export function zonedSpan(
  text: string,
  { now, timezone, agesAreDays = false }: Moment & { agesAreDays?: boolean },
): ZonedSpan | undefined {
  const isAbsolute = isInstant(text, { agesAreDays });
  const at = isAbsolute ? now : wallClock(now, timezone);
  const span = timeSpan(text, at, { agesAreDays });
  if (span === undefined) return undefined;
  const converted = (from: typeof wallClock, before = from) => ({
    from: storable(from(span.from, timezone)),
    before: storable(before(span.before, timezone)),
  });
  if (isAbsolute) return { instant: span, inner: span, wall: converted(wallClock) };
  return {
    instant: converted(instantOf, lastInstantOf),
    inner: converted(lastInstantOf, instantOf),
    wall: span,
  };
}

/** Returns a time, or the nearest one that can be stored. */
export function storable(ms: number): number {
  return Math.min(Math.max(ms, TIME_MS_MIN), TIME_MS_MAX);
}

/** The same time of the same day, or the last one that a shorter month has. */
const monthsBefore = (now: number, months: number) =>
  zoned(now, "UTC").subtract({ months }).epochMilliseconds;

/**
 * How far a zone's clock is ahead of UTC, negative if it is later, in spans of time: in order, each until a
 * time in UTC, ISO 8601; the last span does not end.
 */
export type ClockPiece = { until: string | null; ahead_s: number };

const HOUR_MS = DAY_MS / 24;

/** No clock is as far from UTC as a day. */
const MARGIN_MS = DAY_MS;

/** Earlier, no clock changed by a rule; later times of events are not accepted (decision 12). */
const RULES_MS = { from: Date.UTC(1800, 0), before: Date.UTC(2200, 0) };

/** A time on the clock of a zone. */
const zoned = (ms: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timezone);

/** How far a zone's clock is ahead of UTC at a time, in milliseconds. */
const aheadAt = (ms: number, timezone: string) =>
  timezone === "UTC" ? 0 : zoned(ms, timezone).offsetNanoseconds / 1e6;

/** The local clock of a zone at a time, as if it were UTC; both in milliseconds. */
export const wallClock = (ms: number, timezone: string): number => ms + aheadAt(ms, timezone);

/** When a zone's clock first shows a time or, where it passes over that time, a later one. */
export const instantOf = (wall: number, timezone: string): number =>
  firstInstant(clockPieces(timezone, { from: wall, before: wall }), wall);

/** When a zone's clock shows a time, or passes over it, for the last time. */
const lastInstantOf = (wall: number, timezone: string): number =>
  lastInstant(clockPieces(timezone, { from: wall, before: wall }), wall);

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

/** One piece of a zone's clock, in milliseconds. */
export type ClockSpan = { start: number; until: number; ahead: number };

/** Returns the pieces of a clock with their beginnings. */
export function clockSpans(clock: readonly ClockPiece[]): ClockSpan[] {
  let start = Number.NEGATIVE_INFINITY;
  return clock.map(({ until, ahead_s }) => {
    const span = {
      start,
      until: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
      ahead: ahead_s * 1000,
    };
    start = span.until;
    return span;
  });
}

/** Returns the earliest instant from which a clock shows a time or a later one. */
export function firstInstant(clock: readonly ClockPiece[], wall: number): number {
  for (const { start, until, ahead } of clockSpans(clock)) {
    const at = Math.max(wall - ahead, start);
    if (at < until) return at;
  }
  return wall;
}

/** Returns the instant before which a clock shows earlier times than this one for the last time. */
export function lastInstant(clock: readonly ClockPiece[], wall: number): number {
  for (const { start, until, ahead } of clockSpans(clock).reverse()) {
    const at = Math.min(wall - ahead, until);
    if (at > start) return at;
  }
  return wall;
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
  let clock = zoned(Math.max(from - MARGIN_MS, RULES_MS.from), timezone);
  const end = Math.min(before + MARGIN_MS, RULES_MS.before);
  const pieces: ClockPiece[] = [];
  const aheadOf = ({ offsetNanoseconds }: Temporal.ZonedDateTime) => offsetNanoseconds / 1e9;
  for (;;) {
    const next = clock.getTimeZoneTransition("next");
    if (next === null || next.epochMilliseconds >= end) break;
    const isChange = next.offsetNanoseconds !== clock.offsetNanoseconds;
    const until = isoTime(next.epochMilliseconds);
    if (isChange) pieces.push({ until, ahead_s: aheadOf(clock) });
    clock = next;
  }
  return [...pieces, { until: null, ahead_s: aheadOf(clock) }];
}
