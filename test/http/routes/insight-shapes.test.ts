import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import { withField } from "../../support/data/with-field.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

const ASK = "/api/environments/1/max_tools/create_and_query_insight/";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const did = (distinct_id: string, name: string, day: number, plan: string) =>
    event({
      ...{ event: name, distinct_id, timestamp: `2026-11-${day}T10:00:00Z` },
      properties: { plan, $set: { team: plan } },
    });
  await app.capture(
    batch(
      ...[did("ann", "view", 18, "pro"), did("ann", "view", 20, "free")],
      ...[did("bob", "view", 19, "free"), did("bob", "buy", 20, "free")],
      ...[did("eve", "view", 20, "free"), did("eve", "view", 21, "free")],
      event({ event: "click", distinct_id: "eve", timestamp: "2026-11-21T10:10:00Z" }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const ask = (query: object) =>
  app.ask("POST", ASK, { body: { query }, headers: { prefer: "return=representation" } });

const resultsOf = async (query: object) => {
  const { status, body } = await ask(query);
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as { results: unknown[] }).results;
};

const node = (name: string) => ({ kind: "EventsNode", event: name, name });
const pro = { key: "plan", value: ["pro"], operator: "exact", type: "event" };
const range = { dateRange: { date_from: "-3d" } };
const target = { id: "view", name: "view", type: "events", order: 0 };
const both = { targetEntity: target, returningEntity: target };

const any = (...values: object[]) => ({ type: "OR", values });
const team = (value: string) => ({ key: "team", value, operator: "exact", type: "person" });

describe("several breakdowns", () => {
  const NONE = "$$_posthog_breakdown_null_$$";
  const breakdowns = [
    { property: "plan", type: "event" },
    { property: "team", type: "person" },
    { property: "nothing", type: "event" },
  ];
  const lines = async (query: object) =>
    (
      (await resultsOf({ ...range, ...query })) as {
        breakdown_value: string | string[];
        data: number[];
        aggregated_value: number;
      }[]
    ).map(({ breakdown_value, data }) => [
      breakdown_value,
      data.reduce((sum, one) => sum + one, 0),
    ]);

  test("tell events apart by the values of all together", async () => {
    const series = [node("view")];
    expect(await lines({ kind: "TrendsQuery", series, breakdownFilter: { breakdowns } })).toEqual([
      [["free", "free", NONE], 4],
      [["pro", "free", NONE], 1],
    ]);
    const breakdownFilter = { breakdowns, breakdown_limit: 1 };
    expect(await lines({ kind: "TrendsQuery", series, breakdownFilter })).toEqual([
      [["free", "free", NONE], 4],
      ["$$_posthog_breakdown_other_$$", 1],
    ]);
    const hidden = { ...breakdownFilter, breakdown_hide_other_aggregation: true };
    expect(await lines({ kind: "TrendsQuery", series, breakdownFilter: hidden })).toEqual([
      [["free", "free", NONE], 4],
    ]);
  });

  test("are of funnels, retention and formulas, too", async () => {
    const series = [node("view"), node("buy")];
    const breakdownFilter = { breakdowns };
    const funnel = { kind: "FunnelsQuery", series, breakdownFilter };
    expect((await lines(funnel)).map(([value]) => value)).toContainEqual(["free", "free", NONE]);
    const retentionFilter = { targetEntity: target };
    const retention = { kind: "RetentionQuery", retentionFilter, breakdownFilter };
    expect((await lines(retention)).map(([value]) => value)).toContainEqual(["pro", "free", NONE]);
    for (const query of [funnel, retention]) {
      const limited = { ...breakdownFilter, breakdown_limit: 1 };
      const hidden = { ...limited, breakdown_hide_other_aggregation: true };
      const valuesOf = async (filter: object) =>
        new Set((await lines({ ...query, breakdownFilter: filter })).map(([value]) => `${value}`));
      const [all, shown] = [await valuesOf(limited), await valuesOf(hidden)];
      expect(all.has("$$_posthog_breakdown_other_$$")).toBe(true);
      expect([...shown, "$$_posthog_breakdown_other_$$"]).toEqual([...all]);
    }
    const formula = { kind: "TrendsQuery", series, trendsFilter: { formula: "A + B" } };
    expect(await lines({ ...formula, breakdownFilter })).toEqual([
      [["free", "free", NONE], 5],
      [["pro", "free", NONE], 1],
    ]);
  });

  test("have a draft that runs, and are in the name, the table and the CSV", async () => {
    const series = [node("view"), node("buy")];
    for (const kind of ["TrendsQuery", "FunnelsQuery"]) {
      const query = { kind, series, ...range, breakdownFilter: { breakdowns } };
      const { body } = await ask(query);
      const { sql, insight } = body as { sql: string; insight: { name: string } };
      expect(insight.name).toContain("by plan, team, nothing");
      const asked = { body: { query: { kind: "SQLQuery", query: sql } } };
      const answered = await app.ask("POST", "/api/environments/1/query/", asked);
      expect({ sql, ...answered }).toMatchObject({ status: 200 });
      expect(JSON.stringify(answered.body)).toContain('["free","free",null]');
    }
    const headers = { prefer: "return=representation" };
    const query = { kind: "TrendsQuery", series, ...range, breakdownFilter: { breakdowns } };
    const shown = await app.ask("POST", `${ASK}?format=txt`, { body: { query }, headers });
    expect(shown.text).toContain("view: free, free, (none)");
  });
});

test("a formula has the name that it is given", async () => {
  const series = [node("view"), node("buy")];
  const trendsFilter = { formulaNodes: [{ formula: "A / B", custom_name: "Ratio" }] };
  const { body } = await ask({ kind: "TrendsQuery", series, ...range, trendsFilter });
  expect(body).toMatchObject({ results: [{ label: "Ratio" }], insight: { name: "Ratio" } });
});

describe("filters in groups", () => {
  const counted = async (properties: object | undefined, ofSeries: object | undefined) => {
    const series = [{ ...node("view"), properties: ofSeries }];
    const [result] = await resultsOf({ kind: "TrendsQuery", series, ...range, properties });
    return (result as { aggregated_value: number } | undefined)?.aggregated_value ?? 0;
  };

  test.each<[string, object | undefined, object | undefined, number]>([
    ["are met by any of them where they are joined by OR", any(pro, team("free")), undefined, 5],
    ["are met by all of them else", { type: "AND", values: [pro, team("free")] }, undefined, 1],
    ["may stand in each other", any({ type: "AND", values: [pro, pro] }, any()), undefined, 1],
    ["are of a series, too", undefined, any(pro, { ...pro, value: ["free"] }), 5],
    [
      "are met together with the filters of the series",
      any(pro, team("free")),
      [{ ...pro, value: "free" }],
      4,
    ],
    ["are nothing where the groups are empty", any(any(), any(any())), any(), 5],
  ])("%s", async (_, common, own, count) => {
    expect(await counted(common, own)).toBe(count);
  });
});

/** Fields that PostHog's clients send with every query, without effect on its numbers. */
const USUAL = {
  ...{ version: 2, tags: { scene: "Insight" }, filterTestAccounts: true, samplingFactor: null },
  ...{ aggregation_group_type_index: null, dataColorTheme: null, modifiers: {} },
};

describe("a query as PostHog's clients send it is that of its plain shape", () => {
  test.each<[string, object, object]>([
    [
      "trends",
      {
        ...{ kind: "TrendsQuery", interval: "day", ...USUAL },
        series: [{ ...node("view"), math: "dau", properties: [] }],
        dateRange: { date_from: "-3dStart", date_to: null, explicitDate: false },
        properties: { type: "AND", values: [{ type: "OR", values: [{ ...pro, label: "Plan" }] }] },
        breakdownFilter: {
          breakdowns: [{ property: "plan", type: "event", group_type_index: null }],
          breakdown_type: "event",
          breakdown_hide_other_aggregation: false,
        },
        trendsFilter: {
          ...{ display: "ActionsLineGraph", showLegend: true, yAxisScaleType: "log10" },
          smoothingIntervals: 1,
        },
        compareFilter: { compare: false, compare_to: null },
      },
      {
        ...{ kind: "TrendsQuery", series: [{ ...node("view"), math: "dau" }], ...range },
        ...{ properties: [pro], breakdownFilter: { breakdown: "plan" } },
      },
    ],
    [
      "trends with a formula in a list",
      {
        ...{ kind: "TrendsQuery", series: [node("view"), node("buy")], ...range },
        trendsFilter: { formulaNodes: [{ formula: "A / B" }] },
      },
      {
        ...{ kind: "TrendsQuery", series: [node("view"), node("buy")], ...range },
        trendsFilter: { formula: "A / B" },
      },
    ],
    [
      "a funnel",
      {
        ...{ kind: "FunnelsQuery", interval: "day", ...USUAL, ...range },
        series: [{ ...node("view"), math: "total" }, node("buy")],
        breakdownFilter: { breakdown: ["plan"], breakdown_type: "event" },
        funnelsFilter: {
          ...{ funnelVizType: "steps", layout: "vertical", exclusions: [] },
          ...{ breakdownAttributionType: "first_touch", breakdownAttributionValue: 0 },
        },
      },
      {
        ...{ kind: "FunnelsQuery", series: [node("view"), node("buy")], ...range },
        breakdownFilter: { breakdown: "plan" },
      },
    ],
    [
      "retention",
      {
        ...{ kind: "RetentionQuery", ...USUAL, ...range, properties: { type: "AND", values: [] } },
        retentionFilter: {
          ...{ period: "Day", totalIntervals: 4, targetEntity: target, returningEntity: target },
          ...{ retentionType: "retention_first_time", retentionReference: "total" },
          ...{ cumulative: false, meanRetentionCalculation: "simple", minimumOccurrences: 1 },
        },
      },
      {
        ...{ kind: "RetentionQuery", ...range },
        retentionFilter: { ...both, retentionType: "retention_first_time" },
      },
    ],
    [
      "paths",
      {
        ...{ kind: "PathsQuery", ...USUAL, ...range, properties: [] },
        pathsFilter: { includeEventTypes: ["custom_event"], pathGroupings: [], excludeEvents: [] },
      },
      { kind: "PathsQuery", pathsFilter: { includeEventTypes: ["custom_event"] }, ...range },
    ],
    [
      "a lifecycle",
      {
        ...{
          kind: "LifecycleQuery",
          ...USUAL,
          ...range,
          series: [{ ...node("view"), math: "total" }],
        },
        lifecycleFilter: { showLegend: true, toggledLifecycles: ["new"] },
      },
      { kind: "LifecycleQuery", series: [node("view")], ...range },
    ],
    [
      "stickiness",
      {
        ...{ kind: "StickinessQuery", ...USUAL, ...range, series: [node("view")] },
        stickinessFilter: { computedAs: "non_cumulative", showValuesOnSeries: true },
      },
      { kind: "StickinessQuery", series: [node("view")], ...range },
    ],
  ])("%s", async (_, sent, plain) => {
    const found = await resultsOf(plain);

    expect(found.length).toBeGreaterThan(0);
    expect(await resultsOf({ kind: "InsightVizNode", source: sent, full: true })).toEqual(found);
  });
});

test("retention is broken down by a property of the users who began", async () => {
  const query = {
    ...{ kind: "RetentionQuery", ...range, breakdownFilter: { breakdown: "plan" } },
    retentionFilter: { ...both, retentionType: "retention_recurring", period: "Day" },
  };
  const { body } = await ask(query);
  type Line = { label: string; breakdown_value: string; data: (number | null)[] };
  const { insight, columns, results } = body as {
    insight: { name: string };
    columns: string[];
    results: Line[];
  };

  expect(insight.name).toBe("Retention of view by plan");
  expect(columns).toEqual(["day 0", "day 1", "day 2", "day 3"]);
  expect(results.map(({ label, breakdown_value, data }) => [breakdown_value, label, data])).toEqual(
    [
      ["free", "2026-11-18", [0, 0, 0, 0]],
      ["free", "2026-11-19", [1, 0, 0, null]],
      ["free", "2026-11-20", [2, 1, null, null]],
      ["free", "2026-11-21", [1, null, null, null]],
      ["pro", "2026-11-18", [1, 0, 1, 0]],
      ["pro", "2026-11-19", [0, 0, 0, null]],
      ["pro", "2026-11-20", [0, 0, null, null]],
      ["pro", "2026-11-21", [0, null, null, null]],
    ],
  );
  const ranked = {
    breakdownFilter: { breakdown: "team", breakdown_type: "person", breakdown_limit: 1 },
  };
  const lines = (await resultsOf({ ...query, ...ranked })) as Line[];
  expect([...new Set(lines.map(({ breakdown_value }) => breakdown_value))]).toEqual(["free"]);
  const words = await app.ask("POST", `${ASK}?format=txt`, {
    body: { query },
    headers: { prefer: "return=representation" },
  });
  expect(words.body).toContain("2026-11-20: free");
});

const trends = { kind: "TrendsQuery", series: [node("view")] };
const funnel = { kind: "FunnelsQuery", series: [node("view"), node("buy")] };

describe("unknown fields that would change an answer are refused", () => {
  const retention = { kind: "RetentionQuery", retentionFilter: { targetEntity: target } };
  const several = { ...trends, breakdownFilter: { breakdowns: [{ property: "b" }] } };
  const stickiness = { kind: "StickinessQuery", series: [node("view")] };
  const and = (count: number) => ({ type: "AND", values: Array(count).fill(pro) });
  const choice = "invalid_choice";

  test.each<[string, object, path: string, value: unknown, code?: string, attr?: string]>([
    ["a group that is joined by something else", trends, "properties", { ...and(2), type: "XOR" }],
    ["more filters in groups than in a list", trends, "properties", any(...Array(6).fill(and(9)))],
    ["a breakdown with several", several, "breakdownFilter__breakdown", "a"],
    [
      "too many breakdowns",
      trends,
      "breakdownFilter__breakdowns",
      Array(4).fill({ property: "a" }),
    ],
    ["several formulas", trends, "trendsFilter__formulas", ["A", "A*2"]],
    ["a line smoothed over a year", trends, "trendsFilter__smoothingIntervals", 365],
    [
      "a filter turned round by a field of its own",
      ...([trends, "properties", [{ ...pro, negation: true }]] as const),
      ...(["invalid_input", "properties__negation"] as const),
    ],
    ["a display by days of the week", trends, "trendsFilter__display", "CalendarHeatmap", choice],
    [
      "a comparison with another time",
      ...([
        { ...trends, compareFilter: { compare: true } },
        "compareFilter__compare_to",
        "christmas",
      ] as const),
    ],
    ["groups instead of persons", funnel, "aggregation_group_type_index", 0],
    [
      "the math of a step",
      ...([
        funnel,
        "series",
        [{ ...node("view"), math: "first_time_for_user" }, node("buy")],
      ] as const),
      ...([choice, "series__0__math"] as const),
    ],
    ["flows", funnel, "funnelsFilter__funnelVizType", "flow", choice],
    ["SQL of a funnel", funnel, "funnelsFilter__funnelAggregateByHogQL", "event"],
    ["cumulative retention", retention, "retentionFilter__cumulative", true],
    ["windows of 24 h", retention, "retentionFilter__timeWindowMode", "24_hour_windows", choice],
    ["coming back twice", retention, "retentionFilter__minimumOccurrences", 2],
    ["cumulative stickiness", stickiness, "stickinessFilter__computedAs", "cumulative", choice],
    ["SQL of paths", { kind: "PathsQuery" }, "pathsFilter__pathsHogQLExpression", "event"],
  ])("%s", async (_, query, path, value, code = "invalid_input", attr = path) => {
    const body = { code, attr: `query__${attr}` };
    expect(await ask(withField(query, path, value))).toMatchObject({ status: 400, body });
  });
});

test("an unknown field is named, with the known ones, each once", async () => {
  const series = [{ ...node("view"), mathProperty: "price", properties: [] }];
  const { body } = await ask({ kind: "TrendsQuery", series });

  expect((body as { detail: string }).detail).toBe(
    "This field is not known. Known here: kind, event, name, custom_name, properties, math, math_property, math_property_type, math_hogql, math_group_type_index.",
  );
});
