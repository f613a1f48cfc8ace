import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { InsightResult } from "../../../src/core/insights/results.ts";
import { FUNNEL_STEPS_MAX } from "../../../src/core/queries/funnel.ts";
import { SERIES_MAX } from "../../../src/core/queries/trend.ts";
import type { Json } from "../../../src/core/values/json.ts";
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
  const body = { query: { kind: "HogQLQuery", query } };
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

const ALL = EVENTS.slice(0, SERIES_MAX).join(", ");

describe("a draft of words runs as it stands, and finds the numbers of the insight", () => {
  test.each([
    "view",
    "daily view",
    "weekly unique users of view by $browser last 90 days",
    "hourly unique sessions of it's past 48 hours",
    "monthly count of view, sign up and buy since 2026-09-01",
    "number of buy since 2026-11-01 until 2026-11-10",
    "sum of price of buy by person plan last 30 days",
    "average of price of view by $odd.key/~ last 30 days",
    "minimum of price of events last 2 months",
    "max of price of all events weekly last 2 months",
    "median of price of buy weekly last 1 year",
    "p75 of price of buy, view by $browser last 3 weeks compared to previous",
    "p90 of price of buy last 3 weeks",
    "p99 of price of buy last 3 weeks vs previous period",
    "hourly visitors of view today",
    "unique users of view by person age last 7 days compared to the previous period",
    `unique users of ${ALL} by person plan last 20 days compared to previous`,
    "funnel view then sign up",
    "funnel from view to sign up to buy within 2 days last 20 days",
    "strict funnel view then buy last 20 days",
    "unordered funnel of view, sign up, buy within 12 hours by $browser last 20 days",
    "funnel view -> sign up -> buy without it's within 90 minutes by person plan last 20 days",
    "funnel events then buy within 30 seconds last 20 days",
    `funnel ${EVENTS.slice(0, FUNNEL_STEPS_MAX).join(" then ")} without p by person plan last 60 days`,
    "strict funnel events then buy then events without sign up within 2 days last 20 days",
    "strict funnel view then events without it's, buy by person plan last 20 days",
    "unordered funnel view, buy without it's within 2 days last 20 days",
    "unordered funnel view, sign up, buy without p, q and r by person plan last 20 days",
    `strict funnel ${EVENTS.slice(0, FUNNEL_STEPS_MAX).join(" then ")} without p, q, r, s and buy by person plan`,
    `unordered funnel ${EVENTS.slice(0, FUNNEL_STEPS_MAX).join(" then ")} without p, q, r, s, buy last 60 days`,
    `strict funnel ${EVENTS.slice(0, FUNNEL_STEPS_MAX).join(" then ")} by person plan`,
    `unordered funnel ${EVENTS.slice(0, FUNNEL_STEPS_MAX).join(" then ")} by person plan last 60 days`,
    "retention of sign up",
    "retention of view weekly",
    "recurring retention of view then buy daily last 2 weeks",
    "first time retention of view then buy monthly last 3 months",
    "hourly recurring retention of view last 40 hours",
    "weekly retention of all events then buy since 2026-10-01",
    "retention of view by $browser weekly last 5 weeks",
    "recurring retention of view then buy by person plan last 9 days",
    "paths last 30 days",
    "paths from https://x.test/pricing last 30 days",
    "paths to buy last 30 days",
    "paths from /a to screen Home last 30 days",
    "lifecycle of view",
    "weekly lifecycle of events last 40 days",
    "hourly lifecycle of buy today",
    "monthly lifecycle of sign up last 1 year",
    "stickiness of view last 20 days",
    "weekly stickiness of view and it's last 60 days",
  ])("%s", async (prompt) => {
    const sql = await draft(prompt);
    const answer = await ask(prompt);
    const rows = await run(sql);

    const { kind } = answer.insight.query;
    expect(something(cellsIn(kind, rows))).toEqual(something(cellsOf(answer)));
    expect(answer.sql).toBe(sql);
    expect(sql).toStartWith("-- ");
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
      ["gt", 5, "é"],
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
