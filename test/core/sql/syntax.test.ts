import { expect, test } from "bun:test";
import { syntaxSentence, withEngineText } from "../../../src/core/sql/syntax.ts";

test.each([
  ['syntax error at or near "das"', 'The SQL is not understood at "das"'],
  ["syntax error at end of input", "The SQL ends where more is expected"],
  ['unterminated quoted string at or near "\'x"', "A quote is opened and not closed"],
  ['unterminated /* comment at or near "/*"', "A comment is opened and not closed"],
  ["SELECT clause without selection list", "SELECT has no columns"],
  ["something new", "The SQL is not understood"],
])("the parser's %j is said in plain words", (message, sentence) => {
  expect(syntaxSentence(message)).toBe(sentence);
});

test("the words of the engine come last", () => {
  expect(withEngineText("No.", "nope")).toBe("No. DuckDB: nope");
});
