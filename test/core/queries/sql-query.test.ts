import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NODE_KINDS } from "../../../src/core/queries/insight.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  await app.capture(batch(event({ event: "view", distinct_id: "ann" })));
});

afterAll(() => app[Symbol.asyncDispose]());

const ENVIRONMENT = "/api/environments/1";
const post = (path: string, query: unknown) =>
  app.ask("POST", `${ENVIRONMENT}/${path}/`, { body: { query } });

const SQL = { kind: "HogQLQuery", query: "SELECT 1" };
const WORDS = { kind: "WordsQuery", query: "view events" };

const OBJECTS = [5, "x", true, ["x"]];
const TEXTS = [5, true, ["x"], { a: 1 }];

/** Fields with values of a type that they do not have. */
const WRONG: [query: object, field: string, values: readonly unknown[]][] = [
  [SQL, "name", TEXTS],
  [SQL, "query", TEXTS],
  [SQL, "filters", OBJECTS],
  [SQL, "variables", OBJECTS],
  [SQL, "values", OBJECTS],
  [SQL, "tags", OBJECTS],
  [SQL, "version", ["x", true, ["x"]]],
  [{ ...SQL, kind: "SQLQuery" }, "name", TEXTS],
  [WORDS, "name", TEXTS],
  [WORDS, "query", TEXTS],
  [WORDS, "dateRange", OBJECTS],
  [WORDS, "properties", [5, "x", true]],
  [WORDS, "interval", ["day"]],
  [WORDS, "tags", OBJECTS],
];

describe("a field of another type is refused by its name, where a query runs and where it is saved", () => {
  test.each(WRONG)("%j, %s", async (query, field, values) => {
    for (const value of values) {
      for (const path of ["query", "insights"]) {
        const { status, body } = await post(path, { ...query, [field]: value });
        expect([path, value, status, (body as { attr: string }).attr]).toEqual([
          ...[path, value, 400, `query__${field}`],
        ]);
      }
    }
  });

  test("also where it stands in another field", async () => {
    const filters = { dateRange: { date_from: "-7d", explicitDate: "yes" } };
    const query = { ...SQL, query: "SELECT count() FROM events WHERE {filters}", filters };
    const explicitDate = { attr: "query__filters__dateRange__explicitDate" };
    expect(await post("query", query)).toMatchObject({ status: 400, body: explicitDate });
    const dated = { ...WORDS, dateRange: { date_from: 7 } };
    const date_from = { attr: "query__dateRange__date_from" };
    expect(await post("query", dated)).toMatchObject({ status: 400, body: date_from });
  });
});

test("a query in SQL or in words may have a name, a note and empty fields", async () => {
  const notes = { name: "daily", tags: { scene: "x" }, version: 2, values: null, filters: {} };
  expect(await post("query", { ...SQL, ...notes, variables: null })).toMatchObject({ status: 200 });
  const { filters: _filters, ...words } = notes;
  const dated = { ...WORDS, ...words, dateRange: { date_from: "-7d" } };
  expect(await post("query", dated)).toMatchObject({ status: 200 });
});

test("a node without a query is refused, and the kinds of nodes are offered with those of queries", async () => {
  for (const kind of NODE_KINDS) {
    for (const source of [5, "SELECT 1", null, []]) {
      const answer = await post("query", { kind, source });
      expect(answer).toMatchObject({ status: 400, body: { attr: "query__source" } });
    }
    expect(await post("query", { kind, source: SQL })).toMatchObject({ status: 200 });
  }
  const { body } = await post("query", { kind: "Anything" });
  const { attr, detail } = body as { attr: string; detail: string };
  expect(attr).toBe("query__kind");
  for (const kind of ["HogQLQuery", "WordsQuery", "EventsQuery", ...NODE_KINDS]) {
    expect(detail).toContain(String(kind));
  }
});
