import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { asker } from "../support/answers/requests.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
const ask = asker(server);
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser.close());

const rename = async (page: Page, name: string) => {
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Save", exact: true }).click();
};
const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

test("the later save of two pages asks, and loads the newer one or saves its own", async () => {
  const path = "/api/environments/1/session_recording_playlists/";
  const { body } = await ask("POST", path, { body: { name: "Carts" } });
  const { short_id } = body as { short_id: string };
  await using one = await openConsole(browser, server);
  await using two = await openConsole(browser, server, { width: 360, theme: "dark" });
  for (const { go, page } of [one, two]) {
    await go(`playlists/${short_id}/`);
    await heading(page, "Carts");
  }

  await rename(one.page, "First");
  await heading(one.page, "First");
  await rename(two.page, "Second");
  await heading(two.page, "Someone else saved changes");
  await two.page.getByText("Changed since it was read: name.").waitFor();
  expect([await two.findings(), await two.overflow()]).toEqual([[], 0]);
  await two.page.getByRole("button", { name: "Load the newer version" }).click();
  await heading(two.page, "First");

  await rename(two.page, "Third");
  await heading(two.page, "Third");
  await rename(one.page, "Fourth");
  await one.page.getByRole("button", { name: "Save mine" }).click();
  await heading(one.page, "Fourth");
  expect((await ask("GET", `${path}${short_id}/`)).body).toMatchObject({ name: "Fourth" });
});

const project = "/api/projects/1/";
const dashboards = "/api/environments/1/dashboards/";
const insights = "/api/environments/1/insights/";
const playlists = "/api/environments/1/session_recording_playlists/";
const annotations = "/api/environments/1/annotations/";

/** A thing, how the API makes and changes it, and how a page then saves another field of it. */
type Saving = {
  /** Makes the thing, and returns its path. */
  make: () => Promise<string>;
  /** What another page changes meanwhile. */
  other: Record<string, unknown>;
  /** Where it is shown. */
  at: (path: string) => string;
  /** Waits until the thing is shown. */
  shown: (page: Page) => Promise<unknown>;
  save: (page: Page) => Promise<unknown>;
  /** What the page saves. */
  mine: Record<string, unknown>;
};

const query = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "$pageview" }] };
const made = async (list: string, body: object, key: "id" | "short_id", change?: object) => {
  const { body: thing } = await ask("POST", list, { body });
  const path = `${list}${(thing as Record<string, unknown>)[key]}/`;
  if (change) await ask("PATCH", path, { body: change });
  return path;
};
const idIn = (path: string) => path.split("/").at(-2) ?? "";
const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name, exact: true }).first().click();
const chosen = (name: string) => async (page: Page) => {
  await press("More")(page);
  await page.getByRole("menuitem", { name }).click();
};

const SAVINGS: [string, Saving][] = [
  [
    "the settings of a project",
    {
      make: async () => {
        await ask("PATCH", project, { body: { name: "Shop", timezone: "UTC" } });
        return project;
      },
      other: { timezone: "Europe/Berlin" },
      at: () => "settings/?tab=projects&open=1",
      shown: (page) => page.getByRole("textbox", { name: "Name" }).waitFor(),
      save: async (page) => {
        await page.getByRole("textbox", { name: "Name" }).fill("Sports");
        await press("Save")(page);
      },
      mine: { name: "Sports" },
    },
  ],
  [
    "the star of an insight in the list",
    {
      make: () => made(insights, { name: "Starred", query }, "short_id"),
      other: { name: "Renamed" },
      at: () => "insights/?search=Starred",
      shown: (page) => page.getByRole("link", { name: "Starred" }).waitFor(),
      save: press(/(Favour|favourites).* ?Starred|Starred.*favourites/i),
      mine: { favorited: true },
    },
  ],
  [
    "the question of an insight",
    {
      make: () => made(insights, { name: "Asked", query }, "short_id"),
      other: { description: "For Monday" },
      at: (path) =>
        `insights/${idIn(path)}/?q=${encodeURIComponent(JSON.stringify({ ...query, interval: "week" }))}`,
      shown: (page) => page.getByRole("heading", { name: "Asked" }).waitFor(),
      save: press("Save"),
      mine: { query: { ...query, interval: "week" } },
    },
  ],
  [
    "the name of a dashboard, but not its description",
    {
      make: () => made(dashboards, { name: "Sales" }, "id"),
      other: { description: "For Monday" },
      at: (path) => `dashboards/${idIn(path)}/`,
      shown: (page) => page.getByRole("heading", { name: "Sales" }).waitFor(),
      save: async (page) => {
        await chosen("Rename…")(page);
        await page.getByRole("textbox", { name: "Name" }).fill("Revenue");
        await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      },
      mine: { name: "Revenue" },
    },
  ],
  [
    "the period of a dashboard",
    {
      make: () => made(dashboards, { name: "Sales", filters: { date_from: "-6d" } }, "id"),
      other: { name: "Income" },
      at: (path) => `dashboards/${idIn(path)}/?period=30d`,
      shown: (page) => page.getByRole("heading", { name: "Sales" }).waitFor(),
      save: press("Save"),
      mine: { filters: { date_from: "-29d", date_to: null } },
    },
  ],
  [
    "a playlist that is pinned in the list",
    {
      make: () => made(playlists, { name: "Carts to pin" }, "short_id"),
      other: { description: "For Monday" },
      at: () => "playlists/?search=pin",
      shown: (page) => page.getByText("Carts to pin").first().waitFor(),
      save: press("Pin Carts to pin"),
      mine: { pinned: true },
    },
  ],
];

describe("a change of a thing that was changed elsewhere asks first, and sends its own fields alone:", () => {
  let opened: Console;

  beforeAll(async () => {
    opened = await openConsole(browser, server);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  test.each(SAVINGS)("%s", async (_, { make, other, at, shown, save, mine }) => {
    const { page, go, findings } = opened;
    const path = await make();
    await go(at(path));
    await shown(page);
    await ask("PATCH", path, { body: other });
    const theirs = (await ask("GET", path)).body as Record<string, unknown>;
    await save(page);
    await heading(page, "Someone else saved changes");
    const [field = ""] = Object.keys(other);
    await page.getByText(new RegExp(`Changed since it was read: (\\w+, )*${field}`)).waitFor();
    expect(await findings()).toEqual([]);
    expect((await ask("GET", path)).body as object).toEqual(theirs);
    const saved = page.waitForResponse((one) => one.request().method() === "PATCH" && one.ok());
    await page.getByRole("button", { name: "Save mine" }).click();
    await saved;
    expect((await ask("GET", path)).body).toMatchObject({ ...other, ...mine });
  });

  test("an annotation that is removed, though its text is another one", async () => {
    const { page, go } = opened;
    const date_marker = new Date().toISOString();
    const path = await made(annotations, { content: "Release", date_marker }, "id");
    await go("insights/new/");
    await page.getByText("Release").first().waitFor();
    await ask("PATCH", path, { body: { content: "Release 2" } });
    await press("Remove the annotation Release")(page);
    await heading(page, "Someone else saved changes");
    await page.getByText("Changed since it was read: content.").waitFor();
    await page.getByRole("button", { name: "Load the newer version" }).click();
    await page.getByText("Release 2").first().waitFor();
  });

  test.each([
    ["insights/?shown=deleted", insights, { name: "Bin", query }, "short_id"],
    ["dashboards/?shown=deleted", dashboards, { name: "Bin" }, "id"],
    ["playlists/?shown=bin", playlists, { name: "Bin" }, "short_id"],
  ] as const)(
    "a restore of %s, which leaves what another page restored and renamed",
    async (list, path, body, key) => {
      const { page, go } = opened;
      const thing = await made(path, body, key, { deleted: true });
      await go(list);
      await ask("PATCH", thing, { body: { deleted: false, name: "Back" } });
      await press("Restore")(page);
      await page.getByRole("button", { name: "Restore" }).waitFor({ state: "detached" });
      expect((await ask("GET", thing)).body).toMatchObject({ name: "Back", deleted: false });
    },
  );

  test("a save names the version that it is about", async () => {
    const { page, go } = opened;
    const path = await made(insights, { name: "Versioned", query }, "short_id");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await go("insights/?search=Versioned");
    const etag = (await ask("GET", path)).headers.get("etag");
    await page.getByRole("button", { name: /Versioned/ }).click();
    expect((await sent).headers()["if-match"]).toBe(etag ?? "");
  });
});
