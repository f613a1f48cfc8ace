import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import {
  BOUGHT,
  captureBuyers,
  flaws,
  place,
  queryIn,
  send,
} from "../support/start/insight-page.ts";
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

test("lists of persons and of events are tables, whose persons lead to their pages", async () => {
  const { page, problems, go } = opened;
  const persons = {
    ...{ kind: "ActorsQuery", select: ["person", "properties.plan", "created_at"] },
    ...{ properties: [BOUGHT], orderBy: ["created_at DESC"], limit: 1 },
  };
  await go(place(persons));
  const rows = page.locator(".panel tbody tr");
  await rows.first().waitFor();
  expect(await rows.count()).toBe(1);
  expect(await page.getByRole("columnheader").allTextContents()).toEqual([
    "Person",
    "plan",
    "First seen",
  ]);
  await page.locator(".answer-foot").getByText("List people who had").waitFor();
  await page.locator(".chip").getByText("people with purchase at least 1 time").waitFor();
  expect(await page.getByLabel("Order").inputValue()).toBe("created_at DESC");
  expect(await page.getByRole("button", { name: "Previous period" }).count()).toBe(0);
  await page.getByRole("button", { name: "Load more" }).click();
  await rows.nth(1).waitFor();
  expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);
  expect(await flaws(opened)).toEqual([]);
  await rows.getByRole("link", { name: "ann@example.com" }).click();
  await page.getByRole("heading", { name: "ann@example.com" }).waitFor();

  const events = { kind: "EventsQuery", event: "purchase", after: "-6d" };
  await go(place({ ...events, select: ["*", "properties.amount"] }));
  await rows.nth(1).waitFor();
  expect(await page.getByRole("columnheader").allTextContents()).toEqual([
    "Event",
    "Person",
    "Time",
    "amount",
  ]);
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await page.getByRole("menuitemradio", { name: "Yesterday" }).click();
  await page.getByRole("button", { name: "Yesterday" }).waitFor();
  expect(queryIn(page)).toMatchObject({ ...events, after: "-1dStart", before: "-1dEnd" });
  await go(place({ ...events, select: ["person_id", "count()", "max(timestamp)"] }));
  await page.getByRole("columnheader", { name: "Number" }).waitFor();
  expect(await flaws(opened)).toEqual([]);
  await page.getByLabel("Kind").selectOption("TrendsQuery");
  await page.getByRole("application").waitFor();
  expect(queryIn(page)).toMatchObject({
    ...{ series: [{ event: "purchase" }], dateRange: { date_from: "-6d" } },
  });
  expect(problems).toEqual([]);
});

test("a list in the node of another client is shown, and stays in it", async () => {
  const { page, problems, go } = opened;
  const source = { kind: "EventsQuery", select: ["event"], event: "signup", after: "-6d" };
  const query = { kind: "DataTableNode", full: true, source };
  const { short_id } = await send<{ short_id: string }>(server, "POST", "insights/", {
    ...{ name: "Signups", query },
  });
  await go(`insights/${short_id}/`);
  await page.locator(".panel tbody tr").nth(2).waitFor();
  const save = page.getByRole("button", { name: "Save", exact: true });
  expect(await save.getAttribute("aria-disabled")).toBe("true");
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await page.getByRole("menuitemradio", { name: "Last 14 days" }).click();
  await page.getByRole("button", { name: "Reset" }).waitFor();
  await save.click();
  await page.getByRole("button", { name: "Reset" }).waitFor({ state: "detached" });
  const kept = await send<{ query: object }>(server, "GET", `insights/${short_id}/`);
  expect(kept.query).toEqual({ ...query, source: { ...source, after: "-13d" } });

  const { id } = await send<{ id: number }>(server, "POST", "dashboards/", {
    ...{ name: "Lists", filters: { date_from: "-6d" } },
  });
  const insights = await send<{ results: { id: number }[] }>(server, "GET", "insights/?saved=true");
  await send(server, "PATCH", `dashboards/${id}/`, {
    tiles: [{ insight: insights.results[0]?.id }],
  });
  await go(`dashboards/${id}/`);
  await page.locator(".tile tbody tr").nth(2).waitFor();
  await page.getByText("A list with its own period and filters").waitFor();
  expect(await opened.findings()).toEqual([]);
  expect(problems).toEqual([]);
});
