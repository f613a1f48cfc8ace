import { describe, expect, test } from "bun:test";
import { sentenceOf } from "../../../src/core/insights/sentence/sentence.ts";
import { isSameQuery } from "../../../src/core/insights/words/same-query.ts";
import { readQuestion } from "../../../src/core/questions/question.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import {
  type Asked,
  BUSINESSES,
  questionsOf,
  TODAY,
  vocabularyOf,
} from "../../support/data/questions.ts";
import { randomChoices } from "../../support/data/random-choices.ts";
import { randomParts, randomVocabulary, SHAPES } from "../../support/data/random-questions.ts";
import { rounds, seedOf } from "../../support/start/rounds.ts";

const MOMENT = { now: Date.parse(`${TODAY}Z`), timezone: "UTC" };

describe("a sentence with all names in quotes is read as the query that it says", () => {
  test.each(Object.entries(SHAPES))("%s", (_, shape) => {
    for (let round = 0; round < rounds(10, 100); round += 1) {
      const seed = seedOf();
      const choices = randomChoices(seed);
      const vocabulary = randomVocabulary(choices);
      const groups = vocabulary.groups.map(({ group_type }) => group_type);
      const query = shape(randomParts(choices, vocabulary));
      const sentence = sentenceOf(query, { quotesAll: true, groups });

      const read = readQuestion(sentence, vocabulary, TODAY);
      const same = read.query !== null && isSameQuery(read.query, query, MOMENT);
      expect([seed, sentence, read.query, same]).toEqual([seed, sentence, read.query, true]);
    }
  });
});

describe.each(BUSINESSES)(
  "a question about the %s is said in words that ask the same",
  (business) => {
    const vocabulary = vocabularyOf(business);
    const groups = vocabulary.groups.map(({ group_type }) => group_type);
    const asked = questionsOf(business).filter(
      (one): one is Asked & { query: JsonObject } => "query" in one,
    );

    test.each(asked)("$question", ({ query }) => {
      const sentences = [false, true].map((quotesAll) => sentenceOf(query, { quotesAll, groups }));

      const same = sentences.filter((sentence) => {
        const read = readQuestion(sentence, vocabulary, TODAY);
        return read.query !== null && isSameQuery(read.query, query, MOMENT);
      });
      expect([sentences, same.length > 0]).toEqual([sentences, true]);
    });
  },
);
