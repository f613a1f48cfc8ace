import { expect, test } from "bun:test";
import { parseTimeOrAge } from "../../src/domain/relative-time.ts";

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
])("%s is the time %s", (text, time) => {
  expect(parseTimeOrAge(text, NOW)).toBe(Date.parse(time));
});

test.each(["", "7d", "-7", "-d", "-7D", "-1.5d", "-7s", "-12345d", "yesterday", "2026-02-30"])(
  "%p is no time",
  (text) => {
    expect(parseTimeOrAge(text, NOW)).toBeUndefined();
  },
);
