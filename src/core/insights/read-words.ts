import { readQuery, WORDS_KIND } from "../queries/insight.ts";
import type { EventNames } from "../questions/names.ts";
import { namesAsked, WORDS_CHARS_MAX } from "../questions/question.ts";
import type { SaidPart } from "../questions/readings/read.ts";
import { offeredFor } from "../questions/readings/refusal.ts";
import { isTotal, sentenceOf } from "../questions/sentence.ts";
import { Failure } from "../values/failure.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { type AnswerNeeds, type Asking, explained } from "./answers.ts";
import { compiled, readEnglish, shortForm, type WordsAsked, type WordsNeeds } from "./words.ts";

/** A question to read: words, or a query. */
export type ReadAsked = { words?: string | undefined; query?: Json | undefined };

/** How a question is read. */
export type WordsRead = {
  /** Null if the words are not understood. */
  query: JsonObject | null;
  /** Words that are read as the query; null if no words say it. */
  sentence: string | null;
  /** The measure, the filters and the period of the query in one sentence; null without one. */
  explanation: string | null;
  /** The parts of the words, in their order; of a query those of its sentence. Places count UTF-16 code units. */
  parts: SaidPart[];
  /** All readings of the words that have a sentence of their own, the likeliest first. */
  readings: { sentence: string; query: JsonObject }[];
  /** The places of words that are not understood. */
  unknown: { start: number; end: number }[];
  /** Sentences that are understood, near to words that are not. */
  suggestions: string[];
};

type Needs = WordsNeeds & AnswerNeeds;

/**
 * Reads words as a query, or says a query in words. Words that are not understood are no failure. Fails `required` without
 * both, `too_long`, and on an invalid query as `readQuery`.
 */
export async function readAsked(
  needs: Needs,
  { words, query }: ReadAsked,
  asking: Asking,
): Promise<WordsRead> {
  if (isObject(query ?? null)) return await ofQuery(needs, query as JsonObject, asking);
  if (words !== undefined) return await ofWords(needs, words, asking);
  throw new Failure("required", "Words are expected, or a query.", "words");
}

/** Reads the sentence of a query; the query stays as it was sent. */
async function ofQuery(needs: Needs, sent: JsonObject, asking: Asking): Promise<WordsRead> {
  const { kind, source, query: words } = sent;
  if (kind === "InsightVizNode" && isObject(source)) return await ofQuery(needs, source, asking);
  if (kind === WORDS_KIND && typeof words === "string") return await ofWords(needs, words, asking);
  const sentence = await sentenceIn(needs, sent, asking);
  if (sentence !== null)
    return { ...(await ofWords(needs, sentence, asking)), query: sent, sentence };
  const explanation = await explained(needs, { query: sent, reading: null, others: [] }, asking);
  const nothing = { parts: [], readings: [], unknown: [], suggestions: [] };
  return { query: sent, sentence, explanation, ...nothing };
}

/** Returns the sentence that the project reads as a query; null if no words say it. */
async function sentenceIn(
  needs: Needs,
  sent: JsonObject,
  asking: Asking,
  known?: EventNames,
): Promise<string | null> {
  const { project, signal, moment } = asking;
  for (const quotesAll of [false, true]) {
    const sentence = sentenceOf(sent, moment, { quotesAll });
    if (sentence === null || sentence.length > WORDS_CHARS_MAX) return null;
    const names = known ?? (await needs.queries.names(project, signal, namesAsked(sentence).all));
    const back = await shortIn(needs, { ...asking, words: sentence, attr: "words" }, names);
    if (back !== undefined && isSame(back, sent, asking)) return sentence;
  }
  return null;
}

/** Whether two queries have the same answer. */
function isSame(one: JsonObject, other: JsonObject, { moment }: Asking): boolean {
  if (isTotal(one) !== isTotal(other)) return false;
  const [a, b] = [one, other].map((query) => withoutNames(readQuery(query, moment)));
  return a === b;
}

/** A query as text, without the caller's names for its events, which change no number. */
const withoutNames = (query: object) =>
  JSON.stringify(query, (key, value) => (key === "name" ? undefined : value));

async function ofWords(needs: Needs, words: string, asking: Asking): Promise<WordsRead> {
  const asked: WordsAsked = { ...asking, words, attr: "words" };
  const names = await needs.queries.names(asking.project, asking.signal, namesAsked(words).all);
  const short = words.trim() === "" ? undefined : await shortIn(needs, asked, names);
  const { readings, unknown, parts, names: known } = await readEnglish(needs, asked, names);
  const english = readings.map((reading) => ({ reading, query: compiled(reading, words) }));
  const [first] = short === undefined ? english : [{ reading: null, query: short }, ...english];
  const suggestions = first === undefined ? offeredFor(words, known) : [];
  if (first === undefined) {
    const places = unknown.flatMap(({ start, end }) => (start < end ? [{ start, end }] : []));
    const nothing = { query: null, sentence: null, explanation: null, readings: [] };
    return { ...nothing, parts, unknown: places, suggestions };
  }
  const sentences: WordsRead["readings"] = [];
  for (const { query } of short === undefined ? english : [first]) {
    // Without a sentence of its own the first reading is said by the words, which are read as it.
    const isOfWords = query["kind"] === WORDS_KIND;
    const said = isOfWords ? words : await sentenceIn(needs, query, asking, names);
    const sentence = said ?? onlyIf(query === first.query, words);
    const isNew = sentences.every((one) => one.sentence !== sentence);
    if (sentence !== null && isNew) sentences.push({ sentence, query });
  }
  return {
    query: first.query,
    sentence: sentences.find(({ query }) => query === first.query)?.sentence ?? null,
    explanation: await explained(needs, { ...first, others: [] }, asking),
    parts,
    readings: sentences,
    unknown: [],
    suggestions,
  };
}

const onlyIf = (isMeant: boolean, words: string) => (isMeant ? words : null);

async function shortIn(
  needs: Needs,
  asked: WordsAsked,
  names: EventNames,
): Promise<JsonObject | undefined> {
  try {
    return await shortForm(needs, asked, names);
  } catch (error) {
    if (error instanceof Failure && error.code === "invalid_input") return undefined;
    throw error;
  }
}
