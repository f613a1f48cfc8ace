import { describe, expect, test } from "bun:test";
import { readWords } from "../../src/domain/insight-words.ts";

const names = {
  events: [
    "$pageview",
    "signed up",
    "by bus and foot",
    "Sum of parts",
    "funnel opened",
    "é🦔",
    "used last 3 days",
  ].map((name, index) => ({ name, count: 10 - index })),
  properties: ["$browser", "price", "rate of change", "Plan"].map((name) => ({ name, count: 1 })),
};

const read = (words: string) => readWords(words, names, "query");
const series = (event: string | null, math = "total", math_property?: string) => ({
  kind: "EventsNode",
  event,
  math,
  ...(math_property === undefined ? {} : { math_property }),
});
const by = (breakdown: string) => ({ breakdownFilter: { breakdown, breakdown_type: "event" } });
const last = (date_from: string) => ({ dateRange: { date_from } });

describe("a question in words", () => {
  test.each<[string, object]>([
    [
      "weekly unique users of $pageview by $browser last 90 days",
      {
        series: [series("$pageview", "dau")],
        interval: "week",
        ...by("$browser"),
        ...last("-90d"),
      },
    ],
    ["signed up", { series: [series("signed up")], interval: "day" }],
    ["  Daily   Visitors SIGNED  UP ", { series: [series("signed up", "dau")], interval: "day" }],
    ["all events today", { series: [series(null)], interval: "hour", ...last("-0d") }],
    [
      "sum of price of signed up by plan past 24 hours",
      {
        series: [series("signed up", "sum", "price")],
        interval: "hour",
        ...by("Plan"),
        ...last("-24h"),
      },
    ],
    [
      "monthly p90 of rate of change of é🦔 since 2026-01-01 until 2026-03-31",
      {
        series: [series("é🦔", "p90", "rate of change")],
        interval: "month",
        dateRange: { date_from: "2026-01-01", date_to: "2026-03-31" },
      },
    ],
    [
      "count of by bus and foot, $pageview and signed up",
      {
        series: [series("by bus and foot"), series("$pageview"), series("signed up")],
        interval: "day",
      },
    ],
    [
      "by bus and foot by price",
      { series: [series("by bus and foot")], interval: "day", ...by("price") },
    ],
    ["Sum of parts", { series: [series("Sum of parts")], interval: "day" }],
    ["used last 3 days", { series: [series("used last 3 days")], interval: "day" }],
    ["funnel opened", { series: [series("funnel opened")], interval: "day" }],
    ["unique sessions of events", { series: [series(null, "unique_session")], interval: "day" }],
  ])("is read: %s", (words, query) => {
    expect(read(words)).toEqual({ kind: "TrendsQuery", ...query });
  });

  test.each([
    [
      "weekly visits",
      '"visits" is not understood as an event. There are: "$pageview", "signed up"',
    ],
    ["signed", 'There are: "signed up", "$pageview"'],
    ["signed up by color", '"color" is not understood as a property. There are: "$browser"'],
    ["sum of cost of signed up", '"cost" is not understood as a property'],
    ["signed up last week", '"signed up last week" is not understood as an event'],
    ["funnel $pageview then signed up", "Only trends are answered so far"],
    ["retention of signed up weekly", "Only trends are answered so far"],
    ["daily", '"daily" is not understood as an event'],
    ["x".repeat(500), `"${"x".repeat(80)}" is not understood`],
  ])("that is not understood is told why: %s", (words, detail) => {
    expect(() => read(words)).toThrow(detail);
  });

  test("has a length, and is there", () => {
    expect(() => read("x".repeat(1001))).toThrow(expect.objectContaining({ code: "too_long" }));
    expect(() => read(" ")).toThrow(expect.objectContaining({ code: "required", attr: "query" }));
    expect(() => readWords("x", { events: [], properties: [] }, "prompt")).toThrow(
      expect.objectContaining({ code: "invalid_input", attr: "prompt" }),
    );
  });
});
