import type { Interval } from "../../queries/intervals.ts";
import type { JsonObject } from "../../values/json.ts";
import { PEOPLE } from "../measures/items.ts";
import { type EventInfo, isMoney, type PropertyInfo } from "../names/index.ts";
import { folded, nameWords, singular } from "../text/stems.ts";
import { type Asked, type Item, isTagged, NotUnderstood, textOf } from "./asked.ts";
import { unitOfName } from "./numbers.ts";
import type { Named } from "./parts.ts";

type Target = { item?: Item; property: PropertyInfo };

/**
 * Refuses "average age of users" and "total seats of companies": a calculation over events counts a person or a group
 * once for each event. With the owner before the quoted name, as in `person."age"`, events are meant.
 */
export function refuseOwners({ item, property: { of, name } }: Target, math = "sum"): void {
  if (item === undefined || (of !== "person" && of !== "group")) return;
  if (of === "person" && item.term.words[0]?.owner !== undefined) return;
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``;
  const [, percent] = /^p(\d+)$/.exec(math) ?? [];
  const call = percent === undefined ? math : `quantile(0.${percent})`;
  throw new NotUnderstood(
    textOf(item),
    `${name} is a property of ${of}s, and each event would count its ${of} again. Ask in SQL: SELECT ${call}(toFloat(properties.${key})) FROM ${of}s.`,
  );
}

/** Refuses "sum of amount" of an event whose amounts are texts: "amount" is no word for a count then. */
export function refuseTexts(
  asked: Asked,
  event: EventInfo | undefined,
  math: string | undefined,
): void {
  const isTexts = ({ isUsed, tags, term }: Item) =>
    !isUsed &&
    tags.includes("COUNT") &&
    term.properties.some(({ of, name }) => of === "event" && event?.properties.has(name));
  const item = math === undefined ? undefined : asked.items.find(isTexts);
  if (item !== undefined) throw new NotUnderstood(textOf(item), "Its values are no numbers.");
}

/**
 * Refuses "count of orders" if orders have a number of that name, and "total users" if they have a number `users`. "Sum of
 * count of orders" is clear, and so is an average, unless it is for each person.
 */
export function refuseNumbers(
  asked: Asked,
  { item, property }: Target,
  event: EventInfo | undefined,
  isForEach = false,
): void {
  if (item === undefined || event === undefined) return;
  const others = asked.items.filter((one) => one !== item && !one.isUsed);
  const isClear = others.some(
    (one) =>
      one.word === "sum" ||
      (!isForEach && isTagged(one, "AVERAGE", "MEDIAN", "GREATEST", "SMALLEST")),
  );
  const isOf = asked.items[item.at + 1]?.word === "of";
  const isCount =
    isOf && (isTagged(item, "SUM") || (!isMoney(property) && isTagged(item, "COUNT")));
  const isOfPeople = isTagged(item, ...PEOPLE) && !isForEach;
  if (isClear || !(isCount || isOfPeople)) return;
  const whole = isOfPeople ? `how many people with ${event.name}` : `how many ${event.name}`;
  throw new NotUnderstood(
    textOf(item),
    `It may be the number of ${isOfPeople ? "people" : "events"}, or their property ${property.name}. Write "${whole}" or "sum of ${property.name} of ${event.name}".`,
  );
}

/** Refuses "tickets bought" of an event `ticket_sale` with a number `tickets`: sales, or tickets. */
export function refuseOwnNumber({ term, part }: Item & { part: Named }): void {
  const { event } = part;
  const property = term.properties.find(
    ({ of, name, type }) =>
      of === "event" &&
      type === "number" &&
      event.properties.has(name) &&
      term.words.length === 1 &&
      term.words[0]?.low === folded(name),
  );
  if (property === undefined || term.words[0]?.isQuoted === true) return;
  throw new NotUnderstood(
    textOf({ term } as Item),
    `It may be the number of events, or their property ${property.name}. Write "how many ${event.name}" or "sum of ${property.name} of ${event.name}".`,
  );
}

/** Refuses "visits by members" of persons with a yes-or-no property `member`: lines for yes and no, or the yes alone. */
export function refuseKind({ term: { properties, words } }: Item): void {
  const [property] = properties;
  const word = words.at(-1)?.low ?? "";
  if (property?.type !== "boolean" || property.of !== "person" || singular(word) === word) return;
  if (words.some(({ isQuoted }) => isQuoted) || folded(property.name).endsWith(word)) return;
  throw new NotUnderstood(
    word,
    `Write "by ${property.name}" for a line each, or "where ${property.name} is yes" for those alone.`,
  );
}

/** Refuses "how many users were invited" of the event "user invited": its persons invite. */
export function refusePassive({ items }: Asked, people: Item, named: Item & { part: Named }): void {
  const [subject, ...verbs] = nameWords(named.part.event.name);
  const between = items.slice(people.at + 1, named.at).map(({ word }) => word);
  const isPassive = between.some((word) =>
    /^(?:is|are|was|were|been|being|be|get|got)$/.test(word),
  );
  if (!isPassive || verbs.length === 0 || subject !== singular(people.word)) return;
  const { name } = named.part.event;
  throw new NotUnderstood(
    textOf(people),
    `It may be the event, or the people who did it. Write "how many ${JSON.stringify(name)}" with the name in double quotes, or "people with ${JSON.stringify(name)}".`,
  );
}

/** Refuses "time to resolve by priority", which may be an average or a sum. "Minutes by show" are a sum. */
export function refuseTime({ item, property }: Target): void {
  if (item === undefined) return;
  const text = textOf(item);
  const hasUnit = (name: string) => unitOfName(name) !== undefined;
  const isUnsaid = hasUnit(property.name) && !nameWords(text).some(hasUnit);
  if (!isUnsaid && !/\b(?:time|duration)\b/i.test(text)) return;
  throw new NotUnderstood(text, `Write "average ${text}" or "total ${text}".`);
}

/** Whether numbers are added up. Severities and scores are not, unless the question says so. */
export const isSummed = (property: PropertyInfo): boolean =>
  isMoney(property) || /s$|quantity|count|weight|distance|volume/i.test(property.name);

/** Refuses "average cost per day": the average of single costs, or of the sums of the days. */
export function refuseSums(
  asked: Asked,
  { item }: Target,
  owner: EventInfo | undefined,
  math: string | undefined,
): void {
  const { interval } = asked.when;
  const word = math === undefined || math === "SUM" ? undefined : asked.find(math);
  if (item === undefined || interval === undefined || owner === undefined) return;
  if (asked.events().length > 0) return;
  const isOfEach = asked.items.some(
    (one) => isTagged(one, "PER") && asked.beside(one, 1)?.term.partOf.includes(owner) === true,
  );
  if (word === undefined || isOfEach) return;
  const name = textOf(item);
  throw new NotUnderstood(
    textOf(word),
    `It may be of each "${owner.name}" or of the sum per ${interval}. Write "${textOf(word)} ${name} of ${owner.name} per ${interval}" for the former, "total ${name} per ${interval}${math === "AVERAGE" ? " on average" : ""}" for the sums.`,
  );
}

/** Other words for a question about the most of an event in an interval. */
const ofIntervals = (event: string, interval: Interval): string =>
  `Ask for all of them: ${event} per ${interval}${interval === "hour" ? "" : `; or for the one with the most: which ${interval} had the most ${event}`}.`;

/** Refuses "bills by week" if bills have a property `week`. "Bills per week" and `bills by "week"` are clear. */
export function refuseInterval({ index, when: { by, interval } }: Asked, query: JsonObject): void {
  const isAsked = (name: string) => JSON.stringify(query).includes(JSON.stringify(name));
  const property = index.properties.find(
    ({ of, name, events = [] }) =>
      folded(name) === by && (of !== "event" || [...events].some(isAsked)),
  );
  if (property === undefined || by === undefined) return;
  throw new NotUnderstood(
    `by ${by}`,
    `It may be a line for each ${by}, or for each value of the property ${property.name}. Write "per ${interval}", or by "${property.name}" with the name in double quotes.`,
  );
}

/** Refuses "maximum bills per day": a number of events, and not the highest amount. */
export function refuseCounts(asked: Asked): void {
  const [named] = asked.events();
  const word = asked.find("GREATEST", "SMALLEST");
  const { interval } = asked.when;
  if (word === undefined || named === undefined || interval === undefined) return;
  const isPlural = textOf(named)
    .toLowerCase()
    .split(" ")
    .some((one) => singular(one) !== one);
  if (isPlural || isTagged(asked.beside(word, 1), "COUNT"))
    throw new NotUnderstood(textOf(word), ofIntervals(textOf(named), interval));
}

/** Refuses "most bills in a day": a number of events, and not their most frequent values. */
export function refuseMost({ items }: Asked, interval: Interval | null): void {
  const isRank = (item: Item) =>
    item.isUsed && isTagged(item, "MOST", "LEAST") && /most|least|few|high|low/.test(item.word);
  const word = items.find(isRank);
  const named = items.find(({ part }) => part?.kind === "ev");
  if (interval === null || word === undefined || named === undefined) return;
  throw new NotUnderstood(textOf(word), ofIntervals(textOf(named), interval));
}

/** Refuses "the day with the fewest orders": lines by time have no day without events. */
export function refuseEmpty({ items }: Asked, labels: readonly JsonObject[]): void {
  const word = items.find((item) => item.isUsed && isTagged(item, "LEAST", "SMALLEST"));
  // "Least first" is the order of the lines that are there.
  if (!labels.some(({ type }) => type === "hogql") || word?.word === "least_first") return;
  const named = items.find(({ part }) => part?.kind === "ev");
  const event = named === undefined ? "page views" : textOf(named);
  throw new NotUnderstood(
    word === undefined ? "fewest" : textOf(word),
    `A time without events has no line, so the fewest may be missing. Ask for all of them: ${event} per day.`,
  );
}
