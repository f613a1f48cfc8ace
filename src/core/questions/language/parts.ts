import { numberOf, type Word } from "./english.ts";
import type { Role } from "./lexicon.ts";
import type { Meaning, Vocabulary } from "./vocabulary.ts";

/** A part of a question: words with one meaning, a number, an address or a person. */
export type Part = {
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
export function partsOf(words: readonly Word[], vocabulary: Vocabulary): Part[] {
  const all: Part[] = [];
  let from = 0;
  while (from < words.length) {
    const part = partAt(words, from, vocabulary);
    all.push({ ...part, at: all.length });
    from += part.words.length;
  }
  const sure = all
    .map(asName)
    .map((part, at) => asFiller(part, all[at - 1], vocabulary))
    .map((part, at) => asVerb(part, all[at - 1]));
  return sure.map((part, at) => {
    const isThe = /^(?:the|our|a)$/i.test(sure[at - 1]?.words[0]?.text ?? "");
    const before = sure[isThe ? at - 2 : at - 1];
    // "Conversion rate from newsletter to purchase" names a step.
    const isStep = before?.meaning.roles.has("conversion") === true && hasStepAfter(sure, at);
    const word = isStep ? "" : (before?.words.at(-1)?.text ?? "");
    return asValue(part, [sure[at - 1], sure[at + 1]], word);
  });
}

/** A name as the project writes it, such as `cart_value`, is no phrase of the lexicon. */
function asName(part: Part): Part {
  const [first, ...others] = part.words;
  const { event, property } = part.meaning;
  const isName = others.length === 0 && first?.text.includes("_") === true;
  if (!isName || (event === undefined && property === undefined)) return part;
  return { ...part, meaning: { ...part.meaning, roles: new Set() }, isSoft: false };
}

const PERSONS = ["visitor", "person", "customer"] as const;

/** "Visited", and "visit" after a person, is a page view and no session. */
function asVerb(part: Part, before: Part | undefined): Part {
  const { roles, event } = part.meaning;
  if (event === undefined || !roles.has("session")) return part;
  const isVerb = /(?:ed|ing)$/i.test(part.words[0]?.text ?? "");
  const isDone = PERSONS.some((role) => before?.meaning.roles.has(role) === true);
  if (!isVerb && !isDone) return part;
  return { ...part, meaning: { ...part.meaning, roles: new Set() } };
}

/** A common word that is also a name of the project means the name only after "by", or with others. */
function asFiller(part: Part, before: Part | undefined, vocabulary: Vocabulary): Part {
  const [first, ...others] = part.words;
  if (first === undefined || others.length > 0 || !vocabulary.isFiller(first)) return part;
  if (before?.meaning.roles.has("by") === true || part.meaning.values.length > 0) return part;
  return { ...part, meaning: { roles: part.meaning.roles, values: [] }, isSoft: true };
}

const hasStepAfter = (all: readonly Part[], at: number) =>
  all[at + 1]?.meaning.roles.has("to") === true;

/** Next to the name of its property, a word is a value of it and no event. */
function asValue(part: Part, beside: readonly (Part | undefined)[], before: string): Part {
  const { event, ...meaning } = part.meaning;
  if (event === undefined) return part;
  const isValueOf = (near: Part | undefined) => {
    const property = near?.meaning.property;
    return (
      property !== undefined && meaning.values.some((one) => one.property.name === property.name)
    );
  };
  const isFrom = /^(?:from|via|through)$/i.test(before);
  if (meaning.values.length === 0 || !(isFrom || beside.some(isValueOf))) return part;
  return { ...part, meaning: { roles: new Set(), values: meaning.values } };
}

function partAt(words: readonly Word[], from: number, vocabulary: Vocabulary): Omit<Part, "at"> {
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
    !roles.has("except") &&
    !roles.has("come_back")
  )
    return true;
  return [...roles].some((role) => SOFT.has(role));
}

const hasRole = ({ meaning }: Part, roles: readonly Role[]) =>
  roles.some((role) => meaning.roles.has(role));

/** The parts of a question that a reading has not used yet. */
export type Parts = ReturnType<typeof unreadOf>;

/** Roles of the parts of a question. */
export type PartRole = "measure" | "filter" | "order" | "breakdown";

/** Returns the parts of a question, for one attempt at a reading. */
export function unreadOf(all: readonly Part[]) {
  const left = new Set(all);
  const read = new Map<Part, PartRole>();
  let role: PartRole = "measure";
  const take = (part: Part | undefined) => {
    if (part !== undefined && left.delete(part)) read.set(part, role);
    return part;
  };
  const find = (fits: (part: Part) => boolean) => [...left].find(fits);
  const has = (...roles: Role[]) => find((part) => hasRole(part, roles));
  return {
    all,
    /** The parts that were taken, and the role of each. */
    read,
    /** Sets the role of the parts that are taken from now on. */
    as(next: PartRole): void {
      role = next;
    },
    left: () => [...left],
    isLeft: (part: Part) => left.has(part),
    find,
    has: (...roles: Role[]) => has(...roles) !== undefined,
    /** Takes the first part with one of some roles; undefined without one. */
    take: (...roles: Role[]) => take(has(...roles)),
    takePart: take,
    takeIf: (fits: (part: Part) => boolean) => take(find(fits)),
    /** Takes all parts with one of some roles. */
    takeAll: (...roles: Role[]) => {
      for (const part of left) if (hasRole(part, roles)) take(part);
    },
    /** Takes the parts that fit one by one. A caller may take others in between; these are left out. */
    *each(fits: (part: Part) => boolean) {
      for (let part = take(find(fits)); part !== undefined; part = take(find(fits))) yield part;
    },
    takeAllIf: (fits: (part: Part) => boolean) => {
      for (const part of left) if (fits(part)) take(part);
    },
    /** The part before or after another one, whether it is used or not. */
    beside: (part: Part, step: number) => all[part.at + step],
    /** The words that no reading may leave out. */
    unread: () => [...left].filter((part) => !part.isSoft),
  };
}
