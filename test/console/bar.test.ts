import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

const NAMES = ["rosa.brown", "rosa.keller", "rosa.meier", "tom.rosario"];

beforeAll(async () => {
  browser = await launchChromium();
  const visits = NAMES.map((name) => ({
    event: "$pageview",
    distinct_id: name,
    properties: { $pathname: "/", $set: { email: `${name}@example.com` } },
  }));
  const sign = { event: "signed up", distinct_id: NAMES[0], properties: {} };
  const group = {
    event: "$groupidentify",
    distinct_id: NAMES[0],
    properties: { $group_type: "company", $group_key: "acme", $group_set: { name: "Acme Ltd" } },
  };
  const batch = [...visits, sign, group];
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await server.stored(batch.length);
  const headers = {
    authorization: `Bearer ${PERSONAL_KEY}`,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ name: "Second shop" });
  const made = await fetch(`${server.url}/api/projects/`, { method: "POST", headers, body });
  expect(made.status).toBe(201);
  opened = await openConsole(browser, server);
});

afterAll(() => browser?.close());

beforeEach(async () => {
  opened.problems.length = 0;
  await opened.go("events/");
});

/** Opens the bar, and types into it. */
async function type(text: string): Promise<void> {
  await opened.page.keyboard.press("Control+k");
  await opened.page.keyboard.type(text);
}

const field = () => opened.page.getByRole("combobox", { name: "Search, or ask a question" });
const option = (name: string | RegExp) => opened.page.getByRole("option", { name });

/** The text of the row that keys act on, as screen readers find it. */
const active = () =>
  opened.page.evaluate(
    `document.getElementById(
      document.activeElement.getAttribute("aria-activedescendant"),
    ).querySelector(".bar-title").textContent`,
  );

test.each(["Control+k", "/"])(
  "%s opens the bar, Escape closes it, without a finding of axe",
  async (key) => {
    const { page, problems, findings } = opened;
    await page.keyboard.press(key);
    await field().waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe("combobox");
    expect(await findings()).toEqual([]);
    await page.keyboard.press("Escape");
    await field().waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  },
);

test("Ctrl-K opens it from a field as well, but not over another dialog", async () => {
  const { page } = opened;
  await opened.go("persons/");
  await page.getByRole("searchbox").focus();
  await page.keyboard.press("Control+k");
  await field().waitFor();
  await opened.go("sql/");
  await page.getByRole("heading", { name: "SQL", level: 1 }).focus();
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Control+k");
  expect(await field().count()).toBe(0);
});

describe("a part of a name leads", () => {
  test.each([
    ["website", "Website", "/dashboards/1/"],
    ["bounce ra", "Bounce rate", "/insights/"],
    ["rosa.kell", "rosa.keller@example.com", "/persons/"],
    ["acme", "Acme Ltd", "/groups/0/?key=acme"],
    ["second", "Second shop", "/console/2/"],
    ["keys", "Keys", "/settings/?tab=keys"],
    ["signed u", "signed up", "/events/?event=signed+up"],
    ["new in", "New insight", "/insights/new/"],
    ["people", "People", "/persons/"],
  ])("%s to %s, with Enter at once", async (text, title, address) => {
    const { page, problems } = opened;
    await type(text);
    // Before the server has answered: Enter waits for what it means.
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.href.includes(address));
    await field().waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    if (title === "Second shop") await opened.go("");
  });
});

test("people are found by the name that is shown for them, and once each", async () => {
  const person = (distinct_id: string, $set: object) => ({
    ...{ event: "$identify", distinct_id, properties: { $set } },
  });
  const batch = [
    person("z-1", { name: "Zoë O’Hara" }),
    person("z-2", { name: "Zoë Quist", email: "zoë.quist@example.com" }),
  ];
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await server.stored(2, "&event=$identify");
  await type("zoë");
  await option(/^Zoë O’Hara/).waitFor();
  await option(/^zoë.quist@example.com/).waitFor();
  expect(await option(/Person$/).count()).toBe(2);
  await opened.page.keyboard.press("Escape");
});

test("arrow keys, Home and End move among the rows, around the ends", async () => {
  const { page } = opened;
  await type("rosa");
  await option("rosa.meier").waitFor();
  const rows = await page.getByRole("option").locator(".bar-title").allTextContents();
  expect(rows).toHaveLength(5);
  expect(rows.at(-1)).toBe("Ask: rosa");
  expect(await active()).toBe(rows[0]);
  for (const [key, at] of [
    ["ArrowDown", 1],
    ["ArrowDown", 2],
    ["End", 4],
    ["ArrowDown", 0],
    ["ArrowUp", 4],
    ["Home", 0],
    ["ArrowDown", 1],
    ["ArrowDown", 2],
  ] as const) {
    await page.keyboard.press(key);
    expect(await active()).toBe(rows[at]);
  }
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `${rows[2]}`, level: 1 }).waitFor();
});

test("a question has its number in the bar, and Enter leads to its page", async () => {
  const { page, problems } = opened;
  await type("how many visitors today");
  await option(/^Ask: how many visitors today/)
    .getByText("4", { exact: true })
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "New insight" }).waitFor();
  expect(await page.getByLabel("Question", { exact: true }).inputValue()).toBe(
    "how many visitors today",
  );
  expect(problems).toEqual([]);
});

test("words that are no question are said to be none", async () => {
  await type("colourless green ideas");
  await option(/^Ask: .*Not understood/).waitFor();
});

test("commands do something: the theme changes", async () => {
  const { page } = opened;
  await type("dark");
  await page.keyboard.press("Enter");
  await page.waitForSelector('html[data-theme="dark"]');
  await type("theme: light");
  await page.keyboard.press("Enter");
  await page.waitForSelector('html[data-theme="light"]');
});

test("Ctrl-Enter opens a row in a new tab", async () => {
  const { page, context } = opened;
  await type("website");
  const [tab] = await Promise.all([
    context.waitForEvent("page"),
    page.keyboard.press("Control+Enter"),
  ]);
  expect(tab.url()).toContain("/dashboards/1/");
  await tab.close();
});

test("a server that is away is said, and Enter leads nowhere else", async () => {
  const { page, context } = opened;
  await page.keyboard.press("/");
  await context.setOffline(true);
  await page.keyboard.type("website");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
  await field().waitFor();
  expect(page.url()).toContain("/events/");
  await context.setOffline(false);
  await option("Website Dashboard").waitFor();
  expect(await page.getByRole("dialog").getByRole("alert").count()).toBe(0);
});

test("a kind that cannot be searched is named, and the others are listed", async () => {
  const { page } = opened;
  await page.route("**/persons/?search*", (route) => route.fulfill({ status: 500, body: "{}" }));
  await type("website");
  await option("Website Dashboard").waitFor();
  await page.getByRole("alert").getByText("Not searched: persons.").waitFor();
  await page.unroute("**/persons/?search*");
});

test.each([
  ["MacIntel", "⌘ K"],
  ["Linux x86_64", "Ctrl K"],
  ["Win32", "Ctrl K"],
])("on %s its keys are written %s", async (platform, keys) => {
  const { context } = opened;
  const page = await context.newPage();
  await page.addInitScript(
    `Object.defineProperty(navigator, "platform", { get: () => "${platform}" })`,
  );
  await page.goto(`${server.url}/console/1/events/`);
  await page.getByRole("button", { name: "Search" }).getByText(keys, { exact: true }).waitFor();
  await page.close();
});
