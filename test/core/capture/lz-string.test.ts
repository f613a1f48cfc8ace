import { describe, expect, test } from "bun:test";
import LZString from "lz-string";
import { decompressLz64 } from "../../../src/core/capture/lz-string.ts";

const CHARS_MAX = 1_000_000;

/** Texts of so many characters out of so many, always the same. */
function texts(count: number): string[] {
  let state = 1;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, (_, n) => {
    const characters = [2, 30, 300, 65_536][n % 4] ?? 2;
    return Array.from({ length: next(500) }, () => String.fromCharCode(next(characters))).join("");
  });
}

describe("lz64", () => {
  test("is inflated to what lz-string has packed", () => {
    const packed = ["", "a", "aaaaaaaa", '{"a":"é🦔"}', "x".repeat(70_000), ...texts(400)];
    for (const text of packed) {
      expect(decompressLz64(LZString.compressToBase64(text), CHARS_MAX)).toBe(text);
    }
  });

  test("stops at the cap", () => {
    const bomb = LZString.compressToBase64("a".repeat(CHARS_MAX));
    expect(bomb.length).toBeLessThan(5000);
    expect(decompressLz64(bomb, CHARS_MAX)).toBe("a".repeat(CHARS_MAX));
    expect(decompressLz64(bomb, CHARS_MAX - 1)).toBe("too_large");
  });

  test.each([
    ["ends early", LZString.compressToBase64("hello hello").slice(0, -4)],
    ["is empty", ""],
    ["is no base64", "{}"],
    ["names an entry that is not there", "////"],
    ["is zeros", "A".repeat(1000)],
  ])("that %s is invalid", (_case, text) => {
    expect(decompressLz64(text, CHARS_MAX)).toBeUndefined();
  });
});
