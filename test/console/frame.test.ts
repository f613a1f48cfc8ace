import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
const THEMES = ["light", "dark"] as const;
let browser: Browser;
let consoles: Record<(typeof THEMES)[number], Console>;

beforeAll(async () => {
  browser = await launchChromium();
  const $set = { email: "ann@example.com" };
  const batch = [
    { event: "$pageview", distinct_id: "ann", properties: { $pathname: "/" } },
    { event: "$identify", distinct_id: "ann", properties: { $set } },
  ];
  await server.capture({ api_key: PROJECT_KEY, batch }, "/batch/");
  await server.stored(batch.length);
  const [light, dark] = await Promise.all(
    THEMES.map((theme) => openConsole(browser, server, { theme })),
  );
  if (light && dark) consoles = { light, dark };
});

afterAll(() => browser?.close());

/** How bright the ground of an element is, from 0 for black to 1 for white. */
const brightness = (page: Page, selector: string): Promise<number> =>
  page.evaluate(
    `(() => {
      const { backgroundColor } = getComputedStyle(document.querySelector("${selector}"));
      const [red, green, blue] = backgroundColor.match(/\\d+/g).map(Number);
      return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
    })()`,
  );

type Box = { x: number; y: number; width: number; height: number };

/** The place of each element that a selector finds, to a tenth of a pixel. */
const boxes = (page: Page, selector: string): Promise<Box[]> =>
  page.evaluate(
    `[...document.querySelectorAll("${selector}")].map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      const [left, top, wide, high] = [x, y, width, height].map((n) => Math.round(n * 10) / 10);
      return { x: left, y: top, width: wide, height: high };
    })`,
  );

describe.each(THEMES)("in the %s theme", (theme) => {
  test("cards lie above the page: they are brighter than its ground", async () => {
    const { page, go } = consoles[theme];
    await go("dashboards/1/");
    const [card, ground] = [await brightness(page, ".tile"), await brightness(page, "html")];
    expect(card).toBeGreaterThan(ground);
  });

  test("text has the typeface of the console", async () => {
    const { page, problems, go } = consoles[theme];
    problems.length = 0;
    await go("insights/new/");
    // It is used only if it comes in time; from the browser's store it does.
    await go("insights/new/");
    expect(await page.evaluate('document.fonts.check("14px Inter Variable")')).toBe(true);
    expect(await page.evaluate("getComputedStyle(document.body).fontFamily")).toStartWith(
      '"Inter Variable"',
    );
    expect(problems).toEqual([]);
  });

  test("tabs keep their places when one is chosen", async () => {
    const { page, go } = consoles[theme];
    await go("settings/");
    const settings = "[aria-label=Settings] [role=tab]";
    const tabs = page.locator(settings);
    const before = await boxes(page, settings);
    expect(before.length).toBeGreaterThan(3);
    for (let at = 1; at < before.length; at += 1) {
      await tabs.nth(at).click();
      expect(await boxes(page, settings)).toEqual(before);
    }
  });
});

test("wide windows have the content in the middle, and dashboards take more of them", async () => {
  const { page, go } = consoles.light;
  await page.setViewportSize({ width: 1920, height: 1080 });
  const widths: Record<string, number> = {};
  for (const path of ["dashboards/1/", "settings/", "events/"]) {
    await go(path);
    const [frame, content] = [...(await boxes(page, ".frame")), ...(await boxes(page, "main"))];
    const [navigation] = await boxes(page, ".navigation");
    if (!(frame && content && navigation)) throw new Error(`${path} has no frame`);
    const left = content.x - navigation.x - navigation.width;
    const right = frame.x + frame.width - content.x - content.width;
    expect({ path, skew: Math.abs(left - right) <= 1 }).toEqual({ path, skew: true });
    widths[path] = content.width;
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(widths["settings/"]).toBe(1440 + 2 * 24);
  expect(widths["events/"]).toBe(1440 + 2 * 24);
  expect(widths["dashboards/1/"]).toBeGreaterThan(1600);
});

test("each page and each thing has a title of its own, with the project", async () => {
  const { page, go } = consoles.light;
  const { results } = await server.get<{ results: { short_id: string; name: string }[] }>(
    "/insights/?limit=100",
  );
  const [first, second] = results.filter(({ name }) => name !== "");
  const titles: [path: string, title: string][] = [
    ["dashboards/", "Dashboards"],
    ["dashboards/1/", "Website"],
    ["insights/", "Insights"],
    ["insights/new/", "New insight"],
    [`insights/${first?.short_id}/`, `${first?.name}`],
    [`insights/${second?.short_id}/`, `${second?.name}`],
    ["events/", "Events"],
    ["persons/", "People"],
    ["persons/1/", "ann@example.com"],
    ["groups/", "Groups"],
    ["sql/", "SQL"],
    ["settings/", "Projects · Settings"],
    ["settings/?tab=keys", "Keys · Settings"],
    ["nowhere/", "Not found"],
  ];
  const project = "Default project";
  for (const [path, title] of titles) {
    await go(path);
    while ((await page.title()) !== `${title} · ${project} · Hoglet`) await Bun.sleep(20);
  }
  expect(new Set(titles.map(([, title]) => title)).size).toBe(titles.length);
});

test.each([360, 1440])(
  "each menu opens within a window of %i px, with all its entries to be reached",
  async (width) => {
    const { page, problems, go } = consoles.light;
    await page.setViewportSize({ width, height: 700 });
    await go("dashboards/1/");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    problems.length = 0;
    const buttons = page.locator("[aria-haspopup=menu]");
    const count = await buttons.count();
    expect(count).toBeGreaterThan(5);
    for (let at = 0; at < count; at += 1) {
      await buttons.nth(at).click();
      const list = page.getByRole("menu");
      await list.waitFor();
      const hidden = await page.evaluate(`(() => {
      const list = document.querySelector("[role=menu]");
      const { left, right, top, bottom } = list.getBoundingClientRect();
      const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      const covered = [...list.querySelectorAll("[role^=menuitem]")].filter((entry) => {
        entry.scrollIntoView({ block: "nearest" });
        const { x, y, width, height } = entry.getBoundingClientRect();
        return !list.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      });
      return [...covered.map((one) => one.textContent), ...(isInside ? [] : [\`\${left} \${right} \${top} \${bottom}\`])];
    })()`);
      expect({ at, hidden }).toEqual({ at, hidden: [] });
      await page.keyboard.press("Escape");
      await list.waitFor({ state: "detached" });
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(problems).toEqual([]);
  },
);

describe("the navigation", () => {
  const places = (page: Page, name: string) =>
    page.getByRole("navigation", { name, exact: true }).locator("a, button").allTextContents();

  /** The pages as a reader sees them, without the mark of the server's health. */
  const pages = async (page: Page) =>
    (await places(page, "Pages")).map((text) => text.replace(/^Health.*/, "Health"));

  const ALL = [
    ...["Home", "Live", "Insights", "Dashboards", "Website", "SQL"],
    ...["Events", "People", "Groups", "Logs", "Settings", "Health"],
  ];

  const change = async (path: string, method: string, body: object) => {
    const response = await fetch(`${server.url}/api/environments/1/${path}`, {
      method,
      headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBeLessThan(300);
    return (await response.json()) as { id: number };
  };

  test("has playlists only once there is one, and says whether the server is ready", async () => {
    const { page, go } = consoles.light;
    await go("events/");
    expect(await pages(page)).toEqual(ALL);
    await page.getByRole("link", { name: /^Health Ready \d/ }).waitFor();
    await change("session_recording_playlists/", "POST", { name: "Odd" });
    await go("events/");
    expect(await pages(page)).toEqual([...ALL.slice(0, 10), "Playlists", ...ALL.slice(10)]);
  });

  test("has pinned dashboards beneath the others, from when they are pinned", async () => {
    const { page, problems, go } = consoles.light;
    const { id } = await change("dashboards/", "POST", { name: "Weekly review" });
    await go(`dashboards/${id}/`);
    problems.length = 0;
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Show on home" }).click();
    const pinned = page.getByRole("list", { name: "Pinned dashboards" });
    await pinned.getByRole("link", { name: "Weekly review" }).waitFor();
    // The first pinned one is the home of the project.
    await page.locator(".navigation [aria-current=page]").getByText("Home").waitFor();
    await page.getByRole("link", { name: "Insights", exact: true }).click();
    await page.locator(".navigation [aria-current=page]").getByText("Insights").waitFor();
    expect(problems).toEqual([]);
    await change(`dashboards/${id}/`, "PATCH", { deleted: true });
  });

  test.each([
    ["start/", "Install"],
    ["tasks/?state=failed", "Deletions"],
  ])("%s leads on to its tab, and the first Tab reaches the skip link", async (path, tab) => {
    const { page, go } = consoles.light;
    await go(path);
    await page.getByRole("tab", { name: tab, selected: true }).waitFor();
    expect(page.url()).toContain(`/settings/?${path.split("?")[1] ?? ""}`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
  });

  test.each(THEMES)("on phones it is a bar at the bottom, in the %s theme", async (theme) => {
    const { page, problems, go, findings, overflow } = consoles[theme];
    await page.setViewportSize({ width: 360, height: 740 });
    await go("persons/");
    problems.length = 0;
    expect(await places(page, "Main pages")).toEqual(["Home", "Live", "Ask", "People", "More"]);
    const bar = page.getByRole("navigation", { name: "Main pages" });
    await bar.locator("[aria-current=page]").getByText("People").waitFor();
    const [box] = await boxes(page, ".bottom-bar");
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(740);
    expect(await findings()).toEqual([]);
    await bar.getByRole("button", { name: "More" }).click();
    const dialog = page.getByRole("dialog", { name: "Pages" });
    await dialog.getByRole("link", { name: "Groups" }).waitFor();
    expect(await findings()).toEqual([]);
    await dialog.getByRole("link", { name: "SQL" }).click();
    await page.getByRole("heading", { name: "SQL", level: 1 }).waitFor();
    await dialog.waitFor({ state: "detached" });
    await bar.getByRole("button", { name: "Ask" }).click();
    await page.getByRole("combobox", { name: "Search, or ask a question" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await overflow()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(problems).toEqual([]);
  });

  test("between phones and wide windows its icons have names", async () => {
    const { page, go, findings } = consoles.light;
    await page.setViewportSize({ width: 900, height: 800 });
    await go("events/");
    const [box] = await boxes(page, ".navigation");
    expect(box?.width).toBe(56);
    await page.getByRole("link", { name: "Groups", exact: true }).waitFor();
    expect(await findings()).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

test.each(["settings/?tab=appearance", "persons/1/?tab=activity", "settings/"])(
  "on phones the chosen tab of %s is within the window",
  async (path) => {
    const { page, go } = consoles.light;
    await page.setViewportSize({ width: 360, height: 740 });
    await go(path);
    const [box] = await boxes(page, "[role=tab][aria-selected=true]");
    expect(box?.x).toBeGreaterThan(0);
    expect((box?.x ?? 0) + (box?.width ?? 360)).toBeLessThan(360);
    await page.setViewportSize({ width: 1440, height: 900 });
  },
);

test("a page whose file is gone, as after an update of the server, offers to reload", async () => {
  await using console = await openConsole(browser, server);
  const { page } = console;
  await console.go("dashboards/1/");
  await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("link", { name: "SQL", exact: true }).click();
  await page.getByText("Can't load this page").waitFor();
  await page.unroute("**/assets/*.js");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "SQL", level: 1 }).waitFor();
});
