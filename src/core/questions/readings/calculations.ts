import type { Interval } from "../../queries/period.ts";
import type { SeriesMath } from "../../queries/trend.ts";
import type { Bag, Item } from "../language/bag.ts";
import type { Role } from "../language/lexicon.ts";
import type { Property } from "../language/name-keys.ts";
import type { Context } from "./context.ts";
import { counts } from "./counts.ts";
import { eventOfProperty } from "./objects.ts";
import type { Aggregate, Measure } from "./reading.ts";
import {
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
export const calculations: Reader = (bag, context) => {
  const exact = CALCULATIONS.filter(([role]) => role !== "average").find(([role]) => bag.has(role));
  if (exact !== undefined && exact[0] !== "sum") bag.takeAll("average");
  const math = CALCULATIONS.find(([role]) => bag.has(role));
  const orders = ordersOf(context);
  const money = orders === undefined ? undefined : moneyIn(bag, orders, math);
  if (money !== undefined || math === undefined) return money;
  bag.take(math[0]);
  const event = bag.find(
    ({ meaning }) => meaning.event !== undefined && !isOnlyProperty(meaning.property, bag),
  );
  const item = bag.find(
    (one) =>
      one.meaning.property !== undefined &&
      one !== event &&
      !isDetail(bag, one) &&
      !hasValue(bag, one),
  );
  const property = item?.meaning.property;
  if (property !== undefined) {
    bag.takeItem(item);
    bag.takeItem(event);
    if (event?.meaning.event !== undefined) takeRepeated(bag, event.meaning.event);
    bag.takeAll("count", "sum");
    const own = event?.meaning.event ?? eventOfProperty(property, context);
    return { of: "events", events: own === undefined ? [] : [own], math: math[1], property };
  }
  if (orders === undefined || event?.meaning.event !== orders.event || math[0] === "sum")
    return undefined;
  takeMoneyWords(bag, orders);
  return { of: "events", events: [orders.event], math: math[1], property: orders.amount };
};

/** The event of an order, and the property with its amount. */
type Orders = { event: string; amount: Property };

function ordersOf(context: Context): Orders | undefined {
  const [event, amount] = [context.eventOf("purchase"), context.propertyOf("amount")];
  return event === undefined || amount === undefined ? undefined : { event, amount };
}

/** Revenue is the sum of the amounts of orders, an order value their average. */
function moneyIn(
  bag: Bag,
  orders: Orders,
  math: (typeof CALCULATIONS)[number] | undefined,
): Measure | undefined {
  const value = bag.take("order_value");
  const isMoney = bag.has("money") && !bag.items.some(({ number }) => number !== undefined);
  const spent = value ?? bag.take("revenue", "spend") ?? (isMoney ? bag.take("money") : undefined);
  if (spent === undefined) return undefined;
  // "The highest revenue" is the greatest sum of several, and no calculation of its own.
  const isRanking = value === undefined && (math?.[0] === "greatest" || math?.[0] === "smallest");
  const own = isRanking ? undefined : math;
  if (own !== undefined) bag.take(own[0]);
  takeMoneyWords(bag, orders);
  const usual = value === undefined ? "sum" : "avg";
  return {
    of: "events",
    events: [orders.event],
    math: own?.[1] ?? usual,
    property: orders.amount,
  };
}

/** Whether a value of a property stands next to it, as in "paid by card": then it is a filter. */
function hasValue(bag: Bag, item: Item): boolean {
  const { property } = item.meaning;
  return [1, -1].some((step) =>
    bag.beside(item, step)?.meaning.values.some((one) => one.property.name === property?.name),
  );
}

const isOnlyProperty = (property: unknown, bag: Bag) => property !== undefined && !bag.has("count");

/** Takes the other words for an order and its value. */
function takeMoneyWords(bag: Bag, { event, amount }: Orders): void {
  takeRepeated(bag, event);
  bag.takeAll("customer", "person", "visitor", "sum", "count", "how_much", "spend", "revenue");
  while (
    bag.takeIf(
      ({ meaning, at }) =>
        isAmount(meaning.property) && bag.items[at - 1]?.meaning.roles.has("by") !== true,
    )
  );
  function isAmount(property: Property | undefined) {
    return property !== undefined && property.of === "event" && property.name === amount.name;
  }
}

/** Whether money is spent "with a single order": then it is the value of an order. */
function isOfOneOrder(bag: Bag, context: Context): boolean {
  const bought = context.eventOf("purchase");
  const isOne = (item: Item | undefined) => /^(?:single|one)$/i.test(item?.words[0]?.text ?? "");
  return (
    bag.has("spend", "revenue") &&
    bag.items.some(({ meaning, at }) => meaning.event === bought && isOne(bag.items[at - 1]))
  );
}

/** The count that another number is divided by. */
function perIn(bag: Bag, context: Context): Aggregate | undefined {
  const isUnit = (item: Item) => isPerson(item) || isSession(item) || isEvent(item);
  const per = bag.find(({ meaning, at }) => {
    const unit = bag.items[at + 1];
    return meaning.roles.has("by") && unit !== undefined && bag.isLeft(unit) && isUnit(unit);
  });
  const unit = per ?? undefined;
  const item = unit === undefined ? unitOfVerb(bag) : bag.beside(unit, 1);
  if (item === undefined) return undefined;
  if (unit !== undefined) bag.takeItem(unit);
  bag.takeItem(item);
  if (isSession(item)) return { events: [], math: "unique_session" };
  if (!isPerson(item)) return { events: [item.meaning.event as string], math: "total" };
  if (item.meaning.roles.has("visitor")) return { events: pageViews(context), math: "dau" };
  const bought = item.meaning.roles.has("customer") ? context.eventOf("purchase") : undefined;
  return { events: bought === undefined ? [] : [bought], math: "dau" };
}

/** The unit of "does a visitor make on average": a person or session in the singular. */
function unitOfVerb(bag: Bag): Item | undefined {
  const isAverage = bag.has("average");
  return bag.find((item) => {
    const before = bag.beside(item, -1);
    const isOne = /^(?:a|an|one|each|every|the)$/i.test(before?.words[0]?.text ?? "");
    const isAverageOne = before?.meaning.roles.has("average") === true;
    const isSingular = !/s$|^people$/i.test(item.words.at(-1)?.text ?? "");
    return (
      isSingular &&
      (isPerson(item) || isSession(item)) &&
      (isOne || isAverageOne) &&
      (isAverage || bag.has("count", "how_much"))
    );
  });
}

/** Numbers per person, per session or per order. */
export const perUnit: Reader = (bag, context) => {
  if (isOfOneOrder(bag, context)) return undefined;
  const under = perIn(bag, context);
  if (under === undefined) return undefined;
  bag.takeAll("average");
  const over = calculations(bag, context) ?? counts(bag, context);
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
export const meanOfDays: Reader = (bag, context) => {
  const ofActive = ACTIVE_INTERVALS.find(([role]) => bag.has(role))?.[1];
  const interval = context.when.interval ?? ofActive;
  if (interval === undefined || bag.take("average") === undefined) return undefined;
  const counted = calculations(bag, context) ?? counts(bag, context);
  if (counted?.of !== "events" || counted.math === "avg") return undefined;
  const { of: _of, ...aggregate } = counted;
  delete context.when.interval;
  return { of: "mean_of_days", counted: aggregate, unit: interval };
};
