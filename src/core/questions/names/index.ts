import type { NamedProperty, ValueType } from "../../ports/vocabulary.ts";
import { folded, nameWords, stemOf } from "../text/stems.ts";
import { FILLER } from "./lexicon.ts";

/** An event of the project, with its properties. */
export type EventInfo = {
  name: string;
  count: number;
  stems: readonly string[];
  /** Stems of the verbs in its name, such as "created". */
  verbs: ReadonlySet<string>;
  properties: ReadonlyMap<string, NamedProperty>;
};

/** A property of the project. `of` is its owner, and `events` are the names of the events that have it. */
export type PropertyInfo = {
  of: "event" | "person" | "group" | "session";
  name: string;
  type: ValueType;
  hasNumbers?: boolean;
  count: number;
  group?: number;
  events?: ReadonlySet<string>;
  /** The stored values of a yes-or-no property that mean yes and no, if they are known. */
  yes?: string[];
  no?: string[];
};

/** The values of a yes-or-no property that mean yes. */
export const yesOf = ({ yes }: PropertyInfo): string[] => yes ?? ["true"];

/** The values of a yes-or-no property that mean no. */
export const noOf = ({ no }: PropertyInfo): string[] => no ?? ["false"];

/** The values that differ from one only by upper and lower case, of its property. */
export const sameIn = (values: readonly ValueInfo[], one: ValueInfo): string[] =>
  values
    .filter(
      ({ property, value }) => property === one.property && folded(value) === folded(one.value),
    )
    .map(({ value }) => value);

/** A stored value. */
export type ValueInfo = { property: PropertyInfo; value: string; count: number };

/** Names and values by the words for them. The keys for names are their stems in alphabetical order. */
export type NameIndex = {
  events: ReadonlyMap<string, EventInfo>;
  /** Events by all stems of their name or of a synonym. */
  eventsBy: ReadonlyMap<string, readonly EventInfo[]>;
  /** Events by each stem in their name. */
  eventsWith: ReadonlyMap<string, readonly EventInfo[]>;
  propertiesBy: ReadonlyMap<string, readonly PropertyInfo[]>;
  /** Properties by the first and the last stem of their name. */
  propertiesWith: ReadonlyMap<string, readonly PropertyInfo[]>;
  /** By folded text. */
  values: ReadonlyMap<string, readonly ValueInfo[]>;
  groups: ReadonlyMap<string, { name: string; index: number }>;
  /** The first part of paths that have several pages: "blog" with "/blog/", and with "/blog" if no other path begins so. */
  sections: ReadonlyMap<string, { pages: string; all: string }>;
  properties: readonly PropertyInfo[];
  /** Words of names and values. Their spelling is never corrected. */
  ownWords: ReadonlySet<string>;
  /** The stems of all words for events and properties. */
  phraseStems: ReadonlySet<string>;
  /** Names and values of several words. */
  longNames: ReadonlySet<string>;
};

/** The key for a set of stems. Their order does not matter. */
export const keyOf = (stems: readonly string[]): string => [...new Set(stems)].toSorted().join(" ");

/** The stems of a phrase without joining words, unless it has only those. */
export const contentStems = (phrase: string): string[] => {
  const words = nameWords(phrase);
  const content = words.filter((word) => !JOINING.has(word));
  return (content.length > 0 ? content : words).map(stemOf);
};

/** The words of a name, separated by spaces. They are the same for `orderPlaced` and `order_placed`. */
export const spoken = (name: string): string => nameWords(name).join(" ");

/** Words in names that carry no meaning. */
export const JOINING: ReadonlySet<string> = new Set(
  "a an the our their your my its of for in on at into something it them".split(" "),
);

/** Adds an entry to a key, unless the key is empty or already has it. */
export function add<T>(map: Map<string, T[]>, key: string, one: T): void {
  const all = map.get(key);
  if (all === undefined && key !== "") map.set(key, [one]);
  else if (all?.includes(one) === false) all.push(one);
}

/** Parses a line `name|name; phrase, phrase`. */
export function defined(line: string): { names: string[]; words: string[] } {
  const [names = "", words = ""] = line.split("; ");
  return { names: names.split("|"), words: words.split(", ") };
}

/** Whether a text is too common to be a value on its own. "In the app" may be one. */
export const isCommon = (text: string): boolean =>
  text.length < 2 || (FILLER.has(text) && !NAMING.test(text)) || /^\d+$/.test(text);

/** Filler words that may be a value, such as the place where something was done. */
const NAMING =
  /^(?:app|web|website|site|shop|store|online|platform|service|single|whole|full|actual|live|living|credit|split|data|report|overview|chart|graph|figure|place|display)$/;

/** Whether a property has amounts of money. */
export const isMoney = ({ name, type }: Pick<PropertyInfo, "name" | "type">): boolean =>
  type === "number" && MONEY.test(spoken(name));

/** The properties to calculate with: those of numbers; without such, those with some numbers. */
export const numbersAmong = (properties: readonly PropertyInfo[]): readonly PropertyInfo[] => {
  const numbers = properties.filter(({ type }) => type === "number");
  return numbers.length > 0 ? numbers : properties.filter(({ hasNumbers }) => hasNumbers);
};

const MONEY =
  /\b(?:revenue|amount|price|total|value|mrr|arr|cost|fee|charge|paid|sales|salary|commission|eur|usd|gbp)\b/;
