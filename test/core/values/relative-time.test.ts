import { expect, test } from "bun:test";
import { parseTimeOrAge, timeSpan } from "../../../src/core/values/relative-time.ts";
import { TIME_MS_MAX, TIME_MS_MIN } from "../../../src/core/values/time.ts";

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
