import { describe, expect, test } from "bun:test";
import { sentenceOf } from "../../../src/core/insights/sentence/sentence.ts";
import { isSameQuery } from "../../../src/core/insights/words/same-query.ts";
import type { ProjectVocabulary } from "../../../src/core/ports/vocabulary.ts";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { BUSINESSES, questionsOf, TODAY, vocabularyOf } from "../../support/data/questions.ts";

const MOMENT = { now: Date.parse(`${TODAY}Z`), timezone: "UTC" };

const LISTS = [
  "$exception_types",
  "$exception_values",
  "$exception_sources",
  "$exception_functions",
];

/** Only types are known as values. "Error" is a type, too. */
const TYPES_OF_ERRORS = ["TypeError", "ValueError", "Error"];

/** The names of a project, with exceptions as SDKs send them. */
function withExceptions(vocabulary: ProjectVocabulary): ProjectVocabulary {
  const of = { type: "event", event: "$exception" } as const;
  const properties = [
    ...LISTS.map((name) => ({ name, type: "list" as const, count: 9 })),
    { name: "$browser", type: "text" as const, count: 9 },
  ];
  return {
    ...vocabulary,
    events: [...vocabulary.events, { name: "$exception", count: 9, alsoCalled: [], properties }],
    values: [
      ...vocabulary.values,
      ...TYPES_OF_ERRORS.map((value) => ({ of, property: "$exception_types", value, count: 9 })),
    ],
  };
}

const shop = withExceptions(vocabularyOf("shop"));
const [TYPES, MESSAGES, FILES, FUNCTIONS] = LISTS;

describe("a question about exceptions", () => {
  test.each<[string, string | undefined, string[]]>([
    ["exceptions by type last 7 days", TYPES, []],
    ["errors per kind", TYPES, []],
    ["top exception types", TYPES, []],
    ["types of errors", TYPES, []],
    ["which exception type is most common", TYPES, []],
    ["errors by message last 7 days", MESSAGES, []],
    ["top error messages", MESSAGES, []],
    ["crashes by file", FILES, []],
    ["exceptions by function", FUNCTIONS, []],
    ["how many TypeErrors", undefined, ["TypeError"]],
    ["TypeErrors last 7 days", undefined, ["TypeError"]],
    ["errors of type ValueError", undefined, ["ValueError"]],
    ["how many TypeErrors and ValueErrors", TYPES, ["TypeError", "ValueError"]],
    ["TypeErrors by message", MESSAGES, ["TypeError"]],
    ["TypeErrors by browser", "$browser", ["TypeError"]],
    ['exceptions with message "x is null"', undefined, ["x is null"]],
  ])("%s: by %p, of %p", (question, breakdown, values) => {
    const { query } = readQuestion(question, shop, TODAY);
    expect(query).toMatchObject({ series: [{ event: "$exception", math: "total" }] });
    const asked = query as { breakdownFilter?: object; properties?: { value?: unknown }[] };
    expect(asked.breakdownFilter).toEqual(
      breakdown === undefined ? undefined : { breakdown, breakdown_type: "event" },
    );
    const found = (asked.properties ?? []).flatMap(({ value }) => value ?? []);
    expect(found).toEqual(values);

    const said = sentenceOf(query as never, { quotesAll: true, groups: [] });
    const again = readQuestion(said, shop, TODAY).query;
    expect([said, again !== null && isSameQuery(again, query as never, MOMENT)]).toEqual([
      said,
      true,
    ]);
  });

  test.each([
    ["events by type", "type"],
    ["users by message", "message"],
    ["top files", "files"],
    ["page views by type", "type"],
    ["messages per day", "messages"],
    ["how many different exception types", "exception types"],
  ])("%s: %p is refused", (question, word) => {
    expect(readQuestion(question, shop, TODAY)).toMatchObject({
      query: null,
      unknown: [{ text: word }],
    });
  });
});

const SHARED_WORDS = /type|kind|messag|file|function|source|error|crash|exception/i;

describe.each(BUSINESSES)("exceptions change no other question about the %s", (business) => {
  const vocabulary = vocabularyOf(business);
  const more = withExceptions(vocabulary);

  test.each(questionsOf(business).filter(({ question }) => SHARED_WORDS.test(question)))(
    "$question",
    ({ question }) => {
      const read = readQuestion(question, vocabulary, TODAY);
      expect(readQuestion(question, more, TODAY)).toEqual(read);
    },
  );
});
