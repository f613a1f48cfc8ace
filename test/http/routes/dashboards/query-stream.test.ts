import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL_RUNNING_MAX, SQL_WAITING_MAX } from "../../../../src/core/sql/sql.ts";
import { STREAMED_QUERIES_MAX } from "../../../../src/http/routes/dashboards/query-stream.ts";
import { keyWith } from "../../../support/answers/operations.ts";
import { batch, event } from "../../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../../support/start/app.ts";

const QUERY = "/api/environments/1/query/";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const view = (distinct_id: string, $browser: string) =>
    event({ event: "view", distinct_id, properties: { $browser } });
  await app.capture(batch(view("ann", "Firefox"), view("bob", "Safari")));
});

afterAll(() => app[Symbol.asyncDispose]());

type Line = { at: number; status: number; retry_after?: number; answer: object };

const streamed = async (queries: unknown, asked: object = {}) => {
  const answer = await app.ask("POST", `${QUERY}stream/`, { body: { queries }, ...asked });
  const lines = answer.text.split("\n").filter((line) => line !== "");
  return { ...answer, texts: lines, lines: () => lines.map((line) => JSON.parse(line) as Line) };
};

const trend = {
  query: { kind: "TrendsQuery", series: [{ event: "view" }], dateRange: { date_from: "-1d" } },
};
const TABLES = Array.from({ length: 30 }, (_, n) => `events e${n}`).join(", ");
const endless = {
  query: { kind: "HogQLQuery", query: `SELECT count(*) FROM ${TABLES}` },
  client_query_id: "endless",
};

/** Answers and refusals of each kind. */
const EACH: [name: string, asked: object][] = [
  ["a trend", trend],
  ["a list of texts", { query: { ...trend.query, breakdownFilter: { breakdown: "$browser" } } }],
  ["SQL", { query: { kind: "HogQLQuery", query: "SELECT 12345678901234567890, 'a\nb', [1, 2]" } }],
  ["words", { query: { kind: "WordsQuery", query: "views last 7 days" } }],
  ["words that mean nothing", { query: "qwerty" }],
  ["persons", { query: { kind: "ActorsQuery", select: ["person"] } }],
  ["filters over it", { ...trend, filters_override: { date_from: "-3d" } }],
  ["a dashboard that is not there", { ...trend, dashboard: 99 }],
  ["no query", {}],
  ["an unknown kind", { query: { kind: "SessionsQuery" } }],
  ["an unknown field", { ...trend, qeury: 1 }],
  ["a field of another type", { ...trend, dashboard: "one" }],
  ["broken SQL", { query: { kind: "HogQLQuery", query: "SELECT missing FROM events" } }],
];

test("each line is the answer, or the error, that the question gets alone, byte by byte", async () => {
  for (const key of [undefined, await keyWith(app, { scopes: ["query:read"] })]) {
    const asked = key === undefined ? {} : { key };
    const { status, headers, texts, lines } = await streamed(
      EACH.map(([, one]) => one),
      asked,
    );
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    const places = lines().map(({ at }) => at);
    expect(places.toSorted((a, b) => a - b)).toEqual([...EACH.keys()]);
    for (const [at, [name, one]] of EACH.entries()) {
      const alone = await app.ask("POST", QUERY, { body: one, ...asked });
      const line = texts[places.indexOf(at)];
      const expected = `{"at":${at},"status":${alone.status},"answer":${alone.text}}`;
      expect([name, line]).toEqual([name, expected]);
    }
    expect(new Set(lines().map((line) => line.status))).toContain(key === undefined ? 400 : 403);
  }
});

test("a place in the list without a question, and too many of them, refuse the request", async () => {
  for (const queries of [
    [],
    [1],
    "x",
    Array.from({ length: STREAMED_QUERIES_MAX + 1 }, () => ({})),
  ])
    expect(await streamed(queries)).toMatchObject({ status: 400, body: { code: "invalid_input" } });
});

test("two questions run at a time, and a slow one holds up no more than its own turn", async () => {
  const running = streamed([endless, trend, { ...endless, client_query_id: "second" }, trend]);
  let isEnded = false;
  running.finally(() => {
    isEnded = true;
  });
  await Bun.sleep(200);
  expect(isEnded).toBe(false);
  const cancel = async (id: string) => {
    await app.ask("DELETE", `${QUERY}${id}/`);
    await Bun.sleep(20);
  };
  while (!isEnded) for (const id of ["second", "endless"]) await cancel(id);
  const ended = (await running).lines().map(({ at, status }) => [at, status]);
  // The second trend began once one of the slow ones had ended.
  expect(ended[0]).toEqual([1, 200]);
  expect(ended.findIndex(([at]) => at === 3)).toBeGreaterThan(1);
});

test("a refusal for now says when to ask again, as it does alone", async () => {
  const alone = async () => await app.ask("POST", QUERY, { body: endless });
  const all = Array.from({ length: SQL_RUNNING_MAX + SQL_WAITING_MAX }, alone);
  const one = { query: { kind: "HogQLQuery", query: "SELECT 1" } };
  let line: Line | undefined;
  do [line] = (await streamed([one])).lines();
  while (line?.status !== 429);
  const refused = await app.ask("POST", QUERY, { body: one });
  expect(line).toEqual({
    ...{ at: 0, status: 429 },
    retry_after: Number(refused.headers.get("retry-after")),
    answer: refused.body as object,
  });
  await app.ask("DELETE", `${QUERY}endless/`);
  await Promise.all(all);
});

test("a reader who leaves ends the questions that run, and no other begins", async () => {
  const leaving = new AbortController();
  const left = streamed(
    Array.from({ length: SQL_RUNNING_MAX + 3 }, () => endless),
    { signal: leaving.signal },
  );
  await Bun.sleep(200);
  leaving.abort();
  const statuses = (await left).lines().map(({ status }) => status);
  expect(statuses.length).toBeLessThanOrEqual(SQL_RUNNING_MAX);
  // The engine is free again.
  const one = { query: { kind: "HogQLQuery", query: "SELECT 1" } };
  while ((await app.ask("POST", QUERY, { body: one })).status !== 200) await Bun.sleep(20);
});
