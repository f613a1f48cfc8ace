import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { sourceName, sourceNames } from "../../src/console/api/source-name.ts";
import { rangeWords } from "../../src/console/state/bounds.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { place, queryIn } from "../support/start/insight-page.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

const DAY_MS = 86_400_000;
const dayBack = (count: number) => new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);

const SOURCES = ["$direct", "www.google.com", "duckduckgo.com", "outdoor.example"];

beforeAll(async () => {
  browser = await launchChromium();
  // The newest event is 40 days old, so that no dashboard of 7 or 30 days has one.
  const batch = SOURCES.flatMap(($referring_domain, at) => {
    const sent = {
      distinct_id: `person-${at}`,
      timestamp: new Date(Date.now() - (40 + at) * DAY_MS).toISOString(),
      properties: {
        ...{ $referring_domain, $session_id: `s-${at}`, $pathname: "/" },
        $groups: { company: "acme" },
      },
    };
    return [
      { event: "$pageview", ...sent },
      { event: "purchase", ...sent },
    ];
  });
  const group = {
    ...{ event: "$groupidentify", distinct_id: "ann", timestamp: batch[0]?.timestamp },
    properties: { $group_type: "company", $group_key: "acme", $group_set: { name: "Acme" } },
  };
  await server.capture({ api_key: PROJECT_KEY, batch: [...batch, group] }, "/batch/");
  await server.stored(batch.length + 1);
  opened = await openConsole(browser, server);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

test.each([
  ["$direct", "Direct"],
  ["www.google.com", "Google"],
  ["google.co.uk", "Google"],
  ["l.instagram.com", "Instagram"],
  ["t.co", "X"],
  ["news.ycombinator.com", "Hacker News"],
  ["outdoor.example", "outdoor.example"],
  ["www.outdoor.example", "outdoor.example"],
  ["google.example.com", "google.example.com"],
  ["constructor.com", "constructor.com"],
])("the source %s is named %s", (domain, name) => {
  expect(sourceName(domain)).toBe(name);
});

test("sources of one name keep their domains", () => {
  expect(sourceNames(["www.google.com", "google.de", "$direct", "bing.com"])).toEqual([
    ...["www.google.com", "google.de", "Direct", "Bing"],
  ]);
});

test.each([
  ["-29d", "", "in the last 30 days"],
  ["-0d", "", "today"],
  ["dStart", "", "today"],
  ["-1dStart", "-1dEnd", "yesterday"],
  ["mStart", "", "this month"],
  ["-1mStart", "-1mEnd", "last month"],
  ["-8w", "", "in the last 57 days"],
  ["all", "", "ever"],
  ["-30d", "-2d", "from 30 days ago to 2 days ago"],
  ["-1w", "-0d", "from 1 week ago to today"],
  ["2026-11-01", "", "since 2026-11-01"],
  ["2026-11-01", "2026-11-21", "from 2026-11-01 to 2026-11-21"],
])("the bounds %p and %p are %p", (from, to, words) => {
  expect(rangeWords(from, to)).toBe(words);
});

const node = (event: string, more: object = {}) => ({ kind: "EventsNode", event, ...more });
const bought = {
  ...{ type: "behavioral", key: "purchase", value: "performed_event" },
  ...{ explicit_datetime: "-29d", negation: true },
};

describe("the fields of a question", () => {
  test("say a formula by the letters of its series", async () => {
    const { page, go } = opened;
    const series = [
      node("purchase", { math: "dau" }),
      node("$pageview", { math: "dau" }),
      node("order", { custom_name: "Orders" }),
    ];
    await go(place({ kind: "TrendsQuery", series, trendsFilter: { formula: "(A+C)/B*100" } }));
    expect(await page.getByLabel("Formula").inputValue()).toBe("(A+C)/B*100");
    await page
      .getByRole("group", { name: "C: Orders" })
      .getByText("order", { exact: true })
      .waitFor();
  });

  test("say how much earlier a comparison is", async () => {
    const { page, go } = opened;
    const compareFilter = { compare: true, compare_to: "-5w" };
    await go(place({ kind: "TrendsQuery", series: [node("$pageview")], compareFilter }));
    await page.getByRole("button", { name: /vs 5 weeks earlier/ }).waitFor();
  });

  test("say times, orders and columns of a list", async () => {
    const { page, go } = opened;
    const list = { kind: "ActorsQuery", properties: [bought] };
    const select = ["person", "properties.email", "created_at"];
    await go(place({ ...list, select, orderBy: ["created_at DESC"] }));
    await page.getByText("Person, email, First seen", { exact: true }).waitFor();
    await page.getByLabel("Order").getByText("Newest first").waitFor({ state: "attached" });
    await page.getByText("people without purchase in the last 30 days").waitFor();
    const text = (await page.locator("main").textContent()) ?? "";
    expect(text).not.toMatch(/created_at|DESC|-29d|properties\./);
    expect(await opened.findings()).toEqual([]);
  });

  test.each([
    [
      "a formula",
      {
        ...{ kind: "TrendsQuery", series: [node("purchase"), node("$pageview", { math: "dau" })] },
        ...{ trendsFilter: { formula: "A / (B + 2)" } },
      },
    ],
    ["a list of persons", { kind: "ActorsQuery", select: ["person"], properties: [bought] }],
    ["a list of events", { kind: "EventsQuery", select: ["*"], after: "-29d", event: "purchase" }],
    ["paths", { kind: "PathsQuery", dateRange: { date_from: "-29d" } }],
  ])("stand under a sentence, also those of %s", async (_, query) => {
    const { page, go } = opened;
    await go(place(query));
    const field = page.getByLabel("Question", { exact: true });
    while ((await field.inputValue()).trim() === "") await Bun.sleep(20);
    expect(await field.inputValue()).not.toMatch(/\(.*UTC\)|\.$/);
    // Enter on the sentence asks nothing else.
    await field.press("Enter");
    expect(queryIn(page)).toEqual(query);
  });

  test("are hidden where words are refused, and come back with words that are understood", async () => {
    const { page, go, problems } = opened;
    problems.length = 0;
    await go(`insights/new/?ask=${encodeURIComponent("frobnicate the gizmos")}`);
    await page.getByText("The question is not understood").first().waitFor();
    expect(await page.getByRole("region", { name: "Builder" }).count()).toBe(0);
    expect(await page.getByLabel("Kind").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Period" }).count()).toBe(0);
    expect(await opened.findings()).toEqual([]);
    await page.getByLabel("Question", { exact: true }).fill("purchases last 7 days");
    await page.getByLabel("Kind").waitFor();
    await page.getByRole("button", { name: "Last 7 days" }).waitFor();
  });
});

test("the first page opens a period with events, and nothing is there to reset or to save", async () => {
  const { page, go } = opened;
  await go("");
  await page.getByRole("heading", { name: "Website" }).waitFor();
  expect(new URL(page.url()).searchParams.get("first")).toBe(`${dayBack(69)}..${dayBack(40)}`);
  const tile = page
    .locator(".tile")
    .filter({ has: page.getByRole("heading", { name: "Sources", exact: true }) });
  const names = await tile.locator(".bar-label > bdi").allTextContents();
  expect(names.toSorted()).toEqual(["Direct", "DuckDuckGo", "Google", "outdoor.example"]);
  expect(await page.getByRole("button", { name: "Reset" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
  // A name is no value: the persons are those of the domain.
  await tile.getByRole("button", { name: "Show the people: Google" }).click();
  await page.getByRole("dialog").getByText("1 person", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "Last 30 days" }).waitFor();
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByRole("button", { name: "Last 7 days" }).waitFor();
  expect(await page.getByRole("button", { name: "Reset" }).count()).toBe(0);
});

describe("a group", () => {
  test.each(["groups/9/?key=acme", "groups/planet/?key=acme", "groups/?type=9"])(
    "of a type that the project lacks, at %s, leads to the types that it has",
    async (path) => {
      const { page, go, problems } = opened;
      problems.length = 0;
      await go(path);
      const name = path.includes("planet") ? "planet" : "9";
      await page.getByText(`This project has no group type “${name}”`).waitFor();
      await page.getByRole("link", { name: "All groups of the type company" }).waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/\w/);
      expect([await opened.findings(), problems]).toEqual([[], []]);
    },
  );

  test("without a key leads to the list, and a type may be named", async () => {
    const { page, go } = opened;
    await go("groups/0/");
    await page.getByText("This address has no group key").waitFor();
    await page.getByRole("link", { name: "All groups of the type company" }).click();
    await page.getByRole("link", { name: "acme" }).waitFor();
    await go("groups/company/?key=acme");
    await page.getByRole("heading", { name: "Acme" }).waitFor();
  });
});
