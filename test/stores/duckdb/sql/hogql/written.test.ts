import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Written } from "../../../../../src/stores/duckdb/sql/hogql/written.ts";
import { type TestApp, testApp } from "../../../../support/start/app.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
});

afterAll(() => app[Symbol.asyncDispose]());

const VALUES = { long: "a value of\nmany words, é and 'quotes'", n: 7 };
const FILTERS = { properties: [{ type: "event", key: "plan", value: ["pro", "free"] }] };

/** Texts in which ¿ stands before the part at fault. */
const FAULTS = [
  "SELECT {long}, ¿getenv('HOME') FROM events",
  "SELECT {n},\n  {long} AS é, ¿getenv('HOME')\nFROM events",
  "SELECT event FROM events WHERE {filters}\n  AND ¿getenv('HOME') = {n}",
  "SELECT event FROM events WHERE event = {long} AND {filters} GROUP BY 1 HAVING ¿getenv({n}) > 1",
  "SELECT quantile(0.9)(seq), ¿getenv('HOME') FROM events",
  "SELECT properties.plan ?? 'none', event =~ 'a', 'it\\'s', `event`, ¿getenv('HOME') FROM events",
  "SELECT 0xff, 0b1, ('é', 2).1, ¿getenv('HOME') FROM events",
  "SELECT event FROM events PREWHERE event = 'é' WHERE ¿getenv('HOME') = 'x'",
  "SELECT tag FROM events ARRAY JOIN splitByChar(',', event) AS tag WHERE ¿getenv(tag) = {n}",
  "SELECT event FROM events ORDER BY seq LIMIT 3 BY event, ¿getenv('x')",
  "SELECT count() FROM events WHERE {filters} AND event IN (SELECT event FROM ¿duckdb_settings)",
  "SELECT countIf(event = {long}), argMax(event, timestamp), ¿getenv('HOME') FROM events",
  "SELECT person.properties.plan, toStartOfDay(timestamp), ¿getenv('HOME') FROM events",
  "SELECT {long} AS a FROM events WHERE ¿) = {n}",
  "SELECT {n} FROM events\nWHERE {filters} AND event ¿event = 'a'",
  "SELECT 'é', {long} FROM events WHERE event =¿",
  "SELECT '😀', {long} FROM events WHERE event = '😀' ¿)",
  "SELECT '😀', {long}, ¿getenv('😀') FROM events",
  "SELECT {n} FROM events WHERE (event = {long}¿",
  "SELECT {n} FROM events LIMIT ¿seq",
];

describe("a fault is shown where it stands in the SQL that was sent", () => {
  test.each(FAULTS)("%s", async (marked) => {
    const at = marked.indexOf("¿");
    const query = marked.slice(0, at) + marked.slice(at + 1);
    const before = marked.slice(0, at).split("\n");
    const used = (all: object) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => query.includes(`{${name}}`)));
    const body = {
      query: { kind: "HogQLQuery", query, values: used(VALUES), ...used({ filters: FILTERS }) },
    };
    const { status, body: answer } = await app.ask("POST", "/api/environments/1/query/", { body });
    const { detail } = answer as { detail: string };
    expect({ status, detail }).toEqual({
      status: 400,
      detail: expect.stringContaining(
        `(line ${before.length}, column ${(before.at(-1) ?? "").length + 1})`,
      ),
    });
  });
});

test("a word that was not sent is not named", async () => {
  const query = "SELECT 1 + {n} {n} FROM events";
  const body = { query: { kind: "HogQLQuery", query, values: { n: 7 } } };
  const answer = await app.ask("POST", "/api/environments/1/query/", { body });
  expect(answer).toMatchObject({
    status: 400,
    body: { detail: "The SQL is not understood (line 1, column 16)." },
  });
});

test("a word that is rewritten has a place in both texts", () => {
  const written = new Written("a {b} é c");
  written.add({ space: "", at: 0 }, "a");
  written.add({ space: " ", at: 2 }, "'éé'");
  written.add({ space: " ", at: 6 }, "é");
  written.add({ space: "\n", at: 8 }, "c");
  expect(written.sql).toBe("a 'éé' é\nc");

  const bytes = [0, 2, 3, 9, 12];
  expect(bytes.map((at) => written.placeOf(at))).toEqual(
    [1, 3, 3, 7, 9].map((column) => `(line 1, column ${column})`),
  );
  expect([0, 2, 3, 7, 9].map((at) => written.placeOfMistake(at))).toEqual(
    bytes.map((at) => written.placeOf(at)),
  );
  expect(written.placeOf(99)).toBeUndefined();
});
