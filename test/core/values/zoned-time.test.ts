import { expect, test } from "bun:test";
import { TIME_MS_MAX, TIME_MS_MIN } from "../../../src/core/values/time.ts";
import {
  clockPieces,
  hourStart,
  latestShown,
  parseTimeOrAge,
  timeSpan,
  wallClock,
} from "../../../src/core/values/zoned-time.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-03-31T12:00:00Z");

test.each([
  ["2026-11-21", "2026-11-21T00:00:00Z"],
  ["2026-11-21T10:00:00+02:00", "2026-11-21T08:00:00Z"],
  ["-24h", "2026-03-30T12:00:00Z"],
  ["-7d", "2026-03-24T12:00:00Z"],
  ["-2w", "2026-03-17T12:00:00Z"],
  ["-0d", "2026-03-31T12:00:00Z"],
  ["-1m", "2026-02-28T12:00:00Z"],
  ["-4m", "2025-11-30T12:00:00Z"],
  ["-2m", "2026-01-31T12:00:00Z"],
  ["-1y", "2025-03-31T12:00:00Z"],
  ["-1q", "2025-12-31T12:00:00Z"],
  ["-5M", "2026-03-31T11:55:00Z"],
])("%s is the time %s", (text, time) => {
  expect(parseTimeOrAge(text, NOW)).toBe(Date.parse(time));
});

test.each(["", "7d", "-7", "-d", "-7D", "-1.5d", "-7s", "-12345d", "yesterday", "2026-02-30"])(
  "%p is no time",
  (text) => {
    expect(parseTimeOrAge(text, NOW)).toBeUndefined();
  },
);

test.each([
  ["2026-03-31", false, "2026-03-31T00:00:00Z", DAY_MS],
  ["2026-03-31T10:00Z", false, "2026-03-31T10:00:00Z", 0.001],
  ["-24h", false, "2026-03-30T12:00:00Z", 0.001],
  ["-24h", true, "2026-03-30T00:00:00Z", DAY_MS],
  ["2026-03-31T10:00Z", true, "2026-03-31T10:00:00Z", 0.001],
])("%s, with ages as days: %p, spans from %s on %d ms", (text, agesAreDays, from, lasts) => {
  const time = Date.parse(from);
  expect(timeSpan(text, NOW, { agesAreDays })).toEqual({ from: time, before: time + lasts });
});

test("a span is undefined for other texts, and stays within the range of times", () => {
  expect(timeSpan("soon", NOW)).toBeUndefined();
  expect(timeSpan("-9999y", NOW)).toEqual({ from: TIME_MS_MIN, before: TIME_MS_MIN });
  expect(timeSpan("9999-12-31", NOW)?.before).toBe(TIME_MS_MAX);
});

const at = (text: string) => Date.parse(text);

test("a clock shows the time of its zone, to the fraction of a second, in any year", () => {
  expect(wallClock(-1, "Europe/Berlin")).toBe(3_600_000 - 1);
  // A microsecond before 1970 is in the second before.
  expect(wallClock(-999.5, "Europe/Berlin")).toBe(3_600_000 - 999.5);
  expect(wallClock(5, "UTC")).toBe(5);
  const early = at("0050-06-01T12:00:00Z");
  expect(Math.abs(wallClock(early, "Asia/Tokyo") - early)).toBeLessThan(12 * 3_600_000);
});

test("a clock goes evenly where it is neither put forward nor back", () => {
  const year = { from: at("2026-01-01T00:00:00Z"), before: at("2027-01-01T00:00:00Z") };

  expect(clockPieces("UTC", year)).toEqual([{ until: null, ahead_s: 0 }]);
  expect(clockPieces("Asia/Kathmandu", year)).toEqual([{ until: null, ahead_s: 20_700 }]);
});

test("a clock is put forward and back at the second", () => {
  const year = { from: at("2010-01-01T00:00:00Z"), before: at("2010-12-31T00:00:00Z") };

  // One minute after midnight.
  expect(clockPieces("America/St_Johns", year)).toEqual([
    { until: "2010-03-14T03:31:00.000000Z", ahead_s: -12_600 },
    { until: "2010-11-07T02:31:00.000000Z", ahead_s: -9000 },
    { until: null, ahead_s: -12_600 },
  ]);
});

test("the hour in which a clock is put back began then, and what it showed before was later", () => {
  // By half an hour, at 02:00.
  const shown = (text: string) => new Date(latestShown(at(text), "Australia/Lord_Howe")).toJSON();
  const began = (text: string) => new Date(hourStart(at(text), "Australia/Lord_Howe")).toJSON();

  expect(shown("2026-04-04T14:59:00Z")).toBe("2026-04-05T01:59:00.000Z");
  expect(shown("2026-04-04T15:10:00Z")).toBe("2026-04-05T02:00:00.000Z");
  expect(shown("2026-04-04T16:10:00Z")).toBe("2026-04-05T02:40:00.000Z");
  expect(began("2026-04-04T14:59:00Z")).toBe("2026-04-04T14:00:00.000Z");
  expect(began("2026-04-04T15:10:00Z")).toBe("2026-04-04T15:00:00.000Z");
  expect(began("2026-04-04T16:10:00Z")).toBe("2026-04-04T15:30:00.000Z");
});

test("a clock goes evenly before there were rules, and where no event can be", () => {
  const ever = { from: at("0001-01-01T00:00:00Z"), before: at("9999-12-31T00:00:00Z") };
  const pieces = clockPieces("Europe/Berlin", ever);

  expect(pieces[0]).toEqual({ until: "1893-03-31T23:06:32.000000Z", ahead_s: 3208 });
  expect(pieces.length).toBeGreaterThan(400);
  expect(pieces.at(-1)).toEqual({ until: null, ahead_s: 3600 });
});

test.each(["Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "America/Sao_Paulo"])(
  "the pieces are what the clock of %s shows, day and night for five years",
  (timezone) => {
    const [from, before] = [at("2014-01-01T00:00:00Z"), at("2019-01-01T00:00:00Z")];
    const pieces = clockPieces(timezone, { from, before });
    const wrong: number[] = [];
    for (let ms = from; ms < before; ms += 7 * 3_600_000) {
      const piece = pieces.find(({ until }) => until === null || ms < at(until));
      if (wallClock(ms, timezone) - ms !== (piece?.ahead_s ?? 0) * 1000) wrong.push(ms);
    }
    expect(wrong).toEqual([]);
  },
);
