import { withDashboardFilters } from "../../dashboards/filters.ts";
import type { InsightQueries } from "../../ports/insights.ts";
import type { ProjectVocabulary } from "../../ports/vocabulary.ts";
import { sourceOf } from "../../queries/insight.ts";
import { fields } from "../../queries/query-fields.ts";
import { offersFor, othersFor, refusalOf } from "../../questions/offers.ts";
import { type Read, readQuestion, WORDS_CHARS_MAX } from "../../questions/question.ts";
import { Failure } from "../../values/failure.ts";
import { isObject, type Json, type JsonObject, storableText } from "../../values/json.ts";
import { isoTime } from "../../values/time.ts";
import { type Moment, wallClock } from "../../values/zoned-time.ts";
import { sentenceOf } from "../sentence/sentence.ts";
import { isSameQuery } from "./same-query.ts";

/** The meaning of a question in words: a typed query, and others that the words may mean. */
export type Meant = { query: JsonObject; others: string[] };

/** The stores that questions are read with. */
export type WordsNeeds = {
  queries: Pick<InsightQueries, "vocabulary">;
  /** Makes the next read of a project's names a new one. */
  dropNames: (project: number) => void;
};

/** A question in words, who asks it and when; `attr` is the field that failures name. */
export type WordsAsked = {
  project: number;
  words: string;
  moment: Moment;
  signal: AbortSignal;
  attr: string;
};

/** A question as it was read, and the names it was read with. */
export type ReadWords = { read: Read; vocabulary: ProjectVocabulary; text: string };

/**
 * Reads a question. Names are kept for a minute; where words are not understood and `isFresh` asks for it, they are read
 * again, so that a name that has just come is known. Fails `required` and `too_long`.
 */
export async function readWords(
  { queries, dropNames }: WordsNeeds,
  { project, words, moment, signal, attr }: WordsAsked,
  isFresh: boolean,
): Promise<ReadWords> {
  if (words.length > WORDS_CHARS_MAX) {
    throw new Failure("too_long", `At most ${WORDS_CHARS_MAX} characters.`, attr);
  }
  const text = storableText(words);
  if (text.trim() === "") throw new Failure("required", "This field is required.", attr);
  const today = isoTime(wallClock(moment.now, moment.timezone));
  const readNow = async (): Promise<ReadWords> => {
    const vocabulary = await queries.vocabulary(project, signal);
    return { read: readQuestion(text, vocabulary, today), vocabulary, text };
  };
  const first = await readNow();
  if (first.read.query !== null || !isFresh) return first;
  dropNames(project);
  return await readNow();
}

/** Returns the sentence that a project reads as a query; undefined if no words say it. */
export function wordsFor(
  query: JsonObject,
  vocabulary: ProjectVocabulary,
  moment: Moment,
): string | undefined {
  const today = isoTime(wallClock(moment.now, moment.timezone));
  const groups = vocabulary.groups.map(({ group_type }) => group_type);
  const sentences = [false, true].map((quotesAll) => sentenceOf(query, { quotesAll, groups }));
  return sentences.find((sentence) => {
    if (sentence.length > WORDS_CHARS_MAX) return false;
    const read = readQuestion(sentence, vocabulary, today);
    return read.query !== null && isSameQuery(read.query, query, moment);
  });
}

/** Returns what a question means. Fails `invalid_input` with the words that were not understood, and whole questions. */
export async function meaningOf(needs: WordsNeeds, asked: WordsAsked): Promise<Meant> {
  const { read, vocabulary, text } = await readWords(needs, asked, true);
  const today = isoTime(wallClock(asked.moment.now, asked.moment.timezone));
  const say = (query: JsonObject) => wordsFor(query, vocabulary, asked.moment);
  if (read.query !== null)
    return { query: read.query, others: othersFor(text, read.query, vocabulary, today, say) };
  const offers = offersFor(text, read.unknown, vocabulary, today, say);
  throw new Failure("invalid_input", refusalOf(text, read.unknown, offers), asked.attr);
}

/** The fields of a `WordsQuery`; `name` is a note of the client. */
const WORDS_FIELDS = ["kind", "query", "dateRange", "properties", "name"];

/**
 * Returns the meaning of a question with the period and the conditions that a `WordsQuery` has next to the words, as a
 * dashboard puts them there: the period replaces the one of the words. Fails `invalid_input` on other fields.
 */
export function filteredMeaning({ query, others }: Meant, sent: Json | undefined): Meant {
  const asked = fields(isObject(sent) ? sourceOf(sent) : {}, "query", WORDS_FIELDS);
  asked.text("name");
  const { text } = asked.object("dateRange", ["date_from", "date_to"]);
  const { properties = null } = asked.sent;
  const filters = { date_from: text("date_from"), date_to: text("date_to"), properties };
  return { query: withDashboardFilters(query, filters), others };
}
