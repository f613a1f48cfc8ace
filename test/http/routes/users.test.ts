import { beforeEach, expect, test } from "bun:test";
import { keyWith } from "../../support/answers/operations.ts";
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
