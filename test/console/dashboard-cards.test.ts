import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Line } from "../../src/console/api/query.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { NOTE_QUESTIONS, questions, send } from "../support/start/insight-page.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

type Tile = { id: number; insight: { name: string; query: { source: object } } };

const PAGES = ["/", "/pricing", "/docs", "/blog"];

/** Forty visits of nine people; each looks at one to four pages, and ends on the last of them. */
const EVENTS = Array.from({ length: 40 }, (_, at) =>
  Array.from({ length: 1 + (at % 4) }, (_one, page) => ({
    event: "$pageview",
    distinct_id: `person-${at % 9}`,
    timestamp: new Date(Date.now() - at * 7_200_000 - (4 - page) * 20_000).toISOString(),
    properties: { $session_id: `s-${at}`, $pathname: PAGES[page], $os: `OS ${at % 17}` },
  })),
).flat();

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

/** The answer of the API to a tile, with another way to draw it. */
async function answerOf(name: string, display?: string): Promise<Line[]> {
  const { tiles } = await send<{ tiles: Tile[] }>(server, "GET", "dashboards/1/");
  const { source } = tiles.find(({ insight }) => insight.name === name)?.insight.query ?? {};
  const { trendsFilter } = source as { trendsFilter?: object };
  const query = display ? { ...source, trendsFilter: { ...trendsFilter, display } } : source;
  const answer = await send<{ results: Line[] }>(server, "POST", "query/", { query, dashboard: 1 });
  return answer.results.filter(({ compare_label }) => compare_label !== "previous");
}

const tab = (page: Page, name: string) =>
  page.getByRole("tab", { name: new RegExp(`^${name}(\\W*\\d|$)`) });

test("the numbers are those of the API, and the chosen one is drawn over time", async () => {
  const { page, problems } = opened;
  await opened.go("dashboards/1/");
  const numbers = page.locator(".number-tabs [role=tab]");
  expect(await numbers.locator(".number-label").allTextContents()).toEqual([
    ...["Visitors", "Visits", "Page views", "Views per visit", "Bounce rate", "Visit length"],
  ]);
  for (const name of ["Visitors", "Visits", "Page views", "Views per visit"]) {
    const [line] = await answerOf(name);
    const shown = await tab(page, name).locator(".number-value").textContent();
    expect([name, Number(shown)]).toEqual([name, Number(line?.aggregated_value?.toFixed(2))]);
  }
  await questions(page);
  await tab(page, "Page views").click();
  await page.waitForURL(/tabs=\d+/);
  const menu = page.getByRole("button", { name: "More on Page views" });
  await page.locator(".number-tabs ~ .tile-body .plot").waitFor();
  expect(await questions(page)).toHaveLength(1);
  await menu.click();
  await page.getByRole("menuitem", { name: "Show the table" }).click();
  const table = page.locator(".number-tabs ~ .tile-body");
  const [line] = await answerOf("Page views", "ActionsLineGraph");
  const cells = await table.locator("tbody tr td:nth-child(2)").allTextContents();
  expect(cells.map(Number)).toEqual(line?.data as number[]);
  // The address has the choice, and so does a page that is opened with it.
  await page.reload();
  await page.waitForLoadState("networkidle");
  await menu.waitFor();
  expect(await tab(page, "Page views").getAttribute("aria-selected")).toBe("true");
  await tab(page, "Page views").focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("button", { name: "More on Visits" }).waitFor();
  // Numbers are pale while newer ones are on their way.
  const old = page.locator("main :is(.dimmed, [aria-busy=true])");
  await old.first().waitFor({ state: "detached" });
  expect(await opened.findings()).toEqual([]);
  expect(problems).toEqual([]);
});

test("a tab is asked once it is chosen, and its rows filter the page", async () => {
  const { page, problems } = opened;
  await opened.go("dashboards/1/");
  const first = await questions(page);
  const isOf = (name: string) => (one: string) => one.includes(`"${name}"`);
  expect([first.some(isOf("$pathname")), first.some(isOf("$end_pathname"))]).toEqual([true, false]);
  await tab(page, "Exit pages").click();
  const list = page.getByRole("tabpanel", { name: "Exit pages" });
  await list.locator(".bar-label").first().waitFor();
  expect((await questions(page)).filter(isOf("$end_pathname"))).toHaveLength(1);
  const cells = (part: string) => list.locator(`.bar-${part}`).allTextContents();
  const lines = await answerOf("Exit pages");
  expect(await cells("label")).toEqual(lines.map((line) => String(line.breakdown_value)));
  expect(await cells("number")).toEqual(lines.map((line) => String(line.aggregated_value)));
  // A share is of all visitors, of whom one may be in several rows.
  const [visitors] = await answerOf("Visitors");
  const shareOf = ({ aggregated_value: part }: Line) =>
    `${Math.round((100 * Number(part)) / Number(visitors?.aggregated_value))}%`;
  expect(await cells("share")).toEqual(lines.map(shareOf));
  await list.locator(".bar-row").first().click();
  await page.locator(".page-head .chip").waitFor();
  expect(new URL(page.url()).searchParams.get("filters")).toContain("$end_pathname");
  expect(await tab(page, "Exit pages").getAttribute("aria-selected")).toBe("true");
  for (const width of [360, 768]) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await opened.overflow()]).toEqual([width, 0]);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(problems).toEqual([]);
});

test("the people of the last five minutes are counted, and lead to the live events", async () => {
  const { page, problems } = opened;
  const now = ["ann", "ben"].map((distinct_id) => ({
    ...{ event: "$pageview", distinct_id, properties: { $os: "OS 0" } },
  }));
  await server.capture({ api_key: PROJECT_KEY, batch: now }, "/batch/");
  await server.stored(EVENTS.length + now.length);
  await opened.go("dashboards/1/?period=30d");
  // A visit begins every two hours, and one of its views may be a minute old.
  const since = new Date(Date.now() - 300_000).toISOString();
  const recent = [...now, ...EVENTS.filter(({ timestamp }) => timestamp >= since)];
  const count = new Set(recent.map(({ distinct_id }) => distinct_id)).size;
  await page.getByRole("link", { name: `${count} online` }).click();
  await page.waitForURL(/live=1/);
  expect(problems).toEqual([]);
});

test("a long list has nine rows, and all of them in a sheet, to be searched, sorted and saved", async () => {
  const { page, problems } = opened;
  await opened.go("dashboards/1/");
  await tab(page, "Systems").click();
  const list = page.getByRole("tabpanel", { name: "Systems" });
  await list.getByRole("button", { name: "Details" }).click();
  expect(await list.locator("li").count()).toBe(9);
  const sheet = page.getByRole("dialog", { name: "Systems" });
  const rows = sheet.locator("tbody tr");
  await rows.first().waitFor();
  expect(await rows.count()).toBe(17);
  expect(await opened.findings()).toEqual([]);
  await sheet.getByRole("button", { name: "Name" }).click();
  await sheet.getByRole("button", { name: "Name" }).click();
  await sheet.locator("th[aria-sort=ascending]").waitFor();
  expect(await rows.first().locator("td").first().textContent()).toBe("OS 0");
  await sheet.getByLabel("Search").fill("os 16");
  while ((await rows.count()) > 1) await Bun.sleep(20);
  const saved = page.waitForEvent("download");
  await sheet.getByRole("button", { name: "CSV" }).click();
  const file = await (await saved).createReadStream();
  expect((await new Response(file as never).text()).trim().split("\r\n")).toHaveLength(18);
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await opened.overflow()]).toEqual([width, 0]);
  }
  await page.keyboard.press("Escape");
  expect(problems).toEqual([]);
});

test("tabs move together while they are edited, and one is removed alone", async () => {
  const { page } = opened;
  await opened.go("dashboards/1/");
  await page.getByRole("button", { name: "Edit" }).click();
  await tab(page, "Entry pages").click();
  await page.getByRole("button", { name: "Move Entry pages back" }).click();
  await page.getByRole("button", { name: "Change Entry pages" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await tab(page, "Entry pages").waitFor({ state: "detached" });
  type Kept = { tiles: (Tile & { layouts: { sm: { x: number; y: number } } })[] };
  const { tiles } = await send<Kept>(server, "GET", "dashboards/1/");
  const placeOf = (name: string) => {
    const { x, y } = tiles.find(({ insight }) => insight.name === name)?.layouts.sm ?? {};
    return [x, y];
  };
  expect([placeOf("Top pages"), placeOf("Exit pages")]).toEqual([placeOf("Exit pages"), [0, 7]]);
  expect(placeOf("Sources")).toEqual([6, 7]);
});
