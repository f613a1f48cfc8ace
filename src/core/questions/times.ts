import type { Interval } from "../queries/period.ts";
import type { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";

/** The time of a question, and its other words. */
export type Timed = {
  rest: string;
  /** The named interval. */
  interval?: Interval;
  /** The unit of its time. */
  unit?: Interval;
  dateRange?: JsonObject;
  /** Whether the question asks for a comparison with the time before. */
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
