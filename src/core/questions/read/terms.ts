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
import { CONCEPTS, type Concept, FILLER } from "../names/lexicon.ts";
import { folded, formOf, isSpelledLike, nameWords, singular, stemOf } from "../text/stems.ts";
import { numberOf, type Word } from "../text/words.ts";

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

/** The maximum number of words in a phrase. */
const PHRASE_WORDS_MAX = 9;

const phraseKey = (phrase: string) => phrase.split(/\s+/).map((word) => formOf(folded(word)));

/** Articles that may be inside a phrase. */
const ARTICLES: ReadonlySet<string> = new Set("the a an our your my their any".split(" "));

/** The stems of a phrase without articles; undefined if only one is left. */
const innerOf = (stems: readonly string[]): string | undefined => {
  const inner = stems.filter((stem) => !ARTICLES.has(stem));
  return inner.length > 1 ? inner.join(" ") : undefined;
};

/** Concepts by the stems of their phrases, with and without articles. */
const PHRASES: ReadonlyMap<string, ReadonlySet<Concept>> = (() => {
  const keys = new Map<string, Set<Concept>>();
  for (const [concept, phrases] of Object.entries(CONCEPTS)) {
    for (const phrase of phrases.split(", ")) {
      const stems = phraseKey(phrase);
      for (const key of new Set([stems.join(" "), innerOf(stems) ?? stems.join(" ")]))
        keys.set(key, (keys.get(key) ?? new Set()).add(concept as Concept));
    }
  }
  return keys;
})();

/** The words of all phrases, as written and as stems. Spelling is corrected to these words. */
const KNOWN_WORDS: ReadonlySet<string> = new Set(
  [...Object.values(CONCEPTS).flatMap((phrases) => phrases.split(/[\s,]+/)), ...FILLER].filter(
    (word) => /^\p{L}{4,}$/u.test(word),
  ),
);
const KNOWN_STEMS: ReadonlySet<string> = new Set(
  [...KNOWN_WORDS, ...[...PHRASES.keys()].flatMap((key) => key.split(" "))].flatMap((word) => [
    word,
    stemOf(word),
    formOf(word),
  ]),
);

/** Stems of verbs without a meaning of their own. No spelling is corrected to them: "stars" are no "starts". */
const DONE: ReadonlySet<string> = new Set(CONCEPTS.done.split(/[\s,]+/).map(stemOf));

/** Synonyms by stem. They apply if only the second word is in the names of the project. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  "finish:complete begin:start quit:cancel stop:cancel churn:cancel unsubscribe:cancel renewing:renew buy:purchase crash:exception delete:remove remove:delete reserve:book signup:subscribe"
    .split(" ")
    .map((pair) => pair.split(":").map(stemOf) as [string, string]),
);

/** Returns a word with its spelling corrected or replaced by a synonym. Words of the project's names never change. */
export function mended(word: Word, index: NameIndex): Word {
  const { low, stem, isQuoted } = word;
  const synonym = SYNONYMS.get(stem);
  const isOwn =
    index.eventsWith.has(stem) || index.propertiesBy.has(stem) || index.eventsBy.has(stem);
  if (synonym !== undefined && !isQuoted && !isOwn && index.eventsWith.has(synonym)) {
    return { ...word, stem: synonym };
  }
  const isKnown =
    KNOWN_STEMS.has(low) ||
    KNOWN_STEMS.has(stem) ||
    index.ownWords.has(low) ||
    index.eventsWith.has(stem) ||
    index.ownWords.has(singular(low));
  if (isQuoted || isKnown || low.length < 5 || !/^\p{L}+$/u.test(low)) return word;
  const all = [...KNOWN_WORDS, ...index.ownWords].filter(
    (one) => one.length >= 5 && one[0] === low[0] && !FILLER.has(one) && !DONE.has(stemOf(one)),
  );
  // A letter too many is a slip if it is doubled. Otherwise it is another word: "monkeys" are no "money".
  const isOther = (one: string, typed: string) =>
    typed.length > one.length && one.length < 9 && !/(.)\1/.test(typed);
  const like = (most: number) =>
    all.find((one) =>
      [low, singular(low), formOf(low)].some(
        (typed) => isSpelledLike(one, typed, most) && !isOther(one, typed),
      ),
    );
  const found = like(1) ?? (low.length >= 8 ? like(2) : undefined);
  return found === undefined
    ? word
    : { ...word, low: found, stem: stemOf(found), form: formOf(found) };
}

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
  for (let length = Math.min(PHRASE_WORDS_MAX, words.length - from); length > 1; length -= 1) {
    const some = words.slice(from, from + length);
    if (some.some(({ isQuoted, low }) => isQuoted || /^[,;?!]$/.test(low))) continue;
    const found = meaningOf(some, index);
    if (found !== undefined) return { ...NOTHING, ...found, words: some };
  }
  const meaning: Partial<Term> = meaningOf([first], index) ?? {};
  // The "no" in "no-shows" is not a negation.
  const isPrefix = first.isJoined === true && /^(?:no|non|un|re|pre)$/.test(first.low);
  // "Drivers" are people, unless the project has an event for what they do, or such a value.
  const isPerson =
    PEOPLE.test(first.low) &&
    meaning.values === undefined &&
    meaning.properties === undefined &&
    !index.eventsWith.has(first.stem);
  if (isPerson) meaning.concepts = new Set<Concept>(["person"]);
  const single = isPrefix ? { ...meaning, concepts: new Set<Concept>() } : meaning;
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

function numberIn(text: string): Pick<Term, "number"> {
  const number = numberOf(text);
  return number === undefined ? {} : { number };
}

const pageOf = (text: string) =>
  text
    .replace(/^https?:\/\/[^/]*/, "")
    .replace(/[?#].*$/, "")
    .replace(/(?<=.)\/+$/, "") || "/";

const PEOPLE =
  /^(?:driver|rider|passenger|guest|reader|listener|viewer|donor|fan|candidate|applicant|tenant|employee|teacher|parent|traveller|attendee|participant|student|patient|player|member|learner)s?$/;
const ACCOUNT = /^(?:accounts?|organi[sz]ations?|compan(?:y|ies)|business(?:es)?|firms?)$/;

/** Words that never start or end a name. */
const EDGES: ReadonlySet<string> = new Set("by per to and or vs than".split(" "));

/** The meaning of adjacent words; undefined if there is no meaning. */
function meaningOf(words: readonly Word[], index: NameIndex): Partial<Term> | undefined {
  const stems = words.map(({ form }) => form);
  const concepts = PHRASES.get(stems.join(" ")) ?? PHRASES.get(innerOf(stems) ?? "");
  const text = folded(words.map((word) => word.text).join(" "));
  // A name does not start or end with a joining word.
  const isBare = ![words[0], words.at(-1)].some(
    (word) => JOINING.has(word?.low ?? "") || EDGES.has(word?.low ?? ""),
  );
  const names = isBare ? nameMeaning(words, index) : {};
  const values =
    isCommon(text) &&
    words.every(({ text: one }) => one !== one.toUpperCase() || !/\p{L}/u.test(one))
      ? []
      : valuesNamed(text, index);
  const isNamed = values.length > 0 || Object.keys(names).length > 0;
  const group = groupNamed(words, index, isNamed);
  const found: Partial<Term> = {
    ...(concepts === undefined ? {} : { concepts }),
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
  const properties = index.propertiesBy.get(key) ?? index.propertiesBy.get(joined) ?? [];
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
function valuesNamed(text: string, index: NameIndex): readonly ValueInfo[] {
  return index.values.get(text) ?? index.values.get(singular(text)) ?? [];
}

function quotedTerm(word: Word, index: NameIndex): Term {
  const { text, owner } = word;
  if (owner !== undefined) {
    const [, of = "", group] = /^([a-z]+)(\d*)$/.exec(owner) ?? [];
    const properties = index.properties.filter(
      (one) =>
        one.name === text && one.of === of && (of !== "group" || one.group === Number(group)),
    );
    return { ...NOTHING, words: [word], properties };
  }
  const event = index.events.get(text);
  return {
    ...NOTHING,
    words: [word],
    events: event === undefined ? [] : [event],
    properties: index.properties.filter(({ name }) => name === text),
    values: (index.values.get(folded(text)) ?? []).filter(
      ({ value }) => value === text || folded(value) === folded(text),
    ),
    ...(text.startsWith("/") ? { page: text } : {}),
    ...(/^\S+@\S+$/.test(text) ? { who: text } : {}),
    ...numberIn(text),
  };
}
