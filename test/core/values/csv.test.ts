import { describe, expect, test } from "bun:test";
import { csvLine, csvTable } from "../../../src/core/values/csv.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";

describe("a line of CSV", () => {
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

test("rows are taken apart into columns, whose order does not depend on rows", () => {
  const linesOf = (...rows: JsonObject[]) => {
    const table = csvTable();
    for (const row of rows) table.add(row);
    return [table.head(), ...rows.map(table.line)].map((line) => line.trimEnd());
  };

  expect(
    linesOf(
      { id: 1, ids: ["a", "b"], properties: { plan: "pro", at: { deep: [null] } } },
      { properties: { at: "home", none: {} }, ids: [], id: 2 },
    ),
  ).toEqual([
    "id,ids.0,ids.1,properties.at,properties.at.deep.0,properties.plan",
    "1,a,b,,,pro",
    "2,,,home,,",
  ]);
  const alike = { "a.b": 1, a: { b: 2, "c.d": 3, "e\\": { f: 4 }, "e\\.f": 5 } };
  expect(linesOf(alike)).toEqual(["a.b,a.c\\.d,a.e\\\\.f,a.e\\\\\\.f,a\\.b", "2,3,4,5,1"]);
  expect(linesOf(JSON.parse('{"__proto__":{"b":1},"B":2,"b":3}'))).toEqual([
    "B,__proto__.b,b",
    "2,1,3",
  ]);
});

test("a table has its columns without rows, and leaves out values without a column", () => {
  const table = csvTable({ id: null, name: null });
  table.add({ n: 1 });

  expect([table.head(), table.line({ id: 1, late: 2, n: { deep: 3 } })]).toEqual([
    "id,n,name\r\n",
    "1,,\r\n",
  ]);
});

test("of too many columns those stay that most rows have; the others share the last, as JSON", () => {
  const rows: JsonObject[] = [
    ...Array.from({ length: 20 }, (_, n) => ({ id: n, odd: { [`k${n}`]: n, "a.b": [n] } })),
    ...Array.from({ length: 3 }, (_, n) => ({ id: n + 20, plan: "pro", odd: "=1" })),
  ];
  const table = csvTable({ id: null, name: null }, 5);
  for (const row of rows) table.add(row);

  const [head, ...lines] = [table.head(), ...rows.map(table.line)].map((line) => line.trimEnd());

  expect(head).toBe("id,name,odd.a\\.b.0,plan,other");
  expect([lines[0], lines[19], lines[20]]).toEqual([
    '0,,0,,"{""odd.k0"":0}"',
    '19,,19,,"{""odd.k19"":19}"',
    '20,,,pro,"{""odd"":""=1""}"',
  ]);
});
