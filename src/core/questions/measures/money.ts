import type { JsonObject } from "../../values/json.ts";
import { type EventInfo, isMoney, spoken } from "../names/index.ts";
import {
  type Asked,
  type Item,
  isTagged,
  meanNothing,
  NotUnderstood,
  textOf,
} from "../read/asked.ts";
import { isFree } from "../read/labels.ts";
import { behavior } from "../read/parts.ts";
import { amountsTrend, hasMoney, sumOf } from "./amounts.ts";
import { isCalculated, takeMath } from "./calculations.ts";
import { didOf, takeDeeds } from "./deeds.ts";
import { type Draft, type Measure, node, totalOf, trend } from "./draft.ts";
import { use } from "./items.ts";
import { hasPeople, takePeople } from "./people.ts";

/** "Revenue", "average order value", "biggest order". */
export const money: Measure = (asked) => {
  const word = asked.find("REVENUE", "ORDER_VALUE", "SPEND", "LIFETIME");
  if (word === undefined) return undefined;
  if (isAdjective(asked, word)) return undefined;
  // "Customers who spent more than 100" are people.
  if (asked.beside(word, 1)?.part?.kind === "cmp" && hasPeople(asked)) return undefined;
  refuseTheirs(asked, word);
  const isValue = isTagged(word, "ORDER_VALUE");
  if (isTagged(word, "PROP") && isCalculated(asked) && !isValue) return undefined;
  takeSpender(asked, word);
  word.isUsed = true;
  const math = sumPerInterval(asked, word) ?? takeMath(asked) ?? (isValue ? "avg" : "sum");
  const [named] = asked.events();
  const own = named === undefined ? eventBefore(asked, word) : undefined;
  if (named !== undefined && isJoined(asked, named, word))
    return countsAndMoney(asked, named, named.part.event, word);
  use(named);
  const event = named?.part.event ?? own ?? asked.orders() ?? onlyMoneyEvent(asked, textOf(word));
  const property = asked.moneyOf(event, textOf(word));
  asked.takeAll("REVENUE", "SPEND", "MUCH");
  const buyers = hasPeople(asked) ? takeBuyers(asked, event.name) : [];
  const series = node(event.name, { math, math_property: property.name }, buyers);
  return amountsTrend(asked, series, event);
};

/**
 * "Average revenue per day" is the average of sums; "average" stays for them. Throws `NotUnderstood` for the highest
 * sum.
 */
function sumPerInterval(asked: Asked, word: Item): "sum" | undefined {
  const { interval } = asked.when;
  if (interval === undefined || !isTagged(word, "REVENUE", "SPEND")) return undefined;
  const best = asked.find("GREATEST", "SMALLEST", "MEDIAN", "P75", "P90", "P95", "P99");
  if (best !== undefined)
    throw new NotUnderstood(
      textOf(best),
      `It may be of each amount or of the sum per ${interval}. Ask for the sums: ${textOf(word)} per ${interval}; or for the amounts without "per ${interval}".`,
    );
  return asked.has("AVERAGE") ? "sum" : undefined;
}

/** Whether "money" in "money transfers" asks for no amount. "By money donated" and "how much money" are about amounts. */
function isAdjective(asked: Asked, word: Item): boolean {
  const before = asked.items[word.at - 1];
  const isFirst = before === undefined || isTagged(before, "COUNT");
  return word.word === "money" && isFirst && asked.items[word.at + 1]?.part?.kind === "ev";
}

/** Refuses "how much did we spend" and "what did we pay out". */
export function refuseOurs(asked: Asked): void {
  const we = asked.items.find(({ word }) => word === "we");
  const verb = we === undefined ? undefined : asked.beside(we, 1);
  if (verb !== undefined && /^(?:pay|paid|spen[dt]|buy|bought)/.test(verb.term.words[0]?.low ?? ""))
    throw new NotUnderstood(textOf(verb), "There is no event for money that you spend.");
}

/** Refuses "how much do users earn". */
function refuseTheirs(asked: Asked, word: Item): void {
  const isOfPeople = isTagged(asked.beside(word, -1), "PERSON", "PAYER", "VISITOR");
  if (/^(?:earn|make|take in)/.test(word.word) && isOfPeople && hasPeople(asked))
    throw new NotUnderstood(textOf(word), "There is no event for money that people earn.");
}

/** Takes "course" in "course revenue" as the event `course_purchased`. */
function eventBefore(asked: Asked, word: Item): EventInfo | undefined {
  const before = asked.items[word.at - 1];
  if (before === undefined || !isFree(before)) return undefined;
  const [event, another] = before.term.partOf.filter(
    (one) => hasMoney(one) && !UNPAID.test(spoken(one.name)),
  );
  if (event === undefined || another !== undefined) return undefined;
  before.isUsed = true;
  return event;
}

/** Takes "players" in "how much did players spend". The word adds nothing to the sum. */
function takeSpender(asked: Asked, word: Item): void {
  const spender = asked.beside(word, -1);
  if (isTagged(word, "SPEND") && spender !== undefined && isTagged(spender, "PERSON"))
    meanNothing(spender);
}

/** Whether "and" stands between two items. */
const isJoined = (asked: Asked, one: Item, other: Item): boolean =>
  asked.items
    .slice(Math.min(one.at, other.at) + 1, Math.max(one.at, other.at))
    .some((item) => !item.isUsed && isTagged(item, "AND", "VERSUS"));

/** "Orders and revenue" are two lines. */
function countsAndMoney(asked: Asked, named: Item, event: EventInfo, word: Item): Draft {
  const orders = asked.orders();
  if (orders === undefined) throw new NotUnderstood(textOf(word));
  named.isUsed = true;
  asked.takeAll("AND", "VERSUS");
  const sum = { ...sumOf(asked, orders, textOf(word)), custom_name: "Revenue" };
  const series = [totalOf(event), sum];
  return trend(named.at < word.at ? series : series.toReversed(), [event, orders]);
}

/** Takes the conditions on the people who paid. */
function takeBuyers(asked: Asked, event: string): JsonObject[] {
  const base = takePeople(asked)?.base ?? event;
  const deeds = takeDeeds(asked, { isOfPeople: true });
  return [...(base === event ? [] : [behavior(base)]), ...deeds.flatMap(didOf)];
}

/** Events whose amounts are no income. */
const UNPAID =
  /refund|cancel|fail|declin|reject|attempt|start|abandon|view|claim|quote|\b(?:cart|basket|add|added|removed|sent)\b/;

/** Whether an event has amounts that may be income. */
const hasIncome = ({ properties }: EventInfo): boolean =>
  [...properties.values()].some((one) => isMoney(one) && !NO_INCOME.test(spoken(one.name)));

const NO_INCOME = /\b(?:salary|target|limit|goal|balance|budget|claim|payout|quoted?|penalty)\b/;

/** The only event with amounts, for a project without orders. Throws `NotUnderstood` if there is not exactly one. */
function onlyMoneyEvent(asked: Asked, words: string): EventInfo {
  const all = [...asked.index.events.values()].filter(
    (event) => hasIncome(event) && !UNPAID.test(spoken(event.name)),
  );
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  const detail =
    all.length === 0
      ? "No event has amounts of money."
      : `Several events have amounts of money: ${all.map(({ name }) => name).join(", ")}.`;
  throw new NotUnderstood(words, detail);
}
