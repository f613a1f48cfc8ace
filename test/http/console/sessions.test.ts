import { describe, expect, test } from "bun:test";
import { READ_SCOPES } from "../../../src/core/access/key.ts";
import type { LinkDraft } from "../../../src/core/access/sessions.ts";
import { type TestProject, testApp } from "../../support/start/app.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../../support/start/server.ts";
import {
  type ConsoleBrowser,
  consoleBrowser,
  SESSION,
  signedIn,
} from "../../support/start/session.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const SESSIONS = "/console/api/sessions/";
const PROJECTS = "/api/projects/";
const KEYS = "/api/personal_api_keys/";

/** For tests that neither count sessions nor have many keys refused. */
const newProject = sharedApp({ flags: { "--project-key": PROJECT_KEY } });
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];

/** Waits until the store has the time of the last request of a session: an answer does not wait for it. */
async function noted({ clock }: TestProject, browser: ConsoleBrowser): Promise<void> {
  for (;;) {
    const { body } = await browser.ask("GET", SESSIONS);
    const [{ last_seen_at }] = body as [{ last_seen_at: string }];
    if (Date.parse(last_seen_at) === clock.now) return;
    await Bun.sleep(5);
  }
}

/** Places of keys in the list of a test. */
const [LOGS, ALL, REVOKED] = [0, 1, 2];

describe("signing in", () => {
  test("with a personal key makes a session that acts as the key", async () => {
    const app = await newProject();
    const browser = consoleBrowser(app);
    const made = await browser.ask("POST", SESSION, { body: { key: PERSONAL_KEY } });

    expect(made.status).toBe(201);
    expect(made.headers.get("cache-control")).toBe("no-store");
    expect(made.headers.get("set-cookie")).toMatch(
      /^hoglet_[\da-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    expect(made.body).toMatchObject({
      user: { id: 1 },
      key: { label: "from the settings", scopes: ["*"], scoped_teams: null, expires_at: null },
      expires_at: "2026-11-28T12:00:00.000000Z",
      fresh_until: "2026-11-21T13:00:00.000000Z",
    });
    expect((await browser.ask("GET", SESSION)).body).toEqual(made.body);
    expect((await browser.ask("GET", PROJECTS)).status).toBe(200);
  });

  test("with a link works once, and a second use is refused", async () => {
    const app = await newProject();
    const { secret } = await app.app.sessions.makeLink({});
    const [first, second] = [consoleBrowser(app), consoleBrowser(app)];

    expect((await first.ask("POST", SESSION, { body: { link: secret } })).body).toMatchObject({
      key: { label: "console", scopes: ["*"] },
    });
    const refused = await second.ask("POST", SESSION, { body: { link: secret } });
    expect(refused).toMatchObject({ status: 401, body: { code: "authentication_failed" } });
    expect(second.cookie()).toBeUndefined();
    expect((await first.ask("GET", PROJECTS)).status).toBe(200);
  });

  test("with a link of the command line belongs to one key of the user", async () => {
    const app = await newProject();
    await app.app.sessions.makeLink({});
    await app.app.sessions.makeLink({});
    const made = await app.app.sessions.makeLink({ email: "ann@example.com" });
    const labels = (await app.app.keys.list()).map(({ label, user_id }) => [label, user_id]);

    expect(made.made_user).toBe("ann@example.com");
    expect(labels).toEqual([
      ["from the settings", 1],
      ["console", 1],
      ["console", 2],
    ]);
  });

  test.each<[string, LinkDraft, string[] | string]>([
    ["the first user may do everything", {}, ["*"]],
    ["the first user with scopes has these", { scopes: ["person:write"] }, ["person:write"]],
    ["a user that is named may read", { email: "ann@example.com" }, [...READ_SCOPES]],
    ["so may the first user, named", { email: "OWNER@localhost.localdomain" }, [...READ_SCOPES]],
    [
      "a user has the scopes that are named",
      { email: "b@c.d", scopes: ["query:read", "insight:write"] },
      ["query:read", "insight:write"],
    ],
    ["a user gets no star", { email: "b@c.d", scopes: ["query:read", "*"] }, "invalid_choice"],
    ["an unknown scope is refused", { email: "b@c.d", scopes: ["cohort:read"] }, "invalid_choice"],
    ["no scope is refused", { email: "b@c.d", scopes: [] }, "invalid_choice"],
    ["a key gives its scopes", { key_id: LOGS }, ["error_tracking:read"]],
    ["a key with all rights gives them", { key_id: ALL }, ["*"]],
    ["a key of another user is refused", { key_id: LOGS, email: "b@c.d" }, "invalid_input"],
    ["an unknown key is refused", { key_id: 99_999 }, "not_found"],
    ["a revoked key is refused", { key_id: REVOKED }, "not_found"],
  ])(
    "with a link of the command line has the rights that it names: %s",
    async (_what, named, expected) => {
      const app = await newProject();
      const logs = { label: "logs", scopes: ["error_tracking:read"], email: "x@y.z" };
      const made = [
        await app.app.keys.create(logs),
        await app.app.keys.create({ label: "all", scopes: ["*"] }),
        await app.app.keys.create({ label: "old", scopes: ["*"] }),
      ].map(({ id }) => id);
      await app.app.keys.revoke(made[REVOKED] ?? 0);
      const { key_id: at } = named;
      const draft = at === undefined ? named : { ...named, key_id: made[at] ?? at };
      const before = (await app.app.keys.list()).length;
      const link = app.app.sessions.makeLink(draft);
      if (typeof expected === "string") {
        await expect(link).rejects.toMatchObject({ code: expected });
        expect((await app.app.keys.list()).length).toBe(before);
        return;
      }
      const browser = consoleBrowser(app);
      const { body } = await browser.ask("POST", SESSION, { body: { link: (await link).secret } });
      expect(body).toMatchObject({ key: { scopes: expected } });
      // The rights of another link of this user are not in it.
      const again = await app.app.sessions.makeLink(draft);
      expect([...again.scopes].sort()).toEqual([...expected].sort());
    },
  );

  test("with a link of two requests at once gives one session", async () => {
    const app = await newProject();
    const { secret } = await app.app.sessions.makeLink({});
    const asked = [1, 2, 3, 4].map(() =>
      consoleBrowser(app).ask("POST", SESSION, { body: { link: secret } }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);

    expect(statuses.sort()).toEqual([201, 401, 401, 401]);
  });

  test.each<[string, (secret: string) => string, number]>([
    ["late", (secret) => secret, 30],
    ["altered", (secret) => `${secret.slice(0, -2)}${secret.endsWith("AA") ? "BB" : "AA"}`, 0],
    ["a hash", (secret) => new Bun.CryptoHasher("sha256").update(secret).digest("hex"), 0],
  ])("with a link that is %s is refused", async (_what, altered, minutes) => {
    const app = await newProject();
    const { secret } = await app.app.sessions.makeLink({});
    app.clock.now += minutes * MINUTE_MS;
    const refused = await consoleBrowser(app).ask("POST", SESSION, {
      body: { link: altered(secret) },
    });

    expect(refused).toMatchObject({ status: 401, body: { code: "authentication_failed" } });
  });

  test.each<[unknown, number, string]>([
    [{ key: PROJECT_KEY }, 401, "authentication_failed"],
    [{ key: "" }, 401, "authentication_failed"],
    [{}, 400, "required"],
    [[], 400, "required"],
    ["{", 400, "parse_error"],
    [{ key: "x".repeat(5000) }, 413, "payload_too_large"],
  ])("with the body %j is refused", async (body, status, code) => {
    const app = await newProject();
    const browser = consoleBrowser(app);

    expect(await browser.ask("POST", SESSION, { body })).toMatchObject({ status, body: { code } });
    expect(browser.cookie()).toBeUndefined();
  });

  test.each([
    ['{"key": "a" "b"}', "Byte 12"],
    ['{"link": ', "it ends early, at byte 9"],
    [Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), "Byte 2: the byte 0xff"],
  ])("with the body %j is refused with its first fault", async (body, where) => {
    const app = await newProject();
    const refused = await consoleBrowser(app).ask("POST", SESSION, { body });

    expect(refused).toMatchObject({ status: 400, body: { code: "parse_error" } });
    expect(refused.text).toContain(where);
  });

  test("never takes over the value of a cookie that was sent", async () => {
    const app = await newProject();
    const name = (await signedIn(app)).cookie()?.split("=", 1)[0] ?? "";
    const planted = `${name}=${"A".repeat(43)}`;
    const browser = consoleBrowser(app, planted);
    await browser.ask("POST", SESSION, { body: { key: PERSONAL_KEY } });

    expect(browser.cookie()).toStartWith(`${name}=`);
    expect(browser.cookie()).not.toBe(planted);
    expect((await consoleBrowser(app, planted).ask("GET", PROJECTS)).status).toBe(401);
  });

  test("again ends the session that the browser had", async () => {
    const app = await newProject();
    const browser = await signedIn(app);
    const before = browser.cookie();
    await browser.ask("POST", SESSION, { body: { key: PERSONAL_KEY } });

    expect((await consoleBrowser(app, before).ask("GET", SESSION)).body).toBeNull();
    expect((await browser.ask("GET", SESSION)).status).toBe(200);
  });

  test("is slowed down after five wrong keys and links in a minute from one address", async () => {
    await using app = await testApp();
    const wrong = async (body: object) =>
      (await consoleBrowser(app).ask("POST", SESSION, { body })).status;
    const statuses: number[] = [];
    for (let at = 0; at < 3; at++) {
      statuses.push(await wrong({ key: `phx_wrong0000000000000000${at}` }));
      statuses.push(await wrong({ link: `wrong${at}` }));
    }
    app.clock.now += MINUTE_MS;

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await wrong({ link: "wrong" })).toBe(401);
  });
});

describe("a session ends", () => {
  test("after seven days without a request, and is kept by one", async () => {
    const app = await newProject();
    const browser = await signedIn(app);
    app.clock.now += 6 * DAY_MS;
    expect((await browser.ask("GET", PROJECTS)).status).toBe(200);
    await noted(app, browser);
    app.clock.now += 6 * DAY_MS;
    expect((await browser.ask("GET", PROJECTS)).status).toBe(200);
    await noted(app, browser);
    app.clock.now += 7 * DAY_MS;

    expect(await browser.ask("GET", PROJECTS)).toMatchObject({
      status: 401,
      body: { code: "authentication_failed", detail: "The session has ended. Sign in again." },
    });
  });

  test("after thirty days in any case", async () => {
    const app = await newProject();
    const browser = await signedIn(app);
    for (let day = 0; day < 29; day++) {
      app.clock.now += DAY_MS;
      expect((await browser.ask("GET", SESSION)).status).toBe(200);
      await noted(app, browser);
    }
    app.clock.now += DAY_MS;

    expect((await browser.ask("GET", SESSION)).body).toBeNull();
  });

  test.each<[string, (app: Awaited<ReturnType<typeof testApp>>, id: number) => Promise<unknown>]>([
    ["revoked", ({ app }, id) => app.keys.revoke(id)],
    ["rolled", ({ app }, id) => app.keys.roll(id)],
    [
      "over",
      async ({ app, clock }, id) => {
        const expires_at = new Date(clock.now + 1000).toISOString();
        await app.keys.change(id, { expires_at });
        clock.now += 1000;
      },
    ],
  ])("when its key is %s", async (_what, end) => {
    await using app = await testApp();
    const key = await app.app.keys.create({ label: "ann", scopes: ["*"] });
    const browser = await signedIn(app, key.value);
    expect((await browser.ask("GET", PROJECTS)).status).toBe(200);
    await end(app, key.id);

    expect((await browser.ask("GET", PROJECTS)).status).toBe(401);
    expect((await browser.ask("GET", SESSION)).body).toBeNull();
    expect((await (await signedIn(app)).ask("GET", SESSIONS)).body).toHaveLength(1);
  });

  test("with its link when the key of the link is rolled", async () => {
    await using app = await testApp();
    const key = await app.app.keys.create({ label: "ann", scopes: ["*"] });
    const { secret } = await app.app.sessions.makeLink({ key: key.value });
    await app.app.keys.roll(key.id);
    const refused = await consoleBrowser(app).ask("POST", SESSION, { body: { link: secret } });

    expect(refused.status).toBe(401);
  });

  test("by signing out, which clears what the page kept", async () => {
    const app = await newProject();
    const browser = await signedIn(app);
    const before = browser.cookie();
    const out = await browser.ask("DELETE", SESSION);

    expect(out.status).toBe(204);
    expect(out.headers.get("clear-site-data")).toBe('"storage"');
    expect(browser.cookie()).toBeUndefined();
    expect((await consoleBrowser(app, before).ask("GET", PROJECTS)).status).toBe(401);
    expect((await browser.ask("DELETE", SESSION)).status).toBe(204);
  });

  test("with all others by the command line, together with links", async () => {
    await using app = await testApp();
    const browsers = [await signedIn(app), await signedIn(app)];
    const { secret } = await app.app.sessions.makeLink({});

    expect(await app.app.sessions.endAll()).toBe(2);
    for (const browser of browsers) expect((await browser.ask("GET", SESSION)).body).toBeNull();
    const link = await consoleBrowser(app).ask("POST", SESSION, { body: { link: secret } });
    expect(link.status).toBe(401);
  });
});

test("the rights of a session are those of its key at each request", async () => {
  const app = await newProject();
  const other = await app.app.projects.create({ name: "other" });
  const key = await app.app.keys.create({ label: "ann", scopes: ["person:read"] });
  const browser = await signedIn(app, key.value);
  const persons = (project: number) => `/api/environments/${project}/persons/`;
  const statusOf = async (path: string) => (await browser.ask("GET", path)).status;

  expect(await statusOf(persons(other.id))).toBe(200);
  expect(await statusOf(PROJECTS)).toBe(403);
  await app.app.keys.change(key.id, { scopes: ["person:read", "project:read"], scoped_teams: [1] });
  expect(await statusOf(PROJECTS)).toBe(200);
  expect([await statusOf(persons(1)), await statusOf(persons(other.id))]).toEqual([200, 403]);
});

describe("keys", () => {
  test("are made, changed and rolled by a session for an hour after signing in, and ended always", async () => {
    const app = await newProject();
    const key = await app.app.keys.create({ label: "ann", scopes: ["*"] });
    const browser = await signedIn(app);
    const make = () => browser.ask("POST", KEYS, { body: { label: "new", scopes: ["*"] } });
    const change = () => browser.ask("PATCH", `${KEYS}${key.id}/`, { body: { label: "b" } });
    const roll = () => browser.ask("POST", `${KEYS}${key.id}/roll/`);
    expect([(await make()).status, (await change()).status, (await roll()).status]).toEqual([
      201, 200, 200,
    ]);
    app.clock.now += 60 * MINUTE_MS;

    for (const asked of [make, change, roll]) {
      expect(await asked()).toMatchObject({ status: 403, body: { code: "sign_in_too_old" } });
    }
    expect((await browser.ask("GET", KEYS)).status).toBe(200);
    expect((await browser.ask("DELETE", `${KEYS}${key.id}/`)).status).toBe(204);
    await browser.ask("POST", SESSION, { body: { key: PERSONAL_KEY } });
    expect((await make()).status).toBe(201);
  });

  test("in a header win over the cookie, also wrong ones", async () => {
    await using app = await testApp();
    const browser = await signedIn(app);
    const narrow = await app.app.keys.create({ label: "ci", scopes: ["person:read"] });

    expect((await browser.ask("GET", PROJECTS, { key: narrow.value })).status).toBe(403);
    expect((await browser.ask("GET", PROJECTS, { key: "phx_wrong" })).status).toBe(401);
    expect((await browser.ask("GET", SESSION, { key: PERSONAL_KEY })).body).toBeNull();
  });
});

describe("the list of sessions", () => {
  const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";

  test("says how, when and where each began, and ends one", async () => {
    await using app = await testApp();
    const browser = await signedIn(app);
    app.clock.now += MINUTE_MS;
    const { secret } = await app.app.sessions.makeLink({});
    const linked = consoleBrowser(app);
    await linked.ask("POST", SESSION, { body: { link: secret }, headers: { "user-agent": AGENT } });
    const listed = await browser.ask("GET", SESSIONS);

    expect(listed.body).toEqual([
      {
        id: 2,
        created_at: "2026-11-21T12:01:00.000000Z",
        last_seen_at: "2026-11-21T12:01:00.000000Z",
        method: "link",
        browser: "Firefox on Linux",
        key_id: 2,
        current: false,
      },
      expect.objectContaining({ id: 1, method: "key", key_id: 1, current: true }),
    ]);
    expect(listed.text).not.toContain("sha256");
    expect((await browser.ask("DELETE", `${SESSIONS}2/`)).status).toBe(204);
    expect((await browser.ask("DELETE", `${SESSIONS}2/`)).status).toBe(404);
    expect((await browser.ask("DELETE", `${SESSIONS}x/`)).status).toBe(404);
    expect((await linked.ask("GET", SESSION)).body).toBeNull();
  });

  test("has those of the user alone, for keys with the scope of keys", async () => {
    await using app = await testApp();
    await signedIn(app);
    const other = await app.app.keys.create({ label: "b", scopes: ["*"], email: "b@example.com" });
    const narrow = await app.app.keys.create({ label: "ci", scopes: ["person:read"] });
    const [theirs, limited] = [await signedIn(app, other.value), await signedIn(app, narrow.value)];

    expect((await theirs.ask("GET", SESSIONS)).body).toHaveLength(1);
    expect((await theirs.ask("DELETE", `${SESSIONS}1/`)).status).toBe(404);
    expect((await limited.ask("GET", SESSIONS)).status).toBe(403);
    expect((await limited.ask("DELETE", `${SESSIONS}1/`)).status).toBe(403);
    const byKey = await app.ask("GET", SESSIONS);
    expect([byKey.status, byKey.body]).toEqual([
      200,
      [
        expect.objectContaining({ id: 3, current: false }),
        expect.objectContaining({ id: 1, current: false }),
      ],
    ]);
  });
});
