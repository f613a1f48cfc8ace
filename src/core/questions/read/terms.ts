import {
  contentStems,
  type EventInfo,
  isCommon,
  JOINING,
  keyOf,
  type NameIndex,
  type PropertyInfo,
  type ValueInfo,
} from "../names/index.ts";
import { type Concept, FILLER } from "../names/lexicon.ts";
import { folded, nameWords, singular, stemOf } from "../text/stems.ts";
import { numberOf, type Word } from "../text/words.ts";
import { innerOf, PEOPLE, PHRASE_WORDS_MAX, PHRASES } from "./phrases.ts";

/** One or more words of a question with all their possible meanings. */
export type Term = {
  words: readonly Word[];
  concepts: ReadonlySet<Concept>;
  /** Events with exactly this name. */
  events: readonly EventInfo[];
  /** Events with the word in their name. */
  partOf: readonly EventInfo[];
  properties: readonly PropertyInfo[];
  /** Properties whose name starts or ends with the word. */
  near: readonly PropertyInfo[];
  values: readonly ValueInfo[];
  group?: { name: string; index: number };
  number?: number;
  page?: string;
  who?: string;
  isFiller: boolean;
};

/** Splits a question into its terms, the longest phrase first. */
export function termsOf(words: readonly Word[], index: NameIndex): Term[] {
  const terms: Term[] = [];
  for (let from = 0; from < words.length; ) {
    const term = termAt(words, from, index);
    terms.push(term);
    from += term.words.length;
  }
  return terms.map((term, at) =>
    isVisiting(term, terms, at) ? { ...term, concepts: new Set() } : term,
  );
}

/** Whether "visit" is a verb, as in "people visited /pricing". Elsewhere, "visits" are sessions. */
function isVisiting({ words, concepts }: Term, terms: readonly Term[], at: number): boolean {
  if (!concepts.has("session") || words.length > 1) return false;
  if (/^visit(?:ed|ing)$/.test(words[0]?.low ?? "")) return true;
  const before = terms[at - 1];
  return (
    before !== undefined &&
    (["person", "visitor", "payer", "who"] as const).some((one) => before.concepts.has(one)) &&
    words[0]?.low === "visit"
  );
}

const NOTHING: Omit<Term, "words"> = {
  ...{ concepts: new Set(), events: [], partOf: [], properties: [], near: [], values: [] },
  isFiller: false,
};

function termAt(words: readonly Word[], from: number, index: NameIndex): Term {
  const first = words[from] as Word;
  if (first.isQuoted) return quotedTerm(first, index);
  if (/^(?:https?:\/)?\/(?!$)|^\/$/.test(first.text))
    return { ...NOTHING, words: [first], page: pageOf(first.text) };
  if (/^\S+@\S+$/.test(first.text)) return { ...NOTHING, words: [first], who: first.text };
  const phrase = phraseAt(words, from, index);
  if (phrase !== undefined) return phrase;
  const meaning: Partial<Term> = meaningOf([first], index) ?? {};
  // The "no" in "no-shows" is not a negation.
  const isPrefix = first.isJoined === true && /^(?:no|non|un|re|pre)$/.test(first.low);
  if (isPerson(first, meaning, index)) meaning.concepts = new Set<Concept>(["person"]);
  const single =
    isPrefix || isEvent(first, words[from + 1], index)
      ? { ...meaning, concepts: new Set<Concept>() }
      : meaning;
  return {
    ...NOTHING,
    ...single,
    words: [first],
    partOf: index.eventsWith.get(first.stem) ?? [],
    near: index.propertiesWith.get(first.stem) ?? [],
    ...numberIn(first.text),
    isFiller: FILLER.has(first.low),
  };
}

/** The longest phrase at a position that has a meaning; undefined without one of two words or more. */
function phraseAt(words: readonly Word[], from: number, index: NameIndex): Term | undefined {
  for (let length = Math.min(PHRASE_WORDS_MAX, words.length - from); length > 1; length -= 1) {
    const some = words.slice(from, from + length);
    if (some.some(({ isQuoted, low }) => isQuoted || /^[,;?!]$/.test(low))) continue;
    const found = meaningOf(some, index);
    if (found === undefined) continue;
    if (!isOwnNumber(some, index)) return { ...NOTHING, ...found, words: some };
    const [word, second] = some as [Word, Word];
    // In "number of", the number of the project may be meant, or a count.
    if (second.low === "of")
      return {
        ...NOTHING,
        ...meaningOf([word], index),
        concepts: found.concepts ?? new Set(),
        words: [word],
      };
  }
  return undefined;
}

/** Whether the only word of "count of" that counts is the name of a number of the project. */
function isOwnNumber(words: readonly Word[], { properties }: NameIndex): boolean {
  const [word, another] = words.filter(({ low }) => !FILLER.has(low) && low !== "total");
  return (
    another === undefined &&
    !FILLER.has(words[0]?.low ?? "") &&
    properties.some(
      ({ of, name, type }) => of === "event" && type === "number" && name === word?.low,
    )
  );
}

/** Whether a noun such as "drivers" means all people: no event "drive" and no value has it. */
const isPerson = ({ low, stem }: Word, { values, properties }: Partial<Term>, index: NameIndex) =>
  PEOPLE.test(low) &&
  (values ?? []).every(({ property }) => property.of !== "person") &&
  (properties ?? []).every(({ name }) => !nameWords(name).includes(singular(low))) &&
  (index.eventsWith.get(stem) ?? []).every(({ name }) => nameWords(name).includes(singular(low)));

/** Whether "shares" or the "no" of "no shows" is in the name of an event, and no share or negation. */
function isEvent({ low, stem }: Word, next: Word | undefined, { eventsWith }: NameIndex): boolean {
  if (low !== "no") return low === "shares" && eventsWith.has(stem);
  return (eventsWith.get("no") ?? []).some(({ stems }) => {
    return stems[stems.indexOf("no") + 1] === next?.stem;
  });
}

function numberIn(text: string): Pick<Term, "number"> {
  const number = numberOf(text);
  return number === undefined ? {} : { number };
}

const pageOf = (text: string) =>
  text
    .replace(/^https?:\/\/[^/]*/, "")
    .replace(/[?#].*$/, "")
    .replace(/(?<=.)\/+$/, "") || "/";

const ACCOUNT = /^(?:accounts?|organi[sz]ations?|compan(?:y|ies)|business(?:es)?|firms?)$/;

/** Words that never start or end a name. */
const EDGES: ReadonlySet<string> = new Set("by per to and or vs than".split(" "));

/** The meaning of adjacent words; undefined if there is no meaning. */
function meaningOf(words: readonly Word[], index: NameIndex): Partial<Term> | undefined {
  const stems = words.map(({ form }) => form);
  // "Uniques" are visitors, and "unique" alone is an adjective.
  const isUnique = words.length === 1 && words[0]?.low === "unique";
  const phrase = isUnique ? "distinct" : stems.join(" ");
  const concepts = PHRASES.get(phrase) ?? PHRASES.get(innerOf(stems) ?? "");
  // "Missed" is not "is missing", a "rating" is no rate, and a "listing" no list.
  const isOther = /^(?:missed|ratings?|listings?)$/.test(words.at(-1)?.low ?? "");
  const text = folded(words.map((word) => word.text).join(" "));
  // A name does not start or end with a joining word.
  const isBare = ![words[0], words.at(-1)].some(
    (word) => JOINING.has(word?.low ?? "") || EDGES.has(word?.low ?? ""),
  );
  const names = isBare ? nameMeaning(words, index) : {};
  const values =
    isCommon(text) &&
    words.every(
      ({ text: one, isLoud }) => isLoud || one !== one.toUpperCase() || !/\p{L}/u.test(one),
    )
      ? []
      : valuesNamed(words.map((word) => word.text).join(" "), text, index);
  const isNamed = values.length > 0 || Object.keys(names).length > 0;
  const group = groupNamed(words, index, isNamed);
  const found: Partial<Term> = {
    ...(concepts === undefined || isOther ? {} : { concepts }),
    ...names,
    ...(values.length === 0 ? {} : { values }),
    ...(group === undefined ? {} : { group, ...namesOfGroup(group.index, index) }),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** The group that words name. The only kind of group is also an account, if that word means nothing else. */
function groupNamed(words: readonly Word[], index: NameIndex, isNamed: boolean) {
  if (words.length > 3) return undefined;
  const known = index.groups.get(keyOf(words.map(({ low }) => stemOf(low))));
  const [only, another] = index.groups.values();
  const [{ low, stem } = { low: "", stem: "" }, more] = words;
  const isAccount =
    more === undefined && ACCOUNT.test(low) && !isNamed && !index.eventsWith.has(stem);
  return known ?? (isAccount && another === undefined ? only : undefined);
}

/** A word for a group, such as "organization", also means the group's name property. */
function namesOfGroup(index: number, names: NameIndex): Partial<Term> {
  const properties = names.properties.filter(
    ({ of, group, name }) => of === "group" && group === index && name === "name",
  );
  return properties.length === 0 ? {} : { properties };
}

function nameMeaning(words: readonly Word[], index: NameIndex): Partial<Term> {
  if (/^(?:top|bottom) \d+$/.test(words.map(({ low }) => low).join(" "))) return {};
  const content = words.filter(({ low }) => !JOINING.has(low));
  // "Users invited" are people who did something. "User invited" is an event if it is written like that.
  if (words.length > 1 && isPeople(words[0] as Word) && !isLiteral(words, index)) return {};
  const stems = (content.length > 0 ? content : words).flatMap(({ low }) => contentStems(low));
  const key = keyOf(stems);
  const joined = keyOf([stems.join("")]);
  const events = index.eventsBy.get(key) ?? index.eventsBy.get(joined) ?? [];
  // "Churn rate" is no rating.
  const isRate = words.length === 1 && /^rates?$/.test(words[0]?.low ?? "");
  const properties = (index.propertiesBy.get(key) ?? index.propertiesBy.get(joined) ?? []).filter(
    ({ name }) => !isRate || nameWords(name).includes("rate"),
  );
  const isRepeated = new Set(stems).size < stems.length;
  // "Charged on fast" is no "fast charger".
  const isSplit = words.some(({ low }) => /^(?:on|at|in|into|something|it|them)$/.test(low));
  return {
    ...(events.length === 0 || isRepeated ? {} : { events: exactFirst(events, words) }),
    ...(properties.length === 0 || isRepeated || isSplit
      ? {}
      : { properties: exactFirst(properties, words) }),
  };
}

const isPeople = ({ form }: Word) =>
  ["person", "visitor", "payer"].some((one) => PHRASES.get(form)?.has(one as Concept) === true);

const isLiteral = (words: readonly Word[], index: NameIndex) => {
  const text = words.map(({ low }) => low).join(" ");
  return [...index.events.keys()].some((name) => nameWords(name).join(" ") === text);
};

/** Sorts names with the exact spelling of the words first. */
function exactFirst<T extends { name: string }>(
  found: readonly T[],
  words: readonly Word[],
): readonly T[] {
  const text = words.map((word) => word.text).join(" ");
  return found.toSorted((a, b) => Number(b.name === text) - Number(a.name === text));
}

/** The values for a text or its singular. */
function valuesNamed(typed: string, text: string, index: NameIndex): readonly ValueInfo[] {
  // "Top 40" is a value where it is written like it.
  if (/^(?:top|bottom) \d+$/.test(text))
    return (index.values.get(text) ?? []).filter(({ value }) => value === typed);
  // "Blog pages" are several.
  if (text.endsWith(" pages") && index.sections.has(text.slice(0, -6))) return [];
  return asTyped(index.values.get(text) ?? index.values.get(singular(text)) ?? [], typed);
}

/** Leaves out values that differ from a typed one by upper and lower case alone. */
const asTyped = (values: readonly ValueInfo[], typed: string): readonly ValueInfo[] =>
  values.filter(
    (one) =>
      one.value === typed ||
      folded(one.value) !== folded(typed) ||
      !values.some(({ property, value }) => property === one.property && value === typed),
  );

/** The names that are written like a text; else those of the only name that differs by upper and lower case alone. */
function namedLike<T extends { name: string }>(text: string, all: readonly T[]): readonly T[] {
  const exact = all.filter(({ name }) => name === text);
  const like = exact.length > 0 ? exact : all.filter(({ name }) => folded(name) === folded(text));
  return new Set(like.map(({ name }) => name)).size > 1 ? [] : like;
}

function quotedTerm(word: Word, index: NameIndex): Term {
  const { text, owner } = word;
  if (owner !== undefined) {
    const [, of = "", group] = /^([a-z]+)(\d*)$/.exec(owner) ?? [];
    const own = index.properties.filter(
      (one) => one.of === of && (of !== "group" || one.group === Number(group)),
    );
    return { ...NOTHING, words: [word], properties: namedLike(text, own) };
  }
  return {
    ...NOTHING,
    words: [word],
    events: namedLike(text, [...index.events.values()]),
    properties: namedLike(text, index.properties),
    values: asTyped(
      (index.values.get(folded(text)) ?? []).filter(({ value }) => folded(value) === folded(text)),
      text,
    ),
    ...(text.startsWith("/") ? { page: text } : {}),
    ...(/^\S+@\S+$/.test(text) ? { who: text } : {}),
    ...numberIn(text),
  };
}
