import type { Bag, Item } from "../language/bag.ts";
import type { When } from "../language/dates.ts";
import type { Role } from "../language/lexicon.ts";
import type { Context } from "./context.ts";
import type { Aggregate } from "./reading.ts";
import {
  isDetail,
  isEvent,
  isGroup,
  isPerson,
  isSession,
  PERSON_ROLES,
  pageViews,
  type Reader,
  takeEvent,
  takeEvents,
  takeRepeated,
} from "./units.ts";

/** Reads the first thing that can be counted: visitors, visits, companies or events. */
export function aggregateIn(bag: Bag, context: Context): Aggregate | undefined {
  const counted = bag.take("count");
  const sold = soldIn(bag, context);
  if (sold !== undefined) return sold;
  const isCounted = (item: Item) =>
    isPerson(item) || isSession(item) || isGroup(item) || isEvent(item);
  const after = bag.find(
    (item) => item.at > (counted?.at ?? -1) && isCounted(item) && !isDetail(bag, item),
  );
  const first = after ?? bag.find((item) => isCounted(item) && !isDetail(bag, item));
  if (first === undefined) {
    return bag.take("all_events") === undefined ? undefined : { events: [], math: "total" };
  }
  const next = bag.beside(first, 1);
  if (first.meaning.roles.has("active") && next !== undefined && isGroup(next)) {
    for (const item of [first, next]) bag.takeItem(item);
    return {
      events: [],
      math: "unique_group",
      group: Number(next.meaning.property?.name.slice(-1)),
    };
  }
  if (isPerson(first)) return personsOrTheirs(bag, context, first, counted);
  bag.takeItem(first);
  if (isGroup(first)) {
    const group = Number(first.meaning.property?.name.slice(-1));
    return { events: ownEvents(bag, context), math: "unique_group", group };
  }
  if (isSession(first)) {
    const events = ownEvents(bag, context);
    return { events: events.length === 0 ? pageViews(context) : events, math: "unique_session" };
  }
  const event = seenProduct(bag, context, first.meaning.event as string);
  takeSeenPages(bag, context, event);
  takeRepeated(bag, event);
  return { events: [event], math: "total" };
}

/** In "how often our pages were looked at" the pages are no labels. */
function takeSeenPages(bag: Bag, context: Context, event: string): void {
  const isListed = bag.items.some(({ words }) => /^(?:which|what)$/i.test(words[0]?.text ?? ""));
  if (!pageViews(context).includes(event) || isListed || bag.has("most", "least")) return;
  bag.takeIf(
    (item) =>
      item.meaning.property?.name === "$pathname" &&
      /^pages?$/i.test(item.words[0]?.text ?? "") &&
      !isDetail(bag, item),
  );
}

/** A view of a product is an event of its own in some projects. */
function seenProduct(bag: Bag, context: Context, event: string): string {
  const product = context.propertyOf("product")?.name;
  const viewed = context.eventOf("product viewed");
  const isOfProducts = bag.find(
    ({ meaning }) => product !== undefined && meaning.property?.name === product,
  );
  return event === "$pageview" && isOfProducts !== undefined ? (viewed ?? event) : event;
}

/** Counts persons, or an event that they are only the subject of: "how often did people search". */
function personsOrTheirs(
  bag: Bag,
  context: Context,
  first: Item,
  counted: Item | undefined,
): Aggregate {
  const isOfTimes = counted?.words.some(({ text }) => /^(?:times|often)$/i.test(text)) === true;
  const isOnlySubject = isOfTimes || (isSubject(bag, first) && counted === undefined);
  const event = isOnlySubject ? takeEvent(bag) : undefined;
  return event === undefined ? personsIn(bag, context, first) : { events: [event], math: "total" };
}

/** Whether persons are only the subject of a counted event, as in "when do people buy". */
function isSubject(bag: Bag, item: Item): boolean {
  const before = bag.beside(item, -1)?.words.at(-1)?.text ?? "";
  return /^(?:do|does|did)$/i.test(before) && item.meaning.roles.has("person");
}

/** Purchases, where a question says "best selling". */
function soldIn(bag: Bag, context: Context): Aggregate | undefined {
  const bought = bag.has("sold") ? context.eventOf("purchase") : undefined;
  const hasEvent = bag.left().some(({ meaning }) => meaning.event !== undefined);
  return bought === undefined || hasEvent ? undefined : { events: [bought], math: "total" };
}

function personsIn(bag: Bag, context: Context, first: Item): Aggregate {
  bag.takeItem(first);
  const isCustomer = first.meaning.roles.has("customer") || bag.take("customer") !== undefined;
  bag.takeAll("person");
  const events = ownEvents(bag, context);
  const bought = isCustomer ? context.eventOf("purchase") : undefined;
  const fallback = bought === undefined ? pageViews(context) : [bought];
  return { events: events.length === 0 ? fallback : events, math: "dau" };
}

/** The events that persons or sessions did: a page view among others only says that they were there. */
function ownEvents(bag: Bag, context: Context): string[] {
  const found = takeEvents(bag);
  const others = found.filter((event) => !pageViews(context).includes(event));
  return others.length === 0 ? found : others;
}

/** Days in which a person counts as active. */
const ACTIVE: [Role, When][] = [
  ["dau", { range: { date_from: "-0d" }, days: 1, interval: "day" }],
  ["wau", { range: { date_from: "-7d" }, days: 7, interval: "week" }],
  ["mau", { range: { date_from: "-30d" }, days: 30, interval: "month" }],
];

/** Active persons of a day, week or month: a number where no time is said, else a number for each. */
function activeTime(bag: Bag, { when }: Context): void {
  const unit = ACTIVE.find(
    ([role, { interval }]) => bag.has(role) || (bag.has("active") && when.interval === interval),
  );
  if (unit === undefined) return;
  const [, time] = unit;
  const isNumber =
    when.range === undefined
      ? bag.has("count") || time.interval !== "day"
      : (when.days ?? 1) <= (time.days ?? 1) && bag.has("count");
  if (when.range === undefined && isNumber)
    Object.assign(when, { range: time.range, days: time.days });
  if (isNumber) delete when.interval;
  else when.interval = time.interval ?? "day";
}

/** Counts of events, persons, sessions or groups; several events are a line each. */
export const counts: Reader = (bag, context) => {
  activeTime(bag, context);
  const first = aggregateIn(bag, context);
  if (first === undefined) return undefined;
  bag.takeAll(...PERSON_ROLES, "sum", "go");
  const named = bag.find(
    ({ meaning, at }) =>
      meaning.property !== undefined && bag.items[at - 1]?.meaning.roles.has("count") === true,
  );
  if (named !== undefined && first.math === "total") bag.takeItem(named);
  if (named?.meaning.property !== undefined && first.math === "dau") {
    bag.takeItem(named);
    return {
      of: "events",
      events: first.events,
      math: "different",
      property: named.meaning.property,
    };
  }
  bag.takeAll("different");
  if (first.math !== "total") return { of: "events", ...first };
  const others = takeEvents(bag).filter((event) => !first.events.includes(event));
  if (others.length === 0) return { of: "events", ...first };
  const all = [...first.events, ...others].map(
    (event): Aggregate => ({ events: [event], math: "total" }),
  );
  return { of: "series", all };
};
