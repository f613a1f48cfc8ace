/**
 * Takes pictures of the console, with the data of a shop.
 *
 *   bun scripts/build/pictures.ts          the pictures of README.md
 *   bun scripts/build/pictures.ts FOLDER [WIDTH or NAME ...]
 *                                          every page in both themes at four widths, with the findings of axe
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { personUuid } from "../../src/core/identity/person.ts";
import { shopEvents } from "../../test/support/data/shop.ts";
import { launchChromium } from "../../test/support/start/chromium.ts";
import { type Console, openConsole } from "../../test/support/start/console.ts";
import {
  PERSONAL_KEY,
  PROJECT_KEY,
  type Server,
  startServer,
} from "../../test/support/start/server.ts";

const PICTURES = join(import.meta.dir, "../../src/docs/pictures");

/** Events of one request. */
const BATCH = 1000;

/** How long an act takes until its effect is seen, in milliseconds. */
const ACT_MS = 1000;

const WIDTHS = [360, 768, 1440, 1920];
const THEMES = ["light", "dark"] as const;

/** A page, and what is done on it before its picture. */
type Shown = {
  name: string;
  path: string;
  act?: (page: Console["page"]) => Promise<unknown>;
  /** Whether the pointer stays where the act leaves it. */
  isPointed?: boolean;
};

const asked = (query: object) => `insights/new/?q=${encodeURIComponent(JSON.stringify(query))}`;

const step = (event: string) => ({ kind: "EventsNode", event });

const QUERIES = {
  trend: {
    ...{ kind: "TrendsQuery", interval: "day", dateRange: { date_from: "-29d" } },
    series: [{ ...step("$pageview"), math: "dau" }],
    breakdownFilter: { breakdown: "$device_type", breakdown_type: "event" },
  },
  funnel: {
    ...{ kind: "FunnelsQuery", dateRange: { date_from: "-29d" } },
    series: ["product viewed", "added to cart", "purchase"].map(step),
  },
  retention: {
    ...{ kind: "RetentionQuery", dateRange: { date_from: "-7wStart" } },
    retentionFilter: {
      ...{ period: "Week", totalIntervals: 8, retentionType: "retention_first_time" },
      targetEntity: { id: "$pageview", type: "events" },
      returningEntity: { id: "$pageview", type: "events" },
    },
  },
  paths: {
    ...{ kind: "PathsQuery", dateRange: { date_from: "-29d" } },
    pathsFilter: { includeEventTypes: ["$pageview"] },
  },
  lifecycle: {
    ...{ kind: "LifecycleQuery", interval: "week", dateRange: { date_from: "-7wStart" } },
    series: [step("$pageview")],
  },
  stickiness: {
    ...{ kind: "StickinessQuery", dateRange: { date_from: "-29d" } },
    series: [step("$pageview")],
  },
};

/** Pages of the shop's project; `person` is someone who has bought. */
const pagesOf = (person: string, insight: string): Shown[] => [
  { name: "dashboard", path: "dashboards/1/?period=30d" },
  { name: "dashboards", path: "dashboards/" },
  ...Object.entries(QUERIES).map(([name, query]) => ({ name, path: asked(query) })),
  { name: "words", path: `insights/new/?ask=${encodeURIComponent("revenue by payment per week")}` },
  { name: "insight", path: `insights/${insight}/` },
  { name: "insights", path: "insights/" },
  { name: "events", path: "events/?period=7d" },
  {
    ...{ name: "live", path: "events/" },
    act: (page) => page.getByRole("button", { name: "Live", exact: true }).click(),
  },
  { name: "people", path: "persons/" },
  { name: "person", path: `persons/${person}/` },
  { name: "groups", path: "groups/" },
  { name: "sql", path: "sql/" },
  { name: "logs", path: "logs/" },
  { name: "health", path: "health/" },
  ...["projects", "install", "keys", "sessions", "deletions", "appearance"].map((tab) => ({
    ...{ name: `settings-${tab}`, path: `settings/?tab=${tab}` },
  })),
  {
    ...{ name: "bar", path: "events/" },
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("visitors last week");
      await page.waitForLoadState("networkidle");
    },
  },
  {
    ...{ name: "save", path: asked(QUERIES.funnel) },
    act: (page) => page.keyboard.press("Control+s"),
  },
  {
    ...{ name: "delete", path: `persons/${person}/` },
    act: (page) => page.getByRole("button", { name: "Delete" }).first().click(),
  },
];

/** Popovers, dialogs and states of pages. */
const STATES: Shown[] = [
  {
    ...{ name: "period", path: "dashboards/1/?period=30d" },
    act: (page) =>
      page
        .getByRole("button", { name: /^Period|days/ })
        .first()
        .click(),
  },
  {
    ...{ name: "filter", path: asked(QUERIES.trend) },
    act: async (page) => {
      await page.getByRole("button", { name: "Filter", exact: true }).last().click();
      await page.locator(".picker-rows [role=option]").first().waitFor();
    },
  },
  {
    ...{ name: "event", path: asked(QUERIES.trend) },
    act: async (page) => {
      await page.getByRole("button", { name: "Page view" }).first().click();
      await page.locator(".picker-rows [role=option]").first().waitFor();
    },
  },
  {
    ...{ name: "options", path: asked(QUERIES.trend) },
    act: (page) => page.getByRole("button", { name: "Options" }).click(),
  },
  {
    ...{ name: "details", path: "dashboards/1/?period=30d" },
    act: (page) => page.getByRole("button", { name: "Details" }).first().click(),
  },
  {
    ...{ name: "edit", path: "dashboards/1/" },
    act: (page) => page.getByRole("button", { name: "Edit" }).click(),
  },
  {
    ...{ name: "event-row", path: "events/" },
    act: (page) => page.locator("[data-row]").first().click(),
  },
  {
    ...{ name: "tip", path: asked(QUERIES.trend) },
    act: (page) => page.locator(".u-over").hover(),
    isPointed: true,
  },
  {
    name: "counted",
    path: asked(QUERIES.funnel),
    act: (page) =>
      page
        .getByText(/people$/)
        .first()
        .click(),
  },
  {
    ...{ name: "key", path: "settings/?tab=keys" },
    act: (page) => page.locator(".panel-head").getByRole("button", { name: "Key" }).click(),
  },
  { name: "keyboard", path: "events/", act: (page) => page.keyboard.press("?") },
  {
    ...{ name: "sql-rows", path: "sql/" },
    act: (page) => page.getByRole("button", { name: "Run" }).click(),
  },
  {
    ...{
      name: "refused",
      path: `insights/new/?ask=${encodeURIComponent("frobnicate the gizmos")}`,
    },
    act: (page) => page.getByText("Not understood:").waitFor(),
  },
  { name: "missing", path: "insights/none/" },
];

/** Pages without a session or without a server, taken after all others. */
async function showLast(
  opened: Console,
  insight: string,
  take: (name: string) => Promise<unknown>,
): Promise<void> {
  const { page, context, go } = opened;
  await go(`insights/${insight}/`);
  await page.locator(".page-head").getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const undo = page.getByRole("region", { name: "Undo" }).getByRole("button", { name: "Undo" });
  await undo.waitFor();
  await take("undo");
  await undo.click();
  await undo.waitFor({ state: "detached" });
  await go("dashboards/1/?period=30d");
  await context.setOffline(true);
  await page.keyboard.press("w");
  await page.getByRole("alert").waitFor();
  await take("away");
  await context.setOffline(false);
  await context.clearCookies();
  await page.reload();
  await page.getByLabel("Personal API key").waitFor();
  await take("sign-in");
}

async function fill(server: Server): Promise<{ person: string; insight: string }> {
  const events = shopEvents({ end: Date.now() });
  for (let at = 0; at < events.length; at += BATCH) {
    const batch = events.slice(at, at + BATCH);
    await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  }
  await server.stored(events.length);
  const headers = { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" };
  const saved = await fetch(`${server.url}/api/environments/1/insights/`, {
    ...{ method: "POST", headers },
    body: JSON.stringify({ name: "From product to purchase", query: QUERIES.funnel }),
  });
  const { short_id } = (await saved.json()) as { short_id: string };
  const buyer = events.findLast(({ event }) => event === "purchase")?.distinct_id ?? "";
  return { person: personUuid(1, buyer), insight: short_id };
}

async function show({ page, go }: Console, { path, act, isPointed }: Shown): Promise<void> {
  await go(path);
  await act?.(page);
  if (!isPointed) await page.mouse.move(0, 0);
  // A live list is never quiet.
  await page.waitForTimeout(act === undefined ? 0 : ACT_MS);
}

await using server = await startServer();
const { person, insight } = await fill(server);
const browser = await launchChromium();
const [folder, ...chosen] = process.argv.slice(2);
const widths = chosen.filter((one) => /^\d+$/.test(one)).map(Number);
const names = chosen.filter((one) => !/^\d+$/.test(one));

/** Takes the pictures of all pages that are asked for, at one width in one theme. */
async function takeAll(opened: Console, to: string, pages: readonly Shown[], size: string) {
  const take = async (name: string, fullPage = false) => {
    if (names.length > 0 && !names.includes(name)) return;
    await opened.page.screenshot({ path: join(to, `${name}-${size}.png`), fullPage });
    const found = [...(await opened.findings()), ...opened.problems.splice(0)];
    const wide = await opened.overflow();
    if (wide > 0) found.push(`${wide} px wider than the window`);
    if (found.length > 0) console.log(name, size, found.join("\n  "));
  };
  for (const one of pages) {
    if (names.length > 0 && !names.includes(one.name)) continue;
    await show(opened, one).catch((error) => opened.problems.push(String(error)));
    await take(one.name, one.act === undefined);
  }
  await showLast(opened, insight, take);
}

try {
  const pages = [...pagesOf(person, insight), ...STATES];
  if (folder === undefined) {
    for (const theme of THEMES) {
      await using console = await openConsole(browser, server, { theme });
      for (const name of ["dashboard", "funnel"]) {
        const one = pages.find((shown) => shown.name === name);
        if (one === undefined) continue;
        await show(console, one);
        const path = join(PICTURES, theme === "light" ? `${name}.png` : `${name}-dark.png`);
        await console.page.screenshot({ path });
      }
    }
  } else {
    mkdirSync(folder, { recursive: true });
    for (const theme of THEMES) {
      for (const width of widths.length > 0 ? widths : WIDTHS) {
        await using opened = await openConsole(browser, server, { theme, width });
        opened.page.setDefaultTimeout(8000);
        await takeAll(opened, folder, pages, `${width}-${theme}`);
      }
    }
  }
} finally {
  await browser.close();
}
