import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { averageOf } from "../../src/console/charts/cohorts.ts";
import { flowOf, PLACES_SHOWN, type Way } from "../../src/console/charts/flow.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import {
  type Answer,
  BY_BROWSER,
  captureVisitors,
  flaws,
  type Lines,
  node,
  place,
  queryIn,
  send,
  trend,
} from "../support/start/insight-page.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

/** 60 people walk through 14 screens, each 1 to 7 of them. */
const WALKS = Array.from({ length: 60 }, (_, person) =>
  Array.from({ length: 1 + (person % 7) }, (_value, step) => ({
    event: "$screen",
    distinct_id: `walker-${person}`,
    timestamp: new Date(Date.now() - 3_600_000 + step * 1000).toISOString(),
    properties: {
      $screen_name: `screen ${step === 0 ? person % 3 : (person * (step + 1) + step) % 14}`,
    },
  })),
).flat();

beforeAll(async () => {
  browser = await launchChromium();
  await captureVisitors(server);
  await server.capture({ api_key: PROJECT_KEY, batch: WALKS }, "/batch/");
  await server.stored(WALKS.length, "&event=%24screen");
  opened = await openConsole(browser, server);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

const ask = (query: object) => send<Answer>(server, "POST", "query/", { query });

describe("retention", () => {
  const cohorts = [
    { label: "a", values: [100, 10, 30] },
    { label: "b", values: [10, 9, null] },
    { label: "c", values: [0, 0, null] },
  ];
  const never = () => false;

  test("has an average in which a large cohort counts more, of finished intervals alone", () => {
    expect(averageOf(cohorts, 1, never)).toEqual({ value: 19, of: 110 });
    expect(averageOf(cohorts, 2, never)).toEqual({ value: 30, of: 100 });
    expect(averageOf(cohorts, 1, (cohort) => cohort === 1)).toEqual({ value: 10, of: 100 });
    expect(averageOf(cohorts, 1, () => true)).toBeUndefined();
  });

  test("is as deep as its greatest cell after the beginning, and stripes the running day", async () => {
    const { page, go } = opened;
    const entity = { id: "$pageview", type: "events" };
    const query = {
      kind: "RetentionQuery",
      dateRange: { date_from: "-3d" },
      retentionFilter: {
        ...{ period: "Day", totalIntervals: 4 },
        targetEntity: entity,
        returningEntity: entity,
      },
    };
    const { results } = await ask(query);
    await go(place(query));
    await page.locator(".retention").waitFor();
    const shares = results.map(({ data }) => data.map((value) => (value ?? 0) / (data[0] || 1)));
    const most = Math.max(...shares.flatMap((line) => line.slice(1)));
    const styles = await page
      .locator(".cell")
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("style") ?? ""));
    const depths = styles.map((style) => Number(style.match(/--depth: ([\d.]+)/)?.[1]));
    const expected = results.flatMap(({ data }, row) =>
      data.flatMap((value, at) =>
        value === null ? [] : [at === 0 ? 0 : (shares[row]?.[at] ?? 0) / most],
      ),
    );
    expect(depths).toHaveLength(expected.length);
    for (const [at, depth] of depths.entries()) expect(depth).toBeCloseTo(expected[at] ?? -1, 3);
    expect(Math.max(...depths)).toBeCloseTo(1, 3);
    // Each of the four cohorts has one cell that is of today.
    expect(await page.locator(".cell.running").count()).toBe(results.length);
    const [value, of] = [1, 0].map((column) =>
      results.slice(0, -2).reduce((sum, { data }) => sum + (data[column] ?? 0), 0),
    );
    await page.locator(".average").getByTitle(`${value} of ${of}`, { exact: true }).waitFor();
    expect(await flaws(opened)).toEqual([]);
  });
});

describe("a funnel", () => {
  const FUNNEL = {
    kind: "FunnelsQuery",
    series: ["$pageview", "purchase"].map((event) => ({ kind: "EventsNode", event })),
    dateRange: { date_from: "-6d" },
  };
  type Funnel = { results: (Lines[0] & { median_conversion_times: (number | null)[] })[] };

  test("says its rate, its people and its median, and leads to the people lost", async () => {
    const { page, go } = opened;
    const { results } = await send<Funnel>(server, "POST", "query/", { query: FUNNEL });
    const [first = 0, last = 0] = results[0]?.data.map(Number) ?? [];
    expect(first).toBeGreaterThan(last);
    await go(place(FUNNEL));
    const rate = Math.round((1000 * last) / first) / 10;
    await page.getByText(`${rate}% convert · ${last} of ${first} · median`).waitFor();
    await page.getByRole("button", { name: `${first - last} people` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`${first - last} people`).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // The median of three steps is not the sum of two.
    const more = [...FUNNEL.series, { kind: "EventsNode", event: "$pageview" }];
    await go(place({ ...FUNNEL, series: more }));
    const head = page.locator("p", { has: page.locator(".funnel-rate") });
    await head.waitFor();
    expect(await head.textContent()).not.toContain("median");
    expect(await flaws(opened)).toEqual([]);
  });

  test("of a breakdown has a column for each value at each step, and their numbers in one table", async () => {
    const { page, go } = opened;
    const query = { ...FUNNEL, ...BY_BROWSER };
    const { results } = await ask(query);
    await go(place(query));
    await page.locator(".funnel").waitFor();
    expect(await page.locator(".funnel > li").count()).toBe(2);
    expect(await page.locator(".funnel-bar").count()).toBe(2 * results.length);
    const cells = await page.locator(".table td > p:first-child").allTextContents();
    const count = (text: string) => Number.parseInt(text, 10);
    expect(cells.map(count)).toEqual(results.flatMap(({ data }) => data.map(Number)));
    expect(await flaws(opened)).toEqual([]);
  });
});

test("stickiness is in percent of the people, up to the most days of anyone", async () => {
  const { page, go } = opened;
  const query = {
    kind: "StickinessQuery",
    series: [node("$pageview")],
    dateRange: { date_from: "-19d" },
  };
  const { results } = await ask(query);
  const counts = results[0]?.data.map(Number) ?? [];
  const most = counts.findLastIndex((count) => count > 0);
  expect(most).toBeLessThan(counts.length - 1);
  await go(place(query));
  await page.locator(".u-over").waitFor();
  await page.getByRole("application").focus();
  await page.keyboard.press("End");
  await page
    .locator(".tip-head")
    .getByText(`${most + 1} days`, { exact: true })
    .waitFor();
  const all = counts.reduce((sum, count) => sum + count, 0);
  const share = Math.round((1000 * (counts[most] ?? 0)) / all) / 10;
  await page.locator(".tip").getByText(`${share}%`).waitFor();
  await page.getByRole("tab", { name: "Table" }).click();
  await page
    .getByRole("cell", { name: String(counts[most]), exact: true })
    .first()
    .waitFor();
});

test("a question that nothing answers has no flat line, but a share of 0 is a number", async () => {
  const { page, go, problems } = opened;
  const lynx = {
    properties: [{ key: "$browser", value: "Lynx", type: "event", operator: "exact" }],
  };
  await go(place(trend([node("$pageview", "dau")], lynx)));
  await page.getByText("No data for this question").waitFor();
  expect(await page.locator(".plot").count()).toBe(0);
  expect(await flaws(opened)).toEqual([]);
  const series = [{ ...node("purchase"), ...lynx }, node("$pageview")];
  await go(place(trend(series, { trendsFilter: { formula: "A / B" } })));
  await page.locator(".u-over").waitFor();
  expect(problems).toEqual([]);
});

describe("paths", () => {
  const screens = (more: object = {}) => ({
    ...{ kind: "PathsQuery", dateRange: { date_from: "-6d" } },
    pathsFilter: { includeEventTypes: ["$screen"], stepLimit: 6, ...more },
  });
  const waysOf = async (query: object) =>
    (await send<{ results: Way[] }>(server, "POST", "query/", { query })).results;

  test.each([
    ["all ways", 1000],
    ["the most frequent ways alone", 12],
  ])(
    "have no more and no fewer that leave or end at a place than came, of %s",
    async (_, edgeLimit) => {
      const ways = await waysOf(screens({ edgeLimit }));
      expect(ways.length).toBeGreaterThan(11);
      const { places, streams } = flowOf(ways, 400);
      const known = places.filter(({ ends }) => ends !== undefined);
      expect(known.length).toBeGreaterThan(2);
      for (const place of known) {
        const left = streams
          .filter(({ from }) => from === place)
          .reduce((sum, { value }) => sum + value, 0);
        expect({ ...place, sum: left + (place.ends ?? 0) }).toEqual({ ...place, sum: place.value });
      }
      for (const some of Map.groupBy(places, ({ step }) => step).values()) {
        expect(some.filter(({ name }) => name !== undefined).length).toBeLessThanOrEqual(
          PLACES_SHOWN,
        );
        for (const [at, { top, height }] of some.entries()) {
          expect(top + height).toBeLessThanOrEqual(Math.min(400, some[at + 1]?.top ?? 400) + 0.01);
        }
      }
      // All 60 begin somewhere, and each seventh of them ends there.
      const first = places.filter(({ step }) => step === 1);
      if (edgeLimit === 1000) {
        expect(first.reduce((sum, { value }) => sum + value, 0)).toBe(60);
        expect(first.reduce((sum, { ends = 0 }) => sum + ends, 0)).toBe(9);
      }
    },
  );

  test("are a flow that keys walk, begin where it is chosen, and stay a list", async () => {
    const { page, go, problems } = opened;
    problems.length = 0;
    const query = screens();
    const ways = await waysOf(query);
    await go(place(query));
    const top = ways.find(({ source }) => source === "1_screen 1");
    const { source_paths: came = 0, source_ends: ends = 0 } = top ?? {};
    const share = Math.round((1000 * ends) / came) / 10;
    const button = page.getByRole("button", {
      name: `Step 1. screen 1: ${came} paths, ${ends} (${share}%) end here`,
    });
    await button.focus();
    const lit = ways.filter(({ source }) => source === "1_screen 1").length;
    expect(await page.locator(".flow path.lit").count()).toBeLessThanOrEqual(lit + 1);
    expect(await page.locator(".flow path.lit").count()).toBeGreaterThan(1);
    await page.keyboard.press("Enter");
    expect(await flaws(opened)).toEqual([]);
    await page.getByText("All ways as a list").click();
    await page.getByRole("heading", { name: "From step 1 to 2" }).waitFor();
    await page.getByRole("link", { name: "Start here" }).click();
    await page.getByRole("button", { name: /^Step 1\. screen 1: / }).waitFor();
    await page.getByRole("button", { name: /^Step 1\. screen 0: / }).waitFor({ state: "detached" });
    expect(queryIn(page)).toEqual(screens({ startPoint: "screen 1" }));
    expect(problems).toEqual([]);
  });
});
