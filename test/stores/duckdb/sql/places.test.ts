import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { batch, event } from "../../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../../support/start/app.ts";

// How SQL reads a property: places in its JSON, numbers in its text, and its order.

let app: TestApp;

const TEXTS = ["20", " 20 ", "1e3", "1,000", "1_000", "NaN", "Infinity", "-inf", "0x10", "٣", ".5"];
const MORE = ["5.", "+7", "-3.5", "1e400", "007", "", "\n8", "true", "€20", "1 2"];
const VALUES = [...TEXTS, ...MORE, true, 4.5, [7], { a: 1 }];
const AMOUNTS = ["9", 1000, "20", "abc", "100"];
const LIST = {
  tags: ["t1", "t2", "t3"],
  steps: [{ kind: "A", at: [1, 2, 3] }, { kind: "B" }],
  nums: [9, 10, 2],
  code: { "1": "one", tags: "inner" },
  text: "plain",
  json: '{"a": ["x", "y"]}',
  i: 2,
  back: -1,
};

beforeAll(async () => {
  app = await testApp();
  const of = (name: string, properties: object) => event({ event: name, properties });
  await app.capture(
    batch(
      of("list", LIST),
      ...VALUES.map((n) => of("value", { n })),
      ...AMOUNTS.map((amount, at) => of("order", { amount, other: at * 30 })),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const ask = async (query: object) => {
  const { status, body } = await app.ask("POST", "/api/environments/1/query/", { body: { query } });
  return { status, body: body as { detail: string; columns: string[]; results: unknown[][] } };
};
const run = (query: string) => ask({ kind: "HogQLQuery", query });

const PLACES: [sql: string, value: unknown][] = [
  ["properties.tags[1]", "t1"],
  ["properties.tags[-1]", "t3"],
  ["properties['tags'][-3]", "t1"],
  ["properties.tags[-4]", null],
  ["properties.tags[0]", null],
  ["properties.tags[4]", null],
  ["properties.tags[1 + 1]", "t2"],
  ["properties.tags[toInt('3')]", "t3"],
  ["properties.tags[properties.i]", "t2"],
  ["properties.tags[toInt(properties.back)]", "t3"],
  ["properties.tags[length(event) - 1]", "t3"],
  ["properties.tags[9223372036854775807]", null],
  ["properties.tags[-9223372036854775808]", null],
  ["properties.tags[99999999999999999999]", null],
  ["properties.tags[NULL]", null],
  ["properties.tags.2", "t2"],
  ["(properties.tags)[-2]", "t2"],
  ["arrayElement(properties.tags, -1)", "t3"],
  ["properties.text[1]", null],
  ["properties.steps[1].kind", "A"],
  ["properties.steps[-1].kind", "B"],
  ["properties.steps[1]['at'][-1]", "3"],
  ["properties.steps[1 + 1].kind", "B"],
  ["properties.steps.1.kind", "A"],
  ["events.properties.steps[2]['kind']", "B"],
  ["properties.tags[2:3]", ["t2", "t3"]],
  ["JSONExtractString(properties, 'tags', -1)", "t3"],
  ["JSONExtractString(properties, 'steps', -1, 'kind')", "B"],
  ["JSONExtractString(properties.steps, 1 + 1, 'kind')", "B"],
  ["JSONExtractInt(properties, 'steps', 1, 'at', -1)", 3],
  ["JSONExtractFloat(properties.nums, 2)", 10],
  ["JSONExtractString(properties.text, 1)", ""],
  ["JSONExtractString(properties.json, 'a', -1)", "y"],
  ["JSONExtractRaw(properties, 'steps', 2)", '{"kind":"B"}'],
  ["JSONExtractArrayRaw(properties, 'tags')[-1]", '"t3"'],
  ["JSONExtract(properties, 'tags', 'Array(String)')[-1]", "t3"],
  ["[JSONHas(properties, 'tags', 3), JSONHas(properties, 'tags', -4)]", [true, false]],
  ["[JSONLength(properties, 'tags'), JSONLength(properties.code)]", [3, 2]],
  ["arraySort(JSONExtractKeys(properties, 'code'))", ["1", "tags"]],
  [
    "arrayMap(x -> JSONExtractString(x, 'kind'), JSONExtractArrayRaw(properties.steps))",
    ["A", "B"],
  ],
  ["arrayMap(x -> x[-1], [[1, 2], [3]])", [2, 3]],
  ["[1, 2, 3][-1]", 3],
];

describe("a place in a list is from 1 on, and from -1 at its end", () => {
  test.each(PLACES)("%s", async (sql, value) => {
    const { body } = await run(`SELECT ${sql} FROM events WHERE event = 'list'`);
    expect({ detail: body.detail, results: body.results }).toEqual({
      detail: undefined as never,
      results: [[value]],
    });
  });

  test("also by another name, in a subquery, and in a relation", async () => {
    const text = `SELECT t[-1], p.steps[1].kind, p['tags'][1 + 1], q.properties.code.tags
      FROM (SELECT properties.tags AS t, properties AS p, properties FROM events WHERE event = 'list') q`;
    expect((await run(text)).body.results).toEqual([["t3", "A", "t2", "inner"]]);
  });

  test.each(["properties[event]", "JSONExtractString(properties, event)"])(
    "a key that is not written out is refused: %s",
    async (sql) => {
      const { status, body } = await run(`SELECT ${sql} FROM events`);
      expect(status).toBe(400);
      expect(body.detail).toContain("A key of JSON is written out");
    },
  );
});

describe("a text is the same number everywhere", () => {
  const SUMS = ["toFloat(N)", "N", "toFloatOrZero(N)", "N * 1", "TRY_CAST(N AS DOUBLE)"];
  const more = ["JSONExtractFloat(properties, 'n')", "toDecimal64(N, 1)", "(properties->>'n')"];

  test("in insights and in every way of SQL", async () => {
    const { body } = await ask({
      kind: "TrendsQuery",
      series: [{ kind: "EventsNode", event: "value", math: "sum", math_property: "n" }],
      dateRange: { date_from: "all" },
      trendsFilter: { display: "BoldNumber" },
    });
    const [line] = body.results as unknown as { aggregated_value: number }[];
    expect(line?.aggregated_value).toBe(20 + 1000 + 7 - 3.5 + 7 + 4.5);
    for (const one of [...SUMS, ...more]) {
      const sql = `SELECT sum(${one.replace(/\bN\b/g, "properties.n")}) FROM events WHERE event = 'value'`;
      const { results } = (await run(sql)).body;
      expect({ sql, sum: Number(results[0]?.[0]) }).toEqual({
        sql,
        sum: line?.aggregated_value ?? 0,
      });
    }
    const whole = "SELECT sum(toInt(properties.n)) FROM events WHERE event = 'value'";
    expect((await run(whole)).body.results).toEqual([[20 + 1000 + 7 - 3 + 7 + 4]]);
  });

  test("and other types stay what they are", async () => {
    const text =
      "SELECT toFloat(1 = 1), toInt(a), toFloat(b), toInt('x') FROM (SELECT true AS a, 2 AS b)";
    expect((await run(text)).body.results).toEqual([[1, 1, 2, null]]);
  });
});

const ORDERED: [sql: string, rows: unknown[][]][] = [
  ["max(properties.amount), min(properties.amount)", [[1000, 9]]],
  ["max(properties->>'amount'), max(person.properties.none)", [[1000, null]]],
  ["max(coalesce(properties.amount, '0')), min(ifNull(properties.amount, '5'))", [[1000, 9]]],
  [
    "max(if(event = 'order', properties.amount, '1')), max(nullIf(properties.amount, ''))",
    [[1000, 1000]],
  ],
  ["sum(coalesce(properties.amount, 0)), sum(if(1 = 1, properties.amount, 0))", [[1129, 1129]]],
  [
    "argMax(event, properties.amount), argMax(properties.other, properties.amount)",
    [["order", 30]],
  ],
  [
    "quantile(0)(properties.amount), quantile_disc(properties.amount, 1), median(properties.amount)",
    [[9, 1000, 60]],
  ],
  ["arraySort(groupArray(properties.amount))", [[["9", "20", "100", "1000", "abc"]]]],
  ["arrayReverseSort(groupUniqArray(properties.amount))[2]", [["1000"]]],
  ["arrayMax(groupArray(properties.amount)), arrayMin(groupArray(properties.amount))", [[1000, 9]]],
  [
    "countIf(properties.amount > 50), countIf(properties.amount > '50'), countIf('50' < properties.amount)",
    [[2, 2, 2]],
  ],
  [
    "countIf(properties.amount BETWEEN '15' AND '150'), countIf(less(properties.amount, '15'))",
    [[2, 1]],
  ],
  ["countIf(properties.amount > properties.other), countIf(properties.amount >= 'ab')", [[3, 1]]],
  ["max(greatest(properties.amount, '50')), min(least(properties.amount, '50'))", [[1000, 9]]],
];

describe("a property is ordered by its number, and then by its text", () => {
  test.each(ORDERED)("%s", async (sql, rows) => {
    const { body } = await run(`SELECT ${sql} FROM events WHERE event = 'order'`);
    expect({ detail: body.detail, results: body.results }).toEqual({
      detail: undefined as never,
      results: rows,
    });
  });

  test.each([
    "SELECT properties.amount FROM events WHERE event = 'order' ORDER BY 1",
    "SELECT DISTINCT properties.amount AS a FROM events WHERE event = 'order' ORDER BY a",
    "SELECT any(properties.amount) AS a FROM events WHERE event = 'order' GROUP BY uuid ORDER BY a",
    "SELECT arrayJoin(groupArray(properties.amount)) AS a FROM events WHERE event = 'order' ORDER BY a",
    "SELECT a FROM (SELECT properties.amount AS a FROM events WHERE event = 'order' UNION ALL SELECT 'x' LIMIT 5) ORDER BY a",
    "SELECT coalesce(properties.amount, '') AS a FROM events WHERE event = 'order' ORDER BY a",
  ])("%s", async (query) => {
    const { body } = await run(query);
    expect(body.results?.flat()).toEqual(["9", "20", "100", "1000", "abc"]);
  });

  test("a text that is no JSON number is shown as it is", async () => {
    const text = "SELECT max(properties.n) FROM events WHERE properties.n IN ('007', '+7')";
    expect(["007", "+7"]).toContain((await run(text)).body.results[0]?.[0] as string);
  });

  test("after UNION it is refused with what to write", async () => {
    const text = "SELECT properties.amount AS a FROM events UNION ALL SELECT 'x' ORDER BY a";
    expect((await run(text)).body.detail).toContain("SELECT * FROM (… UNION ALL …) AS u");
  });
});
