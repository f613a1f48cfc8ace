import { describe, expect, test } from "bun:test";
import {
  checkDashboardFilters,
  DASHBOARD_FILTERS_BYTES_MAX,
  withDashboardFilters,
} from "../../../src/core/dashboards/filters.ts";
import { readQuery } from "../../../src/core/queries/insight.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";

const MOMENT = { now: Date.parse("2026-11-21T12:00:00Z"), timezone: "Europe/Berlin" };
const is = (key: string, value: Json) => ({ key, type: "event", operator: "exact", value });
const [own, more] = [is("plan", "pro"), is("$browser", "Firefox")];
const TREND = { kind: "TrendsQuery", series: [{ event: "view" }], interval: "week" };
const OR = { type: "OR", values: [own, more] };

describe("filters of a dashboard", () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["nothing", {}, {}, {}],
    ["empty fields", {}, { date_from: null, date_to: null, properties: [] }, {}],
    ["a period", {}, { date_from: "-30d" }, { dateRange: { date_from: "-30d" } }],
    [
      "a period in place of another",
      { dateRange: { date_from: "2026-01-01", date_to: "2026-02-01", explicitDate: true } },
      { date_from: "-30d" },
      { dateRange: { date_from: "-30d" } },
    ],
    [
      "an end alone",
      { dateRange: { date_from: "2026-01-01", date_to: "2026-02-01" } },
      { date_to: "2026-03-01" },
      { dateRange: { date_from: "2026-01-01", date_to: "2026-03-01" } },
    ],
    ["conditions", {}, { properties: [more] }, { properties: [more] }],
    [
      "conditions in addition",
      { properties: [own] },
      { properties: [more] },
      { properties: [own, more] },
    ],
    ["no conditions", { properties: [own] }, { properties: [] }, { properties: [own] }],
    [
      "conditions in addition to a group",
      { properties: OR },
      { properties: [more] },
      { properties: { type: "AND", values: [OR, { type: "AND", values: [more] }] } },
    ],
    [
      "a group in addition",
      { properties: [own] },
      { properties: OR },
      { properties: { type: "AND", values: [{ type: "AND", values: [own] }, OR] } },
    ],
  ])("are put over a query: %s", (_what, fields, filters, changed) => {
    const query = { ...TREND, ...fields };
    const before = structuredClone(query);

    const result = withDashboardFilters(query, filters);

    expect(result).toEqual({ ...query, ...changed });
    expect(query).toEqual(before);
    expect(() => readQuery(result, MOMENT)).not.toThrow();
    const viz = { kind: "InsightVizNode", source: query };
    expect(withDashboardFilters(viz, filters)).toEqual({ ...viz, source: result });
  });

  test("are put over words, and not over SQL", () => {
    const filters = { date_from: "-1d", properties: [more] };
    for (const kind of ["HogQLQuery", "SQLQuery"]) {
      const sql = { kind, query: "SELECT 1" };
      expect(withDashboardFilters(sql, filters)).toEqual(sql);
    }
    const words = { kind: "WordsQuery", query: "bounce rate" };
    expect(withDashboardFilters(words, filters)).toEqual({
      ...words,
      ...{ dateRange: { date_from: "-1d" }, properties: [more] },
    });
  });

  test.each<[JsonObject]>([
    [{}],
    [{ date_from: "-7d", date_to: null, properties: [] }],
    [{ date_from: "mStart" }],
    [{ date_from: "all" }],
    [{ date_to: "2026-11-01", properties: OR }],
  ])("are taken: %j", (filters) => {
    expect(() => checkDashboardFilters(filters, MOMENT)).not.toThrow();
  });

  test.each<[JsonObject, code: string, attr: string]>([
    [{ interval: "day" }, "invalid_input", "filters__interval"],
    [{ date_from: "soon" }, "invalid_input", "filters__date_from"],
    [{ date_from: 7 }, "invalid_input", "filters__date_from"],
    [{ date_from: "2026-11-02", date_to: "2026-11-01" }, "invalid_input", "filters__date_to"],
    [{ properties: [{}] }, "invalid_input", "filters__properties"],
    [{ properties: "x" }, "invalid_input", "filters__properties"],
    [{ properties: [is("x", "y".repeat(DASHBOARD_FILTERS_BYTES_MAX))] }, "too_long", "filters"],
  ])("are refused: %#", (filters, code, attr) => {
    expect(() => checkDashboardFilters(filters, MOMENT)).toThrow(
      expect.objectContaining({ code, attr }),
    );
  });
});
