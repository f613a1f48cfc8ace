import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium, problemsOf } from "../support/start/chromium.ts";
import { type Keyboard, keyboardOf } from "../support/start/keyboard.ts";
import { runCommand } from "../support/start/process.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { OWN_PAGE, SESSION } from "../support/start/session.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let page: Page;
let problems: string[];
let keys: Keyboard;

/** The link that `hoglet console` prints. */
const link = async () => (await runCommand(["console", "--data", server.data])).out.trim();

const BATCH = [
  { event: "$pageview", distinct_id: "phone", properties: { $browser: "Safari" } },
  {
    event: "$identify",
    distinct_id: "ann",
    properties: { $set: { email: "ann@example.com" } },
  },
  { event: "$create_alias", distinct_id: "ann", properties: { alias: "phone" } },
  { event: "$pageview", distinct_id: "ann", properties: { $browser: "Firefox" } },
];

beforeAll(async () => {
  browser = await launchChromium();
  const context = await browser.newContext({ reducedMotion: "reduce" });
  page = await context.newPage();
  problems = problemsOf(page, { mayGiveUp: true });
  keys = keyboardOf(page);
});

afterAll(() => browser?.close());

/** Waits until the page has a heading with the focus. */
const heading = (name: string | RegExp) => page.getByRole("heading", { name }).first().waitFor();

const text = (words: string | RegExp) => page.getByText(words).first().waitFor();

test("from the link of the command line through the first event to the persons of a point", async () => {
  await page.goto(await link());
  await text("Waiting for the first event");
  await keys.reach("Skip to the content");
  await keys.press("Enter");
  await server.capture({ api_key: PROJECT_KEY, batch: BATCH });
  await text("The first event arrived on");
  await server.stored(BATCH.length);
  await keys.reach("Open the dashboard");
  await keys.press("Enter");
  await heading("Website");
  await page.getByRole("application").waitFor();
  await keys.reach(/Arrow keys read its points/);
  await keys.press("Home", "End", "Enter");
  await text("1 person");
  await keys.enter("ann@example.com");
  await heading("ann@example.com");
});

test("a merge is undone, and a person is deleted with a receipt", async () => {
  await text("Merges");
  await keys.reach("Timeline");
  await keys.press("ArrowRight", "ArrowRight", "ArrowRight");
  await keys.enter("Undo…");
  await text("Restored person");
  await keys.enter("Undo the merge");
  await heading("Merge undone");
  await keys.enter("Done");
  await text("No one was merged into this person");
  await keys.enter("Delete");
  await text("Person and all events");
  await keys.reach(/^Person and all events/);
  await keys.press("ArrowDown", "ArrowUp");
  await keys.enter("Delete");
  await text("Scheduled");
});

test("a question is asked in words, changed in the builder, and saved", async () => {
  await keys.press("g", "i");
  await heading("Insights");
  await keys.enter("New insight");
  await heading("New insight");
  await text("Visitors");
  await keys.reach("Question");
  await keys.press("Control+a");
  await keys.type("page views by browser last 7 days");
  await text("Firefox");
  await keys.press("Control+s");
  await heading("Save the question");
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(
    "page views by browser last 7 days",
  );
  await keys.press("Escape");
  await keys.reach("Chart type");
  await keys.press("ArrowDown");
  await keys.press("Control+s");
  await heading("Save the question");
  await keys.press("Control+a");
  await keys.type("Views by browser");
  await keys.press("Enter");
  await heading("Views by browser");
  await keys.press("/");
  await keys.type("page views by browser");
  await page.getByRole("option", { name: /^Ask: page views by browser/ }).waitFor();
  await keys.press("End", "Enter");
  await heading("New insight");
  await text("Firefox");
  expect(await page.getByLabel("Question", { exact: true }).inputValue()).toBe(
    "page views by browser",
  );
});

test("a statement is completed and run", async () => {
  await keys.press("g", "q");
  await heading("SQL");
  await keys.reach("SQL");
  await keys.press("Control+a");
  await keys.type("SELECT distinct_i");
  await page.getByRole("option", { name: "distinct_id" }).waitFor();
  await keys.press("Tab");
  await keys.type(" FROM events LIMIT 1");
  await keys.press("Control+Enter");
  await text(/^1 row in/);
  await keys.enter("Run");
  await text(/^1 row in/);
});

test("a key is made, another session is ended, and one signs out", async () => {
  await keys.press("/");
  await keys.type("settings");
  await keys.press("Enter");
  await heading("Settings");
  await keys.reach("Projects");
  await keys.press("ArrowRight", "ArrowRight");
  await keys.enter("Key");
  await keys.type("ci");
  await keys.press("Enter");
  await text(/^phx_\w{40,}$/);
  await keys.enter("Done, I've saved it");
  await page.getByRole("cell", { name: /^ci/ }).waitFor();

  const value = new URL(await link()).hash.slice("#link=".length);
  const headers = { ...OWN_PAGE, "content-type": "application/json" };
  const body = JSON.stringify({ link: value });
  await fetch(`${server.url}${SESSION}`, { method: "POST", headers, body });
  await keys.reach("Keys", "Shift+Tab");
  await keys.press("ArrowRight");
  await keys.enter("End the session of another client");
  await keys.enter("End session");
  await page
    .getByRole("cell", { name: "another client", exact: true })
    .waitFor({ state: "detached" });
  await keys.enter("Sign out");
  await heading("Sign in to Hoglet");
  // A deleted person is absent, and so is the session after its end.
  expect(problems.filter((problem) => !/: 40[14]$|status of 40[14] /.test(problem))).toEqual([]);
});

test("a focus that is lost, and one that is not to be seen, would be found", async () => {
  const quick = keyboardOf(page, 100);
  await page.evaluate("document.activeElement.blur()");
  await expect(quick.press("Shift")).rejects.toThrow("the focus is lost");
  await page.evaluate(
    'document.querySelector("input").focus();' +
      'document.querySelector("input").style.outline = "none"',
  );
  await expect(quick.press("Shift")).rejects.toThrow("no ring is seen on <input");
});
