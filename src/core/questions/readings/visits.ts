import type { Property } from "../language/name-keys.ts";
import type { Part, Parts } from "../language/parts.ts";
import { calculations } from "./calculations.ts";
import { conditionsIn } from "./conditions.ts";
import type { Context } from "./context.ts";
import { aggregateIn } from "./counts.ts";
import type { Aggregate, Measure, SessionValue } from "./reading.ts";
import { PERSON_ROLES, pageViews, type Reader, takeEvents } from "./units.ts";

/** Measures of sessions: their number and length, bounces, pages, and the pages where they begin and end. */
export const sessions: Reader = (parts) => {
  const value = valueIn(parts);
  if (value !== undefined) {
    parts.takeAll("session", "visitor", "person", "average", "count", "by", "take", "how_long");
    parts.takeIf(({ meaning }) => meaning.event === "$pageview" && meaning.property === undefined);
    return { of: "sessions", value };
  }
  const place = parts.has("entry", "exit");
  // "Revenue by landing page" is of what happened in the sessions.
  if (place && parts.left().some(isOfOthers)) return undefined;
  if (place) parts.takeAll("before", "after", "last_seen", "first_seen", "first_touch", "go");
  const word = parts.has("session");
  if (!place && !word) return undefined;
  if (
    !place &&
    parts.left().some(({ meaning }) => meaning.event !== undefined && !meaning.roles.has("session"))
  )
    return undefined;
  const isOfPersons =
    !parts.all.some(({ meaning }) => meaning.roles.has("session")) &&
    parts.has("visitor") &&
    parts.has("count");
  parts.takeAll("session", "count", "visitor", "person", "sum");
  parts.takeIf(({ meaning }) => meaning.event === "$pageview" && meaning.property === undefined);
  if (place) parts.takeIf(({ meaning }) => meaning.property?.name === "$pathname");
  return { of: "sessions", value: isOfPersons ? "persons" : "count" };
};

const isOfOthers = ({ meaning: { event, roles } }: Part) =>
  (event !== undefined && event !== "$pageview" && !roles.has("session")) ||
  (["revenue", "spend", "order_value", "conversion"] as const).some((role) => roles.has(role));

function valueIn(parts: Parts): SessionValue | undefined {
  if (isPerPerson(parts)) return "per_person";
  if (parts.take("bounce_rate") !== undefined) {
    parts.takeAll("bounce");
    return "bounce_rate";
  }
  if (parts.take("pages_per_session") !== undefined) return "pages";
  if (parts.take("session_length") !== undefined || isLong(parts)) return lengthIn(parts);
  if (parts.take("bounce") !== undefined) {
    return parts.take("share") === undefined ? "bounces" : "bounce_rate";
  }
  return isLongest(parts) ? "longest_seconds" : pagesOf(parts);
}

/** "Sessions per visitor". */
function isPerPerson(parts: Parts): boolean {
  const per = parts.find(
    ({ meaning, at }) => meaning.roles.has("by") && isPersonPart(parts.all[at + 1]),
  );
  const before = per === undefined ? undefined : parts.beside(per, -1);
  if (per === undefined || before?.meaning.roles.has("session") !== true) return false;
  parts.takePart(per);
  parts.takePart(parts.beside(per, 1));
  return true;
}

/** "How long is a visit", without an event that the time ends with. */
function isLong(parts: Parts): boolean {
  const hasEvent = ({ meaning }: Part) =>
    meaning.event !== undefined && !meaning.roles.has("session");
  return parts.has("how_long") && parts.has("session") && !parts.left().some(hasEvent);
}

function lengthIn(parts: Parts): SessionValue {
  parts.take("how_long");
  if (parts.take("median") !== undefined) return "median_seconds";
  return parts.take("greatest") === undefined ? "seconds" : "longest_seconds";
}

const isPersonPart = (part: Part | undefined) =>
  PERSON_ROLES.some((role) => part?.meaning.roles.has(role) === true);

function isLongest(parts: Parts): boolean {
  const word = parts.find(
    ({ meaning, words }) =>
      meaning.roles.has("greatest") && /^longest$/i.test(words[0]?.text ?? ""),
  );
  if (word === undefined || !parts.has("session")) return false;
  parts.takePart(word);
  return true;
}

/** "How many pages does a visitor look at per session?" */
function pagesOf(parts: Parts): SessionValue | undefined {
  const isPages = ({ meaning, words }: Part) =>
    meaning.property?.name === "$pathname" && /s$/i.test(words.at(-1)?.text ?? "");
  const isViews = ({ meaning }: Part) =>
    meaning.event === "$pageview" && !meaning.roles.has("session");
  const pages = parts.find((part) => isPages(part) || isViews(part));
  const session = parts.find((part) => {
    const before = parts.beside(part, -1);
    const isOne =
      before !== undefined &&
      (before.meaning.roles.has("by") ||
        /^(?:a|an|one|each|every|the|average)$/i.test(before.words[0]?.text ?? ""));
    return part.meaning.roles.has("session") && isOne;
  });
  if (pages === undefined || session === undefined) return undefined;
  const by = parts.beside(session, -1);
  for (const part of [pages, session, by]) parts.takePart(part);
  parts.takeAllIf((part) => isViews(part) || isPages(part));
  return "pages";
}

/** Persons, sessions or events with a property, as a share of all. */
export const share: Reader = (parts, context) => {
  if (parts.take("share") === undefined) return undefined;
  parts.takeAll("among");
  const isOfVisits = parts.has("session") && !parts.has(...PERSON_ROLES);
  const events = parts
    .left()
    .filter(({ meaning }) => meaning.event !== undefined && !meaning.roles.has("session"));
  const persons = parts.has(...PERSON_ROLES);
  if (
    persons &&
    events.length === 1 &&
    !events.some(({ meaning }) => meaning.event === "$pageview")
  )
    return shareOfDoers(parts, context);
  if (isOfVisits && events.length === 0) {
    parts.takeAll("session", "count");
    const among = conditionsIn(parts, { of: "sessions", value: "count" }, context);
    return among.length === 0 ? undefined : { of: "session_share", among };
  }
  if (isOfVisits && events.length === 1) {
    parts.takeAll("session", "count");
    const over: Aggregate = { events: takeEvents(parts), math: "unique_session" };
    return { of: "ratio", over, under: { events: [], math: "unique_session" }, isPercent: true };
  }
  const calculated = calculations(parts, context);
  const under = calculated?.of === "events" ? calculated : aggregateIn(parts, context);
  if (under === undefined) return undefined;
  parts.takeAll(...PERSON_ROLES);
  const measure: Measure = { of: "events", ...under };
  const among = conditionsIn(parts, measure, context);
  return among.length === 0
    ? undefined
    : { of: "ratio", over: { ...under, where: among }, under, isPercent: true };
};

/** Buyers among visitors, and the like. */
function shareOfDoers(parts: Parts, context: Context): Measure | undefined {
  const customer = parts.has("customer") ? context.eventOf("purchase") : undefined;
  parts.takeAll(...PERSON_ROLES, "count");
  const events = takeEvents(parts);
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
export const person: Reader = (parts) => {
  const who = parts.find((part) => part.who !== undefined);
  if (who === undefined) return undefined;
  const last = parts.has("last_seen");
  const first = !last && parts.has("first_seen");
  if (parts.has("when") || ((last || first) && !parts.has("count"))) {
    parts.takeAll(
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
    return { of: "moment", events: takeEvents(parts), isLast: last };
  }
  const isCounting = parts.has(
    "count",
    "how_much",
    "revenue",
    "spend",
    "session",
    "average",
    "sum",
    "order_value",
  );
  const property = parts.find(
    ({ meaning }) =>
      meaning.property !== undefined && meaning.event === undefined && meaning.roles.size === 0,
  );
  if (!isCounting && property?.meaning.property !== undefined) {
    parts.takePart(property);
    parts.takeAll("by", "person", "customer", "activity");
    return { of: "value", property: property.meaning.property };
  }
  if (isCounting) return undefined;
  parts.takeAll(
    "activity",
    "all_events",
    "go",
    "person",
    "customer",
    "visitor",
    "last_seen",
    "first_seen",
  );
  return { of: "events", events: takeEvents(parts), math: "total", by: { by: "event" } };
};

/** "When was the last order?" */
export const moment: Reader = (parts) => {
  const isLast = parts.has("last_seen");
  if (parts.take("when") === undefined || !(isLast || parts.has("first_seen"))) return undefined;
  parts.takeAll("last_seen", "first_seen", "first_touch", "last_touch", "times", "date", "person");
  const [event, ...others] = takeEvents(parts);
  if (event === undefined || others.length > 0) return undefined;
  return { of: "moment", events: [event], isLast };
};

/** Persons with a property, or by one, at any time. */
export const knownPersons: Reader = (parts, context) => {
  if (context.when.range !== undefined || context.when.interval !== undefined) return undefined;
  if (!parts.has("person", "customer")) return undefined;
  const isOfPerson = (property: Property | undefined) =>
    property === undefined || property.of === "person";
  const named = parts
    .left()
    .filter(({ meaning }) => meaning.property !== undefined || meaning.values.length > 0);
  const isOfPersons = named.every(
    ({ meaning }) =>
      isOfPerson(meaning.property) && meaning.values.every(({ property }) => isOfPerson(property)),
  );
  const hasEvent = parts.left().some(({ meaning }) => meaning.event !== undefined);
  if (!isOfPersons || named.length === 0 || hasEvent) return undefined;
  parts.takeAll("count", "person", "customer");
  return { of: "persons" };
};
