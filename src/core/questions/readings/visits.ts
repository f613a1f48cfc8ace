import type { Bag, Item } from "../language/bag.ts";
import type { Property } from "../language/name-keys.ts";
import { calculations } from "./calculations.ts";
import { conditionsIn } from "./conditions.ts";
import type { Context } from "./context.ts";
import { aggregateIn } from "./counts.ts";
import type { Aggregate, Measure, SessionValue } from "./reading.ts";
import { PERSON_ROLES, pageViews, type Reader, takeEvents } from "./units.ts";

/** Measures of sessions: their number and length, bounces, pages, and the pages where they begin and end. */
export const sessions: Reader = (bag) => {
  const value = valueIn(bag);
  if (value !== undefined) {
    bag.takeAll("session", "visitor", "person", "average", "count", "by", "take", "how_long");
    bag.takeIf(({ meaning }) => meaning.event === "$pageview" && meaning.property === undefined);
    return { of: "sessions", value };
  }
  const place = bag.has("entry", "exit");
  if (place) bag.takeAll("before", "after", "last_seen", "first_seen", "first_touch", "go");
  const word = bag.has("session");
  if (!place && !word) return undefined;
  if (
    !place &&
    bag.left().some(({ meaning }) => meaning.event !== undefined && !meaning.roles.has("session"))
  )
    return undefined;
  const isOfPersons =
    !bag.items.some(({ meaning }) => meaning.roles.has("session")) &&
    bag.has("visitor") &&
    bag.has("count");
  bag.takeAll("session", "count", "visitor", "person", "sum");
  bag.takeIf(({ meaning }) => meaning.event === "$pageview" && meaning.property === undefined);
  if (place) bag.takeIf(({ meaning }) => meaning.property?.name === "$pathname");
  return { of: "sessions", value: isOfPersons ? "persons" : "count" };
};

function valueIn(bag: Bag): SessionValue | undefined {
  if (isPerPerson(bag)) return "per_person";
  if (bag.take("bounce_rate") !== undefined) return "bounce_rate";
  if (bag.take("pages_per_session") !== undefined) return "pages";
  if (bag.take("session_length") !== undefined || isLong(bag)) return lengthIn(bag);
  if (bag.take("bounce") !== undefined) {
    return bag.take("share") === undefined ? "bounces" : "bounce_rate";
  }
  return isLongest(bag) ? "longest_seconds" : pagesOf(bag);
}

/** "Sessions per visitor". */
function isPerPerson(bag: Bag): boolean {
  const per = bag.find(
    ({ meaning, at }) => meaning.roles.has("by") && isPersonItem(bag.items[at + 1]),
  );
  const before = per === undefined ? undefined : bag.beside(per, -1);
  if (per === undefined || before?.meaning.roles.has("session") !== true) return false;
  bag.takeItem(per);
  bag.takeItem(bag.beside(per, 1));
  return true;
}

/** "How long is a visit", without an event that the time ends with. */
function isLong(bag: Bag): boolean {
  const hasEvent = ({ meaning }: Item) =>
    meaning.event !== undefined && !meaning.roles.has("session");
  return bag.has("how_long") && bag.has("session") && !bag.left().some(hasEvent);
}

function lengthIn(bag: Bag): SessionValue {
  bag.take("how_long");
  if (bag.take("median") !== undefined) return "median_seconds";
  return bag.take("greatest") === undefined ? "seconds" : "longest_seconds";
}

const isPersonItem = (item: Item | undefined) =>
  PERSON_ROLES.some((role) => item?.meaning.roles.has(role) === true);

function isLongest(bag: Bag): boolean {
  const word = bag.find(
    ({ meaning, words }) =>
      meaning.roles.has("greatest") && /^longest$/i.test(words[0]?.text ?? ""),
  );
  if (word === undefined || !bag.has("session")) return false;
  bag.takeItem(word);
  return true;
}

/** "How many pages does a visitor look at per session?" */
function pagesOf(bag: Bag): SessionValue | undefined {
  const isPages = ({ meaning, words }: Item) =>
    meaning.property?.name === "$pathname" && /s$/i.test(words.at(-1)?.text ?? "");
  const isViews = ({ meaning }: Item) =>
    meaning.event === "$pageview" && !meaning.roles.has("session");
  const pages = bag.find((item) => isPages(item) || isViews(item));
  const session = bag.find((item) => {
    const before = bag.beside(item, -1);
    const isOne =
      before !== undefined &&
      (before.meaning.roles.has("by") ||
        /^(?:a|an|one|each|every|the|average)$/i.test(before.words[0]?.text ?? ""));
    return item.meaning.roles.has("session") && isOne;
  });
  if (pages === undefined || session === undefined) return undefined;
  const by = bag.beside(session, -1);
  for (const item of [pages, session, by]) bag.takeItem(item);
  while (bag.takeIf((item) => isViews(item) || isPages(item)) !== undefined);
  return "pages";
}

/** Persons, sessions or events with a property, as a share of all. */
export const share: Reader = (bag, context) => {
  if (bag.take("share") === undefined) return undefined;
  bag.takeAll("among");
  const isOfVisits = bag.has("session") && !bag.has(...PERSON_ROLES);
  const events = bag
    .left()
    .filter(({ meaning }) => meaning.event !== undefined && !meaning.roles.has("session"));
  const persons = bag.has(...PERSON_ROLES);
  if (
    persons &&
    events.length === 1 &&
    !events.some(({ meaning }) => meaning.event === "$pageview")
  )
    return shareOfDoers(bag, context);
  if (isOfVisits && events.length === 0) {
    bag.takeAll("session", "count");
    const among = conditionsIn(bag, { of: "sessions", value: "count" }, context);
    return among.length === 0 ? undefined : { of: "session_share", among };
  }
  if (isOfVisits && events.length === 1) {
    bag.takeAll("session", "count");
    const over: Aggregate = { events: takeEvents(bag), math: "unique_session" };
    return { of: "ratio", over, under: { events: [], math: "unique_session" }, isPercent: true };
  }
  const calculated = calculations(bag, context);
  const under = calculated?.of === "events" ? calculated : aggregateIn(bag, context);
  if (under === undefined) return undefined;
  bag.takeAll(...PERSON_ROLES);
  const measure: Measure = { of: "events", ...under };
  const among = conditionsIn(bag, measure, context);
  return among.length === 0
    ? undefined
    : { of: "ratio", over: { ...under, where: among }, under, isPercent: true };
};

/** Buyers among visitors, and the like. */
function shareOfDoers(bag: Bag, context: Context): Measure | undefined {
  const customer = bag.has("customer") ? context.eventOf("purchase") : undefined;
  bag.takeAll(...PERSON_ROLES, "count");
  const events = takeEvents(bag);
  const [did] = events;
  const among = customer === undefined || customer === did ? pageViews(context) : [customer];
  if (did === undefined) return undefined;
  return {
    of: "ratio",
    over: { events: [did], math: "dau" },
    under: { events: among, math: "dau" },
    isPercent: true,
  };
}

/** Events, times and properties of one person. */
export const person: Reader = (bag) => {
  const who = bag.find((item) => item.who !== undefined);
  if (who === undefined) return undefined;
  const last = bag.has("last_seen");
  const first = !last && bag.has("first_seen");
  if (bag.has("when") || ((last || first) && !bag.has("count"))) {
    bag.takeAll(
      "when",
      "last_seen",
      "first_seen",
      "session",
      "activity",
      "active",
      "go",
      "date",
      "hour",
      "first_touch",
      "last_touch",
      "times",
    );
    return { of: "moment", events: takeEvents(bag), isLast: last };
  }
  const isCounting = bag.has(
    "count",
    "how_much",
    "revenue",
    "spend",
    "session",
    "average",
    "sum",
    "order_value",
  );
  const property = bag.find(
    ({ meaning }) =>
      meaning.property !== undefined && meaning.event === undefined && meaning.roles.size === 0,
  );
  if (!isCounting && property?.meaning.property !== undefined) {
    bag.takeItem(property);
    bag.takeAll("by", "person", "customer", "activity");
    return { of: "value", property: property.meaning.property };
  }
  if (isCounting) return undefined;
  bag.takeAll(
    "activity",
    "all_events",
    "go",
    "person",
    "customer",
    "visitor",
    "last_seen",
    "first_seen",
  );
  return { of: "activity", events: takeEvents(bag) };
};

/** "When was the last order?" */
export const moment: Reader = (bag) => {
  const isLast = bag.has("last_seen");
  if (bag.take("when") === undefined || !(isLast || bag.has("first_seen"))) return undefined;
  bag.takeAll("last_seen", "first_seen", "first_touch", "last_touch", "times", "date", "person");
  const [event, ...others] = takeEvents(bag);
  if (event === undefined || others.length > 0) return undefined;
  return { of: "moment", events: [event], isLast };
};

/** Persons with a property, or by one, at any time. */
export const knownPersons: Reader = (bag, context) => {
  if (context.when.range !== undefined || context.when.interval !== undefined) return undefined;
  if (!bag.has("person", "customer")) return undefined;
  const isOfPerson = (property: Property | undefined) =>
    property === undefined || property.of === "person";
  const named = bag
    .left()
    .filter(({ meaning }) => meaning.property !== undefined || meaning.values.length > 0);
  const isOfPersons = named.every(
    ({ meaning }) =>
      isOfPerson(meaning.property) && meaning.values.every(({ property }) => isOfPerson(property)),
  );
  const hasEvent = bag.left().some(({ meaning }) => meaning.event !== undefined);
  if (!isOfPersons || named.length === 0 || hasEvent) return undefined;
  bag.takeAll("count", "person", "customer");
  return { of: "persons" };
};
