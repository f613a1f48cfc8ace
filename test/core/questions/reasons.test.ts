import { expect, test } from "bun:test";
import { indexOf } from "../../../src/core/questions/names/build.ts";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { closeTo } from "../../../src/core/questions/reasons.ts";
import { FERRY } from "../../support/data/ferry.ts";
import { BUSINESSES, questionsOf, TODAY, vocabularyOf } from "../../support/data/questions.ts";

/** The words that refuse a question, each with what to write instead. */
const refused = (question: string) => {
  const answer = readQuestion(question, FERRY, TODAY);
  return answer.query === null ? answer.unknown.map(({ text, reason }) => [text, reason]) : answer;
};

test.each([
  ["rank by region", "rank by region", "SELECT properties.region, avg(toFloat(properties.rank))"],
  ["region by rank", "region by rank", '"users by rank"'],
  ["severity", "severity", '"average severity" or "total severity"'],
  ["luggage below 20", "luggage below 20", '"ferry boarded where luggage is less than 20"'],
  ["pier is Sylt", "pier is Sylt", '"ferry boarded where pier is "Sylt""'],
  ["ferries boarded in Fohr", "Fohr", 'such as "Föhr"'],
  ["ferries boarded in foehr", "foehr", 'such as "Föhr"'],
  ["ferries boarded at Dagebuell", "Dagebuell", 'such as "Dagebüll"'],
  ["ferries boarded over 5", "over", '"where luggage is more than 10"'],
  ["slowest delays reported", "slowest", '"average severity of delay reported"'],
  ["ferries boarded by zorgle", "by", '"ferry boarded by pier"'],
  ["average share of donations made", "share", 'in double quotes: "share"'],
  ["first bookings opened", "first", '"people with booking opened for the first time"'],
  ["highest luggage by pier", "highest", '"total luggage by …, highest first"'],
  ["lowest luggage by pier", "lowest", '"minimum luggage by …"'],
  ["delays reported, deck", "deck", '"average deck of delay reported"'],
  ["bookings opened, online", "online", '"ferry boarded where online is true"'],
])("a refusal says what to write: %s", (question, word, reason) => {
  expect(refused(question)).toContainEqual([word, expect.stringContaining(reason)]);
});

test("quoted questions of refusals are answered", () => {
  for (const question of [
    "ferry boarded where luggage is less than 20",
    "ferry boarded by pier",
    "average deck of delay reported",
    "people with booking opened for the first time",
    "users by rank",
  ])
    expect(readQuestion(question, FERRY, TODAY).query).not.toBeNull();
});

test.each(BUSINESSES)("each refused word of a question about the %s has a way on", (business) => {
  for (const { question } of questionsOf(business)) {
    const answer = readQuestion(question, vocabularyOf(business), TODAY);
    const unknown = answer.query === null ? answer.unknown : [];
    for (const { reason } of unknown) expect([question, reason]).not.toContain(undefined);
  }
});

test("names and values that are spelled alike are close", () => {
  const index = indexOf(FERRY);
  expect(closeTo("sev", index)).toEqual([]);
  expect(closeTo("guess", index)).toEqual(["guests"]);
  expect(closeTo("reps", index)).toEqual([]);
  expect(closeTo("severty", index)).toEqual(["severity"]);
  expect(closeTo("noth", index)).toEqual(["north"]);
});
