import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { InsightResult } from "../../../src/core/insights/lines/results.ts";
import { FUNNEL_STEPS_MAX } from "../../../src/core/queries/funnel.ts";
import { SERIES_MAX } from "../../../src/core/queries/trend.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { chance } from "../../support/data/data-sets.ts";
import { sorted } from "../../support/data/insight-reference.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

const PREFER = { prefer: "return=representation" };
const EVENTS = ["view", "sign up", "it's", "buy", "$pageview", "$screen", "p", "q", "r", "s"];
const NOW = Date.parse("2026-11-21T12:00:00Z");
const ZONE = "America/St_Johns";
const HOUR_MS = 3_600_000;

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const { next, of } = chance(7);
  const events = Array.from({ length: 900 }, () => {
    const person = next(30);
    const $set = { plan: of(["free", "pro", "é"]), age: next(3) };
    return event({
      event: of([...EVENTS.slice(0, 5), ...EVENTS]),
      distinct_id: `d${person}`,
      timestamp: new Date(NOW - next(24 * 60) * HOUR_MS - 1).toISOString(),
      properties: {
        ...(person % 5 === 0 ? { $process_person_profile: false } : { $set }),
        ...(next(2) === 0 ? {} : { $browser: of(["Firefox", "Chrome", "Lynx"]) }),
        ...(next(2) === 0 ? {} : { price: of([1, "2.5", 0.1, "cheap"]) }),
        ...{ "$odd.key/~": of(["x", "'"]), $session_id: `s${person}` },
        $current_url: of(["https://x.test/a/", "https://x.test/pricing?b=c", "https://x.test"]),
        $screen_name: of(["Home", ""]),
      },
    });
  });
  const alias = (from: string, to: string) =>
    event({ event: "$create_alias", distinct_id: from, properties: { alias: to } });
  await app.capture(batch(...events, alias("d1", "d2"), alias("d3", "d2"), alias("d4", "d6")));
  await app.ask("PATCH", "/api/projects/1/", { body: { timezone: ZONE } });
});

afterAll(() => app[Symbol.asyncDispose]());

const draft = async (prompt?: string) => {
  const query = prompt === undefined ? "" : `?prompt=${encodeURIComponent(prompt)}`;
  const path = `/api/environments/1/query/draft_sql/${query}`;
  const { status, body } = await app.ask("GET", path, { headers: PREFER });
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as { sql: string }).sql;
};

type Row = Record<string, Json>;

const run = async (query: string): Promise<Row[]> => {
  // Without LIMIT an answer has the first 100 rows.
  const all = /\bLIMIT \d+\s*;?\s*$/.test(query) ? query : query.replace(/;?\s*$/, "\nLIMIT 10000");
  const body = { query: { kind: "HogQLQuery", query: all } };
  const answered = await app.ask("POST", "/api/environments/1/query/", { body });
  expect(answered).toMatchObject({ status: 200 });
  const { columns, results } = answered.body as { columns: string[]; results: Json[][] };
  return results.map((row) =>
    Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])),
  );
};

type Answer = {
  insight: { query: { kind: string; series?: { event: string }[] } };
  columns: string[];
  results: InsightResult[];
  sql: string;
};

const ask = async (query: unknown): Promise<Answer> => {
  const path = "/api/environments/1/max_tools/create_and_query_insight/";
  const answered = await app.ask("POST", path, { body: { query } as object, headers: PREFER });
  expect(answered).toMatchObject({ status: 200 });
  return answered.body as Answer;
};

const NONE = "$$_posthog_breakdown_null_$$";
const OTHER = "$$_posthog_breakdown_other_$$";

const valueIn = ({ breakdown, is_other }: Row) => {
  if (is_other === undefined) return null;
  return is_other === true ? OTHER : (breakdown ?? NONE);
};

/** A number, after the names of everything that it belongs to. */
type Cell = (Json | undefined)[];

const letterOf = ({ insight }: Answer, name: string | null | undefined) =>
  String.fromCharCode(65 + (insight.query.series ?? []).findIndex(({ event }) => event === name));

/** The numbers of an answer. */
function cellsOf(answer: Answer): Cell[] {
  const { insight, columns, results } = answer;
  return results.flatMap((line): Cell[] => {
    const { data, breakdown_value: value, aggregated_value: all } = line;
    const each = (of: (column: string, at: number) => Cell) =>
      columns.map((column, at) => [...of(column, at), data[at]]);
    switch (insight.query.kind) {
      case "TrendsQuery": {
        const of = [letterOf(answer, line.event), line.compare_label, value];
        return [...each((column, at) => [...of, line.days?.[at] ?? column]), [...of, null, all]];
      }
      case "FunnelsQuery":
        return columns.flatMap((_, at) => [
          [value, `persons_${at + 1}`, data[at]],
          [value, `average_s_${at + 1}`, line.average_conversion_times?.[at]],
          [value, `median_s_${at + 1}`, line.median_conversion_times?.[at]],
        ]);
      case "RetentionQuery":
        return each((_, at) => [value, line.label, at]);
      case "PathsQuery": {
        const { source = "", target = "", average_conversion_time } = line;
        const [, step, from] = /^(\d+)_(.*)$/.exec(source) ?? [];
        const to = target.replace(/^\d+_/, "");
        return [[Number(step), from, to, data[0], average_conversion_time]];
      }
      case "LifecycleQuery":
        return each((column) => [line.label, column]);
      default:
        return each((_, at) => [letterOf(answer, line.event), at + 1]);
    }
  });
}

/** The numbers of the rows of a draft. */
function cellsIn(kind: string, rows: Row[]): Cell[] {
  return rows.flatMap((row): Cell[] => {
    switch (kind) {
      case "TrendsQuery":
        return [[row["series"], row["period"], valueIn(row), row["bucket"], row["value"]]];
      case "FunnelsQuery":
        return Object.entries(row)
          .filter(([name]) => /_\d+$/.test(name))
          .map(([name, number]) => [valueIn(row), name, number]);
      case "RetentionQuery":
        return [[valueIn(row), row["began"], row["later"], row["persons"]]];
      case "PathsQuery":
        return [[row["step"], row["source"], row["target"], row["paths"], row["average_ms"]]];
      case "LifecycleQuery":
        return [[row["status"], row["bucket"], row["persons"]]];
      default:
        return [[row["series"], row["intervals"], row["persons"]]];
    }
  });
}

/** Leaves out zeros, which a draft has no rows for, and the digits that depend on the order of a sum. */
const something = (cells: Cell[]) =>
  sorted(
    cells
      .filter((cell) => Boolean(cell.at(-1)))
      .map((cell) =>
        cell.map((value) => (typeof value === "number" ? Number(value.toPrecision(12)) : value)),
      ),
  );

const node = (event: string | null, more: JsonObject = {}): JsonObject => ({
  ...{ kind: "EventsNode", event, ...more },
});
const all = (math: string, ...events: (string | null)[]) =>
  events.map((one) => node(one, { math }));
const ofPrice = (math: string, ...events: (string | null)[]) =>
  events.map((one) => node(one, { math, math_property: "price" }));
const since = (date_from: string, date_to?: string): JsonObject => ({
  dateRange: { date_from, ...(date_to === undefined ? {} : { date_to }) },
});
const by = (breakdown: string, breakdown_type = "event"): JsonObject => ({
  breakdownFilter: { breakdown, breakdown_type },
});
const byPlan = by("plan", "person");
const COMPARED = { compareFilter: { compare: true } };
const trends = (series: JsonObject[], interval: string, ...more: JsonObject[]): JsonObject =>
  Object.assign({ kind: "TrendsQuery", series, interval }, ...more);
const funnel = (
  events: readonly (string | null)[],
  funnelsFilter: JsonObject,
  ...more: JsonObject[]
): JsonObject =>
  Object.assign(
    { kind: "FunnelsQuery", series: events.map((one) => node(one)), funnelsFilter },
    ...more,
  );
const within = (funnelWindowInterval: number, funnelWindowIntervalUnit: string): JsonObject => ({
  ...{ funnelWindowInterval, funnelWindowIntervalUnit },
});
const without = (...events: string[]): JsonObject => ({
  exclusions: events.map((one) => node(one)),
});
const STRICT = { funnelOrderType: "strict" };
const UNORDERED = { funnelOrderType: "unordered" };
const retention = (
  [id, back = id]: [string | null, (string | null)?],
  filter: JsonObject,
  ...more: JsonObject[]
): JsonObject =>
  Object.assign(
    {
      kind: "RetentionQuery",
      retentionFilter: { targetEntity: { id }, returningEntity: { id: back }, ...filter },
    },
    ...more,
  );
const RECURRING = { retentionType: "retention_recurring" };
const paths = (pathsFilter: JsonObject): JsonObject => ({
  ...{ kind: "PathsQuery", pathsFilter, ...since("-30d") },
});
const SERIES = EVENTS.slice(0, SERIES_MAX);
const STEPS = EVENTS.slice(0, FUNNEL_STEPS_MAX);
const LAST_60 = since("-60d");

const QUERIES: [name: string, query: JsonObject][] = [
  ["a count", trends(all("total", "view"), "day")],
  ["people by week", trends(all("dau", "view"), "week", by("$browser"), since("-90d"))],
  ["sessions by hour", trends(all("unique_session", "it's"), "hour", since("-48h"))],
  [
    "three events by month",
    trends(all("total", "view", "sign up", "buy"), "month", since("2026-09-01")),
  ],
  ["days", trends(all("total", "buy"), "day", since("2026-11-01", "2026-11-10"))],
  ["a sum by plan", trends(ofPrice("sum", "buy"), "day", byPlan, since("-30d"))],
  ["an average by an odd name", trends(ofPrice("avg", "view"), "day", by("$odd.key/~"))],
  ["the smallest of all events", trends(ofPrice("min", null), "day", since("-2m"))],
  ["the highest of all events", trends(ofPrice("max", null), "week", since("-2m"))],
  ["a median by week", trends(ofPrice("median", "buy"), "week", since("-1y"))],
  [
    "a percentile, compared",
    trends(ofPrice("p75", "buy", "view"), "day", by("$browser"), since("-3w"), COMPARED),
  ],
  ["p90", trends(ofPrice("p90", "buy"), "day", since("-3w"))],
  ["p99, compared", trends(ofPrice("p99", "buy"), "day", since("-3w"), COMPARED)],
  ["people today by hour", trends(all("dau", "view"), "hour", since("-0d"))],
  [
    "people by age, compared",
    trends(all("dau", "view"), "day", by("age", "person"), since("-7d"), COMPARED),
  ],
  [
    "people of all events, compared",
    trends(all("dau", ...SERIES), "day", byPlan, since("-20d"), COMPARED),
  ],
  ["a funnel", funnel(["view", "sign up"], {})],
  [
    "a funnel of three within days",
    funnel(["view", "sign up", "buy"], within(2, "day"), since("-20d")),
  ],
  ["a strict funnel", funnel(["view", "buy"], STRICT, since("-20d"))],
  [
    "an unordered funnel within hours",
    funnel(
      ["view", "sign up", "buy"],
      { ...UNORDERED, ...within(12, "hour") },
      by("$browser"),
      since("-20d"),
    ),
  ],
  [
    "a funnel with an exclusion",
    funnel(
      ["view", "sign up", "buy"],
      { ...without("it's"), ...within(90, "minute") },
      byPlan,
      since("-20d"),
    ),
  ],
  ["a funnel from any event", funnel([null, "buy"], within(30, "second"), since("-20d"))],
  ["a funnel of all events", funnel(STEPS, without("p"), byPlan, LAST_60)],
  [
    "a strict funnel with an exclusion",
    funnel(
      [null, "buy", null],
      { ...STRICT, ...without("sign up"), ...within(2, "day") },
      since("-20d"),
    ),
  ],
  [
    "a strict funnel with exclusions",
    funnel(["view", null], { ...STRICT, ...without("it's", "buy") }, byPlan, since("-20d")),
  ],
  [
    "an unordered funnel with an exclusion",
    funnel(
      ["view", "buy"],
      { ...UNORDERED, ...without("it's"), ...within(2, "day") },
      since("-20d"),
    ),
  ],
  [
    "an unordered funnel with exclusions",
    funnel(
      ["view", "sign up", "buy"],
      { ...UNORDERED, ...without("p", "q", "r") },
      byPlan,
      since("-20d"),
    ),
  ],
  [
    "a strict funnel of all events with exclusions",
    funnel(STEPS, { ...STRICT, ...without("p", "q", "r", "s", "buy") }, byPlan),
  ],
  [
    "an unordered funnel of all events with exclusions",
    funnel(STEPS, { ...UNORDERED, ...without("p", "q", "r", "s", "buy") }, LAST_60),
  ],
  ["a strict funnel of all events", funnel(STEPS, STRICT, byPlan)],
  ["an unordered funnel of all events", funnel(STEPS, UNORDERED, byPlan, LAST_60)],
  ["a retention", retention(["sign up"], {})],
  ["a weekly retention", retention(["view"], { period: "Week" })],
  [
    "a recurring retention by day",
    retention(["view", "buy"], { ...RECURRING, period: "Day" }, since("-2w")),
  ],
  [
    "a retention by month",
    retention(
      ["view", "buy"],
      { retentionType: "retention_first_time", period: "Month" },
      since("-3m"),
    ),
  ],
  [
    "a recurring retention by hour",
    retention(["view"], { ...RECURRING, period: "Hour" }, since("-40h")),
  ],
  ["a retention of any event", retention([null, "buy"], { period: "Week" }, since("2026-10-01"))],
  ["a retention by browser", retention(["view"], { period: "Week" }, by("$browser"), since("-5w"))],
  ["a retention by plan", retention(["view", "buy"], RECURRING, byPlan, since("-9d"))],
  ["paths", paths({})],
  ["paths from a page", paths({ startPoint: "https://x.test/pricing" })],
  ["paths to an event", paths({ endPoint: "buy" })],
  ["paths from a page to a screen", paths({ startPoint: "/a", endPoint: "Home" })],
  ["a lifecycle", { kind: "LifecycleQuery", series: [node("view")] }],
  [
    "a weekly lifecycle of any event",
    { kind: "LifecycleQuery", series: [node(null)], interval: "week", ...since("-40d") },
  ],
  [
    "an hourly lifecycle",
    { kind: "LifecycleQuery", series: [node("buy")], interval: "hour", ...since("-0d") },
  ],
  [
    "a monthly lifecycle",
    { kind: "LifecycleQuery", series: [node("sign up")], interval: "month", ...since("-1y") },
  ],
  ["a stickiness", { kind: "StickinessQuery", series: [node("view")], ...since("-20d") }],
  [
    "a weekly stickiness of two",
    {
      ...{ kind: "StickinessQuery", series: [node("view"), node("it's")], interval: "week" },
      ...LAST_60,
    },
  ],
];

describe("a draft runs as it stands, and finds the numbers of the insight", () => {
  test.each(QUERIES)("%s", async (_, query) => {
    const answer = await ask(query);
    const rows = await run(answer.sql);

    const { kind } = answer.insight.query;
    expect(something(cellsIn(kind, rows))).toEqual(something(cellsOf(answer)));
    expect(answer.sql).toStartWith("-- ");
  });

  test.each([
    "weekly people with view by $browser last 90 days",
    "people with buy by plan last 30 days",
    "funnel from view to sign up to buy within 2 days, last 20 days",
    "weekly retention of people with view last 5 weeks",
    "weekly lifecycle of view last 40 days",
    "stickiness of buy last 20 days",
  ])("of words is that of their query: %s", async (words) => {
    expect(await draft(words)).toBe((await ask(words)).sql);
  });
});

describe("a draft of a filter passes the same events as the insight", () => {
  const VALUES = [
    ...["1.2.3", "v1.2.3-beta.1", "2.0", "10", "1.2.10", "x1.2", "1.2.3.4"],
    ...["2026-11-01", "2026-11-20T10:00:00Z", "2026-11-20 10:00:00+02", "infinity", "26-1-1"],
    ...["", " ", "5", 5, -5.5, "5e0", "1e400", "é", "É🦔", "a%b_c", "it's", "ab", true, null],
    ...[{ a: 1 }, ["x"], "\\", "nan"],
  ];
  beforeAll(async () => {
    const events = VALUES.map((v) => event({ event: "valued", properties: { v } }));
    await app.capture(batch(...events, event({ event: "valued" })));
  });

  test.each<[operator: string, ...values: (Json | undefined)[]]>([
    ...[
      ["exact", "5", ["5", "é"], []],
      ["is_not", "5", ["ab", "é"], []],
    ],
    ...[
      ["icontains", "É", ["A", "'"], []],
      ["not_icontains", "b_"],
    ],
    ...[
      ["starts_with", "1.2"],
      ["ends_with", ["3", "b"]],
    ],
    ...[
      ["regex", "^\\d+$"],
      ["not_regex", "[[:alpha:]]"],
    ],
    ...[
      ["gt", 5, "2026-11-20"],
      ["gte", 5],
      ["lt", "5", "0.1"],
      ["lte", 1e308],
    ],
    ...[
      ["between", [-6, 5.5]],
      ["not_between", [0, 10]],
      ["is_set", undefined],
    ],
    ...[
      ["is_not_set", undefined],
      ["is_date_exact", "2026-11-20"],
    ],
    ...[
      ["is_date_before", "-7d"],
      ["is_date_after", "2026-11-20T08:00:00Z"],
    ],
    ...[
      ["semver_eq", "1.2.3"],
      ["semver_neq", "1.2.3"],
      ["semver_gt", "1.2.3-a"],
    ],
    ...[
      ["semver_gte", "1.2.3"],
      ["semver_lt", "1.2.3"],
      ["semver_lte", "2"],
    ],
    ...[
      ["semver_tilde", "1.2"],
      ["semver_caret", "1.2"],
      ["semver_wildcard", "1.2.*"],
    ],
  ] as [string, ...(Json | undefined)[]][])("%s", async (operator, ...values) => {
    for (const value of values) {
      const answer = await ask({
        ...{ kind: "TrendsQuery", series: [{ event: "valued" }], dateRange: { date_from: "-1d" } },
        properties: [{ key: "v", operator, value, type: "event" }],
      });
      const [whole] = (await run(answer.sql)).filter(({ bucket }) => bucket === null);
      expect([operator, value, whole?.["value"] ?? 0]).toEqual([
        ...[operator, value, answer.results[0]?.aggregated_value ?? null],
      ]);
    }
  });
});

test("a draft without words runs as it stands", async () => {
  const rows = await run(await draft());

  expect(rows.length).toBeGreaterThan(10);
  expect(Object.keys(rows[0] ?? {})).toEqual(expect.arrayContaining(["day", "event", "persons"]));
});
