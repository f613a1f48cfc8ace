import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { asker } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { launchChromium, problemsOf } from "../support/start/chromium.ts";
import { casesOf } from "../support/start/rounds.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

/** Each would set `window.hacked` wherever it is taken for more than a text. */
const SCRIPTS = [
  ...["<script>window.hacked=1</script>", '<img src=x onerror="window.hacked=2">'],
  ...["<svg/onload=window.hacked=3>", "</textarea><script>window.hacked=4</script>"],
  ...['"><iframe srcdoc="<script>parent.hacked=5</script>">', "javascript:window.hacked=6"],
  ...["[link](javascript:window.hacked=7)", "{{constructor.constructor('window.hacked=8')()}}"],
  "</code></pre></style></script><script>window.hacked=9</script>",
  ...["data:text/html,<script>window.hacked=10</script>", "\u2028<body onload=window.hacked=11>"],
];

/** Operations that answer with these texts, and how often at least. */
const OPERATIONS: readonly [string, number][] = [
  ["persons_list", SCRIPTS.length],
  ["query_draft_sql", SCRIPTS.length],
  ["projects_list", 1],
  ["persons_values", 1],
  ["playlists_list", SCRIPTS.length],
  ["events_list", SCRIPTS.length],
  ["personal_api_keys_list", SCRIPTS.length / 2],
];

const server = sharedServer();
const ask = asker(server);
let browser: Browser;
let documentBefore: string;

beforeAll(async () => {
  browser = await launchChromium();
  documentBefore = (await ask("GET", "/openapi.json")).text;
  const events = SCRIPTS.map((script) =>
    event({
      event: script,
      distinct_id: script,
      properties: {
        [script]: script,
        $referrer: script,
        $current_url: script,
        $set: { [script]: script, email: script },
      },
    }),
  );
  await server.capture(batch(...events));
  await server.stored(SCRIPTS.length);
  for (const script of SCRIPTS) {
    const fields = { name: script, derived_name: script, description: script, filters: [script] };
    await ask("POST", "/api/environments/1/session_recording_playlists/", { body: fields });
    const label = script.slice(0, 40);
    const body = { label, scopes: ["group:read"] };
    await ask("POST", "/api/personal_api_keys/", { body });
  }
  await ask("PATCH", "/api/projects/1/", { body: { name: SCRIPTS[1] } });
});

afterAll(() => browser?.close());

/** Opens a page and records its problems and its requests to other servers. */
async function open(
  address: string,
  headers: Record<string, string> = {},
): Promise<{ context: BrowserContext; page: Page; problems: string[]; leaving: string[] }> {
  const context = await browser.newContext({ extraHTTPHeaders: headers });
  const page = await context.newPage();
  const problems = problemsOf(page);
  const leaving: string[] = [];
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url())) {
      leaving.push(request.url());
    }
  });
  await page.goto(address);
  return { context, page, problems, leaving };
}

async function openDocs(query = "") {
  const opened = await open(`${server.url}/docs${query}`);
  await opened.page.waitForSelector(".opblock");
  return opened;
}

async function authorize(page: Page): Promise<void> {
  await page.click(".auth-wrapper .authorize");
  await page.fill(".modal-ux input", PERSONAL_KEY);
  await page.click(".modal-ux .authorize");
  await page.click(".modal-ux .btn-done");
}

const hackedOf = (page: Page) => page.evaluate("window.hacked");

/** Elements that only a text could have made. */
const FOREIGN =
  "script:not([src]), iframe, object, embed, [onerror], [onload], img[src=x], a[href^='javascript'], a[href^='data:text']";

describe("texts that others have stored", () => {
  // Chromium needs some seconds for the page, so tests share it.
  let shared: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    shared = await openDocs("?persistAuthorization=true");
    await authorize(shared.page);
  });

  afterAll(() => shared.context.close());

  test("are shown as text where operations are tried out", async () => {
    const { page, problems, leaving } = shared;
    for (const [operation, least] of casesOf(OPERATIONS.slice(0, 3), OPERATIONS)) {
      const block = `.opblock[id$="-${operation}"]`;
      await page.click(`${block} .opblock-summary-control`);
      if (operation === "persons_values") {
        await page.fill(`${block} tr[data-param-name=key] input`, SCRIPTS[1] ?? "");
      }
      if (operation === "query_draft_sql") {
        const prefer = `${block} tr[data-param-name=Prefer] select`;
        await page.selectOption(prefer, "return=representation");
      }
      await page.click(`${block} .execute`);

      const answer = await page.waitForSelector(`${block} .live-responses-table .response`);
      const shown = (await answer.textContent()) ?? "";
      expect([operation, shown]).toEqual([operation, expect.stringMatching(/^200/)]);
      expect(shown.split("window.hacked").length).toBeGreaterThan(least);
      expect(await page.$$eval(`${block} :is(${FOREIGN})`, (found) => found.length)).toBe(0);
      await page.click(`${block} .opblock-summary-control`);
    }
    expect([await hackedOf(page), problems, leaving]).toEqual([undefined, [], []]);
  });

  test("are saved, and not shown, as a table", async () => {
    const { context, page, problems } = shared;
    const block = "#operations-persons-persons_list";
    await page.click(`${block} .opblock-summary-control`);
    await page.selectOption(`${block} tr[data-param-name=format] select`, "csv");
    const saved = page.waitForResponse(/format=csv/);
    await page.click(`${block} .execute`);
    await saved;

    const answer = await page.waitForSelector(`${block} .live-responses-table .response`);
    expect(await answer.textContent()).toStartWith("200");
    expect([await hackedOf(page), problems]).toEqual([undefined, []]);

    const direct = await context.newPage();
    await direct.setExtraHTTPHeaders({ authorization: `Bearer ${PERSONAL_KEY}` });
    const download = direct.waitForEvent("download");
    const address = `${server.url}/api/environments/1/persons/?format=csv`;
    await direct.goto(address).catch(() => undefined);
    expect((await download).suggestedFilename()).toEndWith(".csv");
    await direct.close();
  });

  test("are shown for a key that the page never writes down, and forgets when it is loaded again", async () => {
    const { context, page } = shared;

    const written = await page.evaluate(
      "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])",
    );
    expect(written).toBe('[{},{},""]');
    expect(await context.cookies()).toEqual([]);
    await page.reload();
    await page.waitForSelector(".opblock");
    await page.click("#operations-projects-projects_list .opblock-summary-control");
    await page.click(".execute");
    const answer = await page.waitForSelector(".live-responses-table .response");
    expect(await answer.textContent()).toStartWith("401");
  });

  const ADDRESSES = [
    ["an answer", "/api/environments/1/events/"],
    ["a list", "/api/environments/1/session_recording_playlists/"],
    ["an error", `/api/environments/1/persons/${encodeURIComponent(SCRIPTS[1] ?? "")}/`],
    ["an error of no route", `/api/${encodeURIComponent(SCRIPTS[0] ?? "")}/`],
    ["an error of a parameter", `/api/projects/?limit=${encodeURIComponent(SCRIPTS[0] ?? "")}`],
    ["an unknown project's script", `/array/${encodeURIComponent(SCRIPTS[0] ?? "")}/config.js`],
    [
      "a known project's script",
      `/array/${PROJECT_KEY}/config.js?x=${encodeURIComponent("*/window.hacked=1")}`,
    ],
    ["health", "/_health"],
    ["metrics", "/metrics"],
  ] as const;

  test("are text also where a browser opens an answer by itself", async () => {
    const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
    const { context, page, leaving } = await open(`${server.url}/_health`, headers);
    for (const [what, path] of ADDRESSES) {
      await page.goto(server.url + path);

      expect(await page.content()).not.toBe("");
      await Bun.sleep(50);
      expect([what, await hackedOf(page), leaving]).toEqual([what, undefined, []]);
      expect(await page.$$eval(FOREIGN, (found) => found.length)).toBe(0);
    }
    await context.close();
  });

  test("are nowhere in the document that the page is made of", async () => {
    expect((await ask("GET", "/openapi.json")).text).toBe(documentBefore);
  });
});

describe("the docs page", () => {
  test("is in no frame of another page, which cannot ask the API either", async () => {
    const evil = `<!doctype html>
      <iframe src="${server.url}/docs"></iframe><object data="${server.url}/docs"></object>
      <embed src="${server.url}/docs">`;
    using other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(evil, { headers: { "content-type": "text/html" } }),
    }) as ReturnType<typeof Bun.serve> & Disposable;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://localhost:${other.port}/`);

    // The browser puts a page of its own in the place of each refused frame, which may take a moment.
    await page.waitForLoadState("networkidle");
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) {
      expect(await frame.$$eval(".opblock, #docs", (found) => found.length)).toBe(0);
      expect(frame.url()).not.toStartWith(server.url);
    }
    const asked = await page.evaluate(
      `Promise.all([
        fetch("${server.url}/api/projects/", { headers: { authorization: "Bearer ${PERSONAL_KEY}" } }),
        fetch("${server.url}/api/projects/"),
        fetch("${server.url}/openapi.json"),
        fetch("${server.url}/api/projects/", { method: "POST", body: "{}" }),
      ].map((one) => one.then((answer) => answer.status, () => "refused")))`,
    );
    expect(asked).toEqual(["refused", "refused", "refused", "refused"]);
    expect((await ask("GET", "/api/projects/")).body).toMatchObject({ count: 1 });
    await context.close();
  });
});
