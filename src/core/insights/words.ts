import type { GroupReads } from "../ports/groups.ts";
import type { InsightQueries } from "../ports/insights.ts";
import { WORDS_KIND } from "../queries/insight.ts";
import { plainEnglish, wordsOf } from "../questions/language/english.ts";
import type { ProjectNames } from "../questions/language/name-keys.ts";
import { possibleValues, vocabularyOf } from "../questions/language/vocabulary.ts";
import type { EventNames } from "../questions/names.ts";
import {
  namesAsked,
  type QuestionTarget,
  readWords,
  WORDS_CHARS_MAX,
} from "../questions/question.ts";
import { queryOf } from "../questions/readings/compile.ts";
import { expectedOf, isOfSteps } from "../questions/readings/possible.ts";
import { readQuestion, type Understood } from "../questions/readings/read.ts";
import type { Reading } from "../questions/readings/reading.ts";
import { refusalOf } from "../questions/readings/refusal.ts";
import { measureName } from "../questions/readings/say.ts";
import { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";
import { isoTime } from "../values/time.ts";
import { type Moment, wallClock } from "../values/zoned-time.ts";

/** The meaning of a question in words: a query, or a reading that no kind of query can express. */
export type Meant = {
  query: JsonObject;
  /** The reading; null of a question in the short form. */
  reading: Reading | null;
  /** Other things that the words may mean, in words. */
  others: string[];
};

/** The stores that questions are read with. */
export type WordsNeeds = {
  queries: Pick<InsightQueries, "names" | "personNames" | "values" | "hasProperty">;
  groups: Pick<GroupReads, "types">;
};

/** A question in words, who asks it and when. */
export type WordsAsked = QuestionTarget & {
  project: number;
  words: string;
  moment: Moment;
  signal: AbortSignal;
};

/**
 * Returns what a question means. The short forms of `readWords` come first, then the language of
 * `questions/language`. Fails as `readWords`; the failure offers whole questions.
 */
export async function meaningOf(needs: WordsNeeds, asked: WordsAsked): Promise<Meant> {
  const { project, words, signal, ...target } = asked;
  const { all } = namesAsked(words);
  const names = await needs.queries.names(project, signal, all);
  try {
    return { query: await shortForm(needs, asked, names), reading: null, others: [] };
  } catch (error) {
    if (
      !(error instanceof Failure) ||
      error.code !== "invalid_input" ||
      words.length > WORDS_CHARS_MAX
    )
      throw error;
    if (target.type !== undefined) throw error;
    return await inEnglish(needs, asked, names);
  }
}

/** Returns the query of a question in the short form. Fails as `readWords`. */
export async function shortForm(
  { queries }: WordsNeeds,
  { project, words, signal, moment: _moment, ...target }: WordsAsked,
  names: EventNames,
): Promise<JsonObject> {
  const { ofPersons } = namesAsked(words);
  try {
    return readWords(words, names, target);
  } catch (error) {
    if (!(error instanceof Failure) || ofPersons.length === 0) throw error;
    const rare = await queries.personNames(project, signal, ofPersons);
    return readWords(
      words,
      { ...names, person_properties: [...names.person_properties, ...rare] },
      target,
    );
  }
}

async function inEnglish(needs: WordsNeeds, asked: WordsAsked, names: EventNames): Promise<Meant> {
  const { words, attr } = asked;
  const found = await readEnglish(needs, asked, names);
  const [reading, ...others] = found.readings;
  if (reading === undefined) {
    const unread = found.unknown.map(({ text }) => text);
    throw new Failure("invalid_input", refusalOf(words, unread, found.names), attr);
  }
  return {
    query: compiled(reading, words),
    reading,
    others: others.map(({ measure }) => measureName(measure)),
  };
}

/** Returns the query of a reading: one that keeps the words, if no kind of query can express it. */
export const compiled = (reading: Reading, words: string): JsonObject =>
  queryOf(reading) ?? { kind: WORDS_KIND, query: words };

/** Reads a question in plain English. A reading is left out if the project lacks a property of it. */
export async function readEnglish(
  { queries, groups }: WordsNeeds,
  { project, words, moment, signal }: WordsAsked,
  names: EventNames,
): Promise<Understood & { names: ProjectNames }> {
  const possible = possibleValues(wordsOf(plainEnglish(words).text));
  const project_names: ProjectNames = {
    ...names,
    groupTypes: await groups.types(project),
    values: await queries.values(project, signal, possible),
  };
  const today = isoTime(wallClock(moment.now, moment.timezone));
  const read = readQuestion(words, vocabularyOf(project_names), today);
  const missing: string[] = [];
  const readings: Reading[] = [];
  for (const one of read.readings) {
    const lacking = await lackingIn(queries, project, signal, one);
    if (lacking === undefined) readings.push(one);
    else missing.push(lacking);
  }
  const about = read.parts.find(({ role }) => role === "breakdown" || role === "filter");
  const { start, end } = about ?? { start: 0, end: words.length };
  const unknown =
    readings.length > 0 || read.unknown.length > 0
      ? read.unknown
      : missing.map((text) => ({ text, start, end }));
  return { ...read, readings, unknown, names: project_names };
}

/** Returns a property that a reading expects an event to have, and that none of them has. */
async function lackingIn(
  queries: WordsNeeds["queries"],
  project: number,
  signal: AbortSignal,
  reading: Reading,
): Promise<string | undefined> {
  const expected = expectedOf(reading);
  for (const { property } of expected) {
    const ofEvents = expected.filter((one) => one.property === property);
    const found = await Promise.all(
      ofEvents.map((one) => queries.hasProperty(project, signal, one)),
    );
    const isFound = isOfSteps(reading.measure) ? found.every(Boolean) : found.some(Boolean);
    if (!isFound) return property;
  }
  return undefined;
}
