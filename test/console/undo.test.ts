import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { PERSONAL_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

beforeAll(async () => {
  browser = await launchChromium();
  opened = await openConsole(browser, server);
});

afterAll(() => browser?.close());

const headers = { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" };

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const url = `${server.url}/api/environments/1/${path}`;
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(url, init)).json() as Promise<T>;
}

/** A new insight on a new dashboard. */
async function made(name: string) {
  const { id } = await ask<{ id: number }>("POST", "dashboards/", { name });
  const series = [{ kind: "EventsNode", event: "$pageview" }];
  const query = { kind: "TrendsQuery", series };
  const insight = await ask<{ id: number; short_id: string }>("POST", "insights/", { name, query });
  const layouts = { sm: { x: 3, y: 1, w: 6, h: 4 } };
  const tiles = [{ insight: insight.id, layouts, color: "blue" }];
  await ask("PATCH", `dashboards/${id}/`, { tiles });
  return { ...insight, dashboard: id };
}

const undo = async () => {
  const { page } = opened;
  const offer = page.getByRole("region", { name: "Undo" });
  expect(await opened.findings()).toEqual([]);
  await offer.getByRole("button", { name: "Undo" }).click();
  // A tile is seen in its place before the server has it.
  await page.locator("output").getByText("Undone").waitFor({ state: "attached" });
};

const choose = async (menu: string, item: string) => {
  await opened.page.getByRole("button", { name: menu, exact: true }).click();
  await opened.page.getByRole("menuitem", { name: item }).click();
};

test("a dashboard that was deleted comes back with Undo", async () => {
  const { dashboard } = await made("Numbers of May");
  await opened.go(`dashboards/${dashboard}/`);
  await choose("More", "Delete");
  await opened.page.getByText("Deleted Numbers of May", { exact: true }).waitFor();
  expect(await ask("GET", `dashboards/${dashboard}/`)).toMatchObject({ code: "not_found" });
  await undo();
  await opened.page.getByRole("heading", { name: "Numbers of May", level: 1 }).waitFor();
  expect(await ask("GET", `dashboards/${dashboard}/`)).toMatchObject({ deleted: false });
  expect(opened.problems).toEqual([]);
});

test("an insight that was deleted comes back with Undo", async () => {
  const { short_id } = await made("Numbers of June");
  await opened.go(`insights/${short_id}/`);
  await choose("More", "Delete");
  await opened.page.getByText("Deleted Numbers of June", { exact: true }).waitFor();
  expect(await ask("GET", `insights/${short_id}/`)).toMatchObject({ code: "not_found" });
  await undo();
  await opened.page.getByRole("heading", { name: "Numbers of June" }).waitFor();
  expect(await ask("GET", `insights/${short_id}/`)).toMatchObject({ deleted: false });
  expect(opened.problems).toEqual([]);
});

test("a tile that was removed comes back to its place, in its color", async () => {
  const { dashboard } = await made("Numbers of July");
  await opened.go(`dashboards/${dashboard}/`);
  await opened.page.getByRole("button", { name: "Edit" }).click();
  await choose("Change Numbers of July", "Remove");
  await opened.page.getByText("Removed Numbers of July", { exact: true }).waitFor();
  expect(await ask("GET", `dashboards/${dashboard}/`)).toMatchObject({ tiles: [] });
  await opened.page.getByText("This dashboard has no tiles yet").waitFor();
  await undo();
  await opened.page.getByRole("button", { name: "Change Numbers of July" }).waitFor();
  expect(await ask("GET", `dashboards/${dashboard}/`)).toMatchObject({
    tiles: [{ layouts: { sm: { x: 3, y: 1, w: 6, h: 4 } }, color: "blue" }],
  });
  expect(opened.problems).toEqual([]);
});
