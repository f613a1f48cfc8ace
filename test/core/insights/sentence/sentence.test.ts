import { describe, expect, test } from "bun:test";
import { explanationOf, sentenceOf } from "../../../../src/core/insights/sentence/sentence.ts";
import { formulaName } from "../../../../src/core/insights/sentence/trends.ts";
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
    "Purchases per day, since the start of the month 11 months ago",
    trend([of("purchase")], { dateRange: { date_from: "-11mStart" } }),
  ],
  [
    "Purchases per hour, the 24 hours up to 24 hours ago",
    trend([of("purchase")], {
      ...{ interval: "hour", dateRange: { date_from: "-47hStart", date_to: "-24hEnd" } },
    }),
  ],
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
    "Weekly active users per day who had at least 3 purchases, last 8 days",
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
    "Bounce rate, last 8 days",
    trend(
      [{ ...views, properties: [{ type: "session", key: "$is_bounce", value: [true] }] }, views],
      share,
    ),
  ],
  [
    "Purchases as a share of task views, last 8 days",
    trend([of("purchase"), of("task_view")], share),
  ],
  [
    "Pages per session, last 8 days",
    trend([of("$pageview"), of(null, { math: "unique_session" })], {
      trendsFilter: { formula: "A/B", display: "BoldNumber" },
    }),
  ],
  [
    'Unordered funnel from page views to "Plan changed v2" events within 1 hour, last 8 days',
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
    "Weekly recurring retention of visitors who come back with purchases, last 7 weeks",
    {
      kind: "RetentionQuery",
      retentionFilter: { period: "Week", returningEntity: { id: "purchase" } },
    },
  ],
  [
    "Daily lifecycle of visitors, last 8 days",
    { kind: "LifecycleQuery", series: [of("$pageview")] },
  ],
  [
    "Monthly stickiness of people with purchases, last 8 days",
    { kind: "StickinessQuery", series: [of("purchase")], interval: "month" },
  ],
  [
    "Next pages after /pricing, last 8 days",
    {
      kind: "PathsQuery",
      pathsFilter: { includeEventTypes: ["$pageview"], startPoint: "/pricing", stepLimit: 2 },
    },
  ],
  [
    "Paths of people through screens and events from Home to paid, last 8 days",
    {
      kind: "PathsQuery",
      pathsFilter: {
        ...{ includeEventTypes: ["$screen", "custom_event"], startPoint: "Home", endPoint: "paid" },
      },
    },
  ],
  [
    "Average session length of sessions with views per day, last 8 days",
    trend([
      of("view", {
        ...{ math: "avg", math_property: "$session_duration" },
        math_property_type: "session_properties",
      }),
    ]),
  ],
  [
    'Purchases per person with sign ups where plan is "pro" or "team", last 7 days',
    trend([of("purchase"), of("sign_up", { math: "dau" })], {
      ...{ properties: [paid], dateRange: WEEK },
      trendsFilter: { formula: "A / B", display: "BoldNumber" },
    }),
  ],
  [
    'A / B, where A is purchases; B is visitors where plan is "pro" or "team", last 7 days',
    trend([of("purchase"), of("$pageview", { math: "dau", properties: [paid] })], {
      dateRange: WEEK,
      trendsFilter: { formula: "A / B", display: "BoldNumber" },
    }),
  ],
  [
    'Funnel from sign ups (where plan is "pro" or "team") to purchases without refunds in between within 14 days with all steps where age is at least 18, last 7 days',
    {
      ...{ kind: "FunnelsQuery", series: [of("sign_up", { properties: [paid] }), of("purchase")] },
      funnelsFilter: { exclusions: [{ event: "refund" }] },
      ...{ properties: [adult], dateRange: WEEK },
    },
  ],
  [
    "Visitors who had no purchases on at least 3 days and who had no sign ups for the first time (last 30 days), last 7 days",
    trend([of("$pageview", { math: "dau" })], {
      properties: [
        { ...bought, value: "performed_event_regularly", min_periods: 3, negation: true },
        {
          ...{ ...bought, key: "sign_up", value: "performed_event_first_time", negation: true },
          explicit_datetime: "-29d",
        },
      ],
      ...{ dateRange: WEEK, trendsFilter: { display: "BoldNumber" } },
    }),
  ],
  [
    "When ann@example.com had purchases for the last time",
    {
      ...{ kind: "EventsQuery", event: "purchase", after: "all", limit: 1 },
      orderBy: ["timestamp DESC"],
      properties: [{ type: "person", key: "email", operator: "exact", value: "ann@example.com" }],
    },
  ],
  [
    "Page views, one by one, newest first, today",
    { kind: "EventsQuery", event: "$pageview", after: "dStart" },
  ],
  [
    "Number of people where age is at least 18",
    { kind: "ActorsQuery", select: ["count()"], properties: [adult] },
  ],
  [
    "List people who had at least 3 purchases, newest first, last 30 days",
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
      '"purchase" events per day where person."age" is at least 18, last 8 days',
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

const VIEWS = { event: "$pageview", math: "dau" };
const BOUNCED = {
  ...{ event: "$pageview", math: "unique_session" },
  properties: [{ type: "session", key: "$is_bounce", operator: "exact", value: "true" }],
};
const ALL = { event: "$pageview", math: "unique_session" };

test.each([
  [{ formula: "A / B * 100" }, [BOUNCED, ALL], "Bounce rate"],
  [{ formulas: ["A/B*100"] }, [BOUNCED, ALL], "Bounce rate"],
  [{ formulaNodes: [{ formula: "A/B" }] }, [{ event: "order" }, VIEWS], "Orders per visitor"],
  [{ formula: "A + B * 3" }, [{ event: "order" }, VIEWS], undefined],
  [{}, [VIEWS], undefined],
])("the lines of %j are named by their measure", (trendsFilter, series, name) => {
  const query = { kind: "TrendsQuery", series, trendsFilter };
  expect(formulaName(query, { quotesAll: false, groups: [] })).toBe(name);
});
