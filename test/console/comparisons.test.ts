import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { boundsOf } from "../../src/console/state/bounds.ts";
import {
  type Comparison,
  compareFilterOf,
  comparisonIn,
} from "../../src/console/state/intervals.ts";
import { dayOfBound } from "../../src/console/state/ranges.ts";
import { earlierPeriod, previousPeriod } from "../../src/core/queries/earlier-period.ts";
import { periodOf } from "../../src/core/queries/period.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { flaws, place, queryIn, send } from "../support/start/insight-page.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");

/** A period with its days in UTC. */
function divided(period: string, interval: string) {
  const [from = "", to = ""] = boundsOf(period).map((one) => dayOfBound(one, new Date(NOW), "UTC"));
  return { period, interval, days: { from, to: to || "2026-11-30" } };
}

/** The days, weeks or months of a period, and those that a comparison has by the server. */
function comparedBy(comparison: Comparison, period: string, interval: "day" | "week" | "month") {
  const by = { interval, timezone: "UTC" };
  const [date_from = "", date_to = ""] = period.split("..");
  const range = { date_from, date_to: date_to || null };
  const shown = periodOf(range, { ...by, now: NOW });
  const { compare_to } = compareFilterOf(comparison, divided(period, interval));
  const before =
    compare_to === undefined
      ? previousPeriod(shown, by, NOW)
      : earlierPeriod(shown, compare_to, by, NOW);
  return { now: shown.buckets, before: before.buckets, compare_to };
}

test.each([
  // A leap year has 29 days in February, and the year before has 28.
  ["year-exact", "2024-02-01..2024-02-29", "day", "-1y", "2023-02-01", "2023-02-28"],
  ["year-exact", "2024-03-01..2024-03-07", "day", "-1y", "2023-03-01", "2023-03-07"],
  ["year", "2024-02-26..2024-03-03", "day", "-52w", "2023-02-27", "2023-03-05"],
  ["year", "2025-02-24..2025-03-02", "day", "-52w", "2024-02-26", "2024-03-03"],
  ["year", "2024-02-26..2024-03-10", "week", "-52w", "2023-02-27", "2023-03-06"],
  ["year-exact", "2024-02-26..2024-03-10", "week", "-52w", "2023-02-27", "2023-03-06"],
  ["year", "2024-01-01..2024-12-31", "month", "-1y", "2023-01-01", "2023-12-01"],
  ["year", "-1mStart..-1mEnd", "day", "-1y", "2025-10-01", "2025-10-31"],
  ["previous", "-1mStart..-1mEnd", "day", "-1m", "2026-09-01", "2026-09-30"],
  ["previous", "-1qStart..-1qEnd", "month", "-3m", "2026-04-01", "2026-06-01"],
  ["previous", "yStart", "month", "-12m", "2025-01-01", "2025-11-01"],
  ["previous", "2026-11-01..2026-11-30", "day", "-5w", "2026-09-27", "2026-10-26"],
  ["previous-exact", "2026-11-01..2026-11-30", "day", "-30d", "2026-10-02", "2026-10-31"],
  ["-13w", "2026-11-01..2026-11-30", "day", "-13w", "2026-08-02", "2026-08-31"],
] as const)("%s of %s by the %s is %s", (comparison, period, interval, age, first, last) => {
  const { now, before, compare_to } = comparedBy(comparison, period, interval);
  expect(compare_to).toBe(age);
  expect([before[0], before.at(-1)]).toEqual([first, last]);
  const weekday = (day = "") => new Date(day).getUTCDay();
  if (/w$/.test(age)) expect(before.map(weekday)).toEqual(now.map(weekday));
});

test.each([
  ["previous", "30d", "day"],
  ["previous-exact", "30d", "day"],
  ["previous", "24h", "hour"],
  ["previous-exact", "24h", "hour"],
  ["year", "30d", "day"],
  ["year-exact", "7d", "day"],
  ["year", "-11mStart", "day"],
  ["previous", "-11mStart", "week"],
  ["-3m", "7d", "day"],
  ["none", "7d", "day"],
] as const)("the query of %s over %s by the %s is read as that", (comparison, period, interval) => {
  const filter = compareFilterOf(comparison, divided(period, interval));
  expect(comparisonIn(filter, divided(period, interval))).toBe(comparison);
});

const server = sharedServer();
const DAY_MS = 86_400_000;
let browser: Browser;
let opened: Console;

/** Purchases at 00:00 of each of 400 days: numbers that come again after neither a week nor a year. */
const DAYS = Array.from({ length: 400 }, (_, back) =>
  new Date((Math.floor(Date.now() / DAY_MS) - back) * DAY_MS).toISOString(),
);
const soldOn = (time: string) => 1 + ((Date.parse(time) / DAY_MS) % 11);
const EVENTS = DAYS.flatMap((timestamp) =>
  Array.from({ length: soldOn(timestamp) }, () => ({
    event: "purchase",
    distinct_id: "ann",
    timestamp,
  })),
);

beforeAll(async () => {
  browser = await launchChromium();
  for (let at = 0; at < EVENTS.length; at += 1000) {
    await server.capture({ api_key: PROJECT_KEY, batch: EVENTS.slice(at, at + 1000) }, "/batch/");
  }
  await server.stored(EVENTS.length);
  opened = await openConsole(browser, server);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

const series = [{ kind: "EventsNode", event: "purchase", math: "total" }];
const trend = (more: object = {}) => ({ kind: "TrendsQuery", interval: "day", series, ...more });
const dateRange = { date_from: "-6d" };
const BOLD = { trendsFilter: { display: "BoldNumber" } };

/** The purchases of days so many days ago, counted by a plain loop. */
const sold = (from: number, to: number) =>
  DAYS.slice(to, from + 1).reduce((sum, day) => sum + soldOn(day), 0);

describe("an insight", () => {
  test("is compared with the year before by weekdays, or by dates, or with any time earlier", async () => {
    const { page, go, problems, overflow } = opened;
    await go(place(trend({ dateRange, ...BOLD })));
    const said = (text: string) => page.locator(".answer-foot").getByText(text).waitFor();
    const against = (number: number) =>
      page
        .locator(".change")
        .getByText(new RegExp(`from ${number}\\b`))
        .waitFor();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.getByLabel("Compare with").selectOption("year");
    await said("compared to 52 weeks earlier");
    await against(sold(6 + 364, 364));
    expect(queryIn(page)).toMatchObject({ compareFilter: { compare: true, compare_to: "-52w" } });
    await page.getByLabel("Match weekdays").uncheck();
    await said("compared to 1 year earlier");
    const yearAgo = (back: number) => {
      const day = new Date(DAYS[back] ?? "");
      day.setUTCFullYear(day.getUTCFullYear() - 1);
      return DAYS.findIndex((one) => one.slice(0, 10) === day.toISOString().slice(0, 10));
    };
    await against(sold(yearAgo(6), yearAgo(0)));
    await page.getByRole("button", { name: "vs last year" }).waitFor();
    await page.getByLabel("Compare with").selectOption("custom");
    await page.getByLabel("Number").fill("0");
    await page.getByText("Write a number from 1 to 999.").waitFor();
    await page.getByLabel("Number").fill("3");
    await said("compared to 3 weeks earlier");
    await against(sold(6 + 21, 21));
    expect(await page.getByLabel("Match weekdays").count()).toBe(0);
    expect(await flaws(opened)).toEqual([]);
    expect(await overflow()).toBe(0);
    await page.getByLabel("Compare with").selectOption("none");
    await page.locator(".change").waitFor({ state: "detached" });
    expect(queryIn(page)).toMatchObject({ compareFilter: {} });
    expect(problems).toEqual([]);
  });

  test("keeps another's comparison, and follows the period and the interval with its own", async () => {
    const { page, go } = opened;
    const compareFilter = { compare: true, compare_to: "-52w" };
    await go(place(trend({ dateRange, compareFilter })));
    await page.getByRole("button", { name: "vs last year" }).click();
    await page.getByRole("menuitemradio", { name: "Last month" }).click();
    await page.locator(".answer-foot").getByText("compared to 1 year earlier").waitFor();
    await page.getByLabel("Interval", { exact: true }).selectOption("week");
    await page.locator(".answer-foot").getByText("compared to 52 weeks earlier").waitFor();
    expect(queryIn(page)).toMatchObject({ interval: "week", compareFilter });
  });
});

test("a dashboard compares its tiles in the address, and does not save it", async () => {
  const { page, go, problems } = opened;
  const { id } = await send<{ id: number }>(server, "POST", "dashboards/", { name: "Sales" });
  const query = trend({ dateRange, compareFilter: { compare: true }, ...BOLD });
  await send(server, "POST", "insights/", { name: "Sold", query, dashboards: [id] });
  await go(`dashboards/${id}/`);
  const from = (number: number) =>
    page
      .locator(".change")
      .getByText(new RegExp(`from ${number}\\b`))
      .waitFor();
  await from(sold(13, 7));
  await page.keyboard.press("w");
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await page.getByLabel("Compare with").selectOption("year");
  await from(sold(6 + 364, 364));
  await page.getByText("a dashboard does not save it").waitFor();
  expect(new URL(page.url()).searchParams.get("compare")).toBe("year");
  await page.keyboard.press("Escape");
  await page.keyboard.press("x");
  await page.locator(".change").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Reset" }).click();
  await from(sold(13, 7));
  expect(new URL(page.url()).search).toBe("");
  expect(problems).toEqual([]);
});
