import { Failure } from "../values/failure.ts";
import { isoTime, TIME_MS_MAX, TIME_MS_MIN } from "../values/time.ts";
import {
  type ClockPiece,
  clockPieces,
  firstInstant,
  hourStart,
  isInstant,
  lastInstant,
  latestShown,
  parseTimeOrAge,
  storable,
  wallClock,
} from "../values/zoned-time.ts";
import {
  backBy,
  bucketName,
  type ClockHours,
  clockHours,
  type HourNames,
  type Interval,
  nextOf,
  startOf,
} from "./intervals.ts";

/** Intervals of one insight. */
export const BUCKETS_MAX = 1000;

/** Default `date_from`: the days since then, that day included. */
export const DATE_FROM_DEFAULT = "-7d";

/**
 * The time of an insight as requested. A number in `date_from` counts intervals back from the end. With
 * `explicitDate`, the range has exactly these bounds. Else it has the whole interval of `date_from` and the
 * whole day of `date_to`; by the hour only a day without a time is whole.
 */
export type DateRange = {
  date_from: string | number;
  date_to: string | null;
  explicitDate?: boolean;
};

/**
 * The time of an insight on the clock of the project's time zone (decision 72): from `from` on,
 * before `before`, ISO 8601. `buckets` are the beginnings of its intervals, in order: days, or hours
 * such as `2026-11-21 14:00`; one that is shown again has its offset, `2026-10-25 02:00+01:00`. `clock` has the changes of the zone's clock in that time. A bound that was
 * requested as an instant, or is within a day, is in `instants`, ISO 8601 in UTC, which then count alone. Of a time
 * without a zone it is the first time that the clock shows `from`, and the last time that it shows `before`.
 */
export type Period = {
  from: string;
  before: string;
  buckets: string[];
  clock: ClockPiece[];
  instants: { from?: string; before?: string };
  /**
   * Of hours among which the clock is changed: bounds and clock as they are shown. Those of the period are then on a clock
   * that goes on evenly, whose hours have these names.
   */
  shown?: Pick<Period, "from" | "before" | "clock">;
  names?: HourNames[];
};

/** The unit of a period, and the IANA name of the zone whose clock it is on. */
export type Divided = { interval: Interval; timezone: string };

/** A period without an interval begins with a day and has no buckets; else it has at most `max`. */
type MaybeDivided = {
  interval: Interval | null;
  timezone: string;
  max?: number | undefined;
  /** Whether only days are whole, as in a list: times and ages in hours and minutes are exact. */
  isExact?: boolean;
  /** The time of the first event, in milliseconds: where the range `all` begins. */
  first?: number | undefined;
};

/** The `date_from` of all time. */
export const ALL_TIME = "all";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The last time before another one is a microsecond earlier. */
export const MICROSECOND_MS = 0.001;

const DAY = /^\d{4}-\d\d-\d\d$|^-\d+[dwmy]$/;

/** Returns the period of a range. It has at most `max` intervals. Fails `invalid_input`. */
export function periodOf(
  { date_from, date_to, explicitDate = false }: DateRange,
  {
    interval,
    timezone,
    now,
    max,
    isExact: areExact = false,
    first: firstMs = now,
  }: MaybeDivided & { now: number },
): Period {
  const unit = interval ?? "day";
  const wallNow = wallClock(now, timezone);
  const read = (text: string, attr: string) => {
    if (text === ALL_TIME && attr === "date_from") {
      return { time: startOf("day", wallClock(firstMs, timezone)), isExact: false };
    }
    const isExact = isInstant(text);
    const time = boundOf(text, wallNow) ?? parseTimeOrAge(text, isExact ? now : wallNow);
    if (time === undefined || time < TIME_MS_MIN) throw malformed(attr);
    return { time, isExact };
  };
  const instants: Period["instants"] = {};
  const begin = (text: string) => {
    const { time, isExact } = read(text, "date_from");
    if (!isExact) return explicitDate ? time : dayIfAsked(text, time);
    if (explicitDate || areExact) instants.from = isoTime(time);
    else if (unit === "hour") instants.from = isoTime(hourStart(time, timezone));
    return wallClock(time, timezone);
  };
  const end = (text: string) => {
    const { time, isExact } = read(text, "date_to");
    const isWhole = !explicitDate && ((unit !== "hour" && !areExact) || DAY.test(text));
    if (isWhole) return endOfDay(isExact ? wallClock(time, timezone) : time);
    const before = Math.min(time + MICROSECOND_MS, TIME_MS_MAX);
    if (!isExact) return before;
    instants.before = isoTime(before);
    return Math.min(latestShown(before, timezone), TIME_MS_MAX);
  };
  const requested = typeof date_from === "string" ? begin(date_from) : undefined;
  // By the hour, the hours of today that are still to come would have no hours to compare with.
  const open = unit === "hour" ? "hEnd" : "-0d";
  const before = end(date_to ?? (explicitDate ? "-0h" : open));
  const last = startOf(unit, before - MICROSECOND_MS);
  const first = requested ?? backBy(unit, last, Number(date_from) - 1);
  const from = explicitDate || areExact ? first : startOf(unit, first);
  if (before <= from || isTurned(instants)) {
    throw new Failure("invalid_input", "The range ends before it begins.", `${RANGE}__date_to`);
  }
  return periodBetween(from, before, { interval, timezone, max }, instants);
}

/** Returns a period with its bounds and its clock as the zone shows them. */
export const shownPeriod = ({ shown, ...period }: Period): Period => ({ ...period, ...shown });

const isTurned = ({ from, before }: Period["instants"]) =>
  from !== undefined && before !== undefined && before <= from;

/** Returns the period with one whole interval before it. */
export function withIntervalBefore(period: Period, { interval, timezone }: Divided): Period {
  const { from: began, ...instants } = period.instants;
  const shown = shownPeriod(period);
  const [from, before] = [wallMs(shown.from), wallMs(shown.before)];
  const max = period.buckets.length + 1;
  if (interval !== "hour") {
    const earlier = backBy(interval, startOf(interval, from), 1);
    return periodBetween(earlier, before, { interval, timezone, max }, instants);
  }
  const begin = began ? wallMs(began) : firstInstant(clockPieces(timezone, { from, before }), from);
  const at = hourStart(hourStart(begin, timezone) - 1, timezone);
  const exact = { ...instants, from: isoTime(at) };
  return periodBetween(wallClock(at, timezone), before, { interval, timezone, max }, exact);
}

/** Returns the period without its first interval. */
export function withoutFirstInterval(period: Period): Period {
  const [, first = period.from, ...later] = period.buckets;
  const next = wallText(startOf("hour", wallMs(period.from)) + HOUR_MS);
  const from = first.length > 10 ? next : `${first}T00:00:00.000000`;
  const { from: _from, ...instants } = period.instants;
  return { ...period, from, buckets: [first, ...later], instants };
}

/** Returns the period with some days before it, without intervals. */
export function withDaysBefore(period: Period, days: number, timezone: string): Period {
  const { from: _from, ...instants } = period.instants;
  const from = Math.max(wallMs(period.from) - days * DAY_MS, TIME_MS_MIN);
  const clock = clockPieces(timezone, { from, before: wallMs(period.before) });
  return { from: wallText(from), before: period.before, buckets: [], clock, instants };
}

/** Returns the period from a time of the clock on, before another one. Fails `invalid_input`. */
export function periodBetween(
  from: number,
  before: number,
  { interval, timezone, max = BUCKETS_MAX }: MaybeDivided,
  requested: Period["instants"] = {},
): Period {
  if (from < TIME_MS_MIN) throw malformed("date_from");
  const buckets: string[] = [];
  const first = interval === null ? from : startOf(interval, from);
  // Days of a changed clock may have more hours, which are counted below.
  for (let at = first; interval !== null && at < before; at = nextOf(interval, at)) {
    if (buckets.length > max + 24) throw tooMany(max);
    buckets.push(bucketName(interval, at));
  }
  const clock = clockPieces(timezone, { from, before });
  const shown = { from: wallText(from), before: wallText(before), clock };
  const instants = { ...requested };
  if (from % DAY_MS !== 0) instants.from ??= isoTime(storable(firstInstant(clock, from)));
  if (before % DAY_MS !== 0) instants.before ??= isoTime(storable(lastInstant(clock, before)));
  const msOf = (instant?: string) => (instant === undefined ? undefined : wallMs(instant));
  const exact = { from: msOf(instants.from), before: msOf(instants.before) };
  const hours = interval === "hour" ? clockHours(clock, { from, before }, exact) : undefined;
  const count = (hours?.buckets ?? buckets).length;
  if (count > max) throw tooMany(max);
  if (hours === undefined || isPlain(hours, buckets)) return { ...shown, buckets, instants };
  const even = { from: wallText(hours.from), before: wallText(hours.before) };
  return { ...hours, ...even, instants, shown };
}

/** Whether hours are all that a clock without a change has. */
const isPlain = ({ names, buckets }: ClockHours, plain: readonly string[]) =>
  names.length === 1 && buckets.length === plain.length && buckets[0] === plain[0];

function tooMany(max: number): Failure {
  const detail = `A range has at most ${max} intervals. A longer interval makes fewer.`;
  return new Failure("invalid_input", detail, RANGE);
}

const BOUND = /^(?:-(\d{1,4}))?([hdwmqy])(Start|End)$/;
const BOUND_INTERVALS: Record<string, Interval> = { h: "hour", d: "day", w: "week" };
const BOUND_MONTHS: Record<string, number> = { m: 1, q: 3, y: 12 };

/** Returns the start or end of a past unit, as PostHog's clients write it: `dStart`, `-1mEnd`. */
function boundOf(text: string, wallNow: number): number | undefined {
  const [, count = "0", unit = "", bound] = BOUND.exec(text) ?? [];
  const at = bound === undefined ? undefined : parseTimeOrAge(`-${count}${unit}`, wallNow);
  if (at === undefined || at < TIME_MS_MIN) return undefined;
  const interval = BOUND_INTERVALS[unit];
  const months = BOUND_MONTHS[unit] ?? 1;
  const month = new Date(startOf("month", at));
  const first = Math.floor(month.getUTCMonth() / months) * months;
  const start = interval === undefined ? month.setUTCMonth(first) : startOf(interval, at);
  if (bound === "Start") return start;
  const next = interval === undefined ? month.setUTCMonth(first + months) : nextOf(interval, start);
  return next - MICROSECOND_MS;
}

/** Field that failures of a range name. */
const RANGE = "query__dateRange";

function malformed(attr: string): Failure {
  const detail =
    "A day such as 2026-11-21, a time in ISO 8601, or an age such as -30d or mStart is expected.";
  return new Failure("invalid_input", detail, `${RANGE}__${attr}`);
}

const dayIfAsked = (text: string, time: number) => (DAY.test(text) ? startOf("day", time) : time);

const endOfDay = (ms: number) => Math.min(startOf("day", ms) + DAY_MS, TIME_MS_MAX);

/** Returns a time of the clock in milliseconds. */
export function wallMs(text: string): number {
  const fraction = Number(text.slice(23, 26)) * MICROSECOND_MS;
  return Date.parse(`${text.slice(0, 23)}Z`) + fraction;
}

function wallText(ms: number): string {
  return isoTime(ms).replace("Z", "");
}
