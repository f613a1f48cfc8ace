import { expect, test } from "bun:test";
import { type VersionRange, versionRange } from "../../src/domain/version-range.ts";

test.each<[Parameters<typeof versionRange>[0], string, VersionRange]>([
  ["eq", "1.2.3", { from: [1, 2, 3, 1], before: [1, 2, 4, 0] }],
  ["eq", "v1.2.3-beta+5", { from: [1, 2, 3, 0], before: [1, 2, 3, 1] }],
  ["gt", "1.2", { from: [1, 2, 1, 0], before: null }],
  ["gt", "1.2.3-beta", { from: [1, 2, 3, 1], before: null }],
  ["gte", "1.2", { from: [1, 2, 0, 1], before: null }],
  ["lt", "2", { from: null, before: [2, 0, 0, 1] }],
  ["lt", "2.0.0-beta", { from: null, before: [2, 0, 0, 0] }],
  ["lte", "2", { from: null, before: [2, 0, 1, 0] }],
  ["lte", "2.0.0-beta", { from: null, before: [2, 0, 0, 1] }],
  ["lte", "2.0.0+build-1", { from: null, before: [2, 0, 1, 0] }],
  ["tilde", "1.2.3", { from: [1, 2, 3, 1], before: [1, 3, 0, 0] }],
  ["tilde", "1", { from: [1, 0, 0, 1], before: [2, 0, 0, 0] }],
  ["caret", "1.2.3", { from: [1, 2, 3, 1], before: [2, 0, 0, 0] }],
  ["caret", "0.2.3", { from: [0, 2, 3, 1], before: [0, 3, 0, 0] }],
  ["caret", "0.0.3", { from: [0, 0, 3, 1], before: [0, 0, 4, 0] }],
  ["wildcard", "1.*", { from: [1, 0, 0, 1], before: [2, 0, 0, 0] }],
  ["wildcard", "1.2.*", { from: [1, 2, 0, 1], before: [1, 3, 0, 0] }],
])("%s %s is a range of versions", (operator, text, range) => {
  expect(versionRange(operator, text)).toEqual(range);
});

test.each(["", "one", "1.2.3.4", "1..2", "1.*"])("%p is no version", (text) => {
  expect(versionRange("eq", text)).toBeUndefined();
});
