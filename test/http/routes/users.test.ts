import { beforeEach, expect, test } from "bun:test";
import { keyWith } from "../../support/answers/operations.ts";
import { batch, event } from "../../support/data/build-records.ts";
import type { TestProject } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

type Organization = { id: string; name: string };

const ask = async <T>(path: string, key?: string) =>
  (await app.ask("GET", path, key === undefined ? {} : { key })).body as T;

test("a tool comes from its key to the organization and its projects", async () => {
  const scopes = ["user:read", "project:read"];
  const key = await keyWith(app, { scopes, scoped_teams: [app.id] });
  type Owner = { organization: Organization; organizations: Organization[]; team: object };

  const { organization, organizations, team } = await ask<Owner>("/api/users/@me/", key);

  expect(organizations).toEqual([organization]);
  const project = await ask<{ api_token: string }>(`/api/projects/${app.id}/`, key);
  expect(project).toMatchObject({ ...team, id: app.id, organization: organization.id });
  expect(team).not.toHaveProperty("api_token");
  const listed = { count: 1, next: null, previous: null };
  expect(await ask<object>("/api/organizations/", key)).toEqual({
    ...listed,
    results: [organization],
  });
  for (const id of [organization.id, "@current"]) {
    expect(await ask<object>(`/api/organizations/${id}/`, key)).toEqual(organization);
    const projects = await ask<object>(`/api/organizations/${id}/projects/`, key);
    expect(projects).toEqual({ ...listed, results: [project] });
    const one = `/api/organizations/${id}/projects/${app.id}/`;
    expect(await ask<object>(one, key)).toEqual(project);
  }
});

test("another organization is not found", async () => {
  for (const path of ["1/", "x/projects/", `${crypto.randomUUID()}/`]) {
    const { status, body } = await app.ask("GET", `/api/organizations/${path}`);
    expect([status, (body as { code: string }).code]).toEqual([404, "not_found"]);
  }
});

test("a key that sees all projects shows empty lists of them, and none is made by one", async () => {
  const path = "/api/personal_api_keys/";
  type Key = { scoped_teams: number[]; scoped_organizations: string[] };

  const current = await ask<Key>(`${path}@current/`);

  expect([current.scoped_teams, current.scoped_organizations]).toEqual([[], []]);
  const body = { label: "tool", scopes: ["project:read"] };
  const made = await app.ask("POST", path, { body: { ...body, scoped_teams: [app.id] } });
  expect(made.body).toMatchObject({ scoped_teams: [app.id], scoped_organizations: [] });
  const refused = await app.ask("POST", path, { body: { ...body, scoped_teams: [] } });
  expect(refused).toMatchObject({ status: 400, body: { attr: "scoped_teams" } });
});

test("a key of any scope reads itself, and no other key", async () => {
  const key = await keyWith(app, { scopes: ["person:read"], scoped_teams: [app.id] });
  const own = await app.ask("GET", "/api/personal_api_keys/@current/", { key });
  expect(own).toMatchObject({
    status: 200,
    body: { scopes: ["person:read"], scoped_teams: [app.id], scoped_organizations: [] },
  });
  const { id } = own.body as { id: number };
  for (const [method, path] of [
    ["GET", `/api/personal_api_keys/${id}/`],
    ["PATCH", "/api/personal_api_keys/@current/"],
    ["GET", "/api/personal_api_keys/"],
  ] as const) {
    expect((await app.ask(method, path, { key })).status).toBe(403);
  }
});

test("a definition has an id of its own, which stays", async () => {
  await app.capture(batch(event({ properties: { plan: "pro", $os: "Linux" } })));
  const idsOf = async (path: string) => {
    const { results } = (await app.get(path)).body as { results: { id: string; name: string }[] };
    return Object.fromEntries(results.map(({ id, name }) => [name, id]));
  };
  const properties = await idsOf("/property_definitions/");
  expect(await idsOf("/property_definitions/?exclude_core_properties=false")).toEqual(properties);
  expect(await idsOf("/property_definitions/?exclude_core_properties=true")).toEqual({
    plan: properties["plan"] ?? "",
  });
  const named = "event_names=%5B%22none%22%5D&type=event&limit=9";
  expect(await idsOf(`/property_definitions/?${named}`)).toEqual({});
  expect(await idsOf(`/property_definitions/?${named}&filter_by_event_names=False`)).toEqual(
    properties,
  );
  const ids = [...Object.values(properties), ...Object.values(await idsOf("/event_definitions/"))];
  expect(new Set(ids).size).toBe(ids.length);
  const [, id = ""] = Object.entries(properties).find(([name]) => name === "plan") ?? [];
  expect((await app.get("/property_definitions/plan/")).body).toMatchObject({ id });
});

test("insights are found by what tools ask for, and by nothing else", async () => {
  const query = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "a" }] };
  const make = async (path: string, body: object) =>
    (await app.ask("POST", `${app.api}/${path}/`, { body })).body as {
      id: number;
      short_id: string;
    };
  const board = await make("dashboards", { name: "d", tags: ["ops"] });
  const first = await make("insights", { query, tags: ["ops", "äö"], dashboards: [board.id] });
  const second = await make("insights", { query, tags: ["web"] });
  const found = async (asked: string, path = "insights") => {
    const { results } = (await app.get(`/${path}/?${asked}`)).body as {
      results: { id: number }[];
    };
    return results.map(({ id }) => id);
  };
  for (const [asked, ids] of [
    [`short_id=${first.short_id}`, [first.id]],
    ["short_id=AAAAAAAA", []],
    ["tags=web", [second.id]],
    [`tags=${encodeURIComponent('["äö","none"]')}`, [first.id]],
    ["tags=op", []],
    [`dashboards=${board.id}`, [first.id]],
    [`dashboards=[${board.id},999]`, []],
  ] as const) {
    expect([asked, await found(asked)]).toEqual([asked, [...ids]]);
  }
  expect(await found("tags=ops", "dashboards")).toEqual([board.id]);
  expect(await found("tags=web", "dashboards")).toEqual([]);
  const byId = await app.get(`/insights/${first.id}/`);
  expect(byId).toMatchObject({ status: 200, body: { short_id: first.short_id, filters: {} } });
  for (const id of ["0", "999999", "01", "-1"]) {
    expect((await app.get(`/insights/${id}/`)).status).toBe(404);
  }
});

test("a plus sign of a time that became a space is a plus sign", async () => {
  const at = "2026-11-01T00:30:00Z";
  await app.capture(batch(event({ timestamp: at })));
  const count = async (query: string) =>
    ((await app.get(`/events/?${query}`)).body as { count: number }).count;
  for (const [query, expected] of [
    ["after=2026-11-01T02:00:00+02:00", 1],
    ["after=2026-11-01 02:30+0130", 0],
    ["before=2026-11-01T02:31:00.5+02", 1],
  ] as const) {
    expect([query, await count(query)]).toEqual([query, expected]);
  }
  const notes = await app.get("/annotations/?date_from=2026-11-01T02:00:00+02:00");
  expect(notes.status).toBe(200);
  for (const order of ['["-timestamp"]', "-timestamp", '["timestamp DESC"]']) {
    expect(await count(`orderBy=${encodeURIComponent(order)}`)).toBe(1);
  }
  const ascending = await app.get("/events/?orderBy=timestamp");
  expect(ascending).toMatchObject({ status: 400, body: { attr: "orderBy" } });
  expect((ascending.body as { detail: string }).detail).toContain("EventsQuery");
});

test("several properties of a person are removed at once", async () => {
  await app.capture(batch(event({ properties: { $set: { a: 1, b: 2, c: 3 } } })));
  const [person] = ((await app.get("/persons/")).body as { results: { id: number }[] }).results;
  const unset = (names: unknown) =>
    app.ask("POST", `${app.api}/persons/${person?.id}/delete_property/`, {
      body: { $unset: names },
    });
  expect((await unset(["a", "b"])).status).toBe(201);
  expect((await app.get(`/persons/${person?.id}/`)).body).toMatchObject({ properties: { c: 3 } });
  for (const names of [[], [1], [["c"]], {}]) expect((await unset(names)).status).toBe(400);
});
