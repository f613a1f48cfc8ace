import type { Property } from "../language/name-keys.ts";
import type { Part, Parts } from "../language/parts.ts";
import type { Context } from "./context.ts";
import {
  PERSON_ROLES,
  pageViews,
  type Reader,
  takeEvent,
  takeEvents,
  takeRepeated,
} from "./units.ts";

/** How many things were sold. */
export const unitsSold: Reader = (parts, context) => {
  const bought = context.eventOf("purchase");
  const quantity = context.propertyOf("quantity");
  const part = parts.find(
    ({ words, at }) =>
      /^(?:items?|units?|pieces?|quantity|quantities)$/i.test(words[0]?.text ?? "") &&
      parts.all[at - 1]?.number === undefined &&
      parts.all[at - 1]?.meaning.roles.has("set") !== true,
  );
  if (part !== undefined && isCompared(parts, part)) return undefined;
  if (bought === undefined || quantity === undefined || part === undefined) return undefined;
  const isBought = parts.left().some(({ meaning }) => meaning.event === bought);
  if (parts.take("count", "sum") === undefined && !parts.has("sold") && !isBought) return undefined;
  parts.takePart(part);
  takeRepeated(parts, bought);
  return { of: "events", events: [bought], math: "sum", property: quantity };
};

/** Whether a number stands near a part, as in "quantity is at least 2" and "quantity more than 1": then it is a filter. */
const isCompared = (parts: Parts, part: Part) =>
  [1, 2, 3].some((step) => parts.beside(part, step)?.number !== undefined);

/** Different values of a property. */
export const differentValues: Reader = (parts) => {
  const word = parts.take("different");
  const near = word === undefined ? undefined : [1, 2].map((step) => parts.beside(word, step));
  const part = near?.find(
    (one) =>
      one !== undefined &&
      parts.isLeft(one) &&
      one.meaning.property !== undefined &&
      one.meaning.roles.size === 0,
  );
  if (part === undefined) return undefined;
  parts.takePart(part);
  parts.takeAll("count", ...PERSON_ROLES);
  const events = takeEvents(parts);
  return {
    of: "events",
    events,
    math: "different",
    property: part.meaning.property as NonNullable<typeof part.meaning.property>,
  };
};

/** Properties of the lexicon that belong to one event, by the word for the event. */
const EVENT_OF_PROPERTY: Readonly<Record<string, string>> = {
  query: "search",
  topic: "support ticket",
  product: "purchase",
  category: "purchase",
  amount: "purchase",
  quantity: "purchase",
  results: "search",
  payment: "purchase",
  coupon: "purchase",
};

/** The event that a property of the lexicon belongs to; undefined for others. */
export function eventOfProperty(
  property: Property | undefined,
  context: Context,
): string | undefined {
  const word = Object.keys(EVENT_OF_PROPERTY).find(
    (one) => context.propertyOf(one)?.name === property?.name,
  );
  return word === undefined ? undefined : context.eventOf(EVENT_OF_PROPERTY[word] ?? "");
}

/** Words for the events that have an object, and for the property that names it. */
const OBJECTS: readonly [event: string, property: string][] = [
  ["search", "query"],
  ["purchase", "product"],
  ["add to cart", "product"],
  ["product viewed", "product"],
  ["support ticket", "topic"],
];

/** The property that names the object of an event; undefined without one. */
export function objectOf(event: string | undefined, context: Context): Property | undefined {
  const [, word] =
    OBJECTS.find(([one]) => event !== undefined && context.eventOf(one) === event) ?? [];
  return word === undefined ? undefined : context.propertyOf(word);
}

/** "What do people search for?" and "which searches": the objects of an event. */
export const objects: Reader = (parts, context) => {
  const text = parts.all.flatMap(({ words }) => words.map((word) => word.text)).join(" ");
  const isAsked = /\b(?:what|which) (?:do|does|did|are|have)\b/i.test(text);
  const isListed = /\bwhich search(?:es)?\b/i.test(text);
  if (!(isAsked || isListed) || parts.has("count")) return undefined;
  const event = takeEvent(parts);
  const property = objectOf(event, context);
  if (event === undefined || property === undefined) return undefined;
  parts.takeAll(...PERSON_ROLES, "most", "activity");
  return { of: "events", events: [event], math: "total", by: { by: "property", property } };
};

/** Only a property, as in "top 5 pages" and "best selling products": events by its values. */
export const byProperty: Reader = (parts, context) => {
  const isSold = parts.has("sold");
  const part = parts.find(
    ({ meaning }) => meaning.property !== undefined && !isGroupName(meaning.property),
  );
  const property = part?.meaning.property;
  if (property === undefined) return undefined;
  const count = parts.take("count");
  const isNext = count !== undefined && part?.at === count.at + 1;
  const isCounted = isNext && !parts.has("most", "least", "sold");
  if (count !== undefined && !isNext) return undefined;
  parts.takeAll("count", ...PERSON_ROLES, "sum");
  const views = pageViews(context);
  if (isCounted) {
    parts.takePart(part);
    const isListed =
      property.of === "event" &&
      (property.name.startsWith("$") || property.name.startsWith("utm_"));
    return isListed ? { of: "events", events: views, math: "different", property } : undefined;
  }
  const event = isSold ? context.eventOf("purchase") : eventOfProperty(property, context);
  if (event !== undefined) return { of: "events", events: [event], math: "total" };
  if (property.name === "$pathname") return { of: "events", events: views, math: "total" };
  return { of: "events", events: views, math: "dau" };
};

const isGroupName = ({ name }: Property) => /^\$group_\d$/.test(name);
