import type { Interval } from "../../queries/period.ts";
import type { JsonObject } from "../../values/json.ts";

/** The time of a question. */
export type When = {
  /** A `dateRange` of a query; undefined if none was said. */
  range?: JsonObject;
  /** The length of the period in days, for the choice of an interval; undefined if it is not known. */
  days?: number;
  interval?: Interval;
  /** Whether a chart over time was asked for, without an interval. */
  isOverTime?: true;
  compare?: true;
  /** Whether the range is all time. */
  isAllTime?: true;
};

/** The clock of the project when the question is asked: an ISO 8601 time without a zone. */
export type Today = string;

/** Days of each unit of time. */
export const UNIT_DAYS: Record<string, number> = {
  hour: 1 / 24,
  day: 1,
  week: 7,
  month: 30,
  quarter: 91,
  year: 365,
};

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );

/** Names of weekdays, from Sunday on. */
export const DAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** Pattern of the name of a month. */
export const MONTH = `(${MONTHS.join("|")}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`;

/** Returns the letter of a unit in an age such as `-7d`. */
export const letterOf = (unit: string) =>
  ({ quarter: "q", month: "m", week: "w", day: "d", hour: "h", year: "y" })[unit];

/** Returns a period by its bounds and its length. */
export const within = (date_from: string, days: number, date_to?: string): When => ({
  range: { date_from, ...(date_to === undefined ? {} : { date_to }) },
  days,
});

/** Returns a period of the last hours as exactly the hours before now; any other period as it is. */
export const withExactHours = (range: JsonObject): JsonObject =>
  /^-\d+h$/.test(String(range["date_from"])) && range["date_to"] === undefined
    ? { ...range, explicitDate: true }
    : range;

/** Returns a week, month, quarter or year of the calendar, so many before this one. */
export const calendar = (unit: string, back: number): When => {
  const age = back === 0 ? "" : `-${back}`;
  const letter = letterOf(unit);
  const days = UNIT_DAYS[unit] ?? 30;
  return back === 0
    ? within(`${letter}Start`, days)
    : within(`${age}${letter}Start`, days, `${age}${letter}End`);
};

/** Returns the period from one day to another, or to today; undefined if it ends before it begins. */
export const sinceDay = (
  from: string | undefined,
  to: string | undefined,
  today: Today,
): When | undefined => {
  if (from === undefined) return undefined;
  const until = to ?? today.slice(0, 10);
  const days = (Date.parse(until) - Date.parse(from)) / 86_400_000 + 1;
  return days < 1 ? undefined : within(from, days, to);
};

/** Returns the day of a date in words or numbers; without a year the latest one that has come. */
export function dayOf(text: string | undefined, today: Today): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-/.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : text;
  const [day = ""] = /\d{1,2}(?!\d)/.exec(text) ?? [];
  const [month = ""] = new RegExp(MONTH, "i").exec(text) ?? [];
  const [year] = /\d{4}/.exec(text) ?? [];
  const at = MONTHS.findIndex((one) => one.startsWith(month.toLowerCase().slice(0, 3)));
  const of = (one: number) => `${one}-${String(at + 1).padStart(2, "0")}-${day.padStart(2, "0")}`;
  const thisYear = Number(today.slice(0, 4));
  const found =
    year === undefined && of(thisYear) > today.slice(0, 10)
      ? of(thisYear - 1)
      : of(Number(year ?? thisYear));
  return Number.isNaN(Date.parse(found)) ? undefined : found;
}

/** Returns the first and the last day of a month; without a year of the latest one that has come. */
export function monthOf(name: string, year: string | undefined, today: Today): [string, string] {
  const at = MONTHS.findIndex((one) => one.startsWith(name.toLowerCase().slice(0, 3)));
  const [thisYear, thisMonth] = [Number(today.slice(0, 4)), Number(today.slice(5, 7)) - 1];
  const latest = at > thisMonth ? thisYear - 1 : thisYear;
  const of = year === undefined ? latest : Number(year);
  const day = (month: number, date: number) =>
    new Date(Date.UTC(of, month, date)).toISOString().slice(0, 10);
  return [day(at, 1), day(at + 1, 0)];
}

/** Returns the first and the last day of a quarter; without a year of the latest one that has come. */
export function quarterOf(
  quarter: number,
  year: string | undefined,
  today: Today,
): [string, string] {
  const [from] = monthOf(MONTHS[quarter * 3 - 3] ?? "", year, today);
  const [, to] = monthOf(MONTHS[quarter * 3 - 1] ?? "", from.slice(0, 4), today);
  return [from, to];
}

/** Returns the latest such weekday before today. */
export function weekdayBefore(name: string, today: Today): string | undefined {
  const at = DAYS.indexOf(name.toLowerCase());
  const now = new Date(`${today.slice(0, 10)}T00:00:00Z`);
  const back = (now.getUTCDay() - at + 7) % 7 || 7;
  return new Date(now.getTime() - back * 86_400_000).toISOString().slice(0, 10);
}
