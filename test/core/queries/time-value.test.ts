import { describe, expect, test } from "bun:test";
import { fields } from "../../../src/core/queries/query-fields.ts";
import {
  naturalKey,
  TIME_FILTER_FIELDS,
  timeCondition,
  timeFilter,
  timeValueIn,
} from "../../../src/core/queries/time-value.ts";
import { Failure } from "../../../src/core/values/failure.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";

const DAY = "toDayOfWeek(timestamp)";
const HOUR = "toHour(timestamp)";

describe("a condition on the time of events", () => {
  test.each([
    [`${DAY} IN (6, 7)`, DAY, [6, 7]],
    ["todayofweek( timestamp ) not in (1,2,3)", DAY, [4, 5, 6, 7]],
    [`${DAY} != 3`, DAY, [1, 2, 4, 5, 6, 7]],
    [`${HOUR} >= 20`, HOUR, [20, 21, 22, 23]],
    [`${HOUR}<2`, HOUR, [0, 1]],
    [`${HOUR} BETWEEN 18 AND 21`, HOUR, [18, 19, 20, 21]],
    [`${HOUR} NOT BETWEEN 2 AND 23`, HOUR, [0, 1]],
    [`${HOUR} = 24`, HOUR, []],
  ])("%s", (text, expression, met) => {
    expect(timeCondition(text)).toEqual({ expression, met });
  });

  test.each([
    ...["", "1 = 1", "properties.plan = 'pro'", HOUR, "toDate(timestamp) = 1"],
    ...[`${HOUR} IN ()`, `${HOUR} = '9'`, `${HOUR} > 9 AND ${DAY} = 1`],
  ])("is not read in %j", (text) => {
    expect(timeCondition(text)).toBeUndefined();
  });
});

const refusal = (sent: JsonObject) => {
  try {
    return timeFilter(fields(sent, "query", TIME_FILTER_FIELDS));
  } catch (error) {
    return error instanceof Failure ? [error.code, error.attr] : error;
  }
};

test.each([
  [{ type: "hogql", key: "1 = 1" }, "query__key"],
  [{ type: "hogql" }, "query__key"],
  [{ type: "hogql", key: HOUR, value: [9] }, "query__value"],
])("a filter %j is refused", (sent, attr) => {
  expect(refusal(sent)).toEqual(["invalid_input", attr]);
});

test("a filter with another operator is refused, and not read without it", () => {
  const refused = refusal({ type: "hogql", key: `${HOUR} = 9`, operator: "is_not" });
  expect(refused).toEqual(["invalid_input", "query__operator"]);
});

test("an expression is read without its white space", () => {
  expect(timeValueIn("dateName( 'weekday',timestamp )", "query")).toBe(
    "dateName('weekday', timestamp)",
  );
});

test("days and hours have a natural order", () => {
  const ordered = (all: string[]) =>
    all.toSorted((a, b) => (naturalKey(a) < naturalKey(b) ? -1 : 1));
  expect(ordered(["Sunday", "Monday", "Friday"])).toEqual(["Monday", "Friday", "Sunday"]);
  expect(ordered(["10", "9", "0"])).toEqual(["0", "9", "10"]);
});
