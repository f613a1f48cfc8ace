import { describe, expect, test } from "bun:test";
import type { Log } from "../../../src/core/ports/log.ts";
import { failureOf } from "../../../src/http/answer/errors.ts";
import { OPERATIONS } from "../../support/answers/operations.ts";
import { openPersonStore } from "../../support/answers/sqlite.ts";
import { testApp } from "../../support/start/app.ts";
import { openConnection } from "../../support/start/connection.ts";
import { PERSONAL_KEY, PROJECT_KEY, startServer } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";
import { sharedServer } from "../../support/start/shared-server.ts";

const newProject = sharedApp();

const ORIGIN = "https://site.example";

/** A text that is sent and must not come back. */
const ECHO = "zebra-7351";

type Sent = { body?: string | Uint8Array; headers?: Record<string, string>; key?: string | null };

const JSON_TYPE = { "content-type": "application/json" };
const SPLIT = "/api/environments/1/persons/1/split/";
const LONG = "x".repeat(1_048_576);

/** Type and code of each error that a caller can make (design of the envelope). */
const NOT_FOUND = [404, "invalid_request", "not_found"] as const;
const NOT_ALLOWED = [405, "invalid_request", "method_not_allowed"] as const;
const INVALID = [400, "validation_error", "invalid_input"] as const;
const NO_CHOICE = [400, "validation_error", "invalid_choice"] as const;
const NO_JSON = [400, "invalid_request", "parse_error"] as const;
const NO_PAYLOAD = [400, "validation_error", "invalid_payload"] as const;
const TOO_LARGE = [413, "invalid_request", "payload_too_large"] as const;
const OTHER_TYPE = [415, "invalid_request", "unsupported_media_type"] as const;

type Wanted = readonly [status: number, type: string, code: string];

type Case = [name: string, request: string, wanted: Wanted, sent?: Sent];

/** Each error on each kind of path: management, capture, docs, health. */
const CASES: Case[] = [
  ["an unknown route", "GET /", NOT_FOUND],
  ["an unknown route of the API", `GET /api/${ECHO}/`, NOT_FOUND, { key: null }],
  ["an unknown route of a project", `POST /api/environments/1/${ECHO}/`, NOT_FOUND],
  ["an unknown page of the docs", `GET /docs/${ECHO}`, NOT_FOUND],
  ["an unknown check", `GET /_health/${ECHO}`, NOT_FOUND],
  ["an unknown route of capture", `POST /i/v0/${ECHO}/`, NOT_FOUND],
  ["an unknown route of SDKs", `GET /array/phc_x/${ECHO}`, NOT_FOUND],
  ["the config of an unknown project", `GET /array/phc_${ECHO}/config`, NOT_FOUND],
  ["the script of an unknown project", `GET /array/phc_${ECHO}/config.js`, NOT_FOUND],
  ["a script that is not there", `GET /static/${ECHO}.js`, NOT_FOUND],
  ["an unknown project", `GET /api/environments/${ECHO}/persons/`, NOT_FOUND],
  ["an unknown project and a bad body", `PATCH /api/projects/${ECHO}/`, NOT_FOUND, { body: "{" }],
  ["an object that is not there", "GET /api/environments/1/persons/7351/", NOT_FOUND],
  ["a wrong method", "PUT /api/projects/", NOT_ALLOWED, { key: null }],
  ["a wrong method on metrics", "POST /metrics", NOT_ALLOWED],
  ["a wrong method on capture", "GET /i/v0/e/", NOT_ALLOWED],
  ["a wrong method on the docs", "POST /docs", NOT_ALLOWED],
  ["a wrong method on a script", "POST /docs/start.js", NOT_ALLOWED],
  ["a wrong method on the document", "DELETE /openapi.json", NOT_ALLOWED],
  ["a wrong method on health", "POST /_health", NOT_ALLOWED],
  ["a rare method", "PROPFIND /api/projects/", NOT_ALLOWED],
  ["a rare method on capture", "PROPFIND /batch/", NOT_ALLOWED],
  ["a rare method on a script", "PURGE /static/array.js", NOT_ALLOWED],
  ["a rare method on health", "PROPFIND /_readiness", NOT_ALLOWED],
  ["bad JSON", `POST ${SPLIT}`, NO_JSON, { headers: JSON_TYPE, body: `{"${ECHO}` }],
  ["bad UTF-8", `POST ${SPLIT}`, NO_JSON, { headers: JSON_TYPE, body: Buffer.of(123, 255, 125) }],
  ["bad JSON on capture", "POST /batch/", NO_PAYLOAD, { body: `{"${ECHO}` }],
  ["a list", `POST ${SPLIT}`, INVALID, { headers: JSON_TYPE, body: `["${ECHO}"]` }],
  ["a wrong type", "POST /api/projects/", INVALID, { headers: JSON_TYPE, body: '{"name":7351}' }],
  ["a wrong parameter", `GET /api/projects/?limit=${ECHO}`, INVALID],
  ["a wrong choice", `GET /api/environments/1/persons/?format=${ECHO}`, NO_CHOICE],
  ["a bad address", "GET /api/environments/1/persons/%zz/", INVALID],
  ["a bad address on SDKs' paths", "GET /array/%zz/config", INVALID],
  ["NUL in an address on SDKs' paths", "GET /static/%00.js", INVALID],
  ["a long body", `POST ${SPLIT}`, TOO_LARGE, { headers: JSON_TYPE, body: `"${ECHO}${LONG}"` }],
  ["a long body on capture", "POST /e/", TOO_LARGE, { body: `"${ECHO}${LONG.repeat(20)}"` }],
  ["text", `POST ${SPLIT}`, OTHER_TYPE, { headers: { "content-type": ECHO }, body: "{}" }],
  ...["utf-16", '"UTF-16LE"', "iso-8859-1", "zebra-7351", ""].map((charset): Case => {
    const headers = { "content-type": `application/json; charset=${charset}` };
    return [`the charset ${charset}`, `POST ${SPLIT}`, OTHER_TYPE, { headers, body: "{}" }];
  }),
  [
    "an encoding of the API",
    `POST ${SPLIT}`,
    OTHER_TYPE,
    { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body: "{}" },
  ],
  ["an encoding", "POST /e/", OTHER_TYPE, { headers: { "content-encoding": ECHO }, body: "{}" }],
  [
    "an unknown project key",
    "POST /i/v0/e/",
    [401, "authentication_error", "invalid_api_key"],
    { body: `{"api_key":"phc_${ECHO}","event":"e","distinct_id":"a"}` },
  ],
];

describe("an error", () => {
  test.each(CASES)("for %s has the envelope and nothing else (%s)", async (...row) => {
    const [, asked, [status, type, code], { headers = {}, ...sent } = {}] = row;
    const [method = "", path = ""] = asked.split(" ");
    const app = await newProject();

    const answered = await app.ask(method, path, {
      ...sent,
      headers: { ...headers, origin: ORIGIN },
    });

    const envelope = answered.body as Record<string, unknown>;
    expect([answered.status, envelope["type"], envelope["code"]]).toEqual([status, type, code]);
    expect(Object.keys(envelope)).toEqual(["type", "code", "detail", "attr"]);
    expect(answered.headers.get("content-type")).toStartWith("application/json");
    expect(answered.headers.get("x-request-id")).toMatch(/^[0-9a-z]+-[0-9a-z]+$/);
    expect(answered.headers.has("allow")).toBe(status === 405);
    expect(answered.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    const isOfSdk = /^\/(array|batch|e|i|static)\//.test(path);
    expect(answered.headers.get("access-control-allow-origin")).toBe(isOfSdk ? ORIGIN : null);
    const all = JSON.stringify([envelope, ...answered.headers.values()]);
    for (const leak of [ECHO, "7351", "/src/", "node_modules", "SELECT", "   at ", app.directory]) {
      expect(all).not.toContain(leak);
    }
  });

  test("is the same wherever an address is not valid percent-encoding, but for strangers", async () => {
    const app = await newProject();
    const wanted = { type: "validation_error", code: "invalid_input", attr: null };
    const asked = OPERATIONS.flatMap(([method, path]) =>
      [...path.matchAll(/:\w+/g)].flatMap(([name]) =>
        ["%zz", "%", "%00", "1%00", "%ff", "%ed%a0%80"].map((part) => {
          const bad = path.replace(name, part).replaceAll(/:\w+/g, "1");
          return [method, bad] as const;
        }),
      ),
    );
    expect(asked.length).toBeGreaterThan(300);
    for (const [method, path] of asked) {
      const { status, body } = await app.ask(method, path);
      expect([method, path, status, body]).toMatchObject([method, path, 400, wanted]);
      expect([path, (await app.ask(method, path, { key: null })).status]).toEqual([path, 401]);
    }
  });

  let strangers = 0;
  test.each([
    [SPLIT, { headers: JSON_TYPE, body: "{" }],
    [SPLIT, { headers: JSON_TYPE, body: LONG }],
    [SPLIT, { headers: { "content-type": "text/plain" }, body: "x" }],
    ["/api/environments/1/persons/%zz/split/", {}],
    ["/api/environments/%zz/persons/1/split/", {}],
    ["/api/environments/999/persons/1/split/", {}],
    ["/api/projects/", { headers: JSON_TYPE, body: '{"name":5}' }],
    ["/api/personal_api_keys/x/roll/", {}],
  ])("tells a stranger nothing but that he is one: %s", async (path, asked) => {
    const app = await newProject();
    // Wrong keys of an address are forgotten after a minute.
    app.clock.now += 60_000 * ++strangers;
    for (const [key, code] of [
      [null, "not_authenticated"],
      ["phx_wrong", "authentication_failed"],
      [PROJECT_KEY, "authentication_failed"],
    ] as const) {
      const refused = await app.ask("POST", path, { ...asked, key });
      expect(refused).toMatchObject({ status: 401, body: { type: "authentication_error", code } });
      expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("of the server has only a request id; the log has its cause", async () => {
    await using server = await startServer();
    const sqlite = openPersonStore(server.data);
    sqlite.run(`ALTER TABLE person_count RENAME TO "${ECHO}"`);
    sqlite.close();

    const answered = await fetch(`${server.url}/api/environments/1/persons/`, {
      headers: { authorization: `Bearer ${PERSONAL_KEY}` },
    });

    const id = answered.headers.get("x-request-id") ?? "";
    expect(answered.status).toBe(500);
    expect(await answered.json()).toEqual({
      type: "server_error",
      code: "error",
      detail: `A server error occurred. Request id: ${id}.`,
      attr: null,
    });
    const lines = server
      .output()
      .err.split("\n")
      .filter((line) => line.includes(id));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "error", request_id: id, error: expect.stringContaining("person_count") },
      { level: "error", request_id: id, status: 500, route: "/api/environments/*/persons" },
    ]);
  });

  test.each(["utf-8", '"UTF-8"', "us-ascii"])("does not come for a body in %s", async (charset) => {
    const app = await newProject();
    const headers = { "content-type": `application/json;profile=x; Charset=${charset}` };
    const made = await app.ask("POST", "/api/projects/", { body: '{"name":"Ü"}', headers });
    expect(made).toMatchObject({ status: 201, body: { name: "Ü" } });
  });

  test("that passes has a Retry-After header, also on health", async () => {
    await using app = await testApp();
    app.app.drain();
    const { status, headers } = await app.ask("GET", "/_readiness", { key: null });
    expect([status, Number(headers.get("retry-after")) > 0]).toEqual([503, true]);
  });
});

describe("a request without a usable Host", () => {
  const server = sharedServer();

  test.each(["[", "a b", "", ":80", "a/b", "a@b", "localhost:99999"])(
    "is refused: %p",
    async (host) => {
      using connection = await openConnection(server.url);
      connection.write(`GET /api/projects/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

      const answered = await connection.until("}");

      expect(answered).toStartWith("HTTP/1.1 400");
      expect(answered).toContain('"code":"invalid_input"');
      expect(answered).toMatch(/^x-request-id: /im);
    },
  );

  test("without any Host is answered as HTTP/1.0", async () => {
    using reading = await openConnection(server.url);
    reading.write("GET /api/projects/?limit=1 HTTP/1.0\r\n\r\n");
    const refused = await reading.until("}");
    using sending = await openConnection(server.url);
    const body = JSON.stringify({ api_key: PROJECT_KEY, event: "old", distinct_id: "a" });
    sending.write(`POST /i/v0/e/ HTTP/1.0\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const captured = await sending.until("}");

    expect(refused).toStartWith("HTTP/1.1 401");
    expect(refused).toMatch(/^x-request-id: /im);
    expect(captured).toContain('{"status":"Ok"}');
    await server.stored(1);
  });
});

describe("with format=txt", () => {
  const path = "/api/environments/1/max_tools/create_and_query_insight/?format=txt";

  test("a failure is a sentence, with the status that it has as JSON", async () => {
    const app = await newProject();
    for (const [key, status, text] of [
      [PERSONAL_KEY, 400, /^This field is required\.\n$/],
      ["phx_unknown", 401, /^[A-Z][^{]*\.\n$/],
    ] as const) {
      const {
        status: given,
        headers,
        text: shown,
      } = await app.ask("POST", path, { body: {}, key });
      expect([given, headers.get("content-type")]).toEqual([status, "text/plain; charset=utf-8"]);
      expect(shown).toMatch(text);
    }
  });

  test("questions that are offered have a line each", async () => {
    const app = await newProject();
    const { status, text } = await app.ask("POST", path, { body: { query: 'why is it "so"?' } });
    expect(status).toBe(400);
    const [sentence, empty, offers, ...lines] = text.trimEnd().split("\n");
    expect([sentence?.endsWith("."), empty, offers]).toEqual([true, "", "You can ask:"]);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(/^ {2}[^";]+$/);
  });
});

test("a lack of descriptors is 503, and no bug", () => {
  const lines: string[] = [];
  const note = (message: string) => lines.push(message);
  const log = { debug: note, info: note, warn: note, error: note } as unknown as Log;

  const failure = failureOf(new Error("EMFILE: too many open files, open '/a'"), "id", log);

  expect(failure).toMatchObject({ code: "unavailable" });
  expect(lines).toEqual(["no descriptor is free; request refused"]);
});
