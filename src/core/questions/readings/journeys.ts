import type { Bag, Item } from "../language/bag.ts";
import { isStep } from "./funnels.ts";
import { PERSON_ROLES, pageViews, type Reader, takeEvent, takeEvents } from "./units.ts";

/** How many persons began, returned, paused and left. */
export const lifecycle: Reader = (bag, context) => {
  if (bag.take("lifecycle") === undefined) return undefined;
  const [event] = [...takeEvents(bag), ...pageViews(context)];
  bag.takeAll(...PERSON_ROLES, "lifecycle", "new", "returning");
  return { of: "lifecycle", event: event ?? null };
};

/** On how many days persons came. */
export const stickiness: Reader = (bag, context) => {
  const daysOfPersons = () => {
    const days =
      bag.has("count") &&
      bag.find(
        ({ meaning, words }) => meaning.roles.has("days") && /^days$/i.test(words[0]?.text ?? ""),
      );
    return days !== false && days !== undefined && bag.has(...PERSON_ROLES)
      ? bag.takeItem(days)
      : undefined;
  };
  if ((bag.take("stickiness") ?? daysOfPersons()) === undefined) return undefined;
  bag.takeAll("count", ...PERSON_ROLES, "different");
  const [event] = [...takeEvents(bag), ...pageViews(context)];
  return { of: "stickiness", event: event ?? null };
};

/** Persons who came back in later intervals. */
export const retention: Reader = (bag, context) => {
  const word = bag.take("retention");
  const back = bag.take("come_back");
  const isAsked =
    back !== undefined && (context.when.interval !== undefined || bag.left().some(isStep));
  if (word === undefined && !isAsked) return undefined;
  const bought = bag.has("customer") ? context.eventOf("purchase") : undefined;
  bag.takeAll(...PERSON_ROLES, "share", "count", "new", "again", "returning", "session", "go");
  const steps = bag.left().filter(isStep);
  for (const step of steps) bag.takeItem(step);
  const views = pageViews(context)[0];
  // The event after "come back" is the return.
  const before = steps.find((item) => back === undefined || item.at < back.at)?.meaning.event;
  const after = steps.find((item) => item.meaning.event !== before)?.meaning.event;
  const start = before ?? bought ?? (after === undefined ? views : undefined) ?? views ?? null;
  return {
    of: "retention",
    start,
    back: after ?? (bought === undefined || start !== bought ? (views ?? null) : bought),
  };
};

/** Where visits go after a page, or came from before it. */
export const nextPages: Reader = (bag) => {
  const page = bag.find((item) => item.page !== undefined || isPageValue(item));
  const word = bag.has("before") ? "before" : "after";
  const isTo =
    bag.has("go") &&
    bag.items.some(
      ({ words, at }) => /^to$/i.test(words[0]?.text ?? "") && bag.items[at + 1] === page,
    );
  const isFrom =
    bag.has("go") &&
    bag.items.some(
      ({ words, at }) => /^from$/i.test(words[0]?.text ?? "") && bag.items[at + 1] === page,
    );
  if (page === undefined || !(bag.has("before", "after") || isTo || isFrom)) return undefined;
  bag.takeItem(page);
  bag.takeAll(
    "after",
    "before",
    "go",
    "session",
    "most",
    "count",
    ...PERSON_ROLES,
    "activity",
    "to",
    "entry",
    "exit",
  );
  while (bag.takeIf(({ meaning }) => meaning.property?.name === "$pathname") !== undefined);
  while (bag.takeIf(({ meaning }) => meaning.event === "$pageview") !== undefined);
  const path =
    page.page ??
    page.meaning.values.find(({ property }) => property.name === "$pathname")?.value ??
    "/";
  return { of: "next", page: path, isBefore: word === "before" || (isTo && !isFrom) };
};

const isPageValue = ({ meaning }: Item) =>
  meaning.values.some(({ property }) => property.name === "$pathname");

/** Persons who did one thing and not another. */
export const without: Reader = (bag, context) => {
  const word = bag.find(({ meaning }) => meaning.roles.has("without"));
  if (word === undefined) return undefined;
  const events = bag.left().filter(isStep);
  const not = events.find((item) => item.at > word.at) ?? events.at(-1);
  const others = events.filter((item) => item !== not);
  const customer = bag.has("customer") ? context.eventOf("purchase") : undefined;
  const views = bag.has(...PERSON_ROLES) ? pageViews(context)[0] : undefined;
  const own = others[0]?.meaning.event ?? customer ?? views;
  if (not?.meaning.event === undefined || own === undefined || own === not.meaning.event)
    return undefined;
  for (const item of [word, ...events]) bag.takeItem(item);
  bag.takeAll("without", "take", "conversion", ...PERSON_ROLES, "session", "count", "and", "after");
  return { of: "without", event: own, not: not.meaning.event };
};

/** Persons who did something several times. */
export const repeaters: Reader = (bag, context) => {
  const times = timesIn(bag);
  const isRepeat =
    times === undefined &&
    context.when.interval === undefined &&
    bag.has("customer") &&
    bag.take("returning", "again", "come_back") !== undefined;
  if (times === undefined && !isRepeat) return undefined;
  const isShare = bag.take("share") !== undefined;
  const bought = bag.has("customer") ? context.eventOf("purchase") : undefined;
  const views = bag.has("visitor", "person") ? pageViews(context)[0] : undefined;
  const event = takeEvents(bag)[0] ?? bought ?? views;
  bag.takeAll(...PERSON_ROLES, "count", "again", "times");
  if (event === undefined) return undefined;
  return { of: "repeaters", event, times: times ?? 2, ...(isShare ? { isShare } : {}) };
};

function timesIn(bag: Bag): number | undefined {
  const unit = bag.find(
    ({ meaning, at }) => meaning.roles.has("times") && bag.items[at - 1]?.number !== undefined,
  );
  const number = unit === undefined ? orderedNumber(bag) : bag.beside(unit, -1);
  if (number?.number !== undefined) {
    const isMore = bag.take("more") !== undefined;
    if (!isMore && bag.take("at_least") === undefined) return undefined;
    for (const item of [unit, number]) bag.takeItem(item);
    return number.number + (isMore ? 1 : 0);
  }
  return bag.take("again") === undefined ? undefined : 2;
}

/** The number of "at least 3 purchases". */
function orderedNumber(bag: Bag): Item | undefined {
  const isSign = ({ meaning }: Item) => meaning.roles.has("at_least") || meaning.roles.has("more");
  return bag.find((item) => {
    const [before, after] = [bag.beside(item, -1), bag.beside(item, 1)];
    return (
      item.number !== undefined &&
      before !== undefined &&
      isSign(before) &&
      after?.meaning.event !== undefined &&
      bag.has(...PERSON_ROLES)
    );
  });
}

/** Persons who came on several days. */
export const activeOn: Reader = (bag, context) => {
  const days = bag.find(
    ({ meaning, at }) =>
      meaning.roles.has("days") &&
      (bag.items[at - 1]?.number !== undefined || bag.items[at - 2]?.number !== undefined),
  );
  const number =
    days === undefined
      ? undefined
      : [bag.beside(days, -1), bag.beside(days, -2)].find((item) => item?.number !== undefined);
  if (days === undefined || number?.number === undefined) return undefined;
  const isMore = bag.take("more") !== undefined;
  if (!isMore && bag.take("at_least") === undefined && !bag.has("different")) return undefined;
  for (const item of [days, number]) bag.takeItem(item);
  bag.takeAll(...PERSON_ROLES, "count", "different", "session");
  const [event] = [...takeEvents(bag), ...pageViews(context)];
  return { of: "active_on", event: event ?? null, days: number.number + (isMore ? 1 : 0) };
};

/** "Their first purchase" is the one of a new customer. */
function firstOf(bag: Bag): Item | undefined {
  const first = bag.find(({ meaning }) => meaning.roles.has("first_seen"));
  const next = first === undefined ? undefined : bag.beside(first, 1);
  const isOfEvent = next !== undefined && isStep(next) && !next.meaning.roles.has("session");
  return isOfEvent && !bag.has("when") ? bag.takeItem(first) : undefined;
}

/** New visitors, returning ones, or both. */
export const newcomers: Reader = (bag, context) => {
  const isNew = (bag.take("new") ?? firstOf(bag)) !== undefined;
  const hasEvent = bag
    .left()
    .some(({ meaning }) => meaning.event !== undefined && !meaning.roles.has("session"));
  const isBack =
    context.when.interval === undefined && !hasEvent && bag.take("come_back") !== undefined;
  const isReturning = isBack || bag.take("returning") !== undefined;
  if (!isNew && !isReturning) return undefined;
  const isShare = bag.take("share") !== undefined;
  const bought = bag.has("customer") ? context.eventOf("purchase") : undefined;
  const isOfPersons = bag.has(...PERSON_ROLES, "session");
  bag.takeAll(...PERSON_ROLES, "session", "count", "first_touch", "by", "new", "returning");
  const event = takeEvent(bag);
  if (!isOfPersons && event === undefined) return undefined;
  const own = event ?? bought ?? pageViews(context)[0];
  const one = isNew ? "new" : "returning";
  const which = isNew && isReturning ? "both" : one;
  return {
    of: "newcomers",
    event: own ?? null,
    which,
    ...(isShare && which !== "both" ? { isShare } : {}),
  };
};
