import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  LOG_DISTINCT_ID_KEYS,
  LOG_LEVELS,
  type LogGroup,
  type LogRecord,
  logDistinctId,
  logGroups,
  recordJson,
  resourceJson,
  scopeJson,
} from "../../../src/core/logs/record.ts";
import type { ReportLogChange } from "../../../src/core/logs/value.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";
import type { LogChange } from "../../../src/core/warnings/warning.ts";
import { attributesOf, logsBody } from "../../support/data/logs.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const UUID = "01a1fc9a-592b-78b3-8d80-aa75992efae9";
const ARRIVAL = { now: NOW, uuid: UUID };
const ARRIVED = "2026-11-21T12:00:00.000000Z";

const nobody = () => {};

/** What a record alone is stored as. */
function stored(record: JsonObject): LogRecord {
  const json = `${recordJson(record, ARRIVAL, nobody)},${resourceJson(null, nobody)}`;
  return JSON.parse(`{${json},${scopeJson(null, nobody)}}`);
}

/** What is told of a record, or of what it shares with others. */
function told(read: (report: ReportLogChange) => unknown): LogChange[] {
  const changes = new Set<LogChange>();
  read((change) => changes.add(change));
  return [...changes].sort();
}

const toldOf = (record: JsonObject) => told((report) => recordJson(record, ARRIVAL, report));

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

  test("equals the sent record", () => {
    const record = {
      timeUnixNano: "1795239893389123456",
      observedTimeUnixNano: "1795239893390000000",
      traceId: "5B8EFFF798038103D269B633813FC60C",
      spanId: "EEE19B7EC3C1B174",
      flags: 1,
      severityText: "WARN",
      severityNumber: 13,
      eventName: "cart.emptied",
      body: { stringValue: "é🦔" },
      attributes: attributesOf({ "user.id": "ann" }),
    };
    const resource = { attributes: attributesOf({ "service.name": "shop", host: "a" }) };
    const scope = { name: "cart", version: "1.2", attributes: attributesOf({ part: "x" }) };
    const shared = `${resourceJson(resource, nobody)},${scopeJson(scope, nobody)}`;
    const json = `{${recordJson(record, ARRIVAL, nobody)},${shared}}`;

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

  test("with ids of only zeros has no ids", () => {
    const record = stored({ traceId: "0".repeat(32), spanId: "0".repeat(16) });
    expect(record).toMatchObject({ trace_id: "", span_id: "" });
  });

  test("keeps ids that are not hexadecimal as they are", () => {
    const traceId = "W47/95gDgQPSabYzgT/GDA==";
    expect(stored({ traceId, spanId: "ABCDEF" })).toMatchObject({
      trace_id: traceId,
      span_id: "abcdef",
    });
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

    expect(recordJson(record, ARRIVAL, nobody)).not.toContain("\\u");
    expect(stored(record)).toMatchObject({
      body: good,
      severity_text: good,
      event_name: good,
      trace_id: good,
      attributes: { [good]: { [good]: good } },
    });
    expect(resourceJson({ attributes: attributesOf({ "service.name": bad }) }, nobody)).toBe(
      `"service_name":"${good}","resource_attributes":{"service.name":"${good}"}`,
    );
    expect(scopeJson({ name: bad }, nobody)).toBe(`"instrumentation_scope":{"name":"${good}"}`);
  });
});

describe("reports about a record", () => {
  test.each<[string, JsonObject]>([
    ["what has nothing in it", {}],
    [
      "what is null",
      { body: null, traceId: null, attributes: null, flags: null, timeUnixNano: null },
    ],
    ["times that are not known", { timeUnixNano: "0", observedTimeUnixNano: 0 }],
    ["a body without a value", { body: {} }],
    ["a value of null", { body: { stringValue: null } }],
    ["large whole numbers as text", { body: { intValue: "9007199254740993" } }],
    ["large doubles, and names of numbers", { body: { doubleValue: "Infinity" } }],
    ["a decimal as text", { body: { doubleValue: "-1.5E3" } }],
    ["empty lists", { body: { arrayValue: {} }, attributes: [] }],
    ["what the sender dropped itself", { droppedAttributesCount: 2 }],
    ["the largest double", { body: { doubleValue: Number.MAX_VALUE } }],
    ["a field that is null", { colour: null }],
    ["U+FFFD itself", { severityText: "\ufffd", body: { stringValue: "\ufffd" } }],
  ])("is nothing for %s", (_case, record) => {
    expect(toldOf(record)).toEqual([]);
  });

  const value = (of: Json): JsonObject => ({ attributes: [{ key: "k", value: of }] });

  test.each<[LogChange, JsonObject]>([
    ["ignored_invalid_log_time", { timeUnixNano: "soon" }],
    ["ignored_invalid_log_time", { timeUnixNano: -1 }],
    ["ignored_invalid_log_time", { observedTimeUnixNano: { at: 1 } }],
    ["ignored_invalid_log_field", { severityNumber: 25 }],
    ["ignored_invalid_log_field", { severityNumber: "SEVERITY_NUMBER_INFO" }],
    ["ignored_invalid_log_field", { severityText: 5 }],
    ["ignored_invalid_log_field", { flags: -1 }],
    ["ignored_invalid_log_field", { flags: 257 }],
    ["ignored_invalid_log_field", { colour: "red" }],
    ["ignored_invalid_log_field", { severity_text: "WARN" }],
    ["ignored_invalid_log_field", { body: { stringValue: "a", colour: "red" } }],
    ["ignored_invalid_log_field", { attributes: [{}] }],
    ["ignored_invalid_log_field", { attributes: [{ value: { stringValue: "a" } }] }],
    ["ignored_invalid_log_field", { attributes: [{ key: "k", value: {}, unit: "s" }] }],
    ["ignored_invalid_log_field", { traceId: 5 }],
    ["ignored_invalid_log_field", { eventName: [] }],
    ["ignored_invalid_log_field", { body: "a text" }],
    ["ignored_invalid_log_field", { body: { stringValue: 5 } }],
    ["ignored_invalid_log_field", { attributes: { a: 1 } }],
    ["ignored_invalid_log_field", { attributes: ["a"] }],
    ["ignored_invalid_log_field", { attributes: [{ key: 1, value: {} }] }],
    ["ignored_invalid_log_field", { attributes: [{ key: "k" }, { key: "k" }] }],
    ["ignored_invalid_log_field", value({ unknownValue: 1 })],
    ["ignored_invalid_log_field", value({ intValue: "abc" })],
    ["ignored_invalid_log_field", value({ intValue: "0x10" })],
    ["ignored_invalid_log_field", value({ intValue: "" })],
    ["ignored_invalid_log_field", value({ intValue: true })],
    ["ignored_invalid_log_field", value({ doubleValue: "much" })],
    ["ignored_invalid_log_field", value({ boolValue: 1 })],
    ["ignored_invalid_log_field", value({ boolValue: "true" })],
    ["ignored_invalid_log_field", value({ bytesValue: 7 })],
    ["ignored_invalid_log_field", value({ stringValue: "a", intValue: 1 })],
    ["ignored_invalid_log_field", value({ stringValue: 5, intValue: 1 })],
    ["ignored_invalid_log_field", value({ arrayValue: ["a"] })],
    ["ignored_invalid_log_field", value({ arrayValue: { items: [] } })],
    ["ignored_invalid_log_field", value({ kvlistValue: { a: 1 } })],
    ["ignored_invalid_log_field", value({ kvlistValue: [] })],
    ["ignored_invalid_log_field", { attributes: [{ a: 1 }] }],
    ["ignored_invalid_log_field", value({ arrayValue: { values: {} } })],
    ["ignored_invalid_log_field", value({ kvlistValue: { values: "x" } })],
    ["replaced_invalid_log_text", { body: { stringValue: "\0" } }],
    ["replaced_invalid_log_text", { eventName: "\ud800" }],
    ["replaced_invalid_log_text", { traceId: "\0" }],
    ["replaced_invalid_log_text", { attributes: [{ key: "\0", value: {} }] }],
    ["replaced_invalid_log_text", value({ stringValue: "\ud800" })],
    ["replaced_invalid_log_text", value({ kvlistValue: { values: attributesOf({ a: "\0" }) } })],
    ["changed_log_number", value({ intValue: 2 ** 53 })],
    ["changed_log_number", value({ doubleValue: Number.POSITIVE_INFINITY })],
  ])("is %s for %j", (change, record) => {
    expect(toldOf(record)).toEqual([change]);
  });

  test("reports shared fields as well", () => {
    expect(told((report) => resourceJson("r", report))).toEqual(["ignored_invalid_log_field"]);
    const attributes = attributesOf({ "service.name": "\0" });
    expect(told((report) => resourceJson({ attributes }, report))).toEqual([
      "replaced_invalid_log_text",
    ]);
    expect(told((report) => scopeJson({ version: 2 }, report))).toEqual([
      "ignored_invalid_log_field",
    ]);
    expect(told((report) => scopeJson({ name: "n", attributes }, report))).toEqual([
      "replaced_invalid_log_text",
    ]);
    expect(told((report) => [resourceJson(null, report), scopeJson(null, report)])).toEqual([]);
  });

  test.each<[Json, string | null]>([
    [{ attributes: attributesOf({ a: "b", posthogDistinctId: "ann" }) }, "ann"],
    [{ attributes: [{ key: "posthogDistinctId", value: { intValue: 5 } }] }, "5"],
    [{ attributes: [{ key: "posthogDistinctId", value: { boolValue: true } }] }, null],
    [{ attributes: attributesOf({ "user.id": "u", distinct_id: "ann" }) }, "ann"],
    [
      { attributes: attributesOf({ distinct_id: "\u{1f600}".repeat(201) }) },
      "\u{1f600}".repeat(200),
    ],
    [{ attributes: attributesOf({ distinct_id: " " }) }, null],
    [{ attributes: attributesOf({ a: "b" }) }, null],
    [{ attributes: 7 }, null],
    [null, null],
  ])("says of %j that it is the record of %p", (record, id) => {
    expect(logDistinctId(record)).toBe(id);
  });
});

test("the page about logs names each attribute that links a record to a person", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../src/docs/logs.md")).text();
  const missing = LOG_DISTINCT_ID_KEYS.filter((key) => !page.includes(`\`${key}\``));
  expect(missing).toEqual([]);
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
    [{ doubleValue: "1e400" }, "1e400"],
    [{ intValue: "abc" }, null],
    [{ boolValue: 1 }, null],
    [{ stringValue: 5, intValue: 1 }, 1],
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

  test("is read group by group; absent fields are empty", () => {
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
    [{ resource_logs: [] }, "resourceLogs"],
    [{ resourceLogs: [{ scope_logs: [] }] }, "scopeLogs"],
    [{ resourceLogs: [{ scopeLogs: [{ log_records: [{}] }] }] }, "logRecords"],
    [{ resourceLogs: [{ instrumentationLibraryLogs: [{}] }] }, "scopeLogs"],
    [{ resourceLogs: [{ scopeLogs: [], more: [] }] }, "scopeLogs"],
  ])("%j is refused for its `%s`", (request, attr) => {
    expect(() => groups(request)).toThrow(
      expect.objectContaining({ code: "invalid_payload", attr }),
    );
  });

  test("is refused with the name of the other list", () => {
    expect(() => groups({ resourceLogs: [{ scope_logs: [] }] })).toThrow(
      "An object with the array `scopeLogs` is expected, and not `scope_logs`.",
    );
  });
});
