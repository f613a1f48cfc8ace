import { withDashboardFilters } from "../dashboards/filters.ts";
import { sourceOf, WORDS_KIND } from "../queries/insight.ts";
import { fields, filtersOf } from "../queries/query-fields.ts";
import { rangeOf } from "../questions/readings/compile.ts";
import type { Condition, Reading } from "../questions/readings/reading.ts";
import { Failure } from "../values/failure.ts";
import { isNothing, isObject, type Json, type JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import type { Meant } from "./words.ts";

/**
 * Returns the meaning of a question in words with the period and the conditions that a `WordsQuery` has next to the
 * words, as a dashboard puts them there: the period replaces the one of the words. Fails `invalid_input`.
 */
export function filteredMeaning(meant: Meant, sent: Json | undefined, moment: Moment): Meant {
  const { dateRange = {}, properties = null } = isObject(sent) ? sourceOf(sent) : {};
  const { date_from = null, date_to = null } = isObject(dateRange) ? dateRange : {};
  if ([date_from, date_to, properties].every(isNothing)) return meant;
  const filters = { date_from, date_to, properties };
  const query = withDashboardFilters(meant.query, filters);
  const { reading, others } = meant;
  // The explanation of a typed query has these filters, that of its words has not.
  if (reading === null || query["kind"] !== WORDS_KIND) return { query, reading: null, others };
  return { query, reading: filteredReading(reading, filters, moment), others };
}

function filteredReading(
  reading: Reading,
  { date_from, date_to, properties }: { date_from: Json; date_to: Json; properties: Json },
  moment: Moment,
): Reading {
  const where = [...reading.where, ...conditionsOf(properties, moment)];
  if (date_from === null && date_to === null) return { ...reading, where };
  const { range: _range, days: _days, isAllTime: _all, ...when } = reading.when;
  const range: JsonObject = {
    date_from: date_from ?? rangeOf(reading)["date_from"] ?? null,
    ...(date_to === null ? {} : { date_to }),
  };
  return { ...reading, where, when: { ...when, range } };
}

/** Conditions by the operators of filters. */
const OPERATORS: Readonly<Record<string, Condition["is"]>> = {
  exact: "equal",
  is_not: "not",
  icontains: "contains",
  gt: "above",
  gte: "at_least",
  lt: "below",
  lte: "at_most",
  is_set: "set",
  is_not_set: "unset",
};

/** Returns filters as conditions of a reading. Fails `invalid_input`, also on filters that have no such condition. */
function conditionsOf(properties: Json, moment: Moment): Condition[] {
  if (isNothing(properties)) return [];
  filtersOf(fields({ properties }, "query", ["properties"]), moment);
  return listed(properties).map((filter) => {
    const { key, operator = "exact", type = "event", value = [] } = filter;
    const is = OPERATORS[String(operator)];
    if (is === undefined || (type !== "event" && type !== "person")) throw unsuitable();
    const values = (Array.isArray(value) ? value : [value]).map(String);
    return { property: { of: type, name: String(key) }, is, values };
  });
}

/** The filters of a list, or of groups of which all must hold. */
function listed(properties: Json): JsonObject[] {
  if (Array.isArray(properties)) return properties.flatMap(listed);
  if (!isObject(properties)) throw unsuitable();
  if (!("values" in properties)) return [properties];
  if (properties["type"] === "OR") throw unsuitable();
  return listed(properties["values"] ?? []);
}

const unsuitable = () =>
  new Failure(
    "invalid_input",
    `Over a question in words, filters are of events or persons, all must hold, and an operator is one of ${Object.keys(OPERATORS).join(", ")}.`,
    "query__properties",
  );
