import { TIME_VALUES, WEEKDAYS } from "../../queries/time-value.ts";
import { WEEKDAY } from "./dates.ts";

/** A time of day as people write it: 6pm, 18:00, 6. */
const HOUR = "(\\d{1,2})(?::00)?\\s?(am|pm)?";
const CLOCK = "(\\d{1,2})(?:\\s?(am|pm)|:00)";

const { weekday_number: DAY, hour: HOURS } = TIME_VALUES;

const onDays = (days: readonly number[]) =>
  days.length === 1 ? `${DAY} = ${days[0]}` : `${DAY} IN (${days.join(", ")})`;

/** Returns the hour of a time such as "6" and "pm"; undefined if there is no such hour. */
function hourOf(text = "", half?: string): number | undefined {
  const hour = Number(text);
  if (half === undefined) return hour <= 24 ? hour % 24 : undefined;
  return hour < 1 || hour > 12 ? undefined : (hour % 12) + (half === "pm" ? 12 : 0);
}

/** From an hour on and before another, also over midnight. */
function betweenHours(from: number | undefined, before: number | undefined): string | undefined {
  if (from === undefined || before === undefined || from === before) return undefined;
  if (before === 0) return `${HOURS} >= ${from}`;
  if (from < before) return `${HOURS} BETWEEN ${from} AND ${before - 1}`;
  return `${HOURS} NOT BETWEEN ${before} AND ${from - 1}`;
}

/** The days in "mondays, tuesdays and fridays", ascending. */
function daysIn(text: string): number[] {
  const days = WEEKDAYS.map((day) => day.toLowerCase().slice(0, 3));
  const named = text.split(/\W+|\band\b|\bor\b/).map((one) => days.indexOf(one.slice(0, 3)) + 1);
  return [...new Set(named.filter((day) => day > 0))].toSorted((a, b) => a - b);
}

const NAMED = `(?:${WEEKDAY})s`;

/**
 * Phrases for hours and days of the week that recur, as in "orders on weekends" or "between 6pm and 10pm", with the
 * condition on the clock of the project; undefined if there are no such hours.
 */
export const HABITS: readonly (readonly [
  pattern: string,
  read: (found: string[]) => string | undefined,
])[] = [
  [
    `(?:on|during)\\s+(?:the\\s+)?(?:weekdays|week days|working days|work days|workdays|business days)`,
    () => onDays([1, 2, 3, 4, 5]),
  ],
  [`(?:on|at|over|during|in)\\s+(?:the\\s+)?weekends`, () => onDays([6, 7])],
  [
    `(?:on\\s+)?(${NAMED}(?:(?:\\s*,\\s*|\\s+)(?:and\\s+|or\\s+)?${NAMED})*)`,
    ([days = ""]) => onDays(daysIn(days)),
  ],
  [
    `(?:between|from)?\\s*${HOUR}\\s*(?:and|to|until|till|[-–])\\s*${CLOCK}`,
    ([a, half, b, other]) => betweenHours(hourOf(a, half ?? other), hourOf(b, other)),
  ],
  [
    `(?:after|since|from)\\s+${CLOCK}(?:\\s+on(?:wards)?)?`,
    ([a, half]) => betweenHours(hourOf(a, half), 0),
  ],
  [`(?:before|until|till)\\s+${CLOCK}`, ([a, half]) => betweenHours(0, hourOf(a, half))],
];
