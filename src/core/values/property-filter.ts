import { Failure } from "./failure.ts";
import { OPERATORS } from "./filter-operators.ts";
import { insteadOf } from "./instead.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  keptJson,
  ownValue,
  storableText,
  withoutNulls,
} from "./json.ts";
import { rejectUnknownFields } from "./known-fields.ts";
import type { Version } from "./version-range.ts";
import type { Moment } from "./zoned-time.ts";

/** A test of a property's value. A missing or null property passes no test. */
export type PropertyTest =
  | { is: "set" }
  /** Compares its text with any of these, or the number in it; other values are compared as JSON. */
  | { is: "equal"; any: string[]; numbers?: number[] }
  /** Looks for any of these in its text. `contains` ignores case. */
  | { is: "contains" | "starts" | "ends" | "matches"; any: string[] }
  /** With numbers alone if `number` is one, else with the text of any value. */
  | { is: "compare"; by: ">" | ">=" | "<" | "<="; text: string; number: number | null }
  | { is: "between"; from: number; to: number }
  /**
   * From a time on and before another, ISO 8601. `wall`: the same on the clock of a zone other than
   * UTC, for values without a zone.
   */
  | ({ is: "date"; wall?: Range } & Range)
  /** From a version on and before another. */
  | { is: "version"; from: Version | null; before: Version | null };

/** From a time on and before another, as UTC. */
export type Range = { from: string | null; before: string | null };

/** One condition on a property; `not` turns the test round (decision 48). */
export type PropertyFilter = { key: string; not: boolean; test: PropertyTest };

/** Conditions that all must be met, or `any` of them. An empty group is met by everything. */
export type FilterGroup<F = PropertyFilter> = { any: boolean; of: (F | FilterGroup<F>)[] };

/** Filters of one request. */
export const PROPERTY_FILTERS_MAX = 50;

/** Values in all filters of one request. */
export const FILTER_VALUES_MAX = 1000;

/**
 * Reads filters of persons from the parameter `properties`: each text is a filter or a group of them
 * as a JSON object, or a list of such; all must pass. `now` is what relative dates count from, in milliseconds;
 * `timezone` whose clock dates without a zone are on. Fails `invalid_input`.
 */
export function propertyFilters(
  texts: readonly string[],
  now: number,
  timezone = "UTC",
): (PropertyFilter | FilterGroup)[] {
  const attr = "properties";
  const filters = filterTexts(texts, attr);
  const reading: FilterReading<"person"> = { types: ["person"], now, timezone, attr };
  const one = (filter: Json) => propertyFilter(filter, reading).filter;
  const read = groupOf(filters, { any: false, attr }, one).of;
  checkFilters(filtersIn({ any: false, of: read }), attr);
  return read;
}

/** Returns the filters of a parameter: each text is one, or a list of them, as JSON. Fails `invalid_input`. */
export function filterTexts(texts: readonly string[], attr: string): Json[] {
  return texts.flatMap((text) => {
    const value = parse(text, attr);
    return Array.isArray(value) ? value : [value];
  });
}

/** Reads a group `{type, values}`, which may be nested; `one` reads a single filter. Fails `invalid_input`. */
export function filterGroup<F extends object>(
  value: Json,
  attr: string,
  one: (filter: Json) => F,
): FilterGroup<F> {
  const group = isObject(value) ? withoutNulls(value) : {};
  const { type = "AND", values = Array.isArray(value) ? value : undefined } = group;
  if (!Array.isArray(values) || (type !== "AND" && type !== "OR")) {
    const detail = "A group is an object with the type AND or OR and its values as a list.";
    throw new Failure("invalid_input", detail, attr);
  }
  rejectUnknownFields(group, { known: ["type", "values"], attr });
  return groupOf(values, { any: type === "OR", attr }, one);
}

function groupOf<F extends object>(
  values: Json[],
  { any, attr }: { any: boolean; attr: string },
  one: (filter: Json) => F,
): FilterGroup<F> {
  const of = values.map((value) =>
    isObject(value) && "values" in value ? filterGroup(value, attr, one) : one(value),
  );
  // An empty group says nothing, wherever it is.
  return { any, of: of.filter((each) => !isGroup(each) || each.of.length > 0) };
}

/** Every filter of a group, also of the groups inside it. */
export function filtersIn<F extends object>(group: FilterGroup<F>): F[] {
  return group.of.flatMap((one) => (isGroup(one) ? filtersIn(one) : [one]));
}

/** Whether it is a group of filters and no filter. */
export function isGroup<F extends object>(one: F | FilterGroup<F>): one is FilterGroup<F> {
  return "any" in one;
}

/**
 * Fails `invalid_input` on more filters than PROPERTY_FILTERS_MAX, or more values than
 * FILTER_VALUES_MAX; `attr` is to blame.
 */
export function checkFilters(filters: readonly PropertyFilter[], attr: string): void {
  const values = filters.reduce((sum, { test }) => sum + ("any" in test ? test.any.length : 1), 0);
  if (filters.length <= PROPERTY_FILTERS_MAX && values <= FILTER_VALUES_MAX) return;
  const detail = `At most ${PROPERTY_FILTERS_MAX} filters with ${FILTER_VALUES_MAX} values in all are taken.`;
  throw new Failure("invalid_input", detail, attr);
}

function parse(text: string, attr: string): Json {
  try {
    return keptJson(text, attr);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const detail = "A JSON list of filters is expected, or one filter as a JSON object.";
    throw new Failure("invalid_input", detail, attr);
  }
}

/** How a filter is read. */
export type FilterReading<Type extends string> = Moment & {
  /** The allowed values of `type`; the first is the default. */
  types: readonly [Type, ...Type[]];
  /** The field to blame. */
  attr: string;
};

const FILTER_FIELDS = ["key", "operator", "value", "type", "group_type_index"];

/** Reads a filter `{key, operator, value, type}`. Fails `invalid_input`. */
export function propertyFilter<Type extends string>(
  filter: Json,
  { types, now, timezone, attr }: FilterReading<Type>,
): { type: Type; filter: PropertyFilter } {
  const malformed = (detail: string) => new Failure("invalid_input", detail, attr);
  if (!isObject(filter)) throw malformed("A filter is an object with key, operator and value.");
  const sent = withoutNulls(filter);
  const { key, operator = "exact", type: named = types[0], value } = sent;
  const type = types.find((known) => known === named);
  if (type === undefined)
    throw malformed(`${insteadOf("type", named)}A filter's type is ${types.join(" or ")}.`);
  rejectUnknownFields(sent, { known: FILTER_FIELDS, attr });
  if (typeof key !== "string") throw malformed("A filter's key is the name of a property.");
  if (type !== "group" && (sent["group_type_index"] ?? null) !== null) {
    throw malformed(
      `group_type_index goes with the type group, and this filter is of the type ${type}: leave it out, or write type group.`,
    );
  }
  const read = typeof operator === "string" ? OPERATORS.get(operator) : undefined;
  if (read === undefined) {
    throw malformed(
      `${insteadOf("operator", operator)}An operator is one of ${[...OPERATORS.keys()].join(", ")}.`,
    );
  }
  const { not = false, ...test } = read({ value, now, timezone, malformed });
  return { type, filter: { key: storableText(key), not, test: test as PropertyTest } };
}

/** Whether the name of a property may be a way to a nested value: `station.city`. */
export const isDotted = (name: string): boolean => name.includes(".");

/**
 * Returns the value of a property, or null. A dotted name that no property has leads into an object or a list:
 * `station.city`.
 */
export function valueAt(properties: JsonObject | undefined, name: string): Json {
  const literal = properties === undefined ? null : (ownValue(properties, name) ?? null);
  if (literal !== null || properties === undefined || !isDotted(name)) return literal;
  return name.split(".").reduce<Json>(inner, properties);
}

function inner(value: Json, key: string): Json {
  if (Array.isArray(value)) return (/^\d+$/.test(key) ? value[Number(key)] : null) ?? null;
  return isObject(value) ? (ownValue(value, key) ?? null) : null;
}
