import type { ProjectVocabulary } from "../ports/vocabulary.ts";
import type { JsonObject } from "../values/json.ts";
import { closestNames } from "../values/similar-names.ts";
import { indexOf } from "./names/build.ts";
import { FILLER } from "./names/lexicon.ts";
import { placesOf, readQuestion, type Unknown } from "./question.ts";
import { mended } from "./read/spelling.ts";
import { closeTo } from "./reasons.ts";
import type { Today } from "./text/dates.ts";
import { folded, nameWords } from "./text/stems.ts";
import { type TimeWords, takeTime } from "./text/time.ts";
import { wordsOf } from "./text/words.ts";

/** How many questions a refusal offers and tries, similar names are tried, unknown words are quoted, and reasons are given. */
const OFFERED_MAX = 3;
const TRIED_MAX = 8;
const NEAR_MAX = 3;
const UNKNOWN_MAX = 3;
const REASONS_MAX = 2;

/** How many characters of an unknown word, and of the question, a refusal quotes. */
const WORD_CHARS_MAX = 80;
const QUESTION_CHARS_MAX = 200;

/** SDK events that people rarely ask about. They are never offered. */
const SILENT = /^\$(?!pageview$|screen$)/;

/** Events with which people are visitors. */
const VIEWS: ReadonlySet<string> = new Set(["$pageview", "$screen"]);

/** Returns the text that refuses a question. It quotes the unknown words and offers questions that can be answered. */
export function refusalOf(
  question: string,
  unknown: readonly Unknown[],
  offers: readonly string[],
): string {
  const words = [...new Set(unknown.map(({ text }) => text).filter((text) => text !== ""))]
    .slice(0, UNKNOWN_MAX)
    .map((word) => JSON.stringify(word.slice(0, WORD_CHARS_MAX)));
  const what = words.length === 0 ? "This" : words.join(" and ");
  const verb = words.length > 1 ? "are" : "is";
  const reasons = [...new Set(unknown.flatMap(({ reason }) => reason ?? []))];
  const asked = JSON.stringify(question.slice(0, QUESTION_CHARS_MAX));
  const offered = offers.map((one) => JSON.stringify(one)).join("; ");
  return `${what} ${verb} not understood in ${asked}. ${reasons.slice(0, REASONS_MAX).join(" ")}${offered === "" ? "" : ` You can ask: ${offered}.`}`;
}

/** Returns a query as a whole question that is read as that query; undefined if no words say it. */
export type Say = (query: JsonObject) => string | undefined;

/**
 * Returns similar questions that can be answered, each in the words that say its query. They replace the unknown word with a similar name, leave it out, or
 * use only the words that were understood.
 */
export function offersFor(
  question: string,
  unknown: readonly Unknown[],
  vocabulary: ProjectVocabulary,
  today: Today,
  say: Say,
): string[] {
  const offers: string[] = [];
  for (const candidate of candidates(question, unknown, vocabulary, today)) {
    const { query } = readQuestion(candidate, vocabulary, today);
    const text = query === null ? undefined : say(query);
    const isNew = text !== undefined && !offers.includes(text) && folded(text) !== folded(question);
    if (isNew) offers.push(text);
    if (offers.length === TRIED_MAX) break;
  }
  // Those with a word of the question come first.
  const { text: left } = takeTime(question, today);
  const asked = new Set(wordsOf(left).flatMap(({ low, stem }) => (FILLER.has(low) ? [] : stem)));
  const isNear = (offer: string) =>
    wordsOf(takeTime(offer, today).text).some(({ stem }) => stem.length > 2 && asked.has(stem));
  const near = offers.filter(isNear);
  return [...near, ...offers.filter((one) => !near.includes(one))].slice(0, OFFERED_MAX);
}

/** The maximum number of other readings of a question. */
const OTHERS_MAX = 2;

/**
 * Returns the question with other names that its words may mean as well: an event that is less frequent, or a property
 * of the person. Each is read as another query.
 */
export function othersFor(
  question: string,
  query: JsonObject,
  vocabulary: ProjectVocabulary,
  today: Today,
  say: Say,
): string[] {
  const { text } = takeTime(question, today);
  const places = placesOf(wordsOf(text), indexOf(vocabulary));
  const candidates = places.sequence().flatMap(({ part, from }): [string, string][] => {
    if (part?.kind === "ev")
      return part.others.map(({ name }) => [part.text, JSON.stringify(name)]);
    const { properties = [], words = [] } = places.terms[from] ?? {};
    if (part !== undefined) return [];
    const label = words.map((word) => word.text).join(" ");
    return properties
      .filter(({ of }) => of === "person")
      .map(({ name }) => [label, `person.${JSON.stringify(name)}`]);
  });
  const readings = candidates.flatMap(([words, name]) => {
    const other = question.replace(words, () => name);
    const read = readQuestion(other, vocabulary, today).query;
    return read === null || Bun.deepEquals(read, query) ? [] : (say(read) ?? []);
  });
  return [...new Set(readings)].slice(0, OTHERS_MAX);
}

function* candidates(
  question: string,
  unknown: readonly Unknown[],
  vocabulary: ProjectVocabulary,
  today: Today,
): Generator<string> {
  const places = unknown
    .filter(({ start, end }) => start < end)
    .toSorted((a, b) => b.start - a.start);
  const [first] = places;
  if (first !== undefined && places.length === 1) {
    const close = closeTo(first.text, indexOf(vocabulary)).slice(0, NEAR_MAX);
    for (const name of [...close, ...nearNames(first.text, vocabulary)])
      yield `${question.slice(0, first.start)}${name}${question.slice(first.end)}`;
  }
  if (first !== undefined) {
    const bare = withoutPlaces(question, places);
    if (wordsOf(bare).length >= 2) yield bare;
  }
  yield* near(question, vocabulary, today);
}

/** Removes words from a question, and the prepositions before them. `places` must be in descending order. */
const withoutPlaces = (question: string, places: readonly Unknown[]): string =>
  places
    .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), question)
    .replace(/\b(?:from|in|on|with|via|by|of|for|per|at|the|a|an|to)\s+(?=$|[?.,!]|\s)/gi, " ")
    .replace(/\s+([?.,!])/g, "$1");

/** Questions about the events, properties and values in a question, then about the most frequent events. */
function* near(question: string, vocabulary: ProjectVocabulary, today: Today): Generator<string> {
  const { text: left, when, said } = takeTime(question, today);
  const period = periodWords(question, said);
  const times = `${when.interval === undefined ? "" : ` per ${when.interval}`}${period}`;
  const { events, labels, values } = namedIn(left, vocabulary);
  for (const name of events) {
    for (const label of labels) yield `${name} by ${label}${period}`;
    for (const value of values) yield `how many ${name} ${value}${period}`;
    yield `how many ${name}${times}`;
    yield `people with ${name}${times}`;
  }
  const people = vocabulary.events.some(({ name }) => VIEWS.has(name)) ? "visitors" : "users";
  for (const label of labels) yield `${people} by ${label}${period}`;
  if (events.length === 0 && /visitor|user|people|person|customer/i.test(question)) {
    yield `how many ${people}${times}`;
    yield `active users per week${period}`;
  }
  const frequent = vocabulary.events.filter(({ name }) => !SILENT.test(name)).slice(0, NEAR_MAX);
  for (const { name } of frequent) yield `how many ${spoken(name)}${times}`;
  if (frequent.length > 1) return;
  yield `how many visitors${times}`;
  yield `how many page views${times}`;
}

/**
 * The events, labels and filters that a text names, in words. Without an event, those with a word of the text in their
 * name, and those with a property that is named.
 */
function namedIn(text: string, vocabulary: ProjectVocabulary) {
  const index = indexOf(vocabulary);
  const words = wordsOf(text).map((word) => mended(word, index));
  const places = placesOf(words, index);
  const all = places.sequence().map((one) => ({ ...one, term: places.terms[one.from] }));
  const named = all.flatMap(({ part }) => (part?.kind === "ev" ? [part.event.name] : []));
  const filters = all.flatMap(({ part }) => (part?.kind === "filter" ? [part] : []));
  const labels = all.flatMap(({ part, term }) =>
    part === undefined ? (term?.properties.slice(0, 1) ?? []) : [],
  );
  const inNames = all.flatMap(({ part, term }) => (part === undefined ? (term?.partOf ?? []) : []));
  const owners = [
    ...labels,
    ...filters.flatMap(({ of }) => of.slice(0, 1).map((one) => one.property)),
  ];
  const near = [
    ...inNames.map(({ name }) => name),
    ...owners.flatMap(({ of, events = [] }) => (of === "event" ? [...events].slice(0, 1) : [])),
  ].filter((name) => !SILENT.test(name));
  return {
    events: [...new Set(named.length > 0 ? named : near)].slice(0, NEAR_MAX).map(spoken),
    labels: labels.map(({ name, group }) =>
      group === undefined || name !== "name" ? spoken(name) : groupWord(vocabulary, group),
    ),
    values: filters.map((one) => one.text),
  };
}

const groupWord = ({ groups }: ProjectVocabulary, index: number): string =>
  groups.find((one) => one.group_type_index === index)?.group_type ?? "group";

/** The period and its comparison in the words of the question, or the default period. */
function periodWords(question: string, said: readonly TimeWords[]): string {
  const isSaid = ({ role, start, end }: TimeWords) =>
    role === "period" ||
    (role === "comparison" &&
      /last|previous|before|earlier|over/i.test(question.slice(start, end)));
  const all = said.filter(isSaid);
  if (all.length === 0) return " in the last 30 days";
  const from = Math.min(...all.map(({ start }) => start));
  return ` ${question.slice(from, Math.max(...all.map(({ end }) => end)))}`;
}

/** Event and property names that are similar to a word. */
function nearNames(word: string, vocabulary: ProjectVocabulary): string[] {
  const names = [
    ...vocabulary.events.filter(({ name }) => !SILENT.test(name)).map(({ name }) => name),
    ...vocabulary.events
      .flatMap(({ properties }) => properties.map(({ name }) => name))
      .filter((name) => !name.startsWith("$")),
  ];
  const all = closestNames(folded(word), [...new Set(names)], (name) => nameWords(name).join(" "));
  return all
    .filter(({ like }) => like > 0)
    .slice(0, NEAR_MAX)
    .map(({ name }) => spoken(name));
}

/** A name as a person would type it. */
function spoken(name: string): string {
  if (name === "$pageview") return "page views";
  if (name === "$screen") return "screen views";
  return nameWords(name).join(" ");
}
