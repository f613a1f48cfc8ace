import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type Card, flowed, placed } from "../../src/console/pages/dashboards/grid.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { place, send } from "../support/start/insight-page.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
const API = "/api/environments/1";
let browser: Browser;

const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(`${server.url}${API}/${path}`, {
    method,
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as T;
};

/** Seven visitors of the last days, three of them on `/pricing`; one comes twice. */
const VISITS = ["ann", "ben", "cleo", "dan", "eve", "finn", "gil", "ann"].map((name, at) => ({
  event: "$pageview",
  distinct_id: name,
  timestamp: new Date(Date.now() - at * 7_200_000).toISOString(),
  properties: {
    ...{ $session_id: `s-${at}`, $pathname: at < 3 ? "/pricing" : "/", $browser: "Firefox" },
    $set: { email: `${name}@example.com` },
  },
}));

beforeAll(async () => {
  browser = await launchChromium();
  await server.capture({ api_key: PROJECT_KEY, batch: VISITS }, "/batch/");
  await server.stored(VISITS.length);
});

afterAll(() => browser?.close());

/** The text of the tile with a name. */
const tile = (page: Page, name: string) =>
  page.locator(".tile").filter({ has: page.getByRole("heading", { name, exact: true }) });

/** A number, as the tab of its chart. */
const number = (page: Page, name: string) =>
  page.getByRole("tab", { name: new RegExp(`^${name}`) });

describe("the place of a tile", () => {
  const made = (id: number, sm?: object) =>
    ({ id, insight: null, text: { body: "" }, layouts: sm ? { sm } : {}, color: null }) as never;

  test("follows its row and column; tiles without a place come below", () => {
    const tiles = placed([
      made(1),
      made(2, { x: 6, y: 0, w: 6, h: 5 }),
      made(3, { x: 0, y: 0, w: 6, h: 5 }),
    ]);
    expect(tiles.map(({ tiles: [{ id }], place: { x, y } }) => [id, x, y])).toEqual([
      [3, 0, 0],
      [2, 6, 0],
      [1, 0, 5],
    ]);
  });

  test("makes several the tabs of a card only if it is exactly the same", () => {
    const at = { x: 0, y: 0, w: 6, h: 5 };
    const cards = placed([made(1, at), made(2, { ...at, h: 4 }), made(3, at), made(4), made(5)]);
    expect(cards.map(({ tiles }) => tiles.map(({ id }) => id))).toEqual([[1, 3], [2], [4], [5]]);
    // They move together.
    const [, , moved] = flowed([...cards.slice(1, 3), ...cards.slice(0, 1)]);
    expect(moved?.tiles.map(({ id }) => id)).toEqual([1, 3]);
  });

  test("is given in order from left to right, without an overlap", () => {
    const sizes = [4, 4, 6, 12, 3].map((w, id) => ({
      tiles: [made(id)] as Card["tiles"],
      place: { x: 0, y: 0, w, h: w === 4 ? 2 : 5 },
    }));
    expect(flowed(sizes).map(({ place: { x, y } }) => [x, y])).toEqual([
      [0, 0],
      [4, 0],
      [0, 2],
      [0, 7],
      [0, 12],
    ]);
  });
});

describe("the pages", () => {
  let light: Console;
  let dark: Console;

  beforeAll(async () => {
    [light, dark] = await Promise.all([
      openConsole(browser, server),
      openConsole(browser, server, { theme: "dark" }),
    ]);
  });

  test("begin with the default dashboard once events have arrived, whose tiles show what the API answers", async () => {
    const { page, problems } = light;
    await light.go("");
    await page.getByRole("heading", { name: "Website" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    // The project is young, so that the period is its first day.
    expect(new URL(page.url()).searchParams.get("first")).toBe("today");
    await page.getByRole("button", { name: "Today" }).waitFor();
    expect(await page.getByRole("button", { name: "Reset" }).count()).toBe(0);
    await page.keyboard.press("w");
    await page.getByText("Last 7 days").waitFor();
    await number(page, "Visitors").getByText("7", { exact: true }).waitFor();
    await number(page, "Page views").getByText("8", { exact: true }).waitFor();
    await number(page, "Bounce rate").getByText("100%", { exact: true }).waitFor();
    // The rows of the period before stay until the new ones are there.
    await tile(page, "Top pages").getByText("5", { exact: true }).waitFor();
    await tile(page, "Top pages").getByText("Page views", { exact: true }).waitFor();
    const rows = await tile(page, "Top pages").locator("li").allInnerTexts();
    expect(rows.map((row) => row.split(/\s+/))).toEqual([
      ["/", "63%", "5"],
      ["/pricing", "38%", "3"],
    ]);
    await page.getByText("Last 7 days").click();
    await page.getByRole("menuitemradio", { name: "Each tile's own period" }).click();
    await page.getByRole("button", { name: "Each tile's own period" }).waitFor();
    await number(page, "Page views").getByText("8", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test("have no finding of axe in both themes, and fit each width, also while they are edited", async () => {
    await light.go("dashboards/");
    await light.page.getByRole("main").getByRole("link", { name: "Website" }).waitFor();
    expect(await light.findings()).toEqual([]);
    for (const { page, go, findings, overflow, problems } of [light, dark]) {
      await go("dashboards/1/");
      await number(page, "Visitors").getByText("7", { exact: true }).waitFor();
      if (page === light.page) await page.getByRole("button", { name: "Edit" }).click();
      expect(await findings()).toEqual([]);
      for (const width of [360, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        expect({ width, overflow: await overflow() }).toEqual({ width, overflow: 0 });
      }
      expect(problems).toEqual([]);
    }
  });

  test("lead from a number to its persons, as many as it says, and by keys or a click from a point of a chart", async () => {
    const { page } = light;
    await light.go("dashboards/1/");
    await tile(page, "Visitors").getByRole("button", { name: "More on Visitors" }).click();
    await page.getByRole("menuitem", { name: "People" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("7 people", { exact: true }).waitFor();
    expect(await dialog.getByRole("link").count()).toBe(7);
    expect(await light.findings()).toEqual([]);
    await page.keyboard.press("Escape");

    // A tile leads to its insight, which keeps the period of the dashboard.
    await light.go("dashboards/1/?period=30d");
    await tile(page, "Visitors").getByRole("button", { name: "More on Visitors" }).click();
    await page.getByRole("menuitem", { name: "Open" }).click();
    await page.getByText("Last 30 days").waitFor();
    const chart = page.getByRole("application");
    await chart.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    const count = await dialog.getByText(/^\d+ (person|people)$/).textContent();
    expect(await dialog.getByRole("link").count()).toBe(Number.parseInt(count ?? "", 10));
    await dialog.getByRole("link").first().click();
    await page.getByRole("heading", { name: /@example.com/ }).waitFor();

    // The pointer is on a bar, and not on the middle of its column.
    const series = [{ event: "$pageview" }, { event: null }];
    const query = { kind: "StickinessQuery", series, dateRange: { date_from: "-7d" } };
    type Counts = { results: { data: number[] }[] };
    const { results } = await send<Counts>(server, "POST", "query/", { query });
    const columns = Math.max(...results.map(({ data }) => data.findLastIndex(Boolean) + 1));
    await light.go(place(query));
    const plotted = page.locator(".u-over");
    const { width = 0 } = (await plotted.boundingBox()) ?? {};
    const titles: (string | null)[] = [];
    for (const shift of [-0.2, 0.2]) {
      const position = { x: ((0.5 + shift) * width) / columns, y: 100 };
      await plotted.hover({ position });
      await page.locator(".tip-head").getByText("1 day", { exact: true }).waitFor();
      await plotted.click({ position });
      await dialog.getByText(/^[67] people$/).waitFor();
      titles.push(await dialog.getByRole("heading").textContent());
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    expect(titles).toEqual(["Page view, 1 day", "All events, 1 day"]);
  });

  test("keep order, width, texts, insights and period after an edit, and restore a deleted dashboard", async () => {
    const { page, problems } = light;
    problems.length = 0;
    await light.go("dashboards/");
    await page.getByRole("button", { name: "New dashboard" }).click();
    await page.getByLabel("Name").fill("Sales");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Sales" }).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Insight" }).click();
    await page.getByRole("button", { name: "Countries" }).click();
    await page.getByRole("button", { name: "Top pages" }).click();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Text" }).click();
    await page.getByLabel("Plain text").fill("<b>This week</b>");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("<b>This week</b>").waitFor();
    await page.getByRole("button", { name: "Move Top pages back" }).click();
    await page.getByRole("button", { name: "Change Top pages" }).click();
    await page.getByRole("menuitemradio", { name: "Full width" }).click();
    await page.getByText("Last 30 days").click();
    await page.getByRole("menuitemradio", { name: "Last 90 days" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    const { id } =
      (await ask<{ results: { id: number }[] }>("GET", "dashboards/")).results[0] ?? {};
    type Kept = { filters: object; tiles: { insight: { name: string } | null; layouts: object }[] };
    const kept = await ask<Kept>("GET", `dashboards/${id}/`);
    expect(kept.filters).toMatchObject({ date_from: "-89d" });
    expect(kept.tiles.map(({ insight, layouts }) => [insight?.name ?? "text", layouts])).toEqual([
      ["Countries", { sm: { x: 0, y: 5, w: 6, h: 5 } }],
      ["Top pages", { sm: { x: 0, y: 0, w: 12, h: 5 } }],
      ["text", { sm: { x: 0, y: 10, w: 12, h: 2 } }],
    ]);

    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByLabel("Shown").selectOption("deleted");
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByText("No results match these filters").waitFor();
    expect((await ask<{ count: number }>("GET", "dashboards/")).count).toBe(2);
    expect(problems).toEqual([]);

    // A list without any, and the addresses of what is deleted, lead to the deleted ones.
    for (const one of [1, id]) await ask("PATCH", `dashboards/${one}/`, { deleted: true });
    await light.go("dashboards/");
    await page.getByText("No dashboards yet", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "New dashboard" }).count()).toBe(2);
    expect(await light.findings()).toEqual([]);
    await light.go("dashboards/1/");
    await page.getByRole("link", { name: "Deleted dashboards" }).click();
    await page.getByRole("button", { name: "Restore" }).first().waitFor();
    for (const one of [1, id]) await ask("PATCH", `dashboards/${one}/`, { deleted: false });
    await light.go("insights/gone/");
    await page.getByRole("link", { name: "Deleted insights" }).click();
    await page.getByText("No results match these filters").waitFor();
    problems.length = 0;
  });

  test("leave filters of the API as they are, and Back restores the period", async () => {
    const { page, problems } = light;
    const one = (value: string) => ({ key: "$browser", value, type: "event" });
    const or = { type: "OR", values: [one("Firefox"), one("Safari")] };
    const filters = { date_from: "-0d", properties: or };
    const { id } = await ask<{ id: number }>("POST", "dashboards/", {
      name: "Of the API",
      filters,
    });
    await light.go(`dashboards/${id}/`);
    await page.getByText("Filtered by a group of filters").waitFor();
    expect(await page.getByRole("button", { name: "Filter", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Today" }).click();
    await page.getByRole("menuitemradio", { name: "Last 90 days" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Today" }).waitFor();
    await page.goForward();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    const kept = await ask<{ filters: object }>("GET", `dashboards/${id}/`);
    expect(kept.filters).toMatchObject({ date_from: "-89d", properties: or });
    // A group of which all must pass is nothing but its filters.
    const and = { type: "AND", values: [{ type: "AND", values: [one("Firefox")] }] };
    await ask("PATCH", `dashboards/${id}/`, { filters: { properties: and } });
    await light.go(`dashboards/${id}/`);
    await page.getByText("Browser is Firefox").waitFor();
    expect(problems).toEqual([]);
  });

  test("show the failure of one tile in it alone", async () => {
    const query = { kind: "HogQLQuery", query: "SELECT missing FROM events" };
    const { id } = await ask<{ id: number }>("POST", "insights/", { name: "Broken", query });
    await ask("PATCH", "dashboards/1/", { tiles: [{ insight: id }] });
    const { page } = light;
    await light.go("dashboards/1/");
    await tile(page, "Broken").getByRole("alert").getByText("There is no column").waitFor();
    expect(await page.getByText("SQL with its own period and filters").count()).toBe(1);
    await number(page, "Visitors").getByText("7", { exact: true }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(1);
  });
});
