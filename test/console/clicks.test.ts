import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { drawn, lineAt } from "../../src/console/charts/series.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { place, send } from "../support/start/insight-page.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

const DAY_MS = 86_400_000;
const BROWSERS = ["Chrome", "Firefox", "Safari"];

/** Each day has another number of visitors: 1 to 5, three days ago none. Every second of them buys. */
const EVENTS = Array.from({ length: 40 }, (_, daysAgo) =>
  Array.from({ length: daysAgo === 3 ? 0 : 1 + ((daysAgo * 3) % 5) }, (_, at) => {
    const sent = {
      distinct_id: `person-${(daysAgo * 2 + at) % 23}`,
      timestamp: new Date(Date.now() - daysAgo * DAY_MS - at * 2000).toISOString(),
      properties: { $browser: BROWSERS[(daysAgo + at) % 3], $pathname: `/${at}` },
    };
    return at % 2 === 0
      ? [
          { event: "$pageview", ...sent },
          { event: "purchase", ...sent },
        ]
      : [{ event: "$pageview", ...sent }];
  }),
).flat(2);

beforeAll(async () => {
  browser = await launchChromium();
  await server.capture({ api_key: PROJECT_KEY, batch: EVENTS }, "/batch/");
  await server.stored(EVENTS.length);
  opened = await openConsole(browser, server);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

describe("the line at a place of a chart", () => {
  const now = { label: "now", data: [5, null, 4] };
  const before = { label: "now", data: [9, 8, 0], isBefore: true };
  const other = { label: "other", data: [1, null, 7] };

  test("is the nearest one of the period itself, however near the other period is", () => {
    const all = [now, before, other];
    expect(lineAt(all, 0, "line", { x: 0, y: 9 })).toBe(0);
    expect(lineAt(all, 0, "line", { x: 0, y: 2 })).toBe(2);
    expect(lineAt(all, 2, "line", { x: 2, y: 0 })).toBe(0);
    expect(lineAt([before, now], 0, "line", { x: 0, y: 9 })).toBe(1);
  });

  test("is undefined without a number of the period", () => {
    expect(lineAt([now, before, other], 1, "line", { x: 1, y: 8 })).toBeUndefined();
    expect(lineAt([now], 1, "bars", { x: 1, y: 0 })).toBeUndefined();
    expect(lineAt([], 0, "line", { x: 0, y: 0 })).toBeUndefined();
  });

  test("is the bar of its own, also that of the period before", () => {
    expect(lineAt([now, before], 0, "bars", { x: -0.3, y: 1 })).toBe(0);
    expect(lineAt([now, before], 0, "bars", { x: 0.3, y: 1 })).toBe(1);
  });

  test("is always drawn", () => {
    const many = Array.from({ length: 10 }, (_, at) => ({ label: `line ${at}`, data: [at] }));
    const shown = drawn(many);
    expect(shown).toHaveLength(8);
    expect(lineAt(shown, 0, "line", { x: 0, y: 9 })).toBe(7);
  });
});

type Lines = { label: string; data: (number | null)[]; compare_label?: string; days?: string[] }[];
type Answer = { columns: string[]; results: Lines };

const ask = (query: object) => send<Answer>(server, "POST", "query/", { query });
const node = (event: string | null, math = "dau", more: object = {}) => ({
  ...{ kind: "EventsNode", event, math },
  ...more,
});
const trend = (series: object[], more: object = {}) => ({
  ...{ kind: "TrendsQuery", interval: "day", dateRange: { date_from: "-6d" }, series },
  ...more,
});
const COMPARED = { compareFilter: { compare: true } };
const VISITORS = [node("$pageview")];

/** What the dialog says after a click on a chart: its heading and its number of persons; undefined if none opens. */
async function clicked(x: number, y: number): Promise<string | undefined> {
  const { page } = opened;
  const position = { x, y };
  await page.locator(".u-over").hover({ position });
  await page.locator(".u-over").click({ position });
  const dialog = page.getByRole("dialog");
  if ((await dialog.count()) === 0) return undefined;
  const title = await dialog.getByRole("heading").textContent();
  const count = await dialog.getByText(/^\d+ (person|people)$/).textContent();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  return `${title}: ${count}`;
}

/** The size of the plot once a query is shown. */
async function plotOf(query: object): Promise<{ width: number; height: number }> {
  const { page, go } = opened;
  await go(place(query));
  const box = await page.locator(".u-over").boundingBox();
  return box ?? { width: 0, height: 0 };
}

/** The names of days as titles have them, such as `24 Nov`. */
const named = (day: string, options: object = { day: "numeric", month: "short" }) =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }).format(
    new Date(`${day.slice(0, 10)}T00:00:00Z`),
  );

const counted = (count: number | null | undefined) =>
  count === 1 ? "1 person" : `${count ?? 0} people`;

describe("a click", () => {
  test.each([
    ["a line", trend(VISITORS), (day: string) => `Visitors, ${named(day)}`],
    ["compared lines", trend(VISITORS, COMPARED), (day: string) => `Visitors, ${named(day)}`],
    [
      "weeks",
      trend(VISITORS, { interval: "week", dateRange: { date_from: "-4wStart" }, ...COMPARED }),
      (day: string) => `Visitors, week of ${named(day)}`,
    ],
    [
      "months",
      trend(VISITORS, { interval: "month", dateRange: { date_from: "-1mStart" } }),
      (day: string) => `Visitors, ${named(day, { month: "long", year: "numeric" })}`,
    ],
    [
      "hours",
      trend(VISITORS, { interval: "hour", dateRange: { date_from: "-3h" } }),
      (day: string) => `Visitors, ${named(day)} ${day.slice(11, 16)}`,
    ],
  ])("on %s opens the day that it points to, wherever it is", async (_, query, titleOf) => {
    const { columns, results } = await ask(query);
    const { width, height } = await plotOf(query);
    const last = columns.length - 1;
    for (const [at, column] of columns.entries()) {
      const x = Math.min(width - 2, Math.max(2, (at * width) / last));
      // At the top a line of the period before may be nearest, or nothing at all.
      const said = await clicked(x, at % 2 === 0 ? 4 : height - 4);
      expect(said).toBe(`${titleOf(column)}: ${counted(results[0]?.data[at])}`);
    }
  });

  test("opens the line itself, of a breakdown and of series that differ in their filters alone", async () => {
    const { page, go } = opened;
    const only = (value: string) => ({
      properties: [{ key: "$browser", value, type: "event", operator: "exact" }],
    });
    const series = BROWSERS.map((value) => node("$pageview", "dau", only(value)));
    const breakdownFilter = { breakdown: "$browser", breakdown_type: "event" };
    const query = trend(series, { breakdownFilter, trendsFilter: { display: "ActionsBarValue" } });
    const { results } = await ask(query);
    await go(place(query));
    const rows = page.locator(".bar-list button");
    expect(await rows.count()).toBe(3);
    for (const [at, { data }] of results.entries()) {
      await rows.nth(at).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(counted(data[0]), { exact: true }).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });

  test("on the bar of the period before opens that one", async () => {
    const query = trend(VISITORS, { ...COMPARED, trendsFilter: { display: "ActionsBar" } });
    const { columns, results } = await ask(query);
    const { width, height } = await plotOf(query);
    const middle = (5.5 * width) / columns.length;
    const step = width / columns.length;
    const [now, before] = results;
    expect(await clicked(middle - 0.2 * step, height - 4)).toBe(
      `Visitors, ${named(columns[5] ?? "")}: ${counted(now?.data[5])}`,
    );
    expect(await clicked(middle + 0.2 * step, height - 4)).toBe(
      `Visitors, ${named(before?.days?.[5] ?? "")}: ${counted(before?.data[5])}`,
    );
  });

  test("opens nothing where a number has no persons of its own", async () => {
    const { page, go } = opened;
    const series = [node("purchase"), node("$pageview")];
    const formula = {
      trendsFilter: { formula: "A / B * 100", aggregationAxisFormat: "percentage" },
    };
    await go(place(trend(series, formula)));
    await page.locator(".plot").waitFor();
    expect(await page.locator(".plot.can-pick").count()).toBe(0);
    // Its name says what it calculates.
    await page
      .locator(".legend-name")
      .getByText("People with purchases as a share of visitors", { exact: true })
      .waitFor();
    const display = { trendsFilter: { ...formula.trendsFilter, display: "BoldNumber" } };
    await go(place(trend(series, display)));
    await page.locator(".number-value").waitFor();
    expect(await page.locator(".number-value button").count()).toBe(0);
  });

  test("on the last point opens the running day of the project's zone", async () => {
    const { page } = opened;
    const setZone = (timezone: string) =>
      fetch(`${server.url}/api/projects/1/`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ timezone }),
      });
    for (const timezone of ["Pacific/Kiritimati", "America/Los_Angeles"]) {
      await setZone(timezone);
      const { columns, results } = await ask(trend(VISITORS, COMPARED));
      const { width } = await plotOf(trend(VISITORS, COMPARED));
      const today = new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(new Date());
      expect(columns.at(-1)).toBe(today);
      expect(await clicked(width - 2, 4)).toBe(
        `Visitors, ${named(today)}: ${counted(results[0]?.data.at(-1))}`,
      );
    }
    await setZone("UTC");
    expect(opened.problems).toEqual([]);
    await page.keyboard.press("Escape");
  });
});
