import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { BOUGHT, captureBuyers, flaws, place, queryIn } from "../support/start/insight-page.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

beforeAll(async () => {
  browser = await launchChromium();
  await captureBuyers(server);
  opened = await openConsole(browser, server);
});

afterAll(() => browser?.close());

const STEPS = {
  kind: "FunnelsQuery",
  series: [
    { kind: "EventsNode", event: "signup" },
    { kind: "EventsNode", event: "purchase" },
  ],
  dateRange: { date_from: "-6d" },
};

test("a funnel over time is a line of percent, whose points lead to their persons", async () => {
  const { page, problems, go } = opened;
  const funnelsFilter = {
    ...{ funnelVizType: "trends", funnelWindowInterval: 2, funnelWindowIntervalUnit: "day" },
  };
  await go(place({ ...STEPS, interval: "day", funnelsFilter }));
  await page.getByRole("application").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.locator(".tip").getByText("66.7%").waitFor();
  expect(await page.getByLabel("Chart type").inputValue()).toBe("trends");
  expect(await page.getByLabel("Within", { exact: true }).inputValue()).toBe("2");
  expect(await flaws(opened)).toEqual([]);
  await page.getByRole("application").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 people", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Table" }).click();
  await page.getByRole("cell", { name: "66.7%" }).waitFor();

  // What has no control stays when another field is changed.
  await page.getByRole("button", { name: "Step", exact: true }).click();
  expect(queryIn(page)).toMatchObject({ interval: "day", funnelsFilter });
  expect(problems).toEqual([]);
});

test("times to convert are bars below their average or their median", async () => {
  const { page, problems, go } = opened;
  const funnelsFilter = { funnelVizType: "time_to_convert", binCount: 2 };
  await go(place({ ...STEPS, funnelsFilter }));
  await page.getByText("Average time", { exact: true }).waitFor();
  await page.locator(".number-value").getByText("30 s").waitFor();
  await page.getByRole("application").focus();
  await page.keyboard.press("Home");
  await page.locator(".tip-head").getByText("from 20 s").waitFor();
  await page.locator(".legend").getByText("People").waitFor();
  expect(await flaws(opened)).toEqual([]);
  await go(
    place({ ...STEPS, funnelsFilter: { ...funnelsFilter, timeToConvertAggregation: "median" } }),
  );
  await page.getByText("Median time", { exact: true }).waitFor();

  // Steps have no bins and no times.
  await page.getByLabel("Chart type").selectOption("steps");
  await page.getByRole("button", { name: "Step", exact: true }).waitFor();
  expect(queryIn(page)).toHaveProperty("funnelsFilter", {});
  expect(problems).toEqual([]);
});

/** A trend with many fields. */
const RICH = {
  kind: "TrendsQuery",
  series: [
    {
      ...{ kind: "EventsNode", event: "purchase", math: "hogql", name: "bought" },
      math_hogql: "count(DISTINCT properties.sku)",
      properties: [{ key: "amount", type: "event", operator: "gte", value: 5 }],
    },
    { kind: "EventsNode", event: "signup", math: "first_time_for_user" },
  ],
  interval: "day",
  dateRange: { date_from: "-6d" },
  properties: {
    type: "AND",
    values: [
      {
        type: "AND",
        values: [
          { ...BOUGHT, event_filters: [{ key: "amount", type: "event", value: 1 }] },
          { type: "hogql", key: "toDayOfWeek(timestamp) IN (6, 7)" },
        ],
      },
    ],
  },
  breakdownFilter: { breakdown: "toHour(timestamp)", breakdown_type: "hogql", breakdown_limit: 24 },
  trendsFilter: {
    ...{ formula: "A / B", smoothingIntervals: 3, display: "ActionsLineGraphCumulative" },
  },
  compareFilter: { compare: true, compare_to: "-1w" },
};

/** Has the server answer with these lines, whatever is asked. */
async function answerWith(lines: object[], columns: string[]): Promise<void> {
  await opened.page.route("**/query/", async (route) => {
    const { query } = route.request().postDataJSON() ?? {};
    const results = lines.map((line) => ({ label: "A / B", breakdown_value: null, ...line }));
    await route.fulfill({
      json: {
        ...{
          columns,
          results,
          sql: "SELECT 1",
          elapsed_ms: 3,
          query: query ?? RICH,
          sentence: null,
        },
        ...{
          explanation: "The ratio of both, by the hour.",
          calculated_at: "2026-11-21T12:00:00Z",
        },
      },
    });
  });
}

/** Has the server answer itself again, once the page that might still ask is left. */
async function answerAgain(): Promise<void> {
  await opened.page.goto("about:blank");
  await opened.page.unroute("**/query/");
}

test("fields are shown in words, and stay when others are changed", async () => {
  const { page, go } = opened;
  await answerWith([{ data: [1, 2], aggregated_value: 3 }], ["2026-11-20", "2026-11-21"]);
  await go(place(RICH));
  await page.getByText("The ratio of both, by the hour.").waitFor();
  const builder = page.locator(".builder");
  for (const text of [
    ...["people for the first time", "by hour of the day", "amount is at least 5"],
    "different values of sku",
    ...["people with purchase at least 1 time where amount is 1", "is Saturday or Sunday"],
  ]) {
    await builder.getByText(text).first().waitFor({ state: "attached" });
  }
  expect(await flaws(opened)).toEqual([]);
  await page.getByRole("button", { name: "Event B: signup" }).click();
  await page.keyboard.type("$pageview");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Last 7 days vs 1 week earlier" }).click();
  await page.getByRole("menuitemradio", { name: "Last 14 days" }).click();
  await page.getByRole("button", { name: "Last 14 days" }).waitFor();
  await builder.getByRole("button", { name: "Filter", exact: true }).click();
  await page.keyboard.type("channel");
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: /^ads/ }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await builder.getByText("channel is ads").waitFor();
  const { properties: _, ...others } = RICH;
  expect(queryIn(page)).toEqual({
    ...others,
    dateRange: { date_from: "-13d" },
    series: [RICH.series[0], { ...RICH.series[1], event: "$pageview" }],
    properties: [
      ...(RICH.properties.values[0]?.values ?? []),
      { key: "channel", operator: "exact", value: "ads", type: "event" },
    ],
  });
  await answerAgain();
});

test("money by a breakdown has its currency, and few persons are marked", async () => {
  const { page, problems, go } = opened;
  problems.length = 0;
  const query = {
    kind: "TrendsQuery",
    series: [{ kind: "EventsNode", event: "purchase", math: "avg", math_property: "amount" }],
    dateRange: { date_from: "-6d" },
    breakdownFilter: { breakdown: "channel", breakdown_type: "first_touch" },
    trendsFilter: {
      ...{ display: "ActionsTable", aggregationAxisFormat: "currency" },
      aggregationAxisPostfix: " EUR",
    },
  };
  await go(place(query));
  const cell = page.getByRole("cell", { name: "€12.50" });
  await cell.getByTitle("fewer than 5 people").waitFor();
  await page.locator(".chip").getByText("channel of the person's first event").waitFor();
  expect(await flaws(opened)).toEqual([]);
  await page.getByLabel("Chart type").selectOption("ActionsBarValue");
  await page.locator(".bar-value").getByText("€12.50").waitFor();
  expect(queryIn(page)).toEqual({
    ...query,
    trendsFilter: { ...query.trendsFilter, display: "ActionsBarValue" },
  });
  expect(problems).toEqual([]);
});

test("numbers have their unit, their currency, their change and the mark of few persons", async () => {
  const { page, go } = opened;
  const lines = [
    { aggregated_value: 1250.5, compare_label: "current", change_percent: 14.4, is_small: true },
    { aggregated_value: 1000, compare_label: "previous" },
  ].map((line) => ({ ...line, data: [line.aggregated_value], currency: "EUR" }));
  const money = (display: string) => ({ ...RICH, trendsFilter: { display } });
  await answerWith(lines, ["2026-11-21"]);
  await go(place(money("BoldNumber")));
  await page.locator(".number-value").getByText("€1,250.50").waitFor();
  await page.getByTitle("fewer than 5 people").waitFor();
  // The server says the change; it is not calculated again.
  await page.getByText("14.4%").waitFor();
  await page.getByText("from €1,000.00").waitFor();
  expect(await flaws(opened)).toEqual([]);
  await go(place(money("ActionsBarValue")));
  await page.locator(".bar-value").getByText("€1,250.50").waitFor();
  await page.locator(".bar-value").getByText("+14.4%").waitFor();
  await page.locator(".bar-value").getByTitle("fewer than 5 people").waitFor();
  expect(await flaws(opened)).toEqual([]);
  await answerAgain();

  const shares = [
    { data: [20, 30], aggregated_value: 25, compare_label: "current", change_points: 5 },
    { data: [10, 30], aggregated_value: 20, compare_label: "previous" },
  ].map((line) => ({ ...line, unit: "percent" }));
  await answerWith(shares, ["2026-11-20", "2026-11-21"]);
  await go(place({ ...RICH, trendsFilter: {} }));
  await page.getByText("A / B: 25%, 5 points more than in the period before (20%)").waitFor();
  expect(await flaws(opened)).toEqual([]);
  await answerAgain();
});

test("an answer about a name that nothing has says so", async () => {
  const { page, problems, go } = opened;
  await go(place({ kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "purchas" }] }));
  const said = 'No event "purchas" has come yet. Did you mean "purchase"?';
  await page.getByRole("status").getByText(said).waitFor();
  expect(await flaws(opened)).toEqual([]);
  expect(problems).toEqual([]);
});
