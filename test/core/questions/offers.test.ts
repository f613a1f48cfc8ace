import { describe, expect, test } from "bun:test";
import { sentenceOf } from "../../../src/core/insights/sentence/sentence.ts";
import { wordsFor } from "../../../src/core/insights/words/words.ts";
import type { NamedProperty, ProjectVocabulary } from "../../../src/core/ports/vocabulary.ts";
import { offersFor, othersFor, refusalOf } from "../../../src/core/questions/offers.ts";
import { readQuestion } from "../../../src/core/questions/question.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { BUSINESSES, questionsOf, TODAY, vocabularyOf } from "../../support/data/questions.ts";

const MOMENT = { now: Date.parse(`${TODAY}Z`), timezone: "UTC" };

const property = (name: string): NamedProperty => ({ name, type: "text", count: 900 });
const bookedWith = (name: string, value: string) => ({
  ...{ of: { type: "event" as const, event: "booking created" }, property: name, value, count: 90 },
});

/** A business in which "city" is a kind of bike, and no property. */
const BIKES: ProjectVocabulary = {
  events: [
    {
      ...{ name: "booking created", count: 900, alsoCalled: [] },
      properties: [property("bike type"), property("payment")],
    },
    { name: "$pageview", count: 3000, alsoCalled: [], properties: [property("$pathname")] },
  ],
  person_properties: [property("email")],
  groups: [],
  propertiesAlsoCalled: [],
  values: [
    ...["city", "mountain", "e-bike"].map((value) => bookedWith("bike type", value)),
    ...["card", "paypal"].map((value) => bookedWith("payment", value)),
  ],
};

/** The questions that are offered instead of one, or next to its answer. */
function offered(question: string, vocabulary: ProjectVocabulary): string[] {
  const read = readQuestion(question, vocabulary, TODAY);
  const say = (query: JsonObject) => wordsFor(query, vocabulary, MOMENT);
  return read.query === null
    ? offersFor(question, read.unknown, vocabulary, TODAY, say)
    : othersFor(question, read.query, vocabulary, TODAY, say);
}

/** A question as it stands, and with words without meaning. */
const variantsOf = (question: string) => [
  question,
  `zorgle ${question}`,
  question.replace(/\w+\W*$/, "qqq"),
  question.replace(/ \w+ /, " zorgle "),
];

const BY_VALUES = [...new Set(BIKES.values.map(({ value }) => `bookings by ${value} last week`))];

describe.each([
  ...BUSINESSES.map((business) => ({
    ...{ business, vocabulary: vocabularyOf(business) },
    questions: questionsOf(business).map(({ question }) => question),
  })),
  { business: "bikes", vocabulary: BIKES, questions: BY_VALUES },
])("every question that the $business is offered", ({ vocabulary, questions }) => {
  const groups = vocabulary.groups.map(({ group_type }) => group_type);

  test("is answered as it stands, and is the sentence of its answer", () => {
    const all = questions.flatMap((question, at) => {
      const variant = variantsOf(question)[at % 4] ?? question;
      return offered(variant, vocabulary);
    });
    for (const offer of new Set(all)) {
      const { query } = readQuestion(offer, vocabulary, TODAY);
      const said = [false, true].map((quotesAll) =>
        query === null ? null : sentenceOf(query, { quotesAll, groups }),
      );
      expect([offer, said.includes(offer)]).toEqual([offer, true]);
    }
    expect(all.length).toBeGreaterThan(2);
  });
});

describe('"by"', () => {
  test.each(BY_VALUES)("asks for lines, also before a value: %s", (question) => {
    const read = readQuestion(question, BIKES, TODAY);
    expect(read.query).toBeNull();
    const unknown = "unknown" in read ? read.unknown : [];
    expect(refusalOf(question, unknown, [])).toMatch(
      /is a value of (bike type|payment)\. Write "by \1" for a line each; .* where \1 is /,
    );
  });

  test.each(["bookings by bike type", "bookings by payment"])(
    "names a property: %s",
    (question) => {
      const breakdown = question.replace("bookings by ", "");
      const { query } = readQuestion(question, BIKES, TODAY);
      expect(query).toMatchObject({ breakdownFilter: { breakdown } });
    },
  );

  test("says how something was done after a verb", () => {
    const { query } = readQuestion("purchases paid by paypal", vocabularyOf("shop"), TODAY);
    expect(query).toMatchObject({ properties: [{ key: "payment", value: "paypal" }] });
  });
});

test.each([
  "how many persons are there",
  "how many users are there?",
  "how many people do we have",
  "number of persons",
])("all persons are counted, not the active ones: %s", (question) => {
  for (const vocabulary of [...BUSINESSES.map(vocabularyOf), BIKES]) {
    const { query } = readQuestion(question, vocabulary, TODAY);
    expect(query).toEqual({ kind: "ActorsQuery", select: ["count()"], properties: [] });
  }
});

test.each([
  ["busiest day", "which day had the most page views"],
  ["what is the busiest hour", "which day had the most page views"],
  ["purchases by first touch", "purchases by first touch utm source"],
  ["first touch attribution", "purchases by first touch utm source"],
])("a refusal says what to write instead: %s", (question, instead) => {
  const vocabulary = vocabularyOf("shop");
  const read = readQuestion(question, vocabulary, TODAY);
  const unknown = "unknown" in read ? read.unknown : [];
  expect(refusalOf(question, unknown, [])).toEndWith(`: ${instead}.`);
  expect(readQuestion(instead, vocabulary, TODAY).query).not.toBeNull();
});

test("a word for a name that the project lacks is refused with three ways on", () => {
  const read = readQuestion("sum of qty of purchases", vocabularyOf("shop"), TODAY);
  const unknown = "unknown" in read ? read.unknown : [];
  expect(refusalOf("sum of qty of purchases", unknown, [])).toMatch(
    /"qty" is not understood .* Write the name .* also_called, or ask in SQL\.$/,
  );
});

test('"unique" before groups and values is as "distinct"', () => {
  for (const of of ["companies", "companies with purchases", "products were bought"]) {
    const [one, other] = ["unique", "distinct"].map((word) =>
      readQuestion(`how many ${word} ${of} last month`, vocabularyOf("shop"), TODAY),
    );
    expect(one?.query).not.toBeNull();
    expect(one?.query).toEqual(other?.query as never);
  }
});
