import { isObject, type Json, type JsonObject } from "../../values/json.ts";
import { objectsOf } from "./fields.ts";
import { eventNoun, listed, propertyWords, type Style, valueWords } from "./names.ts";

/** The filters of a list or of a group; a group is one filter. */
export const filtersOf = (sent: Json | undefined): JsonObject[] => {
  if (Array.isArray(sent)) return objectsOf(sent);
  if (!isObject(sent)) return [];
  return sent["type"] === "OR" ? [sent] : filtersOf(sent["values"]);
};

/** Whether a filter is about what people did. */
export const isBehavioral = ({ type, values }: JsonObject): boolean =>
  type === "behavioral" || (Array.isArray(values) && objectsOf(values).every(isBehavioral));

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

/** Returns `where …` for conditions; nothing without any. */
export const whereWords = (filters: readonly JsonObject[], style: Style): string[] =>
  filters.length === 0
    ? []
    : [`where ${filters.map((one) => conditionWords(one, style)).join(" and ")}`];

const TIMES: Readonly<Record<string, string>> = {
  gte: "at least",
  gt: "more than",
  lte: "at most",
  lt: "less than",
  exact: "exactly",
  eq: "exactly",
};

/** Returns the deeds of people, such as `had at least 3 purchases where category is "Shoes"`. */
function deedWords(filter: JsonObject, style: Style): string {
  const grouped = groupWords(filter, (one) => deedWords(one, style));
  if (grouped !== undefined) return grouped;
  const { key = null, value, negation = false, operator = "gte", operator_value: times } = filter;
  const noun = eventNoun(key === null ? null : String(key), style);
  const where = whereWords(filtersOf(filter["event_filters"]), style).map((one) => ` ${one}`);
  const compared = `${TIMES[String(operator)] ?? "at least"} ${times ?? ""}`;
  switch (value) {
    case "performed_event_multiple":
      return `had ${negation === true ? "not " : ""}${compared} ${noun}${where}`;
    case "performed_event_first_time":
      return negation === true ? `had ${noun} before${where}` : `had their first ${noun}${where}`;
    case "performed_event_regularly":
      return `had ${noun} on at least ${filter["min_periods"]} ${filter["time_interval"] ?? "day"}s${where}`;
    case "performed_event_sum":
      return `had a sum of ${propertyWords({ name: String(filter["sum_property"]), type: "event" }, style)} of ${noun} of ${compared}${where}`;
    default:
      return `had ${negation === true ? "no " : ""}${noun}${where}`;
  }
}

/** Returns `who …` for each filter about the deeds of people. */
export const whoWords = (filters: readonly JsonObject[], style: Style): string[] =>
  filters.filter(isBehavioral).map((one) => `who ${deedWords(one, style)}`);

/** Returns the words of all filters, those about the deeds of people first. */
export const filterWords = (filters: readonly JsonObject[], style: Style): string[] => [
  ...whoWords(filters, style),
  ...whereWords(
    filters.filter((one) => !isBehavioral(one)),
    style,
  ),
];
