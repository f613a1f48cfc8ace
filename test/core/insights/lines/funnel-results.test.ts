import { afterAll, beforeAll, expect, test } from "bun:test";
import { batch, event } from "../../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../../support/start/app.ts";

const QUERY = "/api/environments/1/query/";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const did = (distinct_id: string, name: string, at: string, properties: object = {}) =>
    event({ event: name, distinct_id, timestamp: `2026-11-${at}Z`, properties });
  await app.capture(
    batch(
      did("ann", "view", "19T10:00:00", { source: "ads" }),
      did("ann", "cart", "19T10:01:00"),
      did("ann", "buy", "19T10:02:00", { source: "mail" }),
      did("ann", "view", "20T10:00:00"),
      did("bob", "view", "19T11:00:00", { source: "mail" }),
      did("bob", "cart", "19T11:05:00", { source: "mail" }),
      did("bob", "buy", "19T11:10:00", { source: "mail" }),
      did("cyd", "view", "21T09:00:00"),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const funnel = (filter: object, rest: object = {}) => ({
  kind: "FunnelsQuery",
  series: [{ event: "view" }, { event: "cart" }, { event: "buy" }],
  dateRange: { date_from: "2026-11-19", date_to: "2026-11-21" },
  // As PostHog's clients send it.
  funnelsFilter: { layout: "horizontal", goalLines: [], showTrendLines: false, ...filter },
  ...rest,
});

const ask = (query: object, format = "") => app.ask("POST", QUERY + format, { body: { query } });

test("a funnel over time has the percent of persons who converted, by the interval in which they began", async () => {
  const trends = funnel({ funnelVizType: "trends" }, { interval: "day" });
  const { body } = await ask(trends);
  expect(body).toMatchObject({
    columns: ["2026-11-19", "2026-11-20", "2026-11-21"],
    results: [
      {
        ...{ label: "Funnel", unit: "percent", breakdown_value: null },
        data: [100, 0, 0],
        aggregated_value: (100 * 2) / 3,
        reached_from_step_count: [2, 1, 1],
        reached_to_step_count: [2, 0, 0],
        days: ["2026-11-19", "2026-11-20", "2026-11-21"],
        labels: ["19-Nov-2026", "20-Nov-2026", "21-Nov-2026"],
      },
    ],
    sentence:
      "Conversion rate from views to carts to buys within 14 days per day, from 2026-11-19 to 2026-11-21",
    explanation:
      "Conversion rate from views to carts to buys within 14 days per day, from 2026-11-19 to 2026-11-21 (19 Nov to 21 Nov 2026, UTC).",
  });
  const { sql } = body as { sql: string };
  const draft = await ask({ kind: "HogQLQuery", query: sql });
  expect(draft.body).toMatchObject({
    results: [
      [null, 3, 2],
      ["2026-11-19", 2, 2],
      ["2026-11-20", 1, 0],
      ["2026-11-21", 1, 0],
    ],
  });
  const { text } = await ask(trends, "?format=txt");
  expect(text).toContain("2026-11-19    100%  ████");
  const empty = funnel(
    { funnelVizType: "trends" },
    { dateRange: { date_from: "2026-11-10", date_to: "2026-11-10" } },
  );
  expect((await ask(empty)).body).toMatchObject({
    results: [{ data: [null], aggregated_value: null, reached_from_step_count: [0] }],
  });
});

test("the persons of an interval converted, or did not", async () => {
  const source = funnel({ funnelVizType: "trends" });
  const persons = async (cell: object) => {
    const asked = { kind: "ActorsQuery", source: { kind: "FunnelsActorsQuery", source, ...cell } };
    return (await ask(asked)).body;
  };
  const day = (day: string) => ({ funnelTrendsEntrancePeriodStart: day });
  expect(await persons(day("2026-11-19"))).toMatchObject({ count: 2 });
  const lost = { ...day("2026-11-20"), funnelTrendsDropOff: true };
  expect(await persons(lost)).toMatchObject({
    count: 1,
    results: [[{ name: "ann" }, 1, expect.anything()]],
  });
  expect(await persons({ ...day("2026-11-19"), funnelStep: 1 })).toMatchObject({
    attr: "query__source__funnelStep",
  });
  expect(await persons(day("2026-11-18"))).toMatchObject({
    attr: "query__source__funnelTrendsEntrancePeriodStart",
  });
});

test("the times of a funnel are in bins, with their average and median", async () => {
  const times = (filter: object, rest: object = {}) =>
    ask(funnel({ funnelVizType: "time_to_convert", ...filter }, rest));
  expect((await times({ binCount: 2 })).body).toMatchObject({
    columns: ["120", "360", "600"],
    results: [
      {
        ...{ unit: "seconds", data: [1, 0, 1], aggregated_value: 360 },
        ...{ average_conversion_time: 360, median_conversion_time: 360 },
      },
    ],
    explanation: expect.stringMatching(
      /^Average time from views to carts to buys within 14 days, /,
    ),
  });
  const part = { funnelFromStep: 1, funnelToStep: 2, timeToConvertAggregation: "median" };
  expect((await times(part)).body).toMatchObject({
    columns: ["60", "180", "300"],
    results: [{ aggregated_value: 180 }],
    explanation: expect.stringMatching(/^Median time from /),
  });
  const breakdownFilter = { breakdown: "source", breakdown_type: "event" };
  expect((await times({ binCount: "auto" }, { breakdownFilter })).body).toMatchObject({
    results: [
      { breakdown_value: "ads", data: [1, 0, 0] },
      { breakdown_value: "mail", data: [0, 0, 1] },
    ],
  });
  const none = await times({}, { dateRange: { date_from: "2026-11-10", date_to: "2026-11-10" } });
  expect(none.body).toMatchObject({ columns: [], results: [{ data: [], aggregated_value: null }] });
  const csv = await ask(funnel({ funnelVizType: "time_to_convert" }), "?format=csv");
  expect(csv.text).toBe("label,breakdown_value,120,360,600\r\nFunnel,,1,0,1\r\n");
  const { text } = await ask(funnel({ funnelVizType: "time_to_convert" }), "?format=txt");
  expect(text.split("\n").slice(2)).toEqual([
    "             persons",
    `from 2 min         1  ${"█".repeat(40)}`,
    `from 10 min        1  ${"█".repeat(40)}`,
    "all            6 min",
    "",
  ]);
});

test.each([
  [{ breakdownAttributionType: "first_touch" }, { ads: [1, 1, 1], mail: [1, 1, 1] }],
  [{ breakdownAttributionType: "last_touch" }, { mail: [2, 2, 2] }],
  [{ breakdownAttributionType: "all_events" }, { ads: [1, 0, 0], mail: [1, 1, 1] }],
  [{ breakdownAttributionType: "step", breakdownAttributionValue: 2 }, { mail: [2, 2, 2] }],
])("persons count for the value of %j", async (filter, expected) => {
  const breakdownFilter = { breakdown: "source", breakdown_type: "event" };
  const { body } = await ask(funnel(filter, { breakdownFilter }));
  const { results } = body as { results: { breakdown_value: string; data: number[] }[] };
  const named = results.filter(({ breakdown_value: value }) => !value.startsWith("$$"));
  expect(Object.fromEntries(named.map((line) => [line.breakdown_value, line.data]))).toEqual(
    expected,
  );
});

test("a conversion rate by interval, asked in words, is a funnel over time", async () => {
  const query = "daily conversion rate from view to buy since 2026-11-19";
  expect((await ask({ kind: "WordsQuery", query })).body).toMatchObject({
    query: { kind: "FunnelsQuery", interval: "day", funnelsFilter: { funnelVizType: "trends" } },
    columns: ["2026-11-19", "2026-11-20", "2026-11-21"],
    results: [{ unit: "percent", data: [100, 0, 0] }],
  });
});

test("a wrong field of a funnel is refused by its name", async () => {
  const breakdownFilter = { breakdown: "plan" };
  const refused = async (filter: object, field: string) => {
    const { status, body } = await ask({ ...funnel(filter), breakdownFilter });
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ attr: `query__funnelsFilter__${field}` }),
    ]);
  };
  await refused({ funnelVizType: "flow" }, "funnelVizType");
  await refused({ funnelFromStep: 1 }, "funnelFromStep");
  await refused({ funnelVizType: "trends", funnelToStep: 3 }, "funnelToStep");
  await refused({ funnelVizType: "time_to_convert", binCount: 91 }, "binCount");
  const unordered = { funnelOrderType: "unordered", breakdownAttributionType: "step" };
  await refused({ ...unordered, breakdownAttributionValue: 1 }, "breakdownAttributionValue");
});
