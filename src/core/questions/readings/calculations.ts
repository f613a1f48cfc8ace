import type { Interval } from "../../queries/period.ts";
import type { SeriesMath } from "../../queries/trend.ts";
import type { Role } from "../language/lexicon.ts";
import type { Property } from "../language/name-keys.ts";
import type { Part, Parts } from "../language/parts.ts";
import type { Context } from "./context.ts";
import { counts } from "./counts.ts";
import { eventOfProperty } from "./objects.ts";
import type { Aggregate, Measure } from "./reading.ts";
import {
  isAfterBy,
  isDetail,
  isEvent,
  isPerson,
  isSession,
  pageViews,
  type Reader,
  takeRepeated,
} from "./units.ts";

/** Roles of calculations with a property, and their math. */
const CALCULATIONS: [Role, SeriesMath][] = [
  ["average", "avg"],
  ["median", "median"],
  ["p90", "p90"],
  ["p95", "p95"],
  ["p99", "p99"],
  ["greatest", "max"],
  ["smallest", "min"],
  ["sum", "sum"],
];

/** Calculations with a property of events: revenue, order value, the average of a property. */
export const calculations: Reader = (parts, context) => {
  const exact = CALCULATIONS.filter(([role]) => role !== "average").find(([role]) =>
    parts.has(role),
  );
  if (exact !== undefined && exact[0] !== "sum") parts.takeAll("average");
  const math = CALCULATIONS.find(([role]) => parts.has(role));
  const orders = ordersOf(context);
  const money = orders === undefined ? undefined : moneyIn(parts, orders, math);
  if (money !== undefined || math === undefined) return money;
  parts.take(math[0]);
  const event = parts.find(
    ({ meaning }) => meaning.event !== undefined && !isOnlyProperty(meaning.property, parts),
  );
  const part = parts.find(
    (one) =>
      one.meaning.property !== undefined &&
      one !== event &&
      !isDetail(parts, one) &&
      !hasValue(parts, one),
  );
  const property = part?.meaning.property;
  if (property !== undefined) {
    parts.takePart(part);
    parts.takePart(event);
    if (event?.meaning.event !== undefined) takeRepeated(parts, event.meaning.event);
    parts.takeAll("count", "sum");
    const own = event?.meaning.event ?? eventOfProperty(property, context);
    return { of: "events", events: own === undefined ? [] : [own], math: math[1], property };
  }
  if (orders === undefined || event?.meaning.event !== orders.event || math[0] === "sum")
    return undefined;
  takeMoneyWords(parts, orders);
  return { of: "events", events: [orders.event], math: math[1], property: orders.amount };
};

/** "Our best day" is the one with the most revenue, "the busiest day" the one with the most visitors. */
export const bestDay: Reader = (parts, context) => {
  const order = parts.find(
    ({ meaning }) => meaning.roles.has("most") || meaning.roles.has("least"),
  );
  const day = order === undefined ? undefined : parts.beside(order, 1);
  if (day?.meaning.roles.has("date") !== true) return undefined;
  const isBusy = /^(?:busiest|quietest)$/i.test(order?.words[0]?.text ?? "");
  const orders = isBusy ? undefined : ordersOf(context);
  return orders === undefined
    ? { of: "events", events: pageViews(context), math: "dau" }
    : { of: "events", events: [orders.event], math: "sum", property: orders.amount };
};

/** The event of an order, and the property with its amount. */
type Orders = { event: string; amount: Property };

function ordersOf(context: Context): Orders | undefined {
  const [event, amount] = [context.eventOf("purchase"), context.propertyOf("amount")];
  return event === undefined || amount === undefined ? undefined : { event, amount };
}

/** Revenue is the sum of the amounts of orders, an order value their average. */
function moneyIn(
  parts: Parts,
  orders: Orders,
  math: (typeof CALCULATIONS)[number] | undefined,
): Measure | undefined {
  const value = parts.take("order_value");
  const isMoney = parts.has("money") && !parts.all.some(({ number }) => number !== undefined);
  const spent =
    value ?? parts.take("revenue", "spend") ?? (isMoney ? parts.take("money") : undefined);
  if (spent === undefined) return undefined;
  // "The highest revenue" is the greatest sum of several, and no calculation of its own.
  const isRanking = value === undefined && (math?.[0] === "greatest" || math?.[0] === "smallest");
  const own = isRanking ? undefined : math;
  if (own !== undefined) parts.take(own[0]);
  takeMoneyWords(parts, orders);
  const usual = value === undefined ? "sum" : "avg";
  return {
    of: "events",
    events: [orders.event],
    math: own?.[1] ?? usual,
    property: orders.amount,
  };
}

/** Whether a value of a property stands next to it, as in "paid by card": then it is a filter. */
function hasValue(parts: Parts, part: Part): boolean {
  const { property } = part.meaning;
  return [1, -1].some((step) =>
    parts.beside(part, step)?.meaning.values.some((one) => one.property.name === property?.name),
  );
}

const isOnlyProperty = (property: unknown, parts: Parts) =>
  property !== undefined && !parts.has("count");

/** Takes the other words for an order and its value. */
function takeMoneyWords(parts: Parts, { event, amount }: Orders): void {
  takeRepeated(parts, event);
  parts.takeAll("customer", "person", "visitor", "sum", "count", "how_much", "spend", "revenue");
  parts.takeAllIf(
    ({ meaning, at }) =>
      isAmount(meaning.property) && parts.all[at - 1]?.meaning.roles.has("by") !== true,
  );
  function isAmount(property: Property | undefined) {
    return property !== undefined && property.of === "event" && property.name === amount.name;
  }
}

/** Whether money is spent "with a single order": then it is the value of an order. */
function isOfOneOrder(parts: Parts, context: Context): boolean {
  const bought = context.eventOf("purchase");
  const isOne = (part: Part | undefined) => /^(?:single|one)$/i.test(part?.words[0]?.text ?? "");
  return (
    parts.has("spend", "revenue") &&
    parts.all.some(({ meaning, at }) => meaning.event === bought && isOne(parts.all[at - 1]))
  );
}

/** The count that another number is divided by. */
function perIn(parts: Parts, context: Context): Aggregate | undefined {
  const isUnit = (part: Part) => isPerson(part) || isSession(part) || isEvent(part);
  const per = parts.find(({ meaning, at }) => {
    const unit = parts.all[at + 1];
    // "By person email" names a property of persons.
    if (parts.all[at + 2]?.meaning.property?.of === "person") return false;
    if (unit !== undefined && isAfterBy(parts, unit)) return false;
    return meaning.roles.has("by") && unit !== undefined && parts.isLeft(unit) && isUnit(unit);
  });
  const unit = per ?? undefined;
  const part = unit === undefined ? unitOfVerb(parts) : parts.beside(unit, 1);
  if (part === undefined) return undefined;
  if (unit !== undefined) parts.takePart(unit);
  parts.takePart(part);
  if (isSession(part)) return { events: [], math: "unique_session" };
  if (!isPerson(part)) return { events: [part.meaning.event as string], math: "total" };
  if (part.meaning.roles.has("visitor")) return { events: pageViews(context), math: "dau" };
  const bought = part.meaning.roles.has("customer") ? context.eventOf("purchase") : undefined;
  return { events: bought === undefined ? [] : [bought], math: "dau" };
}

/** The unit of "does a visitor make on average": a person or session in the singular. */
function unitOfVerb(parts: Parts): Part | undefined {
  const isAverage = parts.has("average");
  return parts.find((part) => {
    const before = parts.beside(part, -1);
    const isOne = /^(?:a|an|one|each|every|the)$/i.test(before?.words[0]?.text ?? "");
    const isAverageOne = before?.meaning.roles.has("average") === true;
    const isSingular = !/s$|^people$/i.test(part.words.at(-1)?.text ?? "");
    return (
      isSingular &&
      (isPerson(part) || isSession(part)) &&
      (isOne || isAverageOne) &&
      (isAverage || parts.has("count", "how_much"))
    );
  });
}

/** Numbers per person, per session or per order. */
export const perUnit: Reader = (parts, context) => {
  if (isOfOneOrder(parts, context)) return undefined;
  const under = perIn(parts, context);
  if (under === undefined) return undefined;
  parts.takeAll("average");
  const over = calculations(parts, context) ?? counts(parts, context);
  if (over?.of !== "events") return undefined;
  if (over.math === "avg") over.math = "sum";
  const { of: _of, ...aggregate } = over;
  const ofSame =
    under.math === "total"
      ? under
      : { ...under, events: under.events.length === 0 ? aggregate.events : under.events };
  if (aggregate.math === "unique_session" && under.math === "dau") {
    return { of: "sessions", value: "per_person" };
  }
  return { of: "ratio", over: aggregate, under: ofSame, isPercent: false };
};

const ACTIVE_INTERVALS: [Role, Interval][] = [
  ["dau", "day"],
  ["wau", "week"],
  ["mau", "month"],
];

/** The mean of days: "visitors per day on average". */
export const meanOfDays: Reader = (parts, context) => {
  const ofActive = ACTIVE_INTERVALS.find(([role]) => parts.has(role))?.[1];
  const interval = context.when.interval ?? ofActive;
  if (interval === undefined || parts.take("average") === undefined) return undefined;
  const counted = calculations(parts, context) ?? counts(parts, context);
  if (counted?.of !== "events" || counted.math === "avg") return undefined;
  const { of: _of, ...aggregate } = counted;
  delete context.when.interval;
  return { of: "mean_of_days", counted: aggregate, unit: interval };
};
