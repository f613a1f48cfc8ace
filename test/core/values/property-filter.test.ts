import { describe, expect, test } from "bun:test";
import {
  FILTER_VALUES_MAX,
  PROPERTY_FILTERS_MAX,
  type PropertyFilter,
  propertyFilters,
} from "../../../src/core/values/property-filter.ts";

const NOW = Date.parse("2026-03-31T12:00:00Z");
const read = (...texts: string[]) => propertyFilters(texts, NOW) as PropertyFilter[];
const values = (length: number) => Array.from({ length }, String);
const one = (filter: object) => read(JSON.stringify({ key: "k", ...filter }))[0];

describe("filters by property", () => {
  test("come as one list, or as one object each", () => {
    const [a, b] = ['{"key":"a","value":1}', '{"key":"b","value":2}'] as const;

    expect(read(`[${a},${b}]`)).toEqual(read(a, b));
    expect(read("[]")).toEqual([]);
    expect(one({ value: values(FILTER_VALUES_MAX) })?.test).toMatchObject({ is: "equal" });
    expect(one({ value: ["x", 5, true] })).toEqual({
      key: "k",
      not: false,
      test: { is: "equal", any: ["x", "5", "true"], numbers: [5] },
    });
  });

  test.each([
    ["between", [20, 10]],
    ["not_between", ["7", "-7"]],
    ["gt", true],
    ["lte", false],
    ["gt", { a: 1 }],
    ["exact", { a: 1 }],
    ["is_not", [["a"]]],
    ["in", ["a", { b: 1 }]],
    ["icontains", { a: 1 }],
    ["regex", [null]],
    ["starts_with", [[]]],
    ["is_date_after", {}],
    ["semver_eq", {}],
  ])("refuse a value that makes no sense: %s %j", (operator, value) => {
    expect(() => one({ operator, value })).toThrow(/expected|comes first|no value to compare with/);
  });

  test("take numbers, and texts of decimal ones", () => {
    expect(one({ operator: "between", value: ["-1.5e1", " 7"] })?.test).toMatchObject({
      from: -15,
      to: 7,
    });
    expect(one({ operator: "gt", value: "+0.5E1" })?.test).toMatchObject({ number: 5 });
  });

  test("compare numbers, and times in the order of their texts", () => {
    for (const value of ["2026-11", "2026-11-21", "2026-11-21 10:00", "2026-11-21T10:00:00Z"]) {
      expect(one({ operator: "gt", value })?.test).toMatchObject({ number: null, text: value });
    }
    for (const value of ["0x10", "1_000", ".5", "5.", "+-1", "nan", "", "abc", "1.2.3"]) {
      for (const operator of ["gt", "gte", "min", "lt", "lte", "max"]) {
        expect(() => one({ operator, value })).toThrow(/number is expected.*is_date_after.*semver/);
      }
    }
  });

  test.each([
    ["2026-01-15", "exact", "2026-01-15T00:00:00.000000Z", "2026-01-16T00:00:00.000000Z"],
    ["2026-01-15", "before", null, "2026-01-15T00:00:00.000000Z"],
    ["2026-01-15", "after", "2026-01-16T00:00:00.000000Z", null],
    ["2026-01-15T10:00:00+02:00", "after", "2026-01-15T08:00:00.000001Z", null],
    ["-7d", "after", "2026-03-24T12:00:00.000001Z", null],
    ["-3h", "before", null, "2026-03-31T09:00:00.000000Z"],
    ["-5M", "before", null, "2026-03-31T11:55:00.000000Z"],
    ["-2w", "before", null, "2026-03-17T12:00:00.000000Z"],
    ["-1m", "before", null, "2026-02-28T12:00:00.000000Z"],
    ["-1q", "before", null, "2025-12-31T12:00:00.000000Z"],
    ["-1y", "exact", "2025-03-31T00:00:00.000000Z", "2025-04-01T00:00:00.000000Z"],
    ["-9999y", "before", null, "0001-01-01T00:00:00.000000Z"],
  ])("read the date %s as a range: is_date_%s", (value, operator, from, before) => {
    expect(one({ operator: `is_date_${operator}`, value })?.test).toEqual({
      is: "date",
      from,
      before,
    });
  });

  test.each([
    ["2026-03-08", "exact", "2026-03-08T05:00", "2026-03-09T04:00", "2026-03-08T00:00"],
    ["2026-03-08", "before", null, "2026-03-08T05:00", null],
    ["2026-01-15 10:00", "before", null, "2026-01-15T15:00", null],
    ["2026-01-15T10:00:00Z", "before", null, "2026-01-15T10:00", null],
    ["-1m", "before", null, "2026-02-28T13:00", null],
    ["-1d", "exact", "2026-03-30T04:00", "2026-03-31T04:00", "2026-03-30T00:00"],
    ["-600h", "before", null, "2026-03-06T12:00", null],
  ])(
    "read the date %s on the clock of a zone: is_date_%s",
    (value, operator, from, before, day) => {
      const text = JSON.stringify({ key: "k", operator: `is_date_${operator}`, value });
      const [filter] = propertyFilters([text], NOW, "America/New_York") as PropertyFilter[];
      const whole = (time: string | null) => time && `${time}:00.000000Z`;
      expect(filter?.test).toMatchObject({ is: "date", from: whole(from), before: whole(before) });
      expect(filter?.test).toMatchObject({ wall: { from: whole(day) } });
    },
  );

  test.each([
    ["{"],
    ["5"],
    ["[5]"],
    ["[null]"],
    ['{"value":1}'],
    ['{"key":5,"value":1}'],
    ['{"key":"k"}'],
    ['{"key":"k","value":null}'],
    ['{"key":"k","value":1,"type":"cohort"}'],
    ['{"key":"k","value":1,"operator":"constructor"}'],
    ['{"key":"k","value":[1],"operator":"gt"}'],
    ['{"key":"k","value":[1],"operator":"between"}'],
    ['{"key":"k","value":["a","b"],"operator":"between"}'],
    ...["null", '""', "[]", "true", '"0x0"', "1e400", '"1e400"', "{}"].map((odd) => [
      `{"key":"k","value":[${odd},5],"operator":"between"}`,
    ]),
    ['{"key":"k","value":1e400}'],
    ['{"key":"k","value":[1,{"a":[-1e400]}]}'],
    ['{"key":"k","value":1e400,"operator":"gt"}'],
    ['{"key":"k","value":"-1e400","operator":"lt"}'],
    ['{"key":"k","value":1e400,"operator":"icontains"}'],
    ['{"key":"k","value":"soon","operator":"is_date_after"}'],
    ['{"key":"k","value":"soon","operator":"semver_gt"}'],
    [JSON.stringify({ key: "k", value: values(FILTER_VALUES_MAX + 1) })],
    [
      JSON.stringify([
        { key: "k", value: values(FILTER_VALUES_MAX) },
        { key: "j", value: 1 },
      ]),
    ],
    [JSON.stringify(Array.from({ length: PROPERTY_FILTERS_MAX + 1 }, () => ({ key: "k" })))],
  ])("are refused: %s", (text) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: "invalid_input", attr: "properties" }),
    );
  });

  test.each([
    ['{"key":"k","value":1,"negation":true}', "negation"],
    ['{"type":"OR","values":[],"operator":"exact"}', "operator"],
    [`{"key":"k","value":1,"${"x".repeat(500)}":1}`, "x".repeat(80)],
  ])("have no field that is not known: %s", (text, field) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: "invalid_input", attr: `properties__${field}` }),
    );
  });

  test("may have what clients show them by, and fields that say nothing", () => {
    const shown = {
      label: "Key",
      group_key_names: { a: "A" },
      group_type_index: null,
      negation: false,
    };
    expect(one({ value: 1, ...shown })).toEqual(one({ value: 1 }));
  });
});
