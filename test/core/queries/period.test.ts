import { describe, expect, test } from "bun:test";
import type { Interval } from "../../../src/core/queries/intervals.ts";
import {
  BUCKETS_MAX,
  periodOf,
  shownPeriod,
  withIntervalBefore,
} from "../../../src/core/queries/period.ts";

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

describe("the time of an insight", () => {
  test.each<[Interval, string, string[]]>([
    ["day", "-2d", ["2026-11-19", "2026-11-20", "2026-11-21"]],
    ["week", "-7d", ["2026-11-09", "2026-11-16"]],
    ["month", "-2m", ["2026-09-01", "2026-10-01", "2026-11-01"]],
  ])("has whole intervals, by the %s", (interval, from, buckets) => {
    expect(period(from, null, { interval }).buckets).toEqual(buckets);
  });

  test("begins and ends where it says, days included whole", () => {
    expect(period("2026-11-01", "2026-11-02")).toEqual({
      from: "2026-11-01T00:00:00.000000",
      before: "2026-11-03T00:00:00.000000",
      buckets: ["2026-11-01", "2026-11-02"],
      clock: [{ until: null, ahead_s: 0 }],
      instants: {},
    });
    const open = period("-2h", null, { interval: "hour" });
    expect(open.buckets).toHaveLength(3);
    expect(open.before.slice(14)).toBe("00:00.000000");
    const hours = period("-2h", "2026-11-21T11:30:00Z", { interval: "hour" });
    expect(hours).toMatchObject({
      from: "2026-11-21T10:00:00.000000",
      before: "2026-11-21T11:30:00.000001",
      buckets: ["2026-11-21 10:00", "2026-11-21 11:00"],
    });
  });

  test.each([
    ["dStart", null, "2026-11-21", "2026-11-22"],
    ["-1dStart", "-1dEnd", "2026-11-20", "2026-11-21"],
    ["-1wStart", "-1wEnd", "2026-11-09", "2026-11-16"],
    ["mStart", null, "2026-11-01", "2026-11-22"],
    ["-1mStart", "-1mEnd", "2026-10-01", "2026-11-01"],
    ["-1qStart", "-1qEnd", "2026-07-01", "2026-10-01"],
    ["yStart", "yEnd", "2026-01-01", "2027-01-01"],
  ])("may go from %s to %s", (from, to, first, before) => {
    expect(period(from, to)).toMatchObject({
      from: `${first}T00:00:00.000000`,
      before: `${before}T00:00:00.000000`,
    });
  });

  test("is on the clock of the time zone", () => {
    const auckland = { timezone: "Pacific/Auckland" };
    expect(period("-0d", null, auckland).buckets).toEqual(["2026-11-22"]);
    const sent = period("2026-11-21T12:00:00Z", "2026-11-21T12:30:00Z", {
      ...auckland,
      interval: "hour",
    });
    expect(sent.buckets).toEqual(["2026-11-22 01:00"]);
  });

  // On this night Berlin's clock shows the hour from 02:00 twice, until 01:00 UTC and from then on.
  test.each([
    ["2026-10-25T00:10:00Z", "2026-10-25T02:30+02:00", "00:00", "00:30", "02:30", ""],
    ["2026-10-25T02:10:00+01:00", "2026-10-25T01:30Z", "01:00", "01:30", "03:00", "+01:00"],
    ["2026-10-24T23:50:00Z ", "2026-10-24T19:59:00-05:00", "23:00", "00:59", "02:59", ""],
  ])(
    "given as instants has these bounds, from %s to %s",
    (from, to, since, until, shown, offset) => {
      const berlin = { timezone: "Europe/Berlin", interval: "hour" } as const;
      const { instants, before, buckets } = shownPeriod(period(from, to, berlin));

      expect(instants).toEqual({
        from: `2026-10-2${since === "23:00" ? 4 : 5}T${since}:00.000000Z`,
        before: `2026-10-25T${until}:00.000001Z`,
      });
      expect(before.slice(11, 16)).toBe(shown);
      expect(buckets.at(-1)).toBe(`2026-10-25 02:00${offset}`);
    },
  );

  test("given as instants may not end before it begins, by any clock", () => {
    const berlin = { timezone: "Europe/Berlin", interval: "hour" } as const;
    expect(() => period("2026-10-25T01:10:00Z", "2026-10-25T00:50:00Z", berlin)).toThrow(
      "before it begins",
    );
  });

  test.each([
    ["yesterday", null, "query__dateRange__date_from"],
    ["-9999yStart", null, "query__dateRange__date_from"],
    ["-9999y", "-9998y", "query__dateRange__date_from"],
    ["-7d", "2026-02-30", "query__dateRange__date_to"],
    ["2026-11-21", "2026-11-20", "query__dateRange__date_to"],
    ["1000-01-01", null, "query__dateRange"],
  ])("is refused from %s to %s", (from, to, attr) => {
    expect(() => period(from, to)).toThrow(
      expect.objectContaining({ code: "invalid_input", attr }),
    );
  });

  test(`has at most ${BUCKETS_MAX} intervals, also where time ends`, () => {
    expect(period(`-${BUCKETS_MAX - 1}d`).buckets).toHaveLength(BUCKETS_MAX);
    expect(() => period(`-${BUCKETS_MAX}d`)).toThrow("at most");
    expect(period("9999-12-30", "9999-12-31").before).toBe("9999-12-31T23:59:59.999000");
  });

  test("may be so many intervals, up to its end", () => {
    const weeks = { interval: "week", timezone: "UTC", now: NOW } as const;
    const { from, buckets } = periodOf({ date_from: 2, date_to: "2026-11-08" }, weeks);
    expect({ from, buckets }).toEqual({
      from: "2026-10-26T00:00:00.000000",
      buckets: ["2026-10-26", "2026-11-02"],
    });
  });

  test("is not divided where nothing asks for it, and may be long then", () => {
    const asked = { interval: null, timezone: "UTC", now: NOW };
    expect(periodOf({ date_from: "-20y", date_to: null }, asked)).toMatchObject({
      from: "2006-11-21T00:00:00.000000",
      before: "2026-11-22T00:00:00.000000",
      buckets: [],
    });
  });

  test.each<[Interval, string, string, string, string]>([
    ["day", "2026-11-19T10:00", "2026-11-20", "2026-11-19T00:00", "2026-11-21T00:00"],
    ["day", "2026-11-19", "2026-11-20T00:00:00Z", "2026-11-19T00:00", "2026-11-21T00:00"],
    ["week", "2026-11-18", "2026-11-20T10:00", "2026-11-16T00:00", "2026-11-21T00:00"],
    ["hour", "2026-11-19T10:20", "2026-11-20", "2026-11-19T10:00", "2026-11-21T00:00"],
    ["hour", "2026-11-19T10:20", "2026-11-20T10:20", "2026-11-19T10:00", "2026-11-20T10:20"],
  ])("by the %s from %s to %s has whole days and intervals", (interval, from, to, start, end) => {
    const { from: begun, before } = period(from, to, { interval });

    expect([begun.slice(0, 16), before.slice(0, 16)]).toEqual([start, end]);
  });

  test.each<[Interval, string, string | null, string, string, string[]]>([
    [
      "day",
      "2026-11-19T10:00",
      "2026-11-20",
      "19T10:00:00.000000",
      "20T00:00:00.000001",
      ["19", "20"],
    ],
    ["week", "2026-11-18", "2026-11-20T10:00Z", "18T00:00:00.000000", "20T10:00:00.000001", ["16"]],
    ["day", "-1d", null, "20T12:00:00.000000", "21T12:00:00.000001", ["20", "21"]],
  ])("by the %s exactly from %s to %s has these bounds", (interval, from, to, start, end, days) => {
    const found = period(from, to, { interval, explicitDate: true });
    const day = (text: string) => text.replace("2026-11-", "");

    expect([found.from, found.before].map(day)).toEqual([start, end]);
    expect(found.buckets.map(day)).toEqual(days);
  });

  test("may begin one interval earlier", () => {
    const monthly = { interval: "month", timezone: "Europe/Berlin" } as const;
    const longer = withIntervalBefore(period("2026-11-01", null, monthly), monthly);

    expect(longer).toMatchObject({
      from: "2026-10-01T00:00:00.000000",
      buckets: ["2026-10-01", "2026-11-01"],
      clock: [
        { until: "2026-10-25T01:00:00.000000Z", ahead_s: 7200 },
        { until: null, ahead_s: 3600 },
      ],
    });
  });
});

test("all time begins with the day of the first event, on the clock of the zone", () => {
  const first = Date.parse("2026-11-18T23:30:00Z");
  const all = (timezone: string, one: number | undefined) =>
    periodOf(
      { date_from: "all", date_to: null },
      { interval: "day", timezone, now: NOW, first: one },
    ).buckets;
  expect(all("UTC", first)).toEqual(["2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21"]);
  expect(all("Europe/Berlin", first)).toEqual(["2026-11-19", "2026-11-20", "2026-11-21"]);
  expect(all("UTC", undefined)).toEqual(["2026-11-21"]);
  expect(() => period("2026-11-20", "all")).toThrow(/age/);
});
