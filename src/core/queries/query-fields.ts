import { GROUP_TYPES_MAX } from "../identity/groups.ts";
import { Failure } from "../values/failure.ts";
import { insteadOf } from "../values/instead.ts";
import { foundIn, isObject, type Json, type JsonObject, storableText } from "../values/json.ts";
import { rejectUnknownFields } from "../values/known-fields.ts";
import {
  checkFilters,
  type FilterGroup,
  filterGroup,
  filtersIn,
  filterTexts,
  PROPERTY_FILTERS_MAX,
  type PropertyFilter,
  propertyFilter,
} from "../values/property-filter.ts";
import type { Moment } from "../values/zoned-time.ts";
import {
  BEHAVIOR_FIELDS,
  BEHAVIORS_MAX,
  type BehaviorFilter,
  behaviorFilter,
  isBehavior,
  propertyFiltersOf,
} from "./behavior.ts";
import { INTERVALS, type Interval } from "./intervals.ts";
import { checkSessionProperty, LISTED, metadataFilter, OWNERS } from "./known-property.ts";
import { DATE_FROM_DEFAULT, type DateRange } from "./period.ts";
import { TIME_FILTER_FIELDS, type TimeFilter, timeFilter } from "./time-value.ts";

/** The owner of a property: the event, its session, person or group; the latter two as they are now. */
export type PropertyOf =
  | { type: "event" }
  /** One of METADATA, which is no property. */
  | { type: "event_metadata" }
  | { type: "session" }
  | { type: "person" }
  /** The index of the group's type, 0 to GROUP_TYPES_MAX - 1. */
  | { type: "group"; group_type_index: number };

/** A condition on a property of events. */
export type EventFilter = { of: PropertyOf; filter: PropertyFilter };

/** Conditions on properties alone, and groups of them. */
export type PropertyConditions = FilterGroup<EventFilter>["of"];

/** A condition that events must meet. */
export type AnyFilter = EventFilter | TimeFilter | BehaviorFilter;

/** Conditions that events must meet, and groups of which all or any must be met. */
export type EventFilters = FilterGroup<AnyFilter>["of"];

/** The events of a query. */
export type EventsNode = {
  /** The name of the events; null for all events. */
  event: string | null;
  /** The caller's name for it. */
  name: string;
  filters: EventFilters;
};

/** The smallest and the largest number, or length of a list. */
type Range = { min: number; max: number };

/** The fields of an object in a query, and ways to read one. */
export type Fields = {
  sent: JsonObject;
  /** Returns the name of a field in failures. */
  attr(name: string): string;
  /** Returns one of `choices`; if it is absent, `fallback`, or else the first. Fails `invalid_choice`. */
  choice<T extends string>(name: string, choices: readonly T[], fallback?: T): T;
  /** Returns a whole number; if it is absent, `fallback`. Fails `invalid_input`. */
  whole(name: string, range: Range, fallback: number): number;
  /** Returns a text; null if it is absent. Fails `invalid_input`. */
  text(name: string): string | null;
  /** Returns true or false; false if it is absent. Fails `invalid_input`. */
  flag(name: string): boolean;
  /** Returns the fields of an object; none if it is absent. Fails `invalid_input` on unknown ones. */
  object(name: string, known: readonly string[]): Fields;
};

/** The fields of an EventsNode but those of its math. */
const NODE_FIELDS = ["kind", "event", "name", "custom_name", "properties"];

/** Reads a list of `min` to `max` nodes, each by `one`. */
export function nodesOf<T>(
  sent: Json | undefined,
  { attr, min, max }: Range & { attr: string },
  one: (node: Json, attr: string) => T,
): T[] {
  if (sent === undefined || sent === null) throw missing(attr);
  if (!Array.isArray(sent) || sent.length < min || sent.length > max) {
    const count = min === max ? String(min) : `${min} to ${max}`;
    const found = Array.isArray(sent) ? `one of ${sent.length}` : foundIn(sent);
    throw malformed(`A list of ${count} series is expected, not ${found}.`, attr);
  }
  return sent.map((node, index) => one(node, `${attr}__${index}`));
}

/** Reads `series`: a list of `min` to `max` nodes without a math of their own. */
export function seriesNodes(
  { sent, attr }: Fields,
  { moment, common, ...range }: Range & { moment: Moment; common: EventFilters },
): EventsNode[] {
  const one = (node: Json, attr: string) => eventsNode(node, { attr, moment, common }).read;
  return nodesOf(sent["series"], { attr: attr("series"), ...range }, one);
}

/** Options of reading a node. */
export type NodeReading = {
  attr: string;
  /** The time that dates of filters count from. */
  moment: Moment;
  /** Filters of the whole query, which come before those of the node. */
  common?: EventFilters;
  /** Allowed fields in addition to those of an EventsNode. */
  more?: readonly string[];
};

/** Reads an EventsNode; `node` has its fields. */
export function eventsNode(
  sent: Json,
  { attr, moment, common = [], more = [] }: NodeReading,
): { node: Fields; read: EventsNode } {
  // Nodes of other kinds have other fields, of which nothing needs to be said.
  if (isObject(sent)) choice(sent["kind"] ?? "EventsNode", ["EventsNode"], `${attr}__kind`);
  const node = fields(sent, attr, [...NODE_FIELDS, "math", ...more]);
  // Queries without a math of their own count persons.
  if (!more.includes("math")) node.choice("math", ["total", "dau"]);
  const event = node.text("event");
  const name = node.text("custom_name") ?? node.text("name") ?? event ?? "All events";
  const filters = [...common, ...filtersOf(node, moment)];
  checkFilters(propertyFiltersOf(filters), node.attr("properties"));
  return { node, read: { event, name, filters } };
}

/** Reads `properties`: a list of filters that must all be met, or groups of AND and OR (decision 72). */
export const filtersOf = (
  { sent, attr }: Fields,
  moment: Moment,
  { field = "properties", types = OWNERS }: { field?: string; types?: Types } = {},
): EventFilters => filterList(sent[field] ?? [], attr(field), { moment, types, ofPersons: true });

/** Reads a list of filters, or a group of them; with `ofPersons` also filters of what these did. */
function filterList(
  sent: Json,
  attr: string,
  { moment, types, ofPersons }: { moment: Moment; types: Types; ofPersons: boolean },
): EventFilters {
  const ofEvents = (list: Json, attr: string) =>
    filterList(list, attr, { moment, types: OWNERS, ofPersons: false });
  const one = (filter: Json): AnyFilter => {
    const type = isObject(filter) && ofPersons ? filter["type"] : undefined;
    if (type === "behavioral")
      return behaviorFilter(fields(filter, attr, BEHAVIOR_FIELDS), moment, ofEvents);
    if (type === "hogql" && types === OWNERS)
      return timeFilter(fields(filter, attr, TIME_FILTER_FIELDS));
    return eventFilter(filter, moment, { attr, types });
  };
  const read = filterGroup(sent, attr, one);
  const all = filtersIn(read);
  if (all.length > PROPERTY_FILTERS_MAX)
    throw malformed(`A list of at most ${PROPERTY_FILTERS_MAX} filters is expected.`, attr);
  if (all.filter(isBehavior).length > BEHAVIORS_MAX)
    throw malformed(`At most ${BEHAVIORS_MAX} behavioral filters are taken.`, attr);
  return read.any && read.of.length > 1 ? [read] : read.of;
}

/** Reads filters of a list of events from the parameter `properties`, as {@link propertyFilters} does. Fails `invalid_input`. */
export function eventFiltersIn(texts: readonly string[], moment: Moment): PropertyConditions {
  const attr = "properties";
  const reading = { moment, types: LISTED, ofPersons: false } as const;
  const of = filterList(filterTexts(texts, attr), attr, reading);
  checkFilters(propertyFiltersOf(of), attr);
  return of as PropertyConditions;
}

type Types = readonly [PropertyOf["type"], ...PropertyOf["type"][]];
function eventFilter(
  one: Json,
  moment: Moment,
  { attr, types }: { attr: string; types: Types },
): EventFilter {
  const { type, filter } = propertyFilter(one, { types, ...moment, attr });
  if (type === "session") checkSessionProperty(filter.key, attr);
  if (type === "event_metadata") return { of: { type }, filter: metadataFilter(filter, attr) };
  const index = isObject(one) ? one["group_type_index"] : null;
  return { of: propertyOf(type, index, `${attr}__group_type_index`), filter };
}

/** Returns the owner of a property. Fails `invalid_input` on the index of a group type. */
export function propertyOf(
  type: PropertyOf["type"],
  index: Json | undefined,
  attr: string,
): PropertyOf {
  if (type !== "group") return { type };
  const max = GROUP_TYPES_MAX - 1;
  return { type, group_type_index: whole(index, { attr, min: 0, max }) };
}

/** Reads `dateRange`. */
export function rangeOf(query: Fields, date_from: string | number = DATE_FROM_DEFAULT): DateRange {
  const { text, flag } = query.object("dateRange", ["date_from", "date_to", "explicitDate"]);
  return {
    date_from: text("date_from") ?? date_from,
    date_to: text("date_to"),
    explicitDate: flag("explicitDate"),
  };
}

/** Reads `interval`. */
export const intervalOf = ({ choice }: Fields): Interval => choice("interval", INTERVALS, "day");

/** Returns the item of a list of one, or a value that is no list. Fails `invalid_input` on longer lists. */
export function onlyOf(sent: Json | undefined, attr: string): Json | undefined {
  if (!Array.isArray(sent)) return sent;
  if (sent.length > 1) throw malformed(`A list of one is expected, not of ${sent.length}.`, attr);
  return sent[0];
}

/** Reads an object without unknown fields; empty fields, and fields that change no number, are allowed. Fails `invalid_input`. */
export function fields(sent: Json, attr: string, known: readonly string[]): Fields {
  if (!isObject(sent)) throw malformed(`An object is expected, not ${foundIn(sent)}.`, attr);
  rejectUnknownFields(sent, { known, attr });
  const attrOf = (name: string) => `${attr}__${name}`;
  return {
    sent,
    attr: attrOf,
    choice: (name, choices, fallback = choices[0]) =>
      choice(sent[name] ?? fallback, choices, attrOf(name)),
    whole: (name, range, fallback) =>
      whole(sent[name] ?? fallback, { attr: attrOf(name), ...range }),
    text: (name) => textOrNone(sent[name], attrOf(name)),
    flag: (name) => flag(sent[name] ?? false, attrOf(name)),
    object: (name, known) => fields(sent[name] ?? {}, attrOf(name), known),
  };
}

/** Returns one of `choices`. Fails `invalid_choice`. */
export function choice<T extends string>(
  value: Json | undefined,
  choices: readonly T[],
  attr: string,
): T {
  const found = choices.find((known) => known === value);
  if (found !== undefined) return found;
  const instead = insteadOf(nameIn(attr), value);
  throw new Failure("invalid_choice", `${instead}One of ${choices.join(", ")} is expected.`, attr);
}

function flag(value: Json, attr: string): boolean {
  if (typeof value === "boolean") return value;
  throw malformed(`true or false is expected, not ${foundIn(value)}.`, attr);
}

/** Returns a whole number from `min` to `max`. Fails `invalid_input`. */
function whole(value: Json | undefined, { attr, min, max }: Range & { attr: string }): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  const name = nameIn(attr);
  const instead = min === max ? insteadOf("field", name) : "";
  const expected =
    min === max ? `only ${min} is taken` : `a whole number from ${min} to ${max} is expected`;
  throw malformed(`${instead}${name} is ${foundIn(value)}: ${expected}.`, attr);
}

/** The last name of a field. */
const nameIn = (attr: string) => attr.slice(attr.lastIndexOf("__") + 2);

/** Returns a text; null if it is absent. Fails `invalid_input`. */
export function textOrNone(value: Json | undefined, attr: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string")
    throw malformed(`A text is expected, not ${foundIn(value)}.`, attr);
  return storableText(value);
}

/** Fails `invalid_input` on a field that changes nothing here, unless it has the value that it has by default. */
export function checkUnused(
  { sent, attr }: Pick<Fields, "sent" | "attr">,
  defaults: Readonly<Record<string, Json>>,
  detail: string,
): void {
  for (const [name, value] of Object.entries(defaults)) {
    if ((sent[name] ?? value) !== value) throw malformed(detail, attr(name));
  }
}

/** The failure of a missing field. */
export function missing(attr: string): Failure {
  return new Failure("required", "This field is required.", attr);
}

/** The failure of a malformed field. */
export function malformed(detail: string, attr: string): Failure {
  return new Failure("invalid_input", detail, attr);
}
