import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { problemsOf } from "./chromium.ts";
import { PERSONAL_KEY, ROOT, type Server } from "./server.ts";
import { OWN_PAGE, SESSION } from "./session.ts";

const AXE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** Axe then makes no list of all that passes, and no selectors. */
const VIOLATIONS_ALONE = { resultTypes: ["violations"], selectors: false };

/** The most that the parts of a page may move while it loads; 1 is the whole window by its whole height. */
const SHIFT_MAX = 0.001;

/** Adds up by how much parts of the page have moved without a key or a click, and remembers which ones. */
const WATCH_SHIFTS = `
  const moved = { sum: 0, parts: [] };
  const count = (entries) => {
    for (const { value, hadRecentInput, sources } of entries) {
      if (hadRecentInput) continue;
      moved.sum += value;
      moved.parts.push(...sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.nodeName));
    }
  };
  const watcher = new PerformanceObserver((list) => count(list.getEntries()));
  watcher.observe({ type: "layout-shift", buffered: true });
  window.shifts = () => (count(watcher.takeRecords()), moved);
`;

/** How the browser that opens the console is set. */
export type ConsoleOptions = {
  width?: number;
  theme?: "light" | "dark";
};

/** The console in a browser, signed in by a personal key. */
export type Console = AsyncDisposable & {
  page: Page;
  context: BrowserContext;
  /**
   * Errors of the browser's console, failed requests, requests to other servers, violations of the policy, and pages
   * whose parts move while they load.
   */
  problems: string[];
  /** Goes to a page of project 1, such as `persons/4/`, and waits until it is quiet. */
  go(path: string): Promise<void>;
  /** The findings of axe on the page as it is, one line each; in the dark theme those about colours alone. */
  findings(): Promise<string[]>;
  /** By how many pixels the page is wider than the window; 0 if it fits. */
  overflow(): Promise<number>;
};

/** Opens the console of a server. The caller disposes it. */
export async function openConsole(
  browser: Browser,
  server: Server,
  { width = 1440, theme = "light" }: ConsoleOptions = {},
): Promise<Console> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems = problemsOf(page, { mayGiveUp: true });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:" && origin !== server.url) problems.push(`asks ${request.url()}`);
  });
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.error("violation of " + violatedDirective + " by " + blockedURI))`,
  );
  await page.addInitScript(`{${WATCH_SHIFTS}}`);
  await signIn(page, server);
  return {
    page,
    context,
    problems,
    async go(path) {
      await page.goto(`${server.url}/console/1/${path}`);
      await page.waitForSelector("main h1");
      await page.waitForLoadState("networkidle");
      const { sum, parts } = (await page.evaluate("shifts()")) as Shifts;
      if (sum > SHIFT_MAX) problems.push(`${path} moves by ${sum.toFixed(3)}: ${parts.join(" ")}`);
    },
    async findings() {
      await page.evaluate(AXE);
      // Themes differ in colours alone.
      const rules = theme === "light" ? {} : { runOnly: ["color-contrast"] };
      const options = JSON.stringify({ ...rules, ...VIOLATIONS_ALONE });
      const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResult;
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    },
    async overflow() {
      const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      return Math.max(0, Number(wider));
    },
    async [Symbol.asyncDispose]() {
      await context.close();
    },
  };
}

type Shifts = { sum: number; parts: string[] };

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] };

/** Signs in by the personal key of the tests, which gives the browser its cookie. */
async function signIn(page: Page, server: Server): Promise<void> {
  const answer = await page.context().request.post(`${server.url}${SESSION}`, {
    headers: OWN_PAGE,
    data: { key: PERSONAL_KEY },
  });
  if (answer.status() !== 201) throw new Error(`The sign-in was refused: ${await answer.text()}`);
  await page.goto(`${server.url}/console/`);
  await page.waitForSelector("main h1");
  await page.waitForLoadState("networkidle");
}
