import { describe, expect, test } from "bun:test";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { isObject, type Json, type JsonObject } from "../../../src/core/values/json.ts";
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

/** Writes the names of own events and properties in camel case, but not the stored values. */
function inCamelCase(names: ReadonlySet<string>, sent: Json): Json {
  const camel = (name: string) => name.replace(/[_ ]+(\w)/g, (_, letter) => letter.toUpperCase());
  const written = (one: Json): Json => {
    if (typeof one === "string") {
      const [, of = "", name = ""] = /^(.*properties\.)?(.*?)$/s.exec(one) ?? [];
      return names.has(name.replace(/\W.*$/, "")) || names.has(one) ? `${of}${camel(name)}` : one;
    }
    if (Array.isArray(one)) return one.map(written);
    if (!isObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, of]) => [key, key === "value" ? of : written(of ?? null)]),
    );
  };
  return written(sent);
}

test.each(BUSINESSES)("names in camel case have the same words: %s", (business) => {
  const vocabulary = vocabularyOf(business);
  const { events, person_properties: persons, groups } = vocabulary;
  const properties = [...events, ...groups].flatMap((one) => one.properties);
  const names = [...events, ...properties, ...persons].map(({ name }) => name);
  const own = new Set(names.filter((name) => !/^\$|^utm_/.test(name)));
  const camelCased = inCamelCase(own, vocabulary) as unknown as typeof vocabulary;
  expect(JSON.stringify(camelCased)).not.toBe(JSON.stringify(vocabulary));

  for (const asked of questionsOf(business)) {
    if (!("query" in asked) || asked.question.includes('"')) continue;
    const read = readQuestion(asked.question, camelCased, TODAY);
    expect([asked.question, read.query]).toEqual([
      asked.question,
      inCamelCase(own, asked.query) as JsonObject,
    ]);
  }
});

test("a word that is part of a name is no word about a change", () => {
  const named = (name: string) => ({
    events: [{ name, count: 90, alsoCalled: [], properties: [] }],
    ...{ person_properties: [], groups: [], propertiesAlsoCalled: [], values: [] },
  });
  const eventIn = (question: string, name: string) => {
    const { query } = readQuestion(question, named(name), TODAY);
    const [series] = (query?.["series"] ?? []) as JsonObject[];
    return series?.["event"];
  };
  for (const name of ["signed up", "account topped up", "shut down", "trial set up", "logged in"]) {
    for (const rest of ["this week with last week", "this month versus last month"]) {
      expect(eventIn(`how many ${name} ${rest}`, name)).toBe(name);
    }
    expect(eventIn(`is ${name} up this week`, name)).toBe(name);
  }
});
