import { describe, expect, test } from "bun:test";
import { readQuery } from "../../../src/core/queries/insight.ts";
import { MATHS } from "../../../src/core/queries/trend.ts";
import { readWords } from "../../../src/core/questions/question.ts";
import { isTotal, sentenceOf } from "../../../src/core/questions/sentence.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { randomChoices } from "../../support/data/random-choices.ts";
import { rounds, seedOf } from "../../support/start/rounds.ts";

const MOMENT = { now: Date.parse("2026-11-26T15:00:00Z"), timezone: "UTC" };

/** Names as projects have them, some of which look like words of a question. */
const EVENTS = [
  ...["$pageview", "purchase", "sign_up", "support ticket", "café", "a, b", "top", "where", "is"],
  ...["daily visitors", "bought by card", "Sum of parts", 'say "hi"', "last 7 days", "x→y", "in"],
];
const PROPERTIES = [
  "$browser",
  "amount",
  "plan",
  "rate of change",
  "paid or free",
  "set",
  "by day",
];
const OF_PERSONS = ["plan", "team and role", "email"];
const VALUES = [
  "Chrome",
  "a or b",
  "x and y",
  '"',
  "3",
  "-1.5",
  "",
  "where it is",
  "last 7 days",
  "ü",
];

const named = (names: readonly string[]) => names.map((name) => ({ name, count: 1 }));
const NAMES = {
  events: named(EVENTS),
  properties: named(PROPERTIES),
  person_properties: named(OF_PERSONS),
};

const read = (words: string) => readWords(words, NAMES, { attr: "query" });

describe("the sentence of a query", () => {
  test("is read back as the query, for random queries of all kinds", () => {
    const seed = seedOf();
    const make = randomQueries(seed);
    for (let round = 0; round < rounds(3000, 60_000); round += 1) {
      const query = make();
      const sentence = sentenceOf(query, MOMENT);
      if (sentence === null) throw new Error(`No sentence for ${JSON.stringify(query)}`);
      const back = read(sentence);
      expect([seed, sentence, readQuery(back, MOMENT)]).toEqual([
        seed,
        sentence,
        readQuery(query, MOMENT),
      ]);
      expect([sentence, isTotal(back)]).toEqual([sentence, isTotal(query)]);
      const quoted = sentenceOf(query, MOMENT, { quotesAll: true }) ?? "";
      expect([quoted, readQuery(read(quoted), MOMENT)]).toEqual([quoted, readQuery(query, MOMENT)]);
    }
  });

  test.each<[JsonObject, string]>([
    [
      {
        kind: "TrendsQuery",
        series: [{ event: "$pageview", math: "dau" }],
        interval: "week",
        dateRange: { date_from: "-90d" },
        breakdownFilter: { breakdown: "$browser", breakdown_limit: 5 },
        properties: [{ key: "plan", type: "person", operator: "exact", value: ["pro", "free"] }],
        compareFilter: { compare: true },
      },
      'weekly unique users of $pageview by $browser top 5 where person plan is "pro" or "free" last 90 days compared to previous',
    ],
    [
      {
        kind: "TrendsQuery",
        series: [{ event: "purchase", math: "sum", math_property: "amount" }],
        trendsFilter: { display: "BoldNumber" },
        dateRange: { date_from: "mStart" },
      },
      "sum of amount of purchase this month in total",
    ],
    [
      { kind: "FunnelsQuery", series: [{ event: "$pageview" }, { event: "support ticket" }] },
      'funnel $pageview then "support ticket" within 2 weeks last 7 days',
    ],
    [
      {
        kind: "FunnelsQuery",
        series: [{ event: "$pageview" }, { event: "purchase" }],
        funnelsFilter: { funnelWindowInterval: 7, funnelWindowIntervalUnit: "day" },
      },
      "funnel $pageview then purchase within 1 week last 7 days",
    ],
    [
      { kind: "RetentionQuery", retentionFilter: { period: "Week", totalIntervals: 8 } },
      "weekly recurring retention of $pageview",
    ],
    [
      { kind: "PathsQuery", pathsFilter: { startPoint: "https://x.test/a", endPoint: "Home" } },
      'paths from /a to screen "Home" last 7 days',
    ],
    [
      { kind: "LifecycleQuery", series: [{ event: null }], dateRange: { date_from: "-0d" } },
      "daily lifecycle of all events today",
    ],
  ])("is short: %j", (query, sentence) => {
    expect(sentenceOf(query, MOMENT)).toBe(sentence);
  });

  const trends = { kind: "TrendsQuery", series: [{ event: "a" }, { event: "b" }] };
  test.each<[string, JsonObject]>([
    ["a formula", { ...trends, trendsFilter: { formula: "A / B" } }],
    [
      "series that count in different ways",
      { ...trends, series: [{ event: "a" }, { event: "a", math: "dau" }] },
    ],
    [
      "filters of one series",
      {
        ...trends,
        series: [{ event: "a" }, { event: "b", properties: [{ key: "x", value: "y" }] }],
      },
    ],
    [
      "filters joined by OR",
      {
        ...trends,
        properties: {
          type: "OR",
          values: [
            { key: "x", value: "y" },
            { key: "z", value: "y" },
          ],
        },
      },
    ],
    [
      "a filter on dates",
      { ...trends, properties: [{ key: "x", operator: "is_date_before", value: "2026-01-01" }] },
    ],
    [
      "one number of hours that are whole days",
      {
        ...trends,
        dateRange: { date_from: "-24h" },
        trendsFilter: { display: "BoldNumber" },
      },
    ],
    ["a time of day", { ...trends, dateRange: { date_from: "2026-11-21T10:00:00Z" } }],
    [
      "groups",
      { ...trends, series: [{ event: "a", math: "unique_group", math_group_type_index: 0 }] },
    ],
    ["excluded places", { kind: "PathsQuery", pathsFilter: { excludeEvents: ["/a"] } }],
  ])("is null where the words cannot say it: %s", (_, query) => {
    expect(sentenceOf(query, MOMENT)).toBeNull();
  });
});

/** Makes random queries that the words can say. */
function randomQueries(seed: number): () => JsonObject {
  const { pick, chance, several, random } = randomChoices(seed);
  const whole = (most: number) => 1 + Math.floor(random() * most);
  const maybe = (share: number, part: () => JsonObject) => (chance(share) ? part() : {});
  const event = () => (chance(0.1) ? null : pick(EVENTS));
  const node = () => ({ kind: "EventsNode", event: event() });
  const interval = () => pick(["hour", "day", "week", "month"]);
  const owned = () => (chance(0.5) ? { type: "event" } : { type: "person" });
  const propertyOf = ({ type }: { type: string }) =>
    pick(type === "event" ? PROPERTIES : OF_PERSONS);

  const condition = (): JsonObject => {
    const of = owned();
    const key = propertyOf(of);
    if (chance(0.2)) return { key, ...of, operator: pick(["is_set", "is_not_set"]) };
    if (chance(0.3)) {
      const value = chance(0.8) ? whole(1000) / pick([1, 10]) : pick(VALUES);
      return { key, ...of, operator: pick(["gt", "gte", "lt", "lte"]), value };
    }
    const operator = pick(["exact", "is_not", "icontains", "not_icontains", "starts_with"]);
    return {
      key,
      ...of,
      operator,
      value: chance(0.5) ? pick(VALUES) : several(3, () => pick(VALUES)),
    };
  };
  const range = (): JsonObject =>
    pick([
      { date_from: `-${whole(90)}${pick(["h", "d", "w", "m", "y"])}` },
      { date_from: "2026-10-01" },
      { date_from: "2026-10-01", date_to: "2026-10-31" },
      { date_from: "-0d" },
      { date_from: "-1dStart", date_to: "-1dEnd" },
      { date_from: "all" },
      ...["w", "m", "q", "y"].flatMap((unit) => [
        { date_from: `${unit}Start` },
        { date_from: `-1${unit}Start`, date_to: `-1${unit}End` },
      ]),
    ]);
  const common = (): JsonObject => ({
    ...maybe(0.4, () => ({ properties: several(3, condition) })),
    ...maybe(0.8, () => ({ dateRange: range() })),
  });
  // One number of the last hours is of exactly these hours.
  const asWhole = (query: JsonObject): JsonObject => {
    const { dateRange } = query as { dateRange?: JsonObject };
    const isWhole = "trendsFilter" in query || /^(?:Funnels|Paths)/.test(String(query["kind"]));
    const isOfHours = isWhole && /^-\d+h$/.test(String(dateRange?.["date_from"]));
    return isOfHours ? { ...query, dateRange: { ...dateRange, explicitDate: true } } : query;
  };
  const broken = (): JsonObject =>
    maybe(0.5, () => {
      const limit = {
        ...maybe(0.5, () => ({ breakdown_limit: whole(100) })),
        ...maybe(0.3, () => ({ breakdown_hide_other_aggregation: true })),
      };
      const breakdowns = several(3, () => {
        const of = owned();
        return { property: propertyOf(of), ...of };
      });
      return { breakdownFilter: { breakdowns, ...limit } };
    });

  const makers: (() => JsonObject)[] = [
    () => {
      const math = pick(MATHS.filter((one) => one !== "unique_group"));
      const isActive = math.endsWith("_active");
      const calculated = { math, math_property: pick(PROPERTIES) };
      return {
        kind: "TrendsQuery",
        series: several(3, () => ({ ...node(), ...calculated })),
        interval: isActive ? "day" : interval(),
        ...common(),
        ...broken(),
        ...maybe(0.3, () => ({ trendsFilter: { display: "BoldNumber" } })),
        ...maybe(0.3, () => ({
          compareFilter: { compare: true, ...maybe(0.5, () => ({ compare_to: `-${whole(9)}w` })) },
        })),
      };
    },
    () => {
      const series = [node(), ...several(3, node)];
      return {
        kind: "FunnelsQuery",
        series,
        ...common(),
        ...broken(),
        funnelsFilter: {
          funnelOrderType: pick(["ordered", "strict"]),
          ...maybe(0.5, () => ({
            funnelWindowInterval: whole(100),
            funnelWindowIntervalUnit: pick(["second", "minute", "hour", "day", "week", "month"]),
          })),
          ...maybe(0.3, () => ({ exclusions: several(2, node) })),
        },
      };
    },
    () => ({
      kind: "RetentionQuery",
      ...common(),
      ...broken(),
      retentionFilter: {
        ...maybe(0.7, () => ({ targetEntity: { id: event() } })),
        ...maybe(0.7, () => ({ returningEntity: { id: event() } })),
        retentionType: pick(["retention_recurring", "retention_first_time"]),
        period: pick(["Hour", "Day", "Week", "Month"]),
        ...maybe(0.5, () => ({ totalIntervals: whole(100) })),
      },
    }),
    () => {
      const place = () => pick(["/", "/pricing", "/a b", "/ü?x", "Home", ...EVENTS]);
      return {
        kind: "PathsQuery",
        ...common(),
        pathsFilter: {
          ...maybe(0.6, () => ({ startPoint: place() })),
          ...maybe(0.6, () => ({ endPoint: place() })),
        },
      };
    },
    () => ({ kind: "LifecycleQuery", series: [node()], interval: interval(), ...common() }),
    () => ({
      kind: "StickinessQuery",
      series: several(3, node),
      interval: interval(),
      ...common(),
    }),
  ];
  return () => asWhole(pick(makers)());
}
