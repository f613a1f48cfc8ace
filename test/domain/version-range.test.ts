import { expect, test } from "bun:test";
import { type VersionRange, versionRange } from "../../src/domain/version-range.ts";

test.each<[Parameters<typeof versionRange>[0], string, VersionRange]>([
  ["eq", "1.2.3", { from: [1n, 2n, 3n, 1], before: [1n, 2n, 4n, 0] }],
  ["eq", "v1.2.3-beta+5", { from: [1n, 2n, 3n, 0], before: [1n, 2n, 3n, 1] }],
  ["gt", "1.2", { from: [1n, 2n, 1n, 0], before: null }],
  ["gt", "1.2.3-beta", { from: [1n, 2n, 3n, 1], before: null }],
  ["gte", "1.2", { from: [1n, 2n, 0n, 1], before: null }],
  ["lt", "2", { from: null, before: [2n, 0n, 0n, 1] }],
  ["lt", "2.0.0-beta", { from: null, before: [2n, 0n, 0n, 0] }],
  ["lte", "2", { from: null, before: [2n, 0n, 1n, 0] }],
  ["lte", "2.0.0-beta", { from: null, before: [2n, 0n, 0n, 1] }],
  ["lte", "2.0.0+build-1", { from: null, before: [2n, 0n, 1n, 0] }],
  ["tilde", "1.2.3", { from: [1n, 2n, 3n, 1], before: [1n, 3n, 0n, 0] }],
  ["tilde", "1", { from: [1n, 0n, 0n, 1], before: [2n, 0n, 0n, 0] }],
  ["caret", "1.2.3", { from: [1n, 2n, 3n, 1], before: [2n, 0n, 0n, 0] }],
  ["caret", "0.2.3", { from: [0n, 2n, 3n, 1], before: [0n, 3n, 0n, 0] }],
  ["caret", "0.0.3", { from: [0n, 0n, 3n, 1], before: [0n, 0n, 4n, 0] }],
  [
    "eq",
    "1.20261123023515.9007199254740993",
    {
      from: [1n, 20261123023515n, 9007199254740993n, 1],
      before: [1n, 20261123023515n, 9007199254740994n, 0],
    },
  ],
  ["wildcard", "1.*", { from: [1n, 0n, 0n, 1], before: [2n, 0n, 0n, 0] }],
  ["wildcard", "1.2.*", { from: [1n, 2n, 0n, 1], before: [1n, 3n, 0n, 0] }],
])("%s %s is a range of versions", (operator, text, range) => {
  expect(versionRange(operator, text)).toEqual(range);
});

test.each(["", "one", "1.2.3.4", "1..2", "1.*"])("%p is no version", (text) => {
  expect(versionRange("eq", text)).toBeUndefined();
});
