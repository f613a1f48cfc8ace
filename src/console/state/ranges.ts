import { dayIn, shiftDay } from "./zoned-days.ts";

/** An age or an edge of a calendar unit, as queries have it: `-8w`, `yStart`, `-1mEnd`. */
const AGE = /^(?:-(\d{1,4}))?([hdwmqy])(Start|End)?$/;

const UNITS: Record<string, string> = {
  h: "hour",
  d: "day",
  w: "week",
  m: "month",
  q: "quarter",
  y: "year",
};

const MONTHS: Record<string, number> = { m: 1, q: 3, y: 12 };

/** The day of a bound of a query's range, on the clock of a zone; undefined for `all` and for other texts. */
export function dayOfBound(bound: string, now: Date, timeZone: string): string | undefined {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(bound)?.[0];
  if (day !== undefined) return day;
  const [, count = "0", unit, edge] = AGE.exec(bound) ?? [];
  if (unit === undefined) return undefined;
  const back = Number(count);
  if (unit === "h") return dayIn(new Date(now.getTime() - back * 3_600_000), timeZone);
  const at = earlier(dayIn(now, timeZone), unit, back);
  if (edge === undefined) return at;
  const first = firstOf(at, unit);
  return edge === "Start" ? first : shiftDay(earlier(first, unit, -1), -1);
}

/** The day some days, `w`eeks, `m`onths, `q`uarters or `y`ears before. The 31st becomes the last day of a shorter month. */
export function earlier(day: string, unit: string, count: number): string {
  const months = MONTHS[unit];
  if (months === undefined) return shiftDay(day, -count * (unit === "w" ? 7 : 1));
  const month = new Date(`${day.slice(0, 8)}01`);
  month.setUTCMonth(month.getUTCMonth() - count * months);
  const next = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0);
  month.setUTCDate(Math.min(Number(day.slice(8)), new Date(next).getUTCDate()));
  return month.toISOString().slice(0, 10);
}

/** The first day of the unit that a day lies in. Weeks begin on Monday. */
export function firstOf(day: string, unit: string): string {
  const date = new Date(day);
  const months = MONTHS[unit];
  if (months === undefined) {
    return unit === "w" ? shiftDay(day, -((date.getUTCDay() + 6) % 7)) : day;
  }
  date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % months), 1);
  return date.toISOString().slice(0, 10);
}

/**
 * The hours, weeks, months, quarters or years that a range is exactly, by how many before the running one the first and
 * the last are: last month is the one from 1 to 1.
 */
export function calendarOf(
  from: string,
  to: string,
): { unit: string; first: number; last: number } | undefined {
  const [, first = "0", unit = "", edge] = AGE.exec(from) ?? [];
  const isWhole = edge === "Start" || (unit === "h" && edge === undefined && to === "");
  if (!isWhole || unit === "d") return undefined;
  const [, last = "0", other, end] = AGE.exec(to) ?? [];
  if (to !== "" && (other !== unit || end !== "End" || Number(last) > Number(first)))
    return undefined;
  return { unit, first: Number(first), last: Number(last) };
}

/** How many months a range of whole months, quarters or years has; undefined of others. */
export function monthsIn(from: string, to: string): number | undefined {
  const { unit = "", first = 0, last = 0 } = calendarOf(from, to) ?? {};
  const months = MONTHS[unit];
  return months && months * (first - last + 1);
}

/**
 * The name of a range, such as `Last 8 weeks` or `This year`; undefined if only its days say it. Days back from today, hours
 * back from now, and the beginning of a unit some before the running one, are a day or a unit more than their number: `-7d` is 8 days,
 * and `-8w` 57.
 */
export function rangeName(from: string, to: string): string | undefined {
  if (from === "all" && to === "") return "All time";
  const { unit, first, last = 2 } = calendarOf(from, to) ?? {};
  if (unit !== undefined && first === last && last < 2)
    return `${last === 0 ? "This" : "Last"} ${UNITS[unit]}`;
  const [, count, of = "", edge] = AGE.exec(from) ?? [];
  if (to !== "" || edge === "End" || count === undefined) return undefined;
  if (of === "w" && edge === undefined) return `Last ${Number(count) * 7 + 1} days`;
  const units = Number(count) + (edge === "Start" || /[dh]/.test(of) ? 1 : 0);
  return `Last ${units} ${UNITS[of]}${units === 1 ? "" : "s"}`;
}
