import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { openConsole } from "../support/start/console.ts";
import { PROJECT_KEY, startServer } from "../support/start/server.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser?.close());

test("a server that goes away is said once, and the page goes on by itself when it is back", async () => {
  const server = await startServer();
  const port = Number(new URL(server.url).port);
  const view = (day: number) => ({
    ...{ event: "$pageview", distinct_id: `visitor ${day}` },
    timestamp: new Date(Date.now() - day * 86_400_000).toISOString(),
  });
  await server.capture({ api_key: PROJECT_KEY, batch: [0, 1, 2, 20].map(view) }, "/batch/");
  await using console = await openConsole(browser, server);
  const { page } = console;
  await page.goto(`${server.url}/console/`);
  await page.getByRole("heading", { name: "Website" }).waitFor();
  await page.keyboard.press("w");
  const visitors = page.getByRole("tab", { name: /^Visitors/ });
  await visitors.getByText("3", { exact: true }).waitFor();

  await server.stop();
  await page.keyboard.press("m");
  await page.getByRole("alert").getByText("Can't reach the server").waitFor();
  await page.locator(".tile [aria-busy=true]").first().waitFor({ state: "attached" });
  expect(await page.getByRole("alert").count()).toBe(1);
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(1);
  // The numbers of 7 days never stand under another period.
  expect(await visitors.getByText("3", { exact: true }).count()).toBe(0);

  await using again = await startServer({ data: server.data, port });
  await visitors.getByText("4", { exact: true }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(again.url).toBe(server.url);
});
