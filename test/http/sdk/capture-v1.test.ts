import { beforeEach, describe, expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { PostHog } from "posthog-node";
import type { Answered, TestProject } from "../../support/start/app.ts";
import { PROJECT_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const PATH = "/i/v1/analytics/events";
const NOW = "2026-11-21T12:00:00.000Z";
const HEADERS = {
  authorization: `Bearer ${PROJECT_KEY}`,
  "content-type": "application/json",
  "user-agent": "test/1",
  "posthog-sdk-info": "posthog-test/1.2.3",
  "posthog-attempt": "1",
  "posthog-request-id": "01a1fc95-120f-7ee5-8897-fbda3b3b14f6",
  "posthog-request-timestamp": NOW,
};

const newProject = sharedApp({ now: Date.parse(NOW) });
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

const event = (fields: Record<string, unknown> = {}) => ({
  event: "tested",
  uuid: Bun.randomUUIDv7(),
  distinct_id: "ann",
  timestamp: NOW,
  options: {},
  properties: {},
  ...fields,
});
const batch = (...events: unknown[]) => ({ created_at: NOW, batch: events });

async function post(body: unknown, headers: Record<string, string | null> = {}): Promise<Answered> {
  const all = Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== null);
  const given = Object.fromEntries(all) as Record<string, string>;
  const answered = await app.ask("POST", PATH, { key: null, body, headers: given });
  await app.app.ingest.caughtUp();
  return answered;
}

async function stored(): Promise<Record<string, unknown>[]> {
  const { body } = await app.get("/events/");
  return (body as { results: Record<string, unknown>[] }).results;
}

describe("the newer capture protocol", () => {
  test("reads `$set` of the event, and warns about unknown fields and options", async () => {
    const sent = [
      event({ $set: { plan: "pro" } }),
      event({ options: { unknown: 1 } }),
      event({ traits: { plan: "pro" } }),
    ];
    const { body } = await post(batch(...sent));
    const ignored = { result: "warning", details: "ignored_event_field" };
    const results = [{ result: "ok" }, ignored, ignored];
    expect(body).toEqual({
      results: Object.fromEntries(sent.map(({ uuid }, at) => [uuid, results[at]])),
    });
    const { body: persons } = await app.get("/persons/?distinct_id=ann");
    expect(persons).toMatchObject({ results: [{ properties: { plan: "pro" } }] });
  });

  test("stores events, with what their options and the SDK's header stand for", async () => {
    const full = event({
      uuid: "01A1FC95-120F-7EE5-8897-FBDA3B3B14F7",
      distinct_id: " ann ",
      session_id: "s",
      window_id: "w",
      options: {
        ...{ process_person_profile: "false", cookieless_mode: 0 },
        ...{ disable_skew_correction: true, product_tour_id: 7 },
      },
      properties: { plan: "pro", $lib: "other" },
    });

    const answered = await post(batch(full));

    const uuid = full.uuid.toLowerCase();
    const results = { [full.uuid]: { result: "ok" } };
    expect(answered).toMatchObject({ status: 200, body: { results } });
    const properties = {
      plan: "pro",
      $session_id: "s",
      $window_id: "w",
      $process_person_profile: false,
      $cookieless_mode: false,
      $ignore_sent_at: true,
      $product_tour_id: "7",
      $lib: "posthog-test",
      $lib_version: "1.2.3",
    };
    const found = await stored();
    expect(found).toMatchObject([{ uuid, event: "tested", distinct_id: "ann", properties }]);
    expect(found[0]?.["properties"]).toEqual(properties);
  });

  test("corrects times by the request's", async () => {
    const sent = "2026-11-21T13:00:00.000Z";
    const happened = "2026-11-21T12:59:00.000Z";
    await post(batch(event({ timestamp: happened })), { "posthog-request-timestamp": sent });
    expect(await stored()).toMatchObject([{ timestamp: "2026-11-21T11:59:00.000000Z" }]);
  });

  test("answers for each event, and drops only wrong events", async () => {
    const wrong: [Record<string, unknown>, string][] = [
      [{ event: "" }, "missing_event_name"],
      [{ event: 7 }, "missing_event_name"],
      [{ event: "e".repeat(201) }, "invalid_event_name"],
      [{ distinct_id: " " }, "missing_distinct_id"],
      [{ distinct_id: "🦔".repeat(201) }, "invalid_distinct_id"],
      [{ timestamp: "yesterday" }, "invalid_timestamp"],
      [{ timestamp: undefined }, "invalid_timestamp"],
      [{ properties: [1] }, "invalid_event"],
      [{ options: { cookieless_mode: "maybe" } }, "invalid_options"],
      [{ options: { product_tour_id: 1.5 } }, "invalid_options"],
      [{ options: [1] }, "invalid_options"],
    ];
    const dropped = wrong.map(([fields, details]) => ({ item: event(fields), details }));
    const kept = [event(), event({ distinct_id: "🦔".repeat(200) }), event({ options: null })];
    kept.push(event({ properties: [], options: [] }));
    const changed = event({ timestamp: "2026-12-24T00:00:00Z" });

    const answered = await post(batch(...dropped.map(({ item }) => item), ...kept, changed));

    expect(answered.status).toBe(200);
    expect(answered.headers.get("hoglet-dropped")).toBe(String(dropped.length));
    expect(answered.body).toEqual({
      results: Object.fromEntries([
        ...dropped.map(({ item, details }) => [item.uuid, { result: "drop", details }]),
        ...kept.map(({ uuid }) => [uuid, { result: "ok" }]),
        [changed.uuid, { result: "warning", details: "event_timestamp_in_future" }],
      ]),
    });
    const uuids = (await stored()).map(({ uuid }) => uuid);
    expect(uuids.sort()).toEqual([...kept, changed].map(({ uuid }) => uuid).sort());
  });

  const DEEP = `${"[".repeat(200)}${"]".repeat(200)}`;
  const textOf = (...items: unknown[]) =>
    JSON.stringify(batch(...items)).replaceAll('"deep"', DEEP);

  test("drops an event over a limit with a result, and keeps its neighbours", async () => {
    const deep = event({ uuid: "01A1FC95-120F-7EE5-8897-FBDA3B3B14F7", properties: { a: "deep" } });
    const [first, last] = [event(), event()];

    const answered = await post(textOf(first, deep, last));

    expect(answered.headers.get("hoglet-dropped")).toBe("1");
    expect(answered.body).toEqual({
      results: {
        [first.uuid]: { result: "ok" },
        [deep.uuid]: { result: "drop", details: "event_nested_too_deep" },
        [last.uuid]: { result: "ok" },
      },
    });
    const samples = [{ event_uuid: deep.uuid.toLowerCase(), distinct_id: "ann" }];
    expect((await app.get("/ingestion_warnings/")).body).toMatchObject({
      results: [{ type: "event_nested_too_deep", samples }],
    });
  });

  test.each(["gzip", "zstd"])("takes %s", async (encoding) => {
    const text = JSON.stringify(batch(event()));
    const body = encoding === "gzip" ? gzipSync(text) : zstdCompressSync(text);
    expect(await post(body, { "content-encoding": encoding })).toMatchObject({ status: 200 });
    expect(await stored()).toHaveLength(1);
  });

  test("answers for a wrong or repeated uuid alone, and for an item without one by its place", async () => {
    const [first, twice, mended] = [event(), event(), event()];
    const plain = Bun.randomUUIDv7();
    const spelled = event({ uuid: plain.replaceAll("-", "").toUpperCase() });
    const again = event({ uuid: `{${plain}}`, event: "another" });
    const long = "x".repeat(1000);
    const text = textOf(
      ...[first, twice, spelled, again, twice, event({ uuid: "x" }), event({ uuid: undefined })],
      ...[7, event({ uuid: long }), { uuid: "y", a: "deep" }, "deep"],
      ...[{ ...mended, distinct_id: "" }, mended],
    );

    const answered = await post(text);

    const replaced = { result: "warning", details: "replaced_invalid_uuid" };
    const dropped = (details: string) => ({ result: "drop", details });
    const repeated = "duplicate_uuid";
    expect(answered.body).toEqual({
      results: {
        [first.uuid]: { result: "ok" },
        [twice.uuid]: { result: "warning", details: repeated },
        [spelled.uuid]: { result: "ok" },
        [again.uuid]: dropped(repeated),
        x: replaced,
        "batch[6]": replaced,
        "batch[7]": dropped("invalid_event"),
        "batch[8]": replaced,
        y: dropped("event_nested_too_deep"),
        "batch[10]": dropped("event_nested_too_deep"),
        [mended.uuid]: { result: "warning", details: "missing_distinct_id" },
      },
    });
    expect(answered.headers.get("hoglet-dropped")).toBe("6");
    expect(await stored()).toHaveLength(7);
    const counted = (await app.get("/ingestion_warnings/")).body as { results: object[] };
    expect(counted.results).toContainEqual(expect.objectContaining({ type: repeated, count: 2 }));
  });

  test("takes NaN as null, with a warning as the result of its event", async () => {
    const [first, last] = [event(), event()];
    const odd = event({ properties: { ratio: "nan" } });
    const answered = await post(JSON.stringify(batch(first, odd, last)).replace('"nan"', "NaN"));
    expect(answered.body).toEqual({
      results: {
        [first.uuid]: { result: "ok" },
        [odd.uuid]: { result: "warning", details: "replaced_infinite_number" },
        [last.uuid]: { result: "ok" },
      },
    });
  });

  const keyed = { ...batch(event()), api_key: PROJECT_KEY };
  test.each<[string, unknown, Record<string, string | null>, number, string]>([
    ["no key", batch(event()), { authorization: null }, 401, "invalid_api_token"],
    ["an unknown key", batch(event()), { authorization: "Bearer phc_x" }, 401, "invalid_api_token"],
    ["a key in the body", keyed, { authorization: null }, 401, "invalid_api_token"],
    ["no attempt", batch(event()), { "posthog-attempt": null }, 400, "missing_required_headers"],
    ["attempt 0", batch(event()), { "posthog-attempt": "0" }, 400, "invalid_header_value"],
    ["a text as id", batch(event()), { "posthog-request-id": "x" }, 400, "invalid_header_value"],
    ["another type", batch(event()), { "content-type": "text/plain" }, 415, "unsupported_encoding"],
    [
      "another encoding",
      batch(event()),
      { "content-encoding": "lz4" },
      415,
      "unsupported_encoding",
    ],
    ["no JSON", "{", {}, 400, "invalid_batch"],
    ["no batch", { created_at: NOW }, {}, 400, "invalid_batch"],
    ["an empty batch", batch(), {}, 400, "invalid_batch"],
    ["no created_at", { batch: [event()] }, {}, 400, "invalid_batch"],
  ])("refuses a request with %s", async (_case, body, headers, status, error) => {
    const refused = await post(body, headers);
    expect(refused).toMatchObject({ status });
    const error_description = expect.any(String);
    expect(refused.body).toEqual({ error, error_description, error_uri: "/docs" });
    expect(await stored()).toEqual([]);
  });

  test("is what posthog-node speaks in that mode", async () => {
    const handle = app.app.http("http://127.0.0.1:8000");
    const paths = new Set<string>();
    const errors: unknown[] = [];
    process.env["POSTHOG_CAPTURE_MODE"] = "v1";
    const client = new PostHog(app.token, {
      host: "http://localhost:8000",
      async fetch(url, init) {
        paths.add(new URL(url).pathname);
        return handle(new Request(url, init as RequestInit));
      },
    });
    delete process.env["POSTHOG_CAPTURE_MODE"];
    client.on("error", (error: unknown) => errors.push(error));

    client.capture({ distinctId: "bob", event: "bought", properties: { $set: { plan: "pro" } } });
    client.identify({ distinctId: "bob", properties: { email: "bob@example.com" } });
    await client.shutdown();
    await app.app.ingest.caughtUp();

    expect(errors).toEqual([]);
    expect([...paths]).toEqual([PATH]);
    expect((await stored()).map(({ event: name }) => name).sort()).toEqual(["$identify", "bought"]);
    const { body } = await app.get("/persons/?distinct_id=bob");
    expect(body).toMatchObject({
      results: [{ properties: { plan: "pro", email: "bob@example.com" } }],
    });
  });
});
