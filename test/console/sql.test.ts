import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import {
  type Candidate,
  matching,
  wordBefore,
  written,
} from "../../src/console/pages/sql/completion.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { openConsole } from "../support/start/console.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

describe("completion", () => {
  const candidates: Candidate[] = [
    { text: "event", kind: "column" },
    { text: "$browser", kind: "column" },
    { text: "events", kind: "table" },
    { text: "ever", kind: "function" },
  ];

  test("offers names by their beginning, and none for a whole word", () => {
    expect(matching(candidates, "EVE").map(({ text }) => text)).toEqual([
      "event",
      "events",
      "ever",
    ]);
    expect(matching(candidates, "events")).toEqual([]);
  });

  test("knows the word before the cursor, but not in texts and comments", () => {
    expect(wordBefore("SELECT eve", 10)).toBe("eve");
    expect(wordBefore("SELECT 'it''s eve", 17)).toBeUndefined();
    expect(wordBefore("-- eve", 6)).toBeUndefined();
    expect(wordBefore("SELECT ", 7)).toBeUndefined();
  });

  test("writes names with other characters in quotes, and functions with a bracket", () => {
    expect(candidates.map(written)).toEqual(["event", '"$browser"', "events", "ever("]);
  });
});

describe("the page", () => {
  const server = sharedServer();
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
    const event = { event: "signed up", distinct_id: "ann" };
    await server.capture({ api_key: PROJECT_KEY, ...event }, "/i/v0/e/");
    await server.stored(1);
  });

  afterAll(() => browser?.close());

  test("completes, runs, marks the wrong word, and keeps draft and history", async () => {
    await using console = await openConsole(browser, server);
    const { page, problems } = console;
    await console.go("sql/");
    const field = page.getByLabel("SQL", { exact: true });
    await page.getByText("sessions").waitFor();
    await field.fill("");
    await field.pressSequentially("SELECT distinct_i");
    await page.getByRole("option", { name: "distinct_id" }).waitFor();
    await page.keyboard.press("Tab");
    await field.pressSequentially(", event FROM events");
    expect(await field.inputValue()).toBe("SELECT distinct_id, event FROM events");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("cell", { name: "signed up" }).waitFor();
    expect(await console.findings()).toEqual([]);
    expect(problems).toEqual([]);

    await field.fill("SELECT evnt FROM events");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText('There is no column "evnt" in these tables.').waitFor();
    expect(await page.locator(".code-wrong").textContent()).toBe("evnt");

    // An empty statement is not run, and so leaves no row.
    await field.fill(" ");
    await page.keyboard.press("Control+Enter");
    await field.fill("SELECT evnt FROM events");
    await page.getByText(/^1 row, /).waitFor();
    expect(await page.getByRole("listitem").filter({ hasText: "ago" }).count()).toBe(2);

    await console.go("sql/");
    expect(await field.inputValue()).toBe("SELECT evnt FROM events");
    await page.getByRole("button", { name: "SELECT distinct_id, event FROM events" }).click();
    expect(await field.inputValue()).toBe("SELECT distinct_id, event FROM events");
  });

  test("cancels a statement that takes long", async () => {
    await using console = await openConsole(browser, server);
    const { page } = console;
    await console.go("sql/");
    const field = page.getByLabel("SQL", { exact: true });
    const digits = "WITH d AS (SELECT unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) AS n)";
    const tables = [..."abcdefghijkl"].map((name) => `d ${name}`).join(", ");
    await field.fill(`${digits} SELECT count(*) FROM ${tables} WHERE a.n + l.n <> 99`);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("failed").waitFor();
    await field.fill("SELECT 42 AS answer, now() AS at");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("cell", { name: "42", exact: true }).waitFor();
    await field.fill("SELECT number FROM numbers(150)");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("More rows follow the first 100").waitFor();
  });
});
