import { describe, expect, test } from "bun:test";
import { isOfSdk } from "../../../src/http/request/cors.ts";
import { captureRoutes } from "../../../src/http/sdk/capture.ts";
import { sdkRoutes } from "../../../src/http/sdk/config.ts";
import { managementRoutes } from "../../../src/http/server.ts";
import type { TestProject } from "../../support/start/app.ts";
import { PROJECT_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();

const ORIGIN = "https://site.example";

/** Every route that SDKs call, with a path that can be asked for. */
const publicRoutes = ({ app }: TestProject) =>
  [
    ...captureRoutes(
      app.capture,
      { held: 0 },
      () => ({}),
      () => {},
    ),
    ...sdkRoutes({ ...app, newUuid: () => "" }),
  ].map(({ method, path }) => ({
    method,
    path: path.replace(":key", PROJECT_KEY).replace("*", "array.js"),
  }));

const ask = (app: TestProject, method: string, path: string, headers = {}) =>
  app.ask(method, path, { key: null, headers: { origin: ORIGIN, ...headers } });

const expectCors = (headers: Headers, origin = ORIGIN) => {
  expect(headers.get("access-control-allow-origin")).toBe(origin);
  expect(headers.get("access-control-allow-credentials")).toBe("true");
  expect(headers.get("access-control-expose-headers")).toContain("Retry-After");
  expect(headers.get("vary")).toContain("Origin");
};

const corsHeadersOf = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("CORS", () => {
  test("reflects the origin, with credentials, on every path of SDKs, errors included", async () => {
    const app = await newProject();
    const routes = publicRoutes(app);

    expect(routes.length).toBeGreaterThanOrEqual(14);
    for (const { method, path } of routes) {
      const answered = await ask(app, method, path);
      const refused = await ask(app, "DELETE", path);

      expect([200, 400, 401]).toContain(answered.status);
      expectCors(answered.headers);
      expect(refused.status).toBe(405);
      expectCors(refused.headers);
    }
  });

  test("tells the paths of SDKs by their first word, but for those below /api/", async () => {
    const app = await newProject();
    const allows = (path: string) => isOfSdk(new Request(`http://localhost:8000${path}`));
    const paths = publicRoutes(app).map(({ path }) => path);

    expect(paths.filter((path) => allows(path) === path.startsWith("/api/"))).toEqual([]);
    const others = [...managementRoutes(app.app).map(({ path }) => path), "/", "/docs", "/_health"];
    expect(others.filter(allows)).toEqual([]);
  });

  test("are also on answers for unknown paths", async () => {
    const app = await newProject();
    for (const path of ["/array/phc_unknown/config.js", "/static/toolbar.js"]) {
      const { status, headers } = await ask(app, "GET", path);
      expect(status).toBe(404);
      expectCors(headers);
    }
  });

  test("grants a preflight what it asks for, to be remembered, on every path of SDKs", async () => {
    const app = await newProject();
    const asked = "authorization,content-encoding,content-type,x-posthog-session-id";

    for (const { method, path } of publicRoutes(app)) {
      const { status, headers, body } = await ask(app, "OPTIONS", path, {
        "access-control-request-method": method,
        "access-control-request-headers": asked,
      });

      expect([status, body]).toEqual([204, ""]);
      expectCors(headers);
      expect(headers.get("access-control-allow-headers")).toBe(asked);
      expect(headers.get("access-control-allow-methods")).toBe("GET, POST, OPTIONS");
      expect(headers.get("access-control-max-age")).toBe("7200");
    }
  });

  test("reflects the opaque origin, and is absent without an origin", async () => {
    const app = await newProject();

    const opaque = await ask(app, "GET", "/api/surveys/", { origin: "null" });
    const server = await app.ask("GET", "/api/surveys/", { key: null });

    expectCors(opaque.headers, "null");
    expect(corsHeadersOf(server.headers)).toEqual([]);
    expect(server.headers.get("vary")).toBe("Origin");
  });

  test("is absent everywhere else, from answers, errors and preflights", async () => {
    const app = await newProject();
    const paths = [
      ...managementRoutes(app.app).map(({ path }) => path.replace(/:\w+/g, "1")),
      "/openapi.json",
      "/docs",
      "/docs/keys",
      "/docs/start.js",
      "/_health",
      "/",
      "/api/unknown/",
    ];

    for (const path of paths) {
      const preflight = { "access-control-request-method": "GET" };
      const answers = [
        await app.ask("GET", path, { headers: { origin: ORIGIN } }),
        await ask(app, "GET", path),
        await ask(app, "DELETE", path),
        await ask(app, "OPTIONS", path, preflight),
      ];

      expect(answers.flatMap(({ headers }) => corsHeadersOf(headers))).toEqual([]);
      expect(answers.at(-1)?.status).toBeGreaterThanOrEqual(404);
    }
  });
});
