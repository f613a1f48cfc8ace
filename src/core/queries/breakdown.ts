import type { Json, JsonObject } from "../values/json.ts";
import {
  choice,
  type Fields,
  fields,
  malformed,
  OWNERS,
  onlyOf,
  type PropertyOf,
  propertyOf,
  textOrNone,
} from "./query-fields.ts";
import { checkSessionProperty } from "./session-property.ts";

/** The properties whose values events are grouped by. */
export type Breakdown = {
  by: { of: PropertyOf; property: string }[];
  /** Values that have a result of their own. */
  limit: number;
  /** Whether a trend has no line of all other values. */
  hidesOther?: boolean;
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
  const {
    sent: filter,
    whole,
    flag,
  } = query.object("breakdownFilter", [
    ...["breakdown", "breakdown_type", "breakdown_limit", "breakdown_group_type_index"],
    ...["breakdowns", "breakdown_hide_other_aggregation"],
  ]);
  const several = filter["breakdowns"] ?? [];
  if (!Array.isArray(several) || several.length > BREAKDOWNS_MAX) {
    throw malformed(`A list of at most ${BREAKDOWNS_MAX} is expected.`, `${attr}__breakdowns`);
  }
  const only = onlyOf(filter["breakdown"], `${attr}__breakdown`) ?? null;
  if (only !== null && several.length > 0) {
    throw malformed("Give breakdown or breakdowns, not both.", `${attr}__breakdown`);
  }
  const requested: JsonObject[] =
    several.length === 0
      ? [{ ...filter, property: only }]
      : several.map((one, at) => breakdownIn(one, `${attr}__breakdowns__${at}`));
  const range = { min: 1, max: BREAKDOWN_LIMIT_MAX };
  const limit = whole("breakdown_limit", range, BREAKDOWN_LIMIT_DEFAULT);
  const by = requested.flatMap((one) => {
    const property = textOrNone(one["property"], `${attr}__breakdown`);
    const type = choice(one["breakdown_type"] ?? "event", OWNERS, `${attr}__breakdown_type`);
    if (type === "session" && property !== null) {
      checkSessionProperty(property, `${attr}__breakdown`);
    }
    const index = `${attr}__breakdown_group_type_index`;
    const of = propertyOf(type, one["breakdown_group_type_index"], index);
    return property === null ? [] : [{ of, property }];
  });
  const hidesOther = flag("breakdown_hide_other_aggregation");
  return by.length === 0 ? null : { by, limit, hidesOther };
}

/** Reads one of `breakdowns`; returns it with the field names of a single breakdown. */
export function breakdownIn(sent: Json, attr: string): JsonObject {
  const {
    property = null,
    type = null,
    group_type_index: index = null,
  } = fields(sent, attr, [...["property", "type", "group_type_index"]]).sent;
  return { property, breakdown_type: type, breakdown_group_type_index: index };
}
