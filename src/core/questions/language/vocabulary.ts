import { folded } from "../names.ts";
import { isSpelledLike, stemOf, stemsOf, type Word } from "./english.ts";
import {
  EVENT_PHRASES,
  FILLER,
  PROPERTY_PHRASES,
  ROLES,
  type Role,
  VALUE_WORDS,
} from "./lexicon.ts";
import {
  type ByKey,
  eventKeys,
  JOINING_STEMS,
  type KnownValue,
  type ProjectNames,
  type Property,
  propertyKeys,
  ROLE_KEYS,
  valueKeys,
} from "./name-keys.ts";

/** Possible meanings of some words of a question. */
export type Meaning = {
  roles: ReadonlySet<Role>;
  event?: string;
  property?: Property;
  values: readonly KnownValue[];
};

/** Meanings by the stems of words. */
export type Vocabulary = {
  /** Returns the meaning of words that stand side by side; undefined without one. */
  meaningOf(words: readonly Word[]): Meaning | undefined;
  /** Returns a word with its spelling put right; undefined if it is like no known word. */
  mended(word: Word): Word | undefined;
  isFiller(word: Word): boolean;
  /** Whether a word has a meaning, is part of a phrase or of a value. */
  isKnown(word: Word): boolean;
  names: ProjectNames;
};

/** Builds the vocabulary of a project. */
export function vocabularyOf(names: ProjectNames): Vocabulary {
  const events = eventKeys(names);
  const properties = propertyKeys(names);
  const values = valueKeys(names);
  const stems = knownStems([events.keys(), properties.keys()]);
  const words = knownWords(names);
  const ofValues = new Set(names.values.flatMap(({ value }) => stemsOf(value)));
  return {
    names,
    isFiller: ({ stem, text, isQuoted }) =>
      !isQuoted && (FILLER_STEMS.has(stem) || FILLER.has(text.toLowerCase())),
    meaningOf(some) {
      const [first, ...others] = some;
      if (first?.isQuoted === true && others.length === 0) {
        return quotedMeaning(first.text, names, values);
      }
      if (some.some(({ isQuoted }) => isQuoted)) return undefined;
      const keys = keysOf(some);
      const event = pick(events, keys);
      const property = pick(properties, keys);
      return meaningUnlessEmpty({
        roles: new Set(keys.flatMap((key) => [...(ROLE_KEYS.get(key) ?? [])])),
        ...(event === undefined ? {} : { event }),
        ...(property === undefined ? {} : { property }),
        values: isNoValue(some) ? [] : textsOf(some).flatMap((text) => values.get(text) ?? []),
      });
    },
    isKnown: ({ stem }) => stems.has(stem) || ofValues.has(stem),
    mended(word) {
      const { stem } = word;
      const isKnown = stems.has(stem) || ofValues.has(stem);
      const stemMeant = isKnown || !isWord(word.text) ? undefined : closestStem(word, stems, words);
      return stemMeant === undefined ? undefined : { ...word, stem: stemMeant };
    },
  };
}

const isWord = (text: string) => text.length >= MENDED_CHARS_MIN && /^\p{L}+$/u.test(text);

/** Returns the stem that a misspelled word is likest to; its first letter is right. */
function closestStem(
  { text, stem }: Word,
  stems: ReadonlySet<string>,
  words: ReadonlySet<string>,
): string | undefined {
  const typed = folded(text);
  const isLikely = (one: string) => one.length >= MEANT_CHARS_MIN && one[0] === typed[0];
  const [likelyWords, likelyStems] = [words, stems].map((all) => [...all].filter(isLikely));
  const like = (changes: number) => {
    const word = likelyWords?.find(
      (one) => isSpelledLike(one, typed, changes) && !isOtherFiller(one, typed),
    );
    if (word !== undefined) return stemOf(word);
    return likelyStems?.find(
      (one) => isSpelledLike(one, stem, changes) && !isOtherFiller(one, stem),
    );
  };
  return like(1) ?? (text.length < LONG_CHARS_MIN ? undefined : like(2));
}

/** Whether a letter of a filler word is another one, as in "thing" and "think": such a word means something else. */
const isOtherFiller = (filler: string, typed: string) =>
  (FILLER.has(filler) || FILLER_STEMS.has(filler)) &&
  filler.length === typed.length &&
  [...filler].sort().join("") !== [...typed].sort().join("");

/** Returns the words of the lexicon and of the names of a project, as they are written. */
function knownWords({ events, properties, person_properties }: ProjectNames): ReadonlySet<string> {
  const names = [events, properties, person_properties].flatMap((list) =>
    list.map(({ name }) => name),
  );
  const all = [...LEXICON_WORDS, ...names.flatMap((name) => folded(name).split(/[\s_\-.]+/))];
  return new Set(all);
}

/** The words of all phrases of the lexicon. */
const LEXICON_WORDS: readonly string[] = [
  ...Object.values(ROLES),
  ...EVENT_PHRASES,
  ...PROPERTY_PHRASES,
]
  .join(" ")
  .split(/[\s,_]+/)
  .concat([...FILLER]);

function meaningUnlessEmpty(meaning: Meaning): Meaning | undefined {
  const { roles, event, property, values } = meaning;
  const isEmpty =
    roles.size === 0 && event === undefined && property === undefined && values.length === 0;
  return isEmpty ? undefined : meaning;
}

/** Whether words are too short or too common for a value; "US" is one, "us" is not. */
function isNoValue([first, ...others]: readonly Word[]): boolean {
  if (first === undefined || others.length > 0 || first.isQuoted) return false;
  const { text, stem } = first;
  if (text === text.toUpperCase() && /\p{L}/u.test(text)) return false;
  return text.length < 3 || FILLER.has(text) || FILLER_STEMS.has(stem);
}

/** Letters of the shortest word whose spelling is put right. */
const MENDED_CHARS_MIN = 5;

/** Letters of the shortest word with two wrong letters. */
const LONG_CHARS_MIN = 8;

/** Letters of the shortest stem that a misspelled word may be meant as. */
const MEANT_CHARS_MIN = 4;

const FILLER_STEMS = new Set([...FILLER].map(stemOf));

/** Returns the keys of words: of all of them, and without articles and the like. */
function keysOf(words: readonly Word[]): string[] {
  const stems = words.flatMap(({ text, stem }) =>
    /[_\-.]/.test(text) ? stemsOf(text) : [stem.replace(/^\$(?=.)/, "")],
  );
  const inner = stems.filter((stem) => !JOINING_STEMS.has(stem));
  const bounds = [stems[0], stems.at(-1)].some(
    (stem) => stem !== undefined && JOINING_STEMS.has(stem),
  );
  return bounds || inner.length === stems.length || inner.length === 0
    ? [stems.join(" ")]
    : [stems.join(" "), inner.join(" ")];
}

const pick = <T>(found: ByKey<T>, keys: readonly string[]): T | undefined =>
  keys
    .map((key) => found.get(key) ?? found.get(key.replaceAll(" ", "")))
    .find((one) => one !== undefined);

/** Returns the texts that words may be a value as: as written, and with the last word in the singular. */
function textsOf(words: readonly Word[]): string[] {
  const text = folded(words.map((word) => word.text).join(" "));
  return [...new Set([text, ...singulars(text)])];
}

/** Returns the forms of a text in the singular. */
function singulars(text: string): string[] {
  if (/[^s]s$/.test(text))
    return [text.slice(0, -1), ...(text.endsWith("es") ? [text.slice(0, -2)] : [])];
  return [];
}

function quotedMeaning(text: string, names: ProjectNames, values: ByKey<KnownValue[]>): Meaning {
  const event = names.events.find(({ name }) => name === text)?.name;
  const property = names.properties.find(({ name }) => name === text)?.name;
  const ofPerson = names.person_properties.find(({ name }) => name === text)?.name;
  const found = propertyNamed(property, ofPerson);
  return {
    roles: new Set(),
    ...(event === undefined ? {} : { event }),
    ...(found === undefined ? {} : { property: found }),
    values: values.get(folded(text)) ?? [],
  };
}

function propertyNamed(
  ofEvent: string | undefined,
  ofPerson: string | undefined,
): Property | undefined {
  if (ofEvent !== undefined) return { of: "event", name: ofEvent };
  return ofPerson === undefined ? undefined : { of: "person", name: ofPerson };
}

/** Returns the stems that a misspelled word may be meant as. */
function knownStems(names: Iterable<string>[]): Set<string> {
  const stems = new Set<string>();
  const all = [...ROLE_KEYS.keys(), ...names.flatMap((some) => [...some])];
  for (const key of all) for (const stem of key.split(" ")) stems.add(stem);
  for (const stem of FILLER_STEMS) stems.add(stem);
  return stems;
}

/** Returns the paths that words before "page" may name: of "sign up page" `/sign-up`, `/signup` and `/sign_up`. */
function pathsOf(words: readonly Word[], next: Word | undefined): string[] {
  if (next === undefined || !/^pages?$/i.test(next.text)) return [];
  const parts = words.map(({ text }) => folded(text));
  return ["-", "", "_"].map((sign) => `/${parts.join(sign)}`);
}

/** Words of a value at most. */
const VALUE_WORDS_MAX = 4;

/** Texts of a question that may be values, folded, for a lookup of these. */
export function possibleValues(words: readonly Word[]): string[] {
  const texts = new Set<string>();
  for (let from = 0; from < words.length; from += 1) {
    for (let length = 1; length <= VALUE_WORDS_MAX && from + length <= words.length; length += 1) {
      const some = words.slice(from, from + length);
      for (const path of pathsOf(some, words[from + length])) texts.add(path);
      for (const text of textsOf(some)) {
        texts.add(text);
        for (const other of VALUE_WORDS.get(text) ?? []) texts.add(other);
      }
    }
  }
  return [...texts].filter((text) => text.length > 1 || text === "/");
}
