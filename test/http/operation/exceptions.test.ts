import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

/** The types of each person's exception; `eve` has none, and the type of `dan` was sent as a text. */
const TYPES: Record<string, string[]> = {
  ann: ["TypeError"],
  bob: ["OperationalError", "TypeError"],
  cat: ['A "b"'],
  dan: ["ValueError"],
  eve: [],
};

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const sent = Object.entries(TYPES).map(([distinct_id, types]) => {
    // Of a large event, queries read only properties of 1 KiB.
    const pad = distinct_id === "bob" ? { stack: "x".repeat(30_000) } : {};
    const list = types.map((type) => ({ type, value: `of ${type}`, ...pad }));
    const own = distinct_id === "dan" ? { $exception_types: types[0] } : { $exception_list: list };
    return event({ event: "$exception", distinct_id, properties: { ...own } });
  });
  await app.capture(batch(...sent));
});

afterAll(() => app[Symbol.asyncDispose]());

const post = async (path: string, body: object) => {
  const headers = { prefer: "return=representation" };
  const { status, body: answer } = await app.ask("POST", `${app.api}${path}`, { body, headers });
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer;
};

type Line = { breakdown_value: string | null; aggregated_value: number };

/** The lines of a trend of exceptions, and those of its SQL. */
async function trend(more: object): Promise<[Line[], unknown[][]]> {
  const query = {
    ...{ kind: "TrendsQuery", series: [{ event: "$exception" }], dateRange: { date_from: "-1d" } },
    ...more,
  };
  const asked = { insight_type: "trends", query };
  const path = "/max_tools/create_and_query_insight/";
  const { results, sql } = (await post(path, asked)) as { results: Line[]; sql: string };
  const drafted = await post("/query/", { query: { kind: "SQLQuery", query: sql } });
  const { columns, results: rows } = drafted as { columns: string[]; results: unknown[][] };
  const of = (row: unknown[], name: string) => row[columns.indexOf(name)];
  const whole = rows.filter((row) => of(row, "bucket") === null);
  return [results, whole.map((row) => [of(row, "breakdown"), of(row, "value")])];
}

describe("a filter on the types of exceptions looks at each type", () => {
  test.each<[string, unknown, string[]]>([
    ["exact", "TypeError", ["ann", "bob"]],
    ["exact", ["OperationalError", "ValueError"], ["bob", "dan"]],
    ["exact", 'A "b"', ["cat"]],
    ["exact", '["TypeError"]', []],
    ["is_not", "TypeError", ["cat", "dan", "eve"]],
    ["icontains", "typeERR", ["ann", "bob"]],
    ["not_icontains", "error", ["cat", "eve"]],
    ["regex", "^Op|^Va", ["bob", "dan"]],
    ["not_regex", "^Type", ["cat", "dan", "eve"]],
    ["is_set", "is_set", ["ann", "bob", "cat", "dan"]],
    ["is_not_set", "is_not_set", ["eve"]],
  ])("%s %j", async (operator, value, expected) => {
    const filter = { key: "$exception_types", type: "event", operator, value };
    const list = await app.get(
      `/events/?event=$exception&properties=${encodeURIComponent(JSON.stringify([filter]))}`,
    );
    const { results } = list.body as { results: { distinct_id: string }[] };
    expect(results.map(({ distinct_id }) => distinct_id).toSorted()).toEqual(expected);
    const [lines, drafted] = await trend({ properties: [filter] });
    expect(lines[0]?.aggregated_value ?? 0).toBe(expected.length);
    expect(drafted[0]?.[1] ?? 0).toBe(expected.length);
  });
});

test.each(["total", "dau"])("each type has a line with all its exceptions: %s", async (math) => {
  const breakdownFilter = { breakdown: "$exception_types", breakdown_type: "event" };
  const [lines, drafted] = await trend({
    series: [{ event: "$exception", math }],
    breakdownFilter,
  });
  const expected = ["ValueError 1", "TypeError 2", "OperationalError 1", 'A "b" 1', "null 1"];
  const found = lines.map((line) => `${line.breakdown_value} ${line.aggregated_value}`);
  const none = "$$_posthog_breakdown_null_$$";
  expect(found.map((one) => one.replace(none, "null")).toSorted()).toEqual(expected.toSorted());
  expect(drafted.map((row) => row.join(" ").trim()).toSorted()).toEqual(
    expected.map((one) => one.replace("null ", "")).toSorted(),
  );
});

test("each type has lines with the values of another property", async () => {
  const breakdowns = ["$exception_types", "$exception_level"].map((property) => {
    return { property, type: "event" };
  });
  const [lines, drafted] = await trend({
    properties: [{ key: "$exception_types", type: "event", operator: "exact", value: "TypeError" }],
    breakdownFilter: { breakdowns },
  });
  const found = lines.map((line) => [line.breakdown_value?.[0], line.aggregated_value]);
  expect(found).toEqual([
    ["TypeError", 2],
    ["OperationalError", 1],
  ]);
  expect(drafted).toHaveLength(2);
});

test("questions count by the types of all exceptions", async () => {
  const ask = async (query: string) => {
    const answer = await post("/query/", { query: { kind: "WordsQuery", query } });
    const { results } = answer as { results: Line[] };
    return results.map((line) => [line.breakdown_value ?? null, line.aggregated_value]);
  };
  expect(await ask("how many TypeErrors in the last 7 days")).toEqual([[null, 2]]);
  expect(await ask("how many users had a TypeError")).toEqual([[null, 2]]);
  expect((await ask("exceptions by type last 7 days"))[0]).toEqual(["TypeError", 2]);
});
