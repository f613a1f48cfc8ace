import type { Line, Query } from "../api/query.ts";
import type { Filter } from "./filter.ts";

/** The value of a line for events without the property. */
const NONE = "$$_posthog_breakdown_null_$$";

/** The value of the line that adds up all values without a line. */
const OTHERS = "$$_posthog_breakdown_other_$$";

type Part = { property: string; type: string; group: unknown };

/** The properties by which a query is broken down. */
function partsOf({ breakdownFilter = {} }: Query): Part[] {
  const { breakdown, breakdown_type, breakdown_group_type_index, breakdowns } = breakdownFilter;
  const several = Array.isArray(breakdowns) ? (breakdowns as Record<string, unknown>[]) : [];
  if (several.length > 0) {
    return several.map(({ property, type, group_type_index, normalize_url }) => ({
      property: String(property),
      // A page is several addresses, which no filter names.
      type: normalize_url ? "page" : String(type ?? "event"),
      group: group_type_index,
    }));
  }
  const isPage = breakdownFilter["breakdown_normalize_url"] === true;
  const type = isPage ? "page" : String(breakdown_type ?? "event");
  const names = Array.isArray(breakdown) ? breakdown : [breakdown];
  return names.map((name) => ({ property: String(name), type, group: breakdown_group_type_index }));
}

/**
 * The filters that only the events of a line pass; undefined where none say it, such as for all other values, for names of
 * events, or for hours.
 */
export function filtersOfLine(query: Query, { breakdown_value }: Line): Filter[] | undefined {
  if (breakdown_value === null) return undefined;
  const [parts, values] = [partsOf(query), [breakdown_value].flat()];
  if (parts.length !== values.length || values.includes(OTHERS)) return undefined;
  if (!parts.every(({ type }) => /^(event|person|session|group)$/.test(type))) return undefined;
  return parts.map(({ property, type, group }, at): Filter => {
    const value = values[at] ?? "";
    return {
      key: property,
      ...(value === NONE ? { operator: "is_not_set" } : { operator: "exact", value }),
      type: type as Filter["type"],
      ...(type === "group" ? { group_type_index: Number(group ?? 0) } : {}),
    };
  });
}

const OPPOSITES: Record<string, string> = { exact: "is_not", is_not_set: "is_set" };

const isSame = (a: Filter, b: Filter) =>
  a.key === b.key &&
  a.type === b.type &&
  a.operator === b.operator &&
  (a.group_type_index ?? 0) === (b.group_type_index ?? 0) &&
  JSON.stringify([a.value].flat()) === JSON.stringify([b.value].flat());

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
  const own = isNot
    ? row.map((one) => ({ ...one, operator: OPPOSITES[one.operator] ?? one.operator }))
    : row;
  if (!areAmong(own, all)) return [...all, ...own.filter((one) => !areAmong([one], all))];
  return all.filter((one) => !areAmong([one], own));
}
