import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import manifest from "../../../package.json";
import type { TestProject } from "../../support/start/app.ts";
import { ROOT } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

const VERSION = manifest.dependencies["posthog-js"];

/** The parts that posthog-js loads on a setting of the page alone. */
const PARTS = [
  ...["dead-clicks-autocapture", "exception-autocapture", "logs", "tracing-headers", "web-vitals"],
  ...["web-vitals-soft-navs", "web-vitals-with-attribution"],
  "web-vitals-with-attribution-soft-navs",
];

/** A file of the package without its last line, which names a source map. */
const packaged = (name: string) =>
  readFileSync(join(ROOT, "node_modules/posthog-js/dist", name), "utf8").replace(
    /\/\/# .*\s*$/,
    "",
  );

/** A script's answer, its body as bytes. */
async function fetched({ app }: TestProject, path: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost:8000${path}`, { headers });
  const answer = await app.http("http://127.0.0.1:8000")(request);
  return { status: answer.status, headers: answer.headers, bytes: await answer.bytes() };
}

describe("posthog-js from the executable", () => {
  test("is the package's own bundle, plain and gzipped", async () => {
    const app = await newProject();
    const origin = { origin: "https://site.example" };

    const plain = await fetched(app, "/static/array.js", origin);
    const zipped = await fetched(app, "/static/array.js", {
      ...origin,
      "accept-encoding": "gzip, deflate, br, zstd",
    });

    expect(Buffer.from(plain.bytes).toString()).toBe(packaged("array.js"));
    expect(gunzipSync(zipped.bytes)).toEqual(Buffer.from(plain.bytes));
    expect([plain, zipped].map(({ headers }) => headers.get("content-encoding"))).toEqual([
      null,
      "gzip",
    ]);
    for (const { status, headers } of [plain, zipped]) {
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("application/javascript; charset=utf-8");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("public, max-age=3600");
      expect(headers.get("vary")).toBe("Accept-Encoding, Origin");
      expect(headers.get("access-control-allow-origin")).toBe("https://site.example");
    }
  });

  test.each([
    ["gzip;q=0", null],
    ["gzip;q=0.0, br", null],
    ["xgzip", null],
    ["br, gzip;q=0.5", "gzip"],
    ["GZIP", "gzip"],
  ])("answers `Accept-Encoding: %s` with the encoding %p", async (accepted, encoding) => {
    const app = await newProject();
    const { headers } = await fetched(app, "/static/array.js", { "accept-encoding": accepted });
    expect(headers.get("content-encoding")).toBe(encoding);
  });

  test("is not sent again to a browser that has it", async () => {
    const app = await newProject();
    const first = await fetched(app, "/static/array.js");
    const etag = first.headers.get("etag") ?? "";

    const again = await fetched(app, "/static/array.js", { "if-none-match": `"x", ${etag}` });
    const other = await fetched(app, "/static/array.js", { "if-none-match": `W/"x"` });

    expect(etag).toMatch(/^W\/"\w+"$/);
    expect([again.status, again.bytes.length, again.headers.get("etag")]).toEqual([304, 0, etag]);
    expect(again.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(other.status).toBe(200);
  });

  test("has the parts that a page switches on, under the path of any version", async () => {
    const app = await newProject();
    const etags = new Set<string | null>();

    for (const part of PARTS) {
      const text = packaged(`${part}.js`);
      for (const path of [`${VERSION}/${part}.js`, `1.449.2/${part}.js`, `${part}.js?v=1.260.3`]) {
        const { status, headers, bytes } = await fetched(app, `/static/${path}`);
        expect([status, Buffer.from(bytes).toString() === text]).toEqual([200, true]);
        etags.add(headers.get("etag"));
      }
    }

    expect(etags.size).toBe(PARTS.length);
  });

  test.each([
    ...["toolbar.js", "surveys.js", "lazy-recorder.js", "1.434.18/surveys.js", "a/b/array.js"],
    ...["array.js.map", "..%2Farray.js", "__proto__", ""],
  ])("has no /static/%s, and says so to the page", async (path) => {
    const app = await newProject();

    const { status, headers, bytes } = await fetched(app, `/static/${path}`, {
      origin: "https://site.example",
    });

    const problem = {
      type: "invalid_request",
      code: "not_found",
      detail: expect.stringMatching(/^Not found\..* no session recordings, .* It has array\.js, /),
      attr: null,
    };
    expect([status, JSON.parse(Buffer.from(bytes).toString())]).toEqual([404, problem]);
    expect(headers.get("access-control-allow-origin")).toBe("https://site.example");
  });
});
