import { numberOf, type Word } from "./english.ts";
import type { Role } from "./lexicon.ts";
import type { Meaning, Vocabulary } from "./vocabulary.ts";

/** A part of a question: words with one meaning, a number, an address or a person. */
export type Item = {
  at: number;
  words: readonly Word[];
  meaning: Meaning;
  number?: number;
  page?: string;
  who?: string;
  /** Whether the question means the same without it. */
  isSoft: boolean;
};

/** Words of a phrase at most. */
const PHRASE_WORDS_MAX = 6;

const NOTHING: Meaning = { roles: new Set(), values: [] };

/** Roles that say nothing where no reading asks for them. */
const SOFT: ReadonlySet<Role> = new Set<Role>([
  ...(["count", "how_much", "sum", "by", "and", "or", "to", "take", "go", "set"] as const),
  ...(["activity", "money", "date", "days", "hours"] as const),
]);

/** Splits a question into its parts, the longest phrase first. */
export function itemsOf(words: readonly Word[], vocabulary: Vocabulary): Item[] {
  const items: Item[] = [];
  let from = 0;
  while (from < words.length) {
    const item = itemAt(words, from, vocabulary);
    items.push({ ...item, at: items.length });
    from += item.words.length;
  }
  const sure = items
    .map(asName)
    .map((item, at) => asFiller(item, items[at - 1], vocabulary))
    .map((item, at) => asVerb(item, items[at - 1]));
  return sure.map((item, at) => {
    const isThe = /^(?:the|our|a)$/i.test(sure[at - 1]?.words[0]?.text ?? "");
    const before = sure[isThe ? at - 2 : at - 1]?.words[0]?.text ?? "";
    return asValue(item, [sure[at - 1], sure[at + 1]], before);
  });
}

/** A name as the project writes it, such as `cart_value`, is no phrase of the lexicon. */
function asName(item: Item): Item {
  const [first, ...others] = item.words;
  const { event, property } = item.meaning;
  const isName = others.length === 0 && first?.text.includes("_") === true;
  if (!isName || (event === undefined && property === undefined)) return item;
  return { ...item, meaning: { ...item.meaning, roles: new Set() }, isSoft: false };
}

const PERSONS = ["visitor", "person", "customer"] as const;

/** "Visited", and "visit" after a person, is a page view and no session. */
function asVerb(item: Item, before: Item | undefined): Item {
  const { roles, event } = item.meaning;
  if (event === undefined || !roles.has("session")) return item;
  const isVerb = /(?:ed|ing)$/i.test(item.words[0]?.text ?? "");
  const isDone = PERSONS.some((role) => before?.meaning.roles.has(role) === true);
  if (!isVerb && !isDone) return item;
  return { ...item, meaning: { ...item.meaning, roles: new Set() } };
}

/** A common word that is also a name of the project means the name only after "by", or with others. */
function asFiller(item: Item, before: Item | undefined, vocabulary: Vocabulary): Item {
  const [first, ...others] = item.words;
  if (first === undefined || others.length > 0 || !vocabulary.isFiller(first)) return item;
  if (before?.meaning.roles.has("by") === true || item.meaning.values.length > 0) return item;
  return { ...item, meaning: { roles: item.meaning.roles, values: [] }, isSoft: true };
}

/** Next to the name of its property, a word is a value of it and no event. */
function asValue(item: Item, beside: readonly (Item | undefined)[], before: string): Item {
  const { event, ...meaning } = item.meaning;
  if (event === undefined) return item;
  const isValueOf = (near: Item | undefined) => {
    const property = near?.meaning.property;
    return (
      property !== undefined && meaning.values.some((one) => one.property.name === property.name)
    );
  };
  const isFrom = /^(?:from|via|through)$/i.test(before);
  if (meaning.values.length === 0 || !(isFrom || beside.some(isValueOf))) return item;
  return { ...item, meaning: { roles: new Set(), values: meaning.values } };
}

function itemAt(words: readonly Word[], from: number, vocabulary: Vocabulary): Omit<Item, "at"> {
  const first = words[from] as Word;
  if (!first.isQuoted) {
    if (/^(?:https?:\/)?\//.test(first.text)) {
      return { words: [first], meaning: NOTHING, page: pageOf(first.text), isSoft: false };
    }
    if (/^\S+@\S+$/.test(first.text)) {
      return { words: [first], meaning: NOTHING, who: first.text, isSoft: false };
    }
  }
  for (let length = Math.min(PHRASE_WORDS_MAX, words.length - from); length > 0; length -= 1) {
    const some = words.slice(from, from + length);
    if (length > 1 && some.some(({ text }) => text === ",")) continue;
    const meaning = vocabulary.meaningOf(some);
    if (meaning !== undefined)
      return {
        words: some,
        meaning,
        ...numbered(first, length),
        isSoft: isSoft(some, meaning, vocabulary),
      };
  }
  const number = first.isQuoted ? undefined : numberOf(first.text);
  if (number !== undefined) return { words: [first], meaning: NOTHING, number, isSoft: false };
  return { words: [first], meaning: NOTHING, isSoft: vocabulary.isFiller(first) };
}

function numbered(first: Word, length: number): { number?: number } {
  const number = length === 1 && !first.isQuoted ? numberOf(first.text) : undefined;
  return number === undefined ? {} : { number };
}

const pageOf = (text: string) =>
  text
    .replace(/^https?:\/\/[^/]*/, "")
    .replace(/[?#].*$/, "")
    .replace(/(?<=.)\/+$/, "") || "/";

function isSoft(
  words: readonly Word[],
  { roles, event, property, values }: Meaning,
  vocabulary: Vocabulary,
): boolean {
  if (event !== undefined || property !== undefined || values.length > 0) return false;
  if (
    words.every((word) => vocabulary.isFiller(word)) &&
    !roles.has("without") &&
    !roles.has("except")
  )
    return true;
  return [...roles].some((role) => SOFT.has(role));
}

/** The parts of a question that a reading has not used yet. */
export type Bag = ReturnType<typeof bagOf>;

/** Returns the parts of a question, for one attempt at a reading. */
export function bagOf(items: readonly Item[]) {
  const left = new Set(items);
  const take = (item: Item | undefined) => {
    if (item !== undefined) left.delete(item);
    return item;
  };
  const find = (fits: (item: Item) => boolean) => [...left].find(fits);
  const has = (...roles: Role[]) =>
    find(({ meaning }) => roles.some((role) => meaning.roles.has(role)));
  return {
    items,
    left: () => [...left],
    isLeft: (item: Item) => left.has(item),
    find,
    has: (...roles: Role[]) => has(...roles) !== undefined,
    /** Takes the first part with one of some roles; undefined without one. */
    take: (...roles: Role[]) => take(has(...roles)),
    takeItem: take,
    takeIf: (fits: (item: Item) => boolean) => take(find(fits)),
    /** Takes all parts with one of some roles. */
    takeAll: (...roles: Role[]) => {
      for (let item = has(...roles); item !== undefined; item = has(...roles)) take(item);
    },
    /** The part before or after another one, whether it is used or not. */
    beside: (item: Item, step: number) => items[item.at + step],
    /** The words that no reading may leave out. */
    unread: () => [...left].filter((item) => !item.isSoft),
  };
}
