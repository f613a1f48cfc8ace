import { describe, expect, test } from "bun:test";
import { managementRoutes } from "../../src/http/server.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { batch, event } from "../support/make.ts";
import { PERSONAL_KEY, PROJECT_KEY, startServer } from "../support/server.ts";

const PERSONS = "/api/environments/:project_id/persons/";
const PLAYLISTS = "/api/environments/:project_id/session_recording_playlists/";
const RECORDING = `${PLAYLISTS}:short_id/recordings/:session_recording_id/`;
const NEW_KEY = { label: "ci", scopes: ["personal_api_key:read"] };

/** Every management route: a new one without its row here fails the last test. */
const ROUTES: [method: string, path: string, scope: string, query?: string, body?: object][] = [
  ["GET", PERSONS, "person:read"],
  ["GET", `${PERSONS}values/`, "person:read", "?key=plan"],
  ["GET", `${PERSONS}activity/`, "activity_log:read"],
  ["GET", `${PERSONS}deletion_status/`, "person:read"],
  ["POST", `${PERSONS}bulk_delete/`, "person:write", "", { ids: [1] }],
  ["GET", `${PERSONS}:id/`, "person:read"],
  ["PATCH", `${PERSONS}:id/`, "person:write", "", { properties: {} }],
  ["DELETE", `${PERSONS}:id/`, "person:write"],
  ["GET", `${PERSONS}:id/activity/`, "activity_log:read"],
  ["POST", `${PERSONS}:id/delete_events/`, "person:write"],
  ["POST", `${PERSONS}:id/delete_property/`, "person:write", "?$unset=plan"],
  ["POST", `${PERSONS}:id/update_property/`, "person:write", "", { key: "n", value: 1 }],
  ["POST", `${PERSONS}:id/split/`, "person:write"],
  ["GET", PLAYLISTS, "session_recording_playlist:read"],
  ["POST", PLAYLISTS, "session_recording_playlist:write"],
  ["GET", `${PLAYLISTS}:short_id/`, "session_recording_playlist:read"],
  ["PATCH", `${PLAYLISTS}:short_id/`, "session_recording_playlist:write"],
  ["DELETE", `${PLAYLISTS}:short_id/`, "session_recording_playlist:write"],
  ["GET", `${PLAYLISTS}:short_id/recordings/`, "session_recording_playlist:read"],
  ["POST", RECORDING, "session_recording_playlist:write"],
  ["DELETE", RECORDING, "session_recording_playlist:write"],
  ["GET", "/api/environments/:project_id/events/", "query:read"],
  ["GET", "/api/environments/:project_id/groups/", "group:read", "?group_type_index=0"],
  ["GET", "/api/environments/:project_id/groups_types/", "group:read"],
  ["GET", "/api/environments/:project_id/ingestion_warnings/", "project:read"],
  ["GET", "/api/projects/", "project:read"],
  ["POST", "/api/projects/", "project:write", "", { name: "Shop" }],
  ["GET", "/api/projects/:project_id/", "project:read"],
  ["PATCH", "/api/projects/:project_id/", "project:write", "", { name: "Shop" }],
  ["PATCH", "/api/projects/:project_id/reset_token/", "project:write"],
  ["GET", "/api/personal_api_keys/", "personal_api_key:read"],
  ["POST", "/api/personal_api_keys/", "personal_api_key:write", "", NEW_KEY],
  ["GET", "/api/personal_api_keys/:id/", "personal_api_key:read"],
  ["PATCH", "/api/personal_api_keys/:id/", "personal_api_key:write"],
  ["DELETE", "/api/personal_api_keys/:id/", "personal_api_key:write"],
  ["POST", "/api/personal_api_keys/:id/roll/", "personal_api_key:write"],
  ["GET", "/api/users/@me/", "user:read"],
  ["GET", "/metrics", "project:read"],
];

const SOME_OTHER_SCOPE = "insight:read";
/** The person of the distinct id `ann` of project 1, whenever it was made. */
const ANN = "fe27503b-3771-5a01-819d-96bf829dfb35";
const concrete = (path: string, { project = "1", playlist = "x" } = {}) =>
  path
    .replace(":project_id", project)
    .replace(":id", path.startsWith("/api/personal_api_keys/") ? "@current" : ANN)
    .replace(":short_id", playlist)
    .replace(":session_recording_id", "r");

/** Makes what the routes are about: a person with a merge to undo, a playlist with a recording. */
const something = async (app: TestApp): Promise<{ playlist: string }> => {
  const merge = { event: "$create_alias", distinct_id: "new", properties: { alias: "ann" } };
  await app.capture(batch(event(), event({ distinct_id: "new" }), event(merge)));
  const made = await app.ask("POST", concrete(PLAYLISTS));
  const { short_id: playlist } = made.body as { short_id: string };
  await app.ask("POST", concrete(RECORDING, { playlist }));
  return { playlist };
};

const keyWith = async ({ app }: TestApp, draft: object): Promise<string> =>
  (await app.keys.create({ label: "test", scopes: ["*"], ...draft })).value;

describe.each(ROUTES)("%s %s", (method, path, scope, query = "", body = undefined) => {
  const hasProject = path.includes(":project_id");

  test("answers whoever holds exactly the scope, with and without a trailing slash", async () => {
    await using app = await testApp();
    const isThis = (route: { method: string; path: string }) =>
      route.method === method && route.path === path;
    const declared = managementRoutes(app.app).find(isThis)?.status;

    for (const slash of ["/", ""]) {
      const key = await keyWith(app, { scopes: [scope] });
      const form = concrete(path, await something(app)).replace(/\/$/, slash);
      const { status } = await app.ask(method, form + query, { key, body });
      expect(status).toBe(declared as number);
    }
  });

  test("refuses every other key with its reason", async () => {
    await using app = await testApp();
    const refused = async (key: string | null, project = "1") => {
      const { status, body } = await app.ask(method, concrete(path, { project }), { key });
      return { status, ...(body as { code: string; detail: string }) };
    };
    const revoked = await app.app.keys.create({ label: "gone", scopes: ["*"] });
    await app.app.keys.revoke(revoked.id);
    const expired = await keyWith(app, { expires_at: "2026-11-21T12:00:01Z" });
    app.clock.now += 1000;

    expect(await refused(null)).toMatchObject({ status: 401, code: "not_authenticated" });
    for (const key of ["phx_unknown0123456789abcdef", revoked.value, expired, PROJECT_KEY]) {
      expect(await refused(key)).toMatchObject({ status: 401, code: "authentication_failed" });
    }
    const without = await refused(await keyWith(app, { scopes: [SOME_OTHER_SCOPE] }));
    expect(without).toMatchObject({ status: 403, code: "permission_denied" });
    expect(without.detail).toContain(`'${scope}'`);
    if (!hasProject) return;
    const confined = await keyWith(app, { scoped_teams: [1] });
    const second = await app.app.projects.create({ name: "second" });
    expect(await refused(confined, String(second.id))).toMatchObject({
      status: 403,
      code: "permission_denied",
    });
    for (const project of ["999", "0", "-1", "1e3", "x", "@other"]) {
      expect(await refused(await keyWith(app, {}), project)).toMatchObject({
        status: 404,
        code: "not_found",
      });
    }
  });

  test("answers other methods 405 with Allow, and asks for a key before it looks at the body", async () => {
    await using app = await testApp();
    const own = managementRoutes(app.app).filter((route) => route.path === path);
    const served = own.filter((route) => route.status !== 405).map((route) => route.method);
    const allowed = served.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one]));
    const known = new Set<string>([...allowed, ...own.map((route) => route.method)]);
    const others = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];
    for (const other of others.filter((one) => !known.has(one))) {
      const refused = await app.ask(other, concrete(path));
      expect(refused).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
      expect(refused.headers.get("allow")?.split(", ").sort()).toEqual(allowed.sort());
    }
    const stranger = await app.ask(method, `${concrete(path)}?limit=x`, { key: null });
    expect(stranger.status).toBe(401);
    expect(stranger.headers.get("www-authenticate")).toBe("Bearer");
  });
});

test("every route is in the table of this file and in the OpenAPI document", async () => {
  await using app = await testApp();

  const mounted = managementRoutes(app.app).map(({ method, path, scope }) => [method, path, scope]);
  const { body } = await app.ask("GET", "/openapi.json", { key: null });
  const { paths } = body as { paths: Record<string, Record<string, unknown>> };

  const rows = ROUTES.map(([method, path, scope]) => [method, path, scope]);
  expect(mounted.sort()).toEqual(rows.sort());
  for (const [method, path] of ROUTES) {
    const template = path.replace(/:(\w+)/g, "{$1}");
    expect(paths[template]?.[method.toLowerCase()]).toBeDefined();
  }
});

describe("persons", () => {
  const capture = (app: TestApp) =>
    app.capture(
      batch(
        event({
          distinct_id: "ann",
          properties: { $set: { email: "ann@x.y" } },
          timestamp: "2026-11-01",
        }),
        event({ distinct_id: "bob", timestamp: "2026-11-03" }),
        event({ distinct_id: "cat", timestamp: "2026-11-02" }),
        event({ distinct_id: "nobody", properties: { $process_person_profile: false } }),
      ),
    );

  test("are listed newest first, in pages whose links lead on (contract 2.2, 4.2)", async () => {
    await using app = await testApp();
    await capture(app);

    const first = await app.get("/persons/?limit=2");
    const second = await app.get("/persons/?limit=2&offset=2");

    const ids = ({ body }: typeof first) =>
      (body as { results: { distinct_ids: string[] }[] }).results.map(
        (person) => person.distinct_ids[0] ?? "",
      );
    expect(first.body).toMatchObject({
      count: 3,
      next: expect.stringMatching(
        /^http:\/\/localhost:8000\/api\/environments\/1\/persons\/\?limit=2&cursor=[^&]+&offset=2$/,
      ),
      previous: null,
    });
    expect([ids(first), ids(second)]).toEqual([["bob", "cat"], ["ann"]]);
    expect(second.body).toMatchObject({
      next: null,
      previous: "http://localhost:8000/api/environments/1/persons/?limit=2",
    });
  });

  test("are found by distinct id, read by id and by uuid (contract 2.1)", async () => {
    await using app = await testApp();
    await capture(app);

    const { body } = await app.get("/persons/?distinct_id=ann");
    const [ann] = (body as { results: { id: number; uuid: string }[] }).results;

    expect(ann).toEqual({
      id: expect.any(Number),
      name: "ann@x.y",
      distinct_ids: ["ann"],
      properties: { email: "ann@x.y" },
      created_at: "2026-11-01T00:00:00.000000Z",
      uuid: "fe27503b-3771-5a01-819d-96bf829dfb35",
    } as never);
    expect((await app.get(`/persons/${ann?.id}/`)).body).toEqual(ann as never);
    expect((await app.get(`/persons/${ann?.uuid}/`)).body).toEqual(ann as never);
    expect((await app.get("/persons/?distinct_id=nobody")).body).toMatchObject({
      count: 0,
      results: [],
    });
  });

  test.each([
    ["/persons/999/", 404, "not_found", null],
    ["/persons/01a1fc9a-592b-78b3-8d80-aa75992efae9/", 404, "not_found", null],
    ["/persons/ann/", 400, "invalid_input", "id"],
    ["/persons/?limit=ten", 400, "invalid_input", "limit"],
    ["/persons/?limit=-1", 400, "invalid_input", "limit"],
    ["/persons/?limit=1e2", 400, "invalid_input", "limit"],
    ["/persons/?limit=0x10", 400, "invalid_input", "limit"],
    ["/persons/?limit=%205", 400, "invalid_input", "limit"],
    ["/persons/?offset=5.0", 400, "invalid_input", "offset"],
    ["/persons/?limit=", 400, "invalid_input", "limit"],
    ["/persons/?offset=1.5", 400, "invalid_input", "offset"],
    ["/persons/?offset=1e99", 400, "invalid_input", "offset"],
    ["/events/?uuid=x", 400, "invalid_input", "uuid"],
    ["/events/?after=yesterday", 400, "invalid_input", "after"],
    ["/events/?offset=10001", 400, "invalid_input", "offset"],
    ["/events/?cursor=x", 400, "invalid_input", "cursor"],
    ["/events/?cursor=2026-02-30T00:00:00.000000Z_1", 400, "invalid_input", "cursor"],
    ["/nothing/", 404, "not_found", null],
    ["/persons/%00/", 400, "invalid_input", null],
    ["/persons/%zz/", 400, "invalid_input", null],
    ["/persons/?distinct_id=%ff", 400, "invalid_input", "distinct_id"],
    ["/persons/?limit=1&distinct_id=a%ed%a0%80", 400, "invalid_input", "distinct_id"],
    ["/persons/?distinct_id=100%", 400, "invalid_input", "distinct_id"],
    ["/events/?event=%zz", 400, "invalid_input", "event"],
    ["/events/?other=%ff", 400, "invalid_input", null],
    ["/groups/?group_type_index=0&search=%c3", 400, "invalid_input", "search"],
  ])("%s answers %p %s", async (path, status, code, attr) => {
    await using app = await testApp();
    const answered = await app.get(path);
    expect(answered).toMatchObject({ status, body: { code, attr } });
    expect(answered.headers.get("x-request-id")).toMatch(/^[a-z0-9]+-[a-z0-9]+$/);
  });

  test.each(["[]", "[{}]", '"x"', "null", "5", "true"])(
    "are not split by the body %s, which is no object",
    async (body) => {
      await using app = await testApp();
      const headers = { "content-type": "application/json" };
      const merge = { event: "$create_alias", distinct_id: "new", properties: { alias: "ann" } };
      await app.capture(batch(event(), event({ distinct_id: "new" }), event(merge)));
      const split = (sent?: string) =>
        app.ask("POST", "/api/environments/1/persons/1/split/", {
          headers,
          ...(sent === undefined ? {} : { body: sent }),
        });

      expect(await split(body)).toMatchObject({
        status: 400,
        body: { type: "validation_error", code: "invalid_input", attr: null },
      });
      expect((await app.get("/persons/")).body).toMatchObject({ count: 1 });
      expect((await split()).status).toBe(201);
    },
  );

  test("are found by a distinct id in percent-encoding", async () => {
    await using app = await testApp();
    await app.capture(batch(event({ distinct_id: "é 100%+&\ufffd" })));
    const found = await app.get(`/persons/?distinct_id=${encodeURIComponent("é 100%+&\ufffd")}`);
    expect(found.body).toMatchObject({ count: 1 });
  });

  test("of another project are not found", async () => {
    await using app = await testApp();
    await capture(app);
    const second = await app.app.projects.create({ name: "second" });

    const listed = await app.ask("GET", `/api/environments/${second.id}/persons/`);
    const read = await app.ask("GET", `/api/environments/${second.id}/persons/1/`);

    expect(listed.body).toMatchObject({ count: 0, results: [] });
    expect(read).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});

describe("events", () => {
  const at = (day: number) => `2026-11-${String(day).padStart(2, "0")}T00:00:00.000000Z`;
  const days = Array.from({ length: 9 }, (_, n) =>
    event({
      event: n % 2 === 0 ? "even" : "odd",
      distinct_id: n < 3 ? "ann" : "bob",
      timestamp: at(n + 1),
      properties: { n, nested: { deep: [1, "é🦔", null] } },
    }),
  );

  test.each<[string, number[]]>([
    ["", [8, 7, 6, 5, 4, 3, 2, 1, 0]],
    ["?event=odd", [7, 5, 3, 1]],
    ["?distinct_id=ann", [2, 1, 0]],
    ["?distinct_id=ann&event=even", [2, 0]],
    [`?after=${at(3)}&before=${at(6)}`, [4, 3]],
    ["?after=2026-11-07", [8, 7]],
    ["?person_id=fe27503b-3771-5a01-819d-96bf829dfb35", [2, 1, 0]],
    [`?uuid=${days[4]?.uuid}`, [4]],
    ["?limit=2&offset=3", [5, 4]],
    ['?event=it\'s "quoted"; DROP TABLE events', []],
  ])("list%s is newest first and counted exactly", async (query, wanted) => {
    await using app = await testApp();
    await app.capture(batch(...days));

    const { status, body } = await app.get(`/events/${query}`);

    const { count, results } = body as { count: number; results: { properties: { n: number } }[] };
    expect(status).toBe(200);
    expect(results.map(({ properties }) => properties.n)).toEqual(wanted);
    expect(count).toBe(query.includes("limit") ? 9 : wanted.length);
  });

  test("keep everything that was sent", async () => {
    await using app = await testApp();
    await app.capture(batch(days[1]));

    const { body } = await app.get("/events/");

    expect((body as { results: unknown[] }).results).toEqual([
      {
        uuid: days[1]?.uuid,
        event: "odd",
        distinct_id: "ann",
        person_id: "fe27503b-3771-5a01-819d-96bf829dfb35",
        timestamp: at(2),
        properties: { n: 1, nested: { deep: [1, "é🦔", null] } },
      },
    ]);
  });
});

describe("a walk along the events", () => {
  test("by next neither skips nor repeats one, however many came at once and come meanwhile", async () => {
    await using app = await testApp();
    const timestamp = "2026-11-20T00:00:00Z";
    const sent = Array.from({ length: 11_500 }, () => event({ timestamp }));
    await app.capture(batch(...sent));

    const walked: string[] = [];
    const counts = new Set<number>();
    let next: string | null = "/api/environments/1/events/?limit=1000&event=tested";
    while (next !== null) {
      const { status, body } = await app.ask("GET", next.replace("http://localhost:8000", ""));
      expect(status).toBe(200);
      const page = body as { count: number; next: string | null; results: { uuid: string }[] };
      walked.push(...page.results.map(({ uuid }) => uuid));
      counts.add(page.count);
      next = page.next;
      if (walked.length === 3000) await app.capture(batch(event(), event({ timestamp })));
    }

    expect(walked).toHaveLength(sent.length);
    expect(new Set(walked)).toEqual(new Set(sent.map(({ uuid }) => uuid)));
    expect([...counts]).toEqual([11_500, 11_502]);
  });

  test("has no next behind the last page, and leads back by offset", async () => {
    await using app = await testApp();
    await app.capture(batch(event(), event(), event(), event()));

    const first = (await app.get("/events/?limit=2")).body as { next: string };
    const { pathname, search } = new URL(first.next);
    const { body } = await app.ask("GET", pathname + search);

    expect(body).toMatchObject({ count: 4, next: null });
    expect((body as { previous: string }).previous).toEndWith("/events/?limit=2");
  });
});

describe("projects", () => {
  test("are listed in the envelope and read by id or @current", async () => {
    await using app = await testApp();
    await app.app.projects.create({ name: "second" });

    const listed = await app.ask("GET", "/api/projects/");
    const current = await app.ask("GET", "/api/projects/@current/");

    expect(listed.body).toMatchObject({
      count: 2,
      results: [{ id: 1, name: "Default project", api_token: PROJECT_KEY }, { name: "second" }],
    });
    expect(current.body).toEqual((listed.body as { results: unknown[] }).results[0] as never);
  });

  test("that a key may not see are not listed", async () => {
    await using app = await testApp();
    const second = await app.app.projects.create({ name: "second" });
    const key = await keyWith(app, { scoped_teams: [second.id] });

    expect((await app.ask("GET", "/api/projects/", { key })).body).toMatchObject({
      count: 1,
      results: [{ name: "second" }],
    });
    expect((await app.ask("GET", "/api/projects/@current/", { key })).body).toMatchObject({
      id: second.id,
    });
  });
});

test("links never repeat a forged Host", async () => {
  await using app = await testApp();
  await app.capture(batch(event({ distinct_id: "a" }), event({ distinct_id: "b" })));
  const handle = app.app.http("http://127.0.0.1:8000");

  const answered = await handle(
    new Request("http://evil.example/api/environments/1/persons/?limit=1", {
      headers: { authorization: `Bearer ${await keyWith(app, {})}` },
    }),
  );

  expect(await answered.json()).toMatchObject({
    next: expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:8000\/api\/environments\/1\/persons\/\?limit=1&/,
    ),
  });
});

test("HEAD is answered like GET without the body, on every path that allows it", async () => {
  await using server = await startServer();
  await server.capture(batch(event()));
  await server.stored(1);
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  const made = await fetch(server.url + concrete(PLAYLISTS), { method: "POST", headers });
  const { short_id: playlist } = (await made.json()) as { short_id: string };
  const get = ROUTES.filter(([method]) => method === "GET");
  const managed = get.map(([, path, , query = ""]) => concrete(path, { playlist }) + query);
  const pages = ["/_liveness", "/docs", "/openapi.json", "/static/array.js", "/api/surveys/"];

  for (const path of [...managed, ...pages]) {
    const head = await fetch(server.url + path, { method: "HEAD", headers });
    const refused = await fetch(server.url + path, { method: "PUT", headers });

    expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
    expect(refused.headers.get("allow")).toContain("HEAD");
  }
});

test("health is public and says no more than it must", async () => {
  await using app = await testApp();
  for (const path of ["/_liveness", "/_readiness", "/_health"]) {
    expect((await app.ask("GET", path, { key: null })).status).toBe(200);
  }
  app.app.drain();
  expect(await app.ask("GET", "/_readiness", { key: null })).toMatchObject({
    status: 503,
    body: { status: "unavailable", reasons: ["shutting down"] },
  });
});
