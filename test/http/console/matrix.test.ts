import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type OpenApi, operationsOf } from "../../support/answers/document.ts";
import { concrete, keyWith, OPERATIONS, projectsOf } from "../../support/answers/operations.ts";
import { event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../../support/start/server.ts";
import {
  type ConsoleBrowser,
  consoleBrowser,
  SESSION,
  signedIn,
} from "../../support/start/session.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const projectOf = projectsOf(sharedApp());

/** Paths that take keys alone. */
const WITHOUT_SESSIONS = ["/metrics"];

let app: TestApp;
let document: OpenApi;
let browser: ConsoleBrowser;
let ended: ConsoleBrowser;
let confined: ConsoleBrowser;
/** Sessions of keys with one scope. */
let narrow: { query: ConsoleBrowser; group: ConsoleBrowser };

beforeAll(async () => {
  app = await testApp();
  document = (await app.ask("GET", "/openapi.json")).body as OpenApi;
  await app.app.projects.create({ name: "second" });
  browser = await signedIn(app);
  const key = await app.app.keys.create({ label: "gone", scopes: ["*"] });
  ended = await signedIn(app, key.value);
  await app.app.keys.revoke(key.id);
  narrow = {
    query: await signedIn(app, await keyWith(app, { scopes: ["query:read"] })),
    group: await signedIn(app, await keyWith(app, { scopes: ["group:read"] })),
  };
  confined = await signedIn(app, await keyWith(app, { scoped_teams: [2] }));
});

afterAll(() => app[Symbol.asyncDispose]());

/** The callers that no operation answers, with the way in which each asks. */
const REFUSED: [string, (method: string, path: string) => Promise<{ status: number }>][] = [
  ["nobody", (method, path) => app.ask(method, path, { key: null })],
  ["a project key", (method, path) => app.ask(method, path, { key: PROJECT_KEY })],
  ["a page without a session", (method, path) => consoleBrowser(app).ask(method, path)],
  [
    "a session without the header of the console",
    (method, path) => browser.ask(method, path, { headers: { "x-hoglet-console": "" } }),
  ],
  [
    "a session on a page of another origin",
    (method, path) => browser.ask(method, path, { headers: { origin: "https://evil.example" } }),
  ],
  [
    "a session on a page of another port",
    (method, path) => browser.ask(method, path, { headers: { "sec-fetch-site": "same-site" } }),
  ],
  [
    "a session on a page without an origin",
    (method, path) => browser.ask(method, path, { headers: { origin: "null" } }),
  ],
  ["a session whose key has ended", (method, path) => ended.ask(method, path)],
];

test("every operation with a key has a row", () => {
  const keyed = operationsOf(document)
    .filter(({ operation }) => operation.security?.length !== 0)
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const rows = OPERATIONS.map(([method, path]) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);

  expect(keyed.sort()).toEqual(rows.sort());
});

describe.each(OPERATIONS)("%s %s", (...row) => {
  const [method, path, scope, success, , asked = {}] = row;
  const { query = "", body } = asked;
  const takesSessions = !WITHOUT_SESSIONS.includes(path);

  test("answers a session of a key with exactly the scope as it answers the key", async () => {
    const { own, ids } = await projectOf(row);
    const page = await signedIn(own, await keyWith(own, { scopes: [scope] }));
    const form = concrete(path, ids) + query;
    const { status } = await page.ask(method, form, body === undefined ? {} : { body });

    expect(status).toBe(takesSessions ? success : 401);
  });

  test.each(REFUSED)("refuses %s", async (_caller, ask) => {
    expect((await ask(method, concrete(path))).status).toBe(401);
  });
});

test.each(OPERATIONS.filter(([, path]) => !WITHOUT_SESSIONS.includes(path)))(
  "%s %s refuses a session of a key without the scope",
  async (method, path, scope, _success, _parameters, { query = "" } = {}) => {
    const page = scope.startsWith("group:") ? narrow.query : narrow.group;

    // Each session may read the key that it has.
    const form = concrete(path).replace("@current", "1");
    expect((await page.ask(method, form + query)).status).toBe(403);
  },
);

test.each(OPERATIONS.filter(([, path]) => path.includes(":project_id")))(
  "%s %s refuses a session on another project",
  async (method, path, _scope, _success, _parameters, { query = "" } = {}) => {
    expect((await confined.ask(method, concrete(path) + query)).status).toBe(403);
  },
);

describe("the page and its files", () => {
  const shell = [
    ["nobody", () => app.ask("GET", "/console/", { key: null })],
    ["a wrong key", () => app.ask("GET", "/console/", { key: "phx_wrong" })],
    ["a session that has ended", () => ended.ask("GET", "/console/")],
    [
      "a page of another site",
      () => browser.ask("GET", "/console/", { headers: { origin: "https://evil.example" } }),
    ],
  ] as const;

  test.each(shell)("are for %s", async (_caller, ask) => {
    expect((await ask()).status).toBe(200);
  });
});

describe("signing in", () => {
  const FOREIGN: Record<string, string>[] = [
    { "x-hoglet-console": "" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "none" },
  ];

  test.each(FOREIGN)("is refused with %j, as signing out and the list are", async (headers) => {
    const page = consoleBrowser(app, browser.cookie());
    const body = { key: PERSONAL_KEY };

    expect((await page.ask("POST", SESSION, { body, headers })).status).toBe(401);
    expect((await page.ask("DELETE", SESSION, { headers })).status).toBe(401);
    expect((await page.ask("GET", SESSION, { headers })).status).toBe(401);
    expect((await page.ask("GET", "/console/api/sessions/", { headers })).status).toBe(401);
    expect((await page.ask("DELETE", "/console/api/sessions/1/", { headers })).status).toBe(401);
    expect((await browser.ask("GET", SESSION)).status).toBe(200);
  });

  test("has no preflight that another origin could pass", async () => {
    const { headers } = await app.ask("OPTIONS", SESSION, {
      key: null,
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });

    expect(headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("capture", () => {
  const body = { api_key: "", ...event() };

  test("takes no session in the place of the project key", async () => {
    const { status } = await browser.ask("POST", "/i/v0/e/", {
      body: { ...body, api_key: undefined },
    });

    expect(status).toBe(401);
  });

  test("takes the project key also from a page that has a session", async () => {
    const sent = { ...body, api_key: PROJECT_KEY };

    expect((await browser.ask("POST", "/i/v0/e/", { body: sent })).status).toBe(200);
  });
});
