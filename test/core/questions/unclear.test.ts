import { describe, expect, test } from "bun:test";
import { sentenceOf } from "../../../src/core/insights/sentence/sentence.ts";
import { isSameQuery } from "../../../src/core/insights/words/same-query.ts";
import type {
  KnownValue,
  NamedEvent,
  NamedProperty,
  ProjectVocabulary,
  ValueOwner,
  ValueType,
} from "../../../src/core/ports/vocabulary.ts";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { TODAY } from "../../support/data/questions.ts";

const MOMENT = { now: Date.parse(`${TODAY}Z`), timezone: "UTC" };

const property = (name: string, type: ValueType = "text", count = 50): NamedProperty => ({
  ...{ name, type, count },
});

const event = (name: string, ...properties: NamedProperty[]): NamedEvent => ({
  ...{ name, count: 90, alsoCalled: [], properties },
});

const valuesOf = (of: ValueOwner, name: string, ...values: string[]): KnownValue[] =>
  values.map((value, at) => ({ of, property: name, value, count: 30 - at }));

const PERSON: ValueOwner = { type: "person" };
const of = (name: string): ValueOwner => ({ type: "event", event: name });

const clinic: ProjectVocabulary = {
  events: [
    event("visit booked", property("channel"), property("fee", "number")),
    event(
      "scan taken",
      property("minutes", "number", 40),
      property("device"),
      property("first", "text"),
    ),
    event("pill given", property("count", "number"), property("week", "number")),
    event("room cleaned", property("average", "number"), property("users", "number")),
    event("bell rung", property("rings", "number", 60), property("missed", "number", 30)),
  ],
  person_properties: [
    property("weight", "number"),
    property("plan"),
    property("insured", "boolean"),
    property("email"),
  ],
  groups: [
    {
      group_type: "ward",
      group_type_index: 0,
      properties: [property("name"), property("beds", "number"), property("floor")],
    },
  ],
  values: [
    ...valuesOf(of("visit booked"), "channel", "phone", "Phone", "web form"),
    ...valuesOf(of("scan taken"), "first", "true", "false", "yes", "no"),
    ...valuesOf(of("bell rung"), "rings", "0", "2"),
    ...valuesOf(of("bell rung"), "missed", "0", "3"),
    ...valuesOf(PERSON, "plan", "basic", "private"),
    ...valuesOf(PERSON, "insured", "true", "false"),
  ],
  propertiesAlsoCalled: [],
};

const read = (question: string) => readQuestion(question, clinic, TODAY);

describe("a question is read as", () => {
  test.each([
    ["fee per visit booked", 'Average event."fee" of "visit booked" events'],
    ["minutes per scan", 'Average event."minutes" of "scan taken" events'],
    ["average revenue per day", 'Sum of event."fee" of "visit booked" events per day on average'],
    [
      "average fee of visits booked per day",
      'Average event."fee" of "visit booked" events per day',
    ],
    ["total minutes of scans taken", 'Sum of event."minutes" of "scan taken" events'],
    ["sum of count of pills given", 'Sum of event."count" of "pill given" events'],
    ["average week of pills given", 'Average event."week" of "pill given" events'],
    ["average users of rooms cleaned", 'Average event."users" of "room cleaned" events'],
    ["scans by minutes", '"scan taken" events by event."minutes"'],
    ["scans without minutes", '"scan taken" events where event."minutes" is not set'],
    ["scans with no minutes", '"scan taken" events where event."minutes" is not set'],
    ["scans without device", '"scan taken" events where event."device" is not set'],
    ["users without weight", 'Active users where person."weight" is not set'],
    ["users without insured", 'Active users where person."insured" is not set'],
    ["bells rung with no rings", '"bell rung" events where event."rings" is "0"'],
    [
      "bells rung with no missed",
      '"bell rung" events where event."missed" is "0" or event."missed" is not set',
    ],
    ["bells rung without missed", '"bell rung" events where event."missed" is not set'],
    ["visits booked by phone", '"visit booked" events where event."channel" is "phone"'],
    ["visits booked by Phone", '"visit booked" events where event."channel" is "Phone"'],
    ["visits booked by pHone", '"visit booked" events where event."channel" is "phone" or "Phone"'],
    ["scans taken that are first", '"scan taken" events where event."first" is "true" or "yes"'],
    [
      "scans taken that are not first",
      '"scan taken" events where event."first" is not "true" or "yes"',
    ],
    ["visits booked by insured people", '"visit booked" events where person."insured" is "true"'],
    [
      "visits booked by users who are not insured",
      '"visit booked" events where person."insured" is not "true"',
    ],
    [
      "visits booked by people with plan basic",
      '"visit booked" events where person."plan" is "basic"',
    ],
  ])("%s: %s", (question, said) => {
    const { query } = read(question);
    const sentence = query === null ? null : sentenceOf(query, { quotesAll: true, groups: [] });
    expect(sentence).toBe(`${said}, last 30 days`);
    const again = read(sentence ?? "").query;
    expect(again !== null && query !== null && isSameQuery(again, query, MOMENT)).toBe(true);
  });
});

describe("a question with several readings is refused", () => {
  test.each([
    ["the latest visit booked", "latest", undefined],
    ["latest fee", "latest", undefined],
    ["maximum visits booked per day", "maximum", "which day had the most visits booked"],
    ["most scans in a week", "most", "which week had the most scans"],
    ["highest number of scans per day", "highest number of", "scans per day"],
    ["fewest scans in a day", "fewest", "scans per day"],
    ["average fee per week", "average", "total fee per week"],
    ["highest fee per day", "highest", "highest fee of visit booked per day"],
    ["highest revenue per day", "highest", "revenue per day"],
    ["average weight of insured users", "weight", "avg(toFloat(properties.weight)) FROM persons"],
    ["median weight of visitors", "weight", "median(toFloat(properties.weight)) FROM persons"],
    ["beds by floor", "beds", "sum(toFloat(properties.beds)) FROM groups"],
    ["worst day for scans", "worst", "scans per day"],
    ["which weekday had the fewest scans", "fewest", "scans per day"],
    ["count of pills given", "count", "sum of count of pill given"],
  ])("%s: %s", (question, word, instead) => {
    expect(read(question)).toMatchObject({
      query: null,
      unknown: [
        {
          text: word,
          ...(instead === undefined ? {} : { reason: expect.stringContaining(instead) }),
        },
      ],
    });
  });
});

describe("a refused property names the events that lack it, and no others", () => {
  test.each([
    ["conversion from scan taken to visit booked by channel", "channel", "scan taken"],
    ["conversion from visit booked to scan taken by channel", "channel", "scan taken"],
    ["time from visit booked until bell rung by channel", "channel", "bell rung"],
    ["ratio of scans taken to pills given by device", "device", "pill given"],
    [
      "funnel from scan taken to bell rung to pill given by device",
      "device",
      "bell rung or pill given",
    ],
    ["pills given by device", "device", "pill given"],
    ["pills given with channel phone", "channel", "pill given"],
  ])("%s", (question, name, events) => {
    const { unknown = [] } = read(question) as { unknown?: { reason?: string }[] };
    expect(unknown.map(({ reason }) => reason)).toEqual([`${name} is no property of ${events}.`]);
  });
});
