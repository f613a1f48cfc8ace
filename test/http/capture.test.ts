import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { BODY_BYTES_MAX } from "../../src/services/admission.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { batch, event } from "../support/make.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/server.ts";

const OK = { status: 200, body: { status: "Ok" } };
const single = (fields: Record<string, unknown> = {}) => ({
  api_key: PROJECT_KEY,
  ...event(fields),
});

const post = (app: TestApp, body: unknown, headers: Record<string, string> = {}) =>
  app.ask("POST", "/i/v0/e/", { body, key: null, headers });

async function names(app: TestApp): Promise<string[]> {
  const { body } = await app.get("/events/");
  return (body as { results: { event: string }[] }).results.map((stored) => stored.event).sort();
}

describe.each(["/i/v0/e/", "/i/v0/e", "/e/", "/batch/", "/batch"])("POST %s", (path) => {
  test("stores one event and a batch (contract 4.5)", async () => {
    await using app = await testApp();

    expect(await app.capture(single({ event: "one" }), path)).toMatchObject(OK);
    expect(
      await app.capture(batch(event({ event: "two" }), event({ event: "three" })), path),
    ).toMatchObject(OK);

    expect(await names(app)).toEqual(["one", "three", "two"]);
  });
});

describe("a capture body", () => {
  test("is gunzipped by its magic bytes, whatever the headers say", async () => {
    await using app = await testApp();
    const bytes = gzipSync(JSON.stringify(single({ event: "zipped" })));

    for (const headers of [
      {},
      { "content-encoding": "gzip" },
      { "content-type": "text/plain" },
      { "content-type": "application/json", "content-encoding": "identity" },
    ]) {
      expect(await post(app, new Uint8Array(bytes), headers)).toMatchObject(OK);
    }
    await app.app.ingest.caughtUp();

    // Four deliveries of one uuid are one event.
    expect(await names(app)).toEqual(["zipped"]);
  });

  test("over 256 KiB, sent or inflated, is decoded all the same", async () => {
    await using app = await testApp();
    const large = batch(
      ...Array.from({ length: 400 }, (_, n) =>
        event({ event: `e${n}`, properties: { pad: "x".repeat(1000) } }),
      ),
    );

    expect(await app.capture(large)).toMatchObject(OK);
    const zipped = gzipSync(
      JSON.stringify({
        ...large,
        batch: [event({ event: "z", properties: { pad: "y".repeat(300_000) } })],
      }),
    );
    expect(await post(app, new Uint8Array(zipped))).toMatchObject(OK);
    await app.app.ingest.caughtUp();

    expect((await app.get("/events/?limit=1")).body).toMatchObject({ count: 401 });
  });

  test.each<[string, unknown, number, string]>([
    ["is no JSON", "{", 400, "invalid_payload"],
    ["is empty", "", 400, "invalid_payload"],
    ["is no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400, "invalid_payload"],
    ["is broken gzip", new Uint8Array([0x1f, 0x8b, 8, 0, 0]), 400, "invalid_payload"],
    ["is nested 129 deep", "[".repeat(129), 400, "invalid_payload"],
    ["has an empty batch", batch(), 400, "invalid_payload"],
    ["has a name that is a number", single({ event: 7 }), 400, "invalid_payload"],
    ["has properties that are a list", single({ properties: [] }), 400, "invalid_payload"],
    ["has no key", event(), 401, "invalid_api_key"],
    ["has an unknown key", { ...single(), api_key: "phc_unknown" }, 401, "invalid_api_key"],
    ["has a personal key", { ...single(), api_key: PERSONAL_KEY }, 401, "invalid_api_key"],
  ])("that %s is refused", async (_case, body, status, code) => {
    await using app = await testApp();

    const refused = await post(app, body, { origin: "https://site.example" });

    expect(refused).toMatchObject({ status, body: { code, detail: expect.any(String) } });
    expect(Object.keys(refused.body as object)).toEqual(["type", "code", "detail", "attr"]);
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://site.example");
    expect(refused.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    expect(await names(app)).toEqual([]);
  });

  test("of 20 MiB is taken and one byte more is refused, also streamed without a length", async () => {
    await using app = await testApp();
    const text = JSON.stringify(single({ event: "large", properties: { pad: "" } }));
    // The event itself is over its own limit and dropped; the body is not refused.
    const exact = text.replace('"pad":""', `"pad":"${"x".repeat(BODY_BYTES_MAX - text.length)}"`);
    const over = exact.replace('"pad":"', '"pad":"x');
    const streamed = (body: string) =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(body));
          controller.close();
        },
      });

    expect(exact.length).toBe(BODY_BYTES_MAX);
    const taken = await post(app, exact);
    const refused = await post(app, over);
    const handle = app.app.http("http://127.0.0.1:8000");
    const cut = await handle(
      new Request("http://localhost/e/", { method: "POST", body: streamed(over) }),
    );

    expect(taken).toMatchObject(OK);
    expect(taken.headers.get("hoglet-dropped")).toBe("1");
    expect(refused).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    expect(cut.status).toBe(413);
  });

  test("that inflates to more than 20 MiB is refused", async () => {
    await using app = await testApp();
    const bomb = gzipSync(Buffer.alloc(BODY_BYTES_MAX + 1, " "));
    expect(await post(app, new Uint8Array(bomb))).toMatchObject({ status: 413 });
  });
});

describe("events that are not ingested (contract 7)", () => {
  test("are answered 200, counted in Hoglet-Dropped, and do their neighbours no harm", async () => {
    await using app = await testApp();

    const answered = await app.capture(
      batch(
        event({ event: "kept" }),
        { distinct_id: "a" },
        { event: "e" },
        { event: "e", distinct_id: "" },
        "no object",
        event({ event: "kept too" }),
      ),
    );

    expect(answered).toMatchObject(OK);
    expect(answered.headers.get("hoglet-dropped")).toBe("4");
    expect(await names(app)).toEqual(["kept", "kept too"]);
  });

  test("are answered 200 when sent alone", async () => {
    await using app = await testApp();

    for (const body of [
      { api_key: PROJECT_KEY, distinct_id: "a" },
      { api_key: PROJECT_KEY, event: "e" },
      { api_key: PROJECT_KEY, event: "e", distinct_id: "" },
    ]) {
      const answered = await post(app, body);
      expect(answered).toMatchObject(OK);
      expect(answered.headers.get("hoglet-dropped")).toBe("1");
    }
  });
});

describe("CORS on capture and SDK paths", () => {
  test("reflects the origin with credentials, and preflights name what was asked", async () => {
    await using app = await testApp();
    const origin = { origin: "https://site.example" };

    const answered = await post(app, single(), origin);
    const preflight = await app.ask("OPTIONS", "/e/?ip=0", {
      key: null,
      headers: {
        ...origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-posthog-session-id",
      },
    });

    expect(answered.headers.get("access-control-allow-origin")).toBe("https://site.example");
    expect(answered.headers.get("access-control-allow-credentials")).toBe("true");
    expect(answered.headers.get("access-control-expose-headers")).toContain("Retry-After");
    expect(answered.headers.get("vary")).toContain("Origin");
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe(
      "content-type,x-posthog-session-id",
    );
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
  });

  test("is absent from the management API", async () => {
    await using app = await testApp();
    const answered = await app.get("/persons/", { headers: { origin: "https://site.example" } });
    expect(answered.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("goes with 405, which names what is allowed", async () => {
    await using app = await testApp();
    const refused = await app.ask("PUT", "/batch/", {
      key: null,
      headers: { origin: "https://x.y" },
    });
    expect(refused).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(refused.headers.get("allow")).toBe("POST, OPTIONS");
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://x.y");
  });
});

describe("what SDKs ask for", () => {
  test("remote config is served for known keys only, and never echoed", async () => {
    await using app = await testApp();

    const config = await app.ask("GET", `/array/${PROJECT_KEY}/config`, { key: null });
    const script = await app.ask("GET", `/array/${PROJECT_KEY}/config.js`, { key: null });
    const unknown = await app.ask("GET", "/array/phc_%3Cscript%3E/config.js", { key: null });

    expect(config).toMatchObject({
      status: 200,
      body: { supportedCompression: ["gzip", "gzip-js"] },
    });
    expect(config.body).not.toHaveProperty("surveys");
    expect(script.headers.get("content-type")).toContain("application/javascript");
    expect(script.body).toContain(`_POSTHOG_REMOTE_CONFIG["${PROJECT_KEY}"]`);
    expect(unknown.status).toBe(404);
    expect(JSON.stringify(unknown.body)).not.toContain("script>");
  });

  test("there are no feature flags, with config keys where asked", async () => {
    await using app = await testApp();
    const flags = await app.ask("POST", "/flags/?v=2", { key: null, body: { token: PROJECT_KEY } });
    const both = await app.ask("POST", "/flags/?v=2&config=true", { key: null, body: "x" });
    expect(flags).toMatchObject({
      status: 200,
      body: { flags: {}, errorsWhileComputingFlags: false },
    });
    expect(both.body).toMatchObject({ flags: {}, analytics: { endpoint: "/i/v0/e/" } });
  });
});
