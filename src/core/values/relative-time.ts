import { parseTime, TIME_MS_MAX, TIME_MS_MIN } from "./time.ts";
import { instantOf, wallClock } from "./wall-clock.ts";

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
 * The time that a text spans, as {@link timeSpan} has it, read in a time zone (an IANA name): from when
 * to when, and what the zone's clock shows then, as if that were UTC.
 */
export function zonedSpan(
  text: string,
  { now, timezone, agesAreDays = false }: Moment & { agesAreDays?: boolean },
): { instant: TimeSpan; wall: TimeSpan } | undefined {
  const isAbsolute = isInstant(text, { agesAreDays });
  const at = isAbsolute ? now : wallClock(now, timezone);
  const span = timeSpan(text, at, { agesAreDays });
  if (span === undefined) return undefined;
  const convert = isAbsolute ? wallClock : instantOf;
  const other = {
    from: storable(convert(span.from, timezone)),
    before: storable(convert(span.before, timezone)),
  };
  return isAbsolute ? { instant: span, wall: other } : { instant: other, wall: span };
}

function storable(ms: number): number {
  return Math.min(Math.max(ms, TIME_MS_MIN), TIME_MS_MAX);
}

/** The same time of the same day, or the last one that a shorter month has. */
function monthsBefore(now: number, months: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - months + 1, 0);
  date.setUTCDate(Math.min(day, date.getUTCDate()));
  return date.getTime();
}
