import { describe, expect, test } from "bun:test";
import { explanationOf, sentenceOf } from "../../../../src/core/insights/sentence/sentence.ts";
import type { JsonObject } from "../../../../src/core/values/json.ts";

const of = (event: string | null, rest: JsonObject = {}): JsonObject => ({ event, ...rest });
const trend = (series: JsonObject[], rest: JsonObject = {}): JsonObject => ({
  ...{ kind: "TrendsQuery", series, ...rest },
});
const paid = { type: "event", key: "plan", operator: "exact", value: ["pro", "team"] };
const adult = { type: "person", key: "age", operator: "gte", value: 18 };
const bought = {
  ...{ type: "behavioral", key: "purchase", value: "performed_event_multiple" },
  ...{ operator: "gte", operator_value: 3 },
};
const WEEK = { date_from: "-6d" };
const share = { trendsFilter: { formula: "A / B * 100", display: "BoldNumber" } };
const views = of("$pageview", { math: "unique_session" });

const QUERIES: [sentence: string, query: JsonObject][] = [
  [
    "Purchases per week, last 7 days",
    trend([of("purchase")], { interval: "week", dateRange: WEEK }),
  ],
  [
    'Visitors and average amount of purchases per day where plan is "pro" or "team" and age is at least 18, this month',
    trend(
      [of("$pageview", { math: "dau" }), of("purchase", { math: "avg", math_property: "amount" })],
      { properties: [paid, adult], dateRange: { date_from: "mStart" } },
    ),
  ],
  [
    "Weekly active users per day who had at least 3 purchases",
    trend([of(null, { math: "weekly_active" })], { properties: [bought] }),
  ],
  [
    "Purchases by country and organization, top 5, last month, compared to the period before",
    trend([of("purchase")], {
      trendsFilter: { display: "ActionsBarValue" },
      breakdownFilter: {
        breakdowns: [
          { property: "$geoip_country_name", type: "event" },
          { property: "name", type: "group", group_type_index: 0 },
        ],
        ...{ breakdown_limit: 5, breakdown_hide_other_aggregation: true },
      },
      dateRange: { date_from: "-1mStart", date_to: "-1mEnd" },
      compareFilter: { compare: true },
    }),
  ],
  [
    "Bounce rate",
    trend(
      [{ ...views, properties: [{ type: "session", key: "$is_bounce", value: [true] }] }, views],
      share,
    ),
  ],
  ["Purchases as a share of task views", trend([of("purchase"), of("task_view")], share)],
  [
    "Pages per session",
    trend([of("$pageview"), views], { trendsFilter: { formula: "A/B", display: "BoldNumber" } }),
  ],
  [
    'Unordered funnel from page views to "Plan changed v2" events within 1 hour',
    {
      kind: "FunnelsQuery",
      series: [of("$pageview"), of("Plan changed v2")],
      funnelsFilter: {
        ...{ funnelOrderType: "unordered", funnelWindowInterval: 1 },
        funnelWindowIntervalUnit: "hour",
      },
    },
  ],
  [
    "Weekly retention of visitors who come back with purchases",
    {
      kind: "RetentionQuery",
      retentionFilter: { period: "Week", returningEntity: { id: "purchase" } },
    },
  ],
  ["Daily lifecycle of visitors", { kind: "LifecycleQuery", series: [of("$pageview")] }],
  [
    "Monthly stickiness of people with purchases",
    { kind: "StickinessQuery", series: [of("purchase")], interval: "month" },
  ],
  ["Next pages after /pricing", { kind: "PathsQuery", pathsFilter: { startPoint: "/pricing" } }],
  [
    "When ann@example.com had the last purchases",
    {
      ...{ kind: "EventsQuery", event: "purchase", after: "all", limit: 1 },
      orderBy: ["timestamp DESC"],
      properties: [{ type: "person", key: "email", operator: "exact", value: "ann@example.com" }],
    },
  ],
  ["Page views, one by one, today", { kind: "EventsQuery", event: "$pageview", after: "dStart" }],
  [
    "Number of people where age is at least 18",
    { kind: "ActorsQuery", select: ["count()"], properties: [adult] },
  ],
  [
    "List people who had at least 3 purchases, last 30 days",
    {
      ...{ kind: "ActorsQuery", select: ["person"] },
      properties: [{ ...bought, explicit_datetime: "-29d" }],
    },
  ],
];

describe("a query in words", () => {
  test.each(QUERIES)("is: %s", (sentence, query) => {
    expect(sentenceOf(query, { groups: ["organization"] })).toBe(sentence);
  });

  test("may have all its names in quotes, after their owners", () => {
    const query = trend([of("purchase")], { properties: [adult] });
    expect(sentenceOf(query, { quotesAll: true })).toBe(
      '"purchase" events per day where person."age" is at least 18',
    );
  });

  test("is explained with the dates of its period", () => {
    const period = { from: "2026-11-15T00:00:00", before: "2026-11-22T00:00:00" };
    const query = trend([of("purchase")], { dateRange: WEEK });
    expect(explanationOf(query, period, { timezone: "UTC", groups: [] })).toBe(
      "Purchases per day, last 7 days (15 Nov to 21 Nov 2026, UTC).",
    );
  });
});
