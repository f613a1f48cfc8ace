import { isTotal } from "../../queries/display.ts";
import type { Period } from "../../queries/period.ts";
import type { Json, JsonObject } from "../../values/json.ts";
import { objectIn } from "./fields.ts";

const UNITS: Readonly<Record<string, string>> = {
  ...{ h: "hour", d: "day", w: "week", m: "month", q: "quarter", y: "year" },
};

/** Words for ranges of the calendar, by their `date_from` and `date_to`. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["all", "all time"],
  ["-0d", "today"],
  ["dStart", "today"],
  ["-1dStart -1dEnd", "yesterday"],
  ...["w", "m", "q", "y"].flatMap((unit): [string, string][] => [
    [`${unit}Start`, `this ${UNITS[unit]}`],
    [`-1${unit}Start -1${unit}End`, `last ${UNITS[unit]}`],
    [`-1${unit}Start`, `since the start of last ${UNITS[unit]}`],
    [`-2${unit}Start -2${unit}End`, `${UNITS[unit]} before last`],
  ]),
]);

/** Returns a number of units: `1 day`, `30 days`. */
export const counted = (count: number, unit: string): string =>
  `${count} ${unit}${count === 1 ? "" : "s"}`;

/** Returns the interval that a query names, by default a day. */
export const namedInterval = (query: JsonObject): string => String(query["interval"] ?? "day");

const MEANS: Readonly<Record<string, string>> = {
  average: " on average",
  median: " in the median",
};

/** Returns the words of a mean over intervals; empty for other queries. */
export const meanWords = (query: JsonObject): string =>
  MEANS[String(objectIn(query, "trendsFilter")["detailedResultsAggregationType"])] ?? "";

/** Returns the interval that an answer is divided by; null for one number of the whole time. */
export function intervalOf(query: JsonObject): string | null {
  if (query["kind"] === "RetentionQuery") {
    return String(objectIn(query, "retentionFilter")["period"] ?? "day").toLowerCase();
  }
  return isTotal(query) && meanWords(query) === "" ? null : namedInterval(query);
}

/** Returns the words of a `dateRange`: `last 30 days`, `this month`; without a beginning, of the number of intervals. */
export function rangeWords(range: JsonObject, interval: string | null, count?: number): string {
  const { date_from = count ?? null, date_to = null, explicitDate = false } = range;
  if (typeof date_from === "number") return `last ${counted(date_from, interval ?? "day")}`;
  const from = String(date_from ?? "-7d");
  const key = date_to === null ? from : `${from} ${String(date_to)}`;
  const last = lastWords(key, interval, explicitDate === true);
  return (
    // "Last 2 months" by month begin with last month.
    (/^-1\wStart$/.test(key) ? last : undefined) ??
    NAMED.get(key) ??
    last ??
    agoWords(key) ??
    unitsWords(key) ??
    datesWords(from, date_to)
  );
}

/** The words of a range up to now; without `isExact`, the hour that has begun counts too. */
function lastWords(key: string, interval: string | null, isExact: boolean): string | undefined {
  const [, age, unit = "", start] = /^-(\d{1,4})([hdwmqy])(Start)?$/.exec(key) ?? [];
  if (age === undefined) return undefined;
  const name = UNITS[unit] ?? "day";
  const count = Number(age);
  // Weeks back by the week begin with a whole one, and so do months by the month.
  const isWhole = !isExact && /^[wm]$/.test(unit) && name === interval;
  if (start !== undefined || isWhole) {
    return name === interval ? `last ${counted(count + 1, name)}` : undefined;
  }
  switch (unit) {
    case "d":
      return `last ${counted(count + 1, name)}`;
    case "w":
      return `last ${counted(count * 7 + 1, "day")}`;
    case "h":
      return `last ${counted(isExact ? count : count + 1, name)}`;
    default:
      return `last ${counted(count, name)}`;
  }
}

function agoWords(key: string): string | undefined {
  const [, count, unit = ""] = /^-(\d+)([dwmqy])Start -\1\2End$/.exec(key) ?? [];
  return count === undefined ? undefined : `${counted(Number(count), UNITS[unit] ?? "day")} ago`;
}

/** Words for whole units up to the running one, or up to some before. */
function unitsWords(key: string): string | undefined {
  const [, first = "", unit = "", , last] =
    /^-(\d+)([hdwmqy])Start( -(\d+)\2End)?$/.exec(key) ?? [];
  const name = UNITS[unit];
  if (name === undefined) return undefined;
  if (last === undefined)
    return `since the start of the ${name} ${counted(Number(first), name)} ago`;
  return `the ${counted(Number(first) - Number(last) + 1, name)} up to ${counted(Number(last), name)} ago`;
}

function datesWords(from: string, to: Json): string {
  if (to === null) return `since ${from}`;
  if (from === "all") return `until ${String(to)}`;
  return from === to ? `on ${from}` : `from ${from} to ${String(to)}`;
}

/** Returns the words of a comparison; nothing without one. */
export function comparisonWords(sent: JsonObject): string[] {
  const filter = objectIn(sent, "compareFilter");
  if (filter["compare"] !== true) return [];
  const [, count = "", unit = ""] =
    /^-(\d+)([hdwmy])$/.exec(String(filter["compare_to"] ?? "")) ?? [];
  return [
    count === ""
      ? "compared to the period before"
      : `compared to ${counted(Number(count), UNITS[unit] ?? "day")} earlier`,
  ];
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Returns a period as a person writes it: `29 Oct to 28 Nov 2026`; with the time of day where it begins or ends within a day. */
export function periodDates({ from, before }: Pick<Period, "from" | "before">): string {
  const isWhole = (wall: string) => /T00:00:00/.test(wall);
  const last = isWhole(before)
    ? new Date(Date.parse(`${before.slice(0, 10)}T00:00:00Z`) - 1).toISOString()
    : before;
  const shown = (wall: string, withTime: boolean) => {
    const [year, month, day] = wall.slice(0, 10).split("-");
    const time = withTime ? ` ${wall.slice(11, 16)}` : "";
    return { date: `${Number(day)} ${MONTHS[Number(month) - 1]}`, year, time };
  };
  const hasTime = !isWhole(from) || !isWhole(before);
  const [a, b] = [shown(from, hasTime), shown(last, hasTime)];
  const end = `${b.date} ${b.year}${b.time}`;
  if (a.date === b.date && a.year === b.year && !hasTime) return end;
  const begin = `${a.date}${a.year === b.year ? "" : ` ${a.year}`}${a.time}`;
  return `${begin} to ${end}`;
}
