import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { INDEX, PAGES } from "../../../src/docs/index.ts";
import { type OpenApi, operationsOf } from "../../support/answers/document.ts";
import { launchChromium, problemsOf } from "../../support/start/chromium.ts";
import { casesOf } from "../../support/start/rounds.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../../support/start/server.ts";
import { sharedServer } from "../../support/start/shared-server.ts";

/** Would set `window.hacked` where it is taken for markup. */
const SCRIPT = "<img src=x onerror=window.hacked=1>";

const server = sharedServer();
let document: OpenApi;
let browser: Browser | undefined;

beforeAll(async () => {
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApi;
});

afterAll(() => browser?.close());

/** The docs page, loaded; what went wrong on it, and where else it wanted to go. */
async function open(path: string, ready = ".opblock", origin = server.url) {
  browser ??= await launchChromium();
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems = problemsOf(page);
  const asked: string[] = [];
  const leaving: string[] = [];
  await context.route("**/*", async (route) => {
    const url = new URL(route.request().url());
    (url.origin === origin ? asked : leaving).push(url.href);
    if (url.origin === origin) await route.continue();
    else await route.abort();
  });
  await page.goto(origin + path);
  await page.waitForSelector(ready);
  return { context, page, problems, asked, leaving };
}

/** Enters the personal key. */
async function authorize(page: Page): Promise<void> {
  await page.click(".auth-wrapper .authorize");
  await page.fill(".modal-ux input", PERSONAL_KEY);
  await page.click(".modal-ux .authorize");
  await page.click(".modal-ux .btn-done");
}

const listed = (page: Page) =>
  page.$$eval(".opblock-summary", (rows) =>
    rows.map((row) =>
      [".opblock-summary-method", ".opblock-summary-path"]
        // A zero-width space lets Swagger UI break long paths.
        .map((part) => row.querySelector(part)?.textContent?.replaceAll("\u200b", ""))
        .join(" "),
    ),
  );

describe("the docs page", () => {
  // Chromium needs some seconds for the page, so most tests share one.
  let shared: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    shared = await open("/docs");
  });

  afterAll(() => shared.context.close());

  test("lists every operation of the document, and makes requests to this server alone", async () => {
    const { page, problems, asked, leaving } = shared;

    const shown = await listed(page);

    const documented = operationsOf(document).map(
      ({ path, method }) => `${method.toUpperCase()} ${path}`,
    );
    expect(shown.sort()).toEqual(documented.sort());
    expect(shown).toContain("GET /api/environments/{project_id}/persons/");
    expect(asked).toContain(`${server.url}/openapi.json`);
    expect([leaving, problems]).toEqual([[], []]);
  });

  test("shows why it is refused without a key", async () => {
    const { page, problems, leaving } = shared;
    const operation = "#operations-projects-projects_list";

    await page.click(`${operation} .opblock-summary-control`);
    await page.click(`${operation} .execute`);

    const answer = await page.waitForSelector(`${operation} .live-responses-table .response`);
    expect(await (await answer.$(".response-col_status"))?.textContent()).toStartWith("401");
    expect(await answer.textContent()).toContain("not_authenticated");
    expect(leaving).toEqual([]);
    expect(problems.splice(0)).toContain(`GET ${server.url}/api/projects/: 401`);
  });

  test("tries an operation out with the personal key that is entered", async () => {
    const event = { event: "$identify", distinct_id: "ada", properties: { $set: { plan: "pro" } } };
    await server.capture({ api_key: PROJECT_KEY, ...event }, "/i/v0/e/");
    await server.stored(1);
    const { page, problems, leaving } = shared;
    const operation = "#operations-persons-persons_list";

    await authorize(page);
    await page.click(`${operation} .opblock-summary-control`);
    await page.fill(`${operation} tr[data-param-name=project_id] input`, "1");
    await page.click(`${operation} .execute`);

    const answer = await page.waitForSelector(`${operation} .live-responses-table .response`);
    expect(await (await answer.$(".response-col_status"))?.textContent()).toStartWith("200");
    const body = await (await answer.$(".response-col_description code"))?.textContent();
    expect(JSON.parse(body ?? "")).toMatchObject({
      count: 1,
      results: [{ distinct_ids: ["ada"], properties: { plan: "pro" } }],
    });
    expect([leaving, problems]).toEqual([[], []]);
  });

  test("tries a write out with the body that it suggests", async () => {
    const { page, problems, leaving } = shared;
    const operation = "#operations-session_recording_playlists-playlists_create";

    await page.click(`${operation} .opblock-summary-control`);
    const project = await page.inputValue(`${operation} tr[data-param-name=project_id] input`);
    const suggested = JSON.parse(await page.inputValue(`${operation} textarea.body-param__text`));
    await page.click(`${operation} .execute`);

    const answer = await page.waitForSelector(`${operation} .live-responses-table .response`);
    expect(await (await answer.$(".response-col_status"))?.textContent()).toStartWith("201");
    expect(project).toBe("1");
    const made = await server.get<{ results: object[] }>("/session_recording_playlists/");
    expect(made.results).toMatchObject([{ ...suggested, name: "Lost carts", deleted: false }]);
    expect([leaving, problems]).toEqual([[], []]);
  });

  test("runs no injected script and reaches no other server", async () => {
    const { page, problems, leaving } = shared;

    const reached = await page.evaluate(`(async () => {
      const script = document.createElement("script");
      script.textContent = "window.injected = true";
      document.body.append(script);
      return fetch("https://evil.example/").then(() => true, () => window.injected);
    })()`);

    expect(reached).toBeUndefined();
    expect(leaving).toEqual([]);
    expect(problems.filter((problem) => problem.includes("script-src"))).toHaveLength(1);
    expect(problems.splice(0).filter((problem) => problem.includes("connect-src"))).not.toEqual([]);
  });

  test("leads to the pages, and they to each other, with no error in a browser", async () => {
    const { page, problems, leaving } = shared;

    await page.click(".to-pages a");
    await page.click('main a[href="./keys"]');
    await page.click('main a[href="./api"]');
    await page.click('nav a[href="./operations"]');

    expect(await page.textContent("h1")).toBe("Operations");
    expect(await page.textContent("nav [aria-current]")).toBe("Operations");
    expect([leaving, problems]).toEqual([[], []]);
  });

  test("is not changed by any parameters in its address", async () => {
    const evil = "https://evil.example/spec.json";
    const query = new URLSearchParams({
      ...{ url: evil, configUrl: evil, urls: evil, config: evil, spec: evil },
      ...{ dom_id: evil, oauth2RedirectUrl: evil, layout: evil },
      ...{ "urls.primaryName": "<script>window.hacked=1</script>", filter: SCRIPT },
      ...{ persistAuthorization: "true", queryConfigEnabled: "true" },
    });
    const hash = `#/persons/${SCRIPT}`;
    const { context, page, problems, asked, leaving } = await open(`/docs?${query}${hash}`);

    expect(await page.textContent(".info .title")).toStartWith("Hoglet");
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.$$eval("script:not([src]), iframe, [onerror]", ({ length }) => length)).toBe(
      0,
    );
    expect(asked.slice(1)).toEqual(
      [
        ...["/docs/pages.css", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"],
        ...["/docs/start.js", "/openapi.json"],
      ].map((path) => server.url + path),
    );
    expect([leaving, problems]).toEqual([[], []]);
    await context.close();
  });

  test("says in its headers what it may load, and that it may not be framed", async () => {
    for (const path of ["/docs", "/docs/", "/docs/start.js", "/docs/swagger-ui-bundle.js"]) {
      const { status, headers } = await fetch(server.url + path);

      expect(status).toBe(200);
      const policy = directives(headers.get("content-security-policy") ?? "");
      expect(policy).toMatchObject({
        "default-src": "'none'",
        "script-src": "'self'",
        "connect-src": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
      });
      expect(Object.values(policy).join(" ")).not.toMatch(/unsafe-eval|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describe("the pages", () => {
  const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, { headers });
    const { status } = response;
    return { status, headers: response.headers, text: await response.text() };
  };

  test("are HTML for browsers and Markdown for others", async () => {
    for (const { name, text } of [INDEX, ...PAGES]) {
      const [plain, html] = [await get(`/docs/${name}`), await get(`/docs/${name}`, HTML)];

      expect([plain.status, plain.text]).toEqual([200, text]);
      expect(plain.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(html.text).toStartWith("<!doctype html>");
      expect(html.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect([plain, html].map(({ headers }) => headers.get("vary"))).toEqual(["Accept", "Accept"]);
    }
    for (const path of ["/docs/decisions", "/docs/decisions/"]) {
      expect((await get(path)).text).toBe(INDEX.text);
    }
    expect((await get("/docs/keys.md", HTML)).headers.get("content-type")).toStartWith(
      "text/markdown",
    );
  });

  test("may load a style of this server and nothing else", async () => {
    const { headers } = await get("/docs/keys", HTML);

    expect(directives(headers.get("content-security-policy") ?? "")).toEqual({
      "default-src": "'none'",
      "style-src": "'self'",
      "img-src": "data:",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
    });
  });

  test.each(["/docs/nothing", "/docs/decisions/nothing", "/docs/toString", "/docs/a/b"])(
    "are not found at %s",
    async (path) => {
      const { status, text } = await get(path, HTML);

      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject({ code: "not_found", attr: null });
    },
  );

  test("work below a path of a proxy, with the operations that are tried out", async () => {
    using proxy = proxyBelow("/ingest");
    for (const path of casesOf(["/ingest/docs/"], ["/ingest/docs", "/ingest/docs/"])) {
      const { context, page, problems, leaving, asked } = await open(path, ".opblock", proxy.url);
      const operation = "#operations-users-users_me";
      await authorize(page);
      await page.click(`${operation} .opblock-summary-control`);
      await page.click(`${operation} .execute`);
      const answer = await page.waitForSelector(`${operation} .live-responses-table .response`);
      expect(await (await answer.$(".response-col_status"))?.textContent()).toStartWith("200");
      expect(asked).toContain(`${proxy.url}/ingest/api/users/@me/`);
      await page.click(".to-pages a");
      await page.click('nav a[href="./decisions/api"]');
      await page.click('nav a[href="../keys"]');
      expect(await page.textContent("h1")).toBe("Keys and projects");
      await page.click('nav a[href="./../docs"]');
      await page.waitForSelector("#docs");
      expect(new URL(page.url()).pathname).toBe("/ingest/docs");
      expect([leaving, problems]).toEqual([[], []]);
      await context.close();
    }
  });

  test.each(["light", "dark"] as const)("fit a phone in %s colours", async (colorScheme) => {
    const { context, page } = await open("/docs/architecture", "nav");
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 375, height: 800 });

    const [width, ground] = (await page.evaluate(
      "[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]",
    )) as [number, string];

    expect(width).toBe(375);
    expect(ground).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 23, 27)");
    await context.close();
  });
});

function directives(policy: string): Record<string, string> {
  const parts = policy.split(";").map((part) => part.trim().split(/\s+/));
  return Object.fromEntries(parts.map(([name = "", ...sources]) => [name, sources.join(" ")]));
}

/** A proxy that serves the server below a path, and nothing else. */
function proxyBelow(prefix: string) {
  const proxy = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith(`${prefix}/`)) return new Response("", { status: 404 });
      const { method, headers } = request;
      const path = pathname.slice(prefix.length) + search;
      return fetch(server.url + path, { method, headers, redirect: "manual" });
    },
  });
  return { url: proxy.url.origin, [Symbol.dispose]: () => void proxy.stop(true) };
}
