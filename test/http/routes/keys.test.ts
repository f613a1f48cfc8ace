import { beforeEach, describe, expect, test } from "bun:test";
import {
  type Answered,
  type TestProject,
  temporaryDirectory,
  testApp,
} from "../../support/start/app.ts";
import { filesBelow, PERSONAL_KEY, PROJECT_KEY, startServer } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

const KEYS = "/api/personal_api_keys/";

type Key = {
  id: number;
  user_id: number;
  label: string;
  value: string | null;
  mask_value: string;
  scopes: string[];
  scoped_teams: number[] | null;
  expires_at: string | null;
  last_used_at: string | null;
  last_rolled_at: string | null;
};

const DRAFT = { label: "ci", scopes: ["person:read"] };

const keyOf = ({ body }: Answered) => body as Key;

const make = async (fields: object = {}, key = PERSONAL_KEY) =>
  keyOf(await app.ask("POST", KEYS, { key, body: { ...DRAFT, ...fields } }));

/** A key that may manage keys and persons of project 1 until a day from now, and its value. */
async function narrow() {
  const made = await make({
    scopes: ["personal_api_key:write", "person:write"],
    scoped_teams: [1],
    expires_at: "2026-11-22T12:00:00Z",
  });
  return { ...made, value: made.value ?? "" };
}

describe("a personal key", () => {
  test("has a label that every store and reader takes", async () => {
    const headers = { "content-type": "application/json" };
    for (const label of ["ok\\u0000", "ok\\udc00"]) {
      const body = `{"label":"${label}","scopes":["person:read"]}`;
      const refused = await app.ask("POST", KEYS, { body, headers });
      expect(refused).toMatchObject({ status: 400, body: { attr: "label" } });
    }
  });

  test("is shown once, masked ever after, and kept as its hash alone", async () => {
    await using server = await startServer();
    const headers = { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" };
    const ask = (method: string, path: string, body?: object) =>
      fetch(server.url + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });

    const answered = await ask("POST", KEYS, DRAFT);
    const made = (await answered.json()) as Key;
    const rolled = (await (await ask("POST", `${KEYS}${made.id}/roll/`)).json()) as Key;
    const listed = await (await ask("GET", KEYS)).text();
    const read = (await (await ask("GET", `${KEYS}${made.id}/`)).json()) as Key;

    expect(answered.status).toBe(201);
    expect(made).toEqual({
      id: 2,
      user_id: 1,
      ...DRAFT,
      value: expect.stringMatching(/^phx_[0-9A-Za-z]{43}$/),
      mask_value: `phx_...${made.value?.slice(-4)}`,
      scoped_teams: [],
      scoped_organizations: [],
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      last_used_at: null,
      last_rolled_at: null,
    } as never);
    expect(read).toEqual({ ...rolled, value: null });
    const secrets = [made, rolled].map(({ value }) => value ?? "");
    const seen = [listed, server.output().out, server.output().err];
    for (const path of filesBelow(server.data)) seen.push(await Bun.file(path).text());
    for (const secret of [...secrets, PERSONAL_KEY]) {
      expect(seen.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  test("is rolled: the new value is the same key, the old one ends at once", async () => {
    const made = await make({ expires_at: "2026-12-01" });

    const rolled = keyOf(await app.ask("POST", `${KEYS}${made.id}/roll/`));

    expect(rolled).toEqual({
      ...made,
      value: expect.stringMatching(/^phx_/),
      mask_value: `phx_...${rolled.value?.slice(-4)}`,
      last_rolled_at: "2026-11-21T12:00:00.000000Z",
    });
    expect((await app.get("/persons/", { key: made.value })).status).toBe(401);
    expect((await app.get("/persons/", { key: rolled.value })).status).toBe(200);
  });

  test("that has ended is not rolled, by HTTP or the operator, until it has another end", async () => {
    const { id } = await make({ expires_at: "2026-11-21T12:30:00Z" });
    app.clock.now += 30 * 60_000;
    const roll = () => app.ask("POST", `${KEYS}${id}/roll/`);

    expect(await roll()).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: "expires_at" },
    });
    await expect(app.app.keys.roll(id)).rejects.toThrow("has ended");
    expect(keyOf(await app.ask("GET", `${KEYS}${id}/`))).toMatchObject({ last_rolled_at: null });
    await app.ask("PATCH", `${KEYS}${id}/`, { body: { expires_at: "2026-12-01" } });
    const { value } = keyOf(await roll());
    expect((await app.get("/persons/", { key: value })).status).toBe(200);
  });

  test("is revoked by DELETE, at once and once", async () => {
    const { id, value } = await make();
    expect((await app.get("/persons/", { key: value })).status).toBe(200);

    const deleted = await app.ask("DELETE", `${KEYS}${id}/`);

    expect([deleted.status, deleted.body]).toEqual([204, ""]);
    expect((await app.get("/persons/", { key: value })).status).toBe(401);
    const absent = await app.ask("GET", `${KEYS}999/`);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const { status, body } = await app.ask(method, `${KEYS}${id}/`);
      expect([status, body]).toEqual([404, absent.body]);
    }
    expect((await app.ask("POST", `${KEYS}${id}/roll/`)).body).toEqual(absent.body);
  });

  test("ends when it expires", async () => {
    const { value } = await make({ expires_at: "2026-11-21T13:00:00+00:30" });
    app.clock.now += 30 * 60_000 - 1;
    expect((await app.get("/persons/", { key: value })).status).toBe(200);
    app.clock.now += 1;
    expect((await app.get("/persons/", { key: value })).status).toBe(401);
  });

  test("ends at a time that lies ahead, or never", async () => {
    const { id } = await make({});
    for (const expires_at of ["", " ", "x", "2020-01-01"]) {
      const refused = { status: 400, body: { code: "invalid_input", attr: "expires_at" } };
      expect(await app.ask("PATCH", `${KEYS}${id}/`, { body: { expires_at } })).toMatchObject(
        refused,
      );
      const draft = { label: "e", scopes: ["person:read"], expires_at };
      expect(await app.ask("POST", KEYS, { body: draft })).toMatchObject(refused);
    }
  });

  test("changes only in the given fields that may change", async () => {
    const made = await make({ scoped_teams: [1] });
    const change = async (body: object) => app.ask("PATCH", `${KEYS}${made.id}/`, { body });
    const { value: _value, ...rest } = made;

    expect(keyOf(await change({}))).toEqual({ ...rest, value: null });
    expect(keyOf(await change({ label: "cd" }))).toEqual({ ...rest, label: "cd", value: null });
    const wide = { scopes: ["*"], scoped_teams: null, expires_at: "2027-01-01T00:00:00.000000Z" };
    const all = { ...wide, scoped_teams: [] };
    expect(keyOf(await change(wide))).toEqual({ ...rest, label: "cd", ...all, value: null });
    const others = { id: 1, user_id: 7, hash: "x", value: "phx_x", mask_value: "x" };
    for (const [attr, value] of Object.entries({ ...others, revoked_at: "2026" })) {
      expect(await change({ [attr]: value })).toMatchObject({ status: 400, body: { attr } });
    }
    // What was read may be sent back.
    const read = (await app.ask("GET", `${KEYS}${made.id}/`)).body as object;
    expect(keyOf(await change(read))).toMatchObject({ ...all, id: made.id, user_id: 1 });
    expect((await app.get("/events/", { key: made.value })).status).toBe(200);
  });

  test("tells when it was last used, to the hour", async () => {
    const { id, value } = await make();
    // The note of a use is written before a later change of the key.
    const lastUse = async () => keyOf(await app.ask("PATCH", `${KEYS}${id}/`, { body: DRAFT }));
    expect((await lastUse()).last_used_at).toBeNull();

    await app.get("/persons/", { key: value });
    expect((await lastUse()).last_used_at).toBe("2026-11-21T12:00:00.000000Z");
    app.clock.now += 3_599_999;
    await app.get("/persons/", { key: value });
    expect((await lastUse()).last_used_at).toBe("2026-11-21T12:00:00.000000Z");
    app.clock.now += 1;
    await app.get("/persons/", { key: value });
    expect((await lastUse()).last_used_at).toBe("2026-11-21T13:00:00.000000Z");
  });

  test("of the settings that was rolled away stays revoked at the next start", async () => {
    using directory = temporaryDirectory();
    const data = directory.path;
    let value: string | null = null;
    {
      await using reopened = await testApp({ data });
      app = reopened;
      value = keyOf(await app.ask("POST", `${KEYS}@current/roll/`)).value;
    }

    await using reopened = await testApp({ data });
    app = reopened;

    expect((await app.get("/persons/")).status).toBe(401);
    expect((await app.get("/persons/", { key: value })).status).toBe(200);
  });

  test.each<[object, string, string, string | null]>([
    [{ label: undefined }, "required", "label", null],
    [{ label: " " }, "required", "label", null],
    [{ label: "x".repeat(41) }, "too_long", "label", null],
    [{ label: 7 }, "invalid_input", "label", null],
    [{ scopes: undefined }, "required", "scopes", null],
    [{ scopes: [] }, "invalid_choice", "scopes", null],
    [{ scopes: ["person:fly"] }, "invalid_choice", "scopes", null],
    [{ scopes: "*" }, "invalid_input", "scopes", null],
    [{ scoped_teams: [] }, "invalid_input", "scoped_teams", null],
    [{ scoped_teams: [999] }, "invalid_input", "scoped_teams", null],
    [{ scoped_teams: ["1"] }, "invalid_input", "scoped_teams", null],
    [{ scoped_teams: [1.5] }, "invalid_input", "scoped_teams", null],
    [{ expires_at: "soon" }, "invalid_input", "expires_at", null],
    [{ expires_at: "2026-11-21T12:00:00Z" }, "invalid_input", "expires_at", null],
    [{ expires_at: 1 }, "invalid_input", "expires_at", null],
  ])("is not made with %p", async (fields, code, attr) => {
    const { length } = (await app.ask("GET", KEYS)).body as unknown[];
    const refused = await app.ask("POST", KEYS, { body: { ...DRAFT, ...fields } });
    expect(refused).toMatchObject({ status: 400, body: { type: "validation_error", code, attr } });
    expect((await app.ask("GET", KEYS)).body).toHaveLength(length);
    expect((await app.ask("GET", `${KEYS}x/`)).body).toMatchObject({ attr: "id" });
  });
});

describe("a key that manages keys", () => {
  test("makes and changes keys within its own scopes, projects and time", async () => {
    const { value: key } = await narrow();
    const within = { scoped_teams: [1], expires_at: "2026-11-22T12:00:00Z" };

    const made = await make({ ...within, scopes: ["person:read"] }, key);
    const path = `${KEYS}${made.id}/`;

    expect(made.scopes).toEqual(["person:read"]);
    const grown = { body: { scopes: ["person:write"] }, key };
    expect(keyOf(await app.ask("PATCH", path, grown)).scopes).toEqual(["person:write"]);
    expect((await app.ask("POST", `${path}roll/`, { key })).status).toBe(200);
    expect((await app.ask("DELETE", path, { key })).status).toBe(204);
  });

  test.each<[string, object, string]>([
    ["another scope", { scopes: ["query:read"] }, "'query:read'"],
    ["every scope", { scopes: ["*"] }, "'*'"],
    ["another project", { scoped_teams: [1, 2] }, "one of these projects"],
    ["a project that is not there", { scoped_teams: [999] }, "one of these projects"],
    ["all projects", { scoped_teams: null }, "all projects"],
    ["a later end", { expires_at: "2026-11-22T12:00:01Z" }, "ends before"],
    ["no end", { expires_at: null }, "ends before"],
  ])("gives no key %s, also not itself", async (_case, fields, detail) => {
    const own = await narrow();
    const { length } = (await app.ask("GET", KEYS)).body as unknown[];
    const within = { ...DRAFT, scoped_teams: [1], expires_at: own.expires_at };

    const answers = [
      await app.ask("POST", KEYS, { key: own.value, body: { ...within, ...fields } }),
      await app.ask("PATCH", `${KEYS}@current/`, { key: own.value, body: fields }),
    ];

    for (const { status, body } of answers) {
      expect([status, body]).toEqual([
        403,
        {
          type: "authentication_error",
          code: "permission_denied",
          detail: expect.stringContaining(detail),
          attr: null,
        },
      ]);
    }
    const { value: _value, last_used_at: _used, ...same } = own;
    expect((await app.ask("GET", `${KEYS}${own.id}/`)).body).toMatchObject(same);
    expect((await app.ask("GET", KEYS)).body).toHaveLength(length);
  });

  test.each<[string, object]>([
    ["more scopes", { scopes: ["*"], scoped_teams: [1] }],
    ["more projects", { scopes: ["person:read"] }],
  ])("sees one with %s, but does not change, roll or end it", async (_case, fields) => {
    const { value: key } = await narrow();
    const other = await make(fields);
    const path = `${KEYS}${other.id}/`;

    expect((await app.ask("GET", path, { key })).status).toBe(200);
    const answers = [
      await app.ask("PATCH", path, { key, body: { label: "mine" } }),
      await app.ask("POST", `${path}roll/`, { key }),
      await app.ask("DELETE", path, { key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    const read = await app.ask("GET", "/api/environments/1/persons/", { key: other.value });
    expect(read.status).toBe(200);
  });

  test("does not roll one that outlasts it, but ends it", async () => {
    const { value: key } = await narrow();
    const { id } = await make({ scoped_teams: [1] });

    expect((await app.ask("POST", `${KEYS}${id}/roll/`, { key })).status).toBe(403);
    expect((await app.ask("DELETE", `${KEYS}${id}/`, { key })).status).toBe(204);
  });

  test("gives no more to one that outlasts it, but may take from it", async () => {
    const { value: key } = await narrow();
    const lasting = await make({ scopes: ["person:read"], scoped_teams: [1] });
    const patch = async (fields: object, id = lasting.id) =>
      (await app.ask("PATCH", `${KEYS}${id}/`, { key, body: fields })).status;

    expect(await patch({ scopes: ["person:write"] })).toBe(403);
    expect(await patch({ scopes: ["person:read", "personal_api_key:read"] })).toBe(403);
    expect(await patch({ scopes: ["person:read"], label: "same" })).toBe(200);
    const end = { expires_at: "2026-11-22T12:00:00Z" };
    expect(await patch({ scopes: ["person:write"], ...end })).toBe(200);
    const wider = await make({ scopes: ["person:write"], scoped_teams: [1] });
    expect(await patch({ scopes: ["person:read"] }, wider.id)).toBe(200);
    expect(await patch({ scopes: ["person:write"] }, wider.id)).toBe(403);
  });

  test("makes none, with another at once, that may do more than both", async () => {
    const ending = await make({ scopes: ["*"], expires_at: "2026-11-22T12:00:00Z" });
    const narrow = await make({ scopes: ["person:read", "personal_api_key:write"] });
    for (let round = 0; round < 20; round += 1) {
      const within = { scopes: ["person:read"], expires_at: "2026-11-22T11:00:00Z" };
      const path = `${KEYS}${(await make(within, narrow.value ?? "")).id}/`;
      const patch = (body: object, key: string | null) => app.ask("PATCH", path, { key, body });
      const answers = await Promise.all([
        patch({ scopes: ["*"] }, ending.value),
        patch({ expires_at: null }, narrow.value),
      ]);

      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
      const { scopes, expires_at } = keyOf(await app.ask("GET", path));
      expect([scopes[0] === "*", expires_at === null]).not.toEqual([true, true]);
      await app.ask("DELETE", path);
    }
  });

  test("gives no project to one that outlasts it", async () => {
    const { value = "" } = await make({ scopes: ["*"], expires_at: "2026-11-22T12:00:00Z" });
    const lasting = await make({ scoped_teams: [1] });
    const path = `${KEYS}${lasting.id}/`;
    for (const scoped_teams of [[1, 2], null]) {
      const asked = { key: value ?? "", body: { scoped_teams } };
      expect((await app.ask("PATCH", path, asked)).status).toBe(403);
    }
    expect((await app.ask("GET", path)).body).toMatchObject({ scoped_teams: [1] });
  });

  test("does not find the keys of another user, with any method", async () => {
    await using alone = await testApp();
    app = alone;
    const { id } = await app.app.keys.create({ ...DRAFT, email: "ann@x.y" });
    const { value: key } = await narrow();

    for (const asking of [PERSONAL_KEY, key]) {
      const absent = await app.ask("GET", `${KEYS}999/`, { key: asking });
      expect(absent).toMatchObject({ status: 404, body: { code: "not_found", attr: null } });
      for (const [method, path] of [
        ["GET", ""],
        ["PATCH", ""],
        ["DELETE", ""],
        ["POST", "roll/"],
      ] as const) {
        const refused = await app.ask(method, `${KEYS}${id}/${path}`, { key: asking });
        expect([refused.status, refused.body]).toEqual([404, absent.body]);
      }
    }
    const own = (await app.ask("GET", KEYS)).body as Key[];
    expect(own.map(({ user_id }) => user_id)).toEqual([1, 1]);
    expect(await app.app.keys.list()).toHaveLength(3);
  });

  test("knows itself as @current", async () => {
    const { id, value: key } = await narrow();
    expect((await app.ask("GET", `${KEYS}@current/`, { key })).body).toMatchObject({ id });
  });
});

describe("wrong personal keys", () => {
  const wrong = (n: number) => `phx_wrong0123456789abcdefghi${n}`;

  test("get 429 after five in a minute, with the time to wait, while valid ones are let in", async () => {
    await using server = await startServer();
    const ask = (key: string) =>
      fetch(`${server.url}/api/projects/`, { headers: { authorization: `Bearer ${key}` } });

    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await ask(wrong(n))).status);
    const late = await ask(wrong(6));

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(late.status).toBe(429);
    const retryAfter = Number(late.headers.get("retry-after"));
    expect([retryAfter > 0, retryAfter <= 60]).toEqual([true, true]);
    expect(await late.json()).toEqual({
      type: "throttled_error",
      code: "throttled",
      detail: expect.stringContaining(`${retryAfter} s`),
      attr: null,
    });
    expect((await ask(PERSONAL_KEY)).status).toBe(200);
    expect((await ask(PROJECT_KEY)).status).toBe(401);
    expect((await fetch(`${server.url}/api/projects/`)).status).toBe(401);
    for (const path of filesBelow(server.data)) {
      expect(await Bun.file(path).text()).not.toContain("127.0.0.1");
    }
  });

  test("do not count if they are absent or project keys, or on capture", async () => {
    const handle = app.app.http("http://127.0.0.1:8000", () => "9.9.9.9");
    const ask = async (path: string, authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      const asked = path.startsWith("/api/") ? {} : { method: "POST", body: '{"event":"e"}' };
      return (await handle(new Request(`http://localhost${path}`, { ...asked, headers }))).status;
    };

    for (let n = 0; n < 9; n++) {
      expect(await ask("/api/projects/")).toBe(401);
      expect(await ask("/api/projects/", `Bearer phc_unknown${n}`)).toBe(401);
      expect(await ask("/api/projects/", "Bearer ")).toBe(401);
      expect(await ask("/i/v0/e/", `Bearer ${wrong(n)}`)).toBe(401);
      expect(await ask("/i/v1/logs", `Bearer ${wrong(n)}`)).toBe(401);
    }
    expect(await ask("/api/projects/", `Bearer ${wrong(1)}`)).toBe(401);
  });

  test("count by address, as far as trusted proxies vouch for it, for every path together", async () => {
    await using server = await startServer({ flags: ["--trusted-proxies", "127.0.0.0/8"] });
    const ask = async (from: string, path = "/api/projects/") => {
      const headers = { authorization: `Bearer ${wrong(1)}`, "x-forwarded-for": from };
      return (await fetch(server.url + path, { headers })).status;
    };

    for (const path of ["/api/projects/", KEYS, "/metrics", "/api/environments/1/events/", KEYS]) {
      expect(await ask("1.1.1.1, 9.9.9.9", path)).toBe(401);
    }
    expect(await ask("2.2.2.2, 9.9.9.9")).toBe(429);
    expect(await ask("9.9.9.9, 8.8.8.8")).toBe(401);
    expect(await ask("")).toBe(401);
  });

  test("count by the connection, not by forwarded headers, without a trusted proxy", async () => {
    await using server = await startServer();
    const ask = async (key: string, headers: Record<string, string>) => {
      const sent = { headers: { authorization: `Bearer ${key}`, ...headers } };
      return (await fetch(`${server.url}/api/projects/`, sent)).status;
    };

    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) {
      statuses.push(await ask(wrong(n), { "x-forwarded-for": `9.9.9.${n}` }));
      statuses.push(
        await ask(wrong(n), { forwarded: `for=9.9.9.${n}`, "x-real-ip": `8.8.8.${n}` }),
      );
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await ask(wrong(9), {})).toBe(429);
    expect(await ask(PERSONAL_KEY, { "x-forwarded-for": "9.9.9.9" })).toBe(200);
  });

  test("are forgotten after a minute", async () => {
    await using alone = await testApp();
    app = alone;
    const ask = async () => (await app.get("/persons/", { key: wrong(1) })).status;
    for (let n = 0; n < 5; n++) expect(await ask()).toBe(401);
    expect(await ask()).toBe(429);
    app.clock.now += 60_000;
    expect(await ask()).toBe(401);
  });
});
