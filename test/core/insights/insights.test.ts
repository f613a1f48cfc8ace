import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { insights } from "../../../src/core/insights/insights.ts";
import { batch, event, FOREVER } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

const ASK = "/api/environments/1/max_tools/create_and_query_insight/";
const DRAFT = "/api/environments/1/query/draft_sql/";
const PREFER = { prefer: "return=representation" };

/** A name that would end a remark, a literal or an identifier that it is put into as it stands. */
const NASTY = `x'"; DROP TABLE events; --\n/*é*/`;

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const view = (distinct_id: string, day: number, properties: object = {}) =>
    event({ event: "view", distinct_id, timestamp: `2026-11-${day}T10:00:00Z`, properties });
  await app.capture(
    batch(
      view("ann", 20, { $browser: "Firefox", price: 2 }),
      view("ann", 21, { $browser: "Firefox", price: "0.5" }),
      view("phone", 21, { $browser: "Safari" }),
      view("bob", 21, { $browser: "Chrome", price: "cheap" }),
      view("guest", 21, { $process_person_profile: false, [NASTY]: 1 }),
      event({ event: NASTY, distinct_id: "bob" }),
      event({ event: "$create_alias", distinct_id: "phone", properties: { alias: "ann" } }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const ask = (body: unknown, format = "") =>
  app.ask("POST", ASK + format, { body, headers: PREFER });
const trends = (query: object, rest: object = {}) =>
  ask({ query: { kind: "TrendsQuery", dateRange: { date_from: "-1d" }, ...query }, ...rest });

describe("a question about events", () => {
  test("is answered with nothing by default, and kept", async () => {
    const query = { kind: "TrendsQuery", series: [{ event: "view" }] };
    const answered = await app.ask("POST", ASK, { body: { query, name: "Quiet" } });

    expect(answered).toMatchObject({ status: 200, body: "" });
    const { body } = await app.get("/insights/?limit=1");
    const [kept] = (body as { results: { short_id: string }[] }).results;
    expect(kept).toMatchObject({ name: "Quiet", query, created_by: { id: 1 } });
    expect((await app.get(`/insights/${kept?.short_id}/`)).body).toEqual(kept);
  });

  test("counts persons once, after every merge, and those without a profile", async () => {
    const series = [{ kind: "EventsNode", event: "view", math: "dau" }, { event: "view" }];

    expect(await trends({ series })).toMatchObject({
      status: 200,
      body: {
        columns: ["2026-11-20", "2026-11-21"],
        results: [
          {
            label: "unique users of view",
            breakdown_value: null,
            data: [1, 3],
            aggregated_value: 3,
          },
          { label: "view", math: "total", data: [1, 4], aggregated_value: 5 },
        ],
      },
    });
  });

  test("tells values of a breakdown apart, the greatest first, and the others together", async () => {
    const { body } = await trends({
      series: [{ event: "view", math: "dau" }],
      breakdownFilter: { breakdown: "$browser", breakdown_limit: 2 },
    });

    const { results } = body as { results: { breakdown_value: string; data: number[] }[] };
    expect(results.map(({ breakdown_value, data }) => [breakdown_value, data])).toEqual([
      ["Chrome", [0, 1]],
      ["Firefox", [1, 1]],
      ["$$_posthog_breakdown_other_$$", [0, 2]],
    ]);
  });

  test("calculates with numbers, of the events that pass every filter", async () => {
    const math = (name: string) => ({ event: "view", math: name, math_property: "price" });
    const { body } = await trends({
      series: [math("sum"), { ...math("avg"), properties: [{ key: "price", operator: "is_set" }] }],
      properties: [{ key: "$browser", value: "Chrome", operator: "is_not", type: "event" }],
    });

    const { results } = body as { results: { label: string; data: number[] }[] };
    expect(results.map(({ label, data }) => [label, data])).toEqual([
      ["sum of price of view", [2, 0.5]],
      ["average of price of view", [2, 0.5]],
    ]);
  });

  test("is zero where nothing is counted, and null where there is nothing to calculate with", async () => {
    const series = [{ event: "none" }, { event: "view", math: "max", math_property: "none" }];
    const { body } = await trends({ series });

    const { results } = body as { results: { data: unknown[]; aggregated_value: unknown }[] };
    expect(results.map(({ data, aggregated_value }) => [...data, aggregated_value])).toEqual([
      [0, 0, 0],
      [null, null, null],
    ]);
  });

  test("takes any name for an event or property, and never for SQL", async () => {
    const { body } = await trends({
      series: [{ event: NASTY }, { math: "sum", math_property: NASTY }],
      breakdownFilter: { breakdown: NASTY },
      properties: [{ key: NASTY, operator: "is_not", value: NASTY }],
    });

    const { results } = body as { results: { aggregated_value: number }[] };
    expect(results.map(({ aggregated_value }) => aggregated_value)).toEqual([1, 1, 0]);
  });

  test("is answered as a table, if that is asked for", async () => {
    const query = {
      kind: "TrendsQuery",
      series: [{ event: "view" }],
      dateRange: { date_from: "-1d" },
    };
    const answered = await ask({ query, name: "Views" }, "?format=txt");

    expect(answered.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answered.body).toBe(
      `Views\nViews per day, last 2 days (20 Nov to 21 Nov 2026, UTC).\n\nview\n2026-11-20  1  ${"█".repeat(10)}\n2026-11-21  4  ${"█".repeat(40)}\nall         5\n`,
    );
    expect(await ask({ query }, "?format=csv")).toMatchObject({
      status: 400,
      body: { code: "invalid_choice", attr: "format" },
    });
  });

  test("asked again is the same insight; under another name it is another", async () => {
    const idOf = async (name: string) => {
      const { body } = await trends({ series: [{ event: "again" }] }, { name });
      return (body as { insight: { short_id: string } }).insight.short_id;
    };

    const first = await idOf("one");
    expect(await idOf("one")).toBe(first);
    expect(await idOf("two")).not.toBe(first);
  });

  test("may be asked in words", async () => {
    const words = "daily unique users of VIEW by $browser last 2 days";
    const { body } = await ask({ query: words, insight_type: "trends" });

    expect(body).toMatchObject({
      insight: { name: words, query: { kind: "TrendsQuery", interval: "day" } },
      results: [
        { breakdown_value: "Chrome" },
        { breakdown_value: "Firefox" },
        { breakdown_value: "Safari" },
        { breakdown_value: "$$_posthog_breakdown_null_$$", data: [0, 1] },
      ],
    });
    const other = await ask({ query: "weekly unicorns" });
    expect(other).toMatchObject({ status: 400, body: { code: "invalid_input", attr: "query" } });
    expect((other.body as { detail: string }).detail).toContain('"unicorns" is not understood');
  });

  test("of a project without events is answered with zeros, unless its words say nothing", async () => {
    const { id } = await app.app.projects.create({ name: "empty" });
    const path = ASK.replace("/1/", `/${id}/`);
    const answer = (query: string) => app.ask("POST", path, { body: { query }, headers: PREFER });

    expect(await answer("page views per day, last 2 days")).toMatchObject({
      status: 200,
      body: { results: [{ event: "$pageview", data: [0, 0], aggregated_value: 0 }] },
    });
    for (const query of [
      "visitors per week",
      "average session length",
      "bounce rate last 7 days",
      "weekly retention of visitors",
      "where do visitors go after /pricing",
      "lifecycle of visitors",
    ]) {
      expect([query, (await answer(query)).status]).toEqual([query, 200]);
    }
    const { status, body } = await answer("unicorns of the moon");
    expect(status).toBe(400);
    expect((body as { detail: string }).detail).toContain(
      '"unicorns" and "moon" are not understood',
    );
  });

  test("is of one project", async () => {
    const { id } = await app.app.projects.create({ name: "second" });
    const [kept] = ((await app.get("/insights/")).body as { results: { short_id: string }[] })
      .results;

    const elsewhere = ASK.replace("/1/", `/${id}/`);
    const { body } = await app.ask("POST", elsewhere, {
      body: { query: { kind: "TrendsQuery", series: [{}] } },
      headers: PREFER,
    });
    expect(body).toMatchObject({ results: [{ label: "All events", aggregated_value: 0 }] });
    const path = `/api/environments/${id}/insights/`;
    expect(await app.ask("GET", `${path}${kept?.short_id}/`)).toMatchObject({ status: 404 });
    expect((await app.ask("GET", path)).body).toMatchObject({ count: 1 });
  });

  const series = [{ event: "view" }];
  test.each<[string, unknown, string, string]>([
    ["no body", undefined, "required", "query"],
    ["no query", { insight_type: "trends" }, "required", "query"],
    ["a number for a query", { query: 1 }, "invalid_input", "query"],
    [
      "a type that the query is not of",
      { query: { kind: "TrendsQuery", series: [{}] }, insight_type: "funnel" },
      "invalid_choice",
      "insight_type",
    ],
    ["a type that is none", { query: {}, insight_type: "x" }, "invalid_choice", "insight_type"],
    ["an unknown kind", { query: { kind: "SessionsQuery" } }, "invalid_choice", "query__kind"],
    [
      "a long name",
      { query: { kind: "TrendsQuery", series }, name: "x".repeat(401) },
      "too_long",
      "name",
    ],
    ["no series", { query: { kind: "TrendsQuery" } }, "required", "query__series"],
  ])("is refused with %s", async (_, body, code, attr) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { code, attr } });
  });

  test.each<[string, object, string, string]>([
    ["no series in it", { series: [] }, "invalid_input", "query__series"],
    ["too many series", { series: Array(11).fill({}) }, "invalid_input", "query__series"],
    ["an unknown field", { series, formula: "A+B" }, "invalid_input", "query__formula"],
    [
      "an action",
      { series: [{ kind: "ActionsNode" }] },
      "invalid_choice",
      "query__series__0__kind",
    ],
    ["an unknown math", { series: [{ math: "sums" }] }, "invalid_choice", "query__series__0__math"],
    [
      "a breakdown by a property that sessions lack",
      { series, breakdownFilter: { breakdown: "$browser_version", breakdown_type: "session" } },
      "invalid_choice",
      "query__breakdownFilter__breakdown",
    ],
    [
      "a filter of a property that sessions lack",
      { series, properties: [{ key: "$browser_version", value: "1", type: "session" }] },
      "invalid_choice",
      "query__properties",
    ],
    [
      "a sum of texts of sessions",
      {
        series: [
          {
            ...{ math: "sum", math_property: "$entry_pathname" },
            math_property_type: "session_properties",
          },
        ],
      },
      "invalid_choice",
      "query__series__0__math_property",
    ],
    [
      "a math of a warehouse",
      {
        series: [
          { math: "sum", math_property: "a", math_property_type: "data_warehouse_properties" },
        ],
      },
      "invalid_choice",
      "query__series__0__math_property_type",
    ],
    ["no property", { series: [{ math: "sum" }] }, "required", "query__series__0__math_property"],
    [
      "a number for an event",
      { series: [{ event: 1 }] },
      "invalid_input",
      "query__series__0__event",
    ],
    ["an interval", { series, interval: "minute" }, "invalid_choice", "query__interval"],
    [
      "a time",
      { series, dateRange: { date_from: "x" } },
      "invalid_input",
      "query__dateRange__date_from",
    ],
    [
      "a cohort's breakdown",
      { series, breakdownFilter: { breakdown: "a", breakdown_type: "cohort" } },
      "invalid_choice",
      "query__breakdownFilter__breakdown_type",
    ],
    [
      "a group's breakdown of no type",
      { series, breakdownFilter: { breakdown: "a", breakdown_type: "group" } },
      "invalid_input",
      "query__breakdownFilter__breakdown_group_type_index",
    ],
    [
      "a group to count",
      { series: [{ math: "unique_group" }] },
      "required",
      "query__series__0__math_group_type_index",
    ],
    [
      "a formula of series there are not",
      { series, trendsFilter: { formula: "A+B" } },
      "invalid_input",
      "query__trendsFilter__formula",
    ],
    [
      "a comparison",
      { series, compareFilter: { compare: "x" } },
      "invalid_input",
      "query__compareFilter__compare",
    ],
    [
      "a breakdown of none",
      { series, breakdownFilter: { breakdown: "a", breakdown_limit: 0 } },
      "invalid_input",
      "query__breakdownFilter__breakdown_limit",
    ],
    ["a filter", { series, properties: [{ key: 1 }] }, "invalid_input", "query__properties"],
    [
      "a cohort's filter",
      { series: [{ properties: [{ key: "a", value: 1, type: "cohort" }] }] },
      "invalid_input",
      "query__series__0__properties",
    ],
    [
      "a group's filter of no type",
      { series: [{ properties: [{ key: "a", value: 1, type: "group" }] }] },
      "invalid_input",
      "query__series__0__properties__group_type_index",
    ],
    [
      "a pattern",
      { series, properties: [{ key: "a", operator: "regex", value: "(?=x)" }] },
      "invalid_input",
      "query",
    ],
    ["a long query", { series, properties: "x".repeat(70_000) }, "too_long", "query"],
  ])("is refused with %s that is not known", async (_, query, code, attr) => {
    expect(await trends(query)).toMatchObject({ status: 400, body: { code, attr } });
  });
});

describe("a drafted query", () => {
  const drafted = async (prompt = "") => {
    const { body } = await app.ask("GET", DRAFT + prompt, { headers: PREFER });
    return (body as { sql: string }).sql;
  };

  test("is empty by default", async () => {
    expect(await app.ask("GET", DRAFT)).toMatchObject({ status: 200, body: "" });
  });

  test("is of what a prompt asks, which is refused if it is not understood", async () => {
    expect(await drafted("?prompt=unique+users+of+view")).toContain("event = 'view'");
    expect(await app.ask("GET", `${DRAFT}?prompt=unicorns`)).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: "prompt" },
    });
  });

  test("names the project's own events and properties", async () => {
    const sql = await drafted();

    expect(sql).toContain(`"view" (5)`);
    expect(sql).toContain(`"price" (3)`);
    expect(sql).toContain(JSON.stringify(NASTY));
    expect(sql).toContain(`'${NASTY.replaceAll("'", "''")}'`);
  });
});

test("the store is not queried while it catches up", async () => {
  const late = insights({ isCatchingUp: () => true, queries: {} } as Parameters<
    typeof insights
  >[0]);

  expect(late.draft(1, undefined, FOREVER)).rejects.toMatchObject({ code: "unavailable" });
});

test("names need not be frequent, with quotes or without", async () => {
  await using own = await testApp();
  const rare = event({
    ...{ event: "rare one", distinct_id: "ann", timestamp: "2026-11-21T10:00:00Z" },
    properties: { "rare.key/~": "x", $set: { "rare of person": 1 } },
  });
  const frequent = Array.from({ length: 400 }, (_, at) =>
    Array.from({ length: 2 }, () => event({ event: `e${at}`, distinct_id: "bob" })),
  );
  await own.capture(batch(rare, ...frequent.flat()));
  const asked = async (query: string) =>
    (await own.ask("POST", ASK, { body: { query }, headers: PREFER })).body as {
      results: { aggregated_value: number; breakdown_value: string | null }[];
      detail: string;
    };

  for (const one of ["Rare one", '"rare one"']) {
    expect(await asked(`users of ${one} last 2 days`)).toMatchObject({
      results: [{ aggregated_value: 1 }],
    });
  }
  for (const by of ["rare key", '"rare.key/~"', 'person."rare of person"']) {
    const { results } = await asked(`“rare one” by ${by} last 2 days`);
    expect(results).toMatchObject([{ aggregated_value: 1, breakdown_value: expect.any(String) }]);
  }
  expect((await asked('"rare one" and "rarer one"')).detail).toContain("are not understood");
  expect((await asked('"rare one" by "rarer"')).detail).toContain('"rarer" are not understood');
});

test("names stay known after many newer events and persons that lack them", async () => {
  await using own = await testApp();
  const first = [
    event({ event: "$pageview", distinct_id: "ann", properties: { $browser: "Firefox" } }),
    event({ event: "tm", distinct_id: "ann", properties: { amount: 5, $set: { plan: "pro" } } }),
  ];
  await own.capture(batch(...first));
  const later = Array.from({ length: 400 }, (_, at) =>
    event({ event: `cron ${at} ran`, distinct_id: `job ${at}`, properties: { [`p${at}`]: 1 } }),
  );
  await own.capture(batch(...later));

  for (const [query, value] of [
    ["unique users of $pageview by $browser", 1],
    ['unique users of $pageview by "$browser"', 1],
    ["sum of amount of tm", 5],
    ["monthly count of tm by plan", 1],
    ['count of $pageview by person."$initial_browser"', 1],
  ] as const) {
    const { status, body } = await own.ask("POST", ASK, { body: { query }, headers: PREFER });
    expect({ query, status, body }).toMatchObject({
      ...{ query, status: 200 },
      body: { results: [{ aggregated_value: value }] },
    });
  }
});
