import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PATTERNS_MAX } from "../../../src/stores/duckdb/lists/property-filter.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { PERSONAL_KEY, startServer } from "../../support/start/server.ts";

const PREFER = { prefer: "return=representation" };
const ASK = "/api/environments/1/max_tools/create_and_query_insight/";

/** Each takes a while to check, and long for a long text. */
const SLOW = Array.from({ length: PATTERNS_MAX }, (_, n) => `\\pL{300}${n}$`);
const filter = (type?: string) => ({ key: "text", operator: "regex", value: SLOW, type });
const slowInsight = { kind: "TrendsQuery", series: [{ properties: [filter()] }] };

const events = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const text = "é".repeat(20_000);
    return event({ distinct_id: `d${n}`, properties: { text, $set: { text } } });
  });

const late = {
  status: 504,
  body: {
    ...{ type: "server_error", code: "query_timeout", attr: null },
    detail: "Reading took longer than 1 s. Ask for less, or for a shorter time.",
  },
};

describe("queries over the time limit", () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await testApp({ flags: { "--query-seconds": "1" } });
    await app.capture(batch(...events(30)));
  });

  afterAll(() => app[Symbol.asyncDispose]());

  test("an insight gets a failure, and is not kept", async () => {
    const { body } = await app.get("/insights/");
    expect(await app.ask("POST", ASK, { body: { query: slowInsight } })).toMatchObject(late);

    expect((await app.get("/insights/")).body).toEqual(body);
    const quick = { query: { kind: "TrendsQuery", series: [{}] } };
    // On a busy machine even this one may take longer than a second.
    while ((await app.ask("POST", ASK, { body: quick })).status !== 200) await Bun.sleep(20);
  });

  test("a query of logs, and a list of persons", async () => {
    const filterGroup = { type: "AND", values: [filter("log")] };
    const query = { dateRange: { date_from: "-1h" }, filterGroup };
    const properties = encodeURIComponent(JSON.stringify([filter("person")]));

    const logs = await app.ask("POST", "/api/environments/1/logs/query/", { body: { query } });
    expect(logs).toMatchObject(late);
    expect(await app.get(`/persons/?properties=${properties}`)).toMatchObject(late);
  });
});

describe("nothing is read for clients that have disconnected", () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await testApp();
    await app.capture(batch(event({ properties: { plan: "pro", $set: { plan: "pro" } } })));
  });

  afterAll(() => app[Symbol.asyncDispose]());

  const filters = encodeURIComponent(JSON.stringify([{ key: "plan", value: "pro" }]));
  test.each([
    "/events/",
    "/event_definitions/",
    "/property_definitions/",
    `/persons/?properties=${filters}`,
    "/persons/values/?key=plan",
    "/query/draft_sql/",
  ])("%s", async (path) => {
    expect(await app.get(path, { headers: PREFER })).toMatchObject({ status: 200 });
    expect(await app.get(path, { headers: PREFER, signal: AbortSignal.abort() })).toMatchObject({
      status: 504,
      body: { code: "query_timeout", detail: "The client has disconnected." },
    });
  });
});

test("questions end when their callers go away, and others get their turn", async () => {
  await using server = await startServer({ flags: ["--query-seconds", "120"] });
  await server.capture(batch(...events(200)));
  await server.stored(200);
  const ask = async (query: object, signal: AbortSignal | null = null) => {
    const { status } = await fetch(server.url + ASK, {
      method: "POST",
      headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ query }),
      signal,
    });
    return status;
  };
  const end = new AbortController();
  const slow = Array.from({ length: 9 }, () => ask(slowInsight, end.signal));
  await Bun.sleep(500);

  end.abort();

  expect((await Promise.allSettled(slow)).map(({ status }) => status)).toEqual(
    Array(9).fill("rejected"),
  );
  expect(await ask({ kind: "TrendsQuery", series: [{}] })).toBe(200);
});
