import type { When } from "../language/dates.ts";
import type { Role } from "../language/lexicon.ts";
import type { Part, Parts } from "../language/parts.ts";
import type { Context } from "./context.ts";
import type { Aggregate } from "./reading.ts";
import {
  isDetail,
  isEach,
  isEvent,
  isGroup,
  isPerson,
  isSession,
  pageViews,
  type Reader,
  takeEvent,
  takeEvents,
  takeRepeated,
} from "./units.ts";

/** Reads the first thing that can be counted: visitors, visits, companies or events. */
export function aggregateIn(parts: Parts, context: Context): Aggregate | undefined {
  const counted = parts.take("count");
  const sold = soldIn(parts, context);
  if (sold !== undefined) return sold;
  const isCounted = (part: Part) =>
    isPerson(part) || isSession(part) || isGroup(part) || isEvent(part);
  const after = parts.find(
    (part) => part.at > (counted?.at ?? -1) && isCounted(part) && !isDetail(parts, part),
  );
  const first =
    headIn(parts) ?? after ?? parts.find((part) => isCounted(part) && !isDetail(parts, part));
  if (first === undefined) {
    return parts.take("all_events") === undefined ? undefined : { events: [], math: "total" };
  }
  const next = parts.beside(first, 1);
  if (first.meaning.roles.has("active") && next !== undefined && isGroup(next)) {
    for (const part of [first, next]) parts.takePart(part);
    return {
      events: [],
      math: "unique_group",
      group: Number(next.meaning.property?.name.slice(-1)),
    };
  }
  if (isPerson(first)) return personsOrTheirs(parts, context, first, counted);
  parts.takePart(first);
  if (isGroup(first)) {
    const group = Number(first.meaning.property?.name.slice(-1));
    return { events: ownEvents(parts, context), math: "unique_group", group };
  }
  if (isSession(first)) {
    const events = ownEvents(parts, context);
    return { events: events.length === 0 ? pageViews(context) : events, math: "unique_session" };
  }
  const event = seenProduct(parts, context, first.meaning.event as string);
  takeSeenPages(parts, context, event);
  takeRepeated(parts, event);
  return { events: [event], math: "total" };
}

/** The event that is counted in "How do customers pay? Orders by payment method". */
function headIn(parts: Parts): Part | undefined {
  return parts.find((part) => {
    const [before, after] = [parts.beside(part, -1), parts.beside(part, 1)];
    const isFirst = before === undefined || before.words[0]?.text === ",";
    return isEvent(part) && !isSession(part) && isFirst && after?.meaning.roles.has("by") === true;
  });
}

/** In "how often our pages were looked at" the pages are no labels. */
function takeSeenPages(parts: Parts, context: Context, event: string): void {
  const isListed = parts.all.some(({ words }) => /^(?:which|what)$/i.test(words[0]?.text ?? ""));
  if (!pageViews(context).includes(event) || isListed || parts.has("most", "least")) return;
  parts.takeIf(
    (part) =>
      part.meaning.property?.name === "$pathname" &&
      /^pages?$/i.test(part.words[0]?.text ?? "") &&
      !isDetail(parts, part),
  );
}

/** A view of a product is an event of its own in some projects. */
function seenProduct(parts: Parts, context: Context, event: string): string {
  const product = context.propertyOf("product")?.name;
  const viewed = context.eventOf("product viewed");
  const isOfProducts = parts.find(
    ({ meaning }) => product !== undefined && meaning.property?.name === product,
  );
  return event === "$pageview" && isOfProducts !== undefined ? (viewed ?? event) : event;
}

/** Counts persons, or an event that they are only the subject of: "how often did people search". */
function personsOrTheirs(
  parts: Parts,
  context: Context,
  first: Part,
  counted: Part | undefined,
): Aggregate {
  const isOfTimes = counted?.words.some(({ text }) => /^(?:times|often)$/i.test(text)) === true;
  const isOnlySubject = isOfTimes || (isSubject(parts, first) && counted === undefined);
  const event = isOnlySubject ? takeEvent(parts) : undefined;
  return event === undefined
    ? personsIn(parts, context, first)
    : { events: [event], math: "total" };
}

/** Whether persons are only the subject of a counted event, as in "when do people buy". */
function isSubject(parts: Parts, part: Part): boolean {
  const before = parts.beside(part, -1)?.words.at(-1)?.text ?? "";
  return /^(?:do|does|did)$/i.test(before) && part.meaning.roles.has("person");
}

/** Purchases, where a question says "best selling". */
function soldIn(parts: Parts, context: Context): Aggregate | undefined {
  const bought = parts.has("sold") ? context.eventOf("purchase") : undefined;
  const hasEvent = parts.left().some(({ meaning }) => meaning.event !== undefined);
  return bought === undefined || hasEvent ? undefined : { events: [bought], math: "total" };
}

function personsIn(parts: Parts, context: Context, first: Part): Aggregate {
  parts.takePart(first);
  const isCustomer = first.meaning.roles.has("customer") || parts.take("customer") !== undefined;
  parts.takeAll("person");
  const events = ownEvents(parts, context);
  const bought = isCustomer ? context.eventOf("purchase") : undefined;
  const fallback = bought === undefined ? pageViews(context) : [bought];
  return { events: events.length === 0 ? fallback : events, math: "dau" };
}

/** The events that persons or sessions did: a page view among others only says that they were there. */
function ownEvents(parts: Parts, context: Context): string[] {
  const found = takeEvents(parts);
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
function activeTime(parts: Parts, { when }: Context): void {
  const unit = ACTIVE.find(
    ([role, { interval }]) =>
      parts.has(role) || (parts.has("active") && when.interval === interval),
  );
  if (unit === undefined) return;
  const [, time] = unit;
  const isNumber =
    when.range === undefined
      ? parts.has("count") || time.interval !== "day"
      : (when.days ?? 1) <= (time.days ?? 1) && parts.has("count");
  if (when.range === undefined && isNumber)
    Object.assign(when, { range: time.range, days: time.days });
  if (isNumber) delete when.interval;
  else when.interval = time.interval ?? "day";
}

/** Takes the events of a list, such as "orders, sign ups and logins". */
function listedEvents(parts: Parts): string[] {
  const isListed = (part: Part) => {
    const before = [1, 2].map((step) => parts.beside(part, -step));
    const isJoined = (one: Part | undefined) =>
      one?.words[0]?.text === "," || one?.meaning.roles.has("and") === true;
    return isEvent(part) && before.some(isJoined);
  };
  return [...parts.each(isListed)].map(({ meaning }) => meaning.event as string);
}

/** Counts of events, persons, sessions or groups; several events are a line each. */
export const counts: Reader = (parts, context) => {
  activeTime(parts, context);
  const first = aggregateIn(parts, context);
  if (first === undefined) return undefined;
  parts.takeAllIf((part) => isPerson(part) && !isEach(parts, part));
  parts.takeAll("sum", "go");
  const named = parts.find(
    ({ meaning, at }) =>
      meaning.property !== undefined && parts.all[at - 1]?.meaning.roles.has("count") === true,
  );
  if (named !== undefined && first.math === "total") parts.takePart(named);
  if (named?.meaning.property !== undefined && first.math === "dau") {
    parts.takePart(named);
    return {
      of: "events",
      events: first.events,
      math: "different",
      property: named.meaning.property,
    };
  }
  parts.takeAll("different");
  if (first.math !== "total") return { of: "events", ...first };
  const others = listedEvents(parts).filter((event) => !first.events.includes(event));
  if (others.length === 0) return { of: "events", ...first };
  const all = [...first.events, ...others].map(
    (event): Aggregate => ({ events: [event], math: "total" }),
  );
  return { of: "series", all };
};
