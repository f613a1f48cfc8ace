import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { hueOf, initialsOf, isAnonymous, shownName } from "../../src/console/ui/person/name.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
const THEMES = ["light", "dark"] as const;
let browser: Browser;
let consoles: Record<(typeof THEMES)[number], Console>;

/** Distinct ids as SDKs make them up: a uuid, and what older ones of posthog-js had. */
const ANONYMOUS = "c9a05e1c-4f7a-7c3b-9d21-6f0e2b7a18e2";
const OLDER = "18c2f3a9b7d412-0a1b2c3d4e5f60-26001051-1fa400-18c2f3a9b7e99f";

const event = (name: string, distinct_id: string, minutes: number, properties = {}) => ({
  event: name,
  distinct_id,
  timestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
  properties,
});

const BATCH = [
  event("$pageview", ANONYMOUS, 9, { $pathname: "/pricing" }),
  event("$pageview", OLDER, 8, { $process_person_profile: false }),
  event("$identify", "user_677", 7, {
    $set: { email: "rosa.dubois@example.com", plan: "free", referrer: null },
  }),
  event("purchase", "user_677", 6, {
    ...{ $pathname: "/checkout/paid", product: "Trail Runner", amount: 129, order_id: "o-1" },
    ...{ $session_id: "s-1", note: "x".repeat(80) },
  }),
  event("$pageview", "shop-7", 5),
  event("$pageview", "named", 4, { $set: { email: "", name: "Ida Weber" } }),
];

const FACES = [
  "rosa.dubois@example.com",
  "shop-7",
  "Ida Weber",
  shownName(ANONYMOUS),
  shownName(OLDER),
];

beforeAll(async () => {
  browser = await launchChromium();
  await server.capture({ api_key: PROJECT_KEY, batch: BATCH }, "/batch/");
  await server.stored(BATCH.length);
  const [light, dark] = await Promise.all(
    THEMES.map((theme) => openConsole(browser, server, { theme })),
  );
  if (light && dark) consoles = { light, dark };
});

afterAll(() => browser?.close());

test.each([
  [ANONYMOUS, "Anonymous · c9a0…18e2", ""],
  [OLDER, "Anonymous · 18c2…e99f", ""],
  ["rosa.dubois@example.com", "rosa.dubois@example.com", "RD"],
  ["Ida van der Berg", "Ida van der Berg", "IB"],
  ["user_677", "user_677", "U6"],
  ["ann", "ann", "A"],
  ["élodie@example.com", "élodie@example.com", "É"],
  ["@", "@", ""],
  ["", "", ""],
  ["deadbeef", "deadbeef", "D"],
])("a person named %p is shown as %p with %p", (name, shown, initials) => {
  expect(shownName(name)).toBe(shown);
  if (!isAnonymous(name)) expect(initialsOf(name)).toBe(initials);
});

test("the colour of a person comes from the id alone, and ids differ in it", () => {
  const ids = Array.from({ length: 100 }, (_, at) => `user_${at}`);
  const hues = ids.map(hueOf);
  expect(hues.every((hue) => hue >= 0 && hue < 360)).toBe(true);
  expect(new Set(hues).size).toBeGreaterThan(50);
  expect(hueOf("user_1")).toBe(hueOf("user_1"));
});

const QUERY = {
  kind: "TrendsQuery",
  series: [{ kind: "EventsNode", event: "$pageview", math: "dau" }],
};
const LIST = encodeURIComponent(JSON.stringify({ kind: "ActorsQuery", select: ["id", "person"] }));

describe.each(THEMES)("in the %s theme", (theme) => {
  test.each([
    ["events/", FACES],
    ["persons/", FACES.filter((name) => name !== shownName(OLDER))],
    [`insights/new/?q=${LIST}`, ["rosa.dubois@example.com"]],
  ])(
    "%s names people by their e-mail address or name, and no id by its 36 characters",
    async (path, names) => {
      const { page, problems, go, findings } = consoles[theme];
      problems.length = 0;
      await go(path);
      for (const name of names) {
        await page.locator(".person").getByText(name, { exact: true }).first().waitFor();
      }
      const text = (await page.locator("main").textContent()) ?? "";
      expect(text.match(/[0-9a-f-]{30,}/gi)).toBeNull();
      expect(await findings()).toEqual([]);
      expect(problems).toEqual([]);
    },
  );
});

/** The rows of the list, each as one line of text. */
const rowsOf = async ({ page }: Console): Promise<string[]> => {
  const texts = await page.locator("tbody tr").allTextContents();
  return texts.map((text) => text.trim());
};

test.each([
  ["events/", "Time", "time"],
  ["persons/", "First seen", "since"],
])("the head of %s sorts the whole list, and page by page", async (path, title, key) => {
  const { page, problems, go } = consoles.light;
  problems.length = 0;
  await go(path);
  const head = page.getByRole("columnheader", { name: title });
  expect(await head.getAttribute("aria-sort")).toBe("descending");
  const newest = await rowsOf(consoles.light);
  expect(newest.length).toBeGreaterThan(3);
  await head.getByRole("button").click();
  await page.waitForURL(`**/*sort=${key}`);
  while ((await rowsOf(consoles.light))[0] !== newest.at(-1)) await Bun.sleep(20);
  expect(await rowsOf(consoles.light)).toEqual(newest.toReversed());
  expect(await head.getAttribute("aria-sort")).toBe("ascending");
  await head.getByRole("button").click();
  await page.waitForURL((url) => url.search === "");
  while ((await rowsOf(consoles.light))[0] !== newest[0]) await Bun.sleep(20);
  expect(problems).toEqual([]);
});

test("the oldest events pass the same filters as the newest", async () => {
  const { page, go } = consoles.light;
  const filters = [{ key: "$pathname", operator: "is_set", value: "is_set", type: "event" }];
  await go(`events/?sort=time&filters=${encodeURIComponent(JSON.stringify(filters))}`);
  await page.getByText("/checkout/paid").waitFor();
  expect(await page.locator("tbody tr").count()).toBe(2);
  await go("events/?sort=time&event=purchase");
  expect(await page.locator("tbody tr").count()).toBe(1);
  await go("persons/?sort=since&search=rosa.dubois");
  expect(await page.locator("tbody tr").count()).toBe(1);
});

test("the head stays in view, rows have 36 px, and j marks a whole row", async () => {
  const { page, go } = consoles.light;
  await page.setViewportSize({ width: 1440, height: 300 });
  await go("events/");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const row = page.locator("tbody tr").nth(1);
  const grounds = (await page.evaluate(
    "[...document.querySelectorAll('tbody tr')].map((one) => getComputedStyle(one).backgroundColor)",
  )) as string[];
  expect(grounds.findIndex((ground) => ground !== grounds[0])).toBe(1);
  expect(new Set(grounds).size).toBe(2);
  expect((await row.boundingBox())?.height).toBe(36);
  await page.evaluate("scrollTo(0, 400)");
  const head = await page.getByRole("columnheader", { name: "Time" }).boundingBox();
  expect(head?.y).toBe(48);
  await page.setViewportSize({ width: 1440, height: 900 });
});

describe.each(THEMES)("on a phone in the %s theme", (theme) => {
  test.each([
    [
      "events/",
      [
        "purchase",
        "rosa.dubois@example.com",
        "product: Trail Runner · amount: 129 · /checkout/paid",
      ],
      /\d\d:\d\d:\d\d/,
    ],
    ["persons/", ["rosa.dubois@example.com"], /\d{1,2} \w{3,4} \d{4}/],
  ])("rows of %s have two lines with all that they say", async (path, texts, time) => {
    const { page, problems, go, findings, overflow } = consoles[theme];
    problems.length = 0;
    await page.setViewportSize({ width: 360, height: 900 });
    await go(path);
    const main = page.locator("main");
    for (const text of texts) await main.getByText(text, { exact: true }).first().waitFor();
    await main.getByText(time).first().waitFor();
    const heights = (await page.evaluate(
      "[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height)",
    )) as number[];
    expect(Math.max(...heights)).toBeLessThan(48);
    expect(await overflow()).toBe(0);
    expect(await findings()).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(problems).toEqual([]);
  });
});

describe.each(THEMES)("the page of a person in the %s theme", (theme) => {
  const open = async () => {
    const { results } = await server.get<{ results: { uuid: string }[] }>(
      "/persons/?email=rosa.dubois@example.com",
    );
    return `persons/${results[0]?.uuid}/`;
  };

  test.each([360, 1440])("has a summary with labels, at %i px", async (width) => {
    const { page, problems, go, findings, overflow } = consoles[theme];
    problems.length = 0;
    await page.setViewportSize({ width, height: 900 });
    await go(await open());
    const facts = page.locator(".summary dl > div");
    await facts.getByText("Visits").waitFor();
    const texts = await facts.allTextContents();
    expect(texts.filter((text) => !/seen/.test(text))).toEqual(["Planfree", "Events2", "Visits1"]);
    expect(texts.filter((text) => /^(First|Last) seen\d/.test(text)).length).toBe(2);
    expect(await overflow()).toBe(0);
    expect(await findings()).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(problems).toEqual([]);
  });

  test("shows no empty tab, and at each event the two properties that say most", async () => {
    const { page, go } = consoles[theme];
    const path = await open();
    await go(path);
    expect(await page.getByRole("tab").allTextContents()).toEqual([
      "Timeline",
      "Properties",
      "IDs",
    ]);
    await page.getByText("product: Trail Runner · amount: 129 · /checkout/paid").waitFor();
    await go(`${path}?tab=properties`);
    const none = page.locator(".properties dl > div").filter({ hasText: "referrer" });
    await none.getByText("–", { exact: true }).waitFor();
    await go(`${path}?tab=activity`);
    await page.getByText("No user has changed this person").waitFor();
    await page.getByRole("tab", { name: "Activity", selected: true }).waitFor();
  });

  test("says a made-up id by its ends", async () => {
    const { page, go } = consoles[theme];
    await go(`persons/?search=${ANONYMOUS}`);
    await page.locator("td").getByRole("link").click();
    await page.getByRole("heading", { name: shownName(ANONYMOUS) }).waitFor();
    await page.getByRole("tab", { name: "IDs" }).click();
    await page.locator("code").getByText(ANONYMOUS).waitFor();
  });
});

test("live events name their people, and a person leads to its page", async () => {
  const { page } = consoles.light;
  await page.goto(`${server.url}/console/1/events/?live=1`);
  await page.getByRole("link", { name: "rosa.dubois@example.com" }).first().click();
  await page.getByRole("heading", { name: "rosa.dubois@example.com" }).waitFor();
});

test("people of a number have faces, too", async () => {
  const { page, problems, go } = consoles.light;
  problems.length = 0;
  await go(`insights/new/?q=${encodeURIComponent(JSON.stringify(QUERY))}`);
  const chart = page.getByRole("application");
  await chart.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText(shownName(ANONYMOUS)).waitFor();
  expect(await dialog.textContent()).not.toMatch(/[0-9a-f-]{30,}/i);
  expect(problems).toEqual([]);
});
