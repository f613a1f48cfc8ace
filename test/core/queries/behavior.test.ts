import { describe, expect, test } from "bun:test";
import { type BehaviorFilter, isBehavior } from "../../../src/core/queries/behavior.ts";
import { readQuery } from "../../../src/core/queries/insight.ts";
import { Failure } from "../../../src/core/values/failure.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { filtersIn } from "../../../src/core/values/property-filter.ts";

const MOMENT = { now: Date.parse("2026-11-21T12:00:00Z"), timezone: "Europe/Berlin" };

const query = (properties: JsonObject["x"]) =>
  readQuery(
    { kind: "LifecycleQuery", series: [{ event: "a", properties: properties ?? [] }] },
    MOMENT,
  );

/** The part of a lifecycle with its filters. */
type Read = { series: { filters: never[] } };

const base = {
  type: "behavioral",
  key: "purchase",
  event_type: "events",
  value: "performed_event",
};

function read(fields: JsonObject): BehaviorFilter {
  const { series } = query([{ ...base, ...fields }]) as unknown as Read;
  const [first] = filtersIn({ any: false, of: series.filters });
  return first as unknown as BehaviorFilter;
}

function refused(fields: JsonObject): [code: string, attr: string | null, detail: string] {
  try {
    read(fields);
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.attr, error.message];
  }
  throw new Error("It was taken.");
}

describe("a behavioral filter", () => {
  test.each<[fields: JsonObject, did: object]>([
    [{}, { what: "count", by: ">=", than: 1 }],
    [
      { value: "performed_event_multiple", operator_value: 3 },
      { what: "count", by: ">=", than: 3 },
    ],
    [
      { value: "performed_event_multiple", operator: "eq", operator_value: 0 },
      { what: "count", by: "=", than: 0 },
    ],
    [
      { value: "performed_event_sum", sum_property: "price", operator: "gt", operator_value: 0.5 },
      { what: "sum", property: "price", by: ">", than: 0.5 },
    ],
    [{ value: "performed_event_first_time" }, { what: "first" }],
    [
      {
        ...{ value: "performed_event_regularly", time_interval: "week", time_value: 1 },
        ...{ operator: "gte", operator_value: 1, min_periods: 3 },
      },
      { what: "intervals", interval: "week", least: 3 },
    ],
  ])("%j is %j in the period of the query", (fields, did) => {
    const { behavior, not } = read(fields);
    expect(behavior).toMatchObject({ event: "purchase", filters: [], did, within: null } as object);
    expect(not).toBe(false);
  });

  test.each<[fields: JsonObject, from: string, before: string, ever: boolean]>([
    [{ time_value: 30, time_interval: "day" }, "2026-10-22", "2026-11-22", false],
    [{ time_value: 1, time_interval: "month" }, "2026-10-21", "2026-11-22", false],
    [{ explicit_datetime: "-7d" }, "2026-11-14", "2026-11-22", false],
    [
      { explicit_datetime: "2026-01-05", explicit_datetime_to: "2026-02-01" },
      ...(["2026-01-05", "2026-02-02", false] as const),
    ],
    [{ explicit_datetime: "all" }, "2026-11-21", "2026-11-22", true],
    [
      { explicit_datetime: "all", explicit_datetime_to: "2026-02-01" },
      ...(["2026-02-01", "2026-02-02", true] as const),
    ],
  ])("%j has its own time, from %s to before %s", (fields, from, before, ever) => {
    const { within } = read(fields).behavior;
    expect([within?.period.from.slice(0, 10), within?.period.before.slice(0, 10)]).toEqual([
      ...[from, before],
    ]);
    expect(within?.ever).toBe(ever);
  });

  test("is taken as PostHog's clients send it, also in groups and of any event", () => {
    const sent = {
      ...{ ...base, key: null, negation: true, bytecode: ["_h"], conditionHash: "ab" },
      ...{ explicit_datetime: null, explicit_datetime_to: null, label: "x", sort_key: "y" },
      ...{ seq_event: null, total_periods: null, time_value: null, time_interval: null },
      event_filters: [
        { key: "price", operator: "gt", value: 3, type: "event", label: "z" },
        { key: "plan", value: "pro", type: "person" },
      ],
    };
    const { series } = query({
      type: "OR",
      values: [sent, { key: "x", value: "y" }],
    }) as unknown as Read;
    const [found] = filtersIn<object>({ any: false, of: series.filters }).filter(isBehavior);
    expect(found).toMatchObject({ not: true, behavior: { event: null, within: null } });
    expect(found?.behavior.filters).toHaveLength(2);
  });

  test.each<[fields: JsonObject, code: string, attr: string, part: string]>([
    [{ value: "performed_often" }, "invalid_choice", "value", "performed_event_multiple"],
    [{ event_type: "actions" }, "invalid_choice", "event_type", "Actions are not known"],
    [{ value: "performed_event_multiple" }, "required", "operator_value", "required"],
    [
      { value: "performed_event_multiple", operator_value: -1 },
      ...([
        "invalid_input",
        "operator_value",
        "operator_value is -1: a whole number from 0",
      ] as const),
    ],
    [{ operator: "lte" }, "invalid_choice", "operator", "One of gte"],
    [
      { operator_value: 2 },
      "invalid_input",
      "operator_value",
      "the value performed_event_multiple",
    ],
    [
      { value: "performed_event_sum", operator_value: 2 },
      ...(["required", "sum_property", "required"] as const),
    ],
    [{ sum_property: "x" }, "invalid_input", "sum_property", "performed_event_sum"],
    [{ min_periods: 2 }, "invalid_input", "min_periods", "performed_event_regularly"],
    [{ total_periods: 2 }, "invalid_input", "total_periods", "write min_periods"],
    [
      { value: "performed_event_regularly", min_periods: 2 },
      ...(["required", "time_interval", "required"] as const),
    ],
    [
      { value: "performed_event_regularly", min_periods: 2, time_interval: "day", time_value: 3 },
      ...(["invalid_input", "time_value", "time_value is 3: only 1 is taken"] as const),
    ],
    [{ time_interval: "day" }, "required", "time_value", "required"],
    [{ time_value: 3, time_interval: "hour" }, "invalid_choice", "time_interval", "day, week"],
    [
      { time_value: 3, explicit_datetime: "-3d" },
      ...(["invalid_input", "explicit_datetime", "not both"] as const),
    ],
    [{ explicit_datetime_to: "-3d" }, "required", "explicit_datetime", "required"],
    [{ explicit_datetime: "soon" }, "invalid_input", "explicit_datetime", "2026-11-21"],
    [{ negation: "no" }, "invalid_input", "negation", "true or false"],
    [{ event_filters: [base] }, "invalid_input", "event_filters", "not taken here"],
  ])("%j is refused with %s", (fields, code, attr, part) => {
    const [found, blamed, detail] = refused(fields);
    expect([found, blamed]).toEqual([code, `query__series__0__properties__${attr}`]);
    expect(detail).toContain(part);
  });

  test("is refused beyond ten in one list", () => {
    expect(() => query(Array.from({ length: 11 }, () => base))).toThrow("At most 10 behavioral");
  });
});
