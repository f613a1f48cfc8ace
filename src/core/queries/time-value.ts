import { Failure } from "../values/failure.ts";
import type { PropertyFilter } from "../values/property-filter.ts";
import type { Fields } from "./query-fields.ts";

/** The expressions of the type `hogql`, by a name; all are on the clock of the project. */
export const TIME_VALUES = {
  weekday_number: "toDayOfWeek(timestamp)",
  weekday: "dateName('weekday', timestamp)",
  hour: "toHour(timestamp)",
  date: "toDate(timestamp)",
  week: "toStartOfWeek(timestamp)",
  month: "toStartOfMonth(timestamp)",
} as const;

/** The names of days in English, from Monday on. */
export const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

/** Returns a text of which the order of characters is the natural order of a value of TIME_VALUES. */
export function naturalKey(value: string): string {
  const day = WEEKDAYS.indexOf(value);
  return day < 0 ? value.padStart(2, "0") : String(day);
}

const bare = (text: string) => text.replace(/\s+/g, "");

/** Reads an expression; white space does not matter. Fails `invalid_input`. */
export function timeValueIn(text: string, attr: string): string {
  const all = Object.values(TIME_VALUES);
  const found = all.find((one) => bare(one) === bare(text));
  if (found !== undefined) return found;
  const detail = `One of ${all.join(", ")} is expected. Ask in SQL for others: POST …/query/ takes a HogQLQuery.`;
  throw new Failure("invalid_input", detail, attr);
}

/** The smallest and the largest value of an expression that a condition can be on. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  [TIME_VALUES.weekday_number]: [1, 7],
  [TIME_VALUES.hour]: [0, 23],
};

const CONDITION =
  /^(to(?:DayOfWeek|Hour)\(timestamp\))(?:(=|!=|<|<=|>|>=)(\d+)|(not)?in\((\d+(?:,\d+)*)\)|(not)?between(\d+)and(\d+))$/i;

const COMPARED: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/**
 * Reads a condition on the hour or the day of the week, such as `toDayOfWeek(timestamp) IN (6, 7)`: its expression, and
 * the values that meet it, ascending. Undefined for any other text.
 */
export function timeCondition(text: string): { expression: string; met: number[] } | undefined {
  const found = CONDITION.exec(bare(text));
  const [, name = "", by, than, notIn, list, notBetween, from, to] = found ?? [];
  const [expression, range] =
    Object.entries(RANGES).find(([one]) => one.toLowerCase() === name.toLowerCase()) ?? [];
  if (expression === undefined || range === undefined) return undefined;
  const listed = list?.split(",").map(Number);
  const isMet = (value: number): boolean => {
    if (by !== undefined) return COMPARED[by]?.(value, Number(than)) === true;
    if (listed !== undefined) return listed.includes(value) !== (notIn !== undefined);
    return (value >= Number(from) && value <= Number(to)) !== (notBetween !== undefined);
  };
  const all = Array.from({ length: range[1] - range[0] + 1 }, (_, at) => range[0] + at);
  return { expression, met: all.filter(isMet) };
}

/** A condition on the hour or the day of the week of an event; `filter.key` is one of TIME_VALUES. */
export type TimeFilter = { of: { type: "hogql" }; filter: PropertyFilter };

/** Whether a filter is on the time of an event. */
export const isTimeFilter = (one: { of: { type: string } }): one is TimeFilter =>
  one.of.type === "hogql";

/** The fields of a filter of the type `hogql`. Its key is the condition. */
export const TIME_FILTER_FIELDS = ["type", "key", "value", "label"];

/** Reads a filter of the type `hogql` from its TIME_FILTER_FIELDS. Fails `invalid_input`. */
export function timeFilter({ sent, attr, text }: Fields): TimeFilter {
  if ((sent["value"] ?? null) !== null) {
    const detail = "The key has the whole condition. Leave the value out.";
    throw new Failure("invalid_input", detail, attr("value"));
  }
  const found = timeCondition(text("key") ?? "");
  if (found === undefined) {
    const detail =
      "A condition on the hour or the day of the week is expected, such as toHour(timestamp) >= 18 or toDayOfWeek(timestamp) IN (6, 7). Ask in SQL for others: POST …/query/ takes a HogQLQuery.";
    throw new Failure("invalid_input", detail, attr("key"));
  }
  const { expression: key, met } = found;
  return {
    of: { type: "hogql" },
    filter: { key, not: false, test: { is: "equal", any: met.map(String) } },
  };
}
