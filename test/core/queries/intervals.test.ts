import { describe, expect, test } from "bun:test";
import { periodOf } from "../../../src/core/queries/period.ts";

const MINUTE_MS = 60_000;

/** Each zone, a day of it, its number of hours, and one that is not like others. */
const DAYS = [
  ["Europe/Berlin", "2026-10-25", 25, "2026-10-25 02:00+01:00"],
  ["Europe/Berlin", "2026-03-29", 23, "2026-03-29 03:00"],
  ["America/New_York", "2026-11-01", 25, "2026-11-01 01:00-05:00"],
  ["Australia/Sydney", "2026-04-05", 25, "2026-04-05 02:00+10:00"],
  ["Australia/Lord_Howe", "2026-04-05", 25, "2026-04-05 01:00+10:30"],
  ["Australia/Lord_Howe", "2026-10-04", 24, "2026-10-04 02:00"],
  ["America/Santiago", "2026-09-06", 23, "2026-09-06 01:00"],
  ["America/Santiago", "2026-04-04", 25, "2026-04-04 23:00-04:00"],
  ["Africa/Cairo", "2026-04-24", 23, "2026-04-24 01:00"],
  ["America/Havana", "2026-11-01", 25, "2026-11-01 00:00-05:00"],
  ["Asia/Beirut", "2026-03-29", 23, "2026-03-29 01:00"],
  ["Antarctica/Troll", "2026-03-29", 22, "2026-03-29 03:00"],
  ["Antarctica/Troll", "2026-10-25", 26, "2026-10-25 01:00+00:00"],
  ["Asia/Kathmandu", "2026-10-25", 24, "2026-10-25 02:00"],
  ["UTC", "2026-10-25", 24, "2026-10-25 02:00"],
] as const;

/** The hours of a day by a plain loop over its minutes, each as the clock shows it and its offset. */
function hoursOf(timeZone: string, day: string): Set<string> {
  const format = new Intl.DateTimeFormat("sv-SE", {
    ...({ timeZone, dateStyle: "short", timeStyle: "short" } as const),
  });
  const noon = Date.parse(`${day}T12:00:00Z`);
  const hours = new Set<string>();
  for (let at = noon - 2880 * MINUTE_MS; at < noon + 2880 * MINUTE_MS; at += MINUTE_MS) {
    const text = format.format(at);
    const ahead = Date.parse(`${text.replace(" ", "T")}Z`) - at;
    if (text.startsWith(day)) hours.add(`${text.slice(0, 13)} ${ahead}`);
  }
  return hours;
}

describe("a day by the hour", () => {
  test.each([...DAYS])(
    "in %s on %s has %d hours, each with its name",
    (timezone, day, count, name) => {
      const range = { date_from: day, date_to: day };
      const { buckets } = periodOf(range, { interval: "hour", timezone, now: 0 });

      expect(buckets).toContain(name);
      expect(buckets).toHaveLength(count);
      expect(new Set(buckets).size).toBe(count);
      expect(hoursOf(timezone, day).size).toBe(count);
      expect(buckets.map((one) => one.slice(0, 13))).toEqual(
        [...hoursOf(timezone, day)].map((one) => one.slice(0, 13)),
      );
    },
  );

  test.each([...DAYS])("in %s on %s is a part of the week around it", (timezone, day) => {
    const at = (days: number) =>
      new Date(Date.parse(day) + days * 1440 * MINUTE_MS).toISOString().slice(0, 10);
    const within = (date_from: string, date_to: string) =>
      periodOf({ date_from, date_to }, { interval: "hour", timezone, now: 0 }).buckets;

    const own = within(day, day);
    expect(within(at(-3), at(3)).filter((one) => own.includes(one))).toEqual(own);
  });
});
