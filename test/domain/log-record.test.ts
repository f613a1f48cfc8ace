import { describe, expect, test } from "bun:test";
import {
  LOG_LEVELS,
  type LogGroup,
  type LogRecord,
  logGroups,
  recordJson,
  resourceJson,
  scopeJson,
} from "../../src/domain/log-record.ts";
import { attributesOf, logsBody } from "../support/logs.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const UUID = "01a1fc9a-592b-78b3-8d80-aa75992efae9";
const ARRIVAL = { now: NOW, newUuid: () => UUID };
const ARRIVED = "2026-11-21T12:00:00.000000Z";

type Json = Parameters<typeof recordJson>[0];

/** What a record alone is stored as. */
function stored(record: Json): LogRecord {
  return JSON.parse(`{${recordJson(record, ARRIVAL)},${resourceJson(null)},${scopeJson(null)}}`);
}

/** What a value of OTLP is stored as, in an attribute. */
function plain(value: Json) {
  return stored({ attributes: [{ key: "k", value }] }).attributes["k"];
}

describe("a log record", () => {
  test("has every field, empty where nothing was sent", () => {
    expect(stored({})).toEqual({
      uuid: UUID,
      timestamp: ARRIVED,
      observed_timestamp: ARRIVED,
      trace_id: "",
      span_id: "",
      trace_flags: 0,
      severity_text: "",
      severity_number: 0,
      level: "info",
      event_name: "",
      body: "",
      attributes: {},
      service_name: "",
      resource_attributes: {},
      instrumentation_scope: {},
    });
  });

  test("is what was sent", () => {
    const record = {
      timeUnixNano: "1795239893389123456",
      observedTimeUnixNano: "1795239893390000000",
      traceId: "5B8EFFF798038103D269B633813FC60C",
      spanId: "EEE19B7EC3C1B174",
      flags: 257,
      severityText: "WARN",
      severityNumber: 13,
      eventName: "cart.emptied",
      body: { stringValue: "é🦔" },
      attributes: attributesOf({ "user.id": "ann" }),
    };
    const resource = { attributes: attributesOf({ "service.name": "shop", host: "a" }) };
    const scope = { name: "cart", version: "1.2", attributes: attributesOf({ part: "x" }) };
    const json = `{${recordJson(record, ARRIVAL)},${resourceJson(resource)},${scopeJson(scope)}}`;

    expect(JSON.parse(json)).toEqual({
      uuid: UUID,
      timestamp: "2026-11-21T05:44:53.389123Z",
      observed_timestamp: "2026-11-21T05:44:53.390000Z",
      trace_id: "5b8efff798038103d269b633813fc60c",
      span_id: "eee19b7ec3c1b174",
      trace_flags: 1,
      severity_text: "WARN",
      severity_number: 13,
      level: "warn",
      event_name: "cart.emptied",
      body: "é🦔",
      attributes: { "user.id": "ann" },
      service_name: "shop",
      resource_attributes: { "service.name": "shop", host: "a" },
      instrumentation_scope: { name: "cart", version: "1.2", attributes: { part: "x" } },
    });
  });

  test.each<[Json, Json, string, string]>([
    ["1795239893389000000", "1795239890000000000", "05:44:53.389000", "05:44:50.000000"],
    [1_795_239_893_389_000_000, null, "05:44:53.389000", "12:00:00.000000"],
    ["0", "1795239890000000000", "05:44:50.000000", "05:44:50.000000"],
    [0, 0, "12:00:00.000000", "12:00:00.000000"],
    ["soon", { at: 1 }, "12:00:00.000000", "12:00:00.000000"],
    [-1, "-5", "12:00:00.000000", "12:00:00.000000"],
  ])("of time %p, observed %p, happened at %s", (time, observed, happened, seen) => {
    const record = stored({ timeUnixNano: time, observedTimeUnixNano: observed });

    expect(record.timestamp).toBe(`2026-11-21T${happened}Z`);
    expect(record.observed_timestamp).toBe(`2026-11-21T${seen}Z`);
  });

  test("keeps the last time that OTLP can tell", () => {
    expect(stored({ timeUnixNano: "18446744073709551615" }).timestamp).toStartWith("2554-07-21T");
    expect(stored({ timeUnixNano: 2 ** 64 }).timestamp).toBe(ARRIVED);
  });

  test("has the level of its number: four for each", () => {
    const levels = Array.from({ length: 24 }, (_, n) => stored({ severityNumber: n + 1 }).level);

    expect(levels).toEqual(LOG_LEVELS.flatMap((level) => [level, level, level, level]));
  });

  test.each<[Json, Json, string, number]>([
    [17, "debug", "error", 17],
    ["17", null, "error", 17],
    [0, "Warning", "warn", 0],
    [25, "FATAL", "fatal", 0],
    [-3, " err ", "error", 0],
    [1.5, "INFO3", "info", 0],
    [null, "TRACE4", "trace", 0],
    [null, "critical", "error", 0],
    [null, "louder", "info", 0],
  ])("of severity %p %p has level %s", (number, text, level, severity_number) => {
    const record = { severityNumber: number, severityText: text };
    expect(stored(record)).toMatchObject({ level, severity_number });
  });

  test.each<[Json, string]>([
    [{ stringValue: "text" }, "text"],
    [{ stringValue: '"quoted"' }, '"quoted"'],
    [{ intValue: "7" }, "7"],
    [{ boolValue: false }, "false"],
    [{ kvlistValue: { values: attributesOf({ a: "b" }) } }, '{"a":"b"}'],
    [{ arrayValue: { values: [{ intValue: 1 }, {}] } }, "[1,null]"],
    [{}, ""],
    ["no value of OTLP", ""],
  ])("of body %j has the text %s", (body, text) => {
    expect(stored({ body }).body).toBe(text);
  });

  test.each<[Json]>([[null], [7], ["text"], [[]]])("is none if it is %j", (record) => {
    expect(recordJson(record, ARRIVAL)).toBeUndefined();
  });

  test("with ids of nothing but zeros has none", () => {
    const record = stored({ traceId: "0".repeat(32), spanId: "0".repeat(16) });
    expect(record).toMatchObject({ trace_id: "", span_id: "" });
  });

  test("with fields of wrong types loses those alone", () => {
    const wrong = { traceId: 5, flags: "x", severityText: [], eventName: {}, attributes: "a" };
    const right = { body: { stringValue: "kept" }, flags: "1" };

    expect(stored({ ...right, ...wrong })).toEqual(stored({ body: { stringValue: "kept" } }));
    expect(stored({ ...wrong, ...right })).toMatchObject({ body: "kept", trace_flags: 1 });
  });

  test("never holds what a store refuses", () => {
    const bad = "a\u0000b\ud800c";
    const record = {
      body: { stringValue: bad },
      severityText: bad,
      eventName: bad,
      traceId: bad,
      attributes: [{ key: bad, value: { kvlistValue: { values: attributesOf({ [bad]: bad }) } } }],
    };
    const good = "a\ufffdb\ufffdc";

    expect(recordJson(record, ARRIVAL)).not.toContain("\\u");
    expect(stored(record)).toMatchObject({
      body: good,
      severity_text: good,
      event_name: good,
      trace_id: good,
      attributes: { [good]: { [good]: good } },
    });
    expect(resourceJson({ attributes: attributesOf({ "service.name": bad }) })).toBe(
      `"service_name":"${good}","resource_attributes":{"service.name":"${good}"}`,
    );
    expect(scopeJson({ name: bad })).toBe(`"instrumentation_scope":{"name":"${good}"}`);
  });
});

describe("a value", () => {
  test.each<[Json, Json]>([
    [{ stringValue: "" }, ""],
    [{ boolValue: true }, true],
    [{ intValue: 5 }, 5],
    [{ intValue: "-5" }, -5],
    [{ intValue: "9007199254740993" }, "9007199254740993"],
    [{ doubleValue: 0.5 }, 0.5],
    [{ doubleValue: "1e3" }, 1000],
    [{ doubleValue: "NaN" }, "NaN"],
    [{ doubleValue: Number.POSITIVE_INFINITY }, "Infinity"],
    [{ bytesValue: "AAEC" }, "AAEC"],
    [{ arrayValue: {} }, []],
    [{ kvlistValue: {} }, {}],
    [{ stringValue: null, intValue: null, boolValue: false }, false],
    [{ unknownValue: 1 }, null],
    [null, null],
  ])("%j becomes %p", (value, expected) => {
    expect(plain(value)).toEqual(expected);
  });

  test("may nest, and names such as __proto__ are names", () => {
    const inner = JSON.parse('{"key":"__proto__","value":{"stringValue":"x"}}');
    const value = {
      kvlistValue: {
        values: [
          {
            key: "list",
            value: { arrayValue: { values: [{ kvlistValue: { values: [inner] } }] } },
          },
        ],
      },
    };

    expect(JSON.stringify(plain(value))).toBe('{"list":[{"__proto__":"x"}]}');
  });

  test("of a key that comes twice is the last; without a key it is under the empty one", () => {
    const attributes = [
      { key: "a", value: { intValue: 1 } },
      { key: "a", value: { intValue: 2 } },
      { value: { intValue: 3 } },
      "no attribute",
    ];
    expect(stored({ attributes }).attributes).toEqual({ a: 2, "": 3 });
  });
});

describe("a request", () => {
  const groups = (request: Json) => [...logGroups(request)] as (LogGroup & { records: Json[] })[];

  test("is read group by group; what is absent is empty", () => {
    expect(groups(logsBody([1, 2], "r", "s") as Json)).toEqual([
      { resource: "r", scope: "s", records: [1, 2] },
    ]);
    expect(groups({})).toEqual([]);
    expect(groups({ resourceLogs: null })).toEqual([]);
    expect(groups({ resourceLogs: [{}, { scopeLogs: [{}] }] })).toEqual([
      { resource: null, scope: null, records: [] },
    ]);
  });

  test.each<[Json, string]>([
    [[], "resourceLogs"],
    ["text", "resourceLogs"],
    [{ resourceLogs: {} }, "resourceLogs"],
    [{ resourceLogs: [7] }, "scopeLogs"],
    [{ resourceLogs: [{ scopeLogs: "x" }] }, "scopeLogs"],
    [{ resourceLogs: [{ scopeLogs: [{ logRecords: 1 }] }] }, "logRecords"],
  ])("%j is refused for its `%s`", (request, attr) => {
    expect(() => groups(request)).toThrow(
      expect.objectContaining({ code: "invalid_payload", attr }),
    );
  });
});
