import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { personUuid } from "../../src/core/identity/person.ts";
import { launchChromium, problemsOf } from "../support/start/chromium.ts";
import { openConsole } from "../support/start/console.ts";
import { runCommand } from "../support/start/process.ts";
import {
  PERSONAL_KEY,
  PROJECT_KEY,
  ROOT,
  type Server,
  startServer,
} from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const PEM = join(ROOT, "test/fixtures/tls");

const server = sharedServer();
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser?.close());

/** The link that `hoglet console` prints. */
const link = async ({ data }: Pick<Server, "data">) =>
  (await runCommand(["console", "--data", data])).out.trim();

/** Waits until the page of someone who has signed in is there, and asks for nothing more. */
const signedIn = async (page: Page) => {
  await page.locator("nav").first().waitFor();
  await page.waitForLoadState("networkidle");
};

/** Waits until the page asks for a key. */
const signedOut = (page: Page) => page.locator("input[name=key]").waitFor();

describe("the link of the command line", () => {
  test("lets its session delete a person's events at once, with a receipt", async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    const problems = problemsOf(page, { mayGiveUp: true });
    await server.capture({ api_key: PROJECT_KEY, event: "seen", distinct_id: "gone" });
    const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
    const path = `/api/environments/1/persons/${personUuid(1, "gone")}/`;
    while ((await fetch(`${server.url}${path}`, { headers })).status === 404) await Bun.sleep(20);
    await fetch(`${server.url}${path}?delete_events=true`, { method: "DELETE", headers });

    await page.goto(await link(server));
    await signedIn(page);
    await page.goto(`${server.url}/console/1/settings/?tab=deletions`);
    await page.getByRole("button", { name: /^\d+ \w+ 20/ }).click();
    await page
      .locator(".receipt")
      .getByRole("button", { name: "Run all pending deletions now" })
      .click();
    await page.locator(".receipt").getByText("Done", { exact: true }).waitFor();
    await page.locator(".receipt").getByText("Events deleted").waitFor();
    expect(problems).toEqual([]);
  });

  test("signs in, is taken out of the address, and stays valid over a new load", async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    const problems = problemsOf(page, { mayGiveUp: true });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const url = await link(server);
    await page.goto(url);
    await signedIn(page);

    expect(page.url()).not.toContain("#");
    expect(asked.filter((address) => address.includes("link="))).toEqual([]);
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.reload();
    await signedIn(page);
    expect(problems).toEqual([]);
    expect(asked.filter((address) => !/^(data:|http:\/\/127\.0\.0\.1:)/.test(address))).toEqual([]);
  });

  test("works from a page of another site, whose cookie a browser keeps back at first", async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(await link(server));
    await signedIn(page);
    using site = pageAt(`<a href="${server.url}/">stats</a>`);
    await page.goto(site.url);
    await page.click("a");
    await signedIn(page);

    expect(page.url()).toStartWith(`${server.url}/console/`);
  });
});

test("a key that is typed signs in, and the browser keeps nothing of it", async () => {
  await using context = await browser.newContext();
  const page = await context.newPage();
  const problems = problemsOf(page, { mayGiveUp: true });
  await page.goto(`${server.url}/`);
  await signedOut(page);
  expect(problems).toEqual([]);
  await page.fill("input[name=key]", PERSONAL_KEY);
  await page.keyboard.press("Enter");
  await signedIn(page);

  const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  expect(kept).not.toContain(PERSONAL_KEY);
  expect(await context.storageState().then(JSON.stringify)).not.toContain(PERSONAL_KEY);
});

test("the other tabs follow a sign-out and a sign-in, and a page that was kept is loaded again", async () => {
  await using console = await openConsole(browser, server);
  const [first, second] = [console.page, await console.context.newPage()];
  await second.goto(`${server.url}/console/1/events/`);
  await signedIn(second);
  await first.getByRole("button", { name: "Theme" }).click();
  await first.getByRole("menuitemradio", { name: "Dark" }).click();
  await first.getByRole("button", { name: "@" }).click();
  await first.getByRole("menuitem", { name: "Sign out" }).click();
  await Promise.all([signedOut(first), signedOut(second)]);
  // The theme belongs to the browser, and nothing else stays.
  expect(await first.locator("html").getAttribute("data-theme")).toBe("dark");
  expect(await second.evaluate("Object.keys(localStorage)")).toEqual(["hoglet.theme"]);

  await second.fill("input[name=key]", PERSONAL_KEY);
  await second.keyboard.press("Enter");
  await Promise.all([signedIn(first), signedIn(second)]);

  // As after Back; the browser of the tests keeps no page.
  const loaded = first.waitForEvent("load");
  await first.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))');
  await loaded;
});

/** The value of a new key with a few scopes. */
async function keyWith(...scopes: string[]): Promise<string> {
  const made = await fetch(`${server.url}/api/personal_api_keys/`, {
    method: "POST",
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ label: "narrow", scopes }),
  });
  return ((await made.json()) as { value: string }).value;
}

test("without the scope project:read, the console names it and offers to sign out", async () => {
  const value = await keyWith("query:read");
  await using context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/console/`);
  await page.fill("input[name=key]", value);
  await page.keyboard.press("Enter");
  await page.getByText("Projects (project:read)").waitFor();
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await page.locator("header").getByRole("button").click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await signedOut(page);

  // A key that reads persons alone begins with them, and is told what it may not see.
  const event = { event: "signed up", distinct_id: "ann" };
  await server.capture({ api_key: PROJECT_KEY, ...event }, "/i/v0/e/");
  await server.stored(1);
  await page.fill("input[name=key]", await keyWith("project:read", "person:read"));
  await page.keyboard.press("Enter");
  await page.waitForURL("**/console/1/persons/");
  await page.goto(`${server.url}/console/1/sql/`);
  await page.getByText("lacks the scope Events and SQL (query:read)").waitFor();
});

describe("another page in the same browser", () => {
  test("on another port gets no answer with the cookie, although the browser sends it", async () => {
    await using console = await openConsole(browser, server);
    using site = pageAt("");
    const page = await console.context.newPage();
    await page.goto(site.url);
    const post = (headers: object) =>
      page.evaluate(
        `fetch("${server.url}/console/api/session/", { method: "POST", credentials: "include",
          headers: ${JSON.stringify(headers)}, body: '{"key":"${PERSONAL_KEY}"}' })
          .then(({ status }) => status, () => "refused")`,
      );

    expect(await post({ "x-hoglet-console": "1" })).toBe("refused");
    expect(await post({})).toBe("refused");
    await console.page.reload();
    await signedIn(console.page);
  });

  test("may not show the console in a frame", async () => {
    using site = pageAt(`<iframe src="${server.url}/console/"></iframe>`);
    await using context = await browser.newContext();
    const page = await context.newPage();
    const problems = problemsOf(page, { mayGiveUp: true });
    await page.goto(site.url);

    while (!problems.join("\n").includes("frame-ancestors 'none'")) await Bun.sleep(20);
  });
});

describe("the policy of the page", () => {
  // From a timer of the page: the debugger may do more than the page itself.
  test.each([
    ["eval", 'eval("1")'],
    ["a function from text", 'new Function("return 1")()'],
    ["markup from text", 'document.body.innerHTML = "<img src=x onerror=alert(1)>"'],
    ["a script from an address", 'document.createElement("script").src = "/console/x.js"'],
    ["a worker from text", 'new Worker("data:text/javascript,1")'],
  ])("refuses %s", async (_what, script) => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${server.url}/console/`);
    const outcome = await page.evaluate(
      `new Promise((resolve) => setTimeout(() => {
        try { ${script}; resolve("allowed"); } catch (error) { resolve(error.name); }
      }))`,
    );

    expect(["EvalError", "TypeError", "SecurityError"]).toContain(outcome as string);
  });
});

test("below a path of a proxy with TLS, the link signs in with a cookie for this host alone", async () => {
  const proxy = tlsProxy("/stats");
  await using upstream = await startServer({ flags: ["--public-url", `${proxy.url}/stats`] });
  proxy.target = upstream.url;
  await using context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const problems = problemsOf(page, { mayGiveUp: true });
  const url = await link(upstream);
  expect(url).toStartWith(`${proxy.url}/stats/console/#link=`);
  await page.goto(url);
  await signedIn(page);
  await page.goto(`${proxy.url}/stats/`);
  await signedIn(page);

  expect(page.url()).toStartWith(`${proxy.url}/stats/console/`);
  expect(await context.cookies()).toMatchObject([
    { name: expect.stringMatching(/^__Host-hoglet_/), path: "/", secure: true, httpOnly: true },
  ]);
  expect(problems).toEqual([]);
  proxy.stop();
});

/** A site of one page, on a port of its own on the host of the server. */
function pageAt(body: string): Disposable & { url: string } {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(`<!doctype html><title>Site</title><link rel="icon" href="data:,">${body}`, {
        headers: { "content-type": "text/html" },
      }),
  });
  return { url: `http://127.0.0.1:${site.port}/`, [Symbol.dispose]: () => void site.stop(true) };
}

/** A proxy with TLS that removes `prefix` from paths, and names its own host to the server. */
function tlsProxy(prefix: string) {
  const state = { target: "", url: "", stop: () => void proxy.stop(true) };
  const pem = (name: string) => readFileSync(join(PEM, name), "utf8");
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: pem("cert.pem"), key: pem("key.pem") },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith(`${prefix}/`)) return new Response("no such path", { status: 404 });
      const headers = new Headers(request.headers);
      headers.delete("host");
      const {
        status,
        headers: answered,
        body,
      } = await fetch(state.target + pathname.slice(prefix.length) + search, {
        method: request.method,
        headers,
        body: request.body,
        redirect: "manual",
        decompress: false,
      });
      return new Response(body, { status, headers: answered });
    },
  });
  state.url = `https://127.0.0.1:${proxy.port}`;
  return state;
}
