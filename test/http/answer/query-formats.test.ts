import { afterAll, beforeAll, expect, test } from "bun:test";
import { WARNINGS_BYTES_MAX } from "../../../src/http/answer/query-formats.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  await app.capture(
    batch(
      event({ event: "view", distinct_id: "ann", properties: { $set: { plan: "pro" } } }),
      event({ event: "view", distinct_id: "bob", properties: { $set: { plan: "pro" } } }),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const ask = (query: object, format: string) =>
  app.ask("POST", `/api/environments/1/query/?format=${format}`, { body: { query } });

const warningsIn = (headers: Headers) => JSON.parse(headers.get("hoglet-warnings") ?? "[]");

const unknown = { key: "plän 🦔", type: "event", operator: "is_set" };
const trend = { kind: "TrendsQuery", series: [{ event: "vieew" }], properties: [unknown] };
const events = { kind: "EventsQuery", select: ["event"], event: "wiev", properties: [unknown] };

test.each([trend, events])("warnings of %j are in each form of its answer", async (query) => {
  const { warnings } = (await ask(query, "json")).body as { warnings: string[] };
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).toContain("plän 🦔");

  const csv = await ask(query, "csv");
  expect(csv.status).toBe(200);
  expect(csv.headers.get("hoglet-warnings")).toMatch(/^[ -~]+$/);
  expect(warningsIn(csv.headers)).toEqual(warnings);
  expect(csv.text).not.toContain(warnings[0] ?? "");

  const { text } = await ask(query, "txt");
  for (const one of warnings) expect(text.split("\n")).toContain(one);
});

test("an answer without warnings has no header", async () => {
  const query = { kind: "TrendsQuery", series: [{ event: "view" }] };
  expect((await ask(query, "csv")).headers.has("hoglet-warnings")).toBe(false);
});

test("a part of a list says so in each form", async () => {
  const persons = { kind: "InsightActorsQuery", source: { ...trend, series: [{ event: "view" }] } };
  const source = { ...persons, source: { ...persons.source, properties: [] } };
  const lists = [
    { kind: "EventsQuery", select: ["event"], limit: 1 },
    { kind: "ActorsQuery", limit: 1 },
    { kind: "ActorsQuery", source, limit: 1 },
  ];
  for (const query of lists) {
    expect((await ask(query, "json")).body).toMatchObject({ hasMore: true });
    const [csv, txt] = [await ask(query, "csv"), await ask(query, "txt")];
    expect(warningsIn(csv.headers)).toEqual([expect.stringContaining("More rows follow")]);
    expect(txt.text).toContain("\n\nMore rows follow");
    const all = await ask({ ...query, limit: 10 }, "csv");
    expect([all.status, all.headers.has("hoglet-warnings")]).toEqual([200, false]);
  }
});

test("more warnings than a header takes are counted in it", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `${at} ${"é".repeat(60)}`);
  const properties = names.map((key) => ({ key, type: "event", operator: "is_not_set" }));
  const query = { kind: "TrendsQuery", series: [{ event: "view" }], properties };
  const { warnings } = (await ask(query, "json")).body as { warnings: string[] };
  const { headers } = await ask(query, "csv");
  const shown = warningsIn(headers);
  expect(headers.get("hoglet-warnings")?.length).toBeLessThanOrEqual(WARNINGS_BYTES_MAX);
  expect(shown.length).toBeGreaterThan(3);
  expect(shown.slice(0, -1)).toEqual(warnings.slice(0, shown.length - 1));
  expect(shown.at(-1)).toStartWith(`${warnings.length - shown.length + 1} more`);

  const long = { ...query, properties: [{ ...properties[0], key: "é".repeat(5000) }] };
  expect(warningsIn((await ask(long, "csv")).headers)).toEqual([
    expect.stringMatching(/^1 more: JSON/),
  ]);
});
