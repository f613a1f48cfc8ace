import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
const DAY_MS = 86_400_000;
let browser: Browser;
let opened: Console;

/** Events of the last days: two of today, three of yesterday, one of a week ago. */
const DAYS_AGO = [0, 0, 1, 1, 1, 7];
const midnight = new Date().setUTCHours(0, 0, 0, 0);

const order = (day: number, properties = {}) => ({
  ...{
    event: "order",
    distinct_id: "ann",
    timestamp: new Date(midnight - day * DAY_MS).toISOString(),
  },
  properties: { product: "Rain Shell", amount: 189, country: "Peru", ...properties },
});

beforeAll(async () => {
  browser = await launchChromium();
  const batch = DAYS_AGO.map((day, at) =>
    order(day, at === 2 ? { product: "Day Pack", currency: "EUR" } : {}),
  );
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await server.stored(batch.length);
  opened = await openConsole(browser, server);
});

afterAll(() => browser?.close());

const rows = (page: Page) => page.locator("tr[data-row], [data-row]");

test("bars over the list have its number of events, with its filters, and lead to a day", async () => {
  const { page, go } = opened;
  await go("events/?period=14d");
  const chart = page.getByRole("application", { name: /^Events over time/ });
  await chart.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("tooltip").or(page.locator("output")).getByText("3").first().waitFor();
  expect(await opened.findings()).toEqual([]);
  await page.keyboard.press("Enter");
  await page.waitForURL(/period=/);
  const day = new Date(midnight - DAY_MS).toISOString().slice(0, 10);
  expect(new URL(page.url()).searchParams.get("period")).toBe(`${day}..${day}`);
  await page.getByText("1 – 3 of 3").waitFor();
  expect(opened.problems).toEqual([]);
});

test("a row has the properties that say most", async () => {
  const { page, go } = opened;
  await go("events/?period=14d");
  await page.getByText("product: Day Pack · amount: €189.00").waitFor();
  expect(await page.getByText("product: Rain Shell · amount: 189").count()).toBe(5);
  expect(await rows(page).count()).toBe(6);
});

test("live events pass the filters of the page", async () => {
  const { page } = opened;
  const filters = [{ key: "product", type: "event", operator: "exact", value: ["Day Pack"] }];
  const query = `live=1&filters=${encodeURIComponent(JSON.stringify(filters))}`;
  await page.goto(`${server.url}/console/1/events/?${query}`);
  await page.getByText("product: Day Pack").waitFor();
  expect(await rows(page).count()).toBe(1);
  const batch = [
    order(0, { product: "Day Pack", amount: 1 }),
    order(0, { product: "Socks", amount: 2 }),
  ];
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await page.getByText("product: Day Pack · amount: 1", { exact: true }).waitFor();
  expect(await rows(page).count()).toBe(2);
  expect(await page.getByText("Socks").count()).toBe(0);

  await page.getByText("product: Day Pack · amount: 1", { exact: true }).hover();
  await page.getByText("Paused while you read").waitFor();
  expect(await opened.findings()).toEqual([]);
  await page.getByRole("button", { name: "Live", exact: true }).click();
  await page.getByRole("application", { name: /^Events over time/ }).waitFor();
  expect(opened.problems).toEqual([]);
});
