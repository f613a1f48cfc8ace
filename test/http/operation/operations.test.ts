import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { managementRoutes } from "../../../src/http/server.ts";
import type { OpenApi } from "../../support/answers/document.ts";
import { concrete, keyWith, OPERATIONS, projectsOf } from "../../support/answers/operations.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { PROJECT_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const projectOf = projectsOf(sharedApp());

/** A scope that does not grant another. */
const otherThan = (scope: string) => (scope.startsWith("group:") ? "query:read" : "group:read");
const UNKNOWN_KEY = "phx_unknown0123456789abcdef";

/** Wrong keys are put off after a few within this time, in milliseconds (decision 53). */
const ATTEMPTS_MS = 60_000;

/** Values of each type of JSON that are easily taken for another type. */
const JSON_VALUES = [
  ...["", "0", "34", "true", "null", "[1]", '{"a":1}'].map((text) => ["string", text] as const),
  ...([0, 1, 1.5].map((number) => ["number", number]) as ["number", number][]),
  ...([[], ["a"], [1]].map((list) => ["array", list]) as ["array", unknown[]][]),
  ["object", {}],
  ["object", { 0: 1 }],
  ["boolean", true],
  ["null", null],
] as const;

type Shape = { type?: string; anyOf?: Shape[] };

/** The types of JSON that a shape takes; undefined for any. */
const typesOf = ({ type, anyOf }: Shape): (string | undefined)[] =>
  anyOf === undefined ? [type] : anyOf.flatMap(typesOf);

/** One appliance that refuses all that it is asked; only its clock and its projects change. */
let app: TestApp;
let document: OpenApi;
let routes: ReturnType<typeof managementRoutes>;
const keys = { revoked: "", expired: "", confined: "", whole: "" };
let second: number;

beforeAll(async () => {
  app = await testApp();
  document = (await app.ask("GET", "/openapi.json", { key: null })).body as OpenApi;
  routes = managementRoutes(app.app);
  const revoked = await app.app.keys.create({ label: "gone", scopes: ["*"] });
  await app.app.keys.revoke(revoked.id);
  keys.revoked = revoked.value;
  keys.expired = await keyWith(app, { expires_at: "2026-11-21T12:00:01Z" });
  keys.confined = await keyWith(app, { scoped_teams: [1] });
  keys.whole = await keyWith(app, {});
  second = (await app.app.projects.create({ name: "second" })).id;
});

afterAll(() => app[Symbol.asyncDispose]());

describe.each(OPERATIONS)("%s %s", (...row) => {
  const [method, path, scope, success, parameters, asked = {}] = row;
  const { query = "", body = undefined } = asked;
  const hasProject = path.includes(":project_id");
  const refused = async (key: string | null, project = "1", at = concrete(path, { project })) => {
    app.clock.now += ATTEMPTS_MS;
    const answered = await app.ask(method, at, { key });
    return { status: answered.status, ...(answered.body as { code: string; detail: string }) };
  };

  test("answers a key with exactly the scope, with and without a trailing slash", async () => {
    for (const slash of ["/", ""]) {
      const { own, ids } = await projectOf(row);
      const key = await keyWith(own, { scopes: [scope] });
      const form = concrete(path, ids).replace(/\/$/, slash);
      const { status } = await own.ask(method, form + query, { key, body });
      expect(status).toBe(success);
    }
  });

  test("refuses requests without a key before it reads them", async () => {
    const stranger = await app.ask(method, `${concrete(path)}?limit=x`, { key: null });

    expect(stranger).toMatchObject({ status: 401, body: { code: "not_authenticated" } });
    expect(stranger.headers.get("www-authenticate")).toBe("Bearer");
  });

  test.each<[string, () => string]>([
    ["an unknown key", () => UNKNOWN_KEY],
    ["a revoked key", () => keys.revoked],
    ["an expired key", () => keys.expired],
    ["the project's key", () => PROJECT_KEY],
  ])("refuses %s", async (_, key) => {
    expect(await refused(key())).toMatchObject({ status: 401, code: "authentication_failed" });
  });

  test("refuses a key without the scope, and names it", async () => {
    const key = await keyWith(app, { scopes: [otherThan(scope)] });
    // Any key may read itself.
    const at = concrete(path, { project: "1" }).replace(
      "personal_api_keys/@current",
      "personal_api_keys/1",
    );
    const without = await refused(key, "1", at);

    expect(without).toMatchObject({ status: 403, code: "permission_denied" });
    expect(without.detail).toContain(`'${scope}'`);
  });

  test("answers other methods 405 with Allow", async () => {
    const own = OPERATIONS.filter(([, other]) => other === path);
    const served = own.flatMap(([one, , , status]) => (status === 405 ? [] : [one as string]));
    const allowed = served.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one]));
    const known = new Set<string>([...allowed, ...own.map(([one]) => one)]);
    const others = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

    for (const other of others.filter((one) => !known.has(one))) {
      const answered = await app.ask(other, concrete(path));
      expect(answered).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
      expect(answered.headers.get("allow")?.split(", ").sort()).toEqual(allowed.sort());
    }
  });

  test("takes no value of its body for one of another type", async () => {
    const route = routes.find((one) => one.method === method && one.path === path);
    const shapes: Record<string, Shape> = route?.body?.["properties"] ?? {};
    const required: string[] = route?.body?.["required"] ?? [];
    for (const [field, shape] of Object.entries(shapes)) {
      for (const [type, value] of JSON_VALUES) {
        if (typesOf(shape).some((known) => known === undefined || known === type)) continue;
        // Null counts as absent.
        if (type === "null" && !required.includes(field)) continue;
        const sent = { ...body, [field]: value };
        const answered = await app.ask(method, concrete(path, { project: "1" }), { body: sent });
        expect({ value, ...answered }).toMatchObject({
          status: 400,
          body: { code: "invalid_input", attr: field },
        });
      }
    }
  });

  test("refuses a field of a body that it lacks, and names it", async () => {
    if (method === "GET") return;
    for (const name of ["unknown", "Short_ID", "limit", "constructor", "deletd"]) {
      const sent = { ...body, [name]: 1 };
      const answered = await app.ask(method, concrete(path, { project: "1" }), { body: sent });
      if (success === 405) expect(answered.status).toBe(405);
      else {
        expect([name, answered]).toMatchObject([
          name,
          { status: 400, body: { code: "invalid_input", attr: name } },
        ]);
      }
    }
  });

  test("refuses a parameter that it lacks, and names its own", async () => {
    const known = parameters === "" ? [] : parameters.split(" ");
    const misspelt = known.map((name) => name.replace(/.$/, "") || "x");
    for (const name of ["unknown", "Short_ID", "limits", "constructor", ...misspelt]) {
      const answered = await app.ask(method, `${concrete(path, { project: "1" })}?${name}=1`);
      if (success === 405) expect(answered.status).toBe(405);
      else {
        expect([name, answered]).toMatchObject([
          name,
          { status: 400, body: { code: "invalid_input", attr: name } },
        ]);
        const { detail } = answered.body as { detail: string };
        expect(known.filter((one) => !detail.includes(one))).toEqual([]);
      }
    }
    for (const name of known.filter((one) => one !== "properties" && success !== 405)) {
      const twice = `${concrete(path, { project: "1" })}?${name}=1&${name}=2`;
      const answered = await app.ask(method, twice);
      expect(answered).toMatchObject({ status: 400, body: { attr: name } });
    }
  });

  test("takes parameters of clients that change nothing", async () => {
    if (success === 405) return;
    const { own, ids } = await projectOf(row);
    const sent = query === "" ? "?" : `${query}&`;
    const same = "format=json&refresh=force_blocking&basic=true&client_query_id=a1";
    const key = await keyWith(own, { scopes: [scope] });
    const { status } = await own.ask(method, `${concrete(path, ids)}${sent}${same}`, { key, body });
    expect(status).toBe(success);
  });

  test("is in the document with its scope, its parameters and its answer", () => {
    const operation = document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    const places = (place: string) =>
      (operation?.parameters ?? []).filter((one) => one.in === place).map(({ name }) => name);
    expect(operation?.security).toEqual([{ personal_api_key: [scope] }]);
    expect(places("query").sort().join(" ")).toBe(parameters);
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
    expect(places("path").sort()).toEqual(named.sort());
    if (body !== undefined) expect(operation?.requestBody).toBeDefined();
    expect(Object.keys(operation?.responses ?? {})).toContain(String(success));
  });

  if (!hasProject) return;

  test("refuses a key of another project", async () => {
    expect(await refused(keys.confined, String(second))).toMatchObject({
      status: 403,
      code: "permission_denied",
    });
  });

  test("does not find a project that does not exist", async () => {
    for (const project of ["999", "0", "-1", "1e3", "x", "@other"]) {
      expect(await refused(keys.whole, project)).toMatchObject({ status: 404, code: "not_found" });
    }
  });
});

test("every operation is in the table, and every one of the table is served and documented", () => {
  const rows = OPERATIONS.map(([method, path, scope, success]) => [method, path, scope, success]);
  const served = routes.map(({ method, path, scope, status }) => [method, path, scope, status]);
  expect<unknown[]>(served.sort()).toEqual(rows.sort());
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security = [] }]) =>
      security.length === 0 ? [] : `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`,
    ),
  );
  expect(documented.sort()).toEqual(rows.map(([method, path]) => `${method} ${path}`).sort());
});
