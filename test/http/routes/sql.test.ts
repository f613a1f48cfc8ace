import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CLIENT_QUERY_ID_CHARS_MAX } from "../../../src/core/access/running-queries.ts";
import { SQL_RUNNING_MAX, SQL_WAITING_MAX } from "../../../src/core/sql/sql.ts";
import { PATTERNS_MAX } from "../../../src/stores/duckdb/lists/property-filter.ts";
import { keyWith } from "../../support/answers/operations.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

const QUERY = "/api/environments/1/query/";
const ASK = "/api/environments/1/max_tools/create_and_query_insight/";
const PREFER = { prefer: "return=representation" };

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const view = (distinct_id: string, day: number, properties: object = {}) =>
    event({ event: "view", distinct_id, timestamp: `2026-11-${day}T10:00:00Z`, properties });
  const long = Array.from({ length: 30 }, (_, n) =>
    event({ event: "long", distinct_id: `d${n}`, properties: { text: "é".repeat(20_000) } }),
  );
  await app.capture(
    batch(
      view("ann", 20, { $browser: "Firefox" }),
      view("ann", 21, { $browser: "Firefox" }),
      view("bob", 21, { $browser: "=1+1" }),
      ...long,
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const query = (sent: unknown, rest: object = {}, format = "") =>
  app.ask("POST", QUERY + format, { body: { query: sent, ...rest } });

const series = [{ kind: "EventsNode", event: "view" }];
const dateRange = { date_from: "-1d" };
const target = { targetEntity: { id: "view" }, returningEntity: { id: "view" } };

/** A query of each kind, with what its explanation says. */
const EACH: [query: object, explanation: string][] = [
  [
    {
      kind: "TrendsQuery",
      series: [{ event: "view", math: "dau" }],
      breakdownFilter: { breakdown: "$browser" },
      properties: [{ key: "$browser", operator: "is_not", value: "Safari" }],
      dateRange,
    },
    'People with views per day by browser where browser is not "Safari", last 2 days (20 Nov to 21 Nov 2026, UTC).',
  ],
  [
    {
      ...{ kind: "TrendsQuery", trendsFilter: { display: "BoldNumber" }, dateRange },
      series: [{ event: "view", math: "dau" }, { event: "view" }],
    },
    "People with views and views, last 2 days (20 Nov to 21 Nov 2026, UTC).",
  ],
  [
    {
      ...{ kind: "TrendsQuery", trendsFilter: { formula: "A/B" }, dateRange },
      series: [{ event: "view", math: "dau" }, { event: "buy" }],
    },
    "People with views per buy per day, last 2 days (20 Nov to 21 Nov 2026, UTC).",
  ],
  [
    {
      kind: "TrendsQuery",
      series: [
        {
          ...{ event: "view", math: "avg", math_property: "$session_duration" },
          math_property_type: "session_properties",
        },
      ],
      breakdownFilter: { breakdown: "$entry_pathname", breakdown_type: "session" },
      dateRange,
    },
    "Average session length of sessions with views per day by entry page, last 2 days (20 Nov to 21 Nov 2026, UTC).",
  ],
  [
    { kind: "FunnelsQuery", series: [...series, { event: "buy" }], dateRange },
    "Funnel from views to buys within 14 days, last 2 days (20 Nov to 21 Nov 2026, UTC).",
  ],
  [
    { kind: "RetentionQuery", retentionFilter: { ...target, totalIntervals: 2 } },
    "retention of people with views who come back with views",
  ],
  [
    { kind: "PathsQuery", pathsFilter: { startPoint: "/pricing" }, dateRange },
    "Paths of people from /pricing, last 2 days (20 Nov to 21 Nov 2026, UTC).",
  ],
  [
    { kind: "LifecycleQuery", series, dateRange },
    "Daily lifecycle of people with views, last 2 days (20 Nov to 21 Nov 2026, UTC).",
  ],
  [
    { kind: "StickinessQuery", series, dateRange },
    "Daily stickiness of people with views, last 2 days (20 Nov to 21 Nov 2026, UTC).",
  ],
];

describe("a query that is not kept", () => {
  test.each(EACH)("%j is answered as if it were kept", async (sent, explanation) => {
    const before = (await app.get("/insights/")).body;
    const { status, body } = await query(sent);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        query: sent,
        explanation: expect.stringContaining(explanation),
        calculated_at: "2026-11-21T12:00:00.000000Z",
      },
    });
    expect((await app.get("/insights/")).body).toEqual(before);

    const kept = await app.ask("POST", ASK, { body: { query: sent }, headers: PREFER });
    const { insight: _, ...same } = kept.body as { insight: object };
    expect(same).toEqual(body as object);
  });

  test("may be in an InsightVizNode, and has the days and the sum of a trend", async () => {
    const source = { kind: "TrendsQuery", series, dateRange };
    expect(await query({ kind: "InsightVizNode", source })).toMatchObject({
      status: 200,
      body: {
        query: source,
        results: [
          {
            data: [1, 2],
            days: ["2026-11-20", "2026-11-21"],
            labels: ["20-Nov-2026", "21-Nov-2026"],
            count: 3,
          },
        ],
      },
    });
    expect(
      await query({ ...source, interval: "hour", dateRange: { date_from: "-1h" } }),
    ).toMatchObject({
      body: { results: [{ labels: ["21-Nov-2026 11:00", "21-Nov-2026 12:00"] }] },
    });
  });

  test("may be words, which are the query that they ask for", async () => {
    const words = (text: string) => query({ kind: "WordsQuery", query: text });
    expect(await words("daily users of view by $browser last 2 days")).toMatchObject({
      status: 200,
      body: {
        query: { kind: "TrendsQuery" },
        sentence: "People with views per day by browser, last 2 days",
        columns: ["2026-11-20", "2026-11-21"],
      },
    });
    expect(await words("average session length last 7 days")).toMatchObject({
      status: 200,
      body: { query: { kind: "TrendsQuery" }, sentence: "Average session length, last 7 days" },
    });
    expect(await words("qwerty")).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: "query" },
    });
  });

  test("of words is asked again as it is kept", async () => {
    const text = "average session length last 7 days";
    const kept = await app.ask("POST", ASK, { body: { query: text }, headers: PREFER });
    const { insight, sql } = kept.body as { insight: { query: object }; sql: string };
    const again = await app.ask("POST", ASK, { body: { query: insight.query }, headers: PREFER });
    const { results } = kept.body as { results: object[] };
    expect(again.body).toMatchObject({ sql, results, insight: { query: insight.query } });
    for (const prompt of [text, JSON.stringify(insight.query)]) {
      const path = `/query/draft_sql/?prompt=${encodeURIComponent(prompt)}`;
      expect((await app.get(path, { headers: PREFER })).body).toEqual({ sql });
    }
    const path = `/query/draft_sql/?prompt=${encodeURIComponent("{")}`;
    expect(await app.get(path)).toMatchObject({ status: 400, body: { attr: "prompt" } });
  });

  test("is a table as CSV and as text, if that is asked for", async () => {
    const trends = {
      ...{ kind: "TrendsQuery", series, dateRange, breakdownFilter: { breakdown: "$browser" } },
      compareFilter: { compare: true },
    };
    expect((await query(trends, {}, "?format=csv")).text).toBe(
      [
        "label,breakdown_value,compare_label,2026-11-20,2026-11-21",
        "view,Firefox,current,1,1",
        "view,'=1+1,current,0,1",
        "",
      ].join("\r\n"),
    );
    const [, explanation] = EACH[8] ?? [];
    const text = await query({ kind: "StickinessQuery", series, dateRange }, {}, "?format=txt");
    expect(text.body).toStartWith(`${explanation}\n\nview\n1 day `);
    const sql = { kind: "HogQLQuery", query: "SELECT 1.5 AS one, NULL AS none, 'a\nb' AS two" };
    expect((await query(sql, {}, "?format=txt")).body).toBe(
      "one  none  two\n1.5        a\\u000ab\n",
    );
  });

  test.each<[unknown, string, string]>([
    [null, "invalid_input", "query"],
    [{}, "required", "query__kind"],
    [{ kind: "EventsQuery" }, "required", "query__select"],
    [{ kind: "SessionsQuery" }, "invalid_choice", "query__kind"],
    [{ kind: "HogQLQuery" }, "required", "query__query"],
    [{ kind: "SQLQuery", query: 1 }, "invalid_input", "query__query"],
    [{ kind: "WordsQuery" }, "invalid_input", "query__query"],
    [{ kind: "TrendsQuery" }, "required", "query__series"],
    [{ kind: "InsightVizNode", source: 1 }, "invalid_input", "query__source"],
  ])("%j is refused", async (sent, code, attr) => {
    expect(await query(sent)).toMatchObject({ status: 400, body: { code, attr } });
  });
});

/** Each pattern takes a while to check, and long for a long text. */
const SLOW = Array.from({ length: PATTERNS_MAX }, (_, n) => `\\pL{300}${n}$`);
const slow = {
  kind: "TrendsQuery",
  series: [{ properties: [{ key: "text", operator: "regex", value: SLOW }] }],
};
const TABLES = Array.from({ length: 30 }, (_, n) => `events e${n}`).join(", ");
const endless = { kind: "HogQLQuery", query: `SELECT count(*) FROM ${TABLES}` };

test("a query may come with the fields of PostHog that change nothing; others are refused", async () => {
  const sent = { kind: "HogQLQuery", query: "SELECT 1" };
  const plain = (await query(sent)).body;
  for (const beside of [
    { refresh: "force_async", async: true, name: "tile", variables_override: {} },
    { refresh: false, async: null, name: null, filters_override: null },
  ])
    expect(await query(sent, beside)).toMatchObject({ status: 200, body: plain as never });
  for (const harmless of [{ modifiers: { a: 1 } }, { name: "n", explain: false, tags: {} }])
    expect(await query({ ...sent, ...harmless })).toMatchObject({ body: plain as never });
  for (const [field, value] of Object.entries({ refresh: "soon", async: "yes", name: 7 }))
    expect(await query(sent, { [field]: value })).toMatchObject({
      ...{ status: 400, body: { attr: field } },
    });
  for (const field of ["connectionId", "explain", "limit"])
    expect(await query({ ...sent, [field]: "1" })).toMatchObject({
      ...{ status: 400, body: { attr: `query__${field}` } },
    });
  for (const field of ["refreshed", "variables_override", "limit_context"])
    expect(await query(sent, { [field]: { a: 1 } })).toMatchObject({
      ...{ status: 400, body: { attr: field } },
    });
});

describe("a running query", () => {
  const cancel = (id: string, key?: string) =>
    app.ask("DELETE", `${QUERY}${id}/`, key === undefined ? {} : { key });
  const id = { client_query_id: "tile 7" };
  const cancelled = { status: 400, body: { code: "query_cancelled", attr: null } };

  test.each([
    ["an insight", slow],
    ["SQL", endless],
  ])("of %s ends when its caller cancels it, and only then", async (_, sent) => {
    let ended = false;
    const running = query(sent, id).finally(() => {
      ended = true;
    });
    const other = await keyWith(app, {});
    // By then it has begun.
    await Bun.sleep(200);

    for (const [name, key] of [["tile%207", other], ["tile"]] as const) {
      expect(await cancel(name, key)).toMatchObject({ status: 204, text: "" });
    }
    expect(ended).toBe(false);
    // On a busy machine it may begin only now.
    for (; !ended; await Bun.sleep(20)) {
      expect(await cancel("tile%207")).toMatchObject({ status: 204, text: "" });
    }
    expect(await running).toMatchObject(cancelled);
  });

  test("of SQL stops in the engine, so that others may run", async () => {
    const one = { kind: "HogQLQuery", query: "SELECT 1 AS one" };
    const until = async (status: number) => {
      while ((await query(one)).status !== status) await Bun.sleep(5);
    };
    await until(200);
    const all = Array.from({ length: SQL_RUNNING_MAX + SQL_WAITING_MAX }, () => query(endless, id));
    await until(429);
    await cancel("tile%207");

    for (const answered of await Promise.all(all)) expect(answered).toMatchObject(cancelled);
    await until(200);
  });

  test("may have ended, and has a name that is not too long", async () => {
    expect(await cancel("none")).toMatchObject({ status: 204 });
    expect(await query(slow, { client_query_id: "x".repeat(101) })).toMatchObject({
      status: 400,
      body: {
        ...{ code: "too_long", attr: "client_query_id" },
        detail: `At most ${CLIENT_QUERY_ID_CHARS_MAX} characters.`,
      },
    });
  });
});
