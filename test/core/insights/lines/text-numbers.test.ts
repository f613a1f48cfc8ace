import { expect, test } from "bun:test";
import {
  comparedWith,
  duration,
  withUnit,
} from "../../../../src/core/insights/lines/text-numbers.ts";

test.each([
  [0, "0 s"],
  [12.34, "12.3 s"],
  [133.4, "2 min 13 s"],
  [3600, "1 h"],
  [7265, "2 h 1 min 5 s"],
  [104_352, "1 d 4 h 59 min 12 s"],
])("%d seconds read %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test("a number has its unit, if it has one", () => {
  expect(withUnit(1234.5, undefined)).toBe("1,234.5");
  expect(withUnit(43, "percent")).toBe("43%");
  expect(withUnit(null, "seconds")).toBe("-");
});

test("a percentage changes by points, all else by percent of the number before", () => {
  expect(comparedWith({ data: [30], unit: "percent" }, 20)).toEqual(["20%", "+10 points"]);
  expect(comparedWith({ data: [30] }, 20)).toEqual(["20", "+50%"]);
  expect(comparedWith({ data: [30] }, 0)).toEqual(["0", "-"]);
});
