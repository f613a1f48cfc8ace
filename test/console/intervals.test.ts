import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { compareFilterOf, intervalOver } from "../../src/console/state/intervals.ts";
import { rangeName } from "../../src/console/state/ranges.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { NOTE_QUESTIONS, place, queryIn, questions, send } from "../support/start/insight-page.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

const DAY_MS = 86_400_000;

/** A purchase on each of 185 days, each day by another person; more of them on Sundays. */
const EVENTS = Array.from({ length: 185 }, (_, daysAgo) => {
  const time = new Date(Date.now() - daysAgo * DAY_MS);
  return Array.from({ length: time.getUTCDay() === 0 ? 3 : 1 }, (_one, at) => ({
    ...{
      event: "purchase",
      distinct_id: `person-${daysAgo}-${at}`,
      properties: { amount: 200 - daysAgo },
    },
    timestamp: time.toISOString(),
  }));
}).flat();

beforeAll(async () => {
  browser = await launchChromium();
  await server.capture({ api_key: PROJECT_KEY, batch: EVENTS }, "/batch/");
  await server.stored(EVENTS.length);
  opened = await openConsole(browser, server);
  await opened.page.addInitScript(`{${NOTE_QUESTIONS}}`);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

test.each([
  ["week", 7, "week"],
  ["week", 1, "week"],
  ["month", 7, "month"],
  ["day", 1, "hour"],
  ["day", 2, "hour"],
  ["day", 3, "day"],
  ["day", 365, "day"],
  ["day", 1001, "week"],
  ["hour", 7, "hour"],
  ["hour", 15, "day"],
])("a question by the %s is over %i days one by the %s", (own, days, shown) => {
  expect(intervalOver(own, days)).toBe(shown);
});

test.each([
  ["2026-11-23", "2026-11-29", "day", undefined],
  ["2026-10-31", "2026-11-29", "day", "-5w"],
  ["2026-09-01", "2026-11-29", "day", "-13w"],
  ["2026-11-29", "2026-11-29", "hour", "-1w"],
  ["2026-11-16", "2026-11-29", "day", undefined],
  // By the week, the period begins with the Monday before.
  ["2026-10-31", "2026-11-25", "week", "-5w"],
  ["2026-10-05", "2026-11-29", "week", undefined],
  ["2026-09-01", "2026-11-29", "month", "-3m"],
  ["2025-12-15", "2026-01-03", "month", "-2m"],
])("%s to %s by the %s is compared with %p", (from, to, interval, expected) => {
  const { compare_to } = compareFilterOf("previous", {
    ...{ period: `${from}..${to}`, days: { from, to }, interval },
  });
  expect(compare_to).toBe(expected);
  const weeks = Number(/^-(\d+)w$/.exec(expected ?? "")?.[1] ?? 0);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  // Nothing is compared with itself.
  if (weeks > 0) expect(weeks * 7).toBeGreaterThanOrEqual(days);
});

test.each([
  ["-8w", "Last 57 days"],
  ["-1w", "Last 8 days"],
  ["-8wStart", "Last 9 weeks"],
])("the bound %s is named %s, as in the sentence of the server", (from, name) => {
  expect(rangeName(from, "")).toBe(name);
});

const series = [{ kind: "EventsNode", event: "purchase", math: "sum", math_property: "amount" }];
const trend = (more: object) => ({ kind: "TrendsQuery", series, interval: "week", ...more });
const tile = (page: Page, name: string) =>
  page.locator(".tile").filter({ has: page.getByRole("heading", { name, exact: true }) });

type Query = { interval: string; compareFilter?: object; dateRange: object };
type Asked = { query: Query & { trendsFilter?: { display?: string } } };
type Line = { days: string[]; aggregated_value: number; compare_label: string };

/** Opens a dashboard over a period; returns the queries that its tiles ask, by the display that they have. */
async function tilesOver(id: number, period: string): Promise<Map<string, Query>> {
  const { page, go } = opened;
  await go(`dashboards/${id}/?period=${period}`);
  const asked = (await questions(page)).map((one): Asked => JSON.parse(one));
  return new Map(asked.map(({ query }) => [query.trendsFilter?.display ?? "lines", query]));
}

describe("a dashboard", () => {
  let id: number;

  beforeAll(async () => {
    ({ id } = await send<{ id: number }>(server, "POST", "dashboards/", { name: "Sales" }));
    const insights = {
      "Revenue per week": trend({ dateRange: { date_from: "-7wStart" } }),
      "Revenue per day": trend({
        ...{ interval: "day", dateRange: { date_from: "-6d" } },
        ...{ compareFilter: { compare: true }, trendsFilter: { display: "ActionsBar" } },
      }),
      Revenue: trend({
        ...{ interval: "day", compareFilter: { compare: true } },
        trendsFilter: { display: "BoldNumber" },
      }),
    };
    for (const [name, query] of Object.entries(insights)) {
      await send(server, "POST", "insights/", { name, query, dashboards: [id] });
    }
  });

  test.each(["7d", "today", "30d", "90d"])(
    "keeps weeks over %s, and says another interval in the head of the tile",
    async (period) => {
      const asked = await tilesOver(id, period);
      const { page } = opened;
      expect(asked.get("lines")?.interval).toBe("week");
      expect(await tile(page, "Revenue per week").getByText(/^by /).count()).toBe(0);
      const isHourly = period === "today";
      expect(asked.get("ActionsBar")?.interval).toBe(isHourly ? "hour" : "day");
      const said = tile(page, "Revenue per day").getByText("by hour", { exact: true });
      expect(await said.count()).toBe(isHourly ? 1 : 0);
      expect(await tile(page, "Revenue").getByText(/^by /).count()).toBe(0);
    },
  );

  test.each([
    ["7d", { compare: true }],
    ["30d", { compare: true, compare_to: "-5w" }],
    ["90d", { compare: true, compare_to: "-13w" }],
  ])("compares %s by weekdays, numbers and lines alike", async (period, compareFilter) => {
    const asked = await tilesOver(id, period);
    const query = asked.get("ActionsBar");
    expect(query?.compareFilter).toEqual(compareFilter);
    expect(asked.get("BoldNumber")?.compareFilter).toEqual(compareFilter);
    const over = {
      dashboard: id,
      filters_override: { date_from: `-${Number.parseInt(period, 10) - 1}d` },
    };
    const { results } = await send<{ results: Line[] }>(server, "POST", "query/", {
      query,
      ...over,
    });
    const [now, before] = results;
    const weekdays = (line?: Line) => line?.days.map((day) => new Date(day).getUTCDay());
    expect(weekdays(before)).toEqual(weekdays(now));
    const { page } = opened;
    const number = await tile(page, "Revenue").locator(".change").textContent();
    expect((number ?? "").replace(/\s+/g, " ")).toContain(
      `from ${before?.aggregated_value.toLocaleString("en-US")}`,
    );
    await tile(page, "Revenue")
      .getByText(/^against \d+ \w+ to \d+ \w+/)
      .waitFor();
    expect(await opened.overflow()).toBe(0);
  });
});

test("an insight keeps its weeks over another period, its comparison follows, and its interval can be chosen", async () => {
  const { page, go, problems } = opened;
  const dateRange = { date_from: "-7wStart" };
  await go(place(trend({ dateRange })));
  await page.getByRole("button", { name: "Last 8 weeks" }).click();
  await page.getByRole("menuitemradio", { name: "Last 30 days" }).click();
  await page.getByRole("button", { name: "Last 30 days" }).waitFor();
  expect(queryIn(page)).toMatchObject({ interval: "week", dateRange: { date_from: "-29d" } });
  await page.getByLabel("Interval", { exact: true }).selectOption("day");
  await page.keyboard.press("x");
  await page.locator(".answer-foot").getByText("compared to 5 weeks earlier").waitFor();
  expect(queryIn(page)).toMatchObject({
    ...{ interval: "day", compareFilter: { compare: true, compare_to: "-5w" } },
  });
  await page.getByRole("button", { name: "Last 30 days" }).click();
  await page.getByRole("menuitemradio", { name: "Last 14 days" }).click();
  await page.locator(".answer-foot").getByText("compared to the period before").waitFor();
  expect(queryIn(page)).toMatchObject({ compareFilter: { compare: true } });
  // One of its own stays.
  const own = { compare: true, compare_to: "-1y" };
  await go(place(trend({ interval: "day", dateRange: { date_from: "-6d" }, compareFilter: own })));
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await page.getByRole("menuitemradio", { name: "Last 30 days" }).click();
  await page.getByRole("button", { name: "Last 30 days" }).waitFor();
  expect(queryIn(page)).toMatchObject({ compareFilter: own });
  expect(problems).toEqual([]);
});

test("weeks back have one name, on the button and in the sentence", async () => {
  const { page, go } = opened;
  await go(place(trend({ dateRange: { date_from: "-8w" } })));
  await page.getByRole("button", { name: "Last 9 weeks" }).waitFor();
  await page.locator(".answer-foot").getByText("last 9 weeks").waitFor();
  await go(place(trend({ interval: "day", dateRange: { date_from: "-8w" } })));
  await page.getByRole("button", { name: "Last 57 days" }).waitFor();
  await page.locator(".answer-foot").getByText("last 57 days").waitFor();
});
