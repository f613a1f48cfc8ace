import { expect, test } from "bun:test";
import { QUOTED, withoutWords } from "../../../src/core/capture/json-words.ts";

const replaced = (text: string, inPlace?: typeof QUOTED) =>
  new TextDecoder().decode(withoutWords(new TextEncoder().encode(text), inPlace));

test.each([
  ["[NaN,-Infinity, Infinity]", "[1e999,-1e999, 1e999]"],
  ['{"a":NaN}', '{"a":1e999}'],
  ["NaN", "1e999"],
  ['["NaN, Infinity","\\"NaN",NaN]', '["NaN, Infinity","\\"NaN",1e999]'],
  ["[None,Inf,-1,NULL,N]", "[None,Inf,-1,NULL,N]"],
  ['["NaN', '["NaN'],
  [`[${"NaN,".repeat(999)}NaN]`, `[${"1e999,".repeat(999)}1e999]`],
])("numbers are in the place of words outside of texts: %p", (text, numbers) => {
  expect(replaced(text)).toBe(numbers);
});

test("texts may be in their place", () => {
  expect(replaced('{"a":[-Infinity,Infinity,NaN,"NaN"]}', QUOTED)).toBe(
    '{"a":["-Infinity","Infinity","NaN","NaN"]}',
  );
});
