import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import {
  dateRangeOf,
  PERIODS,
  periodOfRange,
  plainPeriod,
} from "../../src/console/state/bounds.ts";
import { rangeName } from "../../src/console/state/ranges.ts";
import { previousPeriod } from "../../src/core/queries/earlier-period.ts";
import { periodOf as rangeOf } from "../../src/core/queries/period.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { openConsole } from "../support/start/console.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
  const event = { event: "$pageview", distinct_id: "ann" };
  await server.capture({ api_key: PROJECT_KEY, ...event }, "/i/v0/e/");
  await server.stored(1);
});

afterAll(() => browser?.close());

const DAY_MS = 86_400_000;
const DIVIDED = { interval: "day", timezone: "UTC" } as const;

/** Days of a query's range at a time, and those that it is compared with. */
function daysOf(from: string, now: number): [days: string[], before: string[]] {
  const range = { date_from: from, date_to: null };
  const period = rangeOf(range, { ...DIVIDED, now });
  return [period.buckets, previousPeriod(period, DIVIDED, now).buckets];
}

const weekday = (day: string) => new Date(day).getUTCDay();

test.each([7, 14, 30, 90])("the last %i days are today and the days before", (count) => {
  const period = `${count}d`;
  expect(PERIODS.find(({ value }) => value === period)?.label).toBe(`Last ${count} days`);
  const { date_from } = dateRangeOf(period);
  expect(date_from).toBe(`-${count - 1}d`);
  const [days, before] = daysOf(date_from, Date.parse("2026-11-21T13:00:00Z"));
  expect(days).toHaveLength(count);
  expect(days.at(-1)).toBe("2026-11-21");
  expect(before).toHaveLength(count);
  if (count % 7 === 0) expect(before.map(weekday)).toEqual(days.map(weekday));
});

test.each([
  ["-7d", "8d", "Last 8 days"],
  ["-30d", "31d", "Last 31 days"],
  ["-6d", "7d", "Last 7 days"],
  ["-1d", "2d", "Last 2 days"],
  ["-23h", "24h", "Last 24 hours"],
  ["-24h", "25h", "Last 25 hours"],
  ["-7wStart", "-7wStart", "Last 8 weeks"],
  ["-2mStart", "-2mStart", "Last 3 months"],
  ["all", "all", "All time"],
])("the bound %s of a query is the period %s, named %s", (from, period, name) => {
  expect(periodOfRange(from, "")).toBe(period);
  // In an address, the bound itself says the same.
  expect(plainPeriod(from)).toBe(period);
  expect(dateRangeOf(period)).toEqual({ date_from: from });
  expect(dateRangeOf(from)).toEqual({ date_from: from });
  expect(rangeName(from, "")).toBe(name);
});

test("a day alone is today", () => {
  for (const period of ["-0d", "1d", "-0dStart"]) expect(plainPeriod(period)).toBe("today");
  expect(periodOfRange("-0d", "")).toBe("today");
});

describe("in the browser", () => {
  const dayBack = (count: number) =>
    new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);

  test("a period has as many days as it says, and its arrows lead to the same weekdays", async () => {
    await using console = await openConsole(browser, server);
    const { page, problems, go } = console;
    await go("insights/new/");
    await page.getByRole("button", { name: "Last 30 days" }).click();
    await page.getByRole("menuitemradio", { name: "Last 14 days" }).click();
    await page.getByRole("button", { name: "Last 14 days" }).waitFor();
    await page.getByRole("tab", { name: "Table" }).click();
    await page.locator("tbody tr").nth(14).waitFor({ state: "detached" });
    expect(await page.locator("tbody tr").count()).toBe(14);
    const shown = () => {
      const q = new URL(page.url()).searchParams.get("q") ?? "{}";
      return (JSON.parse(q) as { dateRange: object }).dateRange;
    };
    expect(shown()).toEqual({ date_from: "-13d" });
    await page.getByRole("button", { name: "Next period", disabled: true }).waitFor();
    await page.getByRole("button", { name: "Previous period" }).click();
    await page.getByRole("button", { name: "Next period", disabled: false }).waitFor();
    await page.getByRole("button", { name: "Last 14 days" }).waitFor({ state: "detached" });
    expect(shown()).toEqual({ date_from: dayBack(27), date_to: dayBack(14) });
    await page.getByRole("button", { name: "Next period" }).click();
    await page.getByRole("button", { name: "Last 14 days" }).waitFor();
    expect(shown()).toEqual({ date_from: "-13d" });
    expect(problems).toEqual([]);
  });

  test("an address and a dashboard with -7d are 8 days, and say so", async () => {
    await using console = await openConsole(browser, server);
    const { page, problems, go } = console;
    const made = await fetch(`${server.url}/api/environments/1/dashboards/`, {
      method: "POST",
      headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Old", filters: { date_from: "-7d" } }),
    });
    const { id } = (await made.json()) as { id: number };
    for (const path of [`dashboards/${id}/`, "events/?period=-7d"]) {
      await go(path);
      await page.getByRole("button", { name: "Last 8 days" }).waitFor();
      expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
    }
    await go(`dashboards/${id}/`);
    await page.keyboard.press("w");
    await page.getByRole("button", { name: "Last 7 days" }).waitFor();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    const chosen = page.getByRole("menuitemradio", { name: "Last 7 days" });
    expect(await chosen.getAttribute("aria-checked")).toBe("true");
    expect(await console.findings()).toEqual([]);
    expect(problems).toEqual([]);
  });
});
