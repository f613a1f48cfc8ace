import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { Line } from "../../src/console/api/query.ts";
import { areAmong, chosen, filtersOfLine } from "../../src/console/state/row-filters.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { send } from "../support/start/insight-page.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;
let dashboard: number;

const SOURCES = [
  "www.google.com",
  "www.google.com",
  "www.bing.com",
  undefined,
  "www.google.com",
  "x.com",
];
const PAGES = ["/", "/pricing", "/docs"];

/** Thirty visits of twelve people today and yesterday; some events lack a source, a plan, or a company. */
const EVENTS = Array.from({ length: 30 }, (_, at) => {
  const source = SOURCES[at % 6];
  const person = at % 12;
  const sent = {
    distinct_id: `person-${person}`,
    timestamp: new Date(Date.now() - at * 3_600_000).toISOString(),
    properties: {
      ...{ $session_id: `s-${at}`, $pathname: PAGES[at % 3], depth: at % 4 },
      ...(source === undefined ? {} : { $referring_domain: source }),
      ...(person % 3 === 0 ? {} : { $groups: { company: `c-${person % 3}` } }),
      $set: person % 4 === 0 ? {} : { plan: person % 2 === 0 ? "pro" : "free" },
    },
  };
  const view = { event: "$pageview", ...sent };
  const signup = at % 10 === 0 ? [{ event: "signup", ...sent }] : [];
  return at % 5 === 0 ? [view, { event: "purchase", ...sent }, ...signup] : [view];
}).flat();

const GROUPS = ["c-1", "c-2"].map((key, at) => ({
  event: "$groupidentify",
  distinct_id: "person-1",
  properties: {
    ...{ $group_type: "company", $group_key: key },
    $group_set: { size: at === 0 ? "small" : "large" },
  },
}));

const views = (breakdownFilter: object, math = "dau") => ({
  ...{ kind: "TrendsQuery", interval: "day", trendsFilter: { display: "ActionsBarValue" } },
  ...{ series: [{ kind: "EventsNode", event: "$pageview", math }], breakdownFilter },
});

/** The filter that leaves out the events of SDKs. */
const OWN_EVENTS = { type: "event_metadata", key: "event", operator: "not_regex", value: "^[$]" };

/** The condition that a person had an event. */
const did = (key: string, negation = false) => ({
  ...{ type: "behavioral", key, event_type: "events", value: "performed_event", negation },
});

/** The lists of the dashboard, by the owner of the property, and their values without others. */
const LISTS: Record<string, object> = {
  Sources: views({ breakdown: "$referring_domain", breakdown_type: "event" }),
  Depths: views({ breakdown: "depth", breakdown_type: "event" }, "total"),
  Plans: views({ breakdown: "plan", breakdown_type: "person" }),
  Entries: views({ breakdown: "$entry_pathname", breakdown_type: "session" }, "unique_session"),
  Sizes: views({
    ...{ breakdown: "size", breakdown_type: "group", breakdown_group_type_index: 0 },
  }),
  Both: views({ breakdowns: [{ property: "$pathname" }, { property: "plan", type: "person" }] }),
  Few: views({ breakdown: "$pathname", breakdown_limit: 1 }),
  Names: { ...views({ breakdown: "event", breakdown_type: "event_metadata" }), series: [{}] },
  Goals: {
    ...views({ breakdown: "event", breakdown_type: "event_metadata" }),
    series: [{ math: "dau", properties: [OWN_EVENTS] }],
  },
  Ids: {
    ...views({ breakdown: "distinct_id", breakdown_type: "event_metadata", breakdown_limit: 3 }),
  },
  Visitors: { ...views({}), trendsFilter: { display: "BoldNumber" } },
};

type Kept = { id: number; tiles: { insight: { name: string; query: object } }[] };

beforeAll(async () => {
  browser = await launchChromium();
  await server.capture({ api_key: PROJECT_KEY, batch: [...GROUPS, ...EVENTS] }, "/batch/");
  await server.stored(GROUPS.length + EVENTS.length);
  opened = await openConsole(browser, server);
  const insights = await Promise.all(
    Object.entries(LISTS).map(([name, query]) =>
      send<{ id: number }>(server, "POST", "insights/", { name, query }),
    ),
  );
  const made = await send<Kept>(server, "POST", "dashboards/", {
    ...{ name: "Lists", filters: { date_from: "-6d" } },
    tiles: insights.map(({ id }) => ({ insight: id })),
  });
  dashboard = made.id;
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

const tile = (page: Page, name: string) =>
  page.locator(".tile").filter({ has: page.getByRole("heading", { name, exact: true }) });

/** The row with a label, which is the first line of its title: an emblem may have a letter of its own. */
const row = (of: Locator, label: string) =>
  of.locator("li").filter({ has: of.page().locator(`.bar-row[title^="${label}\\a "]`) });

/** The filters of the address. */
const filtersIn = (page: Page): unknown[] =>
  JSON.parse(new URL(page.url()).searchParams.get("filters") ?? "[]");

/** The numbers of each tile as the API has them, with filters over it. */
async function expected(properties: unknown[]): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const [name, query] of Object.entries(LISTS)) {
    const { results } = await send<{ results: Line[] }>(server, "POST", "query/", {
      ...{ query, dashboard, filters_override: { properties } },
    });
    all[name] = results.map(({ aggregated_value }) => String(aggregated_value));
  }
  return all;
}

async function shown(page: Page): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const name of Object.keys(LISTS)) {
    const values = tile(page, name).locator(".bar-number, .number-value");
    all[name] = (await values.allTextContents()).map((text) => text.split(/\s/)[0] ?? "");
  }
  return all;
}

/** Waits until the page shows the numbers of the API with these filters. */
async function agrees(page: Page, filters: unknown[]): Promise<void> {
  const numbers = await expected(filters);
  for (;;) {
    const now = await shown(page);
    if (Bun.deepEquals(now, numbers)) return;
    // The last look says what differs.
    if ((await page.locator("[aria-busy=true]").count()) === 0) {
      if (Bun.deepEquals(await shown(page), numbers)) return;
      expect(await shown(page)).toEqual(numbers);
    }
    await Bun.sleep(20);
  }
}

const focused = (page: Page) =>
  page.evaluate("document.activeElement.querySelector('.bar-label')?.textContent");

describe("a click on a row of a list", () => {
  test.each([
    ["Sources", "Google", [["$referring_domain", "exact", "www.google.com", "event"]]],
    ["Sources", "(none)", [["$referring_domain", "is_not_set", undefined, "event"]]],
    ["Depths", "2", [["depth", "exact", "2", "event"]]],
    ["Plans", "pro", [["plan", "exact", "pro", "person"]]],
    ["Plans", "(none)", [["plan", "is_not_set", undefined, "person"]]],
    ["Entries", "/pricing", [["$entry_pathname", "exact", "/pricing", "session"]]],
    ["Sizes", "small", [["size", "exact", "small", "group"]]],
    ["Sizes", "(none)", [["size", "is_not_set", undefined, "group"]]],
    [
      ...(["Both", "/, free"] as const),
      [
        ["$pathname", "exact", "/", "event"],
        ["plan", "exact", "free", "person"],
      ],
    ],
  ])(
    "of %s, %s, filters all tiles, and a second one removes the filter",
    async (name, label, filters) => {
      const { page, problems } = opened;
      await opened.go(`dashboards/${dashboard}/`);
      const before = await row(tile(page, name), label).locator(".bar-number").textContent();
      await row(tile(page, name), label).locator(".bar-row").click();
      const wanted = filters.map(([key, operator, value, type]) => ({
        ...{ key, operator, ...(value === undefined ? {} : { value }), type },
        ...(type === "group" ? { group_type_index: 0 } : {}),
      }));
      await page.waitForURL(/filters=/);
      expect(filtersIn(page)).toEqual(wanted);
      await agrees(page, wanted);
      expect(await page.locator(".page-head .chip").count()).toBe(filters.length);
      // The row has the number that it had.
      const button = row(tile(page, name), label).getByRole("button", { pressed: true });
      expect(await button.locator(".bar-number").textContent()).toBe(before);
      expect(await button.getAttribute("title")).toEndWith("Click to remove the filter");
      expect(await focused(page)).toBe(label);
      await button.click();
      await agrees(page, []);
      expect([filtersIn(page), await focused(page)]).toEqual([[], label]);
      expect(problems).toEqual([]);
    },
  );

  test("with Ctrl leaves the row out; filters stack, by keys too, and Back undoes them one by one", async () => {
    const { page, problems } = opened;
    await opened.go(`dashboards/${dashboard}/`);
    const not = {
      key: "$referring_domain",
      operator: "is_not",
      value: "www.google.com",
      type: "event",
    };
    const pro = { key: "plan", operator: "exact", value: "pro", type: "person" };
    await row(tile(page, "Sources"), "Google")
      .locator(".bar-row")
      .click({ modifiers: ["Control"] });
    await agrees(page, [not]);
    expect(await row(tile(page, "Sources"), "Google").count()).toBe(0);
    // The focus is on the row that took the place of the one that is gone.
    const first = await tile(page, "Sources").locator(".bar-label").first().textContent();
    expect(await focused(page)).toBe(first);
    await row(tile(page, "Plans"), "pro").locator(".bar-row").focus();
    await page.keyboard.press("Enter");
    await agrees(page, [not, pro]);
    expect(await focused(page)).toBe("pro");
    expect(await opened.findings()).toEqual([]);
    await page.goBack();
    await agrees(page, [not]);
    await page.goBack();
    await agrees(page, []);
    await page.goForward();
    await page.getByRole("button", { name: "Remove Referring domain is not" }).click();
    await agrees(page, []);
    expect(problems).toEqual([]);
  });

  test.each([
    ["Goals", "signup"],
    ["Names", "purchase"],
  ])(
    "of %s filters all tiles by the people who had the event, or with Ctrl had not",
    async (name, label) => {
      const { page, problems } = opened;
      await opened.go(`dashboards/${dashboard}/`);
      const one = row(tile(page, name), label);
      const before = await one.locator(".bar-number").textContent();
      await one.locator(".bar-row").click();
      await agrees(page, [did(label)]);
      await page.locator(".page-head .chip").getByText(`people with ${label}`).waitFor();
      const button = one.getByRole("button", { pressed: true });
      expect(await button.locator(".bar-number").textContent()).toBe(before);
      // Tiles of other events have the numbers of these people.
      const visitors = tile(page, "Visitors").locator(".number-value");
      expect(Number.parseInt((await visitors.textContent()) ?? "", 10)).toBeGreaterThan(0);
      await button.click();
      await agrees(page, []);
      await one.locator(".bar-row").click({ modifiers: ["Control"] });
      await agrees(page, [did(label, true)]);
      expect(await one.count()).toBe(0);
      expect(problems).toEqual([]);
    },
  );

  test("of a distinct id filters all tiles by its events", async () => {
    const { page } = opened;
    await opened.go(`dashboards/${dashboard}/`);
    const first = tile(page, "Ids").locator("li").first();
    const id = await first.locator(".bar-label").textContent();
    await first.locator(".bar-row").click();
    await agrees(page, [
      { key: "distinct_id", operator: "exact", value: id, type: "event_metadata" },
    ]);
    expect(await page.locator(".page-head .chip").textContent()).toContain(`Distinct ID is ${id}`);
  });

  test("people by the names of their events are shares of all people", async () => {
    const { page } = opened;
    await opened.go(`dashboards/${dashboard}/`);
    const goals = tile(page, "Goals");
    const since = { date_from: "-6d" };
    const all = { kind: "TrendsQuery", series: [{ math: "dau" }], dateRange: since };
    const query = { ...all, trendsFilter: { display: "BoldNumber" } };
    const { results } = await send<{ results: Line[] }>(server, "POST", "query/", { query });
    const whole = Number(results[0]?.aggregated_value);
    await goals.locator(".bar-share").first().waitFor();
    expect(await goals.locator(".bar-label").allTextContents()).toEqual(["purchase", "signup"]);
    const numbers = await goals.locator(".bar-number").allTextContents();
    const shares = numbers.map((one) => `${Math.round((100 * Number.parseInt(one, 10)) / whole)}%`);
    expect(await goals.getByText("People", { exact: true }).count()).toBe(1);
    expect(await goals.locator(".bar-share").allTextContents()).toEqual(shares);
    expect(whole).toBeGreaterThan(Number.parseInt(numbers[0] ?? "", 10));
  });

  test("of none left out leaves those with a value", async () => {
    const { page } = opened;
    await opened.go(`dashboards/${dashboard}/`);
    await row(tile(page, "Plans"), "(none)")
      .locator(".bar-row")
      .click({ modifiers: ["Control"] });
    await agrees(page, [{ key: "plan", operator: "is_set", type: "person" }]);
  });

  test("opens people where no filter says it, and so does the icon of every other row", async () => {
    const { page } = opened;
    await opened.go(`dashboards/${dashboard}/`);
    const dialog = page.getByRole("dialog");
    const rows = page.locator(".tile .bar-list li");
    // There is no row without a handler.
    expect(await rows.count()).toBe(await page.locator(".tile button.bar-row").count());
    const others = row(tile(page, "Few"), "(others)");
    expect(await others.getByRole("button").count()).toBe(1);
    const all = await others.locator(".bar-number").textContent();
    await others.getByRole("button").click();
    await dialog.getByText(new RegExp(`^${all} (people|persons)$`)).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const google = row(tile(page, "Sources"), "Google");
    const count = await google.locator(".bar-number").textContent();
    await google.hover();
    await google.getByRole("button", { name: "Show the people" }).click();
    await dialog.getByText(new RegExp(`^${count} (people|persons)$`)).waitFor();
    await page.keyboard.press("Escape");
    expect(filtersIn(page)).toEqual([]);
    // On the page of the insight itself a row opens its people.
    await tile(page, "Sources").getByRole("heading").getByRole("link").click();
    await page.locator(".bar-list").getByRole("button", { name: "Google" }).click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
  });
});

test("filters by properties that only sessions have need no word for whose they are", async () => {
  const filter = (type: string, key: string) => ({ type, key, operator: "exact", value: "x" });
  const filters = [
    filter("session", "$entry_referring_domain"),
    filter("session", "$browser"),
    filter("event", "$geoip_country_name"),
    filter("event", "$geoip_disable"),
  ];
  await opened.go(
    `dashboards/${dashboard}/?filters=${encodeURIComponent(JSON.stringify(filters))}`,
  );
  const chips = opened.page.locator(".page-head .chip");
  await chips.nth(3).waitFor();
  expect(await chips.allTextContents()).toEqual([
    ...["Entry referring domain is x", "session Browser is x"],
    ...["Country name is x", "Geoip disable is x"],
  ]);
});

test("a dashboard opens with few requests, and all its tiles are one of them", async () => {
  const { page, problems } = opened;
  await opened.go("health/");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\/api\//.test(pathname)) asked.push(`${request.method()} ${pathname}`);
  });
  await opened.go(`dashboards/${dashboard}/`);
  const stream = "POST /api/environments/1/query/stream/";
  // The page came with the session, the projects and the dashboard.
  expect(asked).toEqual([stream]);
  asked.length = 0;
  await opened.go("dashboards/1/");
  expect(asked.toSorted()).toEqual(["GET /api/environments/1/annotations/", stream]);
  await opened.go(`dashboards/${dashboard}/`);
  asked.length = 0;
  await row(tile(page, "Sources"), "Bing").locator(".bar-row").click();
  await agrees(page, [
    { key: "$referring_domain", operator: "exact", value: "www.bing.com", type: "event" },
  ]);
  expect(asked).toEqual([stream]);
  expect(problems).toEqual([]);
});

test("hostile names in the page that opens are shown as text, and run nothing", async () => {
  const { page, problems } = opened;
  const name = "</script><script>alert(1)</script><!--<script>";
  const { id } = await send<{ id: number }>(server, "POST", "dashboards/", { name });
  await opened.go(`dashboards/${id}/`);
  await page.getByRole("heading", { name, exact: true }).waitFor();
  expect(await page.locator("#known").count()).toBe(0);
  expect(problems).toEqual([]);
});

describe("the filters of a line", () => {
  const line = (breakdown_value: unknown) => ({ breakdown_value }) as Line;
  const by = (breakdownFilter: Record<string, unknown>) => ({
    kind: "TrendsQuery",
    breakdownFilter,
  });

  test.each([
    ["of all other values", by({ breakdown: "a" }), "$$_posthog_breakdown_other_$$"],
    ["without a breakdown", by({ breakdown: "a" }), null],
    ["of hours", by({ breakdown: "toHour(timestamp)", breakdown_type: "hogql" }), "9"],
    ["of pages", by({ breakdown: "$current_url", breakdown_normalize_url: true }), "https://a"],
    ["of pages", by({ breakdowns: [{ property: "$current_url", normalize_url: true }] }), ["x"]],
    ["of first values", by({ breakdown: "a", breakdown_type: "first_touch" }), "x"],
  ])("do not exist for one %s", (_, query, value) => {
    expect(filtersOfLine(query, line(value))).toBeUndefined();
  });

  test("of two properties cannot be turned round, and are found among others in any order", () => {
    const two = filtersOfLine(
      by({ breakdowns: [{ property: "a" }, { property: "b" }] }),
      line(["x", "y"]),
    );
    expect(two).toHaveLength(2);
    expect(chosen(two ?? [], [], true)).toBeUndefined();
    expect(areAmong(two ?? [], [...(two ?? [])].reverse())).toBe(true);
    expect(chosen(two ?? [], two?.slice(1) ?? [], false)).toHaveLength(2);
  });
});
