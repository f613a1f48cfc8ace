import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { readDay } from "../../src/console/state/zoned-days.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { flaws, place, queryIn } from "../support/start/insight-page.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

test.each([
  ["2026-11-21", "2026-11-21"],
  [" 21 Nov ", "2026-11-21"],
  ["21 november 2025", "2025-11-21"],
  ["Nov 21, 2025", "2025-11-21"],
  ["9 Sept", "2026-09-09"],
  // Without a year it is the latest one.
  ["24 Dec", "2025-12-24"],
  ["2026-12-24", "2026-12-24"],
  ["29 Feb 2024", "2024-02-29"],
  ["29 Feb", undefined],
  ["31 Nov 2026", undefined],
  ["2026-02-30", undefined],
  ["21 No", undefined],
  ["11/21/2026", undefined],
  ["0001-01-01", undefined],
  ["", undefined],
])("the text %p is the day %p", (text, day) => {
  expect(readDay(text, "2026-11-30")).toBe(day);
});

const server = sharedServer();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
let browser: Browser;
let opened: Console;

/** A purchase at the beginning of each of 480 days, and of each of 60 hours. */
const TIMES = [
  ...Array.from({ length: 480 }, (_, back) => TODAY - back * DAY_MS),
  ...Array.from({ length: 60 }, (_, back) => (Math.floor(Date.now() / HOUR_MS) - back) * HOUR_MS),
];

beforeAll(async () => {
  browser = await launchChromium();
  const batch = TIMES.map((time) => ({
    ...{ event: "purchase", distinct_id: "ann", timestamp: new Date(time).toISOString() },
  }));
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await server.stored(batch.length);
  opened = await openConsole(browser, server);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const back = (count: number) => dayOf(TODAY - count * DAY_MS);
const [YEAR, MONTH] = [Number(back(0).slice(0, 4)), Number(back(0).slice(5, 7)) - 1];
const month = (by: number) => dayOf(Date.UTC(YEAR, MONTH + by));
const quarter = (by: number) => dayOf(Date.UTC(YEAR, MONTH - (MONTH % 3) + 3 * by));
const before = (day: string) => dayOf(Date.parse(day) - DAY_MS);

/** Names of periods with their range as it is sent, and their first and last days by a plain calendar. */
const NAMED: [name: string, range: object, first: string, last: string][] = [
  ["Today", { date_from: "dStart" }, back(0), back(0)],
  ["Yesterday", { date_from: "-1dStart", date_to: "-1dEnd" }, back(1), back(1)],
  ["Last 7 days", { date_from: "-6d" }, back(6), back(0)],
  ["Last 14 days", { date_from: "-13d" }, back(13), back(0)],
  ["Last 30 days", { date_from: "-29d" }, back(29), back(0)],
  ["Last 90 days", { date_from: "-89d" }, back(89), back(0)],
  ["This month", { date_from: "mStart" }, month(0), back(0)],
  ["Last month", { date_from: "-1mStart", date_to: "-1mEnd" }, month(-1), before(month(0))],
  ["This quarter", { date_from: "qStart" }, quarter(0), back(0)],
  ["Last quarter", { date_from: "-1qStart", date_to: "-1qEnd" }, quarter(-1), before(quarter(0))],
  ["This year", { date_from: "yStart" }, dayOf(Date.UTC(YEAR, 0)), back(0)],
  ["Last 12 months", { date_from: "-11mStart" }, month(-11), back(0)],
  ["All time", { date_from: "all" }, back(480), back(0)],
];

const question = (more: object = {}) => ({
  ...{ kind: "TrendsQuery", interval: "day", dateRange: { date_from: "-3d" } },
  series: [{ kind: "EventsNode", event: "purchase", math: "total" }],
  trendsFilter: { display: "BoldNumber" },
  ...more,
});

/** The button that opens the periods. */
const button = (page: Page) => page.locator(".popover-root > .button.plain");
const number = (page: Page, text: string) =>
  page.locator(".number-value").getByText(text, { exact: true }).waitFor();
const count = (isIn: (ms: number) => boolean) => TIMES.filter(isIn).length.toLocaleString("en-US");

test.each(NAMED)("%s has its range and its number", async (name, dateRange, first, last) => {
  const { page, go } = opened;
  await go(place(question()));
  await button(page).click();
  await page.getByRole("menuitemradio", { name, exact: true }).click();
  await button(page).getByText(name, { exact: true }).waitFor();
  await number(
    page,
    count((ms) => dayOf(ms) >= first && dayOf(ms) <= last),
  );
  expect(queryIn(page)).toMatchObject({ dateRange });
});

test("the last 24 hours are hours, in every kind of question and in lists", async () => {
  const { page, go, problems } = opened;
  const choose = async () => {
    await button(page).click();
    await page.getByRole("menuitemradio", { name: "Last 24 hours" }).click();
    await button(page).getByText("Last 24 hours").waitFor();
  };
  const since = (hours: number) => Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS;
  await go(place(question({ interval: "week" })));
  await choose();
  await number(
    page,
    count((ms) => ms >= since(23)),
  );
  expect(queryIn(page)).toMatchObject({ interval: "hour", dateRange: { date_from: "-23h" } });
  await page.getByRole("button", { name: "Previous period" }).click();
  await number(
    page,
    count((ms) => ms >= since(47) && ms < since(23)),
  );
  await page.locator(".answer-foot").getByText("the 24 hours up to 24 hours ago").waitFor();
  await page.getByRole("button", { name: "Next period" }).click();
  await button(page).getByText("Last 24 hours").waitFor();
  const series = ["purchase", "purchase"].map((event) => ({ kind: "EventsNode", event }));
  await go(place({ kind: "FunnelsQuery", series, dateRange: { date_from: "-3d" } }));
  await choose();
  expect(queryIn(page)).toMatchObject({ dateRange: { date_from: "-24h", explicitDate: true } });
  await go("events/?period=24h");
  await button(page).getByText("Last 24 hours").waitFor();
  const rows = TIMES.filter((ms) => ms >= since(23)).length;
  await page
    .locator("main [data-row]")
    .nth(rows - 1)
    .waitFor();
  expect(await page.locator("main [data-row]").count()).toBe(rows);
  await go("logs/?period=24h");
  await button(page).getByText("Last 24 hours").waitFor();
  expect(problems).toEqual([]);
});

test("months go back and on by as many months", async () => {
  const { page, go } = opened;
  await go(place(question({ dateRange: { date_from: "-11mStart" } })));
  await page.keyboard.press("[");
  await number(
    page,
    count((ms) => dayOf(ms) >= month(-23) && dayOf(ms) < month(-11)),
  );
  expect(queryIn(page)).toMatchObject({
    dateRange: { date_from: "-23mStart", date_to: "-12mEnd" },
  });
  await page.keyboard.press("]");
  await button(page).getByText("Last 12 months").waitFor();
});

const day = (page: Page, iso: string) => page.locator(`[data-day="${iso}"]`);
const focused = (page: Page) =>
  page.evaluate("document.activeElement.dataset.day") as Promise<string>;

test("days are chosen by clicks, and those to come cannot be", async () => {
  const { page, go, problems } = opened;
  await go(place(question()));
  await button(page).click();
  const tomorrow = day(page, back(-1));
  if ((await tomorrow.count()) > 0) {
    expect(await tomorrow.getAttribute("aria-disabled")).toBe("true");
    await tomorrow.click({ force: true });
  }
  const [first, last] = [month(-1), back(0)];
  await day(page, last).click();
  await day(page, first).hover();
  expect(await page.getByRole("gridcell", { selected: true }).count()).toBe(
    (Date.parse(last) - Date.parse(first)) / DAY_MS + 1,
  );
  await day(page, first).click();
  await number(
    page,
    count((ms) => dayOf(ms) >= first),
  );
  expect(queryIn(page)).toMatchObject({ dateRange: { date_from: first, date_to: last } });
  expect(problems).toEqual([]);
});

test("days are chosen by keys", async () => {
  const { page, go } = opened;
  await go(place(question({ dateRange: { date_from: "2026-10-14", date_to: "2026-10-14" } })));
  await button(page).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menu", { name: "Period" }).waitFor();
  await day(page, "2026-10-14").focus();
  for (const [key, next] of [
    ["ArrowRight", "2026-10-15"],
    ["ArrowDown", "2026-10-22"],
    ["ArrowLeft", "2026-10-21"],
    ["ArrowUp", "2026-10-14"],
    ["Home", "2026-10-12"],
    ["End", "2026-10-18"],
    ["PageUp", "2026-09-18"],
    ["PageUp", "2026-08-18"],
    ["PageDown", "2026-09-18"],
    ["Shift+PageUp", "2025-09-18"],
    ["Shift+PageDown", "2026-09-18"],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focused(page)).toBe(next);
  }
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await button(page)
    .getByText(/^18 Sept?.* – 25 Sept?/)
    .waitFor();
  const dateRange = { date_from: "2026-09-18", date_to: "2026-09-25" };
  expect(queryIn(page)).toMatchObject({ dateRange });
  expect(await page.locator(".popover").count()).toBe(0);
  // Today is the last day that keys reach.
  await button(page).click();
  await page.locator(".calendar [tabindex='0']").focus();
  for (let press = 0; press < 40; press++) await page.keyboard.press("PageDown");
  expect(await focused(page)).toBe(back(0));
});

test("typed days are understood, or refused with a sentence", async () => {
  const { page, go } = opened;
  await go(place(question()));
  await button(page).click();
  const [first, last] = [page.getByLabel("First day"), page.getByLabel("Last day")];
  const refused = async (from: string, to: string, sentence: string) => {
    await first.fill(from);
    await last.fill(to);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText(sentence).waitFor();
  };
  await refused("11/21/2025", "2025-11-21", "Write a day such as 2026-11-21 or 21 Nov.");
  await refused("2025-11-21", back(-1), "This day is still to come.");
  await refused("2025-11-21", "20 Nov 2025", "The last day is before the first.");
  expect(queryIn(page)).toMatchObject({ dateRange: { date_from: "-3d" } });
  await last.fill("Nov 23, 2025");
  await last.press("Enter");
  await button(page).getByText("21 Nov 2025 – 23 Nov 2025").waitFor();
  expect(queryIn(page)).toMatchObject({
    dateRange: { date_from: "2025-11-21", date_to: "2025-11-23" },
  });
});

test.each(["light", "dark"] as const)(
  "in the %s theme it has no finding of axe, and one month on a phone",
  async (theme) => {
    await using console = await openConsole(browser, server, { width: 360, theme });
    const { page, go, findings, overflow } = console;
    await go(place(question()));
    await button(page).click();
    await page.getByLabel("Compare with").selectOption("previous");
    expect(await page.getByRole("grid").count()).toBe(1);
    expect(await findings()).toEqual([]);
    expect(await overflow()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("Escape");
    await button(page).click();
    expect(await page.getByRole("grid").count()).toBe(2);
    if (theme === "light") expect(await flaws(console)).toEqual([]);
  },
);

test("the project's clock decides today", async () => {
  // At any time, one of both has another day than UTC.
  const timezone = new Date().getUTCHours() >= 11 ? "Pacific/Kiritimati" : "Pacific/Pago_Pago";
  const made = await fetch(`${server.url}/api/projects/`, {
    method: "POST",
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Far", timezone }),
  });
  const { id, api_token } = (await made.json()) as { id: number; api_token: string };
  const event = { event: "purchase", distinct_id: "ann", timestamp: new Date().toISOString() };
  await server.capture({ api_key: api_token, ...event }, "/i/v0/e/");
  const stored = `${server.url}/api/environments/${id}/events/?limit=1`;
  while ((await server.get<{ count: number }>(stored)).count === 0) await Bun.sleep(20);
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(new Date());
  expect(today).not.toBe(back(0));
  const { page } = opened;
  await page.goto(`${server.url}/console/${id}/${place(question())}`);
  await button(page).click();
  expect(await page.locator(".calendar [aria-current='date']").getAttribute("data-day")).toBe(
    today,
  );
  await day(page, today).click();
  await day(page, today).click();
  await number(page, "1");
  expect(queryIn(page)).toMatchObject({ dateRange: { date_from: today, date_to: today } });
});
