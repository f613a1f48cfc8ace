import { zone } from "./project.ts";
import { dayIn, shiftDay, startOfDay } from "./zoned-days.ts";

/**
 * A period as the address has it: `today`, `yesterday`, `7d`, `30d`, `90d`, `month`, or two days such as
 * `2026-11-01..2026-11-21`, both included.
 */
export type Period = string;

/** The periods that have a name, in the order of the picker, each with its key. */
export const PERIODS: readonly { value: Period; label: string; key?: string }[] = [
  { value: "today", label: "Today", key: "t" },
  { value: "yesterday", label: "Yesterday", key: "y" },
  { value: "7d", label: "Last 7 days", key: "w" },
  { value: "30d", label: "Last 30 days", key: "m" },
  { value: "90d", label: "Last 90 days" },
  { value: "month", label: "This month" },
];

const RANGE = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/;

/** The first and the last day of a period on the project's clock, as `2026-11-21`. */
export type Days = { from: string; to: string };

/** The days of a period. An unknown one is read as the last 7 days. */
export function daysOf(period: Period, now: Date, timeZone: string = zone()): Days {
  const today = dayIn(now, timeZone);
  const [, from, to] = RANGE.exec(period) ?? [];
  if (from && to) return from <= to ? { from, to } : { from: to, to: from };
  if (period === "today") return { from: today, to: today };
  if (period === "month") return { from: `${today.slice(0, 8)}01`, to: today };
  if (period === "yesterday") {
    const yesterday = shiftDay(today, -1);
    return { from: yesterday, to: yesterday };
  }
  // As queries have it: so many whole days, and today.
  const days = Number(/^(\d{1,4})d$/.exec(period)?.[1] ?? 7);
  return { from: shiftDay(today, -days), to: today };
}

/** How many days a period has. */
export function lengthOf({ from, to }: Days): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
}

/** The period of the same length before (-1) or after (1); it never ends later than today. */
export function shifted(period: Period, direction: -1 | 1, now: Date): Period {
  const days = daysOf(period, now);
  const today = dayIn(now, zone());
  const by = direction * lengthOf(days);
  const to = shiftDay(days.to, by);
  if (to >= today && direction === 1) return days.to >= today ? period : sameLength(days, today);
  return `${shiftDay(days.from, by)}..${to}`;
}

function sameLength(days: Days, today: string): Period {
  const length = lengthOf(days);
  if (length === 1) return "today";
  const named = PERIODS.find(({ value }) => value === `${length - 1}d`);
  return named?.value ?? `${shiftDay(today, 1 - length)}..${today}`;
}

/** The name of a period, such as `Last 7 days` or `1 Nov – 21 Nov`. */
export function labelOf(period: Period, now: Date): string {
  const named = PERIODS.find(({ value }) => value === period);
  if (named) return named.label;
  const { from, to } = daysOf(period, now);
  return from === to ? shortDay(from) : `${shortDay(from)} – ${shortDay(to)}`;
}

/** A day such as `2026-11-21` as `21 Nov`, with the year if it is not this one. */
export function shortDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const isThisYear = day.slice(0, 4) === String(new Date().getFullYear());
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
    timeZone: "UTC",
  }).format(date);
}

/** A period as queries have it. */
export function dateRangeOf(period: Period): { date_from: string; date_to?: string } {
  if (period === "today") return { date_from: "dStart" };
  if (period === "yesterday") return { date_from: "-1dStart", date_to: "-1dEnd" };
  if (period === "month") return { date_from: "mStart" };
  const [, from, to] = RANGE.exec(period) ?? [];
  if (from && to) return { date_from: from, date_to: to };
  const { from: first, to: last } = daysOf(period, new Date());
  return /^\d+d$/.test(period) ? { date_from: `-${period}` } : { date_from: first, date_to: last };
}

/** The interval in which a period is shown: hours for up to two days, weeks from half a year on. */
export function intervalOf(period: Period): "hour" | "day" | "week" {
  const days = lengthOf(daysOf(period, new Date()));
  if (days <= 2) return "hour";
  return days > 180 ? "week" : "day";
}

/** The times between which the events of a period lie: `after` included, `before` not, in ISO 8601. */
export function timesOf(period: Period, now: Date): { after: string; before: string } {
  const { from, to } = daysOf(period, now);
  // `after` of the API is exclusive, so it is the last microsecond of the day before.
  const first = startOfDay(from, zone());
  return {
    after: new Date(first.getTime() - 1).toISOString().replace("Z", "999Z"),
    before: startOfDay(shiftDay(to, 1), zone()).toISOString(),
  };
}
