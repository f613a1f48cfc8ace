import type { Interval } from "../queries/period.ts";
import type { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";

/** What a question says of its time, and the rest of it. */
export type Timed = {
  rest: string;
  /** The interval that it names. */
  interval?: Interval;
  /** The unit that its time is counted in. */
  unit?: Interval;
  dateRange?: JsonObject;
  /** Whether it asks for a comparison with the time before. */
  compare?: true;
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

const LAST = / (?:in the |over the )?(?:last|past) (\d{1,4}) (hour|day|week|month|year)s?$/i;
const SINCE = / (?:since|from) (\d{4}-\d\d-\d\d)(?: (?:to|until) (\d{4}-\d\d-\d\d))?$/i;
const DAY = / (today|yesterday)$/i;
const AT_END = / (hourly|daily|weekly|monthly|per (?:hour|day|week|month))$/i;

const DAYS: Record<string, JsonObject> = {
  today: { date_from: "-0d" },
  yesterday: { date_from: "-1dStart", date_to: "-1dEnd" },
};
const COMPARED = /,? (?:compared (?:to|with)|vs\.?) (?:the )?(?:previous|last)(?: period)?$/i;

/** The interval that a question begins with, and the rest; a question is more than one word. */
export function intervalFirst(text: string): Timed {
  const [first = "", ...others] = text.split(" ");
  const interval = others.length === 0 ? undefined : EVERY.get(first.toLowerCase());
  return interval === undefined ? { rest: text } : { rest: others.join(" "), interval };
}

/** Which texts are names, and so no part of the question; what fails with a sentence. */
type Reading = { isName: (text: string) => boolean; refused: (detail: string) => Failure };

/**
 * What is said of time at the end of a question, in any order, beside what its beginning says. Fails
 * `invalid_input` on what contradicts it.
 */
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
  const before = (end: string) => text.slice(0, -end.length);
  const [every, name = ""] = AT_END.exec(text) ?? [];
  const interval = EVERY.get(name.toLowerCase());
  if (every !== undefined && interval !== undefined) return { rest: before(every), interval };
  const [compared] = COMPARED.exec(text) ?? [];
  if (compared !== undefined) return { rest: before(compared), compare: true };
  const [last, count, name_ = ""] = LAST.exec(text) ?? [];
  const unit = UNITS[name_.toLowerCase()];
  if (last !== undefined && unit !== undefined) {
    const date_from = `-${count}${name_.charAt(0).toLowerCase()}`;
    return { rest: before(last), unit, dateRange: { date_from } };
  }
  const [since, from = "", to] = SINCE.exec(text) ?? [];
  if (since !== undefined) {
    const until = to === undefined ? {} : { date_to: to };
    return { rest: before(since), unit: "day", dateRange: { date_from: from, ...until } };
  }
  const [day, which = ""] = DAY.exec(text) ?? [];
  const dateRange = DAYS[which.toLowerCase()];
  if (day === undefined || dateRange === undefined) return undefined;
  return { rest: before(day), unit: "hour", dateRange };
}
