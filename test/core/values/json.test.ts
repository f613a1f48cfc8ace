import { describe, expect, test } from "bun:test";
import {
  escapeControlChars,
  type Json,
  keptJson,
  sameJson,
  storableJson,
} from "../../../src/core/values/json.ts";

describe("storable JSON", () => {
  test.each<[string, Json]>([
    ['{"a":"\ufffd"}', { a: "\0" }],
    ['{"a":"\ufffdx"}', { a: "\udc00x" }],
    ['{"a":"\\\\u0000"}', { a: "\\u0000" }],
    ['{"a":"\\\\\ufffd"}', { a: "\\\ud800" }],
    ['{"a":"\\u0001🦔"}', { a: "\u0001🦔" }],
    ['{"\ufffd":1}', { "\ud800": 1 }],
  ])("%s", (text, value) => {
    expect(storableJson(value)).toBe(text);
  });
});

describe("sameness", () => {
  test.each<[Json, Json, boolean]>([
    [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [{ a: undefined as never }, { b: undefined as never }, false],
    [[1, 2], [2, 1], false],
    [1, "1", false],
    [null, {}, false],
    [[], {}, false],
  ])("%p and %p: %p", (a, b, same) => {
    expect(sameJson(a, b)).toBe(same);
  });
});

test.each([
  ["Shop é 🦔 \u200e", "Shop é 🦔 \u200e"],
  ["a\tb\r\n", "a\\u0009b\\u000d\\u000a"],
  ["\u001b[2J\u007f\u009b31m", "\\u001b[2J\\u007f\\u009b31m"],
  ["\u2028\u202a\u202e\u2066\u2069", "\\u2028\\u202a\\u202e\\u2066\\u2069"],
])("control characters are escaped: %j", (text, shown) => {
  expect(escapeControlChars(text)).toBe(shown);
});

describe("numbers that are kept as doubles", () => {
  test.each([
    ...["0.1", "0.10000000000000001", "0.1000000000000000055511151231257827", "1.00", "100e-2"],
    ...[
      "1e21",
      "1E+21",
      "5e-324",
      "4.9e-324",
      "-0",
      "0.0",
      "9007199254740992",
      "0.30000000000000004",
    ],
    "12345678901234567000",
  ])("%s is read", (number) => {
    expect(keptJson(`{"a":[${number},"12345678901234567890"]}`)).toEqual({
      a: [Number(number), "12345678901234567890"],
    });
  });

  test.each([
    ...["9007199254740993", "-9007199254740993", "9007199254740993.0", "12345678901234567890"],
    ...["0.1234567890123456789", "1e999", "-1e999", "1e-400"],
  ])("%s is refused, because it would be another", (number) => {
    const refused = (attr: string) => expect.objectContaining({ code: "invalid_input", attr });
    expect(() => keptJson(`{"a":{"b":[1,${number}]}}`)).toThrow(refused("a__b__1"));
    expect(() => keptJson(`[${number}]`, "properties")).toThrow(refused("properties"));
  });
});
