import { expect, test } from "bun:test";
import { readId } from "../../../src/core/values/ids.ts";

test.each<[string, number | undefined]>([
  ["0", 0],
  ["42", 42],
  ["9007199254740990", 9_007_199_254_740_990],
  ["9007199254740993", Number.MAX_SAFE_INTEGER],
  ["9".repeat(400), Number.MAX_SAFE_INTEGER],
  ["01", undefined],
  ["-1", undefined],
  ["1.0", undefined],
  ["1e2", undefined],
  [" 1", undefined],
  ["", undefined],
])("the id %p is %p", (text, id) => {
  expect(readId(text)).toBe(id);
});
