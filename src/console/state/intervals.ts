import { firstOf } from "./ranges.ts";

/** Days in hours and weeks in days have more points than a chart shows well; of one day or two, days are hardly a line. */
const HOURS_FROM_DAYS = 2;
const HOURS_TO_DAYS = 14;

/** Most days that are drawn one by one, as an answer has at most 1000 intervals. */
const DAYS_MAX = 1000;

/**
 * The interval of a question over so many days: its own, unless that has next to no points there, or too many. Weeks and
 * months stay: the period is then as long as the weeks in which it lies.
 */
export function intervalOver(own: string, days: number): string {
  if (own === "day" && days <= HOURS_FROM_DAYS) return "hour";
  if (own === "hour" && days > HOURS_TO_DAYS) return days > DAYS_MAX ? "week" : "day";
  return own === "day" && days > DAYS_MAX ? "week" : own;
}

/** The first day and the last one. */
type Days = { from: string; to: string };

const monthsOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));

/**
 * How much earlier a period is compared with: whole weeks, so that each day meets its own weekday, or by the month whole
 * months. Undefined if the time right before it is that.
 */
export function comparedTo({ from, to }: Days, interval: string): string | undefined {
  if (interval === "month") return `-${monthsOf(to) - monthsOf(from) + 1}m`;
  const first = interval === "week" ? firstOf(from, "w") : from;
  const days = Math.round((Date.parse(to) - Date.parse(first)) / 86_400_000) + 1;
  return days % 7 === 0 ? undefined : `-${Math.ceil(days / 7)}w`;
}
