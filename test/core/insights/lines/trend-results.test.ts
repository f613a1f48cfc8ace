import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { InsightResult } from "../../../../src/core/insights/lines/results.ts";
import { batch, event } from "../../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../../support/start/app.ts";

let app: TestApp;

/** The clock of the app is at 2026-11-21, a Saturday. */
beforeAll(async () => {
  app = await testApp();
  const did = (distinct_id: string, name: string, day: number, hour: number, properties: object) =>
    event({
      ...{ event: name, distinct_id, properties },
      timestamp: `2026-11-${day}T${String(hour).padStart(2, "0")}:00:00Z`,
    });
  await app.capture(
    batch(
      ...["p1", "p2", "p3", "p4", "p5", "p6"].map((id) => did(id, "view", 19, 9, { plan: "free" })),
      did("ann", "view", 18, 8, { plan: "pro", price: 10, utm_source: "ad" }),
      did("ann", "view", 20, 8, { plan: "pro", price: 20, utm_source: "mail" }),
      did("ann", "buy", 20, 9, { plan: "pro", price: 5 }),
      did("bob", "view", 20, 23, { plan: "free", price: 30 }),
      did("bob", "buy", 21, 9, { plan: "free", price: 7 }),
      did("eve", "view", 21, 9, { price: 1 }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const post = (query: object) =>
  app.ask("POST", "/api/environments/1/query/", {
    body: { query: { kind: "TrendsQuery", dateRange: { date_from: "-3d" }, ...query } },
  });

async function results(query: object): Promise<InsightResult[]> {
  const { status, body } = await post(query);
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as { results: InsightResult[] }).results;
}

const view = { event: "view" };
const buy = { event: "buy" };

describe("a filter of what persons did", () => {
  const did = (more: object) => ({ type: "behavioral", key: "buy", event_type: "events", ...more });
  const once = { value: "performed_event" };

  test.each<[more: object, views: number]>([
    [once, 3],
    [{ ...once, negation: true }, 7],
    [{ ...once, event_filters: [{ key: "price", operator: "gt", value: 6 }] }, 1],
    [{ ...once, explicit_datetime: "2026-11-21" }, 1],
    [{ value: "performed_event_multiple", operator: "lte", operator_value: 0 }, 7],
    [{ ...did({}), key: "view", value: "performed_event_multiple", operator_value: 2 }, 2],
    [{ value: "performed_event_sum", sum_property: "price", operator_value: 6 }, 1],
    [{ key: "view", value: "performed_event_first_time", explicit_datetime: "2026-11-20" }, 2],
  ])("%j leaves so many views: %d", async (more, views) => {
    const [line] = await results({ series: [view], properties: [did(more)] });
    expect(line?.aggregated_value).toBe(views);
  });

  test("is of the period before in the period before", async () => {
    const compareFilter = { compare: true };
    const range = { dateRange: { date_from: "2026-11-20", date_to: "2026-11-21" }, compareFilter };
    const lines = await results({ ...range, series: [view], properties: [did(once)] });
    expect(lines.map(({ aggregated_value }) => aggregated_value)).toEqual([2, 0]);
  });
});

describe("a breakdown", () => {
  const by = async (breakdownFilter: object, more: object = { series: [view] }) =>
    (await results({ breakdownFilter, ...more })).map((line) => [
      line.breakdown_value,
      line.aggregated_value,
    ]);
  const NONE = "$$_posthog_breakdown_null_$$";
  const OTHER = "$$_posthog_breakdown_other_$$";

  test("by the time of events has its natural order", async () => {
    const hours = { breakdown: "toHour( timestamp )", breakdown_type: "hogql" };
    expect(await by(hours)).toEqual([
      ...[
        ["8", 2],
        ["9", 7],
        ["23", 1],
      ],
    ]);
    expect(await by({ ...hours, breakdown_order: "desc", breakdown_limit: 1 })).toEqual([
      ...[
        ["9", 7],
        [OTHER, 3],
      ],
    ]);
    const days = [{ property: "dateName('weekday', timestamp)", type: "hogql" }];
    expect((await by({ breakdowns: days })).map(([day]) => day)).toEqual([
      ...["Wednesday", "Thursday", "Friday", "Saturday"],
    ]);
  });

  test("by the event's name, or by a first value ever", async () => {
    const event_ = { breakdown: "event", breakdown_type: "event_metadata" };
    expect(await by(event_, { series: [{ event: null }] })).toEqual([
      ...[
        ["view", 10],
        ["buy", 2],
      ],
    ]);
    const first = { breakdown: "utm_source", breakdown_type: "first_touch" };
    expect(await by(first, { series: [buy], dateRange: { date_from: "-1d" } })).toEqual([
      ...[
        ["ad", 1],
        [NONE, 1],
      ],
    ]);
  });

  test("has the least first, and those without a value last", async () => {
    const plans = { breakdown: "plan", breakdown_order: "asc" };
    expect(await by(plans)).toEqual([
      ...[
        ["pro", 2],
        ["free", 7],
        [NONE, 1],
      ],
    ]);
  });

  test("of a formula is ranked by its result, and groups of few persons are marked", async () => {
    const query = {
      series: [
        { ...buy, math: "dau" },
        { ...view, math: "dau" },
      ],
      trendsFilter: { formula: "A/B*100", display: "ActionsBarValue" },
    };
    expect(await by({ breakdown: "plan" }, query)).toEqual([
      ...[
        ["pro", 100],
        ["free", (1 / 7) * 100],
        [NONE, 0],
      ],
    ]);
    const lines = await results({ ...query, breakdownFilter: { breakdown: "plan" } });
    expect(lines.map(({ is_small = false }) => is_small)).toEqual([true, false, true]);
    const top = { breakdown: "plan", breakdown_limit: 1 };
    expect((await by(top, query))[0]).toEqual(["pro", 100]);
  });

  test.each<[filter: object, attr: string, part: string]>([
    [{ breakdown: "toYear(timestamp)", breakdown_type: "hogql" }, "breakdown", "toHour(timestamp)"],
    [{ breakdown: "uuid", breakdown_type: "event_metadata" }, "breakdown", "distinct_id"],
    [{ breakdown: "plan", breakdown_type: "cohort" }, "breakdown_type", "first_touch"],
    [{ breakdown: "plan", breakdown_order: "up" }, "breakdown_order", "desc, asc"],
  ])("%j is refused", async (breakdownFilter, attr, part) => {
    const { status, body } = await post({ series: [view], breakdownFilter });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { attr: `query__breakdownFilter__${attr}` },
    });
    expect((body as { detail: string }).detail).toContain(part);
  });
});

describe("the numbers of a trend", () => {
  test("are of persons with their first event ever, and of different values", async () => {
    const [first, plans, own] = await results({
      series: [
        { ...view, math: "first_time_for_user" },
        { ...view, math: "hogql", math_hogql: "count(distinct properties.plan)" },
        { ...view, math: "hogql", math_hogql: "count(DISTINCT person.properties.`a b`)" },
      ],
      dateRange: { date_from: "-2d" },
    });
    expect([first?.data, first?.aggregated_value]).toEqual([[6, 1, 1], 8]);
    expect([plans?.data, plans?.aggregated_value]).toEqual([[1, 2, 0], 2]);
    expect([own?.data, own?.aggregated_value]).toEqual([[0, 0, 0], 0]);
  });

  test("are sums up to an interval, or means of some", async () => {
    const display = "ActionsLineGraphCumulative";
    const [sums] = await results({ series: [view], trendsFilter: { display } });
    expect([sums?.data, sums?.count, sums?.aggregated_value]).toEqual([[1, 7, 9, 10], 10, 10]);
    const [means] = await results({ series: [view], trendsFilter: { smoothingIntervals: 2 } });
    expect([means?.data, means?.aggregated_value]).toEqual([[1, 3.5, 4, 1.5], 10]);
  });

  test.each([
    ["average", 2.5],
    ["median", 1.5],
    ["total", 10],
  ])("together are the %s of the days", async (how, number) => {
    const trendsFilter = { display: "BoldNumber", detailedResultsAggregationType: how };
    const [line] = await results({ series: [view], trendsFilter });
    expect(line?.aggregated_value).toBe(number);
    const lines = { ...trendsFilter, display: "ActionsLineGraph" };
    expect((await results({ series: [view], trendsFilter: lines }))[0]?.aggregated_value).toBe(10);
  });

  test.each([
    ["month", "2026-10-01", 0],
    ["month", "2026-11-01", 10],
    ["week", "2026-11-08", 0],
  ])(
    "together leave out a %s that is not over, but where it is the only one",
    async (interval, date_from, number) => {
      const trendsFilter = { display: "BoldNumber", detailedResultsAggregationType: "average" };
      const range = { interval, dateRange: { date_from }, trendsFilter };
      expect((await results({ ...range, series: [view] }))[0]?.aggregated_value).toBe(number);
    },
  );

  test("have a name of their own", async () => {
    const series = [
      { ...view, math: "dau", custom_name: "Visitors" },
      { ...view, math: "dau" },
    ];
    const lines = await results({ series });
    expect(lines.map(({ label }) => label)).toEqual(["Visitors", "unique users of view"]);
  });

  test.each<[format: object, data: number, more: object]>([
    [{ aggregationAxisFormat: "duration" }, 61, { unit: "seconds" }],
    [{ aggregationAxisFormat: "duration_ms" }, 0.061, { unit: "seconds" }],
    [{ aggregationAxisFormat: "percentage" }, 61, { unit: "percent" }],
    [{ aggregationAxisFormat: "percentage_scaled" }, 6100, { unit: "percent" }],
    [
      { aggregationAxisFormat: "currency", aggregationAxisPostfix: " EUR" },
      61,
      { currency: "EUR" },
    ],
    [{ aggregationAxisFormat: "short" }, 61, {}],
  ])("have the unit of %j", async (trendsFilter, number, more) => {
    const series = [{ ...view, math: "sum", math_property: "price" }];
    const [line] = await results({ series, trendsFilter });
    expect(line?.aggregated_value).toBeCloseTo(number, 9);
    expect({ unit: line?.unit, currency: line?.currency }).toEqual({
      ...{ unit: undefined, currency: undefined },
      ...more,
    });
  });

  test("that are compared have their change, of percentages in points", async () => {
    const range = { dateRange: { date_from: "2026-11-20", date_to: "2026-11-21" } };
    const compared = { ...range, compareFilter: { compare: true } };
    const [now, before] = await results({ ...compared, series: [view] });
    expect(now?.change_percent).toBeCloseTo((3 / 7 - 1) * 100, 9);
    expect(before?.change_percent).toBeUndefined();
    expect((await results({ ...compared, series: [buy] }))[0]?.change_percent).toBeNull();
    const trendsFilter = { aggregationAxisFormat: "percentage" };
    const [points] = await results({ ...compared, series: [view], trendsFilter });
    expect([points?.change_points, points?.change_percent]).toEqual([-4, undefined]);
  });

  test.each<[query: object, attr: string, part: string]>([
    [{ series: [{ ...view, math: "hogql" }] }, "series__0__math_hogql", "required"],
    [
      { series: [{ ...view, math: "hogql", math_hogql: "uniq(properties.a)" }] },
      ...(["series__0__math_hogql", "count(DISTINCT properties.name)"] as const),
    ],
    [
      {
        series: [{ ...view, math: "dau" }],
        trendsFilter: { display: "ActionsLineGraphCumulative" },
      },
      ...(["trendsFilter__display", "total, sum"] as const),
    ],
    [
      { series: [view], trendsFilter: { smoothingIntervals: 101 } },
      ...(["trendsFilter__smoothingIntervals", "1 to 100"] as const),
    ],
    [
      { series: [view], trendsFilter: { aggregationAxisFormat: "miles" } },
      ...(["trendsFilter__aggregationAxisFormat", "percentage_scaled"] as const),
    ],
    [
      { series: [view], trendsFilter: { detailedResultsAggregationType: "best" } },
      ...(["trendsFilter__detailedResultsAggregationType", "median"] as const),
    ],
  ])("%j are refused", async (query, attr, part) => {
    const { status, body } = await post(query);
    expect({ status, body }).toMatchObject({ status: 400, body: { attr: `query__${attr}` } });
    expect((body as { detail: string }).detail).toContain(part);
  });
});
