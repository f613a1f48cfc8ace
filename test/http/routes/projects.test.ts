import { beforeEach, describe, expect, test } from "bun:test";
import { keyWith } from "../../support/answers/operations.ts";
import { event } from "../../support/data/build-records.ts";
import {
  type Answered,
  type TestProject,
  temporaryDirectory,
  testApp,
} from "../../support/start/app.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

const PROJECTS = "/api/projects/";

type Project = {
  id: number;
  name: string;
  api_token: string;
  former_api_tokens: { api_token: string; ends_at: string }[];
};

const projectOf = ({ body }: Answered) => body as Project;

const pathOf = () => `${PROJECTS}${app.id}/`;

const rotate = (body?: object) => app.ask("PATCH", `${pathOf()}reset_token/`, { body });

const countOf = async () => ((await app.ask("GET", PROJECTS)).body as { count: number }).count;

/** The statuses of capture and of the SDK's config for a key. */
async function statusesOf(key: string): Promise<number[]> {
  const sent = { api_key: key, ...event() };
  return [
    (await app.ask("POST", "/i/v0/e/", { key: null, body: sent })).status,
    (await app.ask("GET", `/array/${key}/config`, { key: null })).status,
  ];
}

const KNOWN = [200, 200];
const UNKNOWN = [401, 404];

describe("a project", () => {
  test("is made with a key that capture knows at once, and has its own events", async () => {
    const count = await countOf();

    const answered = await app.ask("POST", PROJECTS, { body: { name: "Shop" } });
    const made = projectOf(answered);
    const body = { api_key: made.api_token, ...event({ event: "theirs" }) };
    await app.capture(body, "/i/v0/e/");

    expect(answered).toMatchObject({
      status: 201,
      body: { name: "Shop", timezone: "UTC", former_api_tokens: [] },
    });
    expect(made.api_token).toMatch(/^phc_[0-9A-Za-z]{43}$/);
    const events = (id: number) => app.ask("GET", `/api/environments/${id}/events/`);
    const theirs = { count: 1, results: [{ event: "theirs" }] };
    expect((await events(made.id)).body).toMatchObject(theirs);
    expect((await events(app.id)).body).toMatchObject({ count: 0 });
    expect(await countOf()).toBe(count + 1);
  });

  test("is renamed, and its other fields cannot be changed", async () => {
    const before = projectOf(await app.ask("GET", pathOf()));

    const others = { id: 9, api_token: "phc_mine", uuid: "x", created_at: "2020" };
    for (const [attr, value] of Object.entries(others)) {
      const refused = await app.ask("PATCH", pathOf(), { body: { name: "Shop", [attr]: value } });
      expect(refused).toMatchObject({ status: 400, body: { attr } });
    }
    const body = { name: "Shop" };
    const key = await keyWith(app, { scoped_teams: [app.id] });
    const renamed = await app.ask("PATCH", `${PROJECTS}@current/`, { body, key });

    expect(renamed).toMatchObject({ status: 200, body: { ...before, name: "Shop" } });
    expect((await app.ask("GET", pathOf())).body).toEqual(renamed.body as never);
    expect(await statusesOf("phc_mine")).toEqual(UNKNOWN);
  });

  test.each<[object, string]>([
    [{}, "required"],
    [{ name: " " }, "required"],
    [{ name: 5 }, "invalid_input"],
    [{ name: "x".repeat(201) }, "too_long"],
  ])("is neither made nor renamed with %p", async (body, code) => {
    const count = await countOf();
    for (const [method, path] of [
      ["POST", PROJECTS],
      ["PATCH", pathOf()],
    ] as const) {
      const refused = await app.ask(method, path, { body });
      expect(refused).toMatchObject({ status: 400, body: { code, attr: "name" } });
    }
    expect(await countOf()).toBe(count);
    expect(projectOf(await app.ask("GET", pathOf())).name).toBe("tests");
  });

  test("is given a time zone, by any name that it has, and keeps what else it is", async () => {
    const count = await countOf();
    const before = projectOf(await app.ask("GET", pathOf()));
    const zoned = (timezone: unknown) =>
      app.ask("PATCH", pathOf(), { body: { timezone } as object });
    const made = (timezone: unknown) =>
      app.ask("POST", PROJECTS, { body: { name: "Shop", timezone } });

    expect(await zoned("europe/berlin")).toMatchObject({
      status: 200,
      body: { ...before, timezone: "Europe/Berlin" },
    });
    expect(await made("europe/berlin")).toMatchObject({
      status: 201,
      body: { id: app.id + 1, timezone: "Europe/Berlin" },
    });
    for (const wrong of ["Europe/Bonn", "", "+02:00", "x".repeat(5000), 5]) {
      for (const refused of [await zoned(wrong), await made(wrong)]) {
        expect(refused).toMatchObject({
          status: 400,
          body: { code: "invalid_input", attr: "timezone" },
        });
      }
    }
    expect(await countOf()).toBe(count + 1);
    const both = { name: "Shop", timezone: "Asia/Kathmandu" };
    expect(await app.ask("PATCH", pathOf(), { body: both })).toMatchObject({
      body: { ...before, ...both },
    });
  });

  test("has a name that every store and reader takes", async () => {
    const headers = { "content-type": "application/json" };
    for (const body of ['{"name":"ok\\u0000"}', '{"name":"ok\\ud800"}']) {
      const made = await app.ask("POST", PROJECTS, { body, headers });
      const renamed = await app.ask("PATCH", pathOf(), { body, headers });
      for (const refused of [made, renamed]) {
        expect(refused).toMatchObject({ status: 400, body: { attr: "name" } });
      }
    }
  });

  test("is not changed by an empty body, which says what may be changed", async () => {
    for (const body of [{}, { timezone: null }]) {
      expect(await app.ask("PATCH", pathOf(), { body })).toMatchObject({
        status: 400,
        body: { code: "required", detail: "A name or a timezone is expected." },
      });
    }
  });

  test("is listed once by who walks along next while others are made", async () => {
    await using app = await testApp();
    for (const name of ["b", "c"]) await app.ask("POST", PROJECTS, { body: { name } });
    const first = (await app.ask("GET", `${PROJECTS}?limit=2`)).body as { next: string };
    await app.ask("POST", PROJECTS, { body: { name: "d" } });
    const rest = (await app.ask("GET", PROJECTS + new URL(first.next).search)).body;
    expect(rest).toMatchObject({ count: 4, next: null, results: [{ name: "c" }, { name: "d" }] });
  });

  test("is not made by a key that is confined to projects and would not see it", async () => {
    const scopes = ["project:write"];
    const { value } = await app.app.keys.create({ label: "one", scopes, scoped_teams: [app.id] });

    const refused = await app.ask("POST", PROJECTS, { key: value, body: { name: "Shop" } });
    const own = await app.ask("PATCH", pathOf(), { key: value, body: { name: "Shop" } });

    expect(refused).toMatchObject({ status: 403, body: { code: "permission_denied" } });
    expect(own.status).toBe(200);
  });
});

describe("a rotated project key", () => {
  test("is accepted for a day, the new one from now on", async () => {
    const rotated = projectOf(await rotate());

    const ends_at = "2026-11-22T12:00:00.000000Z";
    expect(rotated.former_api_tokens).toEqual([{ api_token: app.token, ends_at }]);
    expect(await statusesOf(rotated.api_token)).toEqual(KNOWN);
    app.clock.now = Date.parse(ends_at) - 1;
    expect(await statusesOf(app.token)).toEqual(KNOWN);
    app.clock.now += 1;
    expect(await statusesOf(app.token)).toEqual(UNKNOWN);
    expect(await statusesOf(rotated.api_token)).toEqual(KNOWN);
    expect(projectOf(await app.ask("GET", pathOf())).former_api_tokens).toEqual([]);
  });

  test("counts for its project meanwhile, also after a restart", async () => {
    using directory = temporaryDirectory();
    const data = directory.path;
    {
      await using app = await testApp({ data });
      await app.app.projects.rotateKey(1, { api_token: "phc_second" });
      await app.app.projects.rotateKey(1, { api_token: PROJECT_KEY, grace_hours: 48 });
    }

    await using app = await testApp({ data });
    await app.capture({ api_key: "phc_second", ...event() }, "/i/v0/e/");

    expect((await app.get("/events/")).body).toMatchObject({ count: 1 });
    expect(app.app.projects.ofKey("phc_second")).toBe(1);
  });

  test("ends after the requested hours, or at once", async () => {
    const { api_token: second } = projectOf(await rotate({ grace_hours: 2 }));
    app.clock.now += 7_200_000;
    expect(await statusesOf(app.token)).toEqual(UNKNOWN);

    const { api_token: third } = projectOf(await rotate({ grace_hours: 8760 }));
    expect(await statusesOf(second)).toEqual(KNOWN);
    const { api_token: fourth } = projectOf(await rotate({ grace_hours: 0 }));

    expect(await statusesOf(second)).toEqual(UNKNOWN);
    expect(await statusesOf(third)).toEqual(UNKNOWN);
    expect(await statusesOf(fourth)).toEqual(KNOWN);
  });

  test("cannot be taken by another project while it is accepted, but be taken back", async () => {
    await rotate();
    const { projects } = app.app;

    expect(projects.create({ name: "Shop", api_token: app.token })).rejects.toThrow("has this key");
    const back = await projects.rotateKey(app.id, { api_token: app.token });
    expect(back).toMatchObject({ api_token: app.token });
    expect(back.former_api_tokens.map(({ api_token }) => api_token)).not.toContain(app.token);
    app.clock.now += 90_000_000;
    expect(await statusesOf(app.token)).toEqual(KNOWN);
  });

  test("is one of ten that are still accepted, and no more", async () => {
    for (let n = 0; n < 10; n++) expect((await rotate()).status).toBe(200);

    const refused = await rotate();

    expect(refused).toMatchObject({ status: 400, body: { attr: "grace_hours" } });
    expect(await statusesOf(app.token)).toEqual(KNOWN);
    expect((await rotate({ grace_hours: 0 })).status).toBe(200);
    expect(await statusesOf(app.token)).toEqual(UNKNOWN);
    expect((await rotate()).status).toBe(200);
  });

  test.each([-1, 1.5, 8761, "3"])("is not accepted for %p hours", async (grace_hours) => {
    const refused = await rotate({ grace_hours });
    expect(refused).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: "grace_hours" },
    });
    expect(projectOf(await app.ask("GET", pathOf())).api_token).toBe(app.token);
  });
});

test("every operation on a project that does not exist answers not found", async () => {
  const absent = await app.ask("GET", `${PROJECTS}9999/`);
  expect(absent).toMatchObject({ status: 404, body: { code: "not_found" } });
  for (const id of ["9999", "x"]) {
    for (const [method, path] of [
      ["GET", `${PROJECTS}${id}/`],
      ["PATCH", `${PROJECTS}${id}/`],
      ["PATCH", `${PROJECTS}${id}/reset_token/`],
      ["GET", `/api/environments/${id}/persons/`],
    ] as const) {
      const { status, body } = await app.ask(method, path, { key: PERSONAL_KEY });
      expect([status, body]).toEqual([404, absent.body]);
    }
  }
});
