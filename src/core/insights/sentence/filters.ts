import { TIME_VALUES, timeCondition, WEEKDAYS } from "../../queries/time-value.ts";
import { isObject, type Json, type JsonObject } from "../../values/json.ts";
import { objectsOf } from "./fields.ts";
import { eventNoun, FIRST_TIME, listed, propertyWords, type Style, valueWords } from "./names.ts";
import { counted, rangeWords } from "./time.ts";

/** The filters of a list or of a group; a group is one filter. */
export const filtersOf = (sent: Json | undefined): JsonObject[] => {
  if (Array.isArray(sent)) return objectsOf(sent);
  if (!isObject(sent)) return [];
  return sent["type"] === "OR" ? [sent] : filtersOf(sent["values"]);
};

/** Whether a filter is about what people did. */
export const isBehavioral = ({ type, values }: JsonObject): boolean =>
  type === "behavioral" || (Array.isArray(values) && objectsOf(values).every(isBehavioral));

/** Whether a filter is about the first event of a name that a person has. */
export const isFirst = ({ type, value, key }: JsonObject, event: string | null): boolean =>
  type === "behavioral" && value === "performed_event_first_time" && key === event;

/** Joins the words of the filters of a group; undefined for a filter that is no group. */
function groupWords(
  { type, values }: JsonObject,
  wordsOf: (filter: JsonObject) => string,
): string | undefined {
  if (!Array.isArray(values)) return undefined;
  return listed(objectsOf(values).map(wordsOf), type === "OR" ? "or" : "and");
}

/** Words of operators before their values. */
const COMPARED: Readonly<Record<string, string>> = {
  exact: "is",
  in: "is",
  is_not: "is not",
  not_in: "is not",
  gt: "is more than",
  gte: "is at least",
  min: "is at least",
  lt: "is less than",
  lte: "is at most",
  max: "is at most",
  icontains: "contains",
  not_icontains: "does not contain",
  starts_with: "starts with",
  ends_with: "ends with",
  regex: "matches",
  not_regex: "does not match",
  is_date_before: "is before",
  is_date_after: "is after",
  is_date_exact: "is on",
};

/** Returns the words of a condition on a property, such as `country is "Germany" or "France"`. */
export function conditionWords(filter: JsonObject, style: Style): string {
  const grouped = groupWords(filter, (one) => conditionWords(one, style));
  if (grouped !== undefined) return grouped;
  if (filter["type"] === "hogql") return habitWords(String(filter["key"]));
  const { key, type = "event", operator = "exact", value = null, group_type_index: index } = filter;
  const group = index === undefined ? undefined : Number(index);
  const name = propertyWords({ name: String(key), type: String(type), group }, style);
  const all = (Array.isArray(value) ? value : [value]).map(valueWords);
  const [from = "", to = ""] = all;
  switch (operator) {
    case "is_set":
      return `${name} is set`;
    case "is_not_set":
      return `${name} is not set`;
    case "between":
      return `${name} is between ${from} and ${to}`;
    default:
      return `${name} ${COMPARED[String(operator)] ?? String(operator).replace(/_/g, " ")} ${listed(all, "or")}`;
  }
}

/** Returns `where …` for conditions, and the hours and days of the week; nothing without any. */
export const whereWords = (filters: readonly JsonObject[], style: Style): string[] => {
  const times = filters.filter(({ type }) => type === "hogql");
  const others = filters.filter((one) => !times.includes(one));
  const where = others.map((one) => conditionWords(one, style)).join(" and ");
  return [
    ...(others.length === 0 ? [] : [`where ${where}`]),
    ...times.map(({ key }) => habitWords(String(key))),
  ];
};

/** Returns the words of a condition on the hour or the day of the week: `on weekends`, `between 18:00 and 22:00`. */
function habitWords(key: string): string {
  const { expression, met } = timeCondition(key) ?? { expression: "", met: [] };
  if (expression === TIME_VALUES.weekday_number) {
    const days = met.map((day) => `${WEEKDAYS[day - 1]}s`);
    if (met.join() === "6,7") return "on weekends";
    return met.join() === "1,2,3,4,5" ? "on weekdays" : `on ${listed(days, "and")}`;
  }
  const [from, ...more] = met.filter((hour) => !met.includes((hour + 23) % 24));
  const [last] = met.filter((hour) => !met.includes((hour + 1) % 24));
  if (from === undefined || last === undefined || more.length > 0) return `where ${key}`;
  return `between ${from}:00 and ${(last + 1) % 24}:00`;
}

const TIMES: Readonly<Record<string, string>> = {
  gte: "at least",
  gt: "more than",
  lte: "at most",
  lt: "less than",
  exact: "exactly",
  eq: "exactly",
};

/** Returns the deeds of people, such as `had at least 3 purchases where category is "Shoes"`. */
function deedWords(filter: JsonObject, style: Style, isTimed: boolean): string {
  const grouped = groupWords(filter, (one) => deedWords(one, style, isTimed));
  if (grouped !== undefined) return grouped;
  const { key = null, value, negation = false, operator = "gte", operator_value: times } = filter;
  const noun = eventNoun(key === null ? null : String(key), style);
  const compared = `${TIMES[String(operator)] ?? "at least"} ${times ?? ""}`;
  const no = negation === true ? "no " : "";
  const said = (): string => {
    switch (value) {
      case "performed_event_multiple":
        return `${negation === true ? "did not have" : "had"} ${compared} ${noun}`;
      case "performed_event_first_time":
        return `had ${no}${noun} ${FIRST_TIME}`;
      case "performed_event_regularly": {
        const { min_periods: least, time_interval: unit } = filter;
        return `had ${no}${noun} on at least ${counted(Number(least), String(unit ?? "day"))}`;
      }
      case "performed_event_sum": {
        const name = propertyWords({ name: String(filter["sum_property"]), type: "event" }, style);
        return `had ${no}${noun} with a sum of ${name} of ${compared}`;
      }
      default:
        return `had ${no}${noun}`;
    }
  };
  return [
    said(),
    ...whereWords(filtersOf(filter["event_filters"]), style),
    ...(isTimed ? ownTime(filter) : []),
  ].join(" ");
}

/** The time of a deed that has one of its own: `(last 30 days)`. */
function ownTime(filter: JsonObject): string[] {
  const { time_value: count = null, time_interval: unit } = filter;
  const { explicit_datetime: from = null, explicit_datetime_to: to = null } = filter;
  const isAge = from === null && count !== null && filter["value"] !== "performed_event_regularly";
  if (isAge) return [`(last ${counted(Number(count), String(unit ?? "day"))})`];
  return from === null ? [] : [`(${rangeWords({ date_from: from, date_to: to }, null)})`];
}

/** Returns `who …` and `and who …` for filters about the deeds of people, with their own times unless `isTimed` is false. */
export const whoWords = (filters: readonly JsonObject[], style: Style, isTimed = true): string[] =>
  filters
    .filter(isBehavioral)
    .map((one, at) => `${at === 0 ? "" : "and "}who ${deedWords(one, style, isTimed)}`);

/** Returns the words of all filters, those about the deeds of people first. */
export const filterWords = (filters: readonly JsonObject[], style: Style): string[] => [
  ...whoWords(filters, style),
  ...whereWords(
    filters.filter((one) => !isBehavioral(one)),
    style,
  ),
];
