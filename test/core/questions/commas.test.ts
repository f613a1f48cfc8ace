import { describe, expect, test } from "bun:test";
import { sentenceOf } from "../../../src/core/insights/sentence/sentence.ts";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { FERRY } from "../../support/data/ferry.ts";
import { TODAY } from "../../support/data/questions.ts";

const BOARDED = '"ferry boarded" events';

const read = (question: string) => {
  const answer = readQuestion(question, FERRY, TODAY);
  return answer.query === null
    ? answer.unknown.map(({ text }) => text)
    : sentenceOf(answer.query, { quotesAll: true, groups: [] })?.replace(/, last 30 days$/, "");
};

describe("a comma alone between conditions", () => {
  test.each([
    ["at Sylt, cabin", 'where event."pier" is "Sylt" and event."class" is "cabin"'],
    [", deck chair, Amrum", 'where event."class" is "deck chair" and event."pier" is "Amrum"'],
    [
      "in Amrum, cabin or deck chair",
      'where event."pier" is "Amrum" and event."class" is "cabin" or "deck chair"',
    ],
    ["at Sylt, Amrum", 'by event."pier" where event."pier" is "Sylt" or "Amrum"'],
    ["not at Sylt, Amrum", 'where event."pier" is not "Sylt" or "Amrum"'],
    [
      "with luggage over 1, wait min under 10",
      'where event."luggage" is more than 1 and event."wait min" is less than 10',
    ],
  ])("is read by the properties: %s", (conditions, said) => {
    expect(read(`ferries boarded ${conditions}`)).toBe(`${BOARDED} ${said}`);
  });

  test.each([
    ["not at Sylt, cabin", ["not"]],
    ["except Sylt, deck chair", ["except"]],
    ["at Sylt, Amrum and cabin", ["Amrum"]],
    [", checked", ["checked"]],
  ])("is refused where it may be of either: %s", (conditions, words) => {
    expect(read(`ferries boarded ${conditions}`)).toEqual(words);
  });
});

describe("capitals say nothing of names", () => {
  test.each([
    ["FERRIES BOARDED BY PIER", `${BOARDED} by event."pier"`],
    ["Ferries Boarded By Pier Per Month", `${BOARDED} per month by event."pier"`],
    ['FERRIES BOARDED BY "CLASS"', `${BOARDED} by event."class"`],
    ['"Ferry Boarded" by event."Class"', `${BOARDED} by event."class"`],
    ['FERRIES BOARDED BY PERSON."REGION"', `${BOARDED} by person."region"`],
    ["FERRIES BOARDED AT FÖHR", `${BOARDED} where event."pier" is "Föhr"`],
    ["Users With At Least 2 Ferries Boarded", undefined],
  ])("%s", (question, said) => {
    expect(read(question)).toEqual(said ?? `People with ${BOARDED} who had at least 2 ${BOARDED}`);
  });

  test.each([
    ["FERRIES BOARDED IN CABIN", `"CABIN"`],
    ["ferries boarded in cabin", `"cabin"`],
    ["Ferries Boarded In Cabin", `"cabin" or "CABIN"`],
  ])("and those of values are kept: %s", (question, values) => {
    expect(read(question)).toBe(`${BOARDED} where event."class" is ${values}`);
  });
});

test.each([
  ["ferries boarded compared to last week", "wStart", "-1w"],
  ["ferries boarded vs last month", "mStart", "-1m"],
  ["ferries boarded per day compared to the week before", "wStart", "-1w"],
  ["ferries boarded vs yesterday", "-0d", "-1d"],
  ["ferries boarded compared to the previous 3 days", "-2d", undefined],
  ["ferries boarded compared to the period before", "-29d", undefined],
])("an earlier period has the length of the one before it: %s", (question, date_from, earlier) => {
  const compareFilter = {
    compare: true,
    ...(earlier === undefined ? {} : { compare_to: earlier }),
  };
  expect(readQuestion(question, FERRY, TODAY).query).toMatchObject({
    dateRange: { date_from },
    compareFilter,
  });
});
