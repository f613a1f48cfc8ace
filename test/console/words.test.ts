import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { place, queryIn, send } from "../support/start/insight-page.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

beforeAll(async () => {
  browser = await launchChromium();
  const event = { event: "$pageview", distinct_id: "ann" };
  await server.capture({ api_key: PROJECT_KEY, ...event }, "/i/v0/e/");
  await server.stored(1);
  opened = await openConsole(browser, server);
});

afterAll(() => browser?.close());

type Insight = { short_id: string; name: string; query: Record<string, unknown> };

const VISITORS = { kind: "TrendsQuery", series: [{ event: "$pageview", math: "dau" }] };

test("words are saved as the query that they were read as", async () => {
  const { page, problems, go } = opened;
  await go("insights/new/");
  await page.getByRole("textbox", { name: "Question" }).fill("daily visitors this week");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => (url.searchParams.get("q") ?? "").includes("wStart"));
  await page.getByRole("button", { name: "Save", exact: true, disabled: false }).click();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(
    "daily visitors this week",
  );
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.waitForURL((url) => !url.pathname.includes("new"));
  const short_id = new URL(page.url()).pathname.split("/").at(-2);
  const { query } = await send<Insight>(server, "GET", `insights/${short_id}/`);
  expect(query).toMatchObject({ ...VISITORS, dateRange: { date_from: "wStart" } });

  // The question stays in its own words, until the query is another one.
  await go(`insights/${short_id}/`);
  await page.getByRole("heading", { name: "daily visitors this week" }).waitFor();
  await question("daily visitors this week");
  await page.getByLabel("Interval", { exact: true }).selectOption("week");
  await question("Visitors per week, this week");
  expect(problems).toEqual([]);
});

test("a number has its own unit: when money gives way to people, its currency goes", async () => {
  const { page, problems, go } = opened;
  const amounts = { kind: "EventsNode", event: "order", math: "sum", math_property: "total" };
  const trendsFilter = {
    ...{ display: "BoldNumber", aggregationAxisFormat: "currency" },
    aggregationAxisPostfix: " EUR",
  };
  await go(place({ kind: "TrendsQuery", series: [amounts], trendsFilter }));
  await page.getByText("€0.00").waitFor();
  await page.getByRole("button", { name: /^Measure/ }).click();
  // People look for their own words.
  await page.keyboard.type("unique users");
  await page.getByRole("option", { name: /^people dau/ }).click();
  await page.getByText("€0.00").waitFor({ state: "detached" });
  expect(queryIn(page)).toMatchObject({ trendsFilter: { display: "BoldNumber" } });
  expect(JSON.stringify(queryIn(page))).not.toMatch(/aggregationAxis/);
  expect(problems).toEqual([]);
});

/** Waits until the field of the question has these words. */
async function question(words: string): Promise<void> {
  const field = opened.page.getByRole("textbox", { name: "Question" });
  while ((await field.inputValue()) !== words) await Bun.sleep(20);
}

test("a saved insight is added to a dashboard by its menu, and a new one when it is saved", async () => {
  const { page, problems, go } = opened;
  const { id } = await send<{ id: number }>(server, "POST", "dashboards/", { name: "Sales" });
  const made = await send<Insight>(server, "POST", "insights/", { name: "One", query: VISITORS });
  await go(`insights/${made.short_id}/`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Add to a dashboard…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Add to a dashboard").selectOption({ label: "Sales" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const path = `insights/${made.short_id}/`;
  expect(await send(server, "GET", path)).toMatchObject({ dashboards: [id] });

  await go("insights/new/");
  await page.getByRole("button", { name: "Save", exact: true, disabled: false }).click();
  await dialog.getByLabel("Add to a dashboard").selectOption({ label: "Sales" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.waitForURL((url) => !url.pathname.includes("new"));
  const short_id = new URL(page.url()).pathname.split("/").at(-2);
  expect(await send(server, "GET", `insights/${short_id}/`)).toMatchObject({ dashboards: [id] });
  expect(problems).toEqual([]);
});

test("an insight that was saved as words has its answer, and is saved as its query from then on", async () => {
  const { page, problems, go, findings } = opened;
  const made = await send<Insight>(server, "POST", "insights/", { name: "Old", query: VISITORS });
  const path = `insights/${made.short_id}/`;
  // As a server before this one kept it.
  await page.route(`**/environments/1/${path}`, async (route) => {
    if (route.request().method() !== "GET") return await route.continue();
    const response = await route.fetch();
    const query = { kind: "WordsQuery", query: "daily visitors this week" };
    await route.fulfill({ response, json: { ...(await response.json()), query } });
  });
  await go(path);
  await page.getByRole("application").waitFor();
  expect(await page.getByRole("textbox", { name: "Question" }).inputValue()).toBe(
    "daily visitors this week",
  );
  await page.getByLabel("Kind").waitFor();
  await page.getByRole("button", { name: "This week" }).waitFor();
  expect(await findings()).toEqual([]);
  await page.getByRole("button", { name: "Save", exact: true, disabled: false }).click();
  await page.getByRole("button", { name: "Reset" }).waitFor({ state: "detached" });
  const { query } = await send<Insight>(server, "GET", path);
  expect(query).toMatchObject({ ...VISITORS, dateRange: { date_from: "wStart" } });
  await page.unroute(`**/environments/1/${path}`);
  expect(problems).toEqual([]);
});

test("words that ask for a list show it as a table", async () => {
  const { page, problems, go } = opened;
  await go("insights/new/");
  const query = { kind: "EventsQuery", select: ["event", "person_id", "timestamp"], after: "-6d" };
  await page.route("**/query/read/", (route) =>
    route.fulfill({
      json: {
        ...{ query, sentence: "list events last 7 days", explanation: "Events." },
        ...{ parts: [], readings: [], unknown: [], suggestions: [] },
      },
    }),
  );
  await page.getByRole("textbox", { name: "Question" }).fill("list events last 7 days");
  await page.keyboard.press("Enter");
  await page.getByRole("columnheader", { name: "Person" }).waitFor();
  await page.getByRole("cell", { name: "Page view" }).waitFor();
  await page.getByRole("button", { name: "Last 7 days" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Question" }).inputValue()).toBe(
    "list events last 7 days",
  );
  expect(await opened.findings()).toEqual([]);
  await page.unroute("**/query/read/");
  expect(problems).toEqual([]);
});
