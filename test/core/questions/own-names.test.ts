import { describe, expect, test } from "bun:test";
import { sentenceOf } from "../../../src/core/insights/sentence/sentence.ts";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { FERRY } from "../../support/data/ferry.ts";
import { TODAY } from "../../support/data/questions.ts";

const read = (question: string) => {
  const answer = readQuestion(question, FERRY, TODAY);
  return answer.query === null
    ? answer.unknown.map(({ text }) => text)
    : sentenceOf(answer.query, { quotesAll: true, groups: [] })?.replace(/, last 30 days$/, "");
};

describe("a yes-or-no property has its own values for yes and no", () => {
  const boarded = '"ferry boarded" events';

  test.each([
    ["checked ferries boarded", `${boarded} where event."checked" is "yes"`],
    ["ferries boarded that were not checked", `${boarded} where event."checked" is not "yes"`],
    ["ferries boarded where checked is no", `${boarded} where event."checked" is "no"`],
    ["ferries boarded that are not a charter", `${boarded} where event."charter" is not "TRUE"`],
    ["ferries boarded where charter is false", `${boarded} where event."charter" is "FALSE"`],
    [
      "share of ferries boarded that were checked",
      `Share of ${boarded} where event."checked" is "yes"`,
    ],
    ["ferries boarded without luggage", `${boarded} where event."luggage" is "0"`],
  ])("%s", (question, said) => {
    expect(read(question)).toBe(said);
  });
});

test("a filler word that is a name of the project is not dropped", () => {
  expect(read("ferries boarded at Föhr, online")).toEqual(["online"]);
});

describe("people are named by what they do", () => {
  test.each([
    ["reporters", 'People with "delay reported" events'],
    ["donors by region", 'People with "donation made" events by person."region"'],
    ["amount per donor", 'Sum of event."amount" of "donation made" events per user'],
    ["donators", 'People with "donation made" events'],
    ["tourers", ["tourers"]],
  ])("%s", (question, said) => {
    expect(read(question)).toEqual(said);
  });
});

test.each([
  ["new bookings opened", '"booking opened" events'],
  ["first time bookings opened", ["first time"]],
  ["new books lent", ["new"]],
])("a beginning is always new, and not always the first: %s", (question, said) => {
  expect(read(question)).toEqual(said);
});
