import { describe, expect, test } from "bun:test";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { GARAGE } from "../../support/data/garage.ts";
import { TODAY } from "../../support/data/questions.ts";

const read = (question: string) => readQuestion(question, GARAGE, TODAY);

/** The words that refuse a question, each with whether a reason says what to write instead. */
const refused = (question: string) => {
  const answer = read(question);
  return answer.query === null
    ? answer.unknown.map(({ text, reason }) => [text, reason !== undefined])
    : JSON.stringify(answer.query);
};

describe("a word that changes the meaning is refused where nothing serves it", () => {
  test.each([
    ["drivers lost in November", "lost"],
    ["visitors lost last month", "lost"],
    ["users we lost", "lost"],
    ["bills lost in November", "lost"],
    ["drivers gained last week", "gained"],
    ["people who viewed only /prices", "only"],
    ["people with just cash bills", "just"],
    ["visitors who only used Firefox", "only"],
    ["visits only in Safari", "only"],
    ["how many drivers only settled one bill", "only"],
    ["share of drivers who only settled bills", "only"],
    ["people who still use Firefox", "still"],
    ["people who already settled a bill", "already"],
    ["bills and quotes combined", "combined"],
    ["bills and quotes together", "together"],
    ["visitors who saw either /prices or /book", "either"],
  ])("%s: %p", (question, word) => {
    expect(refused(question)).toEqual([[word, true]]);
  });

  test.each(["bills won", "form bills", "bills sued"])(
    "no slip of another word: %s",
    (question) => {
      expect(read(question).query).toBeNull();
    },
  );
});

describe('"only"', () => {
  test.each([
    ["people with only one bill", "people with exactly one bill"],
    ["drivers who settled just two bills", "drivers who settled exactly 2 bills"],
    ["only cash bills", "cash bills"],
    ["bills only in cash by week", "bills in cash by week"],
  ])("%s asks the same as %s", (one, other) => {
    const { query } = read(one);
    expect(query).not.toBeNull();
    expect(query).toEqual(read(other).query);
  });
});

test("counts that are combined make one number", () => {
  const { query } = read("cash and card bills in total");
  expect(query).toMatchObject({ properties: [{ key: "method", value: ["cash", "card"] }] });
  expect(query).not.toHaveProperty("breakdownFilter");
});

describe("whole periods end before the current one", () => {
  test.each([
    ["in the last 2 complete months", "-2mStart", "-1mEnd"],
    ["last 3 full weeks", "-3wStart", "-1wEnd"],
    ["past 2 full days", "-2dStart", "-1dEnd"],
    ["last 2 calendar months", "-2mStart", "-1mEnd"],
    ["over the past two whole years", "-2yStart", "-1yEnd"],
    ["last complete 4 quarters", "-4qStart", "-1qEnd"],
    ["in the 6 last full weeks", "-6wStart", "-1wEnd"],
    ["in the previous full quarter", "-1qStart", "-1qEnd"],
  ])("bills %s", (period, date_from, date_to) => {
    expect(read(`bills ${period}`).query).toMatchObject({ dateRange: { date_from, date_to } });
  });

  test.each([
    ["last 2 complete months compared to the previous 2 months", "-2m"],
    ["last 3 full weeks vs the 3 weeks before", "-3w"],
    ["last 2 full quarters compared to the previous period", "-6m"],
    ["last month vs the month before", "-1m"],
  ])("bills %s", (periods, compare_to) => {
    expect(read(`bills ${periods}`).query).toMatchObject({ compareFilter: { compare_to } });
  });
});

const DONE = { type: "behavioral", value: "performed_event_multiple", operator: "exact" };

describe("conditions belong to the event that they stand next to", () => {
  test.each([
    ["cash bills and card bills", "bill settled", ["cash", "card"]],
    ["cash bills vs card bills", "bill settled", ["cash", "card"]],
    ["Ford quotes and Škoda quotes", "quote requested", ["Ford", "Škoda"]],
    ["winter tyre swaps and summer tyre swaps", "tyres swapped", ["winter", "summer"]],
    ["Firefox page views and Chrome page views", "$pageview", ["Firefox", "Chrome"]],
  ])("%s", (question, event, values) => {
    const { query } = read(question);
    const series = values.map((value) => ({ event, properties: [{ value }] }));
    expect(query).toMatchObject({ series });
    expect(query).not.toHaveProperty("properties");
  });

  test.each([
    ["people who visited /tyres twice", "$pageview", "/tyres", 2],
    ["people who visited /tyres exactly once", "$pageview", "/tyres", 1],
    ["people who settled a bill in cash twice", "bill settled", "cash", 2],
    ["people with cash bills 3 times", "bill settled", "cash", 3],
    ["drivers who requested a quote for Volvo only once", "quote requested", "Volvo", 1],
  ])("also where they are counted: %s", (question, key, value, operator_value) => {
    const did = { ...DONE, key, operator_value, event_filters: [{ value }] };
    expect(read(question).query).toMatchObject({
      series: [{ event: key, properties: [{ value }, did] }],
    });
  });

  test.each([
    ["bills over 100 and bills under 50", "over"],
    ["visitors who saw /prices and /book", "/prices and /book"],
    ["who visited both /tyres and /book", "/tyres and /book"],
    ["people who requested quotes for Ford and Volvo", "for Ford and Volvo"],
    ["fleets with more than 50 bills", "more than"],
    ["tiers with at least 5 quotes", "at least"],
    ["methods with fewer than 60 bills", "fewer than"],
    ["visits with at least 2 cash bills", "at least"],
    ["people who swapped tyres every week", "every week"],
    ["drivers active each month", "each month"],
    ["all bills but card", "but"],
    ["bills save cash", "save"],
  ])("no number or list is read as another: %s", (question, words) => {
    expect(refused(question)).toEqual([[words, true]]);
  });
});

test.each(["except", "excluding", "other than", "of everyone but", "not by", "besides"])(
  "all people %s one",
  (words) => {
    const { query } = read(`bills ${words} d49@garage.example`);
    const one = { key: "email", operator: "is_not", value: "d49@garage.example" };
    expect(query).toMatchObject({ dateRange: { date_from: "-29d" }, properties: [one] });
  },
);

test.each([
  "who settled a bill but never requested a quote",
  "share of people who never requested a quote",
  "how many people never requested a quote",
  "people who settled a bill and never swapped tyres",
])("never is of all time: %s", (question) => {
  expect(JSON.stringify(read(question).query)).toMatch(/"(?:date_from|explicit_datetime)":"all"/);
  expect(JSON.stringify(read(`${question} last week`).query)).not.toContain('"all"');
});

test.each([
  "how many visitors each day",
  "visitors each week",
  "bills every week",
  "drivers per week",
])("a count per interval stays one: %s", (question) => {
  expect(read(question).query).toMatchObject({ kind: "TrendsQuery" });
});
