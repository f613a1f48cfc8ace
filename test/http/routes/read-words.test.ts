import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { WordsRead } from "../../../src/core/insights/words/read-words.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

const READ = "/api/environments/1/query/read/";
const NOW = Date.parse("2026-11-26T12:00:00Z");

let app: TestApp;

beforeAll(async () => {
  app = await testApp({ now: NOW });
  const properties = { $geoip_country_name: "Germany", $session_id: Bun.randomUUIDv7() };
  const person = { $set: { plan: "pro" } };
  await app.capture(
    batch(
      event({ event: "$pageview", properties: { ...properties, $pathname: "/" } }),
      event({ event: "purchase", properties: { ...properties, ...person, amount: 3 } }),
      event({ event: "support ticket", properties: { ...properties, topic: "size" } }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const read = async (asked: object) => {
  const { status, body } = await app.ask("POST", READ, { body: asked });
  return { status, body: body as WordsRead };
};

const node = (event: string, math = "total") => ({ kind: "EventsNode", event, math });

describe("words", () => {
  test("are read as a query, with its sentence and the roles of their parts", async () => {
    const words = "How many visitors came from Germany last week?";
    const { status, body } = await read({ words });

    expect(status).toBe(200);
    const query = {
      kind: "TrendsQuery",
      series: [node("$pageview", "dau")],
      dateRange: { date_from: "-1wStart", date_to: "-1wEnd" },
      properties: [{ key: "$geoip_country_name", operator: "exact", value: "Germany" }],
      trendsFilter: { display: "BoldNumber" },
    };
    const sentence = 'Visitors where country is "Germany", last week';
    expect(body).toMatchObject({ query, sentence, unknown: [], suggestions: [] });
    expect(body.explanation).toBe(`${sentence} (16 Nov to 22 Nov 2026, UTC).`);
    expect(body.readings[0]).toMatchObject({ sentence, query });
    const parts = body.parts.map(({ role, start, end }) => [role, words.slice(start, end)]);
    expect(parts).toEqual(
      expect.arrayContaining([
        ["measure", "visitors"],
        ["period", "last week"],
      ]),
    );
    expect((await read({ words: sentence })).body.query).toEqual(body.query);
  });

  test.each([
    ["purchases by landing page", { breakdown: "$entry_pathname", breakdown_type: "session" }],
    ["conversion rate by exit page", { breakdown: "$end_pathname", breakdown_type: "session" }],
    ["bounce rate by country", { breakdown: "$geoip_country_name", breakdown_type: "event" }],
  ])("are typed queries with lines: %s", async (words, breakdownFilter) => {
    const { body } = await read({ words });

    expect(body).toMatchObject({ query: { breakdownFilter } });
    expect((await read({ words: body.sentence })).body.query).toEqual(body.query);
  });

  test.each([
    ["hey, could you tell me how many purchases we got today?", "-0d"],
    ["nr of purchases by people in Germany this month pls", "mStart"],
    ["did purchases increase this month compared to last month?", "mStart"],
  ])("are read as people type them: %s", async (words, date_from) => {
    const { body } = await read({ words });
    expect(body.query).toMatchObject({ dateRange: { date_from } });
    expect(JSON.stringify(body.query)).toContain('"event":"purchase"');
    const isCompared = words.includes("compared");
    expect((body.query?.["compareFilter"] ?? null) !== null).toBe(isCompared);
  });

  test.each([
    ["how many kangaroos visited", "kangaroos"],
    ["purchase by colour", "colour"],
    ["how many constructor", "constructor"],
  ])(
    "that are not understood are marked, and other questions are offered: %j",
    async (words, word) => {
      const { status, body } = await read({ words });

      expect(status).toBe(200);
      expect(body).toMatchObject({ query: null, sentence: null, explanation: null, readings: [] });
      const marked = body.unknown.map(({ start, end }) => words.slice(start, end));
      expect(marked).toContain(word);
      expect(body.suggestions.length).toBeGreaterThan(1);
      for (const one of body.suggestions)
        expect((await read({ words: one })).body.query).not.toBeNull();
    },
  );

  test("that are empty are no question", async () => {
    const nothing = { query: null, sentence: null, explanation: null, parts: [], readings: [] };
    expect((await read({ words: " " })).body).toEqual({ ...nothing, unknown: [], suggestions: [] });
  });

  test("of one day ask for one number, unless an interval is said", async () => {
    const { body } = await read({ words: "purchase today" });
    const trendsFilter = { display: "BoldNumber" };
    expect(body.query).toMatchObject({ interval: "day", trendsFilter });
    expect((await read({ words: "purchase yesterday per hour" })).body.query).toMatchObject({
      interval: "hour",
    });
  });

  test("may be read where their period has no answer, which the explanation says", async () => {
    const { status, body } = await read({ words: "hourly purchase since 2020-01-01" });

    expect(status).toBe(200);
    expect(body.explanation).toStartWith("A range has at most 1000 intervals.");
  });
});

describe("a query", () => {
  test("is said in words that are read as an equal query, and stays as it was sent", async () => {
    const query = {
      kind: "TrendsQuery",
      series: [{ event: "support ticket", custom_name: "Tickets" }],
      properties: [{ key: "plan", type: "person", value: ["pro"] }],
      interval: "month",
      dateRange: { date_from: "mStart" },
    };
    const { body } = await read({ query: { kind: "InsightVizNode", source: query } });

    expect(body).toMatchObject({
      query,
      sentence: 'Support tickets per month where plan is "pro", this month',
    });
    expect((await read({ words: body.sentence })).body).toMatchObject({
      sentence: body.sentence,
      explanation: body.explanation,
      parts: body.parts,
    });
  });

  test.each([
    [
      { kind: "EventsQuery", select: ["event"], after: "2026-11-20", before: "2026-11-21" },
      /^.+ 2026-11-20/,
    ],
    [{ kind: "ActorsQuery", select: ["person"] }, /^.+/],
  ])("of a table is explained: %j", async (query, explanation) => {
    const { status, body } = await read({ query });
    expect([status, body.query]).toEqual([200, query]);
    expect(body.explanation).toMatch(explanation);
    expect(body.explanation).not.toContain("kind");
  });

  test("that no words can say has no sentence, but an explanation", async () => {
    const query = {
      kind: "TrendsQuery",
      series: [{ event: "purchase" }, { event: "$pageview" }],
      trendsFilter: { formula: "A - B" },
    };
    const { body } = await read({ query });

    expect(body).toMatchObject({ query, sentence: null, parts: [], readings: [] });
    expect(body.explanation).toContain("A - B");
  });

  test("of an event that the project does not have has no sentence", async () => {
    const query = { kind: "TrendsQuery", series: [{ event: "never sent" }] };

    expect((await read({ query })).body).toMatchObject({ query, sentence: null });
  });

  test("of a question in words is the query that it asks for", async () => {
    const words = "bounce rate last 7 days";

    const { body } = await read({ query: { kind: "WordsQuery", query: words } });
    expect(body).toMatchObject({
      query: { kind: "TrendsQuery", dateRange: { date_from: "-6d" } },
      sentence: "Bounce rate, last 7 days",
    });
  });
});

test.each([
  [{}, { code: "required", attr: "words" }],
  [{ words: "x".repeat(1001) }, { code: "too_long", attr: "words" }],
  [{ query: { kind: "TrendsQuery" } }, { code: "required", attr: "query__series" }],
  [{ query: "purchase" }, { code: "invalid_input", attr: "query" }],
])("without words or a query is refused: %j", async (asked, failure) => {
  const { status, body } = await read(asked);

  expect(status).toBe(400);
  expect(body).toMatchObject(failure);
});

describe("texts that read as numbers", () => {
  const spellings = ["12.50", "7", "-3", "1e3", "+0.5", "007"];
  const others = [
    " 12 ",
    "1,5",
    "12€",
    "0x10",
    "",
    "NaN",
    "1_000",
    ".5",
    "Infinity",
    "1e999",
    "€3",
  ];
  const DEEDS: readonly (readonly [event: string, property: string, values: readonly Json[]])[] = [
    ["sale", "amount", spellings],
    ["booking", "amount", ["12.50", 7.5, "-3", 40]],
    ["tender", "amount", [...others, ...spellings]],
    ["match", "score", ["9", "10", "100"]],
    ["test", "score", [...others, ...spellings]],
    ["refill", "liters", [...others, true, 8, "8.0"]],
  ];
  let app: TestApp;

  beforeAll(async () => {
    app = await testApp({ now: NOW });
    const events = DEEDS.flatMap(([name, property, values]) =>
      values.map((value) => event({ event: name, properties: { [property]: value } })),
    );
    await app.capture(batch(...events));
  });

  afterAll(() => app[Symbol.asyncDispose]());

  const asked = async (query: object): Promise<unknown> => {
    const { body } = await app.ask("POST", "/api/environments/1/query/", { body: { query } });
    const [line] = (body as { results?: Json[] }).results ?? [];
    if (Array.isArray(line)) return line[0];
    return (line as JsonObject | undefined)?.["aggregated_value"] ?? body;
  };

  const SUMS = [
    ["sum of", "sum", "sum(toFloat(P))"],
    ["average", "avg", "avg(toFloat(P))"],
    ["minimum", "min", "min(toFloat(P))"],
    ["maximum", "max", "max(toFloat(P))"],
    ["median", "median", "quantile(0.5)(toFloat(P))"],
    ["p90 of", "p90", "quantile(0.9)(toFloat(P))"],
  ] as const;
  const cases = DEEDS.flatMap(([name, property]) =>
    SUMS.map(([words, ...rest]) => [`${words} ${property} of ${name}`, name, property, ...rest]),
  ) as [string, string, string, string, string][];

  test.each(cases)("are numbers: %s", async (words, name, property, math, sql) => {
    const query = `SELECT ${sql.replace("P", `properties.${property}`)} FROM events WHERE event = '${name}'`;
    const series = [{ kind: "EventsNode", event: name, math, math_property: property }];
    const typed = { kind: "TrendsQuery", series, trendsFilter: { display: "BoldNumber" } };
    const number = await asked({ kind: "HogQLQuery", query });

    expect(number).toBeNumber();
    expect(await asked(typed)).toBe(number);
    expect(await asked({ kind: "WordsQuery", query: `${words} last 7 days` })).toBe(number);
  });

  test.each(DEEDS)("are compared as numbers: %s", async (name, property, values) => {
    const query = `SELECT count() FROM events WHERE event = '${name}' AND toFloat(properties.${property}) > 7.5`;
    const properties = [{ key: property, type: "event", operator: "gt", value: 7.5 }];
    const series = [{ kind: "EventsNode", event: name, properties }];
    const typed = { kind: "TrendsQuery", series, trendsFilter: { display: "BoldNumber" } };
    const words = `how many ${name} with ${property} over 7.5 last 7 days`;
    const isOver = (value: Json) =>
      typeof value !== "boolean" &&
      /^[-+]?\d+(\.\d+)?(e\d+)?$/.test(`${value}`) &&
      Number(value) > 7.5;
    const number = values.filter((value) => isOver(value) && Number.isFinite(Number(value))).length;

    expect(await asked({ kind: "HogQLQuery", query })).toBe(number);
    expect(await asked(typed)).toBe(number);
    expect(await asked({ kind: "WordsQuery", query: words })).toBe(number);
  });

  test.each([
    ["how many match with score 10 last 7 days", 1],
    ["how many refill with liters 8 last 7 days", 2],
    ["how many sale with amount 12.5 last 7 days", 1],
    ["how many sale with amount 7 last 7 days", 2],
  ])("are found in each spelling: %s", async (words, number) => {
    expect(await asked({ kind: "WordsQuery", query: words })).toBe(number);
  });

  test.each(["sum of", "total", "average", "max"])(
    "are not counted without numbers: %s",
    async (sum) => {
      await using app = await testApp({ now: NOW });
      const properties = { amount: "free", mood: "good" };
      await app.capture(batch(event({ event: "gift", properties })));
      for (const name of ["amount", "mood"]) {
        const body = { query: { kind: "WordsQuery", query: `${sum} ${name} of gift last 7 days` } };
        const answer = await app.ask("POST", "/api/environments/1/query/", { body });
        expect(answer).toMatchObject({ status: 400, body: { code: "invalid_input" } });
      }
    },
  );

  test("are the lines of a breakdown as they were sent", async () => {
    const query = "match by score last 7 days";
    const { body } = await app.ask("POST", "/api/environments/1/query/", {
      body: { query: { kind: "WordsQuery", query } },
    });

    expect(body).toMatchObject({ results: [{}, {}, {}] });
  });
});
