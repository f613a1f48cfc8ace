import type { Interval } from "../../queries/intervals.ts";
import type { JsonObject } from "../../values/json.ts";
import { currencyOf, hasCurrencies, inCurrency } from "../measures/amounts.ts";
import { takeFilters } from "../measures/conditions.ts";
import type { Draft } from "../measures/draft.ts";
import { isCondition, PEOPLE } from "../measures/items.ts";
import { personFilter } from "../measures/persons.ts";
import { type EventInfo, isMoney } from "../names/index.ts";
import { daysBetween, daysOf } from "../text/compared.ts";
import { calendar, type Span, UNIT_DAYS } from "../text/dates.ts";
import { nameStems, nameWords } from "../text/stems.ts";
import type { When } from "../text/time.ts";
import { type Asked, type Item, isTagged, meanNothing, NotUnderstood, textOf } from "./asked.ts";
import { isCombined, refuseTurned } from "./check.ts";
import { queryOf } from "./kinds.ts";
import { breakdownOf, isFree, type Labels } from "./labels.ts";
import { inUnitOf, unitOfName } from "./numbers.ts";
import { boundsJson, type Compared, filterJson, parted } from "./parts.ts";
import { refuseEmpty, refuseMost } from "./unclear.ts";

/** The default period. */
export const DEFAULT_SPAN: Span = { last: 30, unit: "day" };

const ALL: Span = { range: { date_from: "all" } };

type Events = readonly (EventInfo | null)[];

/**
 * Adds the filters, labels and time of the question to a draft and returns the query. Throws `NotUnderstood` if the kind
 * of query does not support them.
 */
export function completed(
  asked: Asked,
  draft: Draft,
  { labels: taken, order: named, isAsked = false }: Labels,
): JsonObject {
  const { events } = draft;
  refuseTurned(asked);
  const coined = takeCurrency(asked, events);
  const ofOne = takePerson(asked);
  if (taken.length > 0 || named !== undefined) asked.takeAll("LIST");
  const filters = differing([
    ...(draft.filters ?? []),
    ...takeFilters(asked, events),
    ...takeBareNumbers(asked, events),
    ...ofOne,
    ...coined,
  ]);
  filters.push(...takeHabits(asked, filters, draft));
  takeOwners(asked, filters);
  checkPossible(filters);
  const own = [...taken.map((label) => breakdownOf(label, events)), ...(draft.labels ?? [])];
  const order = named ?? draft.order;
  // "Top commenters" asks for people.
  const isOfDoers = asked.items.some(({ part }) => part?.kind === "ev" && part.isDoer);
  const interval = intervalOf(asked.when);
  if (order !== undefined && own.length === 0) refuseMost(asked, interval);
  if (order?.isAscending === true) refuseEmpty(asked, own);
  const isOfObjects = order !== undefined && own.length === 0 && !isOfDoers;
  const objects = isOfObjects ? objectOf(events[0] ?? null) : [];
  const each = objects.length > 0 ? [] : comparedValues(asked, filters);
  const labels = differing([...own, ...each, ...objects]);
  const isOfAll = draft.span === "all" || isOfAllTime(asked, ofOne);
  const span = spanOf(asked.when, interval, isOfAll);
  return queryOf({ asked, draft, filters, labels, order, interval, span, isAsked });
}

/**
 * Takes words that a filter says already: "employers" in "employers on the pro tier", "players" in "Android players", and
 * "paid" in "paid by card".
 */
function takeOwners(asked: Asked, filters: readonly JsonObject[]): void {
  for (const item of asked.items.filter(isFree)) {
    const { group, words } = item.term;
    const [before, next] = [asked.beside(item, -1), asked.beside(item, 1)];
    const isGroup =
      group !== undefined && filters.some((one) => one["group_type_index"] === group.index);
    const isPeople = isTagged(item, "PERSON") && before?.part?.kind === "filter" && before.isUsed;
    const isVerb =
      !isTagged(item, "PROP") &&
      isCondition(next ?? {}, ({ name }) => nameStems(name).includes(words[0]?.stem ?? ""));
    if (isGroup || isPeople || isVerb) meanNothing(item);
  }
}

/** Whether a question without a period is of all time: it is about one person, or about what never happened. */
const isOfAllTime = (asked: Asked, ofOne: readonly JsonObject[]): boolean =>
  ofOne.some(({ operator }) => operator === "exact") ||
  asked.items.some(({ word }) => /(?:^|_)never$/.test(word));

/** The period of a question. A question about one person covers all time by default. */
function spanOf(when: When, interval: Interval | null, isOfAll: boolean): Span {
  if (when.span !== undefined) return when.span;
  if (when.overUnit !== undefined && interval === null) return calendar(when.overUnit, 0);
  return when.isMaybeAllTime === true || isOfAll ? ALL : DEFAULT_SPAN;
}

/** Takes "by ann@example.com" as a filter on one person. */
function takePerson(asked: Asked): JsonObject[] {
  const whom = asked.take("WHOM");
  if (whom === undefined) return [];
  const by = asked.beside(whom, -1);
  if (by?.tags.includes("BY") === true) by.isUsed = true;
  if (whom.part?.kind !== "whom") return [];
  return [personFilter(asked, whom.part.id, whom.part.isNot ? "is_not" : "exact")];
}

/** Takes conditions on hours and days of the week. Throws `NotUnderstood` if they could be on what people did. */
function takeHabits(asked: Asked, filters: readonly JsonObject[], { query }: Draft): JsonObject[] {
  const habits = asked.takeHabits();
  const isOfDeeds = JSON.stringify([query, filters]).includes('"behavioral"');
  if (habits.length === 0 || !(isOfDeeds || query["kind"] === "ActorsQuery")) return habits;
  const reason = "Ask for hours and days of the week with events, not with what people did.";
  throw new NotUnderstood("hours or days of the week", reason);
}

const SEARCHED = /^(?:search_?)?(?:query|term|text)$/i;

/** The default label of a top list: the page, the screen, or the only text property of an event. */
function objectOf(event: EventInfo | null): JsonObject[] {
  if (event?.name === "$pageview") return [{ property: "$pathname", type: "event" }];
  if (event?.name === "$screen") return [{ property: "$screen_name", type: "event" }];
  const own = [...(event?.properties.values() ?? [])].filter(
    ({ name, type }) => type === "text" && !/^\$|^utm_|_id$|^currency$/.test(name),
  );
  // "What do people search for most" asks for the words that they searched.
  const best =
    own.length === 1
      ? own[0]
      : (own.find(
          ({ name }) =>
            SEARCHED.test(name) ||
            nameStems(name.replace(/[_ ]?(?:name|title)$/i, "")).every((stem) =>
              event?.stems.includes(stem),
            ),
        ) ?? own.find(({ name }) => /^(?:title|name)$/i.test(name)));
  return best === undefined ? [] : [{ property: best.name, type: "event" }];
}

/** Takes the currency in "in dollars" or "over 50 euros". It is a filter if the project has several currencies. */
function takeCurrency(asked: Asked, events: Events): JsonObject[] {
  const words = asked.items.filter(
    ({ part, isUsed, tags }) => part === undefined && !isUsed && tags.includes("MONEY"),
  );
  const said = asked.items.flatMap(({ part }) =>
    part?.kind === "cmp" ? (part.currency ?? []) : [],
  );
  const code = currencyOf([...words.map(({ word }) => word), ...said]);
  const isByCurrency = events.some((event) => hasCurrencies(asked, event));
  // "Revenue in euros and dollars" is by currency anyway.
  if (code === undefined && words.length > 1 && isByCurrency) {
    for (const item of words) item.isUsed = true;
    return [];
  }
  if (code === undefined) return [];
  for (const item of words) item.isUsed = true;
  return isByCurrency ? [inCurrency(code)] : [];
}

/** Takes numbers without a property name: a code right after an event, or an amount as in "orders over 100 euros". */
function takeBareNumbers(asked: Asked, [event = null, ...others]: Events): JsonObject[] {
  return asked.items.flatMap((item) => {
    if (item.isUsed) return [];
    const filter = codeFilter(asked, item, event) ?? amountFilter(asked, item, event);
    if (filter === undefined) return [];
    if (others.length > 0)
      throw new NotUnderstood(
        textOf(item),
        `Name the property: "where ${String(filter["key"])} is …".`,
      );
    item.isUsed = true;
    return parted(filter);
  });
}

function codeFilter(asked: Asked, item: Item, event: EventInfo | null): JsonObject | undefined {
  const { part, term } = item;
  // "One" in "never completed one" is no code.
  const isWord = /^\p{L}+$/u.test(term.words[0]?.text ?? "");
  if (part !== undefined || term.number === undefined || isWord) return undefined;
  if (asked.beside(item, -1)?.part?.kind !== "ev") return undefined;
  const [one, another] = (asked.index.values.get(`#${term.number}`) ?? []).filter(
    ({ property: { of, name } }) => of === "event" && event?.properties.has(name) === true,
  );
  return one === undefined || another !== undefined
    ? undefined
    : filterJson(one.property, "exact", one.value);
}

const OF_PEOPLE =
  'People alone are found by how many they have: "people with at least 2 orders". For others, ask for the number of each: "orders by city".';

function amountFilter(asked: Asked, item: Item, event: EventInfo | null): JsonObject | undefined {
  if (event === null || item.part?.kind !== "cmp") return undefined;
  // A number without a unit may be of times, where people are asked for.
  const isOfPeople = asked.items.some((one) => isTagged(one, ...PEOPLE, "WHO"));
  if (isOfPeople && item.part.unit === undefined) return undefined;
  const after = asked.items.slice(item.at + 1).find(({ part }) => part?.kind !== "filter");
  if (after?.part?.kind === "ev" && item.part.unit === undefined)
    throw new NotUnderstood(textOf(item), OF_PEOPLE);
  const name =
    namedUnit(asked, item, event) ?? amountOf(asked, event, item.part.unit, textOf(item));
  const bounds = name === undefined ? undefined : inUnitOf(name, item.part);
  if (name === undefined || bounds === undefined) return undefined;
  return boundsJson({ of: "event", name }, bounds);
}

/** The property with the unit after a number, as in "heavier than 10 kg". */
function namedUnit(asked: Asked, item: Item, event: EventInfo): string | undefined {
  const unit = asked.items[item.at + 1];
  const found = [...event.properties.values()].filter(
    ({ name, type }) => type === "number" && nameWords(name).at(-1) === unit?.word,
  );
  if (unit === undefined || unit.part !== undefined || found.length !== 1) return undefined;
  meanNothing(unit);
  return found[0]?.name;
}

/** The property that a bare number belongs to: the amount of money, or the only property with a unit of time. */
function amountOf(
  asked: Asked,
  event: EventInfo,
  unit: Compared["unit"],
  words: string,
): string | undefined {
  if (unit === "money" || (unit === undefined && event === asked.orders()))
    return asked.moneyOf(event, words).name;
  const amounts = [...event.properties.values()].filter(isMoney);
  if (unit === undefined && amounts.length === 1) return amounts[0]?.name;
  const timed = [...event.properties.values()].filter(
    ({ name, type }) => type === "number" && unit !== undefined && unitOfName(name) !== undefined,
  );
  return timed.length === 1 ? timed[0]?.name : undefined;
}

/** The interval of a question; null for a single number. */
function intervalOf(when: When): Interval | null {
  if (when.interval !== undefined) return when.interval;
  if (when.isOverTime !== true) return null;
  const span = when.span ?? DEFAULT_SPAN;
  const days = "last" in span ? span.last * UNIT_DAYS[span.unit] : daysIn(span, when.today ?? "");
  if (days <= 1) return "hour";
  if (days <= 100) return "day";
  return days <= 400 ? "week" : "month";
}

/** The number of days in a period with calendar dates; infinite for all time. */
function daysIn(span: Span, today: string): number {
  const { from, to } = daysOf(span, today) ?? { from: "", to: "" };
  return from === "" ? Number.POSITIVE_INFINITY : daysBetween(from, to) + 1;
}

/** Throws `NotUnderstood` if two filters need different values of the same property, as no event can match both. */
function checkPossible(filters: readonly JsonObject[]): void {
  const unset = filters.find(
    ({ operator, key }) =>
      operator === "is_not_set" &&
      filters.some((one) => one["key"] === key && one["operator"] === "exact"),
  );
  if (unset !== undefined)
    throw new NotUnderstood(String(unset["key"]), "It is not both without a value and with one.");
  const exact = filters.filter(({ operator }) => operator === "exact");
  for (const [at, { key, type, value }] of exact.entries()) {
    const other = exact.slice(at + 1).find((one) => one["key"] === key && one["type"] === type);
    const [a, b] = [value, other?.["value"]].map((one) => [one ?? []].flat().map(String));
    if (other === undefined || a === undefined || b === undefined) continue;
    if (a.some((one) => b.includes(one))) continue;
    throw new NotUnderstood(
      b.join(" "),
      `${key} is not ${a.join(" or ")} and ${b.join(" or ")} at once.`,
    );
  }
}

const differing = (all: readonly JsonObject[]): JsonObject[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];

/** A breakdown for "Germany vs Austria" or "mobile, desktop and tablet", with a line for each value. */
function comparedValues(asked: Asked, filters: readonly JsonObject[]): JsonObject[] {
  const isEach = asked.items.some(({ part }) => part?.kind === "filter" && part.isEach === true);
  const several = filters.find(
    ({ operator, value }) => operator === "exact" && Array.isArray(value) && value.length > 1,
  );
  // "More orders with paypal or with card?" compares the two.
  const more = asked.items.find((item) => !item.isUsed && item.word === "more");
  const isVersus = asked.items.some((item) => isTagged(item, "VERSUS", "COMPARE"));
  if (asked.items.some(isCombined)) return [];
  const isCompared = isEach || more !== undefined || isVersus;
  if (several === undefined || !isCompared) return [];
  asked.takeAll("VERSUS", "COMPARE");
  if (more !== undefined) more.isUsed = true;
  const { key = "", type = "event", group_type_index: index } = several;
  return [{ property: key, type, ...(index === undefined ? {} : { group_type_index: index }) }];
}
