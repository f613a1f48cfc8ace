import { describe, expect, test } from "bun:test";
import {
  exceedsLimits,
  JSON_DEPTH_MAX,
  type Json,
  OBJECT_KEYS_MAX,
  sameJson,
  storableJson,
} from "../../src/domain/json.ts";

const scan = (text: string) => exceedsLimits(new TextEncoder().encode(text));

describe("the limits of a body", () => {
  test("count nesting outside of texts", () => {
    expect(scan("[".repeat(JSON_DEPTH_MAX) + "]".repeat(JSON_DEPTH_MAX))).toBeUndefined();
    expect(scan("[".repeat(JSON_DEPTH_MAX + 1))).toBe("depth");
    expect(scan(JSON.stringify({ a: "[".repeat(500), b: '"\\'.repeat(50) }))).toBeUndefined();
    expect(scan(`{"a":"\\"",${'"b":['.repeat(1)}${"[".repeat(JSON_DEPTH_MAX)}`)).toBe("depth");
  });

  test("count the keys of each object alone", () => {
    const object = (keys: number) =>
      `{${Array.from({ length: keys }, (_, n) => `"${n}":${n}`).join(",")}}`;
    expect(scan(`[${object(OBJECT_KEYS_MAX)},${object(OBJECT_KEYS_MAX)}]`)).toBeUndefined();
    expect(scan(object(OBJECT_KEYS_MAX + 1))).toBe("keys");
    expect(scan(`{"a":${object(3)},${object(OBJECT_KEYS_MAX).slice(1)}`)).toBe("keys");
  });

  test("stay calm on what is no JSON", () => {
    for (const text of ["", "]", '"open', '{"a', "\\", "}}}}"]) expect(scan(text)).toBeUndefined();
  });
});

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
