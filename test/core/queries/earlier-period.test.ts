import { describe, expect, test } from "bun:test";
import { earlierPeriod, previousPeriod } from "../../../src/core/queries/earlier-period.ts";
import type { Interval } from "../../../src/core/queries/intervals.ts";
import { periodOf } from "../../../src/core/queries/period.ts";

/** A Saturday noon. */
const NOW = Date.parse("2026-11-21T12:00:00Z");

const period = (
  date_from: string,
  date_to: string | null = null,
  {
    interval = "day",
    timezone = "UTC",
    explicitDate = false,
  }: { interval?: Interval; timezone?: string; explicitDate?: boolean } = {},
) => periodOf({ date_from, date_to, explicitDate }, { interval, timezone, now: NOW });

describe("the period before", () => {
  test.each([
    ["2026-10-25T00:10:00Z", "2026-10-24T02:10"],
    ["2026-10-25T01:10:00Z", "2026-10-24T02:10"],
  ])("that ends %s is compared with one that ends as late by the clock", (to, before) => {
    const divided = { timezone: "Europe/Berlin", interval: "day" } as const;
    const exact = period("2026-10-25", to, { ...divided, explicitDate: true });
    const previous = previousPeriod(exact, divided);
    expect(previous.before.slice(0, 16)).toBe(before);
    expect(previous.instants.before?.slice(0, 16)).toBe("2026-10-24T00:10");
  });

  test.each([
    ["-7d", null, "2026-11-06T00:00", "2026-11-13T13:00"],
    ["-0d", null, "2026-11-20T00:00", "2026-11-20T13:00"],
    ["-7d", "-1d", "2026-11-07T00:00", "2026-11-14T00:00"],
    ["2026-11-22", "2026-11-23", "2026-11-20T00:00", "2026-11-22T00:00"],
  ])("from %s to %s is compared as far as it has come", (from, to, start, end) => {
    const divided = { timezone: "UTC", interval: "day" } as const;
    const previous = previousPeriod(period(from, to, divided), divided, NOW);
    expect([previous.from.slice(0, 16), previous.before.slice(0, 16)]).toEqual([start, end]);
  });

  test("of exact hours up to now is compared with as many hours before", () => {
    const divided = { timezone: "UTC", interval: "day" } as const;
    const exact = period("-24h", null, { ...divided, explicitDate: true });
    const previous = previousPeriod(exact, divided);
    expect(previous.before.slice(0, 23)).toBe(exact.from.slice(0, 23));
    const ms = (text: string) => Date.parse(`${text.slice(0, 23)}Z`);
    expect(ms(previous.before) - ms(previous.from)).toBe(24 * 3_600_000);
  });

  test.each<[Interval, string, string, string, string]>([
    ["day", "2026-11-01", "2026-11-03", "2026-10-29T00:00", "2026-11-01T00:00"],
    ["week", "2026-11-09", "2026-11-22", "2026-10-26T00:00", "2026-11-09T00:00"],
    ["week", "2026-11-09", "2026-11-24", "2026-10-24T00:00", "2026-11-09T00:00"],
    ["month", "2026-01-01", "2026-03-31", "2025-10-01T00:00", "2026-01-01T00:00"],
    ["month", "2026-03-01", "2026-03-30", "2026-02-01T00:00", "2026-03-01T00:00"],
    ["month", "2026-03-01", "2026-04-09", "2026-01-23T00:00", "2026-03-01T00:00"],
    ["hour", "2026-03-01", "2026-03-01T05:30", "2026-02-28T00:00", "2026-02-28T05:30"],
    ["hour", "2026-03-01", "2026-03-02T05:30", "2026-02-27T00:00", "2026-02-28T05:30"],
    ["hour", "2026-03-01T04:00", "2026-03-01T05:30", "2026-03-01T02:00", "2026-03-01T03:30"],
  ])("by the %s from %s to %s, is before it %s to %s", (interval, from, to, start, end) => {
    const divided = { interval, timezone: "UTC" };
    const asked = period(from, to, divided);
    const before = previousPeriod(asked, divided);

    expect([before.from.slice(0, 16), before.before.slice(0, 16)]).toEqual([start, end]);
    expect(before.buckets).toHaveLength(asked.buckets.length);
  });

  test.each<[Interval, string, string, string, string]>([
    ["week", "2026-11-09", "2026-11-17T06:00", "2026-10-31T00:00", "2026-11-08T06:00"],
    ["day", "2026-03-01", "2026-03-02T05:30", "2026-02-27T00:00", "2026-02-28T05:30"],
    ["day", "2026-03-01T06:00", "2026-03-02T05:30", "2026-02-28T06:00", "2026-03-01T05:30"],
  ])("by the %s exactly from %s to %s, is before it %s to %s", (interval, from, to, start, end) => {
    const divided = { interval, timezone: "UTC" };
    const before = previousPeriod(period(from, to, { interval, explicitDate: true }), divided);

    expect([before.from.slice(0, 16), before.before.slice(0, 16)]).toEqual([start, end]);
  });

  test.each([
    ["-6d", null, "-1w", "2026-11-08T00:00", "2026-11-14T13:00"],
    ["-29d", null, "-5w", "2026-09-18T00:00", "2026-10-17T13:00"],
    ["2026-11-01", "2026-11-10", "-1m", "2026-10-01T00:00", "2026-10-11T00:00"],
    // A period that is not over counts as far as it has come, even if it is to last longer.
    ["mStart", "mEnd", "-1m", "2026-10-01T00:00", "2026-10-21T13:00"],
    ["2026-11-22", "2026-11-23", "-1w", "2026-11-15T00:00", "2026-11-17T00:00"],
  ])("from %s to %s, earlier by %s, has come as far", (from, to, age, start, end) => {
    const divided = { timezone: "UTC", interval: "day" } as const;
    const earlier = earlierPeriod(period(from, to, divided), age, divided, NOW);
    expect([earlier.from.slice(0, 16), earlier.before.slice(0, 16)]).toEqual([start, end]);
  });
});

describe("an earlier period", () => {
  test.each<[Interval, string, string | null, string, string, string, number]>([
    ["day", "-2d", null, "-1w", "2026-11-12", "2026-11-15", 3],
    ["day", "mStart", null, "-1m", "2026-10-01", "2026-10-22", 21],
    ["day", "2026-03-29", "2026-03-31", "-1m", "2026-02-28", "2026-03-01", 1],
    ["week", "-1wStart", "-1wEnd", "-1w", "2026-11-02", "2026-11-09", 1],
    ["month", "yStart", null, "-1y", "2025-01-01", "2025-11-22", 11],
    ["hour", "dStart", "dEnd", "-3d", "2026-11-18", "2026-11-19", 24],
  ])("by the %s of %s to %s is %s earlier", (interval, from, to, age, first, before, count) => {
    const one = period(from, to, { interval });
    expect(earlierPeriod(one, age, { interval, timezone: "UTC" })).toMatchObject({
      from: `${first}T00:00:00.000000`,
      before: `${before}T00:00:00.000000`,
      buckets: { length: count },
    });
  });

  test("is on the clock that the zone had", () => {
    const [timezone, interval] = ["Europe/Berlin", "day"] as const;
    const one = period("2026-10-28", "2026-10-29", { timezone });
    expect(one.clock).toEqual([{ until: null, ahead_s: 3600 }]);
    expect(earlierPeriod(one, "-1w", { interval, timezone })).toMatchObject({
      from: "2026-10-21T00:00:00.000000",
      clock: { 0: { ahead_s: 7200 } },
    });
  });
});
