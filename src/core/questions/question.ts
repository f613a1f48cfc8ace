import type { InsightType } from "../queries/insight.ts";
import { Failure } from "../values/failure.ts";
import { type JsonObject, storableText } from "../values/json.ts";
import { GRAMMARS, KIND } from "./grammars.ts";
import {
  type EventNames,
  folded,
  type Known,
  type NameIndex,
  nameIndex,
  namesIn,
  RESERVED_WORDS,
} from "./names.ts";
import {
  contains,
  markQuotedNames,
  type PossibleNames,
  possibleNames,
  type QuotedQuestion,
  withQuotes,
} from "./quoted-names.ts";
import { intervalFirst } from "./times.ts";

/** Characters of a question in words. */
export const WORDS_CHARS_MAX = 1000;

/** The forms of a question. Other forms are refused, as a wrong number is worse (decision 72). */
const FORMS: Record<InsightType, string> = {
  trends:
    "[hourly|daily|weekly|monthly] [unique users of|unique sessions of|sum of PROPERTY of|…] EVENT[, EVENT] [by PROPERTY[, person PROPERTY] [top N [only]]] [where PROPERTY is VALUE[ and …]] [last N days|since 2026-11-21|today|yesterday|this month] [in total] [compared to previous]",
  funnel:
    "[strict|unordered] funnel EVENT then EVENT[ then EVENT] [without EVENT[, EVENT]] [within N days] [by PROPERTY [top N]] [where PROPERTY is VALUE] [last N days]",
  retention:
    "[recurring] retention of EVENT[ then EVENT] [with N intervals] [by PROPERTY [top N]] [where PROPERTY is VALUE] [daily|weekly|monthly] [last N weeks]",
  paths:
    "paths [from /address|from EVENT] [to /address|to EVENT] [where PROPERTY is VALUE] [last N days]",
  lifecycle: "[daily|weekly|monthly] lifecycle of EVENT [where PROPERTY is VALUE] [last N days]",
  stickiness:
    "[daily|weekly|monthly] stickiness of EVENT[, EVENT] [where PROPERTY is VALUE] [last N days]",
};

/** The field that failures name, and the requested type of insight. */
export type QuestionTarget = { attr: string; type?: InsightType | undefined };

/**
 * Returns the query of a question in words; names are those of the project, in any case or in double
 * quotes. In a project without events any word may be a name. Fails `required`, `too_long`, and `invalid_input` with the part that was not understood.
 */
export function readWords(
  words: string,
  names: EventNames,
  { attr, type }: QuestionTarget,
): JsonObject {
  if (words.length > WORDS_CHARS_MAX) {
    throw new Failure("too_long", `At most ${WORDS_CHARS_MAX} characters.`, attr);
  }
  const question = markQuotedNames(storableText(words));
  if (question.text === "") throw new Failure("required", "This field is required.", attr);
  const readWith = (known: EventNames) => {
    const reading = { attr, type, index: nameIndex(known) };
    return unpunctuated(question, (one) => likeliest(one, reading));
  };
  if (names.events.length > 0) return readWith(names);
  try {
    return readWith(withNamesOf(question, names));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return readWith(names);
  }
}

/** A word that is taken for a name where the project has no events. */
const NAME = /^[$_\p{L}](?:\S*[\p{L}\p{N}_])?$/u;

/** Adds the words and quoted names of a question: without events each of them counts zero. */
function withNamesOf(question: QuotedQuestion, names: EventNames): EventNames {
  const isName = (text: string) =>
    question.quoted.includes(text) || (NAME.test(text) && !RESERVED_WORDS.has(folded(text)));
  const asked = possibleNames(question)
    .all.filter(isName)
    .map((name) => ({ name, count: 0 }));
  const person_properties = [...names.person_properties, ...asked];
  return { events: asked, properties: asked, person_properties };
}

/** Returns the parts of a question that may be names, folded, for a lookup of these. */
export function namesAsked(words: string): PossibleNames {
  if (words.length > WORDS_CHARS_MAX) return { all: [], ofPersons: [] };
  const { all, ofPersons } = possibleNames(markQuotedNames(storableText(words)));
  return { all: all.map(folded), ofPersons: ofPersons.map(folded) };
}

/** Reads a question, and on failure reads it without punctuation at its end, which names may have. */
function unpunctuated(
  question: QuotedQuestion,
  read: (question: QuotedQuestion) => JsonObject,
): JsonObject {
  try {
    return read(question);
  } catch (error) {
    const text = question.text.replace(/ ?[?.!;]+$/, "");
    if (text === question.text || text === "" || !(error instanceof Failure)) throw error;
    return read({ ...question, text });
  }
}

/** Options of one reading. */
type Reading = QuestionTarget & { index: NameIndex };

/**
 * Returns the query of the likeliest reading (decision 58). A name of the project is likelier than words
 * of the grammar, the longest name first. Fails `invalid_input` as the reading without a preference.
 */
function likeliest(question: QuotedQuestion, reading: Reading): JsonObject {
  const names = ambiguousNames(question, reading.index);
  const attempts: { one: QuotedQuestion; without: string[] }[] = [
    ...names.map((name) => ({ one: withQuotes(question, name), without: [] })),
    { one: question, without: [] },
    ...names.map((name) => ({ one: question, without: [name] })),
    { one: question, without: names },
  ];
  const failures: Failure[] = [];
  for (const { one, without } of attempts) {
    try {
      return read(one, new Set(without.map(folded)), reading);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  }
  throw failures[names.length];
}

/** Returns the query of one reading. Fails `invalid_input`. */
function read(
  { text, quoted }: QuotedQuestion,
  without: Set<string>,
  reading: Reading,
): JsonObject {
  const { attr, index, type: requested } = reading;
  const known = (form: string) => namesIn(index, { attr, form, quoted, without });
  const type = requested ?? typeOf(text, known(FORMS.trends));
  return GRAMMARS[type](text, known(FORMS[type]));
}

/** Returns the type that a question begins with. The name of an event comes before a type. */
function typeOf(text: string, known: Known): InsightType {
  const { rest } = intervalFirst(text);
  if ([text, rest].some((name) => known.event(name) !== undefined)) return "trends";
  const [, , kind = "trends"] = KIND.exec(rest) ?? [];
  return kind.toLowerCase().replace(/^path$/, "paths") as InsightType;
}

/** Names that readings try. */
const AMBIGUOUS_MAX = 6;

/**
 * Returns names in a question that contain words or signs of the grammar: the longest first, then exact ones. A name that is
 * one word of the grammar is read as that word wherever the grammar takes it.
 */
function ambiguousNames({ text }: QuotedQuestion, index: NameIndex): string[] {
  const all = Object.values(index).flatMap(({ list }) => list.map(({ name }) => name));
  const isAmbiguous = (name: string) =>
    /[,→]|->/.test(name) ||
    (!RESERVED_WORDS.has(folded(name)) &&
      folded(name)
        .split(" ")
        .some((word) => RESERVED_WORDS.has(word)));
  return [...new Set(all)]
    .filter((name) => isAmbiguous(name) && contains(name, text))
    .toSorted((a, b) => b.length - a.length || Number(text.includes(b)) - Number(text.includes(a)))
    .slice(0, AMBIGUOUS_MAX);
}
