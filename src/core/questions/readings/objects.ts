import type { Property } from "../language/name-keys.ts";
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
export const unitsSold: Reader = (bag, context) => {
  const bought = context.eventOf("purchase");
  const quantity = context.propertyOf("quantity");
  const item = bag.find(
    ({ words, at }) =>
      /^(?:items?|units?|pieces?|quantity|quantities)$/i.test(words[0]?.text ?? "") &&
      bag.items[at - 1]?.number === undefined,
  );
  if (bought === undefined || quantity === undefined || item === undefined) return undefined;
  const isBought = bag.left().some(({ meaning }) => meaning.event === bought);
  if (bag.take("count", "sum") === undefined && !bag.has("sold") && !isBought) return undefined;
  bag.takeItem(item);
  takeRepeated(bag, bought);
  return { of: "events", events: [bought], math: "sum", property: quantity };
};

/** Different values of a property. */
export const differentValues: Reader = (bag) => {
  const word = bag.take("different");
  const near = word === undefined ? undefined : [1, 2].map((step) => bag.beside(word, step));
  const item = near?.find(
    (one) =>
      one !== undefined &&
      bag.isLeft(one) &&
      one.meaning.property !== undefined &&
      one.meaning.roles.size === 0,
  );
  if (item === undefined) return undefined;
  bag.takeItem(item);
  bag.takeAll("count", ...PERSON_ROLES);
  const events = takeEvents(bag);
  return {
    of: "events",
    events,
    math: "different",
    property: item.meaning.property as NonNullable<typeof item.meaning.property>,
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

/** "What do people search for?": the objects of an event. */
export const objects: Reader = (bag, context) => {
  const text = bag.items.flatMap(({ words }) => words.map((word) => word.text)).join(" ");
  if (!/\b(?:what|which) (?:do|does|did|are|have)\b/i.test(text) || bag.has("count"))
    return undefined;
  const event = takeEvent(bag);
  const property = objectOf(event, context);
  if (event === undefined || property === undefined) return undefined;
  bag.takeAll(...PERSON_ROLES, "most", "activity");
  return { of: "objects", event, property };
};

/** Only a property, as in "top 5 pages" and "best selling products": events by its values. */
export const byProperty: Reader = (bag, context) => {
  const isSold = bag.has("sold");
  const item = bag.find(
    ({ meaning }) => meaning.property !== undefined && !isGroupName(meaning.property),
  );
  const property = item?.meaning.property;
  if (property === undefined) return undefined;
  const count = bag.take("count");
  const isNext = count !== undefined && item?.at === count.at + 1;
  const isCounted = isNext && !bag.has("most", "least", "sold");
  if (count !== undefined && !isNext) return undefined;
  bag.takeAll("count", ...PERSON_ROLES, "sum");
  const views = pageViews(context);
  if (isCounted) {
    bag.takeItem(item);
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
