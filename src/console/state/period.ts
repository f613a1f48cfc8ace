import { boundsOf, PERIODS, type Period, periodOfRange } from "./bounds.ts";
import { sameMonths } from "./format.ts";
import { zone } from "./project.ts";
import { calendarOf, dayOfBound, rangeName } from "./ranges.ts";
import { dayIn, shiftDay, startOfDay, startOfHour } from "./zoned-days.ts";

/** The first and the last day of a period on the project's clock, as `2026-11-21`. */
export type Days = { from: string; to: string };

/** The days of a period. An unknown one is read as the last 7 days, and so is all time. */
export function daysOf(period: Period, now: Date, timeZone: string = zone()): Days {
  const today = dayIn(now, timeZone);
  const [first, last] = boundsOf(period);
  const from = dayOfBound(first, now, timeZone) ?? shiftDay(today, -6);
  const to = dayOfBound(last, now, timeZone) ?? today;
  return from <= to ? { from, to } : { from: to, to: from };
}

/** How many days a period has. */
export function lengthOf({ from, to }: Days): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
}

/** How many days are drawn for a period. All time is as long as a project is old, which is about a year. */
export const spanOf = (period: Period): number =>
  period === "all" ? 365 : lengthOf(daysOf(period, new Date()));

/**
 * The period of the same length before (-1) or after (1); it never ends later than today. Hours, months and other
 * units of the calendar move by as many of their kind.
 */
export function shifted(period: Period, direction: -1 | 1, now: Date): Period {
  const [from, to] = boundsOf(period);
  if (from === "all") return period;
  const calendar = calendarOf(from, to);
  if (calendar) {
    const { unit, first, last } = calendar;
    const more = first - last;
    const next = last - direction * (more + 1);
    if (next > 0) return periodOfRange(`-${next + more}${unit}Start`, `-${next}${unit}End`);
    const edge = unit === "h" ? "" : "Start";
    return periodOfRange(more === 0 ? `${unit}Start` : `-${more}${unit}${edge}`, "");
  }
  const days = daysOf(period, now);
  const today = dayIn(now, zone());
  const by = direction * lengthOf(days);
  const last = shiftDay(days.to, by);
  if (last >= today && direction === 1) return days.to >= today ? period : upToToday(days);
  return `${shiftDay(days.from, by)}..${last}`;
}

function upToToday(days: Days): Period {
  const length = lengthOf(days);
  return length === 1 ? "today" : `${length}d`;
}

/** The name of a period, such as `Last 7 days` or `1 Nov – 21 Nov`. */
export function labelOf(period: Period, now: Date): string {
  const [first, last] = boundsOf(period);
  const plain = periodOfRange(first, last);
  const named = PERIODS.find(({ value }) => value === plain);
  if (named) return named.label;
  const name = rangeName(first, last);
  if (name) return name;
  if (calendarOf(first, last)?.unit === "h") {
    const { from, before } = instantsOf(period, now);
    return `${hourName(from)} – ${hourName(before)}`;
  }
  const { from, to } = daysOf(period, now);
  if (last === "" && first.startsWith(from)) return `Since ${shortDay(from)}`;
  return from === to ? shortDay(from) : `${shortDay(from)} – ${shortDay(to)}`;
}

/** A day such as `2026-11-21` as `21 Nov`, with the year if it is not this one. */
export function shortDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const isThisYear = day.slice(0, 4) === String(new Date().getFullYear());
  const name = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
    timeZone: "UTC",
  }).format(date);
  return sameMonths(name);
}

const hourName = (time: Date): string =>
  new Intl.DateTimeFormat("en-GB", {
    ...({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const),
    timeZone: zone(),
  }).format(time);

/** The first instant of a period, and the one after its last. All time begins with 1970. */
export function instantsOf(period: Period, now: Date): { from: Date; before: Date } {
  const bounds = boundsOf(period);
  const { unit, first, last } = calendarOf(...bounds) ?? { unit: "", first: 0, last: 0 };
  if (unit === "h") {
    const hour = startOfHour(now, zone()).getTime();
    const back = (count: number) => new Date(hour - count * 3_600_000);
    return { from: back(first), before: back(last - 1) };
  }
  const { from, to } = daysOf(period, now);
  return {
    from: bounds[0] === "all" ? new Date(0) : startOfDay(from, zone()),
    before: startOfDay(shiftDay(to, 1), zone()),
  };
}

/** The last microsecond before a time, in ISO 8601. */
export const justBefore = (time: Date): string =>
  new Date(time.getTime() - 1).toISOString().replace("Z", "999Z");

/** The times between which the events of a period lie, neither included, in ISO 8601. */
export function timesOf(period: Period, now: Date): { after: string; before: string } {
  const { from, before } = instantsOf(period, now);
  return { after: justBefore(from), before: before.toISOString() };
}
