import { beforeAll, describe, expect, test } from "bun:test";
import { asker } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { PROJECT_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const ENVIRONMENT = "/api/environments/1";
const PLAYLISTS = `${ENVIRONMENT}/session_recording_playlists/`;
const KEYS = "/api/personal_api_keys/";
const OTHER_UUID = "0193a5b1-7f3c-4d21-8a01-2d9c3f1e5b77";
const OTHER_TIME = "2001-01-01T00:00:00.000000Z";
const FORGED_KEY = "phx_forged0123456789abcdefghij";

/** Every field that some resource has and no caller may write, and ways to them round the back. */
const FORGED: [name: string, value: unknown][] = Object.entries({
  ...{ id: 7351, pk: 7351, uuid: OTHER_UUID, short_id: "forged22", user: 99, user_id: 99 },
  ...{ project: 2, project_id: 2, team: 2, team_id: 2, environment_id: 2, owner: 99 },
  ...{ created_at: OTHER_TIME, created_by: { id: 99 }, last_modified_at: OTHER_TIME },
  ...{
    last_modified_by: { id: 99 },
    recordings: 99,
    recordings_counts: { collection: { count: 9 } },
  },
  ...{ hash: "sha256$00", mask_value: "phx_...forg", value: FORGED_KEY, email: "eve@x.y" },
  ...{ revoked_at: OTHER_TIME, last_used_at: OTHER_TIME, last_rolled_at: OTHER_TIME },
  ...{ api_token: "phc_forged", former_api_tokens: [{ api_token: "phc_forged" }] },
  ...{ timezone: "Asia/Tokyo", distinct_ids: ["eve"], distinct_id: "eve", version: 99 },
  ...{ is_identified: true, is_staff: true, is_email_verified: true, auto_properties: "{}" },
  ...{ prototype: { deleted: true }, deleted_at: OTHER_TIME },
});

const server = sharedServer();
const ask = asker(server);
let person: { id: number };
let playlist: { short_id: string };
let key: { id: number; value: string };

beforeAll(async () => {
  const set = { $set: { plan: "free" } };
  await server.capture(batch(event({ properties: set })));
  await server.stored(1);
  const found = await server.get<{ results: { id: number }[] }>("/persons/");
  person = found.results[0] ?? { id: 0 };
  playlist = (await ask("POST", PLAYLISTS, { body: {} })).body as typeof playlist;
  const draft = { label: "ci", scopes: ["person:read"] };
  key = (await ask("POST", KEYS, { body: draft })).body as typeof key;
});

test.each<[string, () => string, object, string]>([
  ["DELETE", () => `persons/${person.id}/`, { delete_events: true }, "write ?delete_events=true"],
  ["DELETE", () => `persons/${person.id}/`, { keep_person: true }, "write ?keep_person=true"],
  ["PATCH", () => `persons/${person.id}/`, { properties: {}, format: "csv" }, "write ?format="],
  ["POST", () => "persons/bulk_delete/?delete_events=true", { ids: [1] }, "field of the body"],
  ["POST", () => "session_recording_playlists/?name=x", {}, "field of the body"],
])("a value in the wrong place is refused with the right one: %s %s %j", async (...row) => {
  const [method, path, body, detail] = row;
  const refused = await ask(method, `${ENVIRONMENT}/${path()}`, { body });
  expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining(detail) } });
});

test.each<[string, object, string, string]>([
  ["dashboards", { name: "d", tiles: [{ text: "A" }] }, "tiles__0__text", "An object"],
  [
    "annotations",
    { content: "x", dashboard_item: "1" },
    "dashboard_item",
    "A whole number or null",
  ],
  ["session_recording_playlists", { name: 7 }, "name", "A text or null"],
  ["logs/query", { query: { searchTerm: 5 } }, "query__searchTerm", "A text or null"],
  ["insights", { query: {}, dashboards: [1.5] }, "dashboards__0", "A whole number"],
  ["insights", { query: {}, tags: "a" }, "tags", "A list of texts"],
])(
  "a value of another type is refused with the type: %s %j",
  async (path, body, attr, expected) => {
    expect(await ask("POST", `${ENVIRONMENT}/${path}/`, { body })).toMatchObject({
      status: 400,
      body: { attr, detail: expect.stringContaining(expected) },
    });
  },
);

test.each<[string, object, string, RegExp]>([
  ["query", { query: "select 1" }, "query", /"kind": "HogQLQuery"/],
  ["query", { kind: "HogQLQuery", query: "select 1" }, "kind", /"kind": "HogQLQuery"/],
  [
    "query",
    { query: { kind: "HogQLQuery", query: "select 1", limit: 3 } },
    "query__limit",
    /write LIMIT into the SQL/,
  ],
  ["query/read", { query: "visitors last week" }, "query", /into words/],
  ["insights", { query: { kind: "Foo" } }, "query__kind", /InsightVizNode.*HogQLQuery/],
  ["insights", { query: {}, created_at: OTHER_TIME }, "created_at", /leave it out\.$/],
  [
    "max_tools/create_and_query_insight",
    { query: "visitors", insight_type: "funnel" },
    "insight_type",
    /write trends, or leave it out/,
  ],
])("a query in another form is refused with the right one: %s %j", async (...row) => {
  const [path, body, attr, detail] = row;
  expect(await ask("POST", `${ENVIRONMENT}/${path}/`, { body })).toMatchObject({
    status: 400,
    body: { attr, detail: expect.stringMatching(detail) },
  });
});

test("a new insight has all that was sent, also of a query that is kept already", async () => {
  const query = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "kept" }] };
  const sent = { query, name: "Kept", saved: false };
  const more = { ...sent, tags: ["x"], description: "again", favorited: true };
  const [one, two] = [
    await ask("POST", `${ENVIRONMENT}/insights/`, { body: sent }),
    await ask("POST", `${ENVIRONMENT}/insights/`, { body: more }),
  ];
  expect(two).toMatchObject({ status: 201, body: more });
  expect((two.body as { id: number }).id).not.toBe((one.body as { id: number }).id);
});

test.each([
  ["POST", () => `${PLAYLISTS}${playlist.short_id}/recordings/bulk_add/`, 404, "recordings/<id>/"],
  ["POST", () => `${PLAYLISTS}${playlist.short_id}/recordings/bulk_delete/`, 404, "for each"],
  ["DELETE", () => `${PLAYLISTS}${playlist.short_id}/recordings/bulk_delete/`, 404, "for each"],
  ["POST", () => `${ENVIRONMENT}/query/HogQLQuery/`, 405, "POST …/query/ takes"],
  ["POST", () => `${ENVIRONMENT}/query/upgrade/`, 404, "POST …/query/"],
  ["POST", () => `${ENVIRONMENT}/events/`, 405, "POST /i/v0/e/"],
  ["POST", () => "/api/event/", 404, "POST /i/v0/e/"],
  ["GET", () => "/api/event/", 404, "/api/environments/<project_id>/events/ is meant"],
  ["GET", () => `${ENVIRONMENT}/hooks/`, 404, "nothing is sent out"],
  ["GET", () => `${ENVIRONMENT}/query_log/`, 404, "/metrics"],
  ["GET", () => `${ENVIRONMENT}/mcp_tools/`, 404, "/api/personal_api_keys/"],
  ["POST", () => `${ENVIRONMENT}/mcp_tools/execute_sql/`, 404, "a HogQLQuery"],
  ["POST", () => "/mcp", 404, "/api/personal_api_keys/"],
  ["POST", () => "/oauth/token/", 404, "/api/personal_api_keys/"],
  ["GET", () => `${ENVIRONMENT}/persons/%00/`, 400, "NUL (%00)"],
])(
  "a path of PostHog that is not served names another one: %s %p",
  async (method, path, ...wanted) => {
    const [status, detail] = wanted;
    const body = method === "POST" ? {} : undefined;
    const refused = await ask(method, path(), body === undefined ? {} : { body });
    expect(refused).toMatchObject({ status, body: { detail: expect.stringContaining(detail) } });
  },
);

test.each([
  ["dashboards", { name: "a\0b" }, "name"],
  ["dashboards", { name: "d", tiles: [{ text: { body: "\ud800" } }] }, "tiles__0__text__body"],
  ["insights", { query: { kind: "HogQLQuery", query: "select '\0'" } }, "query__query"],
  ["session_recording_playlists", { filters: { "a\0": 1 } }, "filters"],
])("a text that is not kept is refused with its field: %s %j", async (path, body, attr) => {
  const refused = await ask("POST", `${ENVIRONMENT}/${path}/`, { body });
  expect(refused).toMatchObject({ status: 400, body: { attr } });
});

describe("fields that no caller may write", () => {
  test.each<[string, () => string, string, object, object]>([
    ["PATCH", () => `${PLAYLISTS}${playlist.short_id}/`, "", { pinned: true }, { pinned: true }],
    ["POST", () => `${PLAYLISTS}${playlist.short_id}/`, "recordings/r/", {}, { counted: 1 }],
    [
      "PATCH",
      () => `${ENVIRONMENT}/persons/${person.id}/`,
      "",
      { properties: { plan: "pro" } },
      { properties: { plan: "pro" } },
    ],
    [
      "POST",
      () => `${ENVIRONMENT}/persons/${person.id}/`,
      "update_property/",
      { key: "plan", value: "team" },
      { properties: { plan: "team" } },
    ],
    ["POST", () => `${ENVIRONMENT}/persons/${person.id}/`, "delete_events/", {}, {}],
    [
      "POST",
      () => `${ENVIRONMENT}/persons/${person.id}/`,
      "delete_property/",
      { $unset: "plan" },
      { properties: {} },
    ],
    ["PATCH", () => `${KEYS}${key.id}/`, "", { label: "cd" }, { label: "cd" }],
    ["PATCH", () => "/api/projects/1/", "", { name: "Shop", timezone: "UTC" }, { name: "Shop" }],
  ])("are refused by name: %s %s %s", async (method, path, below, body, changed) => {
    const before = (await ask("GET", path())).body as Record<string, unknown>;

    for (const [name, value] of FORGED.filter(([name]) => !Object.hasOwn(body, name))) {
      const refused = await ask(method, path() + below, { body: { ...body, [name]: value } });
      const status = name.startsWith("last_modified") && method === "PATCH" ? /40[09]/ : /400/;
      expect([name, `${refused.status}`]).toEqual([name, expect.stringMatching(status)]);
      expect(refused.body).toMatchObject({ attr: name });
    }
    expect((await ask("GET", path())).body).toEqual(before);

    const answered = await ask(method, path() + below, { body });
    expect(answered.status).toBeLessThan(300);
    const after = (await ask("GET", path())).body as Record<string, unknown>;
    const { counted, ...fields } = changed as { counted?: number };
    expect(after).toEqual({
      ...before,
      ...fields,
      ...(counted === undefined
        ? {}
        : {
            recordings_counts: {
              collection: { count: counted, watched_count: 0 },
              saved_filters: { count: 0, watched_count: 0 },
            },
          }),
    });
  });

  test.each<[string, string, object]>([
    ["playlist", PLAYLISTS, { name: "Lost carts" }],
    ["personal key", KEYS, { label: "ci", scopes: ["person:read"] }],
    ["project", "/api/projects/", { name: "Shop", timezone: "UTC" }],
    ["dashboard", `${ENVIRONMENT}/dashboards/`, { name: "Sales" }],
    ["annotation", `${ENVIRONMENT}/annotations/`, { content: "prices" }],
    [
      "saved insight",
      `${ENVIRONMENT}/insights/`,
      { query: { kind: "WordsQuery", query: "all events" } },
    ],
    [
      "insight",
      `${ENVIRONMENT}/max_tools/create_and_query_insight/`,
      { query: { kind: "TrendsQuery", series: [{}] } },
    ],
  ])("are no part of a new %s", async (_what, path, body) => {
    for (const [name, value] of FORGED.filter(([name]) => !Object.hasOwn(body, name))) {
      const refused = await ask("POST", path, { body: { ...body, [name]: value } });
      expect([name, refused]).toMatchObject([name, { status: 400, body: { attr: name } }]);
    }
    expect((await ask("POST", path, { body })).status).toBeLessThan(300);
  });

  test("open nothing: no key, no project key, no person and no project is of the forger's choice", async () => {
    const strange = await ask("GET", "/api/projects/", { key: FORGED_KEY });
    const captured = await server.capture({ ...event(), api_key: "phc_forged" }, "/i/v0/e/");
    const eve = await server.get<{ count: number }>("/persons/?distinct_id=eve");
    const gone = await ask("GET", `${PLAYLISTS}forged22/`);

    expect([strange.status, captured.status, eve.count, gone.status]).toEqual([401, 401, 0, 404]);
    expect((await server.capture(batch(event()))).status).toBe(200);
    expect((await ask("GET", "/api/projects/1/")).body).toMatchObject({ api_token: PROJECT_KEY });
  });
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "the field %s, which every object has, is refused",
  async (name) => {
    const field = `"${name}":{"deleted":true,"prototype":{"deleted":true}}`;
    for (const body of [`{${field}}`, `{"pinned":false,${field}}`]) {
      for (const [method, path] of [
        ["POST", PLAYLISTS],
        ["PATCH", `${PLAYLISTS}${playlist.short_id}/`],
      ] as const) {
        const refused = await ask(method, path, { body });
        expect(refused).toMatchObject({ status: 400, body: { code: "invalid_input" } });
      }
    }
    expect((await ask("GET", `${PLAYLISTS}?${name}=1`)).status).toBe(400);

    expect((await ask("POST", PLAYLISTS, { body: {} })).body).toMatchObject({ deleted: false });
    const found = await ask("GET", `${PLAYLISTS}${playlist.short_id}/`);
    expect(found).toMatchObject({ status: 200, body: { deleted: false } });
  },
);

test.each(["__proto__", "constructor", "toString"])(
  "a question or query that names %s, which every object has, is no server error",
  async (name) => {
    const series = (fields: object) => [{ kind: "EventsNode", event: name, ...fields }];
    const trends = (fields: object) => ({ kind: "TrendsQuery", series: series({}), ...fields });
    const property = { key: name, value: name, operator: name, type: "event" };
    const queries = [
      ...[`SELECT ${name} FROM events`, `SELECT ${name}(1)`, `SELECT CAST(1 AS ${name})`].map(
        (query) => ({ kind: "HogQLQuery", query }),
      ),
      { kind: "HogQLQuery", query: `SELECT person.${name}, ${name}.x FROM events` },
      { kind: "HogQLQuery", query: `SELECT dateDiff('${name}', now(), now()) FROM ${name}` },
      trends({ interval: name }),
      trends({ series: series({ math: name, properties: [property] }) }),
      trends({ breakdownFilter: { breakdown: name, breakdown_type: "session" } }),
      trends({ dateRange: { date_from: `-1${name}` } }),
      { kind: "WordsQuery", query: `visitors by ${name} in ${name} where ${name} is ${name}` },
      { kind: name },
    ];
    for (const query of queries) {
      const { status } = await ask("POST", "/api/environments/1/query/", { body: { query } });
      expect([query, [200, 400].includes(status)]).toEqual([query, true]);
    }
  },
);

describe("a key that manages keys grants only its own rights", () => {
  test.each<[string, object]>([
    ["all scopes", { scopes: ["*"] }],
    ["a scope that it lacks", { scopes: ["personal_api_key:read", "person:write"] }],
    ["more of a scope", { scopes: ["person:read", "person:write"] }],
    ["all projects", { scoped_teams: null }],
    ["another project", { scoped_teams: [1, 2] }],
    ["more time", { expires_at: null }],
  ])("%s", async (_what, wanted) => {
    const own = {
      label: "narrow",
      scopes: ["personal_api_key:write", "person:read"],
      scoped_teams: [1],
      expires_at: "2999-01-01T00:00:00Z",
    };
    const narrow = (await ask("POST", KEYS, { body: own })).body as { value: string };
    const draft = { ...own, expires_at: "2998-01-01T00:00:00Z" };
    const made = await ask("POST", KEYS, { body: draft, key: narrow.value });
    const { id } = made.body as { id: number };

    const more = await ask("POST", KEYS, { body: { ...draft, ...wanted }, key: narrow.value });
    const changes = await Promise.all(
      [String(id), "@current"].map((which) =>
        ask("PATCH", `${KEYS}${which}/`, { body: wanted, key: narrow.value }),
      ),
    );

    expect(made.status).toBe(201);
    expect([more, ...changes].map(({ status }) => status)).toEqual([403, 403, 403]);
    const after = (await ask("GET", `${KEYS}${id}/`)).body;
    expect(after).toEqual({ ...(made.body as object), value: null });
  });
});
