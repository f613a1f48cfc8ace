import { describe, expect, test } from "bun:test";
import { csvColumns, csvLine, flatRow } from "../../src/domain/csv.ts";

describe("a line of CSV (S28)", () => {
  test.each<[string | number | boolean | null, string]>([
    ["plain", "plain"],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\r\nlines", '"two\r\nlines"'],
    ["", ""],
    [null, ""],
    [-5, "-5"],
    [true, "true"],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\tx", "'\tx"],
    ["\n=1+1", '"\'\n=1+1"'],
    ["\rx", '"\'\rx"'],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ["a=1", "a=1"],
  ])("writes %p as %p (RFC 4180), and no formula", (value, written) => {
    expect(csvLine([value, 1])).toBe(`${written},1\r\n`);
  });
});

test("a row is taken apart into columns, whose order does not depend on rows", () => {
  const row = flatRow({
    id: 1,
    ids: ["a", "b"],
    properties: { plan: "pro", at: { deep: [null] } },
  });

  expect([...row]).toEqual([
    ["id", 1],
    ["ids.0", "a"],
    ["ids.1", "b"],
    ["properties.plan", "pro"],
    ["properties.at.deep.0", null],
  ]);
  const alike = { "a.b": 1, a: { b: 2, "c.d": 3, "e\\": { f: 4 }, "e\\.f": 5 } };
  expect([...flatRow(alike)]).toEqual([
    ["a\\.b", 1],
    ["a.b", 2],
    ["a.c\\.d", 3],
    ["a.e\\\\.f", 4],
    ["a.e\\\\\\.f", 5],
  ]);
  expect(csvColumns(["b", "a.1", "B", "a.0"])).toEqual(["B", "a.0", "a.1", "b"]);
});
