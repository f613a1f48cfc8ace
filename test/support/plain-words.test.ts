import { expect, test } from "bun:test";
import { bannedPhrases, bannedTestNames } from "./plain-words.ts";

const BANNED = "a list that nobody reads";

test("finds banned phrases in comments and long strings, with their lines", () => {
  const source = [
    "/** Makes it",
    " * anew. */",
    `const one = "${BANNED}"; // What is told.`,
    `const two = \`first \${one} of those who came\`;`,
    "// A list that is by",
    "// and by read.",
  ].join("\n");

  expect(bannedPhrases("src/a.ts", source)).toEqual([
    "src/a.ts:1: Makes it anew.",
    "src/a.ts:3: What is told.",
    "src/a.ts:5: A list that is by and by read.",
    `src/a.ts:3: ${BANNED}`,
    "src/a.ts:4: of those who came",
  ]);
});

test("leaves code, names in backquotes, quotes and short strings alone", () => {
  const source = [
    'const told = /nobody\'s "anew"/;',
    'const kind = "nobody";',
    '/** The column `beside`, of the text "told by somebody". */',
    "// The server is behind a proxy.",
    'const url = "https://example.com/ the path"; // A comment.',
  ].join("\n");

  expect(bannedPhrases("src/a.ts", source)).toEqual([]);
});

test("reads paragraphs, items and cells of Markdown, without blocks of code", () => {
  const page = [
    ...["# What is it", "", "It is made", "anew.", "- an item", "- what happens", ""],
    ...["| a | what to do |", "```", "nobody", "```", "Is this a question: what happens?"],
  ].join("\n");

  expect(bannedPhrases("a.md", page)).toEqual([
    "a.md:1: What is it",
    "a.md:3: It is made anew.",
    "a.md:6: what happens",
    "a.md:8: what to do",
  ]);
});

test("finds banned names of tests, and references that only the project's papers explain", () => {
  const source = [
    'test("stays (S42)", () => {});',
    'describe.each([1])("is decision 7", () => expect(run("nobody is there")).toBe(1));',
    'test("is whole", () => {});',
  ].join("\n");

  expect(bannedTestNames("test/a.test.ts", source)).toEqual([
    "test/a.test.ts:1: stays (S42)",
    "test/a.test.ts:2: is decision 7",
  ]);
});
