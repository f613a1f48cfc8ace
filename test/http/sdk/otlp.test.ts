import { beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { BODY_BYTES_MAX } from "../../../src/core/capture/decode-body.ts";
import { LOGS_BYTES_MAX } from "../../../src/core/logs/logs.ts";
import { metricValue, parseMetrics } from "../../support/answers/prometheus.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { attributesOf, logsBody, storedLogs } from "../../support/data/logs.ts";
import { type TestProject, temporaryDirectory, testApp } from "../../support/start/app.ts";
import { PERSONAL_KEY, PROJECT_KEY, readLines } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

type Recorded = { sdk: string; path: string; url: string; body_b64: string } & {
  headers: Record<string, string>;
};

const JSON_TYPE = { "content-type": "application/json" };
const PROTOBUF = { "content-type": "application/x-protobuf" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const COMPRESSED = { "content-encoding": "compress" };
const BOMB = gzipSync(Buffer.alloc(BODY_BYTES_MAX + 1));

/** A request with one record that has this body. */
const said = (stringValue: string, resource: unknown = {}) =>
  logsBody([{ body: { stringValue } }], resource);

const post = (body: unknown, headers: Record<string, string> = JSON_TYPE) =>
  app.ask("POST", "/i/v1/logs", { body, key: app.token, headers });

/** Runs `work` with an appliance of its own, and returns the log records it has stored. */
async function storedAfter(work: () => Promise<void>) {
  using data = temporaryDirectory();
  {
    await using own = await testApp({ data: data.path });
    app = own;
    await work();
    await app.app.ingest.caughtUp();
  }
  return await storedLogs(data.path);
}

const bodies = (stored: { body: string }[]) => stored.map(({ body }) => body);

type Listed = { results: { type: string; severity: string; count: number; samples: object[] }[] };

/** The warnings of the project, by type. */
async function warned() {
  await app.app.ingest.caughtUp();
  const { body } = await app.get("/ingestion_warnings/");
  return Object.fromEntries(
    (body as Listed).results.map(({ type, severity, count, samples }) => {
      return [type, { severity, count, samples }];
    }),
  );
}

describe("POST /i/v1/logs", () => {
  test("stores each record with its resource and scope, in order", async () => {
    const resource = { attributes: attributesOf({ "service.name": "shop" }) };
    const records = [
      { timeUnixNano: "1795239893389123456", severityNumber: 17, body: { stringValue: "first" } },
      { attributes: attributesOf({ "user.id": "ann" }), body: { stringValue: "second" } },
    ];

    const stored = await storedAfter(async () => {
      const answer = await post(logsBody(records, resource, { name: "cart" }));
      expect(answer).toMatchObject({ status: 200, body: {} });
      expect(answer.headers.has("hoglet-dropped")).toBe(false);
    });

    expect(stored).toEqual([
      {
        project_id: 1,
        seq: 1,
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        timestamp: "2026-11-21 05:44:53.389123",
        observed_timestamp: "2026-11-21 12:00:00",
        ingested_at: "2026-11-21 12:00:00",
        trace_id: "",
        span_id: "",
        trace_flags: 0,
        severity_text: "",
        severity_number: 17,
        level: "error",
        service_name: "shop",
        event_name: "",
        body: "first",
        attributes: {},
        resource_attributes: { "service.name": "shop" },
        instrumentation_scope: { name: "cart" },
      },
      expect.objectContaining({
        seq: 2,
        timestamp: "2026-11-21 12:00:00",
        body: "second",
        attributes: { "user.id": "ann" },
        resource_attributes: { "service.name": "shop" },
      }),
    ]);
  });

  test("takes the key as bearer token or in the query, with or without a trailing slash", async () => {
    const stored = await storedAfter(async () => {
      const query = `?token=${PROJECT_KEY}`;
      const asked = [
        ["/i/v1/logs", PROJECT_KEY],
        ["/i/v1/logs/", PROJECT_KEY],
        [`/i/v1/logs${query}`, null],
        [`/i/v1/logs/${query}`, PROJECT_KEY],
      ] as const;
      for (const [path, key] of asked) {
        const answer = await app.ask("POST", path, { body: said(path), key });
        expect(answer.status).toBe(200);
      }
    });

    expect(stored.length).toBe(4);
  });

  test("takes what SDKs sent: OpenTelemetry's, posthog-js's and posthog-node's", async () => {
    const recorded = ["otel-logs", "posthog-node", "fixtures_min"]
      .flatMap((name) =>
        readLines<Recorded>(`${import.meta.dir}/../../fixtures/capture/${name}.jsonl`),
      )
      .filter(({ path }) => path === "/i/v1/logs");

    const stored = await storedAfter(async () => {
      for (const { url, headers, body_b64 } of recorded) {
        const body = new Uint8Array(Buffer.from(body_b64, "base64"));
        const answer = await app.ask("POST", url, { body, key: null, headers });
        expect(answer).toMatchObject({
          status: 200,
          body: headers["content-type"] === "application/x-protobuf" ? "" : {},
        });
      }
      await app.app.ingest.caughtUp();
      expect((await app.get("/ingestion_warnings/")).body).toMatchObject({ count: 0 });
    });

    const services = Map.groupBy(stored, ({ service_name }) => service_name);
    const counts = [...services].map(([name, logs]) => [name, logs.length]);
    expect(Object.fromEntries(counts)).toEqual({
      // Each of OpenTelemetry's requests holds one record.
      "demo-svc": recorded.filter(({ sdk }) => sdk === "otel-js").length,
      unknown_service: 3,
      "posthog-browser-logs": 2,
    });
    expect(services.get("demo-svc")).toContainEqual(
      expect.objectContaining({
        level: "error",
        body: "failed to do thing",
        instrumentation_scope: { name: "demo-scope", version: "0.1" },
        attributes: {
          "http.method": "GET",
          code: 500,
          ratio: 0.5,
          ok: true,
          list: ["a", "b"],
          obj: { k: 1 },
          posthogDistinctId: "user-1",
        },
      }),
    );
    expect(services.get("posthog-browser-logs")).toMatchObject([
      { level: "info", body: '"console log one"', attributes: { "log.source": "console.log" } },
      { level: "error", body: '"console err two" {"a":1}' },
    ]);
    expect(
      services
        .get("unknown_service")
        ?.map(({ level, body, attributes }) => [level, body, attributes]),
    ).toEqual([
      ["warn", "hello log", { a: 1, b: "x" }],
      ["info", "hi", {}],
      ["info", "x", {}],
    ]);
  });

  test("answers protobuf with an empty body of its type", async () => {
    const stored = await storedAfter(async () => {
      const answer = await post(new Uint8Array(), PROTOBUF);
      expect(answer).toMatchObject({ status: 200, body: "" });
      expect(answer.headers.get("content-type")).toBe("application/x-protobuf");
    });
    expect(stored).toEqual([]);
  });

  test("answers a page of any origin, and its preflight", async () => {
    const origin = "https://site.example";

    const asked = await app.ask("OPTIONS", "/i/v1/logs", {
      key: null,
      headers: { origin, "access-control-request-headers": "authorization,content-type" },
    });
    const answer = await post(said("x"), { origin, ...JSON_TYPE });
    const refused = await app.ask("POST", "/i/v1/logs", { key: null, headers: { origin } });
    const got = await app.ask("GET", "/i/v1/logs", { headers: { origin } });

    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toBe("authorization,content-type");
    expect([answer.status, refused.status, got.status]).toEqual([200, 401, 405]);
    expect(got.headers.get("allow")).toBe("POST, OPTIONS");
    for (const { headers } of [asked, answer, refused, got]) {
      expect(headers.get("access-control-allow-origin")).toBe(origin);
    }
  });

  test.each<[string, unknown, Record<string, string>, number, string]>([
    ["that is no JSON", "{", JSON_TYPE, 400, "invalid_payload"],
    ["that is empty", "", JSON_TYPE, 400, "invalid_payload"],
    ["that is no object", "[]", JSON_TYPE, 400, "invalid_payload"],
    ["nested 129 deep", "[".repeat(129), JSON_TYPE, 400, "invalid_payload"],
    ["of records that are no list", logsBody({} as never), JSON_TYPE, 400, "invalid_payload"],
    ["that is no protobuf", new Uint8Array([0x0a, 0xff]), PROTOBUF, 400, "invalid_payload"],
    ["of JSON as protobuf", '{"resourceLogs":[]}', PROTOBUF, 400, "invalid_payload"],
    ["that is broken gzip", new Uint8Array([0x1f, 0x8b, 8]), PROTOBUF, 400, "invalid_payload"],
    ["of a form without JSON", "data=x", FORM, 400, "invalid_payload"],
    ["of XML", "<a/>", { "content-type": "text/xml" }, 415, "unsupported_media_type"],
    ["packed otherwise", "x", { ...JSON_TYPE, ...COMPRESSED }, 415, "unsupported_media_type"],
    ["over 20 MiB", " ".repeat(BODY_BYTES_MAX + 1), JSON_TYPE, 413, "payload_too_large"],
    ["over 20 MiB inflated", BOMB, PROTOBUF, 413, "payload_too_large"],
  ])("refuses a body %s", async (_case, body, headers, status, code) => {
    const refused = await post(body, headers);

    expect(refused).toMatchObject({ status, body: { code } });
    expect(Object.keys(refused.body as object)).toEqual(["type", "code", "detail", "attr"]);
  });

  test.each<[string, string | null, string]>([
    ["no key", null, ""],
    ["an unknown key", "phc_unknown", ""],
    ["a personal key", PERSONAL_KEY, ""],
    ["an unknown token", null, "?token=phc_unknown"],
    ["two different keys", PROJECT_KEY, "?token=phc_other"],
    ["an empty token", null, "?token="],
  ])("refuses %s before it reads the body", async (_case, key, query) => {
    const refused = await app.ask("POST", `/i/v1/logs${query}`, { body: "{", key });

    expect(refused).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  });
});

describe("a record that cannot be taken", () => {
  const large = (bytes: number) => ({ body: { stringValue: "x".repeat(bytes) } });

  test("is rejected alone and counted", async () => {
    const stored = await storedAfter(async () => {
      const records = [large(1_048_576), { body: { stringValue: "kept" } }, 7, null];
      const answer = await post(logsBody(records));
      expect(answer).toMatchObject({
        status: 200,
        body: { partialSuccess: { rejectedLogRecords: "3", errorMessage: expect.any(String) } },
      });
      expect(answer.text).toContain("larger than 1 MiB");
      expect(answer.text).toContain("not an object");
      expect(answer.text).not.toContain("64 MiB");
      expect(await post(logsBody([7]))).toMatchObject({
        body: { partialSuccess: { errorMessage: expect.not.stringContaining("1 MiB") } },
      });
      expect(answer.headers.get("hoglet-dropped")).toBe("3");
    });
    expect(bodies(stored)).toEqual(["kept"]);
  });

  test("is counted in protobuf for protobuf", async () => {
    const stored = await storedAfter(async () => {
      // A request of one record whose severity text is 1 MiB long.
      const text = Buffer.alloc(1_048_576, 0x78);
      const wrap = (tag: number, inner: Buffer) => {
        const length = [];
        for (let rest = inner.length; ; rest >>>= 7) {
          length.push(rest > 127 ? (rest & 127) | 128 : rest);
          if (rest <= 127) break;
        }
        return Buffer.concat([Buffer.from([tag, ...length]), inner]);
      };
      const request = wrap(0x0a, wrap(0x12, wrap(0x12, wrap(0x1a, text))));

      const answer = await post(new Uint8Array(request), PROTOBUF);

      expect(answer.status).toBe(200);
      expect(String(answer.body)).toStartWith("\n");
      expect(String(answer.body)).toContain("1 MiB");
      expect(answer.headers.get("hoglet-dropped")).toBe("1");
    });
    expect(stored).toEqual([]);
  });

  test("is one of thousands that would repeat a large resource, and is counted", async () => {
    const attributes = attributesOf({ pad: "x".repeat(1_000_000) });
    const records = Array.from({ length: 100 }, (_, n) => ({ body: { intValue: n } }));

    const stored = await storedAfter(async () => {
      const answer = await post(logsBody(records, { attributes }));
      const kept = Math.floor(LOGS_BYTES_MAX / 1_000_400);
      expect(answer.body).toMatchObject({
        partialSuccess: { rejectedLogRecords: String(100 - kept) },
      });
      expect(await warned()).toMatchObject({ log_request_too_large: { count: 100 - kept } });
    });

    expect(bodies(stored)).toEqual(bodies(stored).map((_, n) => String(n)));
    expect(stored.length).toBe(Math.floor(LOGS_BYTES_MAX / 1_000_400));
  });
});

describe("nothing of log records vanishes silently:", () => {
  const sample = (count: number, distinct_id: string | null = null, event_uuid: unknown = null) => {
    return [{ at: "2026-11-21T12:00:00.000000Z", count, event_uuid, distinct_id }];
  };
  const large = "x".repeat(1_048_576);
  const changed = [
    { body: { stringValue: "a\u0000b" }, attributes: attributesOf({ posthogDistinctId: "ann" }) },
    { body: "no value of OTLP" },
    { timeUnixNano: "soon", body: "no value of OTLP" },
    { body: { intValue: 2 ** 60 } },
    { body: { stringValue: "as it was sent" } },
  ];

  test("rejected and changed records give a warning for each reason, and a metric", async () => {
    const stored = await storedAfter(async () => {
      const lost = [7, { body: { stringValue: large } }, null];
      const answer = await post(logsBody([...changed, ...lost]));
      expect(answer.headers.get("hoglet-dropped")).toBe("3");

      const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
      const once = sample(1, null, uuid);
      const warning = { severity: "warning", count: 1, samples: once };
      expect(await warned()).toEqual({
        invalid_log_record: { severity: "error", count: 2, samples: sample(2) },
        log_record_too_large: { severity: "error", count: 1, samples: sample(1) },
        replaced_invalid_log_text: { ...warning, samples: sample(1, "ann", uuid) },
        ignored_invalid_log_field: { ...warning, count: 2, samples: [...once, ...once] },
        ignored_invalid_log_time: warning,
        changed_log_number: warning,
      });

      const metrics = parseMetrics(String((await app.ask("GET", "/metrics")).body));
      const of = (reason: string) => ({ project_id: "1", reason });
      const value = (name: string, reason: string) => metricValue(metrics, name, of(reason));
      expect(value("hoglet_logs_dropped_total", "invalid_log_record")).toBe(2);
      expect(value("hoglet_logs_dropped_total", "log_record_too_large")).toBe(1);
      expect(value("hoglet_logs_changed_total", "ignored_invalid_log_field")).toBe(2);
      expect(metrics.get("hoglet_events_dropped_total")?.samples).toEqual([]);
      expect(metrics.get("hoglet_events_changed_total")?.samples).toEqual([]);
    });
    expect(bodies(stored)).toEqual(["a\ufffdb", "", "", String(2 ** 60), "as it was sent"]);
  });

  test("one record that is nested too deep is dropped, and the others are stored", async () => {
    let deep: unknown = { stringValue: "deep" };
    for (let depth = 0; depth < 65; depth++) deep = { arrayValue: { values: [deep] } };
    const stored = await storedAfter(async () => {
      const records = [
        { body: { stringValue: "first" } },
        { body: deep },
        { body: { intValue: 2 } },
      ];
      const answer = await post(logsBody(records));
      expect(answer).toMatchObject({
        status: 200,
        body: { partialSuccess: { rejectedLogRecords: "1" } },
      });
      expect(await warned()).toEqual({
        invalid_log_record: { severity: "error", count: 1, samples: sample(1) },
      });
    });
    expect(bodies(stored)).toEqual(["first", "2"]);
  });

  test("a warning names the uuid under which the record is stored", async () => {
    let named: unknown;
    const [stored] = await storedAfter(async () => {
      await post(logsBody([{ severityNumber: 99 }]));
      [named] = (await warned())["ignored_invalid_log_field"]?.samples ?? [];
    });
    expect(named).toMatchObject({ event_uuid: stored?.uuid });
  });

  test("a changed resource is reported for each of its records", async () => {
    const resource = { attributes: attributesOf({ "service.name": "a\u0000b" }) };
    await post(logsBody([{}, {}, {}], resource));
    expect(await warned()).toMatchObject({ replaced_invalid_log_text: { count: 3 } });
  });

  test("records that are as they were sent leave no warning", async () => {
    await post(logsBody([{ body: { stringValue: "fine" }, timeUnixNano: "0" }]));
    expect(await warned()).toEqual({});
  });
});

describe("log records on their way", () => {
  test("are also decoded when they are many, sent or inflated", async () => {
    const records = Array.from({ length: 4000 }, (_, n) => ({
      body: { stringValue: `line ${n} ${"y".repeat(60)}` },
    }));

    const stored = await storedAfter(async () => {
      const text = JSON.stringify(logsBody(records));
      expect((await post(text)).status).toBe(200);
      expect((await post(new Uint8Array(gzipSync(text)))).status).toBe(200);
    });

    expect(stored.length).toBe(8000);
    expect(stored[7999]?.body).toStartWith("line 3999 ");
    expect(new Set(stored.map(({ uuid }) => uuid)).size).toBe(8000);
  });

  test("harm no others: NUL, lone surrogates, deep and odd ones are stored with the rest", async () => {
    let deep: unknown = { stringValue: "deep" };
    for (let depth = 0; depth < 29; depth++) deep = { arrayValue: { values: [deep] } };
    const odd = [
      { body: { stringValue: "a\u0000b\ud800c" } },
      {
        attributes: [
          { key: "\u0000", value: deep },
          { key: "\ufffd", value: { intValue: 1 } },
        ],
      },
      { attributes: attributesOf({ "": "e", "a.b": "c", 'q"\\': "\n\u2028" }) },
      { traceId: "\u0000", timeUnixNano: "18446744073709551615", flags: 2 ** 32 - 1 },
      { timeUnixNano: 1, observedTimeUnixNano: 1e300, severityNumber: 1e9 },
    ];

    const stored = await storedAfter(async () => {
      expect(await post(logsBody(odd))).toMatchObject({ status: 200, body: {} });
      expect(await post(said("after"))).toMatchObject({ status: 200 });
    });

    expect(stored.length).toBe(6);
    expect(stored[0]?.body).toBe("a\ufffdb\ufffdc");
    expect(stored[2]?.attributes).toEqual({ "": "e", "a.b": "c", 'q"\\': "\n\u2028" });
    expect(stored[3]).toMatchObject({ trace_id: "\ufffd", trace_flags: 255 });
    expect(stored[5]?.body).toBe("after");
  });

  test("and events take turns, and neither is taken for the other", async () => {
    const stored = await storedAfter(async () => {
      for (let n = 0; n < 10; n++) {
        await post(said(`log ${n}`));
        const body = batch(event({ event: `event ${n}` }));
        await app.ask("POST", "/batch/", { body, key: null });
      }
      await app.app.ingest.caughtUp();
      expect((await app.get("/events/?limit=1")).body).toMatchObject({ count: 10 });
      expect((await app.get("/persons/")).body).toMatchObject({ count: 1 });
    });

    expect(bodies(stored)).toEqual(Array.from({ length: 10 }, (_, n) => `log ${n}`));
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, n) => 2 * n + 1));
  });

  test("are the same ones when the event store is made again from the journal", async () => {
    using data = temporaryDirectory();
    {
      await using own = await testApp({ data: data.path });
      app = own;
      await app.capture(batch(event()));
      for (const body of ["one", "two"]) await post(said(body));
      await app.app.ingest.caughtUp();
    }
    const before = await storedLogs(data.path);

    rmSync(join(data.path, "events"), { recursive: true });
    {
      await using own = await testApp({ data: data.path });
      app = own;
      await app.app.ingest.caughtUp();
      expect((await app.get("/events/")).body).toMatchObject({ count: 1 });
    }

    expect(bodies(before)).toEqual(["one", "two"]);
    expect(await storedLogs(data.path)).toEqual(before);
  });
});

/** A field of protobuf that holds bytes. */
const field = (number: number, ...parts: number[][]) => {
  const bytes = parts.flat();
  return [number * 8 + 2, bytes.length, ...bytes];
};

/** Three spans of two scopes. */
const SPANS = {
  json: { resourceSpans: [{ scopeSpans: [{ spans: [{}, { name: "b" }] }, { spans: [{}] }] }] },
  protobuf: field(1, field(2, field(2), field(2, field(5, [98]))), field(2, field(2))),
};

/** Three points: two of a sum and one of a gauge. */
const POINTS = {
  json: {
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              { name: "m", sum: { dataPoints: [{}, {}] } },
              { gauge: { dataPoints: [{}] } },
            ],
          },
        ],
      },
    ],
  },
  protobuf: field(
    1,
    field(2, field(2, field(7, field(1), field(1))), field(2, field(5, field(1)))),
  ),
};

/** Bodies without the list that a path takes, and what the refusal calls what stands there. */
const OTHERS: [object | null, string][] = [
  [{ resourceThings: [] }, "`resourceThings`"],
  [{ resource_spans: [{}], resource_metrics: [{}] }, "`resource_spans`"],
  [{ batch: [{ event: "x" }] }, "`batch`"],
  [{ event: "x", distinct_id: "ann" }, "`event`"],
  [[1], "a list"],
];

describe.each([
  ["logs", "resourceLogs"],
  ["metrics", "resourceMetrics"],
  ["traces", "resourceSpans"],
])("/i/v1/%s", (signal, list) => {
  const ask = (body: string | Uint8Array, headers: Record<string, string>) =>
    app.ask("POST", `/i/v1/${signal}?token=${PROJECT_KEY}`, { body, key: null, headers });

  test.each(OTHERS)("refuses %j, and says what stands there", async (body, found) => {
    const answer = await ask(JSON.stringify(body), JSON_TYPE);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_payload", attr: list } });
    expect(answer.text).toContain(`not ${found}`);
  });

  test.each([
    [{ scope_things: [{}] }, "`scope_things`"],
    [7, "7"],
  ])("refuses %j in its list", async (item, found) => {
    const answer = await ask(JSON.stringify({ [list]: [item] }), JSON_TYPE);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`not ${found}`);
  });

  test("says which form a body has that its content type does not name", async () => {
    const json = await ask(JSON.stringify({ [list]: [] }), PROTOBUF);
    expect(json).toMatchObject({ status: 400 });
    expect(json.text).toContain("looks like JSON");
    const protobuf = await ask(Uint8Array.from(field(1, field(2, field(2)))), JSON_TYPE);
    expect(protobuf).toMatchObject({ status: 400 });
    expect(protobuf.text).toContain("looks like protobuf");
  });
});

test("points of a kind that is not known are refused, not passed over", async () => {
  const metrics = [{ name: "m", exponential_histogram: { data_points: [{}] } }];
  const body = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] });
  const path = `/i/v1/metrics?token=${PROJECT_KEY}`;
  const answer = await app.ask("POST", path, { body, key: null, headers: JSON_TYPE });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain("`exponential_histogram`");
});

describe.each([
  ["/i/v1/metrics", "rejectedDataPoints", POINTS],
  ["/i/v1/traces", "rejectedSpans", SPANS],
  ["/i/v0/ai/otel", "rejectedSpans", SPANS],
] as const)("POST %s", (path, count, sent) => {
  test("checks the key, stores nothing, and says how much it rejects", async () => {
    const stored = await storedAfter(async () => {
      const ask = (body: unknown, headers: Record<string, string> = {}) =>
        app.ask("POST", `${path}/?token=${PROJECT_KEY}`, { body, key: null, headers });
      const json = await ask(JSON.stringify(sent.json), JSON_TYPE);
      const zipped = gzipSync(JSON.stringify(sent.json));
      const errorMessage = expect.stringContaining("Hoglet keeps no ");

      for (const { status, body, headers } of [json, await ask(zipped, JSON_TYPE)]) {
        expect([status, body]).toEqual([200, { partialSuccess: { [count]: "3", errorMessage } }]);
        expect(headers.get("hoglet-dropped")).toBe("3");
      }
      const protobuf = await ask(Uint8Array.from(sent.protobuf), PROTOBUF);
      expect(protobuf.status).toBe(200);
      expect(protobuf.headers.get("content-type")).toBe("application/x-protobuf");
      expect(protobuf.headers.get("hoglet-dropped")).toBe("3");
      expect(protobuf.text).toContain("Hoglet keeps no ");
      expect(await ask("{}", JSON_TYPE)).toMatchObject({ status: 200, body: {} });
      expect(await ask(new Uint8Array(), PROTOBUF)).toMatchObject({ status: 200, body: "" });
      expect((await ask(new Uint8Array([1]), PROTOBUF)).status).toBe(400);
      expect((await ask("{", JSON_TYPE)).status).toBe(400);
      const refused = await app.ask("POST", path, { body: said("x"), key: "phc_unknown" });
      expect(refused.status).toBe(401);
    });
    expect(stored).toEqual([]);
  });
});
