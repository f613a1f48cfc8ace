import type { Part, Parts } from "../language/parts.ts";
import { isStep } from "./funnels.ts";
import { PERSON_ROLES, pageViews, type Reader, takeEvent, takeOnly } from "./units.ts";

/** How many persons began, returned, paused and left. */
export const lifecycle: Reader = (parts, context) => {
  if (parts.take("lifecycle") === undefined) return undefined;
  const event = takeOnly(parts) ?? pageViews(context)[0];
  parts.takeAll(...PERSON_ROLES, "lifecycle", "new", "returning");
  return { of: "lifecycle", event: event ?? null };
};

/** On how many days persons came. */
export const stickiness: Reader = (parts, context) => {
  const daysOfPersons = () => {
    const days =
      parts.has("count") &&
      parts.find(
        ({ meaning, words }) => meaning.roles.has("days") && /^days$/i.test(words[0]?.text ?? ""),
      );
    return days !== false && days !== undefined && parts.has(...PERSON_ROLES)
      ? parts.takePart(days)
      : undefined;
  };
  if ((parts.take("stickiness") ?? daysOfPersons()) === undefined) return undefined;
  parts.takeAll("count", ...PERSON_ROLES, "different");
  const event = takeOnly(parts) ?? pageViews(context)[0];
  return { of: "stickiness", event: event ?? null };
};

/** Persons who came back in later intervals. */
export const retention: Reader = (parts, context) => {
  const word = parts.take("retention");
  const back = parts.take("come_back");
  const isAsked =
    back !== undefined &&
    parts.has(...PERSON_ROLES, "session") &&
    (context.when.interval !== undefined || parts.left().some(isStep));
  if (word === undefined && !isAsked) return undefined;
  const bought = parts.has("customer") ? context.eventOf("purchase") : undefined;
  parts.takeAll(...PERSON_ROLES, "share", "count", "new", "again", "returning", "session", "go");
  const steps = parts.left().filter(isStep);
  for (const step of steps) parts.takePart(step);
  const views = pageViews(context)[0];
  // The event after "come back" is the return.
  const before = steps.find((part) => back === undefined || part.at < back.at)?.meaning.event;
  const after = steps.find((part) => part.meaning.event !== before)?.meaning.event;
  const start = before ?? bought ?? views ?? null;
  const end = after ?? (bought === undefined || start !== bought ? (views ?? null) : bought);
  const isRead = ({ meaning }: Part) => meaning.event === start || meaning.event === end;
  return steps.every(isRead) ? { of: "retention", start, back: end } : undefined;
};

/** Where visits go after a page, or came from before it. */
export const nextPages: Reader = (parts) => {
  const page = parts.find((part) => part.page !== undefined || isPageValue(part));
  // "Which page comes before" is no question about persons who came before.
  const isEarlier = parts.has("before", "returning");
  const word = isEarlier ? "before" : "after";
  if (page === undefined) return undefined;
  const way = parts.has("go") && isOfPages(parts) ? wayTo(parts, page) : "";
  const [isTo, isFrom] = [way === "to", way === "from"];
  if (!(isEarlier || parts.has("after") || isTo || isFrom)) return undefined;
  parts.takePart(page);
  parts.takeAll(
    "after",
    "before",
    "returning",
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
  parts.takeAllIf(
    ({ meaning }) => meaning.property?.name === "$pathname" || meaning.event === "$pageview",
  );
  const path =
    page.page ??
    page.meaning.values.find(({ property }) => property.name === "$pathname")?.value ??
    "/";
  return { of: "next", page: path, isBefore: word === "before" || (isTo && !isFrom) };
};

/** Whether a question asks for pages: "how many people go to /pricing" does not. */
const isOfPages = (parts: Parts) =>
  !parts.has("count") &&
  parts.all.some(({ words }) => /^(?:where|which|what|pages?|paths?)$/i.test(words[0]?.text ?? ""));

/** The word before a page, without an article between them. */
function wayTo(parts: Parts, page: Part): string {
  const words = [1, 2].map(
    (step) => parts.beside(page, -step)?.words.at(-1)?.text.toLowerCase() ?? "",
  );
  return (/^(?:the|our|a)$/.test(words[0] ?? "") ? words[1] : words[0]) ?? "";
}

const isPageValue = ({ meaning }: Part) =>
  meaning.values.some(({ property }) => property.name === "$pathname");

/** Persons who did one thing and not another. */
export const without: Reader = (parts, context) => {
  const word = parts.find(({ meaning }) => meaning.roles.has("without"));
  if (word === undefined) return undefined;
  const events = parts.left().filter(isStep);
  const not = events.find((part) => part.at > word.at);
  const others = events.filter((part) => part !== not);
  const customer = parts.has("customer") ? context.eventOf("purchase") : undefined;
  const views = parts.has(...PERSON_ROLES) ? pageViews(context)[0] : undefined;
  const own = others[0]?.meaning.event ?? customer ?? views;
  if (not?.meaning.event === undefined || own === undefined || own === not.meaning.event)
    return undefined;
  for (const part of [word, ...events]) parts.takePart(part);
  parts.takeAll(
    "without",
    "take",
    "conversion",
    ...PERSON_ROLES,
    "session",
    "count",
    "and",
    "after",
  );
  return { of: "without", event: own, not: not.meaning.event };
};

/** Persons who did something several times. */
export const repeaters: Reader = (parts, context) => {
  const times = timesIn(parts);
  const isRepeat =
    times === undefined &&
    context.when.interval === undefined &&
    parts.has("customer") &&
    parts.take("returning", "again", "come_back") !== undefined;
  if (times === undefined && !isRepeat) return undefined;
  const isShare = parts.take("share") !== undefined;
  const bought = parts.has("customer") ? context.eventOf("purchase") : undefined;
  const views = parts.has("visitor", "person") ? pageViews(context)[0] : undefined;
  const event = takeOnly(parts) ?? bought ?? views;
  parts.takeAll(...PERSON_ROLES, "count", "again", "times");
  if (event === undefined) return undefined;
  return { of: "repeaters", event, times: times ?? 2, ...(isShare ? { isShare } : {}) };
};

function timesIn(parts: Parts): number | undefined {
  const unit = parts.find(
    ({ meaning, at }) => meaning.roles.has("times") && parts.all[at - 1]?.number !== undefined,
  );
  const number = unit === undefined ? orderedNumber(parts) : parts.beside(unit, -1);
  if (number?.number !== undefined) {
    const isMore = parts.take("more") !== undefined;
    if (!isMore && parts.take("at_least") === undefined) return undefined;
    for (const part of [unit, number]) parts.takePart(part);
    return number.number + (isMore ? 1 : 0);
  }
  return parts.take("again") === undefined ? undefined : 2;
}

/** The number of "at least 3 purchases". */
function orderedNumber(parts: Parts): Part | undefined {
  const isSign = ({ meaning }: Part) => meaning.roles.has("at_least") || meaning.roles.has("more");
  return parts.find((part) => {
    const [before, after] = [parts.beside(part, -1), parts.beside(part, 1)];
    return (
      part.number !== undefined &&
      before !== undefined &&
      isSign(before) &&
      after?.meaning.event !== undefined &&
      parts.has(...PERSON_ROLES)
    );
  });
}

/** Persons who came on several days. */
export const activeOn: Reader = (parts, context) => {
  const days = parts.find(
    ({ meaning, at }) =>
      meaning.roles.has("days") &&
      (parts.all[at - 1]?.number !== undefined || parts.all[at - 2]?.number !== undefined),
  );
  const number =
    days === undefined
      ? undefined
      : [parts.beside(days, -1), parts.beside(days, -2)].find((part) => part?.number !== undefined);
  if (days === undefined || number?.number === undefined) return undefined;
  const isMore = parts.take("more") !== undefined;
  if (!isMore && parts.take("at_least") === undefined && !parts.has("different")) return undefined;
  for (const part of [days, number]) parts.takePart(part);
  parts.takeAll(...PERSON_ROLES, "count", "different", "session");
  const event = takeOnly(parts) ?? pageViews(context)[0];
  return { of: "active_on", event: event ?? null, days: number.number + (isMore ? 1 : 0) };
};

/** "Their first purchase" is the one of a new customer. */
function firstOf(parts: Parts): Part | undefined {
  const first = parts.find(({ meaning }) => meaning.roles.has("first_seen"));
  const next = first === undefined ? undefined : parts.beside(first, 1);
  const isOfEvent = next !== undefined && isStep(next) && !next.meaning.roles.has("session");
  return isOfEvent && !parts.has("when") ? parts.takePart(first) : undefined;
}

function whichOf(isNew: boolean, isReturning: boolean): "new" | "returning" | "both" {
  if (isNew && isReturning) return "both";
  return isNew ? "new" : "returning";
}

/** New visitors, returning ones, or both. */
export const newcomers: Reader = (parts, context) => {
  const isNew = (parts.take("new") ?? firstOf(parts)) !== undefined;
  const hasEvent = parts
    .left()
    .some(({ meaning }) => meaning.event !== undefined && !meaning.roles.has("session"));
  const isBack =
    context.when.interval === undefined && !hasEvent && parts.take("come_back") !== undefined;
  const isReturning = isBack || parts.take("returning") !== undefined;
  if (!isNew && !isReturning) return undefined;
  const isShare = parts.take("share") !== undefined;
  const bought = parts.has("customer") ? context.eventOf("purchase") : undefined;
  const isOfPersons = parts.has(...PERSON_ROLES, "session");
  parts.takeAll(...PERSON_ROLES, "session", "count", "first_touch", "by", "new", "returning");
  const event = takeEvent(parts);
  const which = whichOf(isNew, isReturning);
  // "Returned orders" came back themselves.
  if (!isOfPersons && (event === undefined || which !== "new")) return undefined;
  const own = event ?? bought ?? pageViews(context)[0];
  return {
    of: "newcomers",
    event: own ?? null,
    which,
    ...(isShare && which !== "both" ? { isShare } : {}),
  };
};
