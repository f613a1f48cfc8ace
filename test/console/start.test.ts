import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { SNIPPETS } from "../../src/console/pages/start/snippets.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { openConsole } from "../support/start/console.ts";
import { PROJECT_KEY, ROOT } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser?.close());

test("an empty project leads to the code for its pages, which explains refusals and has the first event", async () => {
  await using console = await openConsole(browser, server);
  const { page } = console;
  await page.goto(`${server.url}/console/`);
  await page.getByRole("tab", { name: "Install", selected: true }).waitFor();
  await page.getByText("Waiting for the first event").waitFor();
  await page.getByText("No request for this project has arrived").waitFor();
  expect(await console.findings()).toEqual([]);

  await server.capture({ api_key: "phc_wrong", event: "lost", distinct_id: "ann" }, "/i/v0/e/");
  await page.getByText(`The key of this project is ${PROJECT_KEY}.`).waitFor();
  expect(await console.findings()).toEqual([]);

  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText("The first event arrived on").waitFor();
  expect(await page.evaluate("shifts().sum")).toBeLessThan(0.005);
  await page.getByRole("link", { name: "See events" }).click();
  await page.getByText("test event").waitFor();
  expect(console.problems).toEqual([]);
});

test("a project of one day opens with that day, and one with older events with its usual period", async () => {
  await using console = await openConsole(browser, server);
  const { page } = console;
  await page.goto(`${server.url}/console/`);
  await page.getByRole("button", { name: "Today", exact: true }).waitFor();
  const timestamp = new Date(Date.now() - 40 * 86_400_000).toISOString();
  const old = { event: "$pageview", distinct_id: "ann", timestamp };
  await server.capture({ api_key: PROJECT_KEY, ...old }, "/i/v0/e/");
  await server.stored(2);
  await page.goto(`${server.url}/console/`);
  await page.getByRole("button", { name: "Last 7 days", exact: true }).waitFor();
  expect(console.problems).toEqual([]);
});

test("the snippet for pages is that of the documentation, whose code runs in other tests", () => {
  const documented = readFileSync(join(ROOT, "src/docs/send-events.md"), "utf8");
  const snippet = /```html\n([\s\S]*?)\n```/.exec(documented)?.[1];

  const [part] =
    SNIPPETS.find(({ value }) => value === "html")?.parts({
      key: "phc_…",
      host: "http://127.0.0.1:8000",
    }) ?? [];

  expect(part?.text).toBe(snippet ?? "");
});
