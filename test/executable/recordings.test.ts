import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { addElementsChain } from "../../src/core/capture/elements.ts";
import { addExceptionLists } from "../../src/core/capture/exceptions.ts";
import type { JsonObject } from "../../src/core/values/json.ts";
import { readLines, type Server, type StoredEvent, startServer } from "../support/start/server.ts";

type Recorded = {
  sdk: string;
  method: string;
  url: string;
  path: string;
  headers: Record<string, string>;
  body_b64?: string;
};
type Json = Record<string, unknown>;
type Item = Json & { event: string; uuid?: string; properties: Json };

/** A recorded request, the answer to it, and the times between which the server had it. */
type Replayed = { recorded: Recorded; answer: Response; text: string; from: number; to: number };

/** An event as it has to be stored. Its time lies between two, since it depends on the arrival. */
type Expected = Omit<StoredEvent, "uuid" | "person_id" | "timestamp"> & {
  uuid: string | undefined;
  times: [number, number];
};

/** The last repeats much of the others, as a client does that resends. */
const RECORDINGS = [
  "posthog-node",
  "posthog-js-lite",
  "posthog-js-1.449.2",
  "posthog-js-scenarios",
  "posthog-js-1.57.4-scenarios",
  "fixtures_min",
];
const FUTURE_MS_MAX = 23 * 3_600_000;

const all = RECORDINGS.flatMap((name) =>
  readLines<Recorded>(`${import.meta.dir}/../fixtures/capture/${name}.jsonl`),
);
const CAPTURE_PATHS = ["/e/", "/i/v0/e/", "/batch/", "/engage/", "/i/v0/ai/batch/"];
const onCapturePaths = all.filter(({ path }) => CAPTURE_PATHS.includes(path));
const preflights = onCapturePaths.filter(({ method }) => method === "OPTIONS");
const captures = onCapturePaths.filter(({ method }) => method === "POST");

/** Old posthog-js, and beacons without gzip, send a form with base64 in `data`. */
const isForm = (recorded: Recorded) => bodyOf(recorded).toString("latin1", 0, 5) === "data=";

/** What SDKs ask before and beside they capture. */
const lookups = all.filter(({ path }) => /^\/(flags|decide|array|static|api|s)\//.test(path));

function bodyOf({ body_b64 = "" }: Recorded): Buffer {
  return Buffer.from(body_b64, "base64");
}

/** The events of a request and when it says it was sent, decoded without the product's code. */
function decode(recorded: Recorded): { items: Item[]; sentAt: number | undefined } {
  const query = new URL(recorded.url, "http://localhost").searchParams;
  const json = JSON.parse(textOf(recorded));
  const items: Item[] = Array.isArray(json) ? json : (json.batch ?? [json]);
  const sentAt = json.sent_at === undefined ? Number(query.get("_")) : Date.parse(json.sent_at);
  return { items: items.map(named), sentAt: sentAt || undefined };
}

function textOf(recorded: Recorded): string {
  const body = bodyOf(recorded);
  if (body[0] === 0x1f) return gunzipSync(body).toString();
  if (!isForm(recorded)) return body.toString();
  const data = new URLSearchParams(body.toString()).get("data") ?? "";
  return Buffer.from(data, "base64").toString();
}

/** What `people.set` sends to /engage/ has no name and no properties. */
function named(item: Item): Item {
  return { ...item, event: item.event ?? "$identify", properties: item.properties ?? {} };
}

async function replay(server: Server, recorded: Recorded): Promise<Replayed> {
  const from = Date.now();
  const answer = await fetch(`${server.url}${recorded.url}`, {
    method: recorded.method,
    headers: recorded.headers,
    ...(recorded.body_b64 ? { body: bodyOf(recorded) } : {}),
  });
  const text = await answer.text();
  return { recorded, answer, text, from, to: Date.now() };
}

/** Waits until everything that was sent before is stored: events are applied in order. */
async function settled(server: Server, marker: string): Promise<void> {
  await server.capture({ api_key: "phc_testproject", event: marker, distinct_id: "marker" });
  await server.stored(1, `&event=${marker}`);
}

/** Every event that the requests hold: once by its uuid, without one as often as it was sent. */
function expectedOf(replayed: Replayed[]): Expected[] {
  const known = new Set<string>();
  return replayed.flatMap(({ recorded, from, to }) => {
    const { items, sentAt } = decode(recorded);
    const fresh = items.filter(({ uuid }) => uuid === undefined || !known.has(uuid));
    for (const { uuid } of fresh) if (uuid !== undefined) known.add(uuid);
    return fresh.map((item) => ({
      uuid: item.uuid,
      event: item.event,
      distinct_id: String(
        item["distinct_id"] ?? item["$distinct_id"] ?? item.properties["distinct_id"],
      ),
      properties: withAdditions(item.event, {
        ...item.properties,
        ...(item["$set"] === undefined ? {} : { $set: item["$set"] }),
        ...(item["$set_once"] === undefined ? {} : { $set_once: item["$set_once"] }),
      }),
      times: [timeOf(item, sentAt, from), timeOf(item, sentAt, to)],
    }));
  });
}

/** The properties with those that the server adds without knowing the sender; they have tests of their own. */
function withAdditions(name: string, properties: Json): Json {
  const sent = { ...properties } as JsonObject;
  const event = { uuid: "", event: name, distinct_id: "", timestamp: "", properties: sent };
  addExceptionLists(event);
  addElementsChain(event);
  return event.properties;
}

/** When an event that arrived at `now` happened, by the rules of decision 12. */
function timeOf(item: Item, sentAt: number | undefined, now: number): number {
  if (typeof item["offset"] === "number") return now - item["offset"];
  if (item["timestamp"] === undefined) return now;
  const time = Date.parse(String(item["timestamp"])) - (sentAt === undefined ? 0 : sentAt - now);
  return time > now + FUTURE_MS_MAX ? now : time;
}

/** Text that equal events have in common, whatever the order of their keys. */
function keyOf({ event, distinct_id, properties }: Omit<Expected, "uuid" | "times">): string {
  return JSON.stringify({ event, distinct_id, properties }, (_key, value) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Stored events beside the expected ones: by uuid, or those that came without in their order. */
function paired(
  stored: StoredEvent[],
  expected: Expected[],
): [StoredEvent | undefined, Expected][] {
  const byUuid = new Map(stored.map((event) => [event.uuid, event]));
  const named = new Set(expected.map(({ uuid }) => uuid));
  const unnamed = stored.filter(({ uuid }) => !named.has(uuid));
  const waiting = Map.groupBy(
    unnamed.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1)),
    keyOf,
  );
  return expected.map((event) => [
    event.uuid === undefined ? waiting.get(keyOf(event))?.shift() : byUuid.get(event.uuid),
    event,
  ]);
}

let server: Server;
let replayed: Replayed[];
let stored: StoredEvent[];
let expected: Expected[];

beforeAll(async () => {
  server = await startServer();
  replayed = [];
  for (const recorded of captures) replayed.push(await replay(server, recorded));
  await settled(server, "replayed once");
  stored = (await server.events()).filter(({ distinct_id }) => distinct_id !== "marker");
  expected = expectedOf(replayed);
});

afterAll(() => server?.[Symbol.asyncDispose]());

describe("recorded capture requests", () => {
  test("are plain, gzip and forms", () => {
    const packed = Map.groupBy(captures, (recorded) => {
      if (isForm(recorded)) return "form";
      return bodyOf(recorded)[0] === 0x1f ? "gzip" : "plain";
    });

    expect([...packed.keys()].sort()).toEqual(["form", "gzip", "plain"]);
    expect(packed.get("form")?.some(({ path }) => path === "/engage/")).toBe(true);
    expect(preflights).toHaveLength(6);
  });

  test("are all replayed, with the look-ups", () => {
    const paths = new Set(all.map(({ path }) => path));
    const replayedPaths = [...onCapturePaths, ...lookups].map(({ path }) => path);

    expect(captures).toHaveLength(113);
    expect([...paths.difference(new Set(replayedPaths))].sort()).toEqual([
      "/i/v1/analytics/events",
      "/i/v1/logs",
      "/i/v1/metrics",
      "/i/v1/traces",
    ]);
  });

  test("are answered with 200 and the status Ok", () => {
    const answers = replayed.map(({ answer, text }) => ({
      status: answer.status,
      type: answer.headers.get("content-type"),
      dropped: answer.headers.get("hoglet-dropped"),
      text,
    }));

    const ok = { status: 200, type: "application/json", dropped: null, text: `{"status":"Ok"}` };
    expect(answers).toEqual(answers.map(() => ok));
  });

  test("let the page of their origin read the answer", () => {
    const fromPages = replayed.filter(({ recorded }) => recorded.headers["origin"] !== undefined);

    expect(fromPages.length).toBeGreaterThan(50);
    for (const { recorded, answer } of fromPages) expectCors(answer, recorded.headers["origin"]);
  });

  test("have each of their events stored once", () => {
    const uuids = expected.flatMap(({ uuid }) => uuid ?? []);

    expect(stored).toHaveLength(expected.length);
    expect(new Set(stored.map(({ uuid }) => uuid)).size).toBe(stored.length);
    expect(stored.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(uuids));
  });

  test("have the name, distinct id and properties of each event stored as they were sent", () => {
    for (const [event, { event: name, distinct_id, properties }] of paired(stored, expected)) {
      expect(event).toMatchObject({ event: name, distinct_id });
      expect(event?.properties).toEqual(properties);
    }
  });

  test("have the time of each event put right by the clock of the server", () => {
    for (const [event, { times }] of paired(stored, expected)) {
      const time = Date.parse(event?.timestamp ?? "");
      const [from, to] = [Math.min(...times), Math.max(...times)];

      expect(time).toBeGreaterThanOrEqual(from - 1);
      expect(time).toBeLessThanOrEqual(to + 1);
    }
  });

  test("change nothing when they are sent again, but for events without a uuid", async () => {
    const sentAgain = captures.filter((recorded) =>
      decode(recorded).items.every(({ uuid }) => uuid !== undefined),
    );

    for (const recorded of sentAgain) await replay(server, recorded);

    await settled(server, "replayed twice");
    const events = await server.events();
    expect(events.filter(({ distinct_id }) => distinct_id !== "marker")).toEqual(stored);
  });
});

describe("persons of recorded events", () => {
  const personsOf = (distinctId: string) =>
    server.get<{ count: number; results: { uuid: string; properties: Json }[] }>(
      `/persons/?distinct_id=${encodeURIComponent(distinctId)}`,
    );

  test("have what $identify sets", async () => {
    const sets = new Map<string, Json>();
    for (const { event, distinct_id, properties } of expected) {
      if (event !== "$identify") continue;
      sets.set(distinct_id, { ...sets.get(distinct_id), ...(properties["$set"] as Json) });
    }

    expect(sets.size).toBeGreaterThanOrEqual(3);
    for (const [distinctId, set] of sets) {
      const { results } = await personsOf(distinctId);
      expect(results).toHaveLength(1);
      expect(results[0]?.properties).toMatchObject(set);
    }
  });

  test("own their events", async () => {
    const [person] = (await personsOf("user-1")).results;

    const own = await server.events(`&person_id=${person?.uuid}`);

    const sent = stored.filter(({ distinct_id }) => distinct_id === "user-1");
    expect(own.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(sent.map((e) => e.uuid)));
  });

  test("are not made by anonymous visitors", async () => {
    const identified = new Set(
      expected.flatMap(({ distinct_id, properties }) => [
        ...(properties["$process_person_profile"] === false ? [] : [distinct_id]),
        properties["$anon_distinct_id"],
        properties["alias"],
      ]),
    );
    const visitors = new Set(expected.map(({ distinct_id }) => distinct_id)).difference(identified);

    expect(visitors.size).toBeGreaterThanOrEqual(3);
    for (const visitor of visitors) expect((await personsOf(visitor)).count).toBe(0);
  });
});

describe("recorded forms that name no event", () => {
  test("give the person what they set", async () => {
    const sets = new Map<string, Json>();
    for (const recorded of captures.filter(({ path }) => path === "/engage/")) {
      const { answer } = await replay(server, recorded);
      const { $distinct_id: distinctId, $set } = JSON.parse(textOf(recorded));
      sets.set(distinctId, { ...sets.get(distinctId), ...$set });
      expect(answer.status).toBe(200);
      expectCors(answer, recorded.headers["origin"]);
    }
    await settled(server, "engaged");

    for (const [distinctId, set] of sets) {
      const query = `distinct_id=${encodeURIComponent(distinctId)}`;
      const { results } = await server.get<{ results: object[] }>(`/persons/?${query}`);
      expect(results).toMatchObject([{ properties: set }]);
    }
  });
});

describe("recorded look-ups", () => {
  const flags = { flags: {}, featureFlags: {}, featureFlagPayloads: {} };
  const config = { supportedCompression: ["gzip", "gzip-js"], analytics: { endpoint: "/i/v0/e/" } };
  const notFound = { code: "not_found" };
  /** What each path is answered with: all of it is in `body`, or the script in it begins so. */
  const answers: [path: RegExp, status: number, body: object | string][] = [
    [/^\/flags\/$/, 200, { ...flags, errorsWhileComputingFlags: false }],
    [/^\/decide\/$/, 200, { ...flags, ...config }],
    [/^\/flags\/definitions$/, 200, { flags: [], group_type_mapping: {}, cohorts: {} }],
    [/^\/array\/phc_testproject\/config$/, 200, config],
    [/^\/array\/phc_testproject\/config\.js$/, 200, "(function(){"],
    [/^\/static\/array\.js$/, 200, "!function("],
    [/^\/static\/(1\.449\.2\/)?surveys\.js$/, 404, notFound],
    [/^\/api\/surveys\/$/, 200, { surveys: [] }],
    [/^\/api\/early_access_features\/$/, 200, { earlyAccessFeatures: [] }],
    [/^\/api\/web_experiments\/$/, 200, { experiments: [] }],
    [/^\/api\/product_tours\/$/, 200, { product_tours: [] }],
    [/^\/api\/projects\/@current\/feature_flags\/rc\/remote_config$/, 404, notFound],
    [/^\/s\/$/, 200, { status: "Ok" }],
  ];

  test("are all answered in the shape of their kind, readable by the page", async () => {
    const asked = new Set<RegExp>();
    for (const recorded of lookups) {
      const [path, status, body] = answers.find(([form]) => form.test(recorded.path)) ?? [];
      const { answer, text } = await replay(server, recorded);

      expect([recorded.path, answer.status]).toEqual([recorded.path, status ?? 0]);
      if (typeof body === "string") expect(text.slice(0, body.length)).toBe(body);
      else expect(JSON.parse(text)).toMatchObject(body ?? {});
      const { origin } = recorded.headers;
      if (origin !== undefined) expectCors(answer, origin);
      if (path !== undefined) asked.add(path);
    }

    expect([...asked].sort()).toEqual(answers.map(([path]) => path).sort());
  });

  test("store nothing", async () => {
    const before = (await server.get<{ count: number }>("/events/?limit=1")).count;

    for (const recorded of lookups) await replay(server, recorded);
    await settled(server, "looked up");

    expect((await server.get<{ count: number }>("/events/?limit=1")).count).toBe(before + 1);
  });
});

describe("recorded preflights", () => {
  test("are allowed what they ask for", async () => {
    for (const recorded of preflights) {
      const { answer, text } = await replay(server, recorded);

      expect([answer.status, text]).toEqual([204, ""]);
      expectCors(answer, recorded.headers["origin"]);
      const { headers } = answer;
      expect(list(headers.get("access-control-allow-methods"))).toContain("post");
      expect(list(headers.get("access-control-allow-headers"))).toEqual(
        expect.arrayContaining(list(recorded.headers["access-control-request-headers"])),
      );
      expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
    }
  });
});

describe("refused capture requests", () => {
  const body = { api_key: "phc_testproject", event: "refused", distinct_id: "a" };
  test.each([
    ["an unknown key", 401, { body: JSON.stringify({ ...body, api_key: "phc_unknown" }) }],
    ["no key", 401, { body: JSON.stringify({ ...body, api_key: undefined }) }],
    ["broken JSON", 400, { body: JSON.stringify(body).slice(1) }],
    ["broken gzip", 400, { body: new Uint8Array([0x1f, 0x8b, 1, 2, 3]) }],
    ["nothing", 400, { body: "" }],
    ["a body over the limit", 413, { body: new Uint8Array(20_971_521) }],
    ["another method", 405, { method: "GET" }],
  ])("answer %s with an error that the page may read", async (_case, status, init) => {
    for (const path of ["/e/", "/i/v0/e/", "/batch/"]) {
      const answer = await fetch(server.url + path, {
        method: "POST",
        ...init,
        headers: { origin: "http://localhost:41563" },
      });

      expect(answer.status).toBe(status);
      expectCors(answer, "http://localhost:41563");
      const problem = { type: expect.any(String), code: expect.any(String) };
      expect(await answer.json()).toMatchObject({ ...problem, detail: expect.any(String) });
    }
  });
});

/** What posthog-js needs in every answer, also of an error, or it sends again what was stored. */
function expectCors({ headers }: Response, origin: string | undefined): void {
  expect(headers.get("access-control-allow-origin")).toBe(origin ?? "");
  expect(headers.get("access-control-allow-credentials")).toBe("true");
  expect(list(headers.get("access-control-expose-headers"))).toContain("retry-after");
  expect(list(headers.get("vary"))).toContain("origin");
}

function list(header: string | null | undefined): string[] {
  return (header ?? "").split(",").map((name) => name.trim().toLowerCase());
}
