import { expect, test } from "bun:test";
import { testApp } from "../../support/start/app.ts";

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
