import type { Json, JsonObject } from "../values/json.ts";
import { checkSessionProperty, METADATA, OWNERS } from "./known-property.ts";
import {
  checkUnused,
  type Fields,
  fields,
  malformed,
  missing,
  choice as oneOf,
  onlyOf,
  type PropertyOf,
  propertyOf,
  textOrNone,
} from "./query-fields.ts";
import { timeValueIn } from "./time-value.ts";

/** The owner of values: of a property, or of one of TIME_VALUES, or a property of a person's first events. */
export type ValueOf =
  | PropertyOf
  | { type: "hogql" }
  /** The value of a property on the person's first event that has it, ever. */
  | { type: "first_touch" };

/** The values that events are grouped by. */
export type Breakdown = {
  /** With `isPage` the value is an address, and counts for its page: without query, fragment and slashes at its end. */
  by: { of: ValueOf; property: string; isPage?: boolean }[];
  /** Values that have a result of their own. */
  limit: number;
  /** Whether the answer has no line of all other values. */
  hidesOther?: boolean;
  /**
   * The order of values by their number, of which the limit takes the first ones: the greatest first by default.
   * `natural` is that of the values themselves, such as hours.
   */
  order?: "desc" | "asc" | "natural";
};

/** Properties of one breakdown. */
export const BREAKDOWNS_MAX = 3;

/** Default limit of the values of a breakdown. */
export const BREAKDOWN_LIMIT_DEFAULT = 25;

/** Largest limit of the values of a breakdown. */
export const BREAKDOWN_LIMIT_MAX = 100;

/** Reads `breakdownFilter`; null if it names no property. */
export function breakdownOf(query: Fields): Breakdown | null {
  const attr = query.attr("breakdownFilter");
  const all = query.object("breakdownFilter", [
    ...["breakdown", "breakdown_type", "breakdown_limit", "breakdown_group_type_index"],
    ...["breakdowns", "breakdown_hide_other_aggregation"],
    ...["breakdown_order", "breakdown_normalize_url"],
  ]);
  const { sent: filter, whole, flag, choice } = all;
  const several = filter["breakdowns"] ?? [];
  if (!Array.isArray(several) || several.length > BREAKDOWNS_MAX) {
    throw malformed(`A list of at most ${BREAKDOWNS_MAX} is expected.`, `${attr}__breakdowns`);
  }
  const only = onlyOf(filter["breakdown"], `${attr}__breakdown`) ?? null;
  if (only !== null && several.length > 0) {
    throw malformed("Give breakdown or breakdowns, not both.", `${attr}__breakdown`);
  }
  if (several.length > 0) {
    checkUnused(all, ONE_DEFAULTS, "Write it into each of breakdowns, without breakdown_.");
  }
  const requested: JsonObject[] =
    several.length === 0
      ? [{ ...filter, property: only }]
      : several.map((one, at) => breakdownIn(one, `${attr}__breakdowns__${at}`));
  const by = requested.flatMap((one) => valueIn(one, `${attr}__breakdown`));
  const isNatural = by.length === 1 && by[0]?.of.type === "hogql";
  const range = { min: 1, max: BREAKDOWN_LIMIT_MAX };
  const limit = whole("breakdown_limit", range, isNatural ? range.max : BREAKDOWN_LIMIT_DEFAULT);
  const order =
    isNatural && (filter["breakdown_order"] ?? null) === null
      ? "natural"
      : choice("breakdown_order", ORDERS);
  const hidesOther = flag("breakdown_hide_other_aggregation");
  if (by.length > 0) return { by, limit, hidesOther, order };
  const detail = "It goes with breakdown or breakdowns: write one, or leave it out.";
  checkUnused(all, { ...ONE_DEFAULTS, ...ALL_DEFAULTS }, detail);
  return null;
}

/** The fields of a single breakdown, as they are by default. */
const ONE_DEFAULTS = {
  ...{ breakdown_type: "event", breakdown_group_type_index: null, breakdown_normalize_url: false },
};

/** Those of all breakdowns of a query. */
const ALL_DEFAULTS = {
  breakdown_limit: BREAKDOWN_LIMIT_DEFAULT,
  breakdown_hide_other_aggregation: false,
  breakdown_order: "desc",
};

const ORDERS = ["desc", "asc"] as const;

const TYPES = [...OWNERS, "hogql", "first_touch"] as const;

function valueIn(one: JsonObject, attr: string): Breakdown["by"] {
  const isPage = one["breakdown_normalize_url"] ?? false;
  if (typeof isPage !== "boolean") {
    throw malformed("true or false is expected.", `${attr}_normalize_url`);
  }
  return ownerIn(one, attr).map((by) => (isPage ? { ...by, isPage } : by));
}

function ownerIn(one: JsonObject, attr: string): Breakdown["by"] {
  const property = textOrNone(one["property"], attr);
  const type = oneOf(one["breakdown_type"] ?? "event", TYPES, `${attr}_type`);
  if (property === null) return [];
  const index = one["breakdown_group_type_index"];
  if (type !== "group" && (index ?? null) !== null) {
    const detail = `It goes with the type group, and this breakdown is of the type ${type}: leave it out, or write group.`;
    throw malformed(detail, `${attr}_group_type_index`);
  }
  switch (type) {
    case "event_metadata":
      return [{ of: { type }, property: oneOf(property, METADATA, attr) }];
    case "hogql":
      return [{ of: { type }, property: timeValueIn(property, attr) }];
    case "first_touch":
      return [{ of: { type }, property }];
    default: {
      if (type === "session") checkSessionProperty(property, attr);
      return [{ of: propertyOf(type, index, `${attr}_group_type_index`), property }];
    }
  }
}

/** Reads one of `breakdowns`; returns it with the field names of a single breakdown. */
export function breakdownIn(sent: Json, attr: string): JsonObject {
  const {
    property = null,
    type = null,
    group_type_index: index = null,
    normalize_url: isPage = null,
  } = fields(sent, attr, ["property", "type", "group_type_index", "normalize_url"]).sent;
  if (property === null) throw missing(`${attr}__property`);
  return {
    ...{ property, breakdown_type: type, breakdown_group_type_index: index },
    breakdown_normalize_url: isPage,
  };
}
