import { expect, test } from "bun:test";
import { calculated, FORMULA_CHARS_MAX, readFormula } from "../../../src/core/queries/formula.ts";

test.each<[string, (number | null)[], number | null]>([
  ["A", [3], 3],
  ["a+B", [3, 4], 7],
  ["A - B - 1", [9, 4], 4],
  ["A+B*2", [1, 2], 5],
  ["(A+B)*2", [1, 2], 6],
  ["A/B/2", [12, 3], 2],
  ["-A*-(1.5)", [2], 3],
  ["  ( A / B ) * 100 ", [1, 4], 25],
  ["A/B", [1, 0], null],
  ["A/B", [0, 0], null],
  ["A+B", [1, null], null],
  ["B", [null, 2], 2],
])("%s of %p is %p", (text, numbers, value) => {
  expect(calculated(readFormula(text, numbers.length, "formula"), numbers)).toBe(value);
});

test.each([
  ...["C", "A+", "+A", "(A", "A)", "A B", "AB", "A**B", "1e3", "A;B", "A.B", ".5", "1.", "()"],
  `${"(".repeat(60)}A${")".repeat(60)}`,
  "-".repeat(60),
  "A+".repeat(FORMULA_CHARS_MAX),
  "A'; DROP TABLE events",
])("%s is no formula of two series", (text) => {
  expect(() => readFormula(text, 2, "formula")).toThrow(
    expect.objectContaining({ code: "invalid_input", attr: "formula" }),
  );
});
