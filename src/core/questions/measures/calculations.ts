import { type EventInfo, isMoney, numbersAmong, type PropertyInfo } from "../names/index.ts";
import {
  type Asked,
  type Item,
  isTagged,
  NotUnderstood,
  rankedProperties,
  textOf,
} from "../read/asked.ts";
import { unitOfName } from "../read/numbers.ts";
import {
  isSummed,
  refuseCounts,
  refuseNumbers,
  refuseOwners,
  refuseSums,
  refuseTexts,
  refuseTime,
} from "../read/unclear.ts";
import { singular } from "../text/stems.ts";
import { amountsTrend, hasMoney, isCurrencySaid } from "./amounts.ts";
import { type Measure, node, trend } from "./draft.ts";
import { freeBefore, PEOPLE, perItems, takeEmptyWords, use, useAll } from "./items.ts";
import { hasPeople, takePeople } from "./people.ts";

const CALCULATIONS: readonly (readonly [tag: string, math: string])[] = [
  ["MEDIAN", "median"],
  ["P75", "p75"],
  ["P90", "p90"],
  ["P95", "p95"],
  ["P99", "p99"],
  ["AVERAGE", "avg"],
  ["GREATEST", "max"],
  ["SMALLEST", "min"],
  ["SUM", "sum"],
  ["HOW_LONG", "avg"],
];

/** The calculation that a question names. "How much time did it save" is a sum, "how long does it take" an average. */
function calculationOf(asked: Asked): readonly [tag: string, math: string] | undefined {
  // "Total fee per day on average" is the average of sums.
  const isOfSums =
    asked.when.interval !== undefined && asked.find("AVERAGE")?.word === "on_average";
  if (isOfSums && asked.has("SUM")) return ["SUM", "sum"];
  const found = CALCULATIONS.find(([tag]) => asked.has(tag));
  const isSum = found?.[0] === "HOW_LONG" && asked.find("HOW_LONG")?.word === "how_much_time";
  return isSum ? ["HOW_LONG", "sum"] : found;
}

/** Whether a question calculates with a property. */
export const isCalculated = (asked: Asked): boolean =>
  asked.has("PROP") && calculationOf(asked) !== undefined;

/** Takes a calculation and returns it as the `math` of a node; undefined without one. */
export function takeMath(asked: Asked): string | undefined {
  const found = calculationOf(asked);
  if (found === undefined) return undefined;
  const [tag, math] = found;
  asked.takeAll(tag, "SUM");
  return math;
}

/** "Average score", "p90 of duration_ms of cron ran", "total quantity sold", "highest amount". */
export const calculation: Measure = (asked) => {
  const events = asked.events();
  const [event] = events.map(({ part }) => part.event);
  const target = targetOf(asked, event);
  if (target === undefined) return undefined;
  const { item, property } = target;
  refuseOwners(target, calculationOf(asked)?.[1]);
  const owner = event ?? ownerOf(asked, property, item === undefined ? "" : textOf(item));
  refuseNumbers(asked, target, owner);
  if (isSummed(property)) refuseSums(asked, target, owner, calculationOf(asked)?.[0]);
  const math = eachMath(asked, owner) ?? (item !== undefined && isRanked(item) ? "avg" : "sum");
  use(item, ...events);
  // "Units sold (quantity)" names the property again.
  useAll(asked, ({ part, term }) => part === undefined && term.properties[0] === property);
  if (events.length > 1) throw new NotUnderstood(textOf(events[1] as Item));
  takeEmptyWords(asked, owner);
  takeAll(asked);
  const series = node(owner?.name ?? null, {
    ...{ math, math_property: property.name },
    ...(property.of === "person" ? { math_property_type: "person_properties" } : {}),
  });
  return isMoney(property) ? amountsTrend(asked, series, owner) : trend([series], [owner ?? null]);
};

/** Takes a noun for all people. Throws `NotUnderstood` for those of an event. */
function takeAll(asked: Asked): void {
  const people = hasPeople(asked) ? takePeople(asked) : undefined;
  if (people?.isDoer === true || people?.isPayer === true) throw new NotUnderstood(people.words);
}

/** Takes the math of a question. "Cost per bill" is the sum divided by the number of bills. */
function eachMath(asked: Asked, owner: EventInfo | undefined): string | undefined {
  const math = takeMath(asked);
  const isEach = (math ?? "sum") === "sum" && perItems(asked, owner).length > 0;
  return isEach ? "avg" : math;
}

type Target = { item?: Item; property: PropertyInfo };

/** The property to calculate with, or undefined. "Highest order" means its amount. */
function targetOf(asked: Asked, event: EventInfo | undefined): Target | undefined {
  const math = calculationOf(asked)?.[1];
  const numbers = numbersOf(asked, event ?? null, math);
  const [target] = numbers;
  if (target !== undefined) {
    if (math === undefined && !isRankedBy(asked, target.item)) refuseTime(target);
    const isAsked =
      math !== undefined ||
      isBeforeEvent(asked, target.item) ||
      asked.has("MUCH") ||
      isBareMoney(asked, numbers) ||
      isQuantity(asked, target);
    return isAsked ? target : undefined;
  }
  refuseTexts(asked, event, math);
  const timed = timedOf(asked, event, math);
  if (timed !== undefined) return timed;
  if (event === undefined || asked.events().length > 1 || hasPeople(asked)) return undefined;
  const [number, ...others] = ownNumbers(asked, event);
  if (number !== undefined && others.length === 0 && isOneOf(asked)) return { property: number };
  refuseCounts(asked);
  if (!hasMoney(event) || !isOfMoney(asked, math)) return undefined;
  return { property: asked.moneyOf(event, "amount") };
}

/** Whether an event comes right after a property, as in "amount purchased". "Users attended" is about people. */
const isBeforeEvent = (asked: Asked, item: Item | undefined): boolean =>
  item !== undefined && !isTagged(item, ...PEOPLE) && asked.items[item.at + 1]?.part?.kind === "ev";

/** The number properties that an event has of its own, and not from an SDK. */
const ownNumbers = (asked: Asked, event: EventInfo): PropertyInfo[] =>
  asked.index.properties.filter(
    ({ of, name, type }) =>
      of === "event" && type === "number" && !name.startsWith("$") && event.properties.has(name),
  );

/** "Highest order", "average tip", "total of orders in euros", "refunds in euros", "how much did we refund". */
function isOfMoney(asked: Asked, math: string | undefined): boolean {
  if (math === undefined) return !asked.has("COUNT") && (asked.has("MONEY") || isMuch(asked));
  if (math === "sum") return isCurrencySaid(asked);
  return math === "max" || math === "min" || isOneOf(asked);
}

/** Whether "average tip" names one event, and not how many there are. */
const isOneOf = (asked: Asked): boolean => {
  const [named] = asked.events();
  const word = named?.term.words.at(-1)?.low ?? "";
  const isOne = named?.part.isDoer === false && singular(word) === word;
  return isOne && freeBefore(asked, named, "AVERAGE", "MEDIAN") !== undefined;
};

/** Whether "how much" asks for money. "How much orders" asks for their number. */
const isMuch = (asked: Asked): boolean => {
  const word = asked.find("MUCH");
  return word !== undefined && asked.beside(word, 1)?.part?.kind !== "ev";
};

/** "Average resolution time", "slowest import": the only property of the event with a unit of time. */
function timedOf(
  asked: Asked,
  event: EventInfo | undefined,
  math: string | undefined,
): Target | undefined {
  const word = asked.items.find((item) => TIME.test(item.word) && (!item.isUsed || isRanked(item)));
  const isCounted = word !== undefined && freeBefore(asked, word, "COUNT") !== undefined;
  const isAsked = math !== undefined || isCounted || (word !== undefined && isRanked(word));
  if (event === undefined || word === undefined || !isAsked) return undefined;
  const [property, another] = asked.index.properties.filter(
    ({ of, name, type }) =>
      of === "event" &&
      type === "number" &&
      event.properties.has(name) &&
      unitOfName(name) !== undefined,
  );
  if (property === undefined || another !== undefined) return undefined;
  // "How many hours does it take" is of a property with hours.
  const [, unit] = /^how_many_([a-z]+)_/.exec(word.word) ?? [];
  if (unit !== undefined && unitOfName(unit) !== unitOfName(property.name)) return undefined;
  const isLeft = isTagged(word, "GREATEST", "SMALLEST") && !word.isUsed;
  return isLeft ? { property } : { item: word, property };
}

/** Whether a superlative orders the lines: the slowest job is the one with the highest average. */
const isRanked = (item: Item): boolean => item.isUsed && isTagged(item, "GREATEST", "SMALLEST");

const TIME =
  /^(?:how_\w+_take|how_long|hours|minutes|time|times|duration|length|long|slowest|fastest|longest|shortest)$/;

/** The number properties in a question, without labels; with a calculation, those with some numbers, too. */
const numbersOf = (asked: Asked, event: EventInfo | null, math: string | undefined): Target[] => {
  // A project may call a number "average", too.
  const of = (item: Item | undefined) => Number(isTagged(item, calculationOf(asked)?.[0] ?? ""));
  const all = asked.items.flatMap((item): Target[] => {
    // "What did guests pay" is not about the number of guests.
    const isSubject = /^(?:do|does|did)$/.test(asked.items[item.at - 1]?.word ?? "");
    if (item.isUsed || isSubject || !isTagged(item, "PROP", "NEARPROP") || isLabel(asked, item))
      return [];
    const { properties, near } = item.term;
    const all = properties.length > 0 ? properties : near;
    const [property] = rankedProperties(
      math === undefined ? all.filter(({ type }) => type === "number") : numbersAmong(all),
      [event],
    );
    return property === undefined ? [] : [{ item, property }];
  });
  return all.toSorted((one, other) => of(one.item) - of(other.item));
};

/** Whether an amount of money alone means its sum. */
const isBareMoney = (asked: Asked, [only, ...others]: readonly Target[]): boolean =>
  only !== undefined &&
  others.length === 0 &&
  isMoney(only.property) &&
  !asked.has("SHARE") &&
  !asked.items.some((one) => isTagged(one, "COUNT") && one !== only.item) &&
  !hasPeople(asked);

/** Whether a number is summed: "how many credits were sold", "top shows by minutes listened", "minutes listened per week". */
function isQuantity(asked: Asked, { item, property }: Target): boolean {
  if (item === undefined || !isTagged(item, "PROP") || isTagged(item, ...PEOPLE)) return false;
  if (!isSummed(property) && unitOfName(property.name) === undefined) return false;
  const first = asked.items.find(({ tags, part }) => part !== undefined || !tags.includes("F"));
  return (
    item === first || isRankedBy(asked, item) || freeBefore(asked, item, "COUNT") !== undefined
  );
}

/** Whether lines are ranked by a number, as in "top shows by listening time". */
const isRankedBy = (asked: Asked, item: Item | undefined): boolean =>
  item !== undefined && isTagged(asked.beside(item, -1), "BY");

/** Whether a property comes after "by", "which" or "top". */
export function isLabel(asked: Asked, item: Item): boolean {
  const before = asked.beside(item, -1);
  return (
    (before?.isUsed === false && isTagged(before, "BY", "WHICH")) ||
    (before?.part === undefined && isTagged(before, "MOST"))
  );
}

/**
 * The only event that has a property; undefined for other kinds of property. Throws `NotUnderstood` if there is not
 * exactly one.
 */
export function ownerOf(
  asked: Asked,
  { name, of, events }: PropertyInfo,
  words: string,
): EventInfo | undefined {
  if (of !== "event") return undefined;
  const all = [...(events ?? [])].flatMap((one) => asked.event(one) ?? []);
  if (all.length === 1) return all[0];
  throw new NotUnderstood(
    words || name,
    `Several events have ${name}: ${all.map((one) => one.name).join(", ")}. Name one of them.`,
  );
}
