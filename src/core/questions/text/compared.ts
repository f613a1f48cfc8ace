import { periodOf } from "../../queries/period.ts";
import { daysAfter, LETTERS, type Span, type Today } from "./dates.ts";

/** The number of months in each longer unit. */
const UNIT_MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/**
 * Returns the later of two periods, and the age of the earlier one to compare with; of a month that is still running, both
 * by the month. Returns undefined unless both have
 * calendar dates, and the earlier one is the previous period or has the same length.
 */
export function comparedSpans(a: Span, b: Span, today: Today) {
  const [x, y] = [daysOf(a, today), daysOf(b, today)];
  if (x === undefined || y === undefined || x.from === y.from) return undefined;
  const [late, early, span] = x.from > y.from ? [x, y, a] : [y, x, b];
  // "More in November than in October": both months as they are, although one is still running.
  const isRunning =
    "range" in span &&
    /^\d/.test(String(span.range["date_from"])) &&
    span.range["date_to"] === undefined;
  if (isRunning && isNext(early.from, late.from, "month") && early.to === daysAfter(late.from, -1))
    return { span: { range: { date_from: early.from } }, interval: "month" as const };
  const unit = (["day", "week", "month", "quarter", "year"] as const).find((one) =>
    isNext(early.from, late.from, one),
  );
  if (unit !== undefined && early.to < late.from) {
    return { span, compare: unit === "quarter" ? "-3m" : `-1${LETTERS[unit]}` };
  }
  return daysBetween(late.from, late.to) === daysBetween(early.from, early.to)
    ? { span, compare: `-${daysBetween(early.from, late.from)}d` }
    : undefined;
}

/** The number of days from a date to another. */
export const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000;

function isNext(early: string, late: string, unit: "day" | "week" | keyof typeof UNIT_MONTHS) {
  if (unit === "day" || unit === "week") return daysAfter(early, unit === "day" ? 1 : 7) === late;
  const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  const areFirsts = early.endsWith("-01") && late.endsWith("-01");
  return areFirsts && monthOf(late) - monthOf(early) === UNIT_MONTHS[unit];
}

/** Returns the first and last day of a period; undefined for all time, and if it counts back from now. */
export function daysOf(span: Span, today: Today): { from: string; to: string } | undefined {
  if ("last" in span) return undefined;
  const { date_from: begin = "all", date_to: end = null } = span.range;
  const date_from = String(begin);
  if (date_from === "all" || (/^\d/.test(date_from) && date_from > today)) return undefined;
  const moment = { now: Date.parse(`${today.slice(0, 10)}T12:00:00Z`), timezone: "UTC" };
  const date_to = end === null ? null : String(end);
  const { from, before } = periodOf({ date_from, date_to }, { interval: null, ...moment });
  return { from: from.slice(0, 10), to: daysAfter(before.slice(0, 10), -1) };
}
