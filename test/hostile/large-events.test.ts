import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGE_BYTES_MAX } from "../../src/core/values/page.ts";
import { caughtUp } from "../support/answers/prometheus.ts";
import { logsBody } from "../support/data/logs.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { runCommand } from "../support/start/process.ts";
import { rounds } from "../support/start/rounds.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../support/start/server.ts";

/** The default memory of the engine, or half of it for half as much, and a journal that is archived at once. */
const FLAGS = ["--memory", String(rounds(128, 256)), "--journal", "16"];

const MIB = 1_048_576;

const BATCHES = rounds(5, 20);
const BATCH_EVENTS = rounds(30, 50);
const COUNT = BATCHES * BATCH_EVENTS;
/** Events of a batch that the first of two persons has: all of them are more than a page. */
const OF_ONE = BATCH_EVENTS / 2;

/** Batches of persons with large properties. */
const PERSON_BATCHES = rounds(2, 24);
const PERSONS = PERSON_BATCHES * 25;

/** Batches of large log records. */
const LOG_BATCHES = rounds(2, 4);
const LOGS = LOG_BATCHES * 60;

/** Of two sizes in turn, some near the limit of 1 MiB. */
const textOf = (batch: number) => "x".repeat(batch % 5 === 0 ? 390_000 : 200_000);

const root = temporaryDirectory();
const data = join(root.path, "data");
let server: Server;

beforeAll(async () => {
  server = await startServer({ data, flags: FLAGS });
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const properties = { text: textOf(batch), batch, plan: "pro", $host: "example.org" };
    const events = Array.from({ length: BATCH_EVENTS }, (_, at) => ({
      event: "saved",
      distinct_id: `person-${at % 2}`,
      properties: { ...properties, at },
    }));
    const { status } = await server.capture({ api_key: PROJECT_KEY, batch: events });
    expect(status).toBe(200);
  }
  await stored(COUNT);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  root[Symbol.dispose]();
});

async function ask<T>(method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.url}/api/environments/1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${PERSONAL_KEY}`,
      "content-type": "application/json",
      prefer: "return=representation",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

/** Waits for `count` events. The metric is polled first, because the list reads a large event each time. */
async function stored(count: number): Promise<void> {
  await caughtUp(server);
  await server.stored(count);
}

/** Checks that the events with these numbers of batches are there, whole. */
async function expectWhole(batches: readonly number[]): Promise<void> {
  for (const batch of batches) {
    const offset = (BATCHES - 1 - batch) * BATCH_EVENTS;
    const page = await server.get<{
      results: { properties: { batch: number; text: string } }[];
    }>(`/events/?limit=2&offset=${offset}`);
    for (const { properties } of page.results) {
      expect(properties.batch).toBe(batch);
      expect(properties.text === textOf(batch)).toBe(true);
    }
  }
}

test("large events are whole in the list", async () => {
  await expectWhole([0, 3, BATCHES - 1]);
});

test("a page of large events ends early, and a walk along next meets each once", async () => {
  type Listed = { count: number; next: string | null; results: { properties: { at: number } }[] };
  const of = Array.from({ length: BATCH_EVENTS }, (_, at) => at).filter((at) => at % 2 === 0);
  const walked: number[] = [];
  let next: string | null = "/events/?limit=1000&distinct_id=person-0";
  let pages = 0;
  for (; next !== null && pages < 20; pages += 1) {
    const { count, results, next: link }: Listed = await server.get<Listed>(next);
    expect(count).toBe(BATCHES * of.length);
    const bytes = results.reduce((sum, one) => sum + JSON.stringify(one.properties).length, 0);
    expect(bytes).toBeLessThan(PAGE_BYTES_MAX + MIB);
    if (link !== null) expect(bytes).toBeGreaterThanOrEqual(PAGE_BYTES_MAX);
    walked.push(...results.map(({ properties }) => properties.at));
    next = link === null ? null : link.slice(link.indexOf("/events/"));
  }

  expect(pages).toBeGreaterThan(1);
  expect(walked).toEqual(Array.from({ length: BATCHES }, () => of.toReversed()).flat());
  const [first] = (await server.get<Listed>("/events/?limit=1")).results;
  expect(first?.properties.at).toBe(BATCH_EVENTS - 1);
});

test("questions about large events are answered of their small properties", async () => {
  type Definitions = { results: { name: string; property_type: string }[] };
  const { results } = await server.get<Definitions>("/property_definitions/");
  expect(results.map(({ name }) => name).toSorted()).toEqual([
    "$host",
    "at",
    "batch",
    "plan",
    "text",
  ]);

  const { status: drafted } = await ask("GET", "/query/draft_sql/");
  expect(drafted).toBe(200);

  type Insight = { insight: { results: { data: number[] }[] } };
  const asked = { query: "sum of batch of saved by plan" };
  const { body } = await ask<Insight>("POST", "/max_tools/create_and_query_insight/", asked);
  const sum = BATCH_EVENTS * ((BATCHES * (BATCHES - 1)) / 2);
  expect(JSON.stringify(body)).toContain(String(sum));
});

test("a large event is whole in SQL and in insights, where it is asked for", async () => {
  const query = `SELECT properties->>'at' AS "at", strlen(properties.text) AS "text", "$host",
    strlen(whole_properties->>'text') AS length FROM events WHERE seq = 1`;
  const { body } = await ask("POST", "/query/", { query: { kind: "HogQLQuery", query } });
  expect(body).toMatchObject({ results: [["0", 390_000, "example.org", 390_000]] });

  const trend = (key: string) => ({
    ...{ kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "saved" }] },
    properties: [{ key, operator: "regex", value: "x{1000}$", type: "event" }],
    trendsFilter: { display: "BoldNumber" },
  });
  const found = await ask("POST", "/query/", { query: trend("text") });
  expect(found.body).toMatchObject({ results: [{ aggregated_value: COUNT }] });
});

test("persons and groups with large properties are stored, and persons found by each", async () => {
  const large = { plan: "pro", text: "z".repeat(400_000) };
  for (let batch = 0; batch < PERSON_BATCHES; batch += 1) {
    const events = Array.from({ length: 25 }, (_, at) => ({
      event: "met",
      distinct_id: `large-${batch * 25 + at}`,
      properties: { $set: large },
    }));
    const { status } = await server.capture({ api_key: PROJECT_KEY, batch: events });
    expect(status).toBe(200);
  }
  const group = { $group_type: "company", $group_key: "acme", $group_set: large };
  await server.capture({
    api_key: PROJECT_KEY,
    event: "$groupidentify",
    distinct_id: "large-0",
    properties: group,
  });
  await stored(COUNT + PERSONS + 1);

  const filter = encodeURIComponent(JSON.stringify([{ key: "plan", value: "pro" }]));
  type Found = { count: number; results: { properties: { text: string } }[] };
  const found = await server.get<Found>(`/persons/?limit=1&properties=${filter}`);
  expect(found.count).toBe(PERSONS);
  expect(found.results[0]?.properties.text === large.text).toBe(true);
  const texts = encodeURIComponent(
    JSON.stringify([{ key: "text", operator: "regex", value: "z$" }]),
  );
  expect(await server.get(`/persons/?limit=1&properties=${texts}`)).toMatchObject({
    count: PERSONS,
  });
  const [kept] = (await server.get<Found>("/groups/?group_type_index=0")).results;
  expect(JSON.stringify(kept)).toContain(large.text);
});

test("large log records are stored and archived as well", async () => {
  const records = Array.from({ length: 60 }, (_, n) => ({
    body: { stringValue: `${n}:${"y".repeat(300_000)}` },
  }));
  for (let turn = 0; turn < LOG_BATCHES; turn += 1) {
    const { status } = await server.capture(logsBody(records), `/i/v1/logs?token=${PROJECT_KEY}`);
    expect(status).toBe(200);
  }
  await untilArchived(COUNT + PERSONS + 1 + LOGS);
  const found = await ask<{ results: unknown[][] }>("POST", "/query/", {
    query: { kind: "HogQLQuery", query: "SELECT count(*), min(strlen(body)) FROM logs" },
  });
  expect(found.body).toMatchObject({ results: [[LOGS, 300_002]] });
});

test("large events are erased, and the others are whole in the rewritten file", async () => {
  const { results } = await server.get<{ results: { id: number }[] }>(
    "/persons/?distinct_id=person-0",
  );
  const path = `/persons/${results[0]?.id}/?delete_events=true`;
  const { status } = await fetch(`${server.url}/api/environments/1${path}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${PERSONAL_KEY}` },
  });
  expect(status).toBeLessThan(300);

  expect(await runCommand(["deletions", "run", "--data", data])).toMatchObject({ code: 0 });
  await stored(COUNT - BATCHES * OF_ONE);
});

test("a rebuild has them again, and needs no restart before", async () => {
  expect(await server.stop()).toBe(0);
  const { code, out } = await runCommand(["rebuild", "--data", data]);
  expect({ code, out }).toMatchObject({ code: 0 });
  expect(out).toContain(`${COUNT - BATCHES * OF_ONE + PERSONS + 1} events, ${LOGS} log records`);

  server = await startServer({ data, flags: FLAGS });
  const { count } = await server.get<{ count: number }>("/events/?limit=1");
  expect(count).toBe(COUNT - BATCHES * OF_ONE + PERSONS + 1);
  const { body } = await ask("POST", "/query/", {
    query: {
      kind: "HogQLQuery",
      query: "SELECT min(strlen(whole_properties)) > 200000, count(whole_properties) FROM events",
    },
  });
  expect(body).toMatchObject({ results: [[true, count]] });
});

/** Waits until the archive has everything up to a sequence number. */
async function untilArchived(last: number): Promise<void> {
  const list = join(data, "archive", "archive.json");
  while (JSON.parse(readFileSync(list, "utf8")).last < last) await Bun.sleep(100);
}
