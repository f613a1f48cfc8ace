import { expect, test } from "bun:test";
import {
  type Version,
  type VersionRange,
  versionPatterns,
  versionRange,
} from "../../../src/core/values/version-range.ts";

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

const PARTS = [0n, 1n, 8n, 9n, 10n, 11n, 19n, 99n, 100n, 109n, 999n, 20261123023515n];

/** One before the other, by the first part that differs. */
function isBefore(one: readonly (bigint | number)[], other: readonly (bigint | number)[]): boolean {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && BigInt(one[at] ?? 0) < BigInt(other[at] ?? 0);
}

test("a range has patterns of the versions that are in it, and of no others", () => {
  const versions = PARTS.flatMap((a, at) => {
    const [b = 0n, c = 0n] = [PARTS[(at * 5 + 1) % 12], PARTS[(at * 7 + 2) % 12]];
    const all: [bigint, bigint, bigint][] = [
      [a, b, c],
      [1n, a, c],
      [1n, 10n, a],
      [a, a, a],
    ];
    return all.flatMap((numbers): Version[] => [
      [...numbers, 0],
      [...numbers, 1],
    ]);
  });
  const wrong = versions.flatMap((bound) => {
    const ways = [
      { from: bound, before: null },
      { from: null, before: bound },
    ];
    return ways.flatMap((range) => {
      const patterns = versionPatterns(range).map((one) => new RegExp(`^(?:${one})$`));
      return versions.flatMap((version) => {
        const text = `${version.slice(0, 3).join(".")}${version[3] === 0 ? "-rc.1+5" : ""}`;
        const isIn = range.from === null ? isBefore(version, bound) : !isBefore(version, bound);
        return patterns.every((one) => one.test(text)) === isIn ? [] : [[bound.join(), text]];
      });
    });
  });
  expect(wrong).toEqual([]);
});

test.each(["01.2.3", "1.2", "1.2.3.4", "1.2.3abc", "1.2.3-a b", `1.2.1${"0".repeat(38)}`, ""])(
  "%p is a version of no range",
  (text) => {
    const patterns = [
      ...versionPatterns({ from: [0n, 0n, 0n, 0], before: null }),
      ...versionPatterns({ from: null, before: [9n, 0n, 0n, 1] }),
    ];
    const all = patterns.map((one) => new RegExp(`^(?:${one})$`).test(text));
    expect(all).toEqual([false, false]);
  },
);
