import { describe, expect, test } from "bun:test";
import { jsonFault } from "../../../src/core/values/json-fault.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("the fault of a text that is no JSON", () => {
  test.each<[string, number, string]>([
    ['{"a":1,,"b":2}', 7, "a comma where a key"],
    ["[1,]", 3, "a closing bracket where a value"],
    ['[{"a":1}} ', 8, "a closing brace where a comma or the end of the list"],
    ["{'a':1}", 1, "a single quote where a key"],
    ['{"a":None}', 5, "the word None where a value"],
    [`{"a":${"y".repeat(500)}}`, 5, `the word ${"y".repeat(20)}… where`],
    ['{"a":+1}', 5, "the number +1 where a value"],
    ['{"a":01}', 5, "the number 01 where a value"],
    ['{"a":.5}', 5, "the number .5 where a value"],
    ['{"a" 1}', 5, "the number 1 where a colon"],
    ['{"a":1 "b":2}', 7, "a text where a comma or the end of the object"],
    ["{NaN:1}", 1, "the word NaN where a key"],
    ['{"a":// no\n1}', 5, "a slash where a value"],
    ['{"a":é}', 5, "a character that is not ASCII where a value"],
    ['{"a":"x\ny"}', 7, "a line feed inside a text"],
    ['{"a":"x\0y"}', 7, "the control character 0x00 inside a text"],
    ['{"a":"C:\\x"}', 8, "a backslash that is no escape"],
    ['{"a":"\\u12G4"}', 6, "a backslash that is no escape"],
    ['{"a":1}{"a":2}', 7, "another value after the first. One JSON value"],
    ['[{"a":1}]\r\n[{"a":2}]\n', 11, "another value after the first. One JSON value"],
    ['{"a":1}}', 7, "a closing brace where nothing more"],
    [`[${"1,".repeat(602)},1]`, 1205, "a comma where a value"],
  ])("%p is at byte %i", (text, at, what) => {
    expect(jsonFault(bytesOf(text))).toContain(`Byte ${at.toLocaleString("en-US")}: ${what}`);
  });

  test.each<[string, string]>([
    ["", "where a value is expected"],
    ['{"a":[{"b":1', "where a comma or the end of the object is expected"],
    ['{"a":"some te', "inside a text"],
    ['{"a":"\\u00', "inside a text"],
    ['{"a":tr', "inside a value"],
    ['{"a":1e', "inside a value"],
    ['{"a"', "where a colon is expected"],
  ])("%p ends early", (text, where) => {
    const { length } = bytesOf(text);
    expect(jsonFault(bytesOf(text))).toContain(`it ends early, at byte ${length}, ${where}`);
  });

  test.each<[string, number[], number, string]>([
    ["a byte that no character has", [0x22, 0x61, 0xff, 0x22], 2, "0xff"],
    ["Latin-1", [0x22, 0xe9, 0x22], 1, "0xe9"],
    ["a slash of two bytes", [0x22, 0xc0, 0xaf, 0x22], 1, "0xc0"],
    ["half of a pair", [0x22, 0x61, 0xed, 0xa0, 0x80, 0x22], 2, "0xed"],
    ["a character after the last", [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 1, "0xf4"],
  ])("%s is named by its place", (_case, bytes, at, byte) => {
    expect(jsonFault(Uint8Array.from(bytes))).toContain(`Byte ${at}: the byte ${byte}`);
  });

  test("a text that ends in a character of which bytes are missing ends early", () => {
    expect(jsonFault(bytesOf('{"a":"é').subarray(0, -1))).toContain("it ends early, at byte 7");
  });

  test("there is one exactly where the parser fails, in texts of which bytes were changed", () => {
    const text = JSON.stringify({
      batch: [{ a: 1.5e-7, b: [true, null, -0, "ü€😀\n\u0001"] }, {}, [], "", 120, false],
    });
    const others = bytesOf('{}[]",:\\0-.eEtn x\u0001é');
    let state = 7;
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    let faults = 0;
    for (let round = 0; round < 20_000; round++) {
      const bytes = bytesOf(text);
      for (let change = next(2); change >= 0; change--) {
        bytes[next(bytes.length)] = others[next(others.length)] ?? 0;
      }
      const cut = next(4) === 0 ? bytes.subarray(0, next(bytes.length)) : bytes;
      let isJson = true;
      try {
        JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(cut));
      } catch {
        isJson = false;
        faults += 1;
      }
      const fault = jsonFault(cut);
      if ((fault === undefined) !== isJson) throw new Error(`${Buffer.from(cut)}: ${fault}`);
    }
    expect(faults).toBeGreaterThan(5000);
  });
});
