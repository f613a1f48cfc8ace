import { describe, expect, test } from "bun:test";
import { DEFINED_EVENTS, DEFINED_PROPERTIES } from "../../../src/core/questions/names/defined.ts";
import { FILLER } from "../../../src/core/questions/names/lexicon.ts";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { nameStems } from "../../../src/core/questions/text/stems.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";
import {
  type Asked,
  BUSINESSES,
  questionsOf,
  TODAY,
  vocabularyOf,
} from "../../support/data/questions.ts";
import { seedOf, turnOf } from "../../support/start/rounds.ts";

/** One of so many questions is tried in `npm test`, others each time. */
const EVERY = 12;

/** Words without which a question of the fixtures is truly the same, by what they say. */
const SAME: ReadonlySet<string> = new Set(
  [
    // A count is what is asked for without them.
    "number count times time often total something everything list",
    // People, whom the verb names as well.
    "people users user visitors vistors customers who active unique uniqe different",
    // A verb that the name of its event has, and the only event with the property that is asked for.
    "began signups signup",
    // A list is asked for by "which", and by its order or its label as well.
    "which until",
    // Defaults that the explanation states: an average length, an average order, weeks.
    "average avg avrage weekly value money spent",
    // Words of one superlative, of which another is left.
    "most top common frequent popular",
    // Words of one phrase: a conversion rate, a comparison, a time, a way, a cohort.
    "conversion rate compare compared 7 30 november last far next after previous back cohorts again",
    "returning done doing seen when develop developed sent lose lost more did",
    // Joints between two parts that stand side by side.
    "and then but or by per each between vs ->",
    // Money, which a number of an order is.
    "euros eur",
    // States of a lifecycle, of which another is named; what is new where it is started.
    "new resurrecting dormant weekdays",
  ].flatMap((words) => words.split(" ")),
);

/** Words that stand again in brackets. */
const AGAIN = new Set("method utm_source email funnel sign-ups".split(" "));

const DEFINED = [...DEFINED_EVENTS, ...DEFINED_PROPERTIES].map((line) => {
  const [names = "", words = ""] = line.split("; ");
  return { names: names.split("|"), stems: words.split(/[\s,~]+/).flatMap(nameStems) };
});

const textsOf = (json: Json): string[] => {
  if (typeof json === "string") return [json];
  return json === null || typeof json !== "object" ? [] : Object.values(json).flatMap(textsOf);
};

/** Stems of the names and values of a query, and of what SDKs call them. */
function stemsOf(query: JsonObject): Set<string> {
  const texts = textsOf(query);
  const defined = DEFINED.filter(({ names }) => names.some((name) => texts.includes(name)));
  return new Set([...texts.flatMap(nameStems), ...defined.flatMap(({ stems }) => stems)]);
}

const bareOf = (word: string) => word.toLowerCase().replace(/^[("]+|[?!.,:;)"]+$/g, "");

describe.each(BUSINESSES)("each word of a question about the %s counts", (business) => {
  const vocabulary = vocabularyOf(business);
  const asked = questionsOf(business).filter(
    (one): one is Asked & { query: JsonObject } =>
      "query" in one && !one.question.includes("created their first task within"),
  );

  test.each(turnOf(asked, seedOf(), EVERY))("$question", ({ question, query }) => {
    const { parts } = readQuestion(question, vocabulary, TODAY);
    const own = stemsOf(query);
    const isSame = (text: string) => {
      const read = readQuestion(text, vocabulary, TODAY);
      return read.query !== null && Bun.deepEquals(read.query, query);
    };
    for (const { 0: text, index } of question.matchAll(/\S+/g)) {
      const word = bareOf(text);
      if (word === "" || FILLER.has(word)) continue;
      const [before, after] = [question.slice(0, index), question.slice(index + text.length)];
      // The rest of a name may name the same.
      const isOfName = nameStems(word).every((stem) => own.has(stem));
      // "Once" says so as well.
      const isOnce = word === "only" && /^\s+once\b/.test(after);
      // "Compared to last week" is about this week.
      const isCompared = parts.some(
        ({ role, start, end }) =>
          role === "comparison" &&
          start > index &&
          question.slice(start, end).split(" ").includes(word),
      );
      if (!(isOfName || isOnce || isCompared || SAME.has(word))) {
        expect([word, isSame(before + after)]).toEqual([word, false]);
      }
      const isTime =
        /^(?:dai|week|month)ly$/.test(word) ||
        parts.some(
          ({ role, start, end }) =>
            /^(?:period|interval|comparison)$/.test(role) && start <= index && index < end,
        );
      if (!isTime && /\p{L}/u.test(word) && !AGAIN.has(word)) {
        expect([word, isSame(`${before}${word} ${text}${after}`)]).toEqual([word, false]);
      }
    }
  });
});

describe("words in another order", () => {
  test.each([
    [
      "shop",
      "people who started checkout but did not buy",
      "people who bought but did not start checkout",
    ],
    [
      "shop",
      "conversion rate from add to cart to purchase",
      "conversion rate from purchase to add to cart",
    ],
    ["shop", "funnel from search to sign up", "funnel from sign up to search"],
    ["shop", "where do visitors go after /pricing", "which pages come before /pricing"],
    ["shop", "orders over 100 euros", "orders below 100 euros"],
    [
      "shop",
      "retention of sign ups, returning with a purchase, by week",
      "retention of purchases, returning with a sign up, by week",
    ],
    ["shop", "share of visitors who made a purchase", "share of buyers who searched"],
    ["saas", "team to business upgrades", "business to team upgrades"],
    [
      "saas",
      "average time from trial started to subscription started",
      "average time from subscription started to trial started",
    ],
    ["saas", "tasks created per active user", "active users per task created"],
  ] as const)("ask for something else: %s: %s", (business, one, other) => {
    const vocabulary = vocabularyOf(business);
    const [first, second] = [one, other].map((text) => readQuestion(text, vocabulary, TODAY).query);

    expect(first).not.toBeNull();
    expect(second).not.toEqual(first as never);
  });
});
