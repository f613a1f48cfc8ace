import { describe, expect, test } from "bun:test";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { BUSINESSES, questionsOf, TODAY, vocabularyOf } from "../../support/data/questions.ts";

describe.each(BUSINESSES)("a question about the %s", (business) => {
  const vocabulary = vocabularyOf(business);

  test.each(questionsOf(business))("is read as its query: $question", (asked) => {
    const read = readQuestion(asked.question, vocabulary, TODAY);

    if ("query" in asked) expect("unknown" in read ? read : read.query).toEqual(asked.query);
    else {
      const unknown = "unknown" in read ? read.unknown.map(({ text }) => text) : read;
      expect(unknown).toEqual(expect.arrayContaining(asked.refused));
    }
  });
});
