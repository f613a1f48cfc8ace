import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { marksIn } from "../../src/console/charts/mark-columns.ts";
import { personUuid } from "../../src/core/identity/person.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
const THEMES = ["light", "dark"] as const;
const ANONYMOUS = { $process_person_profile: false, $session_id: "s-2" };
let browser: Browser;
let consoles: Record<(typeof THEMES)[number], Console>;

beforeAll(async () => {
  browser = await launchChromium();
  const visit = (event: string, minutes: number, properties = {}) => ({
    event,
    distinct_id: "ann",
    timestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
    properties: { $session_id: "s-1", $pathname: "/pricing", ...properties },
  });
  const $set = { email: "ann@example.com", plan: "pro" };
  const anonymous = { ...visit("looked", 9, ANONYMOUS), distinct_id: "anon" };
  const batch = [visit("$pageview", 3), visit("$identify", 2, { $set }), visit("signed up", 1)];
  await server.capture({ api_key: PROJECT_KEY, batch: [...batch, anonymous] }, "/batch/");
  await server.stored(4);
  const [light, dark] = await Promise.all(
    THEMES.map((theme) => openConsole(browser, server, { theme })),
  );
  if (light && dark) consoles = { light, dark };
});

afterAll(() => browser?.close());

test.each([
  [{ date_from: "yStart" }, "This year", "Last year"],
  [{ date_from: "-1mStart", date_to: "-1mEnd" }, "Last month", undefined],
  [{ date_from: "-8w" }, "Last 57 days", undefined],
  [{ date_from: "-24h" }, "Last 25 hours", undefined],
  [{ date_from: "2026-01-05" }, /^Since 5 Jan/, undefined],
  [{ date_from: "2026-01-05", date_to: "2026-01-06" }, /^5 Jan.* – 6 Jan/, /^3 Jan.* – 4 Jan/],
  [{ date_from: "all" }, "All time", null],
  [{}, "Last 8 days", undefined],
])("the period of the query %o is shown as %s", async (dateRange, name, before) => {
  const { page, go } = consoles.light;
  const series = [{ kind: "EventsNode", event: "$pageview" }];
  const query = { kind: "TrendsQuery", series, interval: "month", dateRange };
  await go(`insights/new/?q=${encodeURIComponent(JSON.stringify(query))}`);
  await page.getByRole("button", { name }).waitFor();
  if (before === undefined) return;
  const previous = page.getByRole("button", { name: "Previous period" });
  // Nothing is before all time.
  if (before === null) return expect(await previous.getAttribute("aria-disabled")).toBe("true");
  await previous.click();
  await page.getByRole("button", { name: before }).waitFor();
});

test("annotations are marks on the interval of their time, on the project's clock", () => {
  const at = (time: string) => ({ at: time, text: time });
  const columnsOf = (columns: string[], times: string[], zone = "UTC") =>
    marksIn(columns, times.map(at), zone).map(
      ({ column, number }) => `${number}: ${columns[column]}`,
    );
  const days = ["2026-11-20", "2026-11-21"];
  const times = ["2026-11-21T22:59:59Z", "2026-11-19T23:00:00Z", "2026-11-21T23:00:00Z"];
  expect(columnsOf(days, times, "Europe/Berlin")).toEqual(["1: 2026-11-20", "2: 2026-11-21"]);
  expect(columnsOf(["2026-11-09", "2026-11-16"], ["2026-11-22T09:00:00Z"])).toEqual([
    "1: 2026-11-16",
  ]);
  const hours = ["2026-11-21 09:00:00", "2026-11-21 10:00:00"];
  expect(columnsOf(hours, ["2026-11-21T09:59:00Z", "2026-11-21T11:00:00Z"])).toEqual([
    "1: 2026-11-21 09:00:00",
  ]);
});

test("an annotation is made and removed below a chart, which reads it", async () => {
  const { page, problems, go, findings } = consoles.light;
  await go("insights/new/");
  problems.length = 0;
  await page.getByRole("button", { name: "Annotation", exact: true }).click();
  await page.getByLabel("Text").fill("New prices");
  await page.getByRole("button", { name: "Save" }).last().click();
  const remove = page.getByRole("button", { name: "Remove the annotation New prices" });
  await remove.waitFor();
  await page.getByRole("application").focus();
  await page.keyboard.press("End");
  await page.getByText("1. New prices").first().waitFor();
  expect(await findings()).toEqual([]);
  await remove.click();
  await remove.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
});

test("words are saved only once they are understood, and going back leads to each question that was run", async () => {
  const { page, problems, go } = consoles.light;
  await go("insights/");
  await page.getByRole("link", { name: "New insight" }).first().click();
  problems.length = 0;
  const question = page.getByRole("textbox", { name: "Question" });
  const save = page.getByRole("button", { name: "Save", exact: true, disabled: false });
  const expectAnswer = (text: string) => page.locator(".answer-foot").getByText(text).waitFor();
  await expectAnswer("per day");
  await question.fill("number of signed up this week");
  await question.press("Enter");
  await expectAnswer(", this week");
  await question.fill("churn rate last month");
  await page.locator(".panel").getByText("The question is not understood").waitFor();
  expect(await page.locator(".answer-foot").count()).toBe(0);
  expect(await save.count()).toBe(0);
  await page.keyboard.press("Control+s");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await question.fill("sessions this week");
  await expectAnswer("sessions");
  await question.fill("visitors last week");
  await question.press("Enter");
  await expectAnswer("Visitors, last week");
  await save.click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByLabel("Kind").selectOption("PathsQuery");
  await expectAnswer("Paths");
  while (!/paths.*last week$/i.test(await question.inputValue())) await Bun.sleep(20);
  const words = await question.inputValue();
  await save.click();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(words);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.goBack();
  await expectAnswer("Visitors, last week");
  await page.goBack();
  await expectAnswer(", this week");
  await page.goBack();
  await expectAnswer("per day");
  await page.goBack();
  await page.getByRole("heading", { name: "Insights", exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test("a funnel of one step is not asked, and has no older chart", async () => {
  const { page, problems, go } = consoles.light;
  await go("insights/new/");
  await page.getByText("Visitors").first().waitFor();
  problems.length = 0;
  await page.getByLabel("Kind").selectOption("FunnelsQuery");
  await page.getByText("Add a second step").first().waitFor();
  expect(await page.getByRole("application").count()).toBe(0);
  const save = page.getByRole("button", { name: "Save", exact: true });
  expect(await save.getAttribute("aria-disabled")).toBe("true");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await page.getByRole("button", { name: /^Event 1/ }).click();
  await page.keyboard.type("purchse");
  await page.getByRole("option", { name: "Use “purchse”" }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("signed");
  await page.getByRole("option", { name: "signed up" }).click();
  await page.getByRole("button", { name: "Event 1: signed up" }).waitFor();
  await page.getByText("Add a second step").first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
  expect(problems).toEqual([]);
});

/** Each page, with a text that only its content has. */
const PAGES = [
  { path: "start/", text: "The first event arrived on" },
  { path: "events/", text: "signed up" },
  { path: "events/?event=nothing", text: "No results match these filters" },
  { path: "events/?period=2026-01-01..2026-01-02", text: "No data in this period" },
  { path: "persons/", text: "ann@example.com" },
  { path: "persons/1/", text: "session of 2 min" },
  { path: "persons/1/?tab=properties", text: "plan" },
  { path: "persons/77/", text: "This person doesn't exist" },
  { path: `persons/${personUuid(1, "anon")}/`, text: "Anonymous visitors have no profile" },
  { path: "insights/", text: "New insight" },
  { path: "insights/new/", text: "Visitors" },
  { path: "sql/", text: "Tables" },
  { path: "nowhere/", text: "This page doesn't exist" },
];

describe.each(THEMES)("in the %s theme", (theme) => {
  test.each(PAGES)(
    "%o has content, no finding of axe, and fits each width",
    async ({ path, text }) => {
      const { page, problems, go, findings, overflow } = consoles[theme];
      problems.length = 0;
      await page.setViewportSize({ width: 1440, height: 900 });
      await go(path);
      await page.getByText(text).first().waitFor();
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
      expect(await findings()).toEqual([]);
      for (const width of [360, 768]) {
        await page.setViewportSize({ width, height: 900 });
        expect({ width, overflow: await overflow() }).toEqual({ width, overflow: 0 });
      }
      const isMissing = path.startsWith("persons/") && !path.startsWith("persons/1/");
      const isExpected = (problem: string) => isMissing && problem.includes("404");
      expect(problems.filter((problem) => !isExpected(problem))).toEqual([]);
    },
  );
});
