import { boundsOf, type Period } from "./bounds.ts";
import { calendarOf, firstOf, monthsIn } from "./ranges.ts";

/** Days in hours and weeks in days have more points than a chart shows well; of one day or two, days are hardly a line. */
const HOURS_FROM_DAYS = 2;
const HOURS_TO_DAYS = 14;

/** Most days that are drawn one by one, as an answer has at most 1000 intervals. */
const DAYS_MAX = 1000;

/** Whether a period is of hours. */
export const isHours = (period: Period): boolean => calendarOf(...boundsOf(period))?.unit === "h";

/**
 * The interval of a question over so many days: its own, unless that has next to no points there, or too many. Weeks and
 * months stay: the period is then as long as the weeks in which it lies.
 */
export function intervalOver(own: string, days: number): string {
  if (own === "day" && days <= HOURS_FROM_DAYS) return "hour";
  if (own === "hour" && days > HOURS_TO_DAYS) return days > DAYS_MAX ? "week" : "day";
  return own === "day" && days > DAYS_MAX ? "week" : own;
}

/**
 * The other side of a comparison: `none`, the time before (`previous`), the same time of last year (`year`), or an age
 * such as `-3m`. Days meet their own weekday; with `-exact`, their own date or the day right before.
 */
export type Comparison =
  | "none"
  | "previous"
  | "year"
  | "previous-exact"
  | "year-exact"
  | `-${string}`;

/** Whether days of a period can meet their own weekday. Of months and years the dates count, and weeks always do. */
export const canMatch = (period: Period, interval: string): boolean =>
  /^(?:hour|day)$/.test(interval) &&
  period !== "all" &&
  monthsIn(...boundsOf(period)) === undefined;

const monthsOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));

/** The first day and the last one. */
type Days = { from: string; to: string };

/** A period with its days, and the interval by which it is divided. */
export type Divided = { period: Period; days: Days; interval: string };

/** How much earlier the time is that a comparison means; undefined if it is the time right before. */
function ageOf(comparison: Comparison, divided: Divided): string | undefined {
  if (comparison.startsWith("-")) return comparison;
  const { period, interval } = divided;
  const isMatched =
    interval === "week" || (canMatch(period, interval) && !comparison.endsWith("-exact"));
  if (comparison.startsWith("year")) return isMatched ? "-52w" : "-1y";
  if (period === "all") return undefined;
  const months = monthsOver(divided);
  if (months !== undefined) return `-${months}m`;
  const days = daysOver(divided);
  if (!isMatched) return `-${days}d`;
  return days % 7 === 0 ? undefined : `-${Math.ceil(days / 7)}w`;
}

/** How many months a period has that is compared with months; undefined of others. */
function monthsOver({ period, days: { from, to }, interval }: Divided): number | undefined {
  if (interval === "week") return undefined;
  const months = monthsIn(...boundsOf(period));
  return months ?? (interval === "month" ? monthsOf(to) - monthsOf(from) + 1 : undefined);
}

function daysOver({ period, days: { from, to }, interval }: Divided): number {
  const { unit, first = 0, last = 0 } = calendarOf(...boundsOf(period)) ?? {};
  if (unit === "h") return Math.ceil((first - last + 1) / 24);
  const begin = interval === "week" ? firstOf(from, "w") : from;
  return Math.round((Date.parse(to) - Date.parse(begin)) / 86_400_000) + 1;
}

type CompareFilter = { compare?: boolean; compare_to?: string };

/** A comparison as queries have it. */
export function compareFilterOf(comparison: Comparison, divided: Divided): CompareFilter {
  if (comparison === "none") return {};
  const age = ageOf(comparison, divided);
  return age === undefined ? { compare: true } : { compare: true, compare_to: age };
}

/** The comparison that a query has. */
export function comparisonIn({ compare, compare_to }: CompareFilter, divided: Divided): Comparison {
  if (compare !== true) return "none";
  if (compare_to == null) return "previous";
  const named = ["previous", "year", "previous-exact", "year-exact"] as const;
  return named.find((one) => ageOf(one, divided) === compare_to) ?? (compare_to as `-${string}`);
}
