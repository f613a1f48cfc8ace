import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json } from "../../../src/core/values/json.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { withField } from "../../support/data/with-field.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

const ASK = "/api/environments/1/max_tools/create_and_query_insight/";
const DRAFT = "/api/environments/1/query/draft_sql/";
const PREFER = { prefer: "return=representation" };

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const did = (distinct_id: string, name: string, at: string, properties: object = {}) =>
    event({ event: name, distinct_id, timestamp: `2026-11-${at}:00Z`, properties });
  const group = { $groups: { company: "acme" } };
  await app.capture(
    batch(
      did("ann", "view", "18T10:00", { $browser: "Firefox", $set: { plan: "pro" }, ...group }),
      did("ann", "signup", "18T11:00"),
      did("ann", "buy", "20T10:00", { price: 5 }),
      did("ann", "view", "21T10:00"),
      did("phone", "view", "19T10:00", { $browser: "Safari" }),
      did("bob", "view", "20T10:00", { $browser: "Chrome", $set: { plan: "free" } }),
      did("bob", "cancel", "20T10:30"),
      did("bob", "signup", "20T11:00"),
      did("guest", "view", "21T09:00", { $process_person_profile: false }),
      did("guest", "$pageview", "21T09:10", { $current_url: "https://x.test/pricing/?a=1" }),
      did("guest", "$pageview", "21T09:11", { $current_url: "https://x.test/signup" }),
      did("$company_acme", "$groupidentify", "18T09:00", {
        $group_type: "company",
        $group_key: "acme",
        $group_set: { size: "large" },
      }),
      event({ event: "$create_alias", distinct_id: "phone", properties: { alias: "ann" } }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const ask = (query: unknown, rest: object = {}, format = "") =>
  app.ask("POST", ASK + format, { body: { query, ...rest } as object, headers: PREFER });
const range = { dateRange: { date_from: "-3d" } };
const node = (name: string, rest: object = {}) => ({ kind: "EventsNode", event: name, ...rest });

describe("a funnel", () => {
  const series = ["view", "signup", "buy"].map((name) => node(name));

  test("tells how many came to each step, and how long it took them", async () => {
    expect(await ask({ kind: "FunnelsQuery", series, ...range })).toMatchObject({
      status: 200,
      body: {
        insight: { name: "Funnel of view, signup, buy" },
        columns: ["view", "signup", "buy"],
        results: [
          {
            breakdown_value: null,
            data: [3, 2, 1],
            aggregated_value: 1 / 3,
            average_conversion_times: [null, 3600, 47 * 3600],
            median_conversion_times: [null, 3600, 47 * 3600],
          },
        ],
      },
    });
  });

  const has = (operator: string, value: Json) => ({
    properties: [{ key: "$browser", type: "event", operator, value }],
  });
  const large = Array.from({ length: 5 }, (_, at) => node("view", has("is_not", `none ${at}`)));
  test.each<[string, object[], number[]]>([
    ["the same step twice", [node("view"), node("view")], [3, 1]],
    ["a step within another", [node("view"), node("view", has("exact", "Safari"))], [3, 1]],
    [
      "steps apart by a property",
      ["Safari", "Firefox"].map((it) => node("view", has("exact", it))),
      [1, 1],
    ],
    ["steps that overlap", ["r", "f"].map((it) => node("view", has("icontains", it))), [2, 1]],
    [
      "steps of versions",
      ["1.2.3", "1.2.3", "1.2"].map((it) => node("view", has("semver_neq", it))),
      [3, 1, 1],
    ],
    ["any event between others", [node("view"), { event: null }, node("signup")], [3, 3, 2]],
    ["five that overlap", large, [3, 1, 1, 0, 0]],
  ])("that has no order has an event for each step: %s", async (_, series, data) => {
    const funnelsFilter = { funnelOrderType: "unordered" };
    const asked = await ask({ kind: "FunnelsQuery", series, ...range, funnelsFilter });
    expect(asked.body).toMatchObject({ results: [{ data }] });
  });

  test("that has no order is refused where too many steps overlap", async () => {
    const steps = (operator: string) =>
      Array.from({ length: 6 }, (_, at) => node("view", has(operator, `none ${at}`)));
    const funnelsFilter = { funnelOrderType: "unordered" };
    const of = (series: object[]) => ask({ kind: "FunnelsQuery", series, funnelsFilter });
    expect(await of(steps("is_not"))).toMatchObject({
      status: 400,
      body: {
        ...{ code: "invalid_input", attr: "query__series" },
        detail: expect.stringContaining("at most 5 different steps"),
      },
    });
    expect((await of(steps("exact"))).status).toBe(200);
  });

  test.each([{}, { "--memory": "128" }])(
    "that has no order finds memory for as many as may overlap: %p",
    async (flags) => {
      await using small = await testApp({ flags });
      const at = (second: number) => `2026-11-20T10:00:${String(second % 60).padStart(2, "0")}Z`;
      const events = Array.from({ length: 700 }, (_, n) =>
        event({ distinct_id: `d${n % 7}`, timestamp: at(n), properties: { n: n % 9, of: n % 7 } }),
      );
      await small.capture(batch(...events));
      const n = (operator: string, value: number) => ({
        ...{ kind: "EventsNode", event: null },
        properties: [{ key: "n", type: "event", operator, value }],
      });
      const five = [0, 1, 2, 3, 4];
      const exclusions = five.map((value) => n("gt", 10 + value));
      const query = {
        ...{ kind: "FunnelsQuery", ...range, breakdownFilter: { breakdown: "of" } },
        series: [...five, ...five].map((value) => n("is_not", value)),
        funnelsFilter: { funnelOrderType: "unordered", exclusions },
      };
      const asked = await small.ask("POST", ASK, { body: { query }, headers: PREFER });

      expect(asked.status).toBe(200);
      const { results, sql } = asked.body as { results: { data: number[] }[]; sql: string };
      expect(results.map(({ data }) => data)).toEqual(Array(7).fill(Array(10).fill(1)));
      const drafted = { query: { kind: "SQLQuery", query: sql } };
      expect(
        await small.ask("POST", "/api/environments/1/query/", { body: drafted }),
      ).toMatchObject({ status: 200 });
    },
  );

  test("has a window, exclusions, an order and a breakdown", async () => {
    const counts = async (query: object) => {
      const { body } = await ask({ kind: "FunnelsQuery", series, ...range, ...query });
      return (body as { results: { data: number[] }[] }).results.map(({ data }) => data);
    };
    const hours = { funnelWindowInterval: 2, funnelWindowIntervalUnit: "hour" };
    const cancelled = [{ ...node("cancel"), funnelFromStep: 0, funnelToStep: 1 }];

    expect(await counts({ funnelsFilter: hours })).toEqual([[3, 2, 0]]);
    expect(await counts({ funnelsFilter: { exclusions: cancelled } })).toEqual([[2, 1, 1]]);
    expect(await counts({ funnelsFilter: { funnelOrderType: "strict" } })).toEqual([[3, 1, 0]]);
    const bought = { funnelOrderType: "strict", exclusions: [node("buy", { funnelToStep: 1 })] };
    expect(await counts({ funnelsFilter: bought })).toEqual([[3, 1, 0]]);
    const ending = { funnelOrderType: "strict", exclusions: [node("signup")] };
    const steps = ["view", "cancel", "signup"].map((name) => node(name));
    expect(await counts({ series: steps, funnelsFilter: ending })).toEqual([[3, 1, 1]]);
    expect(
      await counts({ breakdownFilter: { breakdown: "plan", breakdown_type: "person" } }),
    ).toEqual([
      [1, 1, 0],
      [1, 1, 1],
      [1, 0, 0],
    ]);
  });

  test.each([
    ["strict", "cancel", [2, 1, 0]],
    ["strict", "buy", [3, 0, 0]],
    ["strict", "cancel and buy", [2, 0, 0]],
    ["unordered", "cancel", [3, 1, 1]],
    ["unordered", "buy", [3, 2, 1]],
  ])("that is %s has exclusions: without %s", async (order, names, data) => {
    const exclusions = names.split(" and ").map((name) => node(name));
    const funnelsFilter = { funnelOrderType: order, exclusions };
    const query = { kind: "FunnelsQuery", series, ...range, funnelsFilter };

    expect(await ask(query)).toMatchObject({ status: 200, body: { results: [{ data }] } });
  });

  test("may be asked in words, and shown as text", async () => {
    const words = "funnel view then signup then buy within 14 days last 4 days";
    const { body } = await ask(words, {}, "?format=txt");

    expect(body).toBe(
      `${words}
Funnel from views to signups to buys within 14 days, last 4 days (18 Nov to 21 Nov 2026, UTC).

        persons  of all  of those before  median time
view          3    100%                                ${"█".repeat(40)}
signup        2   66.7%            66.7%          1 h  ${"█".repeat(27)}
buy           1   33.3%              50%     1 d 23 h  ${"█".repeat(13)}
`,
    );
    expect(await ask("view then signup", { insight_type: "funnel" })).toMatchObject({
      body: { insight: { query: { kind: "FunnelsQuery" } }, results: [{ data: [3, 2] }] },
    });
  });
});

describe("retention", () => {
  const view = { id: "view", type: "events" };
  const of = { targetEntity: view, returningEntity: view, period: "Day", totalIntervals: 4 };
  const filter = { ...of, retentionType: "retention_first_time" };

  test("counts returning users of the users who began", async () => {
    expect(await ask({ kind: "RetentionQuery", retentionFilter: filter })).toMatchObject({
      status: 200,
      body: {
        columns: ["day 0", "day 1", "day 2", "day 3"],
        results: [
          { label: "2026-11-18", data: [1, 1, 0, 1], aggregated_value: 1 },
          { label: "2026-11-19", data: [0, 0, 0, null] },
          { label: "2026-11-20", data: [1, 0, null, null] },
          { label: "2026-11-21", data: [1, null, null, null] },
        ],
      },
    });
    for (const retentionType of [undefined, "retention_recurring"]) {
      const retentionFilter = { ...of, retentionType };
      expect(await ask({ kind: "RetentionQuery", retentionFilter })).toMatchObject({
        body: { results: [{ data: [1, 1, 0, 1] }, { data: [1, 0, 1, null] }, {}, {}] },
      });
    }
  });

  test("is by default of page views in seven days, as PostHog counts it", async () => {
    const retentionFilter = { targetEntity: { id: "$pageview" }, returningEntity: null };
    const filled = await ask({ kind: "RetentionQuery", retentionFilter });
    const { body } = await ask({ kind: "RetentionQuery" });

    const { results, columns } = body as { results: object[]; columns: string[] };
    expect(columns).toHaveLength(7);
    expect(results).toHaveLength(7);
    expect(results.at(-1)).toMatchObject({ label: "2026-11-21", aggregated_value: 1 });
    expect((filled.body as { results: object[] }).results).toEqual(results);
  });

  test.each([
    [1, ["day 0"], [[1], [0], [1], [1]]],
    [
      2,
      ["day 0", "day 1"],
      [
        [1, 1],
        [0, 0],
        [1, 0],
        [1, null],
      ],
    ],
    [
      9,
      ["day 0", "day 1", "day 2", "day 3"],
      [
        [1, 1, 0, 1],
        [0, 0, 0, null],
        [1, 0, null, null],
        [1, null, null, null],
      ],
    ],
  ])(
    "has %i intervals at most, for users who began in the range",
    async (totalIntervals, columns, data) => {
      const retentionFilter = { ...filter, totalIntervals };
      const { body } = await ask({ kind: "RetentionQuery", ...range, retentionFilter });

      expect(body).toMatchObject({ columns, results: data.map((data) => ({ data })) });
    },
  );

  test("is shown as a table with a spark line a row", async () => {
    const { body } = await ask("daily retention of view last 4 days", { name: "R" }, "?format=txt");
    expect(body).toBe(
      `R
Daily retention of people with views who come back with views, last 4 days (18 Nov to 21 Nov 2026, UTC).

            day 0  day 1  day 2  day 3
2026-11-18      1      1      0      1  ██ █
2026-11-19      0      0      0
2026-11-20      1      0                █
2026-11-21      1                       █
`,
    );
  });
});

test("paths tell which way persons went", async () => {
  const pathsFilter = { startPoint: "https://x.test/pricing" };
  expect(await ask({ kind: "PathsQuery", pathsFilter, ...range })).toMatchObject({
    body: {
      columns: ["paths"],
      results: [
        {
          label: "1. /pricing → /signup",
          ...{ source: "1_/pricing", target: "2_/signup", data: [1] },
          average_conversion_time: 60_000,
        },
      ],
    },
  });
});

test("a lifecycle tells who is new, came back or is gone", async () => {
  const { body } = await ask({ kind: "LifecycleQuery", series: [node("view")], ...range });
  const { columns, results } = body as {
    columns: string[];
    results: { label: string; data: number[] }[];
  };

  expect(columns).toEqual(["2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21"]);
  expect(results.map(({ label, data }) => [label, ...data])).toEqual([
    ["new", 1, 0, 1, 1],
    ["returning", 0, 1, 0, 0],
    ["resurrecting", 0, 0, 0, 1],
    ["dormant", 0, 0, -1, -1],
  ]);
});

test("stickiness tells on how many days persons did it", async () => {
  expect(await ask("daily stickiness of view last 4 days")).toMatchObject({
    body: {
      columns: ["1 day", "2 days", "3 days", "4 days"],
      results: [{ label: "view", event: "view", data: [2, 0, 1, 0], aggregated_value: 3 }],
    },
  });
});

describe("trends", () => {
  test("look at what persons and groups have now", async () => {
    const filters = [
      { key: "plan", value: "pro", type: "person" },
      { key: "size", value: "large", type: "group", group_type_index: 0 },
    ];
    const totals = async (query: object) => {
      const { body } = await ask({ kind: "TrendsQuery", ...range, ...query });
      const { results } = body as {
        results: { breakdown_value: string | null; aggregated_value: number }[];
      };
      return results.map(({ breakdown_value, aggregated_value }) => [
        breakdown_value,
        aggregated_value,
      ]);
    };

    for (const [index, count] of [3, 1].entries()) {
      const series = [node("view", { properties: [filters[index]] })];
      expect(await totals({ series })).toEqual([[null, count]]);
    }
    const unique = { math: "unique_group", math_group_type_index: 0 };
    expect(await totals({ series: [node("view", unique)] })).toEqual([[null, 1]]);
    const breakdownFilter = {
      ...{ breakdown: "size", breakdown_type: "group", breakdown_group_type_index: 0 },
    };
    expect(await totals({ series: [node("view")], breakdownFilter })).toEqual([
      ["$$_posthog_breakdown_null_$$", 4],
      ["large", 1],
    ]);
  });

  test("are calculated by a formula, and compared with the days before", async () => {
    const query = {
      ...{ kind: "TrendsQuery", series: [node("signup"), node("view")] },
      ...{ dateRange: { date_from: "-1d" }, compareFilter: { compare: true } },
      trendsFilter: { formula: "A / B * 100" },
    };
    expect(await ask(query)).toMatchObject({
      body: {
        insight: { name: "A / B * 100" },
        results: [
          {
            label: "A / B * 100",
            data: [100, 0],
            compare_label: "current",
            days: ["2026-11-20", "2026-11-21"],
          },
          {
            ...{ data: [100, 0], aggregated_value: 50, compare_label: "previous" },
            days: ["2026-11-18", "2026-11-19"],
          },
        ],
      },
    });
  });

  test("are compared with as much of the days before as has passed of today, as a number and as lines", async () => {
    const late = { event: "slept", distinct_id: "ann" };
    const times = ["2026-11-20T09:00:00Z", "2026-11-20T22:00:00Z", "2026-11-21T09:00:00Z"];
    await app.capture(batch(...times.map((timestamp) => event({ ...late, timestamp }))));
    const totals = async (display: string) => {
      const asked = await ask({
        ...{ kind: "TrendsQuery", series: [node("slept")], dateRange: { date_from: "-0d" } },
        ...{ compareFilter: { compare: true }, trendsFilter: { display } },
      });
      const { results } = asked.body as { results: { data: number[] }[] };
      return results.map(({ data }) => data);
    };
    expect(await totals("BoldNumber")).toEqual([[1], [1]]);
    expect(await totals("ActionsLineGraph")).toEqual([[1], [1]]);
  });

  test("are compared with a time that is so much earlier", async () => {
    const compareFilter = { compare: true, compare_to: "-2d" };
    const dateRange = { date_from: "-1d" };
    const query = { kind: "TrendsQuery", series: [node("view")], dateRange, compareFilter };
    const { body } = await ask(query);
    const earlier = { date_from: "-3d", date_to: "-2d" };
    const alone = await ask({ kind: "TrendsQuery", series: [node("view")], dateRange: earlier });

    const { data } = (alone.body as { results: [{ data: number[] }] }).results[0];
    expect(body).toMatchObject({
      results: [
        { compare_label: "current", days: ["2026-11-20", "2026-11-21"] },
        { compare_label: "previous", days: ["2026-11-18", "2026-11-19"], data },
      ],
    });
    const odd = { ...query, compareFilter: { compare: true, compare_to: "1w" } };
    const attr = "query__compareFilter__compare_to";
    expect(await ask(odd)).toMatchObject({ status: 400, body: { code: "invalid_input", attr } });
  });

  test("of all time begin with the day of the first event", async () => {
    const query = { kind: "TrendsQuery", series: [node("view")], dateRange: { date_from: "all" } };
    const { body } = await ask(query);
    const [day] = (body as { columns: string[] }).columns;
    const [line] = (body as { results: { data: number[] }[] }).results;
    const first = "SELECT strftime(min(timestamp), '%Y-%m-%d') FROM events";
    const { body: sql } = await app.ask("POST", "/api/environments/1/query/", {
      body: { query: { kind: "HogQLQuery", query: first } },
    });
    expect((sql as { results: unknown[][] }).results).toEqual([[day]]);
    expect(line?.data.length).toBeGreaterThan(2);
  });

  test.each<[string, string, (number | null)[]]>([
    ["weekly_active", "day", [1, 1, 2, 3]],
    ["monthly_active", "week", [0]],
    ["weekly_active", "week", [3]],
  ])("count %s by the %s as PostHog does", async (math, interval, data) => {
    const query = { kind: "TrendsQuery", series: [node("view", { math })], interval, ...range };
    expect(await ask(query)).toMatchObject({ body: { results: [{ data }] } });
    const hourly = { ...query, interval: "hour" };
    const refusal = { code: "invalid_input", attr: "query__series__0__math" };
    expect(await ask(hourly)).toMatchObject({ status: 400, body: refusal });
  });

  test("are of days on the clock of the project", async () => {
    const path = "/api/projects/1/";
    const query = { kind: "TrendsQuery", series: [node("view")], dateRange: { date_from: "-1d" } };
    await app.ask("PATCH", path, { body: { timezone: "Pacific/Auckland" } });
    const there = await ask(query);
    await app.ask("PATCH", path, { body: { timezone: "UTC" } });

    // It is the 22nd there already, since 11:00 in UTC.
    expect(there.body).toMatchObject({
      columns: ["2026-11-21", "2026-11-22"],
      results: [{ data: [2, 0] }],
    });
  });
});

test("a date of a filter is on the clock of the project, in the answer and in its draft", async () => {
  const at = (when: string) => event({ event: "dated", properties: { when } });
  const whens = [
    ...["2026-11-20T03:00:00Z", "2026-11-21T03:00:00Z", "2026-11-20 23:00", "2026-11-21", "soon"],
  ];
  await app.capture(batch(...whens.map(at)));
  const filter = { key: "when", value: "2026-11-20", type: "event" };
  const path = "/api/projects/1/";
  await app.ask("PATCH", path, { body: { timezone: "America/New_York" } });
  for (const [operator, count] of [
    ["is_date_exact", 2],
    ["is_date_before", 1],
    ["is_date_after", 1],
  ]) {
    const { body } = await ask({
      ...{
        kind: "TrendsQuery",
        series: [node("dated", { properties: [{ ...filter, operator }] })],
      },
      ...range,
    });
    const { results, sql } = body as { results: object[]; sql: string };
    const ran = await app.ask("POST", "/api/environments/1/query/", {
      body: { query: { kind: "SQLQuery", query: sql } },
    });
    const { columns, results: rows } = ran.body as { columns: string[]; results: Json[][] };
    const at = (name: string) => columns.indexOf(name);
    const drafted = rows.find((row) => row[at("bucket")] === null)?.[at("value")];

    expect([operator, results]).toMatchObject([operator, [{ aggregated_value: count }]]);
    expect([operator, drafted]).toEqual([operator, count]);
  }
  await app.ask("PATCH", path, { body: { timezone: "UTC" } });
});

test.each([
  ["funnel view then signup", "FROM attempts"],
  ["retention of view weekly", "later"],
  ["paths from /pricing", "visits"],
  ["lifecycle of view", "resurrecting"],
  ["stickiness of view", "intervals"],
])("a query is drafted of what a prompt asks: %s", async (prompt, part) => {
  const { body } = await app.ask("GET", `${DRAFT}?prompt=${encodeURIComponent(prompt)}`, {
    headers: PREFER,
  });

  const { sql } = body as { sql: string };
  expect(sql).toStartWith("-- ");
  expect(sql).toContain(part);
});

const funnel = { kind: "FunnelsQuery", series: [{}, {}] };
const retention = { kind: "RetentionQuery" };
const entity = { ...retention, retentionFilter: { targetEntity: {} } };
const unordered = {
  ...{ kind: "FunnelsQuery", series: [{}, {}, {}] },
  funnelsFilter: { funnelOrderType: "unordered" },
};
const paths = { kind: "PathsQuery" };
const EXCLUSIONS = "funnelsFilter__exclusions";
const action = { id: "1", type: "actions" };

test.each<[string, object, path: string, value: unknown, code?: string, attr?: string]>([
  ["one step", funnel, "series", [{}]],
  ["an unknown order", funnel, "funnelsFilter__funnelOrderType", "random", "invalid_choice"],
  ["a window of no length", funnel, "funnelsFilter__funnelWindowInterval", 0],
  [
    "an exclusion between no steps",
    ...([funnel, EXCLUSIONS, [{ funnelFromStep: 1 }]] as const),
    ...(["invalid_input", `${EXCLUSIONS}__0__funnelFromStep`] as const),
  ],
  [
    "an exclusion that begins within steps of any order",
    ...([unordered, EXCLUSIONS, [{ funnelFromStep: 1 }]] as const),
    ...(["invalid_input", `${EXCLUSIONS}__0__funnelFromStep`] as const),
  ],
  [
    "an exclusion that ends within steps of any order",
    ...([unordered, EXCLUSIONS, [{}, { funnelToStep: 1 }]] as const),
    ...(["invalid_input", `${EXCLUSIONS}__1__funnelToStep`] as const),
  ],
  ["a period", entity, "retentionFilter__period", "Year", "invalid_choice"],
  ["too many periods", entity, "dateRange", { date_from: "-200d" }],
  [
    "an action",
    ...([retention, "retentionFilter__targetEntity", action] as const),
    ...(["invalid_choice", "retentionFilter__targetEntity__type"] as const),
  ],
  ["a kind of place", paths, "pathsFilter__includeEventTypes", ["hogql"], "invalid_choice"],
  ["a path of one step", paths, "pathsFilter__stepLimit", 1],
  ["two series of a lifecycle", { kind: "LifecycleQuery" }, "series", [{}, {}]],
  ["no series", { kind: "StickinessQuery" }, "series", undefined, "required"],
])("%s is refused", async (_, query, path, value, code = "invalid_input", attr = path) => {
  const body = { code, attr: `query__${attr}` };
  expect(await ask(withField(query, path, value))).toMatchObject({ status: 400, body });
});

test("an insight is renamed, deleted, restored, and erased with the next deletions", async () => {
  await using own = await testApp();
  const query = { kind: "TrendsQuery", series: [node("view")] };
  const name = "what ann@example.com did";
  const { body } = await own.ask("POST", ASK, { body: { query, name }, headers: PREFER });
  const path = `/insights/${(body as { insight: { short_id: string } }).insight.short_id}/`;
  const change = (method: string, sent?: object) =>
    own.ask(method, `/api/environments/1${path}`, sent === undefined ? {} : { body: sent });

  expect(await change("PATCH", { name: "Views" })).toMatchObject({
    body: { name: "Views", query },
  });
  expect(await change("PATCH", { name: "x".repeat(401) })).toMatchObject({
    ...{ status: 400, body: { code: "too_long", attr: "name" } },
  });
  expect(await change("DELETE")).toMatchObject({ status: 204, text: "" });
  expect(await own.get(path)).toMatchObject({ status: 404 });
  expect(await change("PATCH", { deleted: false })).toMatchObject({ body: { deleted: false } });
  expect(await own.get(path)).toMatchObject({ status: 200, body: { name: "Views" } });

  await change("DELETE");
  await own.app.deletionRuns.run();
  expect(await change("PATCH", { deleted: false })).toMatchObject({ status: 404 });
});
