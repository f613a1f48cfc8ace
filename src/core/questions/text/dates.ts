import type { Interval } from "../../queries/intervals.ts";
import type { JsonObject } from "../../values/json.ts";

/** The current time in the project's time zone, as an ISO 8601 time without a zone. */
export type Today = string;

/** A unit of time. */
export type TimeUnit = "hour" | "day" | "week" | "month" | "quarter" | "year";

/** A period: a number of units back from now, including the current one, or a `dateRange` of a query. */
export type Span = { last: number; unit: TimeUnit } | { range: JsonObject };

/** The letters for units in an age such as `-7d`. */
export const LETTERS: Readonly<Record<TimeUnit, string>> = {
  ...{ hour: "h", day: "d", week: "w", month: "m", quarter: "q", year: "y" },
};

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );

/** Names of weekdays, starting on Sunday. */
const DAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** A pattern for the name of a month. */
export const MONTH = `(?:${MONTHS.join("|")}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`;
/** A pattern for the name of a weekday. */
export const WEEKDAY = `(?:${DAYS.join("|")}|mon|tues?|wed|thu(?:rs)?|fri|sat|sun)`;
const NTH = "\\d{1,2}(?:st|nd|rd|th)?";
/** A pattern for a date. */
export const DATE = `\\d{4}-\\d\\d-\\d\\d|\\d{1,2}[./]\\d{1,2}[./]\\d{4}|(?:${NTH}\\s+(?:of\\s+)?${MONTH}\\b|${MONTH}\\s+${NTH}\\b)(?:,?\\s+\\d{4})?`;

/** The approximate number of days in each unit. */
export const UNIT_DAYS: Readonly<Record<TimeUnit, number>> = {
  ...{ hour: 1 / 24, day: 1, week: 7, month: 30, quarter: 91, year: 365 },
};

/**
 * Returns a period as the `dateRange` of a query. "Last 7 days" is today and the 6 days before. If the interval is the
 * unit of the period, the period has whole calendar units and includes the current one.
 */
export function rangeOf(span: Span, interval: Interval | null): JsonObject {
  if ("range" in span) return span.range;
  const { last, unit } = span;
  const age = (count: number, letter: string, more = "") => ({
    date_from: `-${count}${letter}${more}`,
  });
  if (unit === "hour") {
    return interval === null ? { ...age(last, "h"), explicitDate: true } : age(last - 1, "h");
  }
  if (unit === "day") return age(last - 1, "d");
  if (unit === interval)
    return last === 1
      ? { date_from: `${LETTERS[unit]}Start` }
      : age(last - 1, LETTERS[unit], "Start");
  if (unit === "week") return age(last * 7 - 1, "d");
  if (unit === "quarter") return age(last * 3, "m");
  return age(last, LETTERS[unit]);
}

/** Returns a calendar unit as a period. `back` is 0 for the current one and 1 for the previous one. */
export const calendar = (unit: TimeUnit, back: number): Span => {
  if (unit === "day") return { range: back === 0 ? { date_from: "-0d" } : day(back) };
  const letter = LETTERS[unit];
  return back === 0
    ? { range: { date_from: `${letter}Start` } }
    : { range: { date_from: `-${back}${letter}Start`, date_to: `-${back}${letter}End` } };
};

const day = (back: number): JsonObject => ({
  date_from: `-${back}dStart`,
  date_to: `-${back}dEnd`,
});

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Returns the period between two days, or from a day until now. Returns undefined if it ends before it starts. */
export function between(from: string | undefined, to?: string): Span | undefined {
  if (from === undefined || (to !== undefined && to < from)) return undefined;
  return { range: { date_from: from, ...(to === undefined ? {} : { date_to: to }) } };
}

/** Adds days to a date. */
export const daysAfter = (from: string, days: number) => iso(Date.parse(from) + days * 86_400_000);

/** Parses a date. In numbers, the day comes before the month. Without a year, it is the latest date up to today. */
export function dayOf(text: string, today: Today, isAmerican = false): string | undefined {
  const numbers = /^(?:(\d{4})-(\d\d)-(\d\d)|(\d{1,2})[./](\d{1,2})[./](\d{4}))$/.exec(text);
  if (numbers !== null) {
    const [, y = numbers[6], m = numbers[5], d = numbers[4]] = numbers;
    const isMonthFirst = isAmerican || Number(m) > 12;
    return valid(Number(y), Number(isMonthFirst ? d : m), Number(isMonthFirst ? m : d));
  }
  const month = monthIn(text);
  const [, date] = /(?<!\d)(\d{1,2})(?!\d)/.exec(text) ?? [];
  const [year] = /\d{4}/.exec(text) ?? [];
  if (month === undefined || date === undefined) return undefined;
  if (year !== undefined) return valid(Number(year), month, Number(date));
  const now = Number(today.slice(0, 4));
  const found = valid(now, month, Number(date));
  return found !== undefined && found > today.slice(0, 10)
    ? valid(now - 1, month, Number(date))
    : found;
}

function valid(year: number, month: number, date: number): string | undefined {
  const ms = Date.UTC(year, month - 1, date);
  const text = Number.isNaN(ms) ? "" : iso(ms);
  return Number(text.slice(5, 7)) === month && Number(text.slice(8)) === date ? text : undefined;
}

/** The number of the month in a text, starting at 1. */
function monthIn(text: string): number | undefined {
  const [name = ""] = new RegExp(`\\b${MONTH}\\b`, "i").exec(text) ?? [];
  const at = MONTHS.findIndex((one) => one.startsWith(name.toLowerCase().slice(0, 3)));
  return name === "" || at < 0 ? undefined : at + 1;
}

/** Returns the first and last day of `count` months. Without a year, it is the latest that has started. */
export function monthsOf(
  text: string,
  today: Today,
  { count = 1, year }: { count?: number; year?: string | undefined } = {},
): [string, string] {
  const month = monthIn(text) ?? Number(text);
  const now = Number(today.slice(0, 4));
  const of = year === undefined ? now - Number(month > Number(today.slice(5, 7))) : Number(year);
  return [iso(Date.UTC(of, month - 1, 1)), iso(Date.UTC(of, month - 1 + count, 0))];
}

/** Returns the latest date before today that is this weekday. */
export function weekdayBefore(name: string, today: Today): string {
  const at = DAYS.findIndex((one) => one.startsWith(name.toLowerCase().slice(0, 3)));
  const now = Date.parse(today.slice(0, 10));
  const back = (new Date(now).getUTCDay() - at + 7) % 7 || 7;
  return iso(now - back * 86_400_000);
}
