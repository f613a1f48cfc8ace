import { sourceOf, wordsIn } from "../../queries/insight.ts";
import { isTable } from "../../queries/tables/table.ts";
import { offersFor } from "../../questions/offers.ts";
import type { PartRole } from "../../questions/question.ts";
import { Failure } from "../../values/failure.ts";
import { isObject, type Json, type JsonObject } from "../../values/json.ts";
import { isoTime } from "../../values/time.ts";
import { wallClock } from "../../values/zoned-time.ts";
import { type AnswerNeeds, type Asking, queryExplanation } from "../answers.ts";
import { tableExplanation } from "../tables/answer.ts";
import { readWords, type WordsNeeds, wordsFor } from "./words.ts";

/** A question to read: words, or a query. */
export type ReadAsked = { words?: string | undefined; query?: Json | undefined };

/** A part of a question: its role, and where it stands in the text, in UTF-16 code units. */
export type SaidPart = { role: PartRole; start: number; end: number };

/** How a question is read. */
export type WordsRead = {
  /** Null if the words are not understood. */
  query: JsonObject | null;
  /** Words that are read as the query; null if no words say it. */
  sentence: string | null;
  /** The measure, the filters and the period of the query in one sentence; null without one. */
  explanation: string | null;
  /** The parts of the words, in their order; of a query those of its sentence. */
  parts: SaidPart[];
  /** All readings of the words that have a sentence of their own, the likeliest first. */
  readings: { sentence: string; query: JsonObject }[];
  /** The places of words that are not understood. */
  unknown: { start: number; end: number }[];
  /** Sentences that are understood, near to words that are not. */
  suggestions: string[];
};

type Needs = WordsNeeds & AnswerNeeds;

const NOTHING = { parts: [], readings: [], unknown: [], suggestions: [] };

/**
 * Reads words as a query, or says a query in words. Words that are not understood are no failure. Fails `required` without
 * both, `too_long`, and on an invalid query as `readQuery`.
 */
export async function readAsked(
  needs: Needs,
  { words, query }: ReadAsked,
  asking: Asking,
): Promise<WordsRead> {
  if (!isObject(query ?? null)) {
    if (words !== undefined) return await ofWords(needs, words, asking);
    if (typeof query !== "string") {
      throw new Failure("required", "Words are expected, or a query.", "words");
    }
    const detail = "A query is an object: write the question in words into words.";
    throw new Failure("invalid_input", detail, "query");
  }
  const said = wordsIn(query);
  if (said !== undefined) return await ofWords(needs, said, asking);
  const sent = sourceOf(query as JsonObject);
  const vocabulary = await needs.queries.vocabulary(asking.project, asking.signal);
  const sentence = wordsFor(sent, vocabulary, asking.moment) ?? null;
  const explanation = await explained(needs, sent, asking);
  if (sentence === null) return { ...NOTHING, query: sent, sentence, explanation };
  const { parts, readings } = await ofWords(needs, sentence, asking);
  return { ...NOTHING, query: sent, sentence, explanation, parts, readings };
}

/** Says a query in one sentence; if it cannot be answered, the sentence says why. */
async function explained(needs: Needs, query: JsonObject, asking: Asking): Promise<string> {
  try {
    return await (isTable(query) ? tableExplanation : queryExplanation)(needs, query, asking);
  } catch (error) {
    if (error instanceof Failure && error.code === "invalid_input") return error.message;
    throw error;
  }
}

async function ofWords(needs: Needs, words: string, asking: Asking): Promise<WordsRead> {
  if (words.trim() === "") {
    return { ...NOTHING, query: null, sentence: null, explanation: null };
  }
  const asked = { ...asking, words, attr: "words" };
  const { read, vocabulary, text } = await readWords(needs, asked, false);
  const parts = read.parts;
  const say = (query: JsonObject) => wordsFor(query, vocabulary, asking.moment);
  if (read.query === null) {
    const today = isoTime(wallClock(asking.moment.now, asking.moment.timezone));
    return {
      ...{ query: null, sentence: null, explanation: null, parts, readings: [] },
      unknown: read.unknown.flatMap(({ start, end }) => (start < end ? [{ start, end }] : [])),
      suggestions: offersFor(text, read.unknown, vocabulary, today, say),
    };
  }
  // Words whose query has no sentence of its own are that sentence.
  const sentence = say(read.query) ?? words;
  return {
    ...{ query: read.query, sentence, explanation: await explained(needs, read.query, asking) },
    ...{ parts, readings: [{ sentence, query: read.query }], unknown: [], suggestions: [] },
  };
}
