import { GROUP_TYPES_MAX } from "../identity/group.ts";
import { Failure } from "../values/failure.ts";
import { isObject, type Json, type JsonObject, storableText } from "../values/json.ts";
import { rejectUnknownFields } from "../values/known-fields.ts";
import {
  checkFilters,
  type FilterGroup,
  filterGroup,
  filtersIn,
  PROPERTY_FILTERS_MAX,
  type PropertyFilter,
  propertyFilter,
} from "../values/property-filter.ts";
import type { Moment } from "../values/relative-time.ts";
import { DATE_FROM_DEFAULT, type DateRange, INTERVALS, type Interval } from "./period.ts";

/** Whose property it is: the event's, that of its person as it is now, or of its group as it is now. */
export type PropertyOf =
  | { type: "event" }
  | { type: "person" }
  /** The index of the group's type, 0 to GROUP_TYPES_MAX - 1. */
  | { type: "group"; group_type_index: number };

/** A condition that events must pass. */
export type EventFilter = { of: PropertyOf; filter: PropertyFilter };

/** Conditions that events must pass, and groups of them of which all or any must be. */
export type EventFilters = FilterGroup<EventFilter>["of"];

/** Events that a query is about. */
export type EventsNode = {
  /** The events' name; null for all events. */
  event: string | null;
  /** What the caller calls it. */
  name: string;
  filters: EventFilters;
};

/** What events are told apart by: the values of a property, or of several together. */
export type Breakdown = {
  by: { of: PropertyOf; property: string }[];
  /** Values that are told apart. */
  limit: number;
};

/** Properties of one breakdown. */
export const BREAKDOWNS_MAX = 3;

/** Values of a breakdown that are told apart if it does not say how many. */
export const BREAKDOWN_LIMIT_DEFAULT = 25;

/** Values of a breakdown that are listed one by one. */
export const BREAKDOWN_LIMIT_MAX = 100;

const NODE_FIELDS = ["kind", "event", "name", "custom_name", "properties"];

/** What counts events where nothing else can be told of them. */
const TOTAL = "total";

/** A query's nodes: a list of `min` to `max`, each read by `one`. */
export function nodesOf<T>(
  sent: Json | undefined,
  { attr, min, max }: { attr: string; min: number; max: number },
  one: (node: Json, attr: string) => T,
): T[] {
  if (sent === undefined || sent === null) throw missing(attr);
  if (!Array.isArray(sent) || sent.length < min || sent.length > max) {
    const count = min === max ? String(min) : `${min} to ${max}`;
    throw malformed(`A list of ${count} series is expected.`, attr);
  }
  return sent.map((node, index) => one(node, `${attr}__${index}`));
}

/** How a node is read. */
export type NodeReading = {
  attr: string;
  /** What the dates of filters count from. */
  moment: Moment;
  /** Filters of the whole query, which are before the node's own. */
  common?: EventFilters;
  /** Fields that are known beside those of an EventsNode. */
  more?: readonly string[];
};

/** Reads an EventsNode; `node` has its fields. */
export function eventsNode(
  sent: Json,
  { attr, moment, common = [], more = [] }: NodeReading,
): { node: JsonObject; read: EventsNode } {
  const node = fields(sent, attr, [...NODE_FIELDS, "math", ...more]);
  if (!more.includes("math")) choice(node["math"] ?? TOTAL, [TOTAL], `${attr}__math`);
  choice(node["kind"] ?? "EventsNode", ["EventsNode"], `${attr}__kind`);
  const event = textOrNone(node["event"], `${attr}__event`);
  const name =
    textOrNone(node["custom_name"], `${attr}__custom_name`) ??
    textOrNone(node["name"], `${attr}__name`) ??
    event ??
    "All events";
  const properties = `${attr}__properties`;
  const filters = [...common, ...filtersOf(node["properties"], properties, moment)];
  checkFilters(
    filtersIn({ any: false, of: filters }).map(({ filter }) => filter),
    properties,
  );
  return { node, read: { event, name, filters } };
}

/** Reads `properties`: filters as a list, all of which must pass, or in groups of AND and OR (decision 72). */
export function filtersOf(sent: Json | undefined, attr: string, moment: Moment): EventFilters {
  const group = isObject(sent) ? sent : { values: sent ?? [] };
  const types = ["event", "person", "group"] as const;
  const read = filterGroup(group, attr, (one) => {
    const { type, filter } = propertyFilter(one, { types, ...moment, attr });
    const index = isObject(one) ? one["group_type_index"] : null;
    return { of: propertyOf(type, index, attr), filter };
  });
  if (filtersIn(read).length <= PROPERTY_FILTERS_MAX)
    return read.any && read.of.length > 1 ? [read] : read.of;
  throw malformed(`A list of at most ${PROPERTY_FILTERS_MAX} filters is expected.`, attr);
}

function propertyOf(type: PropertyOf["type"], index: Json | undefined, attr: string): PropertyOf {
  if (type !== "group") return { type };
  const max = GROUP_TYPES_MAX - 1;
  return { type, group_type_index: whole(index, { attr, min: 0, max }, "A group_type_index") };
}

/** Reads `group_type_index`, as a field of its own. */
export function groupTypeIndex(sent: Json | undefined, attr: string): number {
  if (sent === undefined || sent === null) throw missing(attr);
  return whole(sent, { attr, min: 0, max: GROUP_TYPES_MAX - 1 });
}

/** Reads `dateRange`. */
export function rangeOf(
  sent: Json | undefined,
  date_from: string | number = DATE_FROM_DEFAULT,
): DateRange {
  const attr = "query__dateRange";
  const range = fields(sent ?? {}, attr, ["date_from", "date_to"]);
  return {
    date_from: textOrNone(range["date_from"], `${attr}__date_from`) ?? date_from,
    date_to: textOrNone(range["date_to"], `${attr}__date_to`),
  };
}

/** Reads `interval`. */
export function intervalOf(sent: Json | undefined): Interval {
  return choice(sent ?? "day", INTERVALS, "query__interval");
}

/** Reads `breakdownFilter`; null if it names no property. */
export function breakdownOf(sent: Json | undefined): Breakdown | null {
  const attr = "query__breakdownFilter";
  const known = ["breakdown", "breakdown_type", "breakdown_limit", "breakdown_group_type_index"];
  const filter = fields(sent ?? {}, attr, [...known, "breakdowns"]);
  const several = filter["breakdowns"] ?? [];
  if (!Array.isArray(several) || several.length > BREAKDOWNS_MAX) {
    throw malformed(`A list of at most ${BREAKDOWNS_MAX} is expected.`, `${attr}__breakdowns`);
  }
  const only = onlyOf(filter["breakdown"], `${attr}__breakdown`) ?? null;
  if (only !== null && several.length > 0) {
    throw malformed("Give breakdown or breakdowns, not both.", `${attr}__breakdown`);
  }
  const told: JsonObject[] =
    several.length === 0
      ? [{ ...filter, property: only }]
      : several.map((one, at) => breakdownIn(one, `${attr}__breakdowns__${at}`));
  const limit = whole(filter["breakdown_limit"] ?? BREAKDOWN_LIMIT_DEFAULT, {
    attr: `${attr}__breakdown_limit`,
    min: 1,
    max: BREAKDOWN_LIMIT_MAX,
  });
  const by = told.flatMap((one) => {
    const property = textOrNone(one["property"], `${attr}__breakdown`);
    const types = ["event", "person", "group"] as const;
    const type = choice(one["breakdown_type"] ?? "event", types, `${attr}__breakdown_type`);
    const index = `${attr}__breakdown_group_type_index`;
    const of = propertyOf(type, one["breakdown_group_type_index"], index);
    return property === null ? [] : [{ of, property }];
  });
  return by.length === 0 ? null : { by, limit };
}

/** One of `breakdowns`, by the names that its fields have where there is but one. */
function breakdownIn(sent: Json, attr: string): JsonObject {
  const {
    property = null,
    type = null,
    group_type_index = null,
  } = fields(sent, attr, [...["property", "type", "group_type_index"]]);
  const breakdown_group_type_index = group_type_index;
  return { property, breakdown_type: type, breakdown_group_type_index };
}

/** What a list of one has, or is no list. Fails `invalid_input` on more. */
export function onlyOf(sent: Json | undefined, attr: string): Json | undefined {
  if (!Array.isArray(sent)) return sent;
  if (sent.length > 1) throw malformed("A list of one is expected.", attr);
  return sent[0];
}

/**
 * An object that has nothing but fields that are known; others may be as good as absent, or only about
 * how an answer is shown.
 */
export function fields(sent: Json, attr: string, known: readonly string[]): JsonObject {
  if (!isObject(sent)) throw malformed("An object is expected.", attr);
  rejectUnknownFields(sent, { known, ignored: DISPLAY_ONLY, attr });
  return sent;
}

/** One of some texts. Fails `invalid_choice`. */
export function choice<T extends string>(
  value: Json | undefined,
  choices: readonly T[],
  attr: string,
): T {
  const found = choices.find((known) => known === value);
  if (found !== undefined) return found;
  throw new Failure("invalid_choice", `One of ${choices.join(", ")} is expected.`, attr);
}

/** A whole number from `min` to `max`. */
export function whole(
  value: Json | undefined,
  { attr, min, max }: { attr: string; min: number; max: number },
  what = "A whole number",
): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  const one = min === max ? `${min}` : `${what} from ${min} to ${max}`;
  throw malformed(`${one} is expected.`, attr);
}

/** A text, null if it is absent. */
export function textOrNone(value: Json | undefined, attr: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw malformed("A text is expected.", attr);
  return storableText(value);
}

/** What fails where a field is missing. */
export function missing(attr: string): Failure {
  return new Failure("required", "This field is required.", attr);
}

/** What fails where a field is not as it should be. */
export function malformed(detail: string, attr: string): Failure {
  return new Failure("invalid_input", detail, attr);
}

/**
 * Fields of queries that PostHog's clients send and that change no number: how an answer is drawn,
 * and what the client keeps with it (decision 72).
 */
const DISPLAY_ONLY: string[] = `version tags dataColorTheme
  aggregationAxisFormat aggregationAxisPostfix aggregationAxisPrefix confidenceLevel decimalPlaces
  minDecimalPlaces detailedResultsAggregationType excludeBoxPlotOutliers goalLines hiddenLegendBreakdowns
  hiddenLegendIndexes resultCustomizationBy resultCustomizations showAlertThresholdLines
  showConfidenceIntervals showFullUrls showLabelsOnSeries showLegend showMean showMovingAverage
  showMultipleYAxes showPercentStackView showTrendLines showValuesOnSeries stacked toggledLifecycles
  yAxisScaleType movingAverageIntervals
  layout funnelStepReference
  dashboardDisplay meanRetentionCalculation retentionReference selectedInterval`.split(/\s+/);
