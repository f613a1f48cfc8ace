import { Failure } from "./errors.ts";
import { parseTimeOrAge } from "./relative-time.ts";
import { isoTime, TIME_MS_MAX, TIME_MS_MIN } from "./time.ts";

/** What the time of an insight is divided into. */
export const INTERVALS = ["hour", "day", "week", "month"] as const;

/** One of INTERVALS. */
export type Interval = (typeof INTERVALS)[number];

/** Parts that the time of one insight may be divided into. */
export const BUCKETS_MAX = 1000;

/** The days of an insight that does not say: those since then, and that one. */
export const DATE_FROM_DEFAULT = "-7d";

/** What an insight says of its time. */
export type DateRange = { date_from: string; date_to: string | null };

/**
 * The time of an insight on the clock of the project's time zone (decision 72): from `from` on,
 * before `before`, ISO 8601. `buckets` are the beginnings of its intervals, in order, as days or,
 * by the hour, as `2026-11-21 14:00`.
 */
export type Period = { from: string; before: string; buckets: string[] };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const MICROSECOND_MS = 0.001;

/** 1 January 1970 was a Thursday: weeks begin on the Monday before it. */
const MONDAY_MS = -3 * DAY_MS;

const DAY = /^\d{4}-\d\d-\d\d$|^-\d+[dwmy]$/;
const WITH_ZONE = /[T ].*(?:Z|[+-]\d\d(?::?\d\d)?)$/i;

/** The period of a range. It begins with a whole interval. Fails `invalid_input`. */
export function periodOf(
  { date_from, date_to }: DateRange,
  { interval, timezone, now }: { interval: Interval; timezone: string; now: number },
): Period {
  const wallNow = wallClock(now, timezone);
  const read = (text: string, attr: string) => {
    const time = parseTimeOrAge(text, wallNow);
    if (time === undefined || time < TIME_MS_MIN) throw malformed(attr);
    return WITH_ZONE.test(text) ? wallClock(time, timezone) : time;
  };
  const from = startOf(interval, dayIfAsked(date_from, read(date_from, "date_from")));
  const before = endOf(date_to ?? "-0d", read(date_to ?? "-0d", "date_to"));
  if (before <= from) {
    throw new Failure("invalid_input", "The range ends before it begins.", `${RANGE}__date_to`);
  }
  const buckets: string[] = [];
  for (let at = from; at < before; at = nextOf(interval, at)) {
    if (buckets.length === BUCKETS_MAX) {
      const detail = `A range has at most ${BUCKETS_MAX} intervals. A longer interval makes fewer.`;
      throw new Failure("invalid_input", detail, RANGE);
    }
    buckets.push(bucketName(interval, at));
  }
  return { from: wallText(from), before: wallText(before), buckets };
}

/** Field to blame for a range. */
const RANGE = "query__dateRange";

function malformed(attr: string): Failure {
  const detail =
    "A day such as 2026-11-21, a time in ISO 8601, or an age such as -30d is expected.";
  return new Failure("invalid_input", detail, `${RANGE}__${attr}`);
}

const dayIfAsked = (text: string, time: number) => (DAY.test(text) ? startOf("day", time) : time);

/** A day is included whole, and so is an instant. */
function endOf(text: string, time: number): number {
  const end = DAY.test(text) ? startOf("day", time) + DAY_MS : time + MICROSECOND_MS;
  return Math.min(end, TIME_MS_MAX);
}

/** What the clock on the wall shows at a time, as if that were UTC; both in milliseconds. */
export function wallClock(ms: number, timezone: string): number {
  if (timezone === "UTC") return ms;
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
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const day = Date.UTC(part("year"), part("month") - 1, part("day"));
  const seconds = (part("hour") * 60 + part("minute")) * 60 + part("second");
  return day + seconds * 1000 + (((ms % 1000) + 1000) % 1000);
}

function startOf(interval: Interval, ms: number): number {
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

function nextOf(interval: Interval, ms: number): number {
  if (interval === "hour") return ms + HOUR_MS;
  if (interval === "day") return ms + DAY_MS;
  if (interval === "week") return ms + WEEK_MS;
  const date = new Date(ms);
  return date.setUTCMonth(date.getUTCMonth() + 1);
}

function wallText(ms: number): string {
  return isoTime(ms).replace("Z", "");
}

function bucketName(interval: Interval, ms: number): string {
  const text = wallText(ms);
  return interval === "hour" ? text.slice(0, 16).replace("T", " ") : text.slice(0, 10);
}
