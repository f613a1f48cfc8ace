import { expect, test } from "bun:test";
import { FONT, SCRIPTS, STYLE } from "../../../src/http/console/assets.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const project = sharedApp();

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** A GET without a key. */
async function get(path: string, headers: Record<string, string> = {}) {
  return (await project()).ask("GET", path, { key: null, headers });
}

/** The addresses that the page names, in its order: charts, typeface, style and script. */
const assetsOf = (page: string) =>
  [...page.matchAll(/(?:href|src|content)="([^"]+\.(?:css|js|woff2))"/g)].map(
    ([, path = ""]) => path,
  );

test("the root leads a browser to the console, and any other client gets the JSON of before", async () => {
  const browser = await get("/", { accept: BROWSER });
  const curl = await get("/", { accept: "*/*" });

  expect(browser.status).toBe(303);
  expect(browser.headers.get("location")).toBe("/console/");
  expect(browser.headers.get("vary")).toBe("Accept");
  expect([curl.status, curl.headers.get("vary")]).toEqual([404, "Accept"]);
  expect(curl.body).toEqual({
    type: "invalid_request",
    code: "not_found",
    detail: "Not found.",
    attr: null,
  });
});

test.each([
  ["/project/1/dashboard/12", "1/dashboards/12"],
  ["/project/1/insights/AbCd1234/edit", "1/insights/AbCd1234"],
  ["/project/2/insights/new", "2/insights"],
  ["/project/2/insights", "2/insights"],
  ["/project/1/persons/", "1/persons"],
  [
    "/project/1/person/fe27503b-3771-5a01-819d-96bf829dfb35",
    "1/persons/fe27503b-3771-5a01-819d-96bf829dfb35",
  ],
  ["/project/1/person/ann%2Fb%40x.y", "1/persons?search=ann%2Fb%40x.y"],
  ["/project/1/activity/explore", "1/events"],
  ["/project/1/events/x/y", "1/events"],
  ["/project/1/replay/home", "1/playlists"],
  ["/project/1/feature_flags/4", "1/"],
  ["/project/1", "1/"],
  ["/project/phc_x/constructor", ""],
])("the address %s of PostHog leads to the console", async (path, page) => {
  const { status, headers } = await get(path, { accept: BROWSER });
  expect([status, headers.get("location")]).toEqual([303, `/console/${page}`]);
});

test.each(["/console", "/console/", "/console/persons/3f1c", "/console/assets", "/console/api"])(
  "%s is the page, with a policy that allows only its own files",
  async (path) => {
    const { status, headers, text } = await get(path, { accept: BROWSER });

    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(text).toContain("<title>Hoglet</title>");
    expect(text).toContain('<meta name="hoglet-base" content="">');
    expect(text).not.toMatch(/<script>|<style|style=|\son\w+=/);
  },
);

test("the page names nothing outside of this server", async () => {
  const { text } = await get("/console/");

  expect(assetsOf(text)).toHaveLength(3);
  expect(text.replace("http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg", "")).not.toMatch(/https?:|\/\/\w/);
});

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  woff2: "font/woff2",
};

test("a browser may keep the files of the page, and gets them gzipped if it takes gzip", async () => {
  const later = SCRIPTS.map(({ name }) => `/console/assets/${name}`);
  const paths = [...assetsOf((await get("/console/")).text), ...later];
  expect(paths.length).toBeGreaterThan(10);

  for (const path of paths) {
    const plain = await get(path);
    const zipped = await get(path, { "accept-encoding": "br, gzip" });
    expect(path).toMatch(
      /^\/console\/assets\/(?:[\da-f]{16}|(?:main-)?[a-z\d]{8})\.(?:js|css|svg|woff2)$/,
    );
    const type = TYPES[path.split(".")[1] ?? ""];
    expect(plain.headers.get("content-type")).toBe(type ?? "");
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-encoding")).toBeNull();
    // The typeface is compressed by its own format.
    expect(zipped.headers.get("content-encoding")).toBe(path.endsWith("woff2") ? null : "gzip");
    expect(plain.headers.get("content-security-policy")).toStartWith("default-src 'none'");
    expect(plain.text.length).toBeGreaterThan(10);
  }
  expect((await get("/console/assets/0123456789abcdef.js")).status).toBe(404);
  expect((await get("/console/api/nothing/")).status).toBe(404);
});

test("the style has the address of the typeface", async () => {
  const style = Buffer.from(STYLE.plain).toString();
  expect(style.match(/url\([^)]*woff2[^)]*\)/g)).toEqual([`url(${FONT.name})`]);
  expect(style).toContain("font-display:optional");
});

test("the files of a dashboard stay within 130 KB of script, 12 KB of style and 48 KB of type, gzipped", () => {
  const [main, ...others] = SCRIPTS;
  const charts = others.filter(({ plain }) => Buffer.from(plain).includes("uplot"));
  const sizes = [main, ...charts].map((one) => one?.gzipped.length ?? 0);
  expect(sizes).toHaveLength(2);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(130_000);
  expect(STYLE.gzipped.length).toBeLessThanOrEqual(12_000);
  expect(FONT.plain.length).toBeLessThanOrEqual(48 * 1024);
});
