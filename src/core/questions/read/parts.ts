import type { JsonObject } from "../../values/json.ts";
import type { EventInfo, PropertyInfo } from "../names/index.ts";
import type { Match } from "./rules.ts";

/** A limit of a number. */
export type Bound = { is: "gt" | "gte" | "lt" | "lte" | "exact"; number: number };

/** A comparison with one number, or with the two ends of a range. */
export type Compared = {
  kind: "cmp";
  bounds: Bound[];
  unit?: Unit;
  /** The word for the currency, such as "euros". */
  currency?: string;
};

/** Units that a number may have. */
export const UNITS = [
  ...(["money", "seconds", "minutes", "hours"] as const),
  ...(["millis", "percent", "days", "weeks"] as const),
] as const;

/** One of UNITS. */
export type Unit = (typeof UNITS)[number];

/** How often something was done. */
export type Frequency = {
  kind: "freq";
  bounds: Bound[];
  /** The fields of the filter, if it is not about the number of times. */
  did?: JsonObject;
};

/** A condition on a property. It may have several possible properties until the events are known. */
export type Condition = {
  kind: "filter";
  /** The possible properties, each with its values. */
  of: { property: PropertyInfo; values: string[]; isExact: boolean }[];
  operator: string;
  /** The limits, if the condition compares numbers. */
  bounds?: Bound[];
  /** The original words, for error messages. */
  text: string;
  /** Whether the property was named in words. */
  isNamed: boolean;
  /** Whether several values were joined by "and", so that each gets its own line. */
  isEach?: boolean;
  /** Alternatives. One of them must be met. */
  or?: (Condition | PageNamed)[];
};

/** An event, and less frequent ones that the words may mean as well. */
export type Named = {
  kind: "ev";
  event: EventInfo;
  others: EventInfo[];
  isPart: boolean;
  text: string;
  /** Whether the words name the people who do it, such as "buyers". */
  isDoer: boolean;
};

/** Pages named by their paths. */
export type PageNamed = {
  kind: "pages";
  paths: string[];
  isNot: boolean;
  how: "exact" | "icontains" | "starts_with" | "ends_with";
  /** Whether "and" joins them. */
  isBoth?: boolean;
  /** The property of the session, if visits start or end there. */
  edge?: "$entry_pathname" | "$end_pathname";
};

/** One person, by e-mail address, or all others. */
export type PersonNamed = { kind: "whom"; id: string; isNot: boolean };

/** A part of a question, read from one or more terms. */
export type Part = Compared | Frequency | Condition | Named | PageNamed | PersonNamed;

/** Whether limits are the two inclusive ends of a range. */
const isRange = ([from, to]: readonly Bound[]): boolean => from?.is === "gte" && to?.is === "lte";

/** Returns limits of a property as a filter, or as a group of two. */
export function boundsJson(property: FilterName, bounds: readonly Bound[]): JsonObject {
  const all = bounds.map(({ is, number }) => filterJson(property, is, number));
  if (!isRange(bounds)) return joined(all);
  return filterJson(
    property,
    "between",
    bounds.map(({ number }) => number),
  );
}

/** Returns one filter as it is, and several as a group that needs all of them. */
export const joined = (all: readonly JsonObject[]): JsonObject =>
  all[1] === undefined ? (all[0] ?? {}) : { type: "AND", values: [...all] };

/** Returns the filters of a group that needs all of them; any other filter alone. */
export const parted = (filter: JsonObject): JsonObject[] =>
  filter["type"] === "AND" ? (filter["values"] as JsonObject[]) : [filter];

type FilterName = Pick<PropertyInfo, "of" | "name" | "group">;

/** Returns a filter of a query. */
export function filterJson(
  { of, name, group }: FilterName,
  operator: string,
  value?: JsonObject[string],
): JsonObject {
  return {
    ...{ key: name, type: of, operator },
    ...(value === undefined ? {} : { value }),
    ...(group === undefined ? {} : { group_type_index: group }),
  };
}

/** A behavioral filter: people who did an event, or did not. A range of times is a group of two filters. */
export function behavior(
  event: string | null,
  {
    filters = [],
    frequency,
    isNot = false,
    time = {},
  }: {
    filters?: JsonObject[];
    frequency?: Frequency | undefined;
    isNot?: boolean;
    time?: JsonObject;
  } = {},
): JsonObject {
  const of = (often: JsonObject): JsonObject => ({
    ...{ type: "behavioral", key: event, ...often },
    ...(filters.length === 0 ? {} : { event_filters: filters }),
    ...(isNot ? { negation: true } : {}),
    ...time,
  });
  const { bounds = [], did } = frequency ?? {};
  if (bounds.length === 0) return of(did ?? { value: "performed_event" });
  const all = bounds.map(({ is, number }) =>
    of({ value: "performed_event_multiple", ...did, operator: is, operator_value: number }),
  );
  return isNot && all.length > 1 ? { type: "OR", values: all } : joined(all);
}

/** The properties that a match may name. */
export const propertiesIn = (found: Match<Part>): readonly PropertyInfo[] => {
  const [place] = found.free("PROP");
  const [near] = found.free("NEARPROP");
  if (place !== undefined) return found.term(place).properties;
  return near === undefined ? [] : found.term(near).near;
};

/** A condition with the same values for each possible property; undefined without properties. */
export const condition = (
  found: Match<Part>,
  properties: readonly PropertyInfo[],
  operator: string,
  values: string[],
  more: Partial<Condition> = {},
): Condition | undefined =>
  conditionOn(
    found,
    properties.map((property) => ({ property, values, isExact: true })),
    { operator, isNamed: true, ...more },
  );

/** Returns a condition with the possible properties and their values; undefined without properties. */
export const conditionOn = (
  found: Match<Part>,
  of: Condition["of"],
  more: Pick<Condition, "operator" | "isNamed"> & Partial<Condition>,
): Condition | undefined =>
  of.length === 0
    ? undefined
    : { kind: "filter", of, text: found.free().map(found.text).join(" "), ...more };
