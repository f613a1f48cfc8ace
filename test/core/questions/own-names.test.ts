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

describe("a word of the grammar is no name without quotes", () => {
  test.each([
    ["sum of total of crossings ended", 'Sum of event."total" of "crossing ended" events'],
    ["average total of crossings ended", 'Average event."total" of "crossing ended" events'],
    ["ferries boarded per month", '"ferry boarded" events per month'],
    ['ferries boarded by "month"', '"ferry boarded" events by event."month"'],
    ["crossings ended by month", '"crossing ended" events per month'],
    ["how many users attended a tour", 'People with "tour attended" events'],
    ["users of tours attended", 'People with "tour attended" events'],
    ["sum of users of tours attended", 'Sum of event."users" of "tour attended" events'],
    ['total "users" of tours attended', 'Sum of event."users" of "tour attended" events'],
    ["average guests of tours attended", 'Average event."guests" of "tour attended" events'],
    ["number of books lent", '"book lent" events'],
    ["number of tours attended", '"tour attended" events'],
    ["average number of tours attended per user", '"tour attended" events per user'],
    ["books lent by last stop", '"book lent" events by event."last stop"'],
    ["top 3 decks", '"delay reported" events by event."deck", top 3'],
    ["wait minutes by pier", 'Sum of event."wait min" of "ferry boarded" events by event."pier"'],
    ["ferries boarded in Top 20", '"ferry boarded" events where event."class" is "Top 20"'],
  ])("%s", (question, said) => {
    expect(read(question)).toEqual(said);
  });

  test.each([
    ["ferries boarded by month", "by month", 'by "month"'],
    ["bookings opened by day last week", "by day", 'Write "per day"'],
    ["total users of tours attended", "users", "how many people with tour attended"],
    ["total number of books lent by last stop", "number", "how many book lent"],
    ["average number of books lent per user", "number", "how many book lent"],
    ["total users", "users", "how many people with tour attended"],
    ["total of crossings ended", "total", "sum of total of crossing ended"],
    ["users who joined since 2026-03-01", "joined since", "in double quotes"],
    ["wait by pier", "wait", 'Write "average wait" or "total wait"'],
  ])("with two readings it is refused: %s", (question, word, reason) => {
    expect(readQuestion(question, FERRY, TODAY)).toMatchObject({
      query: null,
      unknown: [{ text: word, reason: expect.stringContaining(reason) }],
    });
  });
});

test.each([
  ["ratio of donations made to tours attended", '"donation made" events per "tour attended" event'],
  ["share of users in the north", 'Share of active users where person."region" is "north"'],
  ["maximum luggage by pier", 'Highest event."luggage" of "ferry boarded" events by event."pier"'],
  ["bookings opened a week", '"booking opened" events per week'],
  ["donations made a day in the north", undefined],
  ["bookings opened with a week ticket", ["with a", "week", "ticket"]],
  ["average weigth of users", ["weigth"]],
  ["reported delays", '"delay reported" events'],
  ["recorded tours", ["recorded"]],
  ["filed delays", ["filed"]],
])("a word has one meaning, or it is refused: %s", (question, said) => {
  expect(read(question)).toEqual(
    said ?? '"donation made" events per day where person."region" is "north"',
  );
});

test("another letter in a short word is no slip", () => {
  for (const question of ["average amourt", "bread down donations", "average speed", "pillars"])
    expect(read(question)).toBeArray();
});

describe("a name that says two things is refused", () => {
  test.each([
    ["tickets in the north", "tickets", "sum of tickets of ticket bought"],
    ["total tickets by pier", "tickets", "how many ticket bought"],
    ["tickets per user", "tickets", "sum of tickets of ticket bought"],
    ["how many members were invited", "members", '"member invited"'],
    ["ferries boarded by captains", "captains", '"by captain"'],
    ["split tickets bought", "split", "split"],
    ["ferries boarded by rank users", "by", "ferry boarded by pier"],
    ["class users", "class", "by class"],
  ])("%s", (question, word, reason) => {
    const { query, ...refused } = readQuestion(question, FERRY, TODAY);
    expect(query).toBeNull();
    expect(refused).toMatchObject({
      unknown: expect.arrayContaining([
        expect.objectContaining({ text: word, reason: expect.stringContaining(reason) }),
      ]),
    });
  });

  test.each([
    ["how many tickets were bought", 'Sum of event."tickets" of "ticket bought" events'],
    ["how many users invited a user", 'People with "member invited" events'],
    ["tickets bought without a refund", '"ticket bought" events where event."refund" is not "yes"'],
    ["users who boarded a ferry but bought no tickets", ["tickets"]],
    ["ferries boarded by captain users", '"ferry boarded" events where person."captain" is "true"'],
    ["ferries boarded by captain", '"ferry boarded" events by person."captain"'],
  ])("else it is answered: %s", (question, said) => {
    expect(read(question)).toEqual(said);
  });
});
