import type { Interval } from "../queries/period.ts";
import type { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";
import { calendar } from "./language/dates.ts";

/** The time of a question, and its other words. */
export type Timed = {
  rest: string;
  /** The named interval. */
  interval?: Interval;
  /** The unit of its time. */
  unit?: Interval;
  dateRange?: JsonObject;
  /** The `compareFilter` of a question that asks for a comparison with an earlier time. */
  compare?: JsonObject;
  /** Whether one number of the whole time is asked for. */
  isTotal?: true;
  /** Whether the time is one day of the calendar, for which one number is wanted unless an interval is said. */
  isDay?: true;
  /** Whether the time is in words that the language of plain English has as well. */
  isCalendar?: true;
};

const EVERY: ReadonlyMap<string, Interval> = new Map([
  ["hourly", "hour"],
  ["daily", "day"],
  ["weekly", "week"],
  ["monthly", "month"],
  ["per hour", "hour"],
  ["per day", "day"],
  ["per week", "week"],
  ["per month", "month"],
]);

const UNITS: Record<string, Interval> = {
  hour: "hour",
  day: "day",
  week: "week",
  month: "month",
  year: "month",
};

const DAYS: Record<string, JsonObject> = {
  today: { date_from: "-0d" },
  yesterday: { date_from: "-1dStart", date_to: "-1dEnd" },
};

/** Ends of questions about time, and what each says. */
const ENDS: readonly [end: RegExp, read: (...groups: string[]) => Omit<Timed, "rest">][] = [
  [
    / (hourly|daily|weekly|monthly|per (?:hour|day|week|month))$/i,
    (name = "") => ({ interval: EVERY.get(name) ?? "day" }),
  ],
  [/ in total$/i, () => ({ isTotal: true })],
  [
    /,? (?:compared (?:to|with)|vs\.?) (?:the )?(?:previous|last)(?: period)?$/i,
    () => ({ compare: { compare: true } }),
  ],
  [
    /,? compared (?:to|with) (\d{1,4}) (hour|day|week|month|year)s? earlier$/i,
    (count, unit = "") => ({ compare: { compare: true, compare_to: ageOf(count, unit) } }),
  ],
  [
    / (?:in the |over the )?(?:last|past) (\d{1,4}) (hour|day|week|month|year)s?$/i,
    (count, unit = "") => ({
      unit: UNITS[unit] ?? "day",
      dateRange: { date_from: ageOf(count, unit) },
    }),
  ],
  [
    / (?:in |of )?(this|last) (week|month|quarter|year)$/i,
    (which, unit = "") => ({
      isCalendar: true,
      dateRange: calendar(unit, which === "this" ? 0 : 1).range ?? {},
    }),
  ],
  [/ (?:of|over) all time$/i, () => ({ isCalendar: true, dateRange: { date_from: "all" } })],
  [
    / (?:since|from) (\d{4}-\d\d-\d\d)(?: (?:to|until) (\d{4}-\d\d-\d\d))?$/i,
    (date_from = "", date_to) => ({
      unit: "day",
      dateRange: { date_from, ...(date_to === undefined ? {} : { date_to }) },
    }),
  ],
  [
    / (today|yesterday)$/i,
    (day = "") => ({ unit: "hour", isDay: true, dateRange: DAYS[day] ?? {} }),
  ],
];

const ageOf = (count: string | undefined, unit: string) => `-${count}${unit.charAt(0)}`;

/** Splits off the interval at the beginning. A single word is a name. */
export function intervalFirst(text: string): Timed {
  const [first = "", ...others] = text.split(" ");
  const interval = others.length === 0 ? undefined : EVERY.get(first.toLowerCase());
  return interval === undefined ? { rest: text } : { rest: others.join(" "), interval };
}

/** Lookups of the names of a question, and its failures. */
type Reading = { isName: (text: string) => boolean; refused: (detail: string) => Failure };

/** Reads the times at the end of a question, in any order. Fails `invalid_input` if two times contradict. */
export function timeAtEnd(first: Timed, { isName, refused }: Reading): Timed {
  let timed = first;
  while (!isName(timed.rest)) {
    const found = oneAtEnd(timed.rest);
    if (found === undefined) break;
    if (timed.dateRange !== undefined && found.dateRange !== undefined) {
      throw refused("The time of a question is said once.");
    }
    if (found.interval !== undefined && (timed.interval ?? found.interval) !== found.interval) {
      throw refused(
        `${NAMED[found.interval]} or ${NAMED[timed.interval ?? "day"]}: one is expected.`,
      );
    }
    timed = { ...found, ...timed, rest: found.rest };
  }
  return timed;
}

const NAMED: Record<Interval, string> = {
  hour: "Hourly",
  day: "Daily",
  week: "Weekly",
  month: "Monthly",
};

function oneAtEnd(text: string): Timed | undefined {
  for (const [end, read] of ENDS) {
    const [found, ...groups] = end.exec(text) ?? [];
    if (found === undefined) continue;
    const said = read(...groups.map((group) => group?.toLowerCase() as string));
    return { rest: text.slice(0, -found.length), ...said };
  }
  return undefined;
}
