import type { InsightType } from "../queries/insight.ts";
import { Failure } from "../values/failure.ts";
import { isObject, type Json, type JsonObject, storableText } from "../values/json.ts";
import { GRAMMARS, KIND } from "./grammars.ts";
import {
  type EventNames,
  folded,
  type Known,
  type NameIndex,
  nameIndex,
  namesIn,
} from "./names.ts";
import { asked, type Marked, marked, quoting, stands } from "./quoted-names.ts";
import { intervalFirst } from "./times.ts";
import { OWN_WORDS } from "./words-own.ts";

/** Characters of a question in words. */
export const WORDS_CHARS_MAX = 1000;

/** The forms of a question; a form that is not here is refused, for a wrong number is worse (decision 72). */
const FORMS: Record<InsightType, string> = {
  trends:
    "[hourly|daily|weekly|monthly] [unique users of|unique sessions of|sum of PROPERTY of|…] EVENT[, EVENT] [by PROPERTY[, person PROPERTY] [top N]] [last N days|since 2026-11-21|today|yesterday] [compared to previous]",
  funnel:
    "[strict|unordered] funnel EVENT then EVENT[ then EVENT] [without EVENT[, EVENT]] [within N days] [by PROPERTY [top N]] [last N days]",
  retention:
    "[recurring] retention of EVENT[ then EVENT] [by PROPERTY [top N]] [daily|weekly|monthly] [last N weeks]",
  paths: "paths [from /address|from EVENT] [to /address|to EVENT] [last N days]",
  lifecycle: "[daily|weekly|monthly] lifecycle of EVENT [last N days]",
  stickiness: "[daily|weekly|monthly] stickiness of EVENT[, EVENT] [last N days]",
};

/** Which field the words are in, and of which type the answer is to be, if that is told. */
export type WordsAsked = { attr: string; type?: InsightType | undefined };

/**
 * The query that words ask for, in which names are those of the project, in any case or in double
 * quotes. Fails `required`, `too_long`, and `invalid_input` with what was not understood and what there
 * is instead, or with the readings of what has several.
 */
export function readWords(
  words: string,
  names: EventNames,
  { attr, type }: WordsAsked,
): JsonObject {
  if (words.length > WORDS_CHARS_MAX) {
    throw new Failure("too_long", `At most ${WORDS_CHARS_MAX} characters.`, attr);
  }
  const question = marked(storableText(words));
  if (question.text === "") throw new Failure("required", "This field is required.", attr);
  const reading = { attr, type, index: nameIndex(names) };
  const queries = unpunctuated(question, (one) => readings(one, reading));
  const [query, ...others] = queries;
  if (query !== undefined && others.length === 0) return query;
  const offers = queries.slice(0, OFFERS_MAX).flatMap((one) => offer(question, one, reading));
  const offered = offers.join(" – or – ");
  const detail = "The words have several readings: put names into double quotes.";
  throw new Failure("invalid_input", offered === "" ? detail : `${detail} ${offered}`, attr);
}

/** The names that words have in quotes, which need not be frequent. */
export function namesInQuotes(words: string): readonly string[] {
  return words.length > WORDS_CHARS_MAX ? [] : marked(storableText(words)).quoted;
}

/** Words may end like a sentence, and so may names: they are read as they are first. */
function unpunctuated<T>(question: Marked, read: (question: Marked) => T): T {
  try {
    return read(question);
  } catch (error) {
    const text = question.text.replace(/ ?[?.!;]+$/, "");
    if (text === question.text || text === "" || !(error instanceof Failure)) throw error;
    return read({ ...question, text });
  }
}

/** Readings that are offered, and characters of each. */
const OFFERS_MAX = 4;
const OFFER_CHARS_MAX = 300;

/** With what words are read. */
type Reading = WordsAsked & { index: NameIndex };

/** Every query that a question may ask for (decision 58), at least one. Fails `invalid_input`. */
function readings(question: Marked, reading: Reading): JsonObject[] {
  const tricky = trickyNames(question, reading.index);
  const queries = new Map<string, JsonObject>();
  const tryOne = (one: Marked, without: string[]): Failure | undefined => {
    try {
      const query = read(one, new Set(without.map(folded)), reading);
      queries.set(JSON.stringify(query), query);
      return undefined;
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  };
  const failure = tryOne(question, []);
  for (const name of tricky) {
    tryOne(quoting(question, name), []);
    tryOne(question, [name]);
  }
  if (tricky.length > 0) tryOne(question, tricky);
  if (queries.size === 0 && failure !== undefined) throw failure;
  return [...queries.values()];
}

/** The query of a question as it is read first. Fails `invalid_input`. */
function read({ text, quoted }: Marked, without: Set<string>, asked: Reading): JsonObject {
  const { attr, index, type: told } = asked;
  const known = (form: string) => namesIn(index, { attr, form, quoted, without });
  const type = told ?? typeOf(text, known(FORMS.trends));
  return GRAMMARS[type](text, known(FORMS[type]));
}

/** What a question is of, which stands at its beginning. An event may be called like that, too. */
function typeOf(text: string, known: Known): InsightType {
  const { rest } = intervalFirst(text);
  if ([text, rest].some((name) => known.event(name) !== undefined)) return "trends";
  const [, , kind = "trends"] = KIND.exec(rest) ?? [];
  return kind.toLowerCase().replace(/^path$/, "paths") as InsightType;
}

/** Names that a question is read with and without. */
const TRICKY_MAX = 6;

/** Names that stand in a question and have in them what it has a use for; the longest first. */
function trickyNames({ text }: Marked, index: NameIndex): string[] {
  const all = Object.values(index).flatMap(({ list }) => list.map(({ name }) => name));
  const isTricky = (name: string) =>
    /[,→]|->/.test(name) ||
    folded(name)
      .split(" ")
      .some((word) => OWN_WORDS.has(word));
  return [...new Set(all)]
    .filter((name) => isTricky(name) && stands(name, text))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, TRICKY_MAX);
}

/** The question with those names in quotes that a reading has, if that says it alone. */
function offer(question: Marked, query: JsonObject, reading: Reading): string[] {
  const names = namesOf(query).toSorted((a, b) => b.length - a.length);
  const spelled = names.reduce(quoting, question);
  if (asked(spelled).length > OFFER_CHARS_MAX) return [];
  try {
    const again = readings(spelled, reading);
    const isSame = JSON.stringify(again) === JSON.stringify([query]);
    return isSame ? [asked(spelled)] : [];
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

const NAMING = ["event", "id", "math_property", "breakdown", "property", "startPoint", "endPoint"];

/** The names of events and properties in a query. */
function namesOf(part: Json): string[] {
  if (Array.isArray(part)) return part.flatMap(namesOf);
  if (!isObject(part)) return [];
  const found = Object.entries(part).flatMap(([field, value]) =>
    NAMING.includes(field) && typeof value === "string" ? [value] : namesOf(value),
  );
  return [...new Set(found)];
}
