import { expect, test } from "bun:test";
import { anyCasePattern, folded, foldedAddress } from "../../../src/core/values/case-folding.ts";

test("every letter with a single other case folds to the same letter as that case", () => {
  const surrogates = { from: 0xd8_00, to: 0xdf_ff };
  let pairs = 0;
  for (let code = 0; code < 0x11_00_00; code += 1) {
    if (code >= surrogates.from && code <= surrogates.to) continue;
    const letter = String.fromCodePoint(code);
    for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
      if (other === letter || [...other].length !== 1) continue;
      pairs += 1;
      expect([letter, folded(letter)]).toEqual([letter, folded(other)]);
    }
  }
  expect(pairs).toBeGreaterThan(2700);
});

test("a text keeps its length in code points, and letters fold without their neighbours", () => {
  const texts = ["ΟΔΟΣ@x", "οδος@x", "İPEK@x", "Straße@x", "😀K"];

  expect(texts.map(folded)).toEqual(["οδοσ@x", "οδοσ@x", "ipek@x", "straße@x", "😀k"]);
  for (const text of texts) expect([...folded(text)]).toHaveLength([...text].length);
});

test("an address is searched by its first 1,000 characters", () => {
  const address = `${"A".repeat(999)}😀b@x`;

  expect(foldedAddress(address)).toBe(`${"a".repeat(999)}😀`);
  expect(foldedAddress("Ann@x.y")).toBe("ann@x.y");
});

test("a pattern has each letter in all of its cases, and other characters as they are", () => {
  expect(anyCasePattern("s.ß")).toBe("[sSſ]\\.[ßẞ]");
});
