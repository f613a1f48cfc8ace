import { parseTimeOrAge, wallClock } from "../values/zoned-time.ts";
import { backBy, nextOf, startOf } from "./intervals.ts";
import {
  type Divided,
  MICROSECOND_MS,
  type Period,
  periodBetween,
  shownPeriod,
  wallMs,
} from "./period.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Returns the period of equal length that ends where this one begins. One that ends within a day is compared
 * with the same hours of earlier days, unless it begins within a day too. Its first week or month may be
 * incomplete, where the last one of `period` is. It has as many intervals. With `now`, in milliseconds, a period that is
 * not over counts as far as it has come, up to the end of the hour.
 */
export function previousPeriod(period: Period, divided: Divided, now?: number): Period {
  const { interval, timezone } = divided;
  const shown = shownPeriod(period);
  const from = wallMs(shown.from);
  const end =
    period.instants.before === undefined
      ? wallMs(shown.before)
      : wallClock(wallMs(period.instants.before), timezone);
  const before = reachedBy({ from, end }, timezone, now);
  const step = from % DAY_MS === 0 ? DAY_MS : HOUR_MS;
  // A period up to now has its last microsecond.
  const length = Math.ceil((before - from - 2 * MICROSECOND_MS) / step) * step;
  const start = interval === "month" ? monthsBefore(from, length) : from - length;
  return periodBetween(start, from - (length - (before - from)), divided);
}

/** How far a period has come: to the end of the hour of `now`, if that lies in it. */
function reachedBy(
  { from, end }: { from: number; end: number },
  timezone: string,
  now: number | undefined,
): number {
  if (now === undefined) return end;
  const reached = nextOf("hour", startOf("hour", wallClock(now, timezone)));
  return reached > from ? Math.min(end, reached) : end;
}

/**
 * Returns the period that is earlier by an age such as `-1w`, on the clock of the zone. With `now`, in milliseconds, as
 * much of it as has passed of a period that is not over.
 */
export function earlierPeriod(period: Period, age: string, divided: Divided, now?: number): Period {
  const earlier = (ms: number) => parseTimeOrAge(age, ms) ?? ms;
  const shown = shownPeriod(period);
  const [from, end] = [wallMs(shown.from), wallMs(shown.before)];
  return periodBetween(
    earlier(from),
    earlier(reachedBy({ from, end }, divided.timezone, now)),
    divided,
  );
}

/** As many months and days before the start of a month as it has after it. */
function monthsBefore(from: number, length: number): number {
  let [months, next] = [0, nextOf("month", from)];
  for (; next <= from + length; next = nextOf("month", next)) months += 1;
  const start = backBy("month", from, months);
  const days = from + length - backBy("month", next, 1);
  return Math.max(start - days, backBy("month", start, 1));
}
