import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium, problemsOf } from "./support/chromium.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "./support/server.ts";

/** Longer than the 60 s after which a server that stores nothing is given up. */
setDefaultTimeout(90_000);

type Parameter = { name: string; in: string; required?: boolean; schema?: object };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  security?: Record<string, string[]>[];
  responses: Record<string, { description?: string; content?: object }>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
};

let server: Server;
let document: Document;
let browser: Browser | undefined;

beforeAll(async () => {
  server = await startServer();
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
});

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Every object inside a value, and the value itself. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}

/** The docs page, loaded; what went wrong on it, and where else it wanted to go. */
async function open(path: string) {
  browser ??= await launchChromium();
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems = problemsOf(page);
  const asked: string[] = [];
  const leaving: string[] = [];
  await context.route("**/*", async (route) => {
    const url = new URL(route.request().url());
    (url.origin === server.url ? asked : leaving).push(url.href);
    if (url.origin === server.url) await route.continue();
    else await route.abort();
  });
  await page.goto(server.url + path);
  await page.waitForSelector(".opblock");
  return { context, page, problems, asked, leaving };
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
  test("lists every operation of the document, and asks nobody but this server", async () => {
    const { context, page, problems, asked, leaving } = await open("/docs");

    const shown = await listed(page);

    const documented = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(shown.sort()).toEqual(documented.sort());
    expect(shown).toContain("GET /api/environments/{project_id}/persons/");
    expect(asked).toContain(`${server.url}/openapi.json`);
    expect([leaving, problems]).toEqual([[], []]);
    await context.close();
  });

  test("tries an operation out with the personal key that is entered", async () => {
    const event = { event: "$identify", distinct_id: "ada", properties: { $set: { plan: "pro" } } };
    await server.capture({ api_key: PROJECT_KEY, ...event }, "/i/v0/e/");
    await server.stored(1);
    const { context, page, problems, leaving } = await open("/docs");

    await page.click(".auth-wrapper .authorize");
    await page.fill(".modal-ux input", PERSONAL_KEY);
    await page.click(".modal-ux .authorize");
    await page.click(".modal-ux .btn-done");
    await page.click("#operations-persons-persons_list .opblock-summary-control");
    await page.fill("tr[data-param-name=project_id] input", "1");
    await page.click(".execute");

    const answer = await page.waitForSelector(".live-responses-table .response");
    expect(await (await answer.$(".response-col_status"))?.textContent()).toStartWith("200");
    const body = await (await answer.$(".response-col_description code"))?.textContent();
    expect(JSON.parse(body ?? "")).toMatchObject({
      count: 1,
      results: [{ distinct_ids: ["ada"], properties: { plan: "pro" } }],
    });
    expect([leaving, problems]).toEqual([[], []]);
    await context.close();
  });

  test("shows why it is refused without a key", async () => {
    const { context, page, leaving } = await open("/docs");

    await page.click("#operations-projects-projects_list .opblock-summary-control");
    await page.click(".execute");

    const answer = await page.waitForSelector(".live-responses-table .response");
    expect(await (await answer.$(".response-col_status"))?.textContent()).toStartWith("401");
    expect(await answer.textContent()).toContain("not_authenticated");
    expect(leaving).toEqual([]);
    await context.close();
  });

  test.each(["url", "configUrl", "urls"])("is not changed by the parameter %s", async (name) => {
    const evil = encodeURIComponent("https://evil.example/spec.json");
    const { context, page, problems, asked, leaving } = await open(`/docs?${name}=${evil}`);

    expect(await page.textContent(".info .title")).toStartWith("Hoglet");
    expect(asked.slice(1)).toEqual(
      ["/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/start.js", "/openapi.json"].map(
        (path) => server.url + path,
      ),
    );
    expect([leaving, problems]).toEqual([[], []]);
    await context.close();
  });

  test("runs no other script and reaches no other server, whatever gets into it", async () => {
    const { context, page, problems, leaving } = await open("/docs");

    const reached = await page.evaluate(`(async () => {
      const script = document.createElement("script");
      script.textContent = "window.injected = true";
      document.body.append(script);
      return fetch("https://evil.example/").then(() => true, () => window.injected);
    })()`);

    expect(reached).toBeUndefined();
    expect(leaving).toEqual([]);
    expect(problems.filter((problem) => problem.includes("script-src"))).toHaveLength(1);
    expect(problems.filter((problem) => problem.includes("connect-src"))).not.toEqual([]);
    await context.close();
  });

  test("says in its headers what it may load, and that nobody may frame it", async () => {
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

function directives(policy: string): Record<string, string> {
  const parts = policy.split(";").map((part) => part.trim().split(/\s+/));
  return Object.fromEntries(parts.map(([name = "", ...sources]) => [name, sources.join(" ")]));
}

describe("the OpenAPI document", () => {
  test("is of version 3.1 and names the product and its version", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info.title).toBe("Hoglet");
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  test("refers only to what is in it", () => {
    const refs = objectsIn(document).flatMap(({ $ref }) => (typeof $ref === "string" ? $ref : []));

    expect(refs.length).toBeGreaterThan(0);
    const dangling = refs.filter((ref) => resolved(ref) === undefined);
    expect(dangling).toEqual([]);
  });

  test("names every operation once", () => {
    const names = operations().map(({ operation }) => operation.operationId);

    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(names.length);
  });

  test("declares the parameters of every path, and none twice", () => {
    for (const { path, operation } of operations()) {
      const parameters = operation.parameters ?? [];
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);

      expect(inPath.map(({ name }) => name).sort()).toEqual(named.sort());
      expect(inPath.every(({ required }) => required === true)).toBe(true);
      const places = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(places).size).toBe(places.length);
      for (const parameter of parameters) {
        expect(["path", "query", "header", "cookie"]).toContain(parameter.in);
        expect(parameter.schema).toBeObject();
      }
    }
  });

  test("describes every answer, a success and a failure among them", () => {
    for (const { operation } of operations()) {
      const statuses = Object.keys(operation.responses);

      expect(statuses.filter((status) => !/^[1-5]\d\d$/.test(status))).toEqual([]);
      const never = operation.operationId === "playlists_destroy";
      expect(statuses.some((status) => status.startsWith("2"))).toBe(!never);
      expect(statuses).toContain("401");
      for (const { description } of Object.values(operation.responses)) {
        expect(description).toBeTruthy();
      }
    }
  });

  test("tells what may become of a body: too slow, too large, of another type", () => {
    const withBody = operations().filter(({ method }) => method === "post");

    expect(withBody.map(({ path }) => path)).toContain("/batch/");
    for (const { operation } of withBody) {
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(["408", "413", "415"]),
      );
    }
  });

  test("tells of both answers where one is empty, and of the header that asks for the other", () => {
    const preferring = operations().filter(({ operation: { parameters = [] } }) =>
      parameters.some(({ name, in: place }) => name === "Prefer" && place === "header"),
    );
    const bodies = preferring.map(({ operation: { operationId, responses } }) => [
      operationId,
      Object.entries(responses)
        .filter(([status]) => status.startsWith("2"))
        .map(([status, { content, description }]) => [status, content !== undefined, description]),
    ]);

    const preferred = "With `Prefer: return=representation`, the result";
    expect(Object.fromEntries(bodies)).toMatchObject({
      playlists_recordings_list: [["200", true, `${preferred}; else no body.`]],
      playlists_recordings_create: [["200", true, `${preferred}; else no body.`]],
      playlists_recordings_destroy: [
        ["200", true, `${preferred}.`],
        ["204", false, "No Content"],
      ],
    });
    const refused = operations().find(
      ({ operation }) => operation.operationId === "playlists_destroy",
    );
    expect(refused?.operation.responses["405"]).toEqual({ description: "Method Not Allowed" });
  });

  test("asks for the key of a declared scheme, but to capture", () => {
    const schemes = new Set(Object.keys(document.components.securitySchemes));

    const open = operations().filter(({ operation }) => {
      const used = (operation.security ?? []).flatMap((security) => Object.keys(security));
      expect(used.filter((name) => !schemes.has(name))).toEqual([]);
      return used.length === 0;
    });

    expect(open.map(({ path }) => path).sort()).toEqual(["/batch/", "/i/v0/e/"]);
  });

  test("holds schemas of JSON Schema 2020-12 alone", () => {
    const types = ["null", "boolean", "object", "array", "number", "integer", "string"];
    const schemas = objectsIn(document).filter(({ type }) => types.includes(String(type)));

    const odd = ["$id", "nullable", "example", "static"];
    expect(schemas.flatMap((schema) => odd.filter((word) => word in schema))).toEqual([]);
    for (const { required, properties } of schemas) {
      if (!Array.isArray(required)) continue;
      expect(Object.keys(properties ?? {})).toEqual(expect.arrayContaining(required));
    }
    const ofNoType = objectsIn(document.components.schemas).flatMap(({ type }) =>
      typeof type === "string" && !types.includes(type) ? type : [],
    );
    expect(ofNoType).toEqual([]);
  });
});

/** What a reference such as `#/components/schemas/Person` means. */
function resolved(ref: string): unknown {
  const [root, ...steps] = ref.split("/");
  if (root !== "#") return undefined;
  return steps
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], document);
}
