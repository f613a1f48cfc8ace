import { describe, expect, test } from "bun:test";
import {
  escapeControlChars,
  type Json,
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
