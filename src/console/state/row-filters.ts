import type { Line, Query } from "../api/query.ts";
import { didOf, type Filter } from "./filter.ts";

/** The value of a line for events without the property. */
const NONE = "$$_posthog_breakdown_null_$$";

/** The value of the line that adds up all values without a line. */
const OTHERS = "$$_posthog_breakdown_other_$$";

/** The properties by which a query is broken down. */
function partsOf({ breakdownFilter = {} }: Query): Record<string, unknown>[] {
  const { breakdown, breakdown_type: type, breakdowns, ...all } = breakdownFilter;
  if (Array.isArray(breakdowns) && breakdowns.length > 0) return breakdowns;
  const { breakdown_group_type_index: group_type_index, breakdown_normalize_url } = all;
  const owner = { type, group_type_index, normalize_url: breakdown_normalize_url };
  return [breakdown].flat().map((property) => ({ property, ...owner }));
}

const HAS_FILTERS = /^(event|person|session|group|event_metadata)$/;

/**
 * The filters by which a page is only about a line: its events, or of a name of events the people who had one, as other
 * tiles count other events. Undefined where none say it, such as for all other values, or for hours.
 */
export function filtersOfLine(query: Query, { breakdown_value }: Line): Filter[] | undefined {
  if (breakdown_value === null) return undefined;
  const [parts, values] = [partsOf(query), [breakdown_value].flat()];
  if (parts.length !== values.length || values.includes(OTHERS)) return undefined;
  const filters = parts.map((part, at): Filter | undefined => {
    const { property, group_type_index, normalize_url } = part;
    const [value, type] = [values[at] ?? "", part["type"] ?? "event"];
    // A page is several addresses, which no filter names.
    if (normalize_url || !HAS_FILTERS.test(String(type))) return undefined;
    if (type === "event_metadata" && property === "event") return didOf(value);
    return {
      key: String(property),
      ...(value === NONE ? { operator: "is_not_set" } : { operator: "exact", value }),
      type: type as Filter["type"],
      ...(type === "group" ? { group_type_index: Number(group_type_index ?? 0) } : {}),
    };
  });
  return filters.every((one) => one !== undefined) ? filters : undefined;
}

/** The filter that all other events pass. */
const negated = (one: Filter): Filter =>
  one.type === "behavioral"
    ? { ...one, negation: true }
    : { ...one, operator: OPPOSITES[one.operator] ?? one.operator };

const OPPOSITES: Record<string, string> = { exact: "is_not", is_not_set: "is_set" };

/** All fields of a filter, in one order. */
const written = ({ value, group_type_index = 0, ...rest }: Filter): string =>
  JSON.stringify(Object.entries({ ...rest, value: [value].flat(), group_type_index }).sort());

const isSame = (a: Filter, b: Filter) => written(a) === written(b);

/** Whether all of some filters are among others. */
export const areAmong = (some: readonly Filter[], all: readonly Filter[]): boolean =>
  some.every((one) => all.some((other) => isSame(one, other)));

/**
 * The filters of a page after a row of a list was chosen: only the events of the row are left, or all others. A row that was
 * chosen before is chosen no longer. Undefined if no filters say it: all events but those with two values.
 */
export function chosen(
  row: readonly Filter[],
  all: readonly Filter[],
  isNot: boolean,
): Filter[] | undefined {
  if (isNot && row.length > 1) return undefined;
  const own = isNot ? row.map(negated) : row;
  if (!areAmong(own, all)) return [...all, ...own.filter((one) => !areAmong([one], all))];
  return all.filter((one) => !areAmong([one], own));
}
