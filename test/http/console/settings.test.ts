import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { temporaryDirectory, testApp } from "../../support/start/app.ts";
import { PERSONAL_KEY } from "../../support/start/server.ts";
import { consoleBrowser, SESSION, signedIn } from "../../support/start/session.ts";

const BROWSER = { accept: "text/html" };

test("below a path of a proxy, all addresses of the page begin with it", async () => {
  await using app = await testApp({ flags: { "--public-url": "https://example.com/stats/" } });
  const page = await app.ask("GET", "/console/persons", { key: null });
  const root = await app.ask("GET", "/", { key: null, headers: BROWSER });

  expect(page.text).toContain('<meta name="hoglet-base" content="/stats">');
  expect(page.text).toContain('src="/stats/console/assets/');
  expect(page.text).toContain('href="/stats/console/assets/');
  expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  expect(root.headers.get("location")).toBe("/stats/console/");
});

test("over http on another machine, the header that browsers refuse there is absent", async () => {
  await using app = await testApp({ flags: { "--public-url": "http://stats.example" } });
  const page = await app.ask("GET", "/console/", { key: null });

  expect(page.status).toBe(200);
  expect(page.headers.get("cross-origin-opener-policy")).toBeNull();
});

test("without the console, its paths and the root are not found", async () => {
  await using app = await testApp({ flags: { "--console": "off" } });

  for (const path of ["/", "/console", "/console/", "/console/persons", "/console/assets/x.js"]) {
    expect((await app.ask("GET", path, { key: null, headers: BROWSER })).status).toBe(404);
  }
});

test("without the console, a session of before counts no more, and none can be made", async () => {
  using directory = temporaryDirectory();
  const data = directory.path;
  const on = await testApp({ data });
  const { cookie } = await signedIn(on);
  await on[Symbol.asyncDispose]();
  await using off = await testApp({ data, flags: { "--console": "off" } });
  const browser = consoleBrowser(off, cookie());

  expect((await browser.ask("GET", "/api/projects/")).status).toBe(401);
  expect((await browser.ask("POST", SESSION, { body: { key: PERSONAL_KEY } })).status).toBe(404);
  expect((await off.ask("GET", "/api/projects/")).status).toBe(200);
});

test("a session stays over a new start of the server", async () => {
  using directory = temporaryDirectory();
  const data = directory.path;
  const before = await testApp({ data });
  const { cookie } = await signedIn(before);
  await before[Symbol.asyncDispose]();
  await using after = await testApp({ data });

  expect((await consoleBrowser(after, cookie()).ask("GET", SESSION)).status).toBe(200);
});

test("a restored copy of the data has no session and no link of before", async () => {
  using directory = temporaryDirectory();
  using backup = temporaryDirectory();
  const before = await testApp({ data: directory.path });
  const { cookie } = await signedIn(before);
  const { secret } = await before.app.sessions.makeLink({});
  await before[Symbol.asyncDispose]();
  cpSync(directory.path, backup.path, { recursive: true });
  await using restored = await testApp({ data: backup.path });

  const browser = consoleBrowser(restored, cookie());
  expect((await browser.ask("GET", SESSION)).body).toBeNull();
  expect((await browser.ask("POST", SESSION, { body: { link: secret } })).status).toBe(401);
});
