import type { ProjectVocabulary } from "../ports/vocabulary.ts";
import type { JsonObject } from "../values/json.ts";
import { calculation } from "./measures/calculations.ts";
import { counts } from "./measures/counts.ts";
import { takeNouns } from "./measures/deeds.ts";
import { different } from "./measures/different.ts";
import type { Draft } from "./measures/draft.ts";
import { funnel } from "./measures/funnels.ts";
import { lifecycle, paths, stickiness } from "./measures/journeys.ts";
import { money, refuseOurs } from "./measures/money.ts";
import { onePerson, personsNow, whoDid } from "./measures/persons.ts";
import { labelled, sold } from "./measures/ranked.ts";
import { asShare, perEach, rate, ratio } from "./measures/ratios.ts";
import { retention } from "./measures/retention.ts";
import { share } from "./measures/shares.ts";
import { active, sessions } from "./measures/visits.ts";
import { indexOf } from "./names/build.ts";
import type { NameIndex } from "./names/index.ts";
import { type LongName, timedNames } from "./names/long-names.ts";
import { Asked, type Item, isTagged, NotUnderstood, textOf } from "./read/asked.ts";
import { isOfEventsAlone, unmet } from "./read/check.ts";
import { completed } from "./read/complete.ts";
import { readNamedConditions, readTexts } from "./read/conditions.ts";
import { readEvents } from "./read/events.ts";
import type { Label } from "./read/labels.ts";
import { readNumbers } from "./read/numbers.ts";
import type { Part } from "./read/parts.ts";
import { Places } from "./read/rules.ts";
import { mended } from "./read/spelling.ts";
import { takeLabels } from "./read/take-labels.ts";
import { termsOf } from "./read/terms.ts";
import { refuseInterval } from "./read/unclear.ts";
import { readAlternatives, readPlaces, readValues } from "./read/values.ts";
import { reasonFor, reasonForNothing } from "./reasons.ts";
import type { Today } from "./text/dates.ts";
import { type TimeWords, takeTime } from "./text/time.ts";
import { type Word, wordsOf } from "./text/words.ts";

/** The maximum length of a question, in characters. */
export const WORDS_CHARS_MAX = 1000;

/** Words that were not understood and their position in the text, with the reason if it is known. */
export type Unknown = { text: string; start: number; end: number; reason?: string };

/** Roles of the parts of a question. */
export type PartRole = "measure" | "filter" | "order" | "breakdown" | TimeWords["role"];

/** A part of a question: its role and its position in the text, in UTF-16 code units. */
export type SaidPart = { role: PartRole; start: number; end: number };

/** The result of reading a question: a query, or the words that were not understood. */
export type Read =
  | { query: JsonObject; parts: SaidPart[] }
  | { query: null; unknown: Unknown[]; parts: SaidPart[] };

/** The measures in the order they are tried, the more specific ones first. */
const MEASURES: readonly ((asked: Asked, labels: readonly Label[]) => Draft | undefined)[] = [
  lifecycle,
  paths,
  onePerson,
  stickiness,
  retention,
  ratio,
  funnel,
  asShare,
  share,
  perEach,
  personsNow,
  whoDid,
  sold,
  money,
  rate,
  different,
  calculation,
  active,
  sessions,
  counts,
];

/** Reads a question. `today` is the current time in the project's time zone. */
export function readQuestion(question: string, vocabulary: ProjectVocabulary, today: Today): Read {
  const index = indexOf(vocabulary);
  const text = question.replace(/\bteh\b/gi, "the");
  const { text: left, when, said, name } = takeTimes(text, index, today);
  if (name !== undefined) return { query: null, unknown: [partlyTime(name)], parts: [] };
  const words = wordsOf(left).map((word) => mended(word, index));
  const twice = doubled(words);
  if (twice !== undefined)
    return { query: null, unknown: [unknownOf(twice, "It stands there twice.")], parts: said };
  const places = placesOf(words, index);
  const inWords = (unknown: Unknown[]): Unknown[] =>
    unknown.map((one) => {
      const isWord = one.start < one.end && question[one.start] !== '"';
      const text = isWord ? question.slice(one.start, one.end) : one.text;
      return { ...one, text, reason: one.reason ?? reasonFor(one, places, index) };
    });
  for (const measure of [...MEASURES, labelled]) {
    const attempt = attempted(measure, new Asked(places, index, { ...when }), words, places);
    if (attempt === undefined) continue;
    const parts = [...attempt.parts, ...said].toSorted((a, b) => a.start - b.start);
    if ("query" in attempt) return { query: attempt.query, parts };
    return { query: null, unknown: inWords(attempt.unknown), parts };
  }
  const strange = strangeOf(places);
  const unknown = strange.length > 0 ? strange : [wholeOf(left, reasonForNothing(left, places))];
  return { query: null, unknown: inWords(unknown), parts: said };
}

/**
 * Reads the words about time in a question, but not those in a name, such as "monthly report". A name that has only some
 * of them, as in "members since 2026", is returned.
 */
function takeTimes(text: string, { longNames }: NameIndex, today: Today) {
  const timed = takeTime(text, today);
  const names = timedNames(text, timed.said, longNames);
  const isPart = ({ start, end }: LongName) =>
    timed.said.some((one) => one.start < end && start < one.end && one.end > end);
  const name = names.find(isPart);
  if (names.length === 0 || name !== undefined) return { ...timed, name };
  const hide = (whole: string, filler: (one: LongName) => string) =>
    names.reduce((all, one) => all.slice(0, one.start) + filler(one) + all.slice(one.end), whole);
  const others = takeTime(
    hide(text, ({ start, end }) => '"'.repeat(end - start)),
    today,
  );
  return { ...others, text: hide(others.text, (one) => one.text), name: undefined };
}

const partlyTime = (name: LongName): Unknown => ({
  ...name,
  reason: `It may be a name, or a part of the period. Write the name in double quotes, or the period at the beginning.`,
});

/** The whole text as one unknown part, for when no single word is the problem. */
function wholeOf(text: string, reason: string): Unknown {
  const words = text.replace(/[\s,?!.]+$/, "");
  const start = Math.max(0, words.search(/[^\s,]/));
  return { text: words.slice(start).replace(/\s+/g, " "), start, end: words.length, reason };
}

type Attempt = { parts: SaidPart[] } & ({ query: JsonObject } | { unknown: Unknown[] });

function attempted(
  measure: (typeof MEASURES)[number],
  asked: Asked,
  words: readonly Word[],
  places: Places<Part>,
): Attempt | undefined {
  try {
    refuseOurs(asked);
    takeNouns(asked);
    const labels = takeLabels(asked);
    const draft = measure(asked, labels.labels);
    if (draft === undefined) return undefined;
    const query = completed(asked, draft, labels);
    refuseInterval(asked, query);
    const unread = unreadOf(asked, query);
    const parts = partsOf(asked);
    return unread.length === 0 ? { query, parts } : { unknown: unread, parts };
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    const strange = strangeOf(places);
    return {
      unknown: strange.length > 0 ? strange : [placed(error, words)],
      parts: partsOf(asked),
    };
  }
}

/** The parts of a question with their roles. */
function partsOf(asked: Asked): SaidPart[] {
  return asked.items.flatMap(({ part, tags, term, isUsed }): SaidPart[] => {
    const [first, last] = [term.words[0], term.words.at(-1)];
    const isWord = part !== undefined || (isUsed && !tags.includes("F"));
    if (!isWord || first === undefined || last === undefined) return [];
    const role = ROLES.find(([, all]) => all.some((tag) => tags.includes(tag)))?.[0] ?? "measure";
    return [{ role, start: first.start, end: last.end }];
  });
}

const ROLES: readonly [PartRole, readonly string[]][] = [
  ["filter", ["FILTER", "PAGES", "CMP", "FREQ", "WHOM"]],
  ["order", ["MOST", "LEAST", "NUM"]],
  ["breakdown", ["BY", "PROP", "WEEKDAY", "HOUR", "ENTRY", "EXIT", "CHANNEL", "GROUP"]],
];

/** Splits words into terms and reads their parts. */
export function placesOf(words: readonly Word[], index: NameIndex): Places<Part> {
  const places = new Places<Part>(termsOf(words, index));
  readNumbers(places);
  readPlaces(places, index);
  readNamedConditions(places, index);
  readEvents(places, index);
  readTexts(places, index);
  readValues(places);
  // "How much did we refund" is about the event, although "refund" is a value too.
  if (!places.sequence().some(({ part }) => part?.kind === "ev")) readEvents(places, index, true);
  readAlternatives(places);
  return places;
}

/** Words that are missing from the query. An "and" between two used parts is fine. */
function unreadOf(asked: Asked, query: JsonObject): Unknown[] {
  const unread = asked.unread();
  // "App vs website" compares two words that mean nothing here.
  const isIdle = (item: Item | undefined) =>
    item?.part === undefined && item?.tags.includes("F") === true;
  const idle = asked.items.find(
    (item) =>
      isTagged(item, "VERSUS") && [-1, 1].every((step) => isIdle(asked.items[item.at + step])),
  );
  if (idle !== undefined) unread.push(idle);
  const isFine = (item: Item) =>
    isTagged(item, "COUNT") ||
    (isTagged(item, "AND", "WHO", "SET_ANY") && isJoint(asked, item)) ||
    (isTagged(item, "ONLY") && isOfEventsAlone(asked, query));
  return [...unread, ...unmet(asked, query).filter((item) => !unread.includes(item))]
    .filter((item) => !isFine(item))
    .map((item) => {
      const { start = 0 } = item.term.words[0] ?? {};
      const { end = 0 } = item.term.words.at(-1) ?? {};
      return unknownOf({ text: textOf(item), start, end }, byValue(item, asked.items[item.at + 1]));
    });
}

/** Returns the other ways to write "by" and a value. */
function byValue(by: Item, next: Item | undefined): string | undefined {
  const [known] = next?.term.values ?? [];
  if (by.word !== "by" || next === undefined || known === undefined) return undefined;
  const [name, value] = [known.property.name, JSON.stringify(known.value)];
  return `${JSON.stringify(textOf(next))} is a value of ${name}. Write "by ${name}" for a line each; for those alone, write where ${name} is ${value}.`;
}

const isJoint = (asked: Asked, item: Item): boolean =>
  ([-1, 1] as const).every((step) => asked.beside(item, step)?.isUsed === true);

/** The second of two equal words in a row, except words such as "that" that may repeat. */
const doubled = (words: readonly Word[]): Word | undefined =>
  words.find(
    (word, at) =>
      at > 0 &&
      word.low === words[at - 1]?.low &&
      /\p{L}|\d/u.test(word.low) &&
      !/^(?:a|the|that|is|had|very)$/.test(word.low),
  );

/** Words that match nothing in the lexicon or the project. */
function strangeOf(places: Places<Part>): Unknown[] {
  return places.sequence().flatMap(({ tags, part, joins, from }) => {
    const isStrange = part === undefined && joins === undefined && tags.length === 0;
    const term = places.terms[from];
    return isStrange && term !== undefined && term.words[0] !== undefined
      ? [unknownOf(term.words[0])]
      : [];
  });
}

const unknownOf = (
  { text, start, end }: Pick<Word, "text" | "start" | "end">,
  reason?: string,
): Unknown => ({ text, start, end, ...(reason === undefined ? {} : { reason }) });

function placed({ words: text, reason }: NotUnderstood, words: readonly Word[]): Unknown {
  const named = text.toLowerCase().split(/\s+/);
  const at = words.findIndex(({ low }) => named.includes(low));
  const last = words[at + named.length - 1];
  const end = last?.low === named.at(-1) ? last?.end : words[at]?.end;
  return unknownOf({ text, start: words[at]?.start ?? 0, end: end ?? 0 }, reason);
}
