import { beforeEach, describe, expect, test } from "bun:test";
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import LZString from "lz-string";
import { BODY_BYTES_MAX } from "../../../src/core/capture/decode-body.ts";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

const OK = { status: 200, body: { status: "Ok" } };
const single = (fields: Record<string, unknown> = {}) => ({
  api_key: PROJECT_KEY,
  ...event(fields),
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
  app.ask("POST", "/i/v0/e/", { body, key: null, headers });

async function names(): Promise<string[]> {
  const { body } = await app.get("/events/");
  return (body as { results: { event: string }[] }).results.map((stored) => stored.event).sort();
}

const PATHS = ["/i/v0/ai/", "/i/v0/e/", "/e/", "/batch/", "/capture/", "/track/", "/engage/"];

describe.each(PATHS.flatMap((path) => [path, path.slice(0, -1)]))("POST %s", (path) => {
  test("stores one event and a batch (contract 4.5)", async () => {
    expect(await app.capture(single({ event: "one" }), path)).toMatchObject(OK);
    expect(
      await app.capture(batch(event({ event: "two" }), event({ event: "three" })), path),
    ).toMatchObject(OK);
    const inside = { token: app.token, distinct_id: "a" };
    expect(await app.capture([{ event: "four", properties: inside }], path)).toMatchObject(OK);

    expect(await names()).toEqual(["four", "one", "three", "two"]);
  });
});

describe("POST /engage/", () => {
  test("sets a person's properties without naming an event", async () => {
    const set = { $token: app.token, $distinct_id: "ann", $set: { plan: "pro" } };
    const form = `data=${encodeURIComponent(Buffer.from(JSON.stringify(set)).toString("base64"))}`;

    const answered = await app.ask("POST", "/engage/?ip=1&_=1795240041999", {
      key: null,
      body: form,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    await app.app.ingest.caughtUp();

    expect(answered).toMatchObject(OK);
    expect(await names()).toEqual(["$identify"]);
    const { body } = await app.get("/persons/?distinct_id=ann");
    expect(body).toMatchObject({ results: [{ properties: { plan: "pro" } }] });
  });
});

describe("values outside of the body", () => {
  test.each<[string, string, Record<string, string>]>([
    ["in the query as token", `/e/?token=${PROJECT_KEY}`, {}],
    ["as a Bearer token", "/e/", { authorization: `Bearer ${PROJECT_KEY}` }],
    ["as a Bearer token in any case", "/e/", { authorization: `bearer  ${PROJECT_KEY}` }],
  ])("is the project key %s", async (_case, path, headers) => {
    const answered = await app.ask("POST", path, { key: null, body: [event()], headers });
    expect(answered).toMatchObject(OK);
  });

  test("is the sender's clock, as `_` in milliseconds", async () => {
    const sentAt = app.clock.now + 3_600_000;
    const timestamp = new Date(sentAt - 1000).toISOString();

    await app.capture(single({ event: "corrected", timestamp }), `/e/?ip=0&_=${sentAt}`);
    await app.capture(single({ event: "in seconds", timestamp }), `/e/?_=${sentAt / 1000}`);

    const { body } = await app.get("/events/");
    const { results } = body as { results: { event: string; timestamp: string }[] };
    const times = Object.fromEntries(results.map((stored) => [stored.event, stored.timestamp]));
    expect(Date.parse(times["corrected"] ?? "")).toBe(app.clock.now - 1000);
    expect(Date.parse(times["in seconds"] ?? "")).toBe(sentAt - 1000);
  });
});

/** An event as it is sent with a project's key. */
const textOf = (token: string) => {
  const properties = { é: "🦔 + 1 & 2 = 3%" };
  return JSON.stringify({ ...single({ event: "packed", properties }), api_key: token });
};
const text = textOf(PROJECT_KEY);
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64");
const form = (data: string, rest = "") => `data=${encodeURIComponent(data)}${rest}`;
const lz64 = LZString.compressToBase64(text);
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const PLAIN = { "content-type": "text/plain" };
const encoded = (name: string) => ({ "content-encoding": name });

/** How the text of an event may travel: the query, the body and the headers. */
type Encoded = [what: string, string, string | Uint8Array, Record<string, string>];

function encodings(text: string): Encoded[] {
  const lz64 = LZString.compressToBase64(text);
  const thrice = brotliCompressSync(gzipSync(text));
  return [
    ["JSON", "", text, {}],
    ["JSON after a byte order mark", "", `\ufeff ${text}`, {}],
    ["JSON as text/plain", "", text, PLAIN],
    ["JSON as a form, as curl -d sends it", "", text, FORM],
    ["gzip without a header", "", gzipSync(text), {}],
    ["gzip as text/plain", "?compression=gzip-js", gzipSync(text), PLAIN],
    ["gzip with compression=gzip", "?compression=gzip", gzipSync(text), {}],
    ["gzip under another name", "", gzipSync(text), encoded("br")],
    ["JSON that says gzip", "", text, encoded("gzip")],
    ["gzip in gzip", "", gzipSync(gzipSync(text)), encoded("gzip")],
    ["Content-Encoding gzip", "", gzipSync(text), encoded("GZIP")],
    ["Content-Encoding deflate", "", deflateSync(text), encoded("deflate")],
    ["deflate without its header", "", deflateRawSync(text), encoded("deflate")],
    ["Content-Encoding br", "", brotliCompressSync(text), encoded("br")],
    ["Content-Encoding zstd", "", zstdCompressSync(text), encoded("zstd")],
    ["gzip in zstd", "", zstdCompressSync(gzipSync(text)), encoded("zstd")],
    ["br in gzip", "", gzipSync(brotliCompressSync(text)), encoded("br, gzip")],
    ["gzip in br in deflate", "", deflateSync(thrice), encoded("gzip,br , DEFLATE")],
    ["br of which gzip was undone", "", brotliCompressSync(text), encoded("br, gzip")],
    ["nothing, with a form in the query", `?${form(base64(text))}`, "", {}],
    ["nothing, with lz64 in the query", `?ip=1&compression=lz64&${form(lz64)}&_=1`, "", {}],
    ["base64", "?compression=base64", base64(text), {}],
    ["base64 without its name", "", base64(text), PLAIN],
    ["gzip in base64", "", base64(gzipSync(text)), {}],
    ["lz64", "?compression=lz64", lz64, {}],
    ["lz-string", "?compression=LZ-String", lz64, PLAIN],
    ["a form", "", form(base64(text)), FORM],
    ["a form without its type", "?compression=base64", form(base64(text)), {}],
    ["a form with plain plus signs", "", `data=${base64(text)}`, FORM],
    ["a form of JSON", "", form(text), FORM],
    ["a form of JSON with blanks as plus signs", "", form(text).replaceAll("%20", "+"), FORM],
    ["a form after other fields", "", `ip=1&_=1&${form(base64(text))}&ver=1`, FORM],
    ["a form of gzip in base64", "", form(base64(gzipSync(text)), "&compression=gzip"), FORM],
    ["a form of lz64", "", form(lz64, "&compression=lz64"), FORM],
    ["lz64 in a form", "?compression=lz64", form(lz64), FORM],
    ["an unknown compression", "?compression=zip", gzipSync(text), {}],
  ];
}

describe("a capture body", () => {
  test.each(encodings(text).map(([what]) => what))("may be %s", async (what) => {
    const all = encodings(textOf(app.token));
    const [, query, body, headers] = all.find(([name]) => name === what) as Encoded;

    const answered = await app.ask("POST", `/e/${query}`, { key: null, body, headers });
    await app.app.ingest.caughtUp();

    expect(answered).toMatchObject(OK);
    const { results } = (await app.get("/events/")).body as { results: object[] };
    expect(results).toMatchObject([{ properties: { é: "🦔 + 1 & 2 = 3%" } }]);
  });

  const gzip = gzipSync(text.repeat(9));
  const wide = `{${Array.from({ length: 10_001 }, (_, at) => `"key ${at}":1`).join()}}`;
  const asText = Buffer.from(gzip.toString("utf8"));
  const damaged = gzip.map((byte, at) => (at > 20 && at < 60 ? byte ^ 0x5a : byte));
  test.each<[string, string | Uint8Array, Record<string, string>, RegExp]>([
    ["gzip without its end", gzip.subarray(0, -9), {}, /The gzip of the body was cut short/],
    ["br without its end", brotliCompressSync(text).subarray(0, -5), encoded("br"), /br .* cut/],
    ["deflate without its end", deflateSync(text).subarray(0, -9), encoded("deflate"), /cut short/],
    ["zstd without its end", zstdCompressSync(text).subarray(0, -9), encoded("zstd"), /cut off/],
    ["gzip with changed bytes", damaged, encoded("gzip"), /The gzip of the body is damaged/],
    ["gzip that was read as text", asText, encoded("gzip"), /is gzip that was damaged: .* as text/],
    ["a page", "<!doctype html><p>502", {}, /is HTML or XML/],
    ["a form", "event=a&distinct_id=b", FORM, /is a form without the field `data`/],
    ["a multipart form", '--x\r\nContent-Disposition: form-data; name="a"', {}, /put its parts/],
    [
      "a deep event",
      `{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
      {},
      /deeper than 128 levels at byte 132\.$/,
    ],
    ["an event of many keys", wide, {}, /more than 10000 keys, one too many at byte 128,902\.$/],
    ["two batches", '{"batch":[{}],"batch":[{}]}', {}, /A second one begins at byte 22\.$/],
    ["a text", '"event"', {}, /is one text/],
    ["nothing", "", {}, /is empty/],
    ["bytes", Uint8Array.of(1, 2, 255), {}, /is binary/],
    ["lines", '{"event":"a"}\n{"event":"b"}\n', {}, /Byte 14: another value .* lines/],
    ["JSON without its end", gzipSync('{"event":"a'), encoded("gzip"), /ends early, at byte 11/],
    ["two lists", "[{}][{}]", {}, /Byte 4: another value/],
    ["lists without an end", '{"batch":[{"event":"a"},', {}, /ends early, at byte 24/],
  ])("that is %s is refused in a sentence that says it", async (_case, body, headers, says) => {
    const refused = await app.ask("POST", "/batch/", { key: null, body, headers });
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_payload" } });
    expect((refused.body as { detail: string }).detail).toMatch(says);
  });

  test("has one uuid in all its spellings, which finds the event as well", async () => {
    const uuid = Bun.randomUUIDv7();
    const plain = uuid.replaceAll("-", "");
    for (const spelling of [plain, `{${uuid.toUpperCase()}}`, uuid, `urn:uuid:${uuid}`]) {
      expect(await app.capture(batch(event({ uuid: spelling })))).toMatchObject(OK);
    }
    await app.app.ingest.caughtUp();

    for (const path of [`/events/?uuid=${plain}`, `/events/?uuid=%7B${uuid.toUpperCase()}%7D`]) {
      expect((await app.get(path)).body).toMatchObject({ count: 1, results: [{ uuid }] });
    }
    expect((await app.get(`/events/urn:uuid:${plain}/`)).body).toMatchObject({ uuid });
    const [person] = ((await app.get("/persons/")).body as { results: { uuid: string }[] }).results;
    const shown = await app.get(`/persons/${person?.uuid.replaceAll("-", "").toUpperCase()}/`);
    expect(shown.body).toMatchObject({ uuid: person?.uuid });
    expect((await app.get("/ingestion_warnings/")).body).toMatchObject({ results: [] });
  });

  test.each<[string, string, string | Uint8Array, Record<string, string>, number]>([
    ["of an unknown encoding", "", text, encoded("lz4"), 415],
    ["of an unknown encoding in br", "", brotliCompressSync(text), encoded("x, br"), 415],
    ["of four encodings", "", text, encoded("gzip, gzip, gzip, gzip"), 415],
    ["of broken encodings", "", gzipSync(text).subarray(2), encoded("gzip, br"), 400],
    ["of a form in the query that is no form", "?data=%zz", "", {}, 400],
    ["of nothing", "?data=", "", {}, 400],
    ["of broken br", "", "{}", encoded("br"), 400],
    ["of broken zstd", "", "{}", encoded("zstd"), 400],
    ["of broken deflate", "", "{}", encoded("deflate"), 400],
    ["of broken gzip", "", gzipSync(text).subarray(0, 40), {}, 400],
    ["of broken base64", "", "eyJ*", {}, 400],
    ["of broken lz64", "?compression=lz64", lz64.slice(0, -8), {}, 400],
    ["of lz64 without its name", "", lz64, {}, 400],
    ["of a form with broken escapes", "", "data=%zz", FORM, 400],
    ["of a form without data", "", "ip=1", FORM, 400],
    ["of base64 in base64 and so on", "", base64(base64(base64(base64(base64(text))))), {}, 400],
  ])("%s is refused", async (_case, query, body, headers, status) => {
    const refused = await app.ask("POST", `/e/${query}`, { key: null, body, headers });
    const code = status === 415 ? "unsupported_media_type" : "invalid_payload";
    expect(refused).toMatchObject({ status, body: { code } });
  });

  test("is gunzipped by its magic bytes, against its headers", async () => {
    const bytes = gzipSync(JSON.stringify({ ...single({ event: "zipped" }), api_key: app.token }));

    for (const headers of [
      {},
      encoded("gzip"),
      { "content-type": "text/plain" },
      { "content-type": "application/json", "content-encoding": "identity" },
    ]) {
      expect(await post(new Uint8Array(bytes), headers)).toMatchObject(OK);
    }
    await app.app.ingest.caughtUp();

    // Four deliveries of one uuid are one event.
    expect(await names()).toEqual(["zipped"]);
  });

  test("over 256 KiB, sent or inflated, is also decoded", async () => {
    const large = batch(
      ...Array.from({ length: 400 }, (_, n) =>
        event({ event: `e${n}`, properties: { pad: "x".repeat(1000) } }),
      ),
    );

    expect(await app.capture(large)).toMatchObject(OK);
    const zipped = gzipSync(
      JSON.stringify({
        api_key: app.token,
        batch: [event({ event: "z", properties: { pad: "y".repeat(300_000) } })],
      }),
    );
    expect(await post(new Uint8Array(zipped))).toMatchObject(OK);
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
    ["has properties that are a list", single({ properties: [1] }), 400, "invalid_payload"],
    ["has no key", event(), 401, "invalid_api_key"],
    ["has an unknown key", { ...single(), api_key: "phc_unknown" }, 401, "invalid_api_key"],
    ["has a personal key", { ...single(), api_key: PERSONAL_KEY }, 401, "invalid_api_key"],
  ])("that %s is refused", async (_case, body, status, code) => {
    const refused = await post(body, { origin: "https://site.example" });

    expect(refused).toMatchObject({ status, body: { code, detail: expect.any(String) } });
    expect(Object.keys(refused.body as object)).toEqual(["type", "code", "detail", "attr"]);
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://site.example");
    expect(refused.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    expect(await names()).toEqual([]);
  });

  test.each<[string, string | Uint8Array, Record<string, string>, number, string]>([
    [
      "lz4",
      "{}",
      { "content-encoding": "lz4" },
      415,
      "This Content-Encoding is not supported: one of gzip,",
    ],
    ["four codings", "{}", { "content-encoding": "br,br,br,br" }, 415, "lists 4 codings"],
    [
      "base64url",
      Buffer.from('{"a":"??>>~~"}').toString("base64url"),
      {},
      400,
      "is base64url; write it as base64",
    ],
  ])("in %s is refused by its name", async (_case, body, headers, status, detail) => {
    const refused = await post(body, headers);
    expect(refused.status).toBe(status);
    expect(refused.text).toContain(detail);
  });

  test("whose clock cannot be read says which times it left uncorrected", async () => {
    const at = { timestamp: "2026-11-21T11:00:00Z" };
    const ask = (query: string, more: object = {}) =>
      app.ask("POST", `/e/${query}`, {
        body: JSON.stringify({ ...event({ ...at, ...more }), api_key: app.token }),
        key: null,
      });
    for (const query of [
      "?_=1763726400",
      "?_=abc",
      `?_=${Date.parse("2026-11-21T12:00:00Z")}`,
      "?_=",
      "",
    ]) {
      expect((await ask(query)).status).toBe(200);
    }
    await ask("", { properties: { $ignore_sent_at: "true" } });
    await ask("", { properties: { $ignore_sent_at: false } });
    await app.app.ingest.caughtUp();

    const { body } = await app.get("/ingestion_warnings/");
    expect(body).toMatchObject({ results: [{ type: "ignored_invalid_sent_at", count: 3 }] });
  });

  test("with a byte that is no UTF-8 costs that text alone, and warns about its event", async () => {
    const events = ["before", "brok?en", "after"].map((name) => event({ event: name }));
    const bytes = Buffer.from(JSON.stringify({ api_key: app.token, batch: events }));
    bytes[bytes.indexOf("?")] = 0xff;

    expect(await post(new Uint8Array(bytes))).toMatchObject(OK);
    await app.app.ingest.caughtUp();

    expect(await names()).toEqual(["after", "before", "brok\ufffden"]);
    const { body } = await app.get("/ingestion_warnings/");
    expect(body).toMatchObject({ results: [{ type: "replaced_invalid_text", count: 1 }] });
  });

  test("of 20 MiB is taken and one byte more is refused, also streamed without a length", async () => {
    const event = single({ event: "large", properties: { pad: "" } });
    const text = JSON.stringify({ ...event, api_key: app.token });
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
    const taken = await post(exact);
    const refused = await post(over);
    const handle = app.app.http("http://127.0.0.1:8000");
    const cut = await handle(
      new Request("http://localhost/e/", { method: "POST", body: streamed(over) }),
    );

    expect(taken).toMatchObject(OK);
    expect(taken.headers.get("hoglet-dropped")).toBe("1");
    expect(refused).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    expect(cut.status).toBe(413);
  });

  test.each<[string, (bytes: Buffer) => Buffer, Record<string, string>]>([
    ["gzip", gzipSync, {}],
    ["br in gzip", (bytes) => gzipSync(brotliCompressSync(bytes)), encoded("br, gzip")],
  ])("that inflates from %s to more than 20 MiB is refused", async (_case, pack, headers) => {
    const bomb = pack(Buffer.alloc(BODY_BYTES_MAX + 1, " "));
    const refused = await post(new Uint8Array(bomb), headers);
    expect(refused).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });
});

describe("events that are not ingested (contract 7)", () => {
  test("are answered 200, counted in Hoglet-Dropped, and do their neighbours no harm", async () => {
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
    expect(await names()).toEqual(["kept", "kept too"]);
  });

  test("are answered 200 when sent alone", async () => {
    for (const body of [
      { api_key: PROJECT_KEY, distinct_id: "a" },
      { api_key: PROJECT_KEY, event: "e" },
      { api_key: PROJECT_KEY, event: "e", distinct_id: "" },
    ]) {
      const answered = await post(body);
      expect(answered).toMatchObject(OK);
      expect(answered.headers.get("hoglet-dropped")).toBe("1");
    }
  });
});

describe("CORS on capture and SDK paths", () => {
  test("reflects the origin with credentials, and preflights repeat the requested headers", async () => {
    const origin = { origin: "https://site.example" };

    const answered = await post(single(), origin);
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
    const answered = await app.get("/persons/", { headers: { origin: "https://site.example" } });
    expect(answered.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("comes with 405, which names the allowed methods", async () => {
    const refused = await app.ask("PUT", "/batch/", {
      key: null,
      headers: { origin: "https://x.y" },
    });
    expect(refused).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(refused.headers.get("allow")).toBe("POST, OPTIONS");
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://x.y");
  });
});

describe("requests of SDKs", () => {
  test("remote config is served for known keys only, and never echoed", async () => {
    const config = await app.ask("GET", `/array/${PROJECT_KEY}/config`, { key: null });
    const script = await app.ask("GET", `/array/${PROJECT_KEY}/config.js`, { key: null });
    const unknown = await app.ask("GET", "/array/phc_%3Cscript%3E/config.js", { key: null });

    expect(config).toMatchObject({
      status: 200,
      body: { supportedCompression: ["gzip", "gzip-js"] },
    });
    expect(config.body).not.toHaveProperty("surveys");
    expect(script.headers.get("content-type")).toContain("application/javascript");
    expect(script.headers.get("x-content-type-options")).toBe("nosniff");
    expect(script.body).toContain(`_POSTHOG_REMOTE_CONFIG["${app.token}"]`);
    expect(unknown.status).toBe(404);
    expect(JSON.stringify(unknown.body)).not.toContain("script>");
  });

  test("there are no feature flags, with config keys where asked", async () => {
    const flags = await app.ask("POST", "/flags/?v=2", { key: null, body: { token: PROJECT_KEY } });
    const both = await app.ask("POST", "/flags/?v=2&config=true", { key: null, body: "x" });
    expect(flags).toMatchObject({
      status: 200,
      body: { flags: {}, errorsWhileComputingFlags: false },
    });
    expect(both.body).toMatchObject({ flags: {}, analytics: { endpoint: "/i/v0/e/" } });
  });
});
