import type { JsonObject } from "../../values/json.ts";
import {
  type EventInfo,
  isMoney,
  type NameIndex,
  type PropertyInfo,
  spoken,
} from "../names/index.ts";
import { folded } from "../text/stems.ts";
import type { When } from "../text/time.ts";
import {
  boundsJson,
  type Condition,
  filterJson,
  type Named,
  type PageNamed,
  type Part,
} from "./parts.ts";
import type { Places } from "./rules.ts";
import type { Term } from "./terms.ts";

/** A term or a part of a question. */
export type Item = {
  at: number;
  tags: readonly string[];
  word: string;
  term: Term;
  part?: Part;
  isUsed: boolean;
};

/** Thrown if a question is not understood. It has the words at fault, and the reason if it is known. */
export class NotUnderstood extends Error {
  readonly words: string;
  readonly reason: string | undefined;
  constructor(words: string, reason?: string) {
    super(words);
    this.words = words;
    this.reason = reason;
  }
}

/** The terms and parts of a question, and the names of its project. Every item must be used in the query. */
export class Asked {
  readonly items: Item[];
  readonly index: NameIndex;
  readonly when: When;

  constructor(places: Places<Part>, index: NameIndex, when: When) {
    this.index = index;
    this.when = when;
    this.items = places.sequence().map(({ tags, word, part, from, joins }, at) => ({
      ...{ at, tags, word, term: places.terms[from] as Term },
      ...(part === undefined ? {} : { part }),
      isUsed: joins !== undefined,
    }));
  }

  find(...tags: string[]): Item | undefined {
    return this.items.find((item) => !item.isUsed && tags.some((tag) => item.tags.includes(tag)));
  }

  has(...tags: string[]): boolean {
    return this.find(...tags) !== undefined;
  }

  /** Marks the first unused item with any of the tags as used, and returns it. */
  take(...tags: string[]): Item | undefined {
    const item = this.find(...tags);
    if (item !== undefined) item.isUsed = true;
    return item;
  }

  takeAll(...tags: string[]): Item[] {
    const all: Item[] = [];
    for (let item = this.take(...tags); item !== undefined; item = this.take(...tags))
      all.push(item);
    return all;
  }

  /** The nearest item on one side, used or not. Filler words are skipped. */
  beside(item: Item, step: 1 | -1): Item | undefined {
    for (let at = item.at + step; at >= 0 && at < this.items.length; at += step) {
      const one = this.items[at] as Item;
      const isWord =
        one.part !== undefined ||
        !one.tags.includes("F") ||
        one.tags.some((tag) => tag !== "F" && tag !== "EVPART" && tag !== "NEARPROP");
      if (isWord && one.tags[0] !== "JOINED") return one;
    }
    return undefined;
  }

  /** The unused events, in order. */
  events(): (Item & { part: Named })[] {
    return this.items.filter(
      (item): item is Item & { part: Named } => !item.isUsed && item.part?.kind === "ev",
    );
  }

  conditions(): (Item & { part: Condition | PageNamed })[] {
    return this.items.filter(
      (item): item is Item & { part: Condition | PageNamed } =>
        !item.isUsed && (item.part?.kind === "filter" || item.part?.kind === "pages"),
    );
  }

  /** The unused items, without filler words. A filler word that the project has a name of may mean that name. */
  unread(): Item[] {
    return this.items.filter(
      (item) =>
        !item.isUsed && (item.part !== undefined || !isTagged(item, "F") || isOwnName(item)),
    );
  }

  /** Takes the conditions on hours and days of the week. */
  takeHabits(): JsonObject[] {
    const { habits = [] } = this.when;
    delete this.when.habits;
    return habits.map((key) => ({ type: "hogql", key }));
  }

  /** The event with orders; undefined if the project has no such event. */
  orders(): EventInfo | undefined {
    return this.index.eventsBy.get("purchas")?.[0];
  }

  event(name: string): EventInfo | undefined {
    return this.index.events.get(name);
  }

  /** The property with the amounts of an event. Throws `NotUnderstood` if there is no such property, or several. */
  moneyOf(event: EventInfo, words: string): PropertyInfo {
    const all = this.index.properties.filter(
      (one) =>
        one.of === "event" && isMoney(one) && event.properties.get(one.name)?.type === "number",
    );
    const named = (pattern: RegExp) => all.filter(({ name }) => pattern.test(spoken(name)));
    const best = event.properties.has("currency") ? all : named(/revenue|amount/i);
    const whole = all.filter(({ name }) => !PART_OF_PRICE.test(spoken(name)));
    const found =
      named(/^revenue$/)[0] ??
      [all, best, whole].find(({ length }) => length === 1)?.[0] ??
      named(/^(?:amount|mrr)$/)[0];
    if (found !== undefined) return found;
    throw new NotUnderstood(
      words,
      all.length === 0
        ? `${event.name} has no property with amounts of money.`
        : `${event.name} has several amounts: ${all.map(({ name }) => name).join(", ")}.`,
    );
  }
}

/** Amounts that are only a part of a price, or no income. */
const PART_OF_PRICE =
  /\b(?:fee|tax|vat|discount|shipping|delivery|tip|cost|refund|overage|salary|commission|target|limit|goal|balance|budget|claim|payout|quoted?|penalty)\b/;

/** Whether an item has any of the tags; false if it is undefined. */
export const isTagged = (item: Item | undefined, ...tags: readonly string[]): boolean =>
  item !== undefined && tags.some((tag) => item.tags.includes(tag));

/** Marks an item as a word that the rest of the query says already. */
export const meanNothing = (item: Item): void => {
  item.isUsed = true;
  item.tags = ["F"];
  delete item.part;
};

/** Whether a word is written as a property or a value of the project's own. */
const isOwnName = ({ word, term: { properties, values } }: Item): boolean =>
  properties.some(({ name }) => folded(name) === word) ||
  values.some(({ value }) => folded(value) === word);

/** The words of an item. */
export const textOf = ({ term, part }: Item): string =>
  part?.kind === "ev" || part?.kind === "filter"
    ? part.text
    : term.words.map(({ text }) => text).join(" ");

/**
 * Returns a condition on events as a filter. Event properties come before person properties, and those before group
 * properties. Throws `NotUnderstood` if the events do not have the property.
 */
export function filterOf(
  asked: Asked,
  condition: Condition | PageNamed,
  events: readonly (EventInfo | null)[],
): JsonObject {
  if (condition.kind === "pages") return pageFilter(asked, condition);
  if (condition.or !== undefined) {
    return { type: "OR", values: condition.or.map((one) => filterOf(asked, one, events)) };
  }
  const properties = condition.of.map(({ property }) => property);
  const ranked = rankedProperties(properties, events);
  // "From google" names where visits come from.
  const origins = /^(?:from|via) /i.test(condition.text)
    ? ranked.filter(({ name }) => /^utm_|^\$referr|^\$geoip/.test(name))
    : [];
  const exact = [origins, ranked].flatMap((some) =>
    some.filter((one) => condition.of.some(({ property, isExact }) => isExact && property === one)),
  )[0];
  const property = sameNamed(asked, condition, ranked) ?? exact ?? origins[0] ?? ranked[0];
  const chosen = condition.of.find((one) => one.property === property);
  if (chosen === undefined) throw noProperty(condition.text, properties, events);
  const owners = chosen.property.events?.size ?? 0;
  const isOfFew =
    !/^\$|^utm_/.test(chosen.property.name) &&
    chosen.property.of === "event" &&
    owners * 2 < asked.index.events.size;
  if (events.includes(null) && !condition.isNamed && isOfFew)
    throw new NotUnderstood(
      condition.text,
      `${chosen.property.name} is a property of few events. Name one.`,
    );
  const { values } = chosen;
  const { operator, bounds } = condition;
  if (operator === "is_set" || operator === "is_not_set")
    return filterJson(chosen.property, operator);
  if (bounds !== undefined) return boundsJson(chosen.property, bounds);
  return filterJson(chosen.property, operator, values.length === 1 ? (values[0] ?? "") : values);
}

/** Returns the error for words that name a property which one of the events, or more, do not have. */
export function noProperty(
  words: string,
  properties: readonly PropertyInfo[],
  events: readonly (EventInfo | null)[],
): NotUnderstood {
  const [{ name, lacking } = { name: words, lacking: events }] = properties
    .map((one) => ({ name: one.name, lacking: events.filter((event) => lacks(event, one)) }))
    .toSorted((a, b) => a.lacking.length - b.lacking.length);
  const named = new Set(lacking.map((event) => event?.name ?? "an event"));
  return new NotUnderstood(words, `${name} is no property of ${[...named].join(" or ")}.`);
}

/** Whether an event cannot have a property of events. An event that has not come yet may have any. */
const lacks = (event: EventInfo | null, { name }: PropertyInfo): boolean =>
  event !== null && event.count !== 0 && !event.properties.has(name);

/** "With Google (method google)": the value alone belongs to the property that is named with it elsewhere. */
function sameNamed(
  asked: Asked,
  { isNamed, of }: Condition,
  ranked: readonly PropertyInfo[],
): PropertyInfo | undefined {
  if (isNamed) return undefined;
  const named = asked.items.flatMap(({ part }) =>
    part?.kind === "filter" && part.isNamed ? part.of : [],
  );
  const text = (values: readonly string[] | undefined) => values?.map(folded).join();
  return ranked.find((one) => {
    const own = text(of.find(({ property }) => property === one)?.values);
    return named.some(({ property, values }) => property === one && text(values) === own);
  });
}

/** The filter on the paths of a page, or on screens if the project has no paths. */
function pageFilter(asked: Asked, { paths, isNot, how, edge }: PageNamed): JsonObject {
  const hasPath =
    asked.index.properties.some(({ name }) => name === "$pathname") ||
    asked.index.properties.length === 0;
  const key = edge ?? (hasPath ? "$pathname" : "$screen_name");
  const type = edge === undefined ? "event" : "session";
  const negated = how === "exact" ? "is_not" : `not_${how}`;
  const operator = isNot ? negated : how;
  return { key, type, operator, value: paths.length === 1 ? (paths[0] ?? "") : paths };
}

/** The properties that all of the events can have, event properties first. */
export function rankedProperties(
  properties: readonly PropertyInfo[],
  events: readonly (EventInfo | null)[],
): PropertyInfo[] {
  const rank = (one: PropertyInfo): number => {
    if (one.of === "session") return 3;
    if (one.of === "person") return 1;
    if (one.of === "group") return 2;
    if (events.some((event) => lacks(event, one))) return 9;
    // An event's own property comes before one that SDKs send with every event. For any event, it is less likely.
    const isOwn = !/^\$|^utm_/.test(one.name);
    if (events.includes(null)) return isOwn ? 4 : 0;
    return isOwn ? 0 : 0.5;
  };
  return properties.filter((one) => rank(one) < 9).toSorted((a, b) => rank(a) - rank(b));
}
