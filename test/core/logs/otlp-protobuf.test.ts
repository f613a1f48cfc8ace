import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { logGroupsOfProtobuf, partialSuccess } from "../../../src/core/logs/otlp-protobuf.ts";
import {
  type LogGroup,
  logGroups,
  recordJson,
  resourceJson,
  scopeJson,
} from "../../../src/core/logs/record.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { readLines } from "../../support/start/server.ts";

type Recorded = { scenario: string; body_b64: string };

const recorded = readLines<Recorded>(`${import.meta.dir}/../../fixtures/capture/otel-logs.jsonl`);

/** The bodies of a scenario, inflated. */
function bodies(scenario: string): Buffer[] {
  return recorded
    .filter((one) => one.scenario === scenario)
    .map(({ body_b64 }) => Buffer.from(body_b64, "base64"))
    .map((body) => (body[0] === 0x1f ? gunzipSync(body) : body));
}

/** The groups of a request, read to the end. */
function read(groups: Iterable<LogGroup>) {
  return [...groups].map(({ records, ...rest }) => ({ ...rest, records: [...records] }));
}

/** What a request is stored as, but for the times, which differ from recording to recording. */
function stored(groups: Iterable<LogGroup>) {
  const arrival = { now: 0, uuid: "" };
  const nobody = () => {};
  return [...groups].map(({ resource, scope, records }) => ({
    shared: `${resourceJson(resource, nobody)},${scopeJson(scope, nobody)}`,
    records: [...records].map((record) => {
      const {
        timestamp: _,
        observed_timestamp: __,
        ...rest
      } = JSON.parse(`{${recordJson(record as JsonObject, arrival, nobody)}}`);
      return rest;
    }),
  }));
}

const fromProtobuf = (bytes: Uint8Array) => read(logGroupsOfProtobuf(bytes));

/** A message of these fields: bytes, texts, and numbers as varints. */
function message(...fields: [number, Uint8Array | string | number][]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of fields) {
    if (typeof value === "number") writer.tag(number, WireType.Varint).int64(value);
    else if (typeof value === "string") writer.tag(number, WireType.LengthDelimited).string(value);
    else writer.tag(number, WireType.LengthDelimited).bytes(value);
  }
  return writer.finish();
}

/** A request of one scope with these records. */
const request = (...records: Uint8Array[]) =>
  message([1, message([2, message(...records.map((one) => [2, one] as [number, Uint8Array]))])]);

/** A value that is a list in a list, so many times. */
const nested = (times: number): Uint8Array =>
  times === 0 ? message([1, "deep"]) : message([5, message([1, nested(times - 1)])]);

describe("a request in protobuf", () => {
  test.each(["proto_none", "proto_gzip"])("of an SDK (%s) is what it is in JSON", (scenario) => {
    const json = bodies("json_none").map((body) => stored(logGroups(JSON.parse(body.toString()))));
    const protobuf = bodies(scenario).map((body) => stored(logGroupsOfProtobuf(body)));

    expect(protobuf).toEqual(json);
    expect(JSON.stringify(protobuf)).toContain("failed to do thing");
  });

  test("has every field of a record", () => {
    const value = message([3, -5]);
    const record = new BinaryWriter();
    record.tag(1, WireType.Bit64).fixed64("1795239893389000001");
    record.tag(11, WireType.Bit64).fixed64("18446744073709551615");
    record.tag(2, WireType.Varint).int32(9);
    record.tag(3, WireType.LengthDelimited).string("INFO");
    record.tag(5, WireType.LengthDelimited).bytes(message([2, 1]));
    record.tag(6, WireType.LengthDelimited).bytes(message([1, "n"], [2, value]));
    record.tag(8, WireType.Bit32).fixed32(0xff_ff_ff_01);
    record.tag(9, WireType.LengthDelimited).bytes(Uint8Array.from({ length: 16 }, (_, n) => n));
    record.tag(10, WireType.LengthDelimited).bytes(new Uint8Array(8).fill(255));
    record.tag(12, WireType.LengthDelimited).string("happened");

    const [group] = fromProtobuf(request(record.finish()));
    expect(group?.records).toEqual([
      {
        timeUnixNano: "1795239893389000001",
        observedTimeUnixNano: "18446744073709551615",
        severityNumber: 9,
        severityText: "INFO",
        body: { boolValue: true },
        attributes: [{ key: "n", value: { intValue: "-5" } }],
        flags: 0xff_ff_ff_01,
        traceId: "000102030405060708090a0b0c0d0e0f",
        spanId: "ffffffffffffffff",
        eventName: "happened",
      },
    ]);
  });

  test("has bytes in base64", () => {
    const [group] = fromProtobuf(
      request(message([5, message([7, Uint8Array.of(0, 1, 254, 255)])])),
    );
    expect(group?.records).toEqual([{ body: { bytesValue: "AAH+/w==" } }]);
  });

  test("has invalid UTF-8 as lone surrogates, which are reported where they are replaced", () => {
    const texts = [
      [Uint8Array.of(0x61, 0xff, 0xc3, 0xa9), "a\ud800é"],
      ["a\ufffdé", "a\ufffdé"],
      ["\ufeffa", "\ufeffa"],
    ] as const;
    for (const [sent, read] of texts) {
      const [group] = fromProtobuf(request(message([3, sent])));
      expect(group?.records).toEqual([{ severityText: read }]);
    }
  });

  test.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "has the double %p as JSON has it",
    (number) => {
      const double = new BinaryWriter().tag(4, WireType.Bit64).double(number).finish();
      const [group] = fromProtobuf(request(message([5, double])));
      const doubleValue = Number.isFinite(number) ? number : String(number);
      expect(group?.records).toEqual([{ body: { doubleValue } }]);
    },
  );

  test("may have the resource and the scope after their records", () => {
    const attribute = message([1, "service.name"], [2, message([1, "shop"])]);
    const scopeLogs = message([2, message()], [1, message([1, "cart"], [2, "1.2"])]);
    const resourceLogs = message([2, scopeLogs], [1, message([1, attribute])]);

    expect(fromProtobuf(message([1, resourceLogs]))).toEqual([
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
        scope: { name: "cart", version: "1.2" },
        records: [{}],
      },
    ]);
  });

  test("may be empty, and may have fields that are not known", () => {
    expect(fromProtobuf(new Uint8Array())).toEqual([]);
    const unknown = message([99, "x"], [98, 7], [3, "kept"]);
    expect(fromProtobuf(request(unknown))).toEqual([
      { resource: null, scope: null, records: [{ severityText: "kept", unknown: [] }] },
    ]);
  });

  test("has a list where a field has a wrong type", () => {
    const wrong = message([2, "a text"], [5, 7], [6, 7]);
    expect(fromProtobuf(request(wrong))).toEqual([
      {
        resource: null,
        scope: null,
        records: [{ severityNumber: [], body: [], attributes: [[]] }],
      },
    ]);
  });

  test("that is nested deeper than 128 loses that record, and the resource alone", () => {
    const deep = message([5, nested(65)]);
    const attribute = message([1, "deep"], [2, nested(65)]);
    const scopeLogs = message([2, message([3, "first"])], [2, deep], [2, message([3, "last"])]);
    const resourceLogs = message([1, message([1, attribute])], [2, scopeLogs]);

    expect(fromProtobuf(message([1, resourceLogs]))).toEqual([
      {
        resource: 0,
        scope: null,
        records: [{ severityText: "first" }, 0, { severityText: "last" }],
      },
    ]);
  });

  test.each<[string, Uint8Array]>([
    ["is text", Buffer.from('{"resourceLogs":[]}')],
    ["ends in a length", Uint8Array.of(0x0a, 0x05, 0x00)],
    ["ends in a tag", Uint8Array.of(0x8a)],
    ["has the field number 0", Uint8Array.of(0x02, 0x00)],
    ["has a length beyond 4 GiB", Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)],
    ["has groups in groups", new Uint8Array(100_000).fill(0x0b)],
    ["ends in a record's time", request(Uint8Array.of(0x09, 1, 2, 3))],
    ["ends in a record's text", request(Uint8Array.of(0x1a, 0x09, 0x61))],
  ])("that %s is refused", (_case, bytes) => {
    expect(() => fromProtobuf(bytes)).toThrow(expect.objectContaining({ code: "invalid_payload" }));
  });

  test("may be nested as deep as JSON", () => {
    const [group] = fromProtobuf(request(message([5, nested(60)])));
    expect(JSON.stringify(group?.records)).toContain("deep");
  });
});

test("rejected records are reported in protobuf", () => {
  const answer = Buffer.from(partialSuccess(300, "why"));
  expect(answer.toString("hex")).toBe(
    `0a08${"08ac02"}${"1203"}${Buffer.from("why").toString("hex")}`,
  );
});
