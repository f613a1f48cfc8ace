import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { SESSION_PROPERTIES as SHOWN } from "../../../src/console/state/session-properties.ts";
import { SESSION_PROPERTIES } from "../../../src/core/queries/known-property.ts";
import { launchChromium } from "../../support/start/chromium.ts";
import { type Console, openConsole } from "../../support/start/console.ts";
import { captureBuyers, flaws, place, queryIn, send } from "../../support/start/insight-page.ts";
import { keyboardOf } from "../../support/start/keyboard.ts";
import { PROJECT_KEY, ROOT } from "../../support/start/server.ts";
import { sharedServer } from "../../support/start/shared-server.ts";
import { OTHER_FIELDS } from "./other-fields.ts";
import { FUNNEL, fill, press, select, TREND, tab, type } from "./steps.ts";
import { LOCKED, TREND_FIELDS } from "./trend-fields.ts";

const FIELDS = [...TREND_FIELDS, ...OTHER_FIELDS];

const server = sharedServer();
let browser: Browser;
let opened: Console;

beforeAll(async () => {
  browser = await launchChromium();
  await captureBuyers(server);
  const $group_set = { seats: 5 };
  const properties = { $group_type: "company", $group_key: "acme", $group_set };
  const group = { event: "$groupidentify", distinct_id: "ann", properties };
  await server.capture({ api_key: PROJECT_KEY, batch: [group] }, "/batch/");
  await server.stored(6);
  opened = await openConsole(browser, server);
});

afterAll(() => browser?.close());

type Answer = { explanation: string; results: { aggregated_value: number | null }[] };

const answerTo = (query: unknown) => send<Answer>(server, "POST", "query/", { query });

/** Waits until the address has a query with these fields. */
const until = (expected: object) =>
  opened.page.waitForURL(() => Bun.deepMatch(expected, queryIn(opened.page) as object));

/** The names in the first column of the tables of fields. */
function documented(): string[] {
  const page = readFileSync(join(ROOT, "src/docs/insights.md"), "utf8");
  const part = page.slice(page.indexOf("## Typed queries"), page.indexOf("### Differences"));
  const rows = part.split(/\n\n/).filter((table) => /^\| field \|/.test(table));
  const cells = rows.flatMap((table) =>
    table
      .split("\n")
      .slice(2)
      .map((row) => row.split("|")[1]),
  );
  const names = cells.flatMap((cell) =>
    / of /.test(cell ?? "") ? [] : [...(cell ?? "").matchAll(/`(\w+)`/g)],
  );
  return [...new Set(names.map(([, name]) => name ?? ""))];
}

test("each field that the page on insights names has a control, or is said in words", () => {
  const known = [...FIELDS, ...LOCKED].map(([field]) => field);
  const names = documented();
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test.each(FIELDS)(
  "%s is set in the console, and the answer is the API's",
  async (_, from, steps, expected) => {
    const { page, go } = opened;
    await go(place(from));
    for (const step of steps) await step(page);
    await until(expected);
    const query = queryIn(page);
    const { explanation } = await answerTo(query);
    await page.locator(".answer-foot").getByText(explanation).waitFor();
    expect(await page.locator("datalist, dialog:modal").count()).toBe(0);
  },
);

test.each(LOCKED)("%s is a chip in words, and stays", async (_, query, words) => {
  const { page, go } = opened;
  await go(place(query));
  await page.locator(".chip.locked").getByText(words).waitFor();
});

test("purchases by payment, weekly, as bars, by keys alone", async () => {
  const { page, go } = opened;
  const keys = keyboardOf(page);
  await go("insights/new/");
  await keys.enter(/^Event A/);
  await keys.type("purchase");
  await keys.press("Enter");
  await keys.enter("Breakdown");
  await keys.type("channel");
  await keys.press("Enter");
  await keys.reach("Chart type");
  await keys.type("Bars");
  await keys.reach("Interval");
  await keys.type("Weekly");
  const query = {
    series: [{ event: "purchase" }],
    ...{ interval: "week", trendsFilter: { display: "ActionsBar" } },
    breakdownFilter: { breakdown: "channel" },
  };
  await until(query);
});

test("a shorter window of a funnel changes its number to the API's", async () => {
  const { page, go } = opened;
  await go(place(FUNNEL));
  await fill("Within", "30")(page);
  await select("Unit of the window", "second")(page);
  const query = {
    ...FUNNEL,
    funnelsFilter: { funnelWindowInterval: 30, funnelWindowIntervalUnit: "second" },
  };
  const whole = await answerTo(FUNNEL);
  const { results, explanation } = await answerTo(query);
  expect(whole.results[0]?.aggregated_value).toBeCloseTo(2 / 3);
  expect(results[0]?.aggregated_value).toBeCloseTo(1 / 3);
  await page.locator(".answer-foot").getByText(explanation).waitFor();
  await page.locator(".panel").getByText("33.3%").first().waitFor();
});

test.each([
  "purchases per day, last 7 days",
  "what share of people with signup has purchase, last 7 days",
  "funnel from signup to purchase, last 7 days",
  "retention of signups, last 7 days",
  "paths of visitors last 7 days",
  "lifecycle of signups, last 7 days",
  "stickiness of purchases, last 7 days",
  "list people who had purchase at least twice in the last 30 days",
  "what has ann@example.com done so far",
])("%s opens as chips that can be changed", async (words) => {
  const { page, go } = opened;
  await go(`insights/new/?ask=${encodeURIComponent(words)}`);
  await page.waitForURL((url) => url.searchParams.has("q"));
  const before = queryIn(page) as { kind: string; properties?: object[] };
  const search = (page: Page) => page.getByRole("combobox", { name: "Property" }).focus();
  const steps = [
    ...[press("Filter"), tab("Person"), search],
    ...[type("plan"), type("pro"), press("Apply")],
  ];
  for (const step of steps) await step(page);
  const plan = { key: "plan", operator: "exact", value: "pro", type: "person" };
  await until({ kind: before.kind, properties: [...(before.properties ?? []), plan] });
  const { explanation } = await answerTo(queryIn(page));
  await page.locator(".answer-foot").getByText(explanation).waitFor();
});

test("words with more fields than a new insight open without a move of the page", async () => {
  opened.problems.length = 0;
  await opened.go(`insights/new/?ask=${encodeURIComponent("funnel from signup to purchase")}`);
  await opened.page.locator(".answer-foot").waitFor();
  expect(opened.problems).toEqual([]);
});

test("a condition on people from words is a chip, and another number of times counts others", async () => {
  const { page, go } = opened;
  const words = "list people who had purchase at least twice in the last 30 days";
  await go(`insights/new/?ask=${encodeURIComponent(words)}`);
  await press(/^people with purchase at least 2 times/)(page);
  await page.getByLabel("Number", { exact: true }).fill("1");
  await press("Apply")(page);
  await page.getByRole("button", { name: /^people with purchase at least 1 time/ }).waitFor();
  const { results } = await answerTo(queryIn(page));
  expect(results.length).toBe(2);
  await page.locator(".panel tbody tr").nth(1).waitFor();
});

describe("a popover", () => {
  test("has no finding of axe, and fits a phone", async () => {
    const { page, go } = opened;
    await go(place(TREND));
    await press("Filter")(page);
    await page.getByRole("option", { name: "channel" }).waitFor();
    expect(await flaws(opened)).toEqual([]);
    await type("channel")(page);
    await page.getByRole("option", { name: "ads" }).waitFor();
    expect(await flaws(opened)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 700 });
    const box = await page.getByRole("dialog").boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("keeps a whole filter when it is left by a press, and drops it at Escape", async () => {
    const { page, go } = opened;
    await go(place(TREND));
    for (const step of [press("Filter"), type("channel"), type("ads")]) await step(page);
    await page.keyboard.press("Escape");
    expect(queryIn(page)).toEqual(TREND);
    for (const step of [press("Filter"), type("channel"), type("ads")]) await step(page);
    await page.getByRole("heading", { name: "Answer" }).click();
    await page.getByRole("button", { name: "channel is ads", exact: true }).waitFor();
  });

  test("of a value that nothing has takes it as it is typed", async () => {
    const { page, go } = opened;
    await go(place(TREND));
    for (const step of [press("Filter"), type("channel"), type("mail"), type("")]) await step(page);
    await page.getByRole("button", { name: "channel is mail", exact: true }).waitFor();
  });
});

test("the console knows each property of sessions", () => {
  expect(SHOWN.map(({ name }) => name).sort()).toEqual([...SESSION_PROPERTIES].sort());
});
