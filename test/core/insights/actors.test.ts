import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { keyWith } from "../../support/answers/operations.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

const QUERY = "/api/environments/1/query/";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const did = (distinct_id: string, name: string, at: string, properties: object = {}) =>
    event({ event: name, distinct_id, timestamp: `2026-11-${at}:00Z`, properties });
  const noProfile = { $process_person_profile: false };
  await app.capture(
    batch(
      did("ann", "view", "19T10:00", { $browser: "Firefox", $set: { email: "Ann@x.test" } }),
      did("ann", "view", "21T10:00", { $browser: "Firefox", price: 2 }),
      did("ann", "view", "21T11:00", { $browser: "Safari", price: 3.5 }),
      did("phone", "view", "20T10:00", { $browser: "Safari", $set: { plan: "pro" } }),
      did("bob", "view", "21T09:00", { $browser: "Firefox", $set: { email: "bob@x.test" } }),
      did("bob", "buy", "21T09:30"),
      did("guest", "view", "21T08:00", noProfile),
      did("other", "view", "21T08:30", noProfile),
      did("bob", "$pageview", "21T08:00", { $current_url: "https://x.test/a_b" }),
      did("bob", "$pageview", "21T08:01", { $current_url: "https://x.test/c" }),
      event({ event: "$create_alias", distinct_id: "phone", properties: { alias: "ann" } }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const ask = (source: unknown, rest: object = {}, format = "", key?: string) =>
  app.ask("POST", QUERY + format, {
    body: { query: { kind: "ActorsQuery", source, ...rest } },
    ...(key === undefined ? {} : { key }),
  });

type Answer = {
  results: [{ name: string } | null, number, string][];
  count: number;
  hasMore: boolean;
};

/** The persons by name, with their counts, and the count of all. */
async function named(source: unknown, rest: object = {}) {
  const { status, body } = await ask(source, rest);
  const { results, count, hasMore } = body as Answer;
  expect(status).toBe(200);
  return {
    names: results.map(([person, times]) => `${person?.name ?? "none"} ${times}`),
    count,
    hasMore,
  };
}

const series = [{ kind: "EventsNode", event: "view", math: "dau" }];
const dateRange = { date_from: "-2d" };
const trends = { kind: "TrendsQuery", series, dateRange };
const of = (source: object, rest: object = {}) => ({ kind: "InsightActorsQuery", source, ...rest });

describe("the persons of a number", () => {
  test("are as many as it counts, with those without a profile as one", async () => {
    const { status, body } = await ask(of(trends, { day: "2026-11-21" }));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        columns: ["person", "count", "last_at"],
        results: [
          [
            { name: "Ann@x.test", distinct_ids: ["ann", "phone"] },
            2,
            "2026-11-21T11:00:00.000000Z",
          ],
          [null, 2, "2026-11-21T08:30:00.000000Z"],
          [{ name: "bob@x.test" }, 1, "2026-11-21T09:00:00.000000Z"],
        ],
        ...{ count: 4, hasMore: false, offset: 0 },
        calculated_at: "2026-11-21T12:00:00.000000Z",
      },
    });
    const chart = await app.ask("POST", QUERY, { body: { query: trends } });
    expect(chart.body).toMatchObject({ results: [{ data: [1, 1, 4], aggregated_value: 4 }] });
    expect(await named(of(trends))).toEqual({
      names: ["Ann@x.test 4", "none 2", "bob@x.test 1"],
      ...{ count: 4, hasMore: false },
    });
  });

  test("come in parts, and may be searched by address or distinct id", async () => {
    const day = { day: "2026-11-21T00:00:00Z" };
    expect(await named(of(trends, day), { limit: 1, offset: 1 })).toEqual({
      names: ["none 2"],
      ...{ count: 4, hasMore: true },
    });
    const none = { names: [], count: 4, hasMore: false };
    expect(await named(of(trends, day), { offset: 3 })).toEqual(none);
    for (const search of ["ANN@", "phone"]) {
      const found = { names: ["Ann@x.test 2"], count: 1, hasMore: false };
      expect(await named(of(trends, day), { search })).toEqual(found);
    }
    expect(await named(of(trends, day), { search: "guest" })).toEqual({ ...none, count: 0 });
  });

  test("are of as much of the period before as its number counts", async () => {
    const slept = (distinct_id: string, timestamp: string) =>
      event({ event: "slept", distinct_id, timestamp });
    await app.capture(
      batch(slept("ann", "2026-11-20T09:00:00Z"), slept("bob", "2026-11-20T22:00:00Z")),
    );
    const number = {
      ...{ kind: "TrendsQuery", series: [{ event: "slept" }], dateRange: { date_from: "-0d" } },
      ...{ compareFilter: { compare: true }, trendsFilter: { display: "BoldNumber" } },
    };
    const before = await named(of(number, { compare: "previous" }));
    expect(before).toEqual({ names: ["Ann@x.test 1"], count: 1, hasMore: false });
  });

  test("are of one series, one value and one period", async () => {
    const math = (name: string) => ({ event: "view", math: name, math_property: "price" });
    const by = {
      ...{ kind: "TrendsQuery", series: [...series, math("sum")], dateRange: { date_from: "-0d" } },
      breakdownFilter: { breakdown: "$browser", breakdown_limit: 2 },
      compareFilter: { compare: true, compare_to: "-1d" },
    };
    const firefox = await named(of(by, { breakdown: "Firefox" }));
    expect(firefox.names).toEqual(["Ann@x.test 1", "bob@x.test 1"]);
    const none = await named(of(by, { breakdown: "$$_posthog_breakdown_null_$$" }));
    expect(none).toMatchObject({ names: ["none 2"], count: 2 });
    const other = await named(of(by, { breakdown: "$$_posthog_breakdown_other_$$" }));
    expect(other.names).toEqual(["Ann@x.test 1"]);
    expect((await named(of(by, { series: 1 }))).names).toEqual(["Ann@x.test 5.5"]);
    const before = await named(of(by, { compare: "previous", day: "2026-11-20" }));
    expect(before.names).toEqual(["Ann@x.test 1"]);
  });

  test("are of a step of a funnel, or were lost there", async () => {
    const source = {
      kind: "FunnelsQuery",
      series: [{ event: "view" }, { event: "buy" }],
      dateRange,
    };
    const at = (funnelStep: number) => named({ kind: "FunnelsActorsQuery", source, funnelStep });
    expect(await at(1)).toMatchObject({ count: 4 });
    expect(await at(2)).toMatchObject({ names: ["bob@x.test 2"], count: 1 });
    expect(await at(-2)).toMatchObject({ names: ["none 2", "Ann@x.test 1"], count: 3 });
  });

  test("are of a cell of retention, of a status, of a count of intervals, of a way", async () => {
    const view = { id: "view", type: "events" };
    const retentionFilter = { targetEntity: view, returningEntity: view, totalIntervals: 3 };
    const retention = of({ kind: "RetentionQuery", retentionFilter }, { interval: 0, day: 2 });
    expect(await named(retention)).toMatchObject({ names: ["Ann@x.test 2"], count: 1 });
    const lifecycle = { kind: "LifecycleQuery", series: [{ event: "view" }], dateRange };
    const status = (status: string) => named(of(lifecycle, { day: "2026-11-21", status }));
    expect(await status("returning")).toMatchObject({ names: ["Ann@x.test 2"], count: 1 });
    expect(await status("new")).toMatchObject({ count: 3 });
    expect(await status("dormant")).toMatchObject({ count: 0 });
    const source = { kind: "StickinessQuery", series: [{ event: "view" }], dateRange };
    const days = await named({ kind: "StickinessActorsQuery", source, day: 3 });
    expect(days).toMatchObject({ names: ["Ann@x.test 3"], count: 1 });
    const pathsFilter = { pathStartKey: "1_/a_b", pathEndKey: "2_/c" };
    const way = await named(of({ kind: "PathsQuery", pathsFilter, dateRange }));
    expect(way).toMatchObject({ names: ["bob@x.test 1"], count: 1 });
  });

  test("may be of a question in words, if a query answers it", async () => {
    const words = (query: string) => of({ kind: "WordsQuery", query });
    expect(await named(words("users of view in the last 2 days"))).toMatchObject({ count: 4 });
    expect(await ask(words("what has ann@x.test done"))).toMatchObject({
      status: 400,
      body: { code: "invalid_choice" },
    });
  });

  test("need the scope of persons, too", async () => {
    const key = await keyWith(app, { scopes: ["query:read"] });
    expect(await ask(of(trends), {}, "", key)).toMatchObject({
      status: 403,
      body: { code: "permission_denied", detail: "The API key lacks the scope 'person:read'." },
    });
    const both = await keyWith(app, { scopes: ["query:read", "person:read"] });
    expect(await ask(of(trends), {}, "", both)).toMatchObject({ status: 200 });
  });

  test("are a table as CSV and as text, if that is asked for", async () => {
    const source = of(trends, { day: "2026-11-21" });
    const csv = await ask(source, { limit: 2 }, "?format=csv");
    expect(csv.text).toMatch(
      /^uuid,name,count,last_at\r\n[\da-f-]{36},Ann@x.test,2,2026-11-21T11:00:00.000000Z\r\n,\(no profile\),2,/,
    );
    const text = await ask(source, { limit: 2 }, "?format=txt");
    expect(text.text).toMatch(/^uuid +name +count {2}last_at\n[\da-f-]{36} {2}Ann@x.test +2 /);
  });

  const compared = { ...trends, compareFilter: { compare: true } };
  const funnel = { kind: "FunnelsQuery", series: [{ event: "view" }, { event: "buy" }] };
  const lifecycle = { kind: "LifecycleQuery", series: [{ event: "view" }] };
  test.each<[unknown, string, string]>([
    [1, "invalid_input", "query__source"],
    [{ kind: "EventsQuery" }, "invalid_choice", "query__source__kind"],
    [{ kind: "InsightActorsQuery" }, "required", "query__source__source"],
    [of({ kind: "PathsQuery" }), "required", "query__source__source__pathsFilter__pathStartKey"],
    [of(trends, { day: "2026-11-30" }), "invalid_input", "query__source__day"],
    [of(trends, { series: 1 }), "invalid_input", "query__source__series"],
    [of(trends, { breakdown: "x" }), "invalid_input", "query__source__breakdown"],
    [of(trends, { compare: "previous" }), "invalid_input", "query__source__compare"],
    [of(trends, { status: "new" }), "invalid_input", "query__source__status"],
    [of(trends, { interval: 1 }), "invalid_input", "query__source__interval"],
    [of(lifecycle, { series: 1 }), "invalid_input", "query__source__series"],
    [
      { kind: "FunnelsActorsQuery", source: trends, funnelStep: 1 },
      ...(["invalid_input", "query__source__funnelStep"] as const),
    ],
    [of(compared, { funnelStep: 1 }), "invalid_input", "query__source__funnelStep"],
    [of(lifecycle, { status: "new" }), "required", "query__source__day"],
    [of(lifecycle, { day: "2026-11-21" }), "required", "query__source__status"],
    [
      { kind: "FunnelsActorsQuery", source: funnel, funnelStep: -1 },
      "invalid_input",
      "query__source__funnelStep",
    ],
  ])("%j is refused", async (source, code, attr) => {
    expect(await ask(source)).toMatchObject({ status: 400, body: { code, attr } });
  });

  test("are at most 1,000 at a time", async () => {
    expect(await ask(of(trends), { limit: 1001 })).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: "query__limit" },
    });
  });
});
