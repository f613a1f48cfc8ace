import type { JsonObject } from "../../values/json.ts";
import type { EventInfo, PropertyInfo } from "../names/index.ts";
import {
  type Asked,
  type Item,
  isTagged,
  NotUnderstood,
  noProperty,
  rankedProperties,
  textOf,
} from "./asked.ts";

/** A breakdown, or its possible properties until the events are known. */
export type Label =
  | { json: JsonObject }
  | {
      properties: readonly PropertyInfo[];
      /** Properties with the word in their name. They count if the events lack the others. */
      near?: readonly PropertyInfo[];
      isFirstTouch: boolean;
      words: string;
    };

/** The labels of an answer, with its number of lines and their order. */
export type Labels = {
  labels: Label[];
  order?: { limit?: number; isAscending?: boolean };
  /** Whether the question asks which ones, so that events without a value do not count. */
  isAsked?: boolean;
};

/** Breakdowns by the tag of their word. */
export const EXPRESSIONS: Readonly<Record<string, JsonObject>> = {
  WEEKDAY: { property: "dateName('weekday', timestamp)", type: "hogql" },
  HOUR: { property: "toHour(timestamp)", type: "hogql" },
  DATE: { property: "toDate(timestamp)", type: "hogql" },
  WHICH_WEEK: { property: "toStartOfWeek(timestamp)", type: "hogql" },
  WHICH_MONTH: { property: "toStartOfMonth(timestamp)", type: "hogql" },
  ENTRY: { property: "$entry_pathname", type: "session" },
  EXIT: { property: "$end_pathname", type: "session" },
  CHANNEL: { property: "$channel_type", type: "session" },
  EVENT_NAME: { property: "event", type: "event_metadata" },
};

/** Whether an item is unused and not a part. */
export const isFree = ({ isUsed, part }: Item): boolean => !isUsed && part === undefined;

/** Whether an item is a word for people. */
export const isPeople = (item: Item | undefined): boolean =>
  isTagged(item, "PERSON", "VISITOR", "PAYER");

/** Whether a word is written as the name of a property, such as `hours`. */
export const isName = (item: Item): boolean =>
  item.term.properties.some(({ name }) => name === textOf(item));

/** Returns the label that a word names; undefined for other words. Also takes the words for first or last touch. */
export function labelOf(asked: Asked, item: Item): Label | undefined {
  // "On weekdays" leaves out the weekend. It is no label.
  const isFiltering = item.word === "weekdays" && asked.items[item.at - 1]?.word === "on";
  if (item.part !== undefined || isFiltering) return undefined;
  const isProperty = item.tags.includes("PROP");
  const [tag] = Object.keys(EXPRESSIONS).filter((one) => item.tags.includes(one));
  if (tag !== undefined && !(isProperty && (tag === "DATE" || isName(item))))
    return { json: EXPRESSIONS[tag] as JsonObject };
  const { group: ofGroup, properties } = item.term;
  if (ofGroup !== undefined) {
    const { index } = ofGroup;
    const hasName = asked.index.properties.some(
      ({ of, name, group }) => of === "group" && group === index && name === "name",
    );
    return {
      json: hasName
        ? { property: "name", type: "group", group_type_index: index }
        : { property: `$group_${index}`, type: "event" },
    };
  }
  if (isProperty && !isPeople(item)) {
    const { near } = item.term;
    return { properties, near, isFirstTouch: isFirstTouch(asked, item), words: textOf(item) };
  }
  return isPeople(item) ? personLabel(asked) : undefined;
}

/** The label with one line per person; undefined if persons have no email address. */
export function personLabel(asked: Asked): Label | undefined {
  const email = emailOf(asked);
  return email === undefined ? undefined : { json: { property: email, type: "person" } };
}

const EMAIL = /^\$?e-?mail$/i;

/** The name of the property with the email address of a person. */
export const emailOf = (asked: Asked): string | undefined =>
  asked.index.properties.find(({ of, name }) => of === "person" && EMAIL.test(name))?.name;

/** Whether labels have a line for each person. */
export const isByPerson = (labels: readonly Label[]): boolean =>
  labels.some(
    (one) =>
      "json" in one && one.json["type"] === "person" && EMAIL.test(String(one.json["property"])),
  );

/** "First touch utm source", "which source did they first come from". */
function isFirstTouch(asked: Asked, item: Item): boolean {
  const isOrigin = item.term.properties.some(({ name }) => /^(?:utm_|\$referr)/.test(name));
  const before = asked.beside(item, -1);
  const first = (isOrigin ? asked.items : [before]).find(
    (one) =>
      one !== undefined &&
      isFree(one) &&
      (isTagged(one, "FIRST_TOUCH") || (isOrigin && one.word === "first")),
  );
  if (first !== undefined) first.isUsed = true;
  else if (isOrigin) asked.take("LAST_TOUCH");
  return first !== undefined;
}

/**
 * The event's own properties with the word in their name, where no other property of the event is named. The country of a
 * shipment is its `destinationCountry`, and not that of the visitor.
 */
function nearOf(
  { properties, near = [], words }: Exclude<Label, { json: JsonObject }>,
  events: readonly (EventInfo | null)[],
): readonly PropertyInfo[] {
  const [found] = rankedProperties(properties, events);
  const isSdk = found === undefined || /^\$geoip/.test(found.name);
  const own = rankedProperties(near, events).filter(
    ({ of }) => of === "event" || found === undefined,
  );
  const [one, another] = own.filter(({ of }) => of === "event");
  // "By country" of an event with two countries is not settled.
  if (isSdk && one !== undefined && another !== undefined)
    throw new NotUnderstood(words, `It may be ${one.name} or ${another.name}. Name one of them.`);
  return isSdk ? own : [];
}

/** Returns a label as a breakdown. Throws `NotUnderstood` if the events do not have the property. */
export function breakdownOf(label: Label, events: readonly (EventInfo | null)[]): JsonObject {
  if ("json" in label) return label.json;
  const [property] = rankedProperties([...label.properties, ...nearOf(label, events)], events);
  if (property === undefined) throw noProperty(label.words, label.properties, events);
  const { of, name, group } = property;
  const [, initial] = /^\$initial_(.+)$/.exec(name) ?? [];
  if (label.isFirstTouch && of === "event") return { property: name, type: "first_touch" };
  if (initial !== undefined && of === "person") {
    const own = label.properties.find(
      (one) => one.of === "event" && one.name.replace("$", "") === initial,
    );
    return {
      property: own?.name ?? (initial.startsWith("utm_") ? initial : `$${initial}`),
      type: "first_touch",
    };
  }
  return { property: name, type: of, ...(group === undefined ? {} : { group_type_index: group }) };
}
