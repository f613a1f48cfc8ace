import { periodOf } from "../queries/period.ts";
import { fields, filtersOf } from "../queries/query-fields.ts";
import { Failure } from "../values/failure.ts";
import { isNothing, isObject, type Json, type JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";

/** Bytes of a dashboard's filters as JSON. */
export const DASHBOARD_FILTERS_BYTES_MAX = 65_536;

/** Kinds of queries that filters do not change: SQL says itself what it reads, and persons have no period. */
const FIXED_KINDS: readonly Json[] = ["HogQLQuery", "SQLQuery", "ActorsQuery"];

/** Checks `filters`: `date_from`, `date_to` and `properties`, as queries have them. Fails `invalid_input`, `too_long`. */
export function checkDashboardFilters(sent: JsonObject, moment: Moment, attr = "filters"): void {
  const { text, ...filters } = fields(sent, attr, ["date_from", "date_to", "properties"]);
  filtersOf({ text, ...filters }, moment);
  if (Buffer.byteLength(JSON.stringify(sent)) > DASHBOARD_FILTERS_BYTES_MAX) {
    const detail = `At most ${DASHBOARD_FILTERS_BYTES_MAX} bytes as JSON.`;
    throw new Failure("too_long", detail, attr);
  }
  const range = { date_from: text("date_from") ?? "all", date_to: text("date_to") };
  try {
    periodOf(range, { interval: null, ...moment, first: 0 });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, error.message, error.attr?.replace("query__dateRange", attr));
  }
}

/**
 * Returns a query with the filters of a dashboard put over it: their period replaces its own, and their conditions
 * come in addition to its own. Both may be a list or a group. Queries in SQL and lists of persons stay as they are.
 */
export function withDashboardFilters(query: JsonObject, filters: JsonObject): JsonObject {
  const { kind = null, source } = query;
  if (isObject(source)) return { ...query, source: withDashboardFilters(source, filters) };
  if (FIXED_KINDS.includes(kind)) return query;
  const both = bothOf(query["properties"] ?? null, filters["properties"] ?? null);
  return {
    ...query,
    ...periodIn(query, filters),
    ...(isNothing(both) ? {} : { properties: both }),
  };
}

/** Returns the fields of a query that say the period of filters; empty without one. */
function periodIn(query: JsonObject, { date_from = null, date_to = null }: JsonObject): JsonObject {
  if (date_from === null && date_to === null) return {};
  if (query["kind"] === "EventsQuery") {
    return { ...(date_from === null ? {} : { after: date_from }), before: date_to };
  }
  const own = isObject(query["dateRange"]) ? query["dateRange"] : {};
  return {
    dateRange: {
      ...(date_from === null && "date_from" in own ? { date_from: own["date_from"] ?? null } : {}),
      ...(date_from === null ? {} : { date_from }),
      ...(date_to === null ? {} : { date_to }),
    },
  };
}

/** Returns conditions that hold if two others do. */
function bothOf(own: Json, more: Json): Json {
  if (isNothing(more)) return own;
  if (isNothing(own)) return more;
  if (Array.isArray(own) && Array.isArray(more)) return [...own, ...more];
  return { type: "AND", values: [groupOf(own), groupOf(more)] };
}

const groupOf = (conditions: Json): Json =>
  Array.isArray(conditions) ? { type: "AND", values: conditions } : conditions;
