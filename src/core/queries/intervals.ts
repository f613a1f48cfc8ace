import { isoTime } from "../values/time.ts";
import {
  type ClockPiece,
  type ClockSpan,
  clockSpans,
  firstInstant,
  lastInstant,
} from "../values/zoned-time.ts";

/** Units that the time of an insight may be divided into. */
export const INTERVALS = ["hour", "day", "week", "month"] as const;

/** One of INTERVALS. */
export type Interval = (typeof INTERVALS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** 1 January 1970 was a Thursday: weeks begin on the Monday before it. */
const MONDAY_MS = -3 * DAY_MS;

/** How a span of hours is named: by the hour `back_h` hours before, and a suffix; `before` its end, ISO 8601. */
export type HourNames = { before: string | null; back_h: number; suffix: string };

/**
 * A time in which a zone's clock is changed, on a clock that goes on evenly, so that each hour the zone's clock shows,
 * and each part of one that it shows again, is one hour there. All in milliseconds, but for `clock` and `names`.
 */
export type ClockHours = {
  from: number;
  before: number;
  clock: ClockPiece[];
  /** The names of the hours as `buckets` have them. */
  names: HourNames[];
  buckets: string[];
};

const wallText = (ms: number) => isoTime(ms).replace("Z", "");

const hourName = (ms: number): string => wallText(ms).slice(0, 16).replace("T", " ");

function offsetText(ahead: number): string {
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${ahead < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/**
 * Returns the hours between two times that a clock shows, or between the instants of these where they are known;
 * undefined if it is not changed near them. An hour that is shown again has the offset of then in its name.
 */
export function clockHours(
  clock: readonly ClockPiece[],
  { from, before }: { from: number; before: number },
  instants: { from?: number | undefined; before?: number | undefined },
): ClockHours | undefined {
  const begin = instants.from ?? firstInstant(clock, from);
  const end = instants.before ?? lastInstant(clock, before);
  const all = clockSpans(clock);
  const spans = all.filter(({ start, until }) => start < end && until > begin);
  const [first] = spans;
  if (first === undefined || clock.length === 1) return undefined;
  const even: ClockPiece[] = [];
  const hours: Hour[] = [];
  let next = Math.floor((begin + first.ahead) / HOUR_MS);
  for (const { start, until, ahead } of spans) {
    const hour = Math.floor((Math.max(start, begin) + ahead) / HOUR_MS);
    const count = lastHour({ until: Math.min(until, end), ahead }) - hour + 1;
    const back_h = next - hour;
    const shown = all.filter((span) => span.until <= start).map(lastHour);
    const before = Math.max(...shown, Number.NEGATIVE_INFINITY);
    for (let at = hour; at < hour + count; at++) {
      hours.push({ hour: at, back_h, suffix: at <= before ? offsetText(ahead) : "" });
    }
    even.push({
      until: until < end ? isoTime(until) : null,
      ahead_s: ahead / 1000 + back_h * 3600,
    });
    next += count;
  }
  const lastAhead = (even.at(-1)?.ahead_s ?? 0) * 1000;
  const bounds = { from: begin + first.ahead, before: end + lastAhead };
  return { ...bounds, clock: even, ...namesOf(hours) };
}

/** The last hour that a piece of a clock shows. */
const lastHour = ({ until, ahead }: Pick<ClockSpan, "until" | "ahead">) =>
  Math.ceil((until + ahead) / HOUR_MS) - 1;

/** An hour as a clock shows it, in hours; how many hours later it is on the even clock, and what its name ends in. */
type Hour = { hour: number; back_h: number; suffix: string };

function namesOf(hours: readonly Hour[]): Pick<ClockHours, "names" | "buckets"> {
  const names: HourNames[] = [];
  const buckets = hours.map(({ hour, back_h, suffix }) => {
    const last = names.at(-1);
    if (last?.back_h !== back_h || last.suffix !== suffix) {
      if (last !== undefined) last.before = wallText((hour + back_h) * HOUR_MS);
      names.push({ before: null, back_h, suffix });
    }
    return `${hourName(hour * HOUR_MS)}${suffix}`;
  });
  return { names, buckets };
}

/** Returns the beginning of the interval of a time, both as a clock shows them, in milliseconds. */
export function startOf(interval: Interval, ms: number): number {
  const floor = (size: number, origin = 0) => Math.floor((ms - origin) / size) * size + origin;
  switch (interval) {
    case "hour":
      return floor(HOUR_MS);
    case "day":
      return floor(DAY_MS);
    case "week":
      return floor(WEEK_MS, MONDAY_MS);
    case "month":
      return new Date(floor(DAY_MS)).setUTCDate(1);
  }
}

/** Returns the beginning of the interval after one. */
export function nextOf(interval: Interval, ms: number): number {
  if (interval === "hour") return ms + HOUR_MS;
  if (interval === "day") return ms + DAY_MS;
  if (interval === "week") return ms + WEEK_MS;
  const date = new Date(ms);
  return date.setUTCMonth(date.getUTCMonth() + 1);
}

/** Returns the start of an interval, `count` intervals earlier. */
export function backBy(interval: Interval, ms: number, count: number): number {
  if (interval === "hour") return ms - count * HOUR_MS;
  if (interval === "day") return ms - count * DAY_MS;
  if (interval === "week") return ms - count * WEEK_MS;
  const date = new Date(ms);
  return date.setUTCMonth(date.getUTCMonth() - count);
}

/** Returns the name of an interval, by its beginning. */
export function bucketName(interval: Interval, ms: number): string {
  return interval === "hour" ? hourName(ms) : wallText(ms).slice(0, 10);
}

/** Returns when each interval of a period begins, in milliseconds since 1970; the first may be before the period. */
export function bucketStarts(period: {
  from: string;
  buckets: readonly string[];
  clock: readonly ClockPiece[];
}): number[] {
  const { from, buckets, clock } = period;
  const first = Date.parse(`${from.slice(0, 13)}:00Z`);
  return buckets.map((bucket, index) =>
    firstInstant(clock, bucket.length === 10 ? Date.parse(bucket) : first + index * HOUR_MS),
  );
}
