import { describe, expect, test } from "bun:test";
import {
  filtersIn,
  LOG_LIMIT_DEFAULT,
  LOG_LIMIT_MAX,
  LOG_OFFSET_MAX,
  LOG_SEARCH_CHARS_MAX,
  LOG_SERVICES_MAX,
  type LogQueryAsked,
  logQuery,
} from "../../../src/core/logs/query.ts";
import { PROPERTY_FILTERS_MAX } from "../../../src/core/values/property-filter.ts";

const NOW = Date.parse("2026-03-31T12:00:00Z");
const CURSOR = "2026-03-31T11:00:00.000001Z_7";
const read = (asked: LogQueryAsked, timezone = "UTC") => logQuery(asked, { now: NOW, timezone });
const filter = { key: "k", value: 1 };

describe("a logs query", () => {
  test("asks for the latest of the last 24 hours when it says nothing", () => {
    const latest = {
      from: "2026-03-30T12:00:00.000000Z",
      before: undefined,
      levels: [],
      services: [],
      search: "",
      filters: { any: false, of: [] },
      order: "latest" as const,
      limit: LOG_LIMIT_DEFAULT,
      offset: 0,
      after: undefined,
    };
    const nothing = { searchTerm: null, orderBy: null, limit: null, offset: null, after: null };

    expect(read({})).toEqual(latest);
    expect(read({ ...nothing, filterGroup: null, dateRange: {} })).toEqual(latest);
    expect(read({ dateRange: { date_from: null, date_to: null } })).toEqual(latest);
  });

  test.each([
    ["-1h", undefined, "2026-03-31T11:00:00.000000Z", undefined],
    ["-30M", "-5M", "2026-03-31T11:30:00.000000Z", "2026-03-31T11:55:00.000001Z"],
    ["-7d", "2026-03-30", "2026-03-24T12:00:00.000000Z", "2026-03-31T00:00:00.000000Z"],
    ["2026-03-01", "2026-03-01", "2026-03-01T00:00:00.000000Z", "2026-03-02T00:00:00.000000Z"],
    [undefined, "2026-03-01", "2026-03-01T00:00:00.000000Z", "2026-03-02T00:00:00.000000Z"],
    ["2026-03-01T10:00:00+02:00", null, "2026-03-01T08:00:00.000000Z", undefined],
    ["-9999y", undefined, "0001-01-01T00:00:00.000000Z", undefined],
    [undefined, "-9999y", "0001-01-01T00:00:00.000000Z", "0001-01-01T00:00:00.000000Z"],
  ])("from %p to %p is all of both", (date_from, date_to, from, before) => {
    expect(read({ dateRange: { date_from, date_to } })).toMatchObject({ from, before });
  });

  test.each([
    ["2026-03-08", "2026-03-08", "2026-03-08T05:00:00.000000Z", "2026-03-09T04:00:00.000000Z"],
    ["2026-03-30 10:00", undefined, "2026-03-30T14:00:00.000000Z", undefined],
    ["2026-03-30T10:00:00Z", "-1h", "2026-03-30T10:00:00.000000Z", "2026-03-31T11:00:00.000001Z"],
    ["-1m", undefined, "2026-02-28T13:00:00.000000Z", undefined],
  ])("from %p to %p is on the clock of the project", (date_from, date_to, from, before) => {
    const asked = { dateRange: { date_from, date_to } };
    expect(read(asked, "America/New_York")).toMatchObject({ from, before });
  });

  test("may say what clients send and what changes nothing", () => {
    const sent = {
      kind: "LogsQuery",
      version: 1,
      modifiers: null,
      dateRange: { explicitDate: true },
    };
    expect(read(sent as LogQueryAsked)).toEqual(read({}));
  });

  test("is of the most that is answered at most, and begins at its cursor", () => {
    expect(read({ limit: LOG_LIMIT_MAX }).limit).toBe(LOG_LIMIT_MAX);
    expect(() => read({ limit: LOG_LIMIT_MAX + 1 })).toThrow(`limit is at most ${LOG_LIMIT_MAX}`);
    expect(read({ offset: LOG_OFFSET_MAX }).offset).toBe(LOG_OFFSET_MAX);
    expect(read({ offset: 0, after: CURSOR })).toMatchObject({
      after: { at: "2026-03-31T11:00:00.000001Z", id: 7 },
    });
  });

  test("has filters in groups, of which the empty ones say nothing", () => {
    const empty = { type: "OR", values: [{ values: [] }] };
    const filterGroup = {
      values: [empty, { type: "OR", values: [filter, { ...filter, type: "log_attribute" }] }],
    };

    const { filters } = read({ filterGroup });

    const one = { key: "k", not: false, test: { is: "equal" as const, any: ["1"], numbers: [1] } };
    const either = {
      any: true,
      of: [
        { type: "log", filter: one },
        { type: "log_attribute", filter: one },
      ],
    };
    expect<unknown>(filters).toEqual({ any: false, of: [either] });
    expect(filtersIn(filters)).toEqual([one, one]);
  });

  const many = (length: number) => Array.from({ length }, () => filter);
  const nested = { values: [{ values: many(PROPERTY_FILTERS_MAX) }, filter] };

  test.each<[string, string, LogQueryAsked]>([
    ["dateRange__date_from", "invalid_input", { dateRange: { date_from: "soon" } }],
    ["dateRange__date_to", "invalid_input", { dateRange: { date_to: "" } }],
    ["severityLevels", "invalid_choice", { severityLevels: ["info", "loud"] }],
    ["serviceNames", "too_long", { serviceNames: Array(LOG_SERVICES_MAX + 1).fill("shop") }],
    ["searchTerm", "too_long", { searchTerm: "x".repeat(LOG_SEARCH_CHARS_MAX + 1) }],
    ["orderBy", "invalid_choice", { orderBy: "newest" }],
    ["limit", "invalid_input", { limit: -1 }],
    ["offset", "invalid_input", { offset: 0.5 }],
    ["offset", "invalid_input", { offset: LOG_OFFSET_MAX + 1 }],
    ["offset", "invalid_input", { offset: 1, after: CURSOR }],
    ["severityLevel", "invalid_input", { severityLevel: ["error"] } as LogQueryAsked],
    ["dateRange__from", "invalid_input", { dateRange: { from: "-1h" } } as LogQueryAsked],
    ["dateRange__date_to", "invalid_input", { dateRange: { date_from: "-1d", date_to: "-7d" } }],
    [
      "filterGroup__negation",
      "invalid_input",
      { filterGroup: { values: [{ ...filter, negation: true }] } },
    ],
    ["after", "invalid_input", { after: "eyJ0" }],
    ["filterGroup", "invalid_input", { filterGroup: "k" }],
    ["filterGroup", "invalid_input", { filterGroup: [null] }],
    ["filterGroup", "invalid_input", { filterGroup: filter }],
    ["filterGroup", "invalid_input", { filterGroup: { type: "NOR", values: [] } }],
    ["filterGroup", "invalid_input", { filterGroup: { values: [{ values: filter }] } }],
    ["filterGroup", "invalid_input", { filterGroup: { values: [null] } }],
    ["filterGroup", "invalid_input", { filterGroup: { values: [{ ...filter, type: "person" }] } }],
    [
      "filterGroup",
      "invalid_input",
      { filterGroup: { values: [{ ...filter, operator: "near" }] } },
    ],
    ["filterGroup", "invalid_input", { filterGroup: nested }],
  ])("is refused for its %s with %s: %j", (attr, code, asked) => {
    expect(() => read(asked)).toThrow(expect.objectContaining({ code, attr: `query__${attr}` }));
  });
});
