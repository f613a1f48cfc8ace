import { describe, expect, test } from "bun:test";
import { sketchOf } from "../../../src/core/capture/oversized-event.ts";
import { isObject, type Json, type JsonObject } from "../../../src/core/values/json.ts";

const NAMES = ["uuid", "token", "$token", "api_key", "properties", "distinct_id", "$distinct_id"];

const sketch = (text: string) => sketchOf(new TextEncoder().encode(text));

/** The keys of a sketch, read from a parsed event. */
function known(event: JsonObject): JsonObject {
  const found = NAMES.filter((name) => Object.hasOwn(event, name)).map((name) => {
    const value: Json = event[name] ?? null;
    return [name, name === "properties" && isObject(value) ? known(value) : value];
  });
  return Object.fromEntries(found);
}

describe("a sketch", () => {
  test.each<[string, string]>([
    ["nothing", "{}"],
    ["ids and keys", '{"uuid":"u","distinct_id":"a","api_key":"k","token":"t","$token":"s","x":1}'],
    ["keys in properties", '{"event":"e","properties":{"distinct_id":"a","token":"t","x":[]}}'],
    ["every type", '{"uuid":7,"distinct_id":-1.5e1,"$distinct_id":true,"token":null,"api_key":""}'],
    ["lists and objects", '{"distinct_id":{"uuid":["a",{"b":"}"}]},"uuid":[],"properties":[1]}'],
    ["numbers beyond a double", '{"distinct_id":1e999,"$distinct_id":12345678901234567890}'],
    [
      "no key of another object",
      '{"a":{"uuid":"x","properties":{"uuid":"x"}},"b":[{"uuid":"x"}],"uuid":"u","c":{"token":1}}',
    ],
    [
      "no key of an object in properties",
      '{"properties":{"a":{"distinct_id":"x"},"token":"t","b":[{"distinct_id":"x"}]},"uuid":"u"}',
    ],
    ["no value that is a name", '{"a":"uuid","b":["distinct_id"],"token":"uuid","uuid":"token"}'],
    ["the last of two values", '{"uuid":"a","distinct_id":"b","uuid":"c","distinct_id":null}'],
    ["the last properties", '{"properties":{"distinct_id":"a"},"properties":{"token":"t"}}'],
    ["the last properties, a text", '{"properties":{"distinct_id":"a"},"properties":"{}"}'],
    [
      "texts with brackets, quotes and backslashes",
      '{"a":"{\\"uuid\\":[","b\\\\":"}","uuid":"u]}","c":"\\\\","\\"uuid":"x","distinct_id":"{"}',
    ],
    [
      "names and values in escapes",
      '{"\\u0075uid":"\\u0061\\n","distinct\\u005Fid":"\\ud83e\\udd94\\ud800\\u0000","uuid\\u0000":1}',
    ],
    [
      "a name that is all escapes",
      `{"${[..."$distinct_id"].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join("")}":"a"}`,
    ],
    ["names in full only", '{"uui":1,"uuidu":1,"uu\\nd":1,"\\u0075\\u0075":1,"tokes":1,"Uuid":1}'],
    ["blanks around everything", ' {\n"uuid" :\t"u" ,\r"properties" : { "distinct_id" : 7 } } '],
    ["text that is not ASCII", '{"ü🦔":"x","distinct_id":"ünï🦔","uuid":"u"}'],
  ])("has of an event what the parser would give: %s", (_what, text) => {
    expect(sketch(text)).toEqual(known(JSON.parse(text)));
  });

  test("has a long text whole, and an empty one for a long object", () => {
    const long = "x".repeat(1_000_000);
    expect(sketch(`{"distinct_id":"${long}"}`)).toEqual({ distinct_id: long });
    expect(sketch(`{"distinct_id":{"a":"${long}"},"uuid":"u"}`)).toEqual({
      distinct_id: "",
      uuid: "u",
    });
  });

  test.each(["", " ", "7", "null", '"uuid"', '[{"uuid":"u"}]'])("of %p is null", (text) => {
    expect(sketch(text)).toBeNull();
  });

  test.each<[string, JsonObject]>([
    ['{"uuid":"u","distinct_id":x}', { uuid: "u", distinct_id: "" }],
    ['{"uuid":"u",,}}}]', { uuid: "u" }],
    ['{"uuid":"u","uuid', { uuid: "u" }],
    ['{"uuid":"\\x","token":"t"}', { uuid: "", token: "t" }],
    ['{"\\uzzzz":1,"\\u00":2,"\\', {}],
    ['{"uuid"}{"uuid":}', { uuid: "" }],
  ])("of %p, which is no JSON, has what can be read", (text, expected) => {
    expect(sketch(text)).toEqual(expected);
  });

  test("has an empty text for one that is no UTF-8", () => {
    const bytes = Uint8Array.from(Buffer.from('{"uuid":"\xff","token":"t"}', "latin1"));
    expect(sketchOf(bytes)).toEqual({ uuid: "", token: "t" });
  });
});
