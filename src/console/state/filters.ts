import { rangeWords } from "./bounds.ts";
import { type Filter, METADATA } from "./filter.ts";
import { eventTitle, propertyTitle, valueText } from "./format.ts";
import { readTime, timeName } from "./time-filter.ts";

export type { Filter };

/** Whether the console can change a filter. */
export const isEditable = ({ type, key }: Filter): boolean =>
  type === "behavioral" ||
  (type === "hogql" ? readTime(String(key)) !== undefined : typeof key === "string");

/** The operators of a filter, in the order in which they are offered. */
export const OPERATORS: readonly { value: string; label: string }[] = [
  { value: "exact", label: "is" },
  { value: "is_not", label: "is not" },
  { value: "icontains", label: "contains" },
  { value: "not_icontains", label: "does not contain" },
  { value: "regex", label: "matches the pattern" },
  { value: "not_regex", label: "does not match the pattern" },
  { value: "gt", label: "is greater than" },
  { value: "gte", label: "is at least" },
  { value: "lt", label: "is less than" },
  { value: "lte", label: "is at most" },
  { value: "is_set", label: "is set" },
  { value: "is_not_set", label: "is not set" },
];

/** The operators that a filter can have: names and ids of events are texts that none lacks. */
export const operatorsOf = ({ type }: Filter) =>
  type === "event_metadata" ? OPERATORS.slice(0, 6) : OPERATORS;

/** The name of the value that a filter is on. */
export const titleOf = ({ key, type }: Filter): string =>
  (type === "event_metadata" && METADATA[String(key)]) || propertyTitle(String(key));

/** Whether an operator compares with a value. */
export const needsValue = (operator: string): boolean =>
  operator !== "is_set" && operator !== "is_not_set";

/** The filters that a parameter of the address has; none if it cannot be read. */
export function readFilters(text: string | undefined): Filter[] {
  try {
    const filters: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(filters) ? filters.filter(isFilter) : [];
  } catch {
    return [];
  }
}

const isFilter = (value: unknown): value is Filter =>
  typeof value === "object" &&
  value !== null &&
  (typeof (value as Filter).key === "string" || (value as Filter).type === "behavioral");

/**
 * The filters that a query or a dashboard has, all of which an event must pass; undefined if they are groups of which
 * one suffices, which the console cannot show.
 */
export function plainFilters(saved: unknown): Filter[] | undefined {
  if (saved === undefined || saved === null) return [];
  // Callers of the API may leave out the usual operator.
  if (isFilter(saved)) {
    const { operator, type } = saved;
    if (type === "behavioral" || type === "hogql") return [saved];
    return [{ ...saved, operator: operator ?? "exact", type: type ?? "event" }];
  }
  const { type, values } = saved as { type?: unknown; values?: unknown };
  const parts = Array.isArray(saved) ? saved : values;
  if (!Array.isArray(parts)) return undefined;
  if (type === "OR" && parts.length > 1) return undefined;
  const plain = parts.map(plainFilters);
  return plain.every((one) => one !== undefined) ? plain.flat() : undefined;
}

/** Filters as a parameter of the address; undefined without any. */
export const writeFilters = (filters: readonly Filter[]): string | undefined =>
  filters.length === 0 ? undefined : JSON.stringify(filters);

/** Whether events have this property of sessions, too; the names of the others say whose they are. */
const isShared = (name: string) => /^\$(?:browser|os|device_type|geoip_)/.test(name);

/** A filter in words, such as `plan is pro`. */
export function filterText(filter: Filter): string {
  if (filter.type === "behavioral") return behaviorText(filter);
  if (filter.type === "hogql") return timeText(String(filter.key));
  const { operator, value, type } = filter;
  const verb = OPERATORS.find((one) => one.value === operator)?.label ?? plain(operator);
  const shown = Array.isArray(value) ? value.map(valueText).join(" or ") : valueText(value);
  const title = titleOf(filter);
  const isOwned = type === "person" || (type === "session" && isShared(String(filter.key)));
  const name = isOwned ? `${type} ${title}` : title;
  return needsValue(operator) ? `${name} ${verb} ${shown}` : `${name} ${verb}`;
}

/** A condition on the hour or the day of the week in words, such as `Day of the week is Saturday or Sunday`. */
function timeText(key: string): string {
  const time = readTime(key);
  if (time === undefined) return key;
  const { expression, met } = time;
  const name = expression === "toHour(timestamp)" ? "Hour of the day" : "Day of the week";
  const isRow =
    met.length > 2 && met.every((one, at) => at === 0 || one === (met[at - 1] ?? 0) + 1);
  const [first = 0, last = 0] = [met[0], met.at(-1)];
  const shown = isRow ? [first, last] : met;
  return `${name} is ${shown.map((one) => timeName(expression, one)).join(isRow ? " to " : " or ")}`;
}

const plain = (word: string): string => word.replaceAll("_", " ");

const COUNTS: Record<string, string> = {
  ...{ gte: "at least ", lte: "at most ", gt: "more than ", lt: "less than " },
  ...{ exact: "exactly ", eq: "exactly " },
};

/** A condition on what a person did in words, such as `people with purchase at least 3 times in the last 30 days`. */
function behaviorText(filter: Filter): string {
  const { key, value, operator = "gte", negation } = filter;
  const event = key === null ? "any event" : eventTitle(key);
  const count = `${COUNTS[operator] ?? `${plain(operator)} `}${valueText(filter["operator_value"] ?? 1)}`;
  const how: Record<string, string> = {
    performed_event: event,
    performed_event_multiple: `${event} ${count} ${count.endsWith(" 1") ? "time" : "times"}`,
    performed_event_first_time: `their first ${event}`,
    performed_event_regularly: `${event} in at least ${filter["min_periods"]} ${filter["time_interval"]}s`,
    performed_event_sum: `${event} with ${count} in all of ${filter["sum_property"]}`,
  };
  const only = filtersText(filter["event_filters"]);
  return [
    negation === true ? "people without" : "people with",
    how[String(value)] ?? `${event}, ${plain(String(value))}`,
    ...(only === "" ? [] : [`where ${only}`]),
    ...timeOf(filter),
  ].join(" ");
}

function timeOf({ time_value, time_interval, value, ...filter }: Filter): string[] {
  const [from, to] = [filter["explicit_datetime"], filter["explicit_datetime_to"]];
  if (from != null) return [rangeWords(String(from), String(to ?? ""))];
  if (time_value === undefined || value === "performed_event_regularly") return [];
  return [`in the last ${time_value} ${time_interval}${time_value === 1 ? "" : "s"}`];
}

/** Filters of any form in words, with `or` between those of which one suffices; empty without any. */
export function filtersText(saved: unknown): string {
  if (saved == null) return "";
  if (isFilter(saved)) return plainFilters(saved)?.map(filterText).join("") ?? "";
  const { type, values } = saved as { type?: unknown; values?: unknown };
  const parts = Array.isArray(saved) ? saved : values;
  if (!Array.isArray(parts)) return JSON.stringify(saved);
  const texts = parts.map((part) => {
    const text = filtersText(part);
    return isFilter(part) || parts.length === 1 || text === "" ? text : `(${text})`;
  });
  return texts.filter((text) => text !== "").join(type === "OR" ? " or " : " and ");
}
