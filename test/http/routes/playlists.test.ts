import { beforeEach, describe, expect, test } from "bun:test";
import { type TestProject, temporaryDirectory, testApp } from "../../support/start/app.ts";
import { PERSONAL_KEY } from "../../support/start/server.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});
const newTellingProject = sharedApp({ flags: { "--prefer": "representation" } });

const playlistsOf = ({ api } = app) => `${api}/session_recording_playlists/`;
const REPRESENTATION = { prefer: "return=representation" };
const NOON = "2026-11-21T12:00:00.000000Z";

type Playlist = Record<string, unknown> & { id: number; short_id: string };
type Listed = { count: number; next: string | null; results: Playlist[] };

/** A playlist that is made, and its address. */
const make = async (body: object = { name: "Rage clicks" }, key = PERSONAL_KEY) => {
  const made = await app.ask("POST", playlistsOf(), { body, key });
  expect(made.status).toBe(201);
  const playlist = made.body as Playlist;
  return { playlist, address: `${playlistsOf()}${playlist.short_id}/` };
};

const keyOf = async (email: string, scopes = ["*"]) =>
  (await app.app.keys.create({ label: "test", scopes, email })).value;

const me = async (key = PERSONAL_KEY) => {
  const { body } = await app.ask("GET", "/api/users/@me/", { key });
  const {
    organization: _one,
    organizations: _all,
    team: _team,
    ...user
  } = body as {
    [name in "organization" | "organizations" | "team"]: unknown;
  } & { id: number };
  return user;
};

describe("a playlist", () => {
  test("is made with every field of the contract, and read as it was made (2.3, 2.4)", async () => {
    const sent = {
      name: "Rage clicks",
      derived_name: "(derived)",
      description: "é🦔",
      pinned: true,
      filters: { date_from: "-3d", deep: [1, null, { __proto__: 1 }] },
      _create_in_folder: "Unfiled/Playlists",
    };

    const { playlist, address } = await make(sent);

    const { _create_in_folder: _, ...shown } = sent;
    const owner = {
      id: 1,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      distinct_id: expect.any(String),
      first_name: "",
      last_name: "",
      email: "owner@localhost.localdomain",
      is_email_verified: false,
      hedgehog_config: {},
      role_at_organization: "",
    };
    expect(playlist).toEqual({
      ...shown,
      id: expect.any(Number),
      short_id: expect.stringMatching(/^[2-9A-HJ-NP-Za-km-z]{8}$/),
      created_at: NOON,
      created_by: owner,
      deleted: false,
      last_modified_at: NOON,
      last_modified_by: owner,
      recordings_counts: {
        collection: { count: 0, watched_count: 0 },
        saved_filters: { count: 0, watched_count: 0 },
      },
      type: "collection",
    } as never);
    expect(await app.ask("GET", address)).toMatchObject({ status: 200, body: playlist });
  });

  test.each([{}, undefined])("needs nothing: %p is the body of an empty one", async (body) => {
    const made = await app.ask("POST", playlistsOf(), body === undefined ? {} : { body });
    expect(made).toMatchObject({
      status: 201,
      body: { name: "", derived_name: "", description: "", pinned: false, filters: {} },
    });
  });

  test("takes null for an empty name", async () => {
    const body = { name: null, derived_name: null };
    const made = await app.ask("POST", playlistsOf(), { body });
    expect(made).toMatchObject({ status: 201, body: { name: "", derived_name: "" } });

    const { address } = await make();
    const changed = await app.ask("PATCH", address, { body });
    expect(changed).toMatchObject({ status: 200, body: { name: "", derived_name: "" } });
  });

  test("takes its type when it is made, and keeps it", async () => {
    const { address } = await make({ type: "filters", filters: { a: 1 } });
    const change = (type: string) => app.ask("PATCH", address, { body: { type, name: "x" } });
    expect(await change("collection")).toMatchObject({ status: 400, body: { attr: "type" } });
    expect(await change("filters")).toMatchObject({ body: { type: "filters", name: "x" } });
  });

  test("changes only in the sent fields, and refuses others by name", async () => {
    const { playlist, address } = await make();
    const fixed = {
      id: 7777,
      short_id: "mine",
      created_at: "2000-01-01",
      created_by: 7,
      last_modified_at: "2000-01-01",
      recordings_counts: 7,
      unknown: true,
    };

    for (const change of [{ pinned: true }, { derived_name: "d" }, { filters: [] }, {}]) {
      const before = (await app.ask("GET", address)).body as Playlist;
      const changed = await app.ask("PATCH", address, { body: change });
      expect(changed).toMatchObject({ status: 200, body: { ...before, ...change } });
      expect((await app.ask("GET", address)).body).toEqual(changed.body as never);
    }
    expect(playlist).toMatchObject({ filters: {} });
    for (const [attr, value] of Object.entries(fixed)) {
      const refused = await app.ask("PATCH", address, { body: { pinned: false, [attr]: value } });
      expect(refused).toMatchObject({ body: { attr } });
      expect([400, 409]).toContain(refused.status);
    }
  });

  test.each([
    [{ name: "b" }, true],
    [{ description: "b" }, true],
    [{ filters: null }, true],
    [{ name: "Rage clicks" }, true],
    [{ pinned: true, derived_name: "b", deleted: false }, false],
    [{}, false],
  ])("%j makes its sender who modified it last: %p", async (body, modifies) => {
    const { playlist, address } = await make();
    const key = await keyOf("bob@x.y");
    app.clock.now += 60_000;

    const changed = await app.ask("PATCH", address, { body, key });

    const after = {
      last_modified_at: "2026-11-21T12:01:00.000000Z",
      last_modified_by: await me(key),
    };
    const { created_at, created_by, last_modified_at, last_modified_by } = playlist;
    expect(changed.body).toMatchObject({
      created_at,
      created_by,
      ...(modifies ? after : { last_modified_at, last_modified_by }),
    });
  });

  test.each([
    { filters: null },
    { filters: false },
    { filters: "é" },
    { filters: [1.5, { a: {} }] },
  ])("keeps %j as it is", async (body) => {
    const { playlist, address } = await make(body);
    expect(playlist).toMatchObject(body);
    expect((await app.ask("GET", address)).body).toEqual(playlist);
  });

  test("is deleted and restored by PATCH (contract 3, 4.4.4)", async () => {
    const { playlist, address } = await make();
    await app.ask("POST", `${address}recordings/one/`);
    const patch = (body: object) => app.ask("PATCH", address, { body });

    expect(await patch({ deleted: true })).toMatchObject({ status: 200, body: { deleted: true } });

    for (const [method, path] of [
      ["GET", address],
      ["GET", `${address}recordings/`],
      ["POST", `${address}recordings/two/`],
      ["DELETE", `${address}recordings/one/`],
    ] as const) {
      expect(await app.ask(method, path)).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
    }
    expect((await app.ask("GET", playlistsOf())).body).toMatchObject({ count: 0, results: [] });
    expect(await patch({ pinned: true })).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await patch({ deleted: false })).toMatchObject({
      status: 200,
      body: { deleted: false },
    });
    expect((await app.ask("GET", address)).body).toMatchObject({
      ...playlist,
      pinned: true,
      recordings_counts: { collection: { count: 1 } },
    });
  });

  test("is never deleted by DELETE: 405 with no body, whether it is there or not (contract 4.4.4, S32)", async () => {
    const { playlist, address } = await make();
    const headers = { "content-type": "application/json" };

    const absent = `${playlistsOf()}nothing/`;
    for (const path of [address, address.slice(0, -1), `${address}?deleted=true`, absent]) {
      const deleted = { body: '{"deleted":true}', headers };
      const malformed = [{ body: "{", headers }, { body: "x" }];
      for (const asked of [{}, ...malformed, deleted, { headers: REPRESENTATION }]) {
        const { status, body, headers: answered } = await app.ask("DELETE", path, asked);
        expect({ status, body }).toEqual({ status: 405, body: "" });
        expect(answered.get("allow")).toBe("GET, HEAD, PATCH");
      }
    }

    expect((await app.ask("GET", address)).body).toEqual(playlist);
    const reader = await keyOf("a@b.c", ["session_recording_playlist:read"]);
    expect((await app.ask("DELETE", address, { key: reader })).status).toBe(403);
    expect((await app.ask("DELETE", address, { key: null })).status).toBe(401);
  });

  test.each([
    [{ name: 5 }, "invalid_input", "name"],
    [{ description: 5 }, "invalid_input", "description"],
    [{ derived_name: [] }, "invalid_input", "derived_name"],
    [{ description: {} }, "invalid_input", "description"],
    [{ pinned: "true" }, "invalid_input", "pinned"],
    [{ pinned: 1 }, "invalid_input", "pinned"],
    [{ deleted: "yes" }, "invalid_input", "deleted"],
    [{ deleted: "x" }, "invalid_input", "deleted"],
    [{ _create_in_folder: 1 }, "invalid_input", "_create_in_folder"],
    [{ name: "x".repeat(401) }, "too_long", "name"],
    [{ filters: ["x".repeat(65_536)] }, "too_long", "filters"],
    [[], "invalid_input", null],
  ])("%j is refused wherever fields are sent, and changes nothing", async (body, code, attr) => {
    const { playlist, address } = await make();

    for (const [method, path] of [
      ["POST", playlistsOf()],
      ["PATCH", address],
      ["POST", `${address}recordings/one/`],
    ] as const) {
      const refused = await app.ask(method, path, { body });
      expect(refused).toMatchObject({ status: 400, body: { code, attr } });
    }

    const { count, results } = (await app.ask("GET", playlistsOf())).body as Listed;
    expect([count, results]).toEqual([1, [playlist]]);
  });

  test("cannot be nested deeper than other bodies", async () => {
    const nested = (depth: number) => ({
      body: `{"filters":${"[".repeat(depth)}${"]".repeat(depth)}}`,
      headers: { "content-type": "application/json" },
    });
    expect((await app.ask("POST", playlistsOf(), nested(127))).status).toBe(201);
    for (const depth of [128, 100_000]) {
      const refused = await app.ask("POST", playlistsOf(), nested(depth));
      expect(refused).toMatchObject({ status: 400, body: { code: "invalid_input" } });
    }
  });

  test.each([
    [{ type: "collection", filters: { duration: 60 } }, 400],
    [{ type: "collection", filters: "x" }, 400],
    [{ type: "collection", filters: {} }, 201],
    [{ type: "collection", filters: null }, 201],
    [{ type: "collection" }, 201],
    [{ type: "filters" }, 400],
    [{ type: "filters", filters: {} }, 400],
    [{ type: "filters", filters: [] }, 400],
    [{ type: "filters", filters: { duration: 60 } }, 201],
    // The contract has no type to send, and any filters may be (4.3).
    [{ filters: { duration: 60 } }, 201],
  ])("%j is answered %p", async (body, status) => {
    const made = await app.ask("POST", playlistsOf(), { body });
    const refusal = { code: "invalid_input", attr: "filters" };
    expect(made).toMatchObject({ status, body: status === 400 ? refusal : body });
  });

  test("may have any filters later, with any type (contract 4.3)", async () => {
    for (const made of [{ type: "collection" }, { type: "filters", filters: { a: 1 } }]) {
      const { address } = await make(made);
      for (const filters of [{ b: 2 }, {}]) {
        const changed = await app.ask("PATCH", address, { body: { filters } });
        expect(changed).toMatchObject({ status: 200, body: { filters } });
      }
    }
  });

  test.each(["rage", 5, ""])("of the type %p is refused", async (type) => {
    const refused = await app.ask("POST", playlistsOf(), { body: { type } });
    expect(refused).toMatchObject({ status: 400, body: { attr: "type" } });
  });

  test("of another project is not found, and has its short id for itself", async () => {
    await using own = await testApp();
    app = own;
    const { address } = await make();
    const second = await app.app.projects.create({ name: "second" });
    const elsewhere = address.replace("environments/1/", `environments/${second.id}/`);

    for (const [method, path, body] of [
      ["GET", elsewhere],
      ["PATCH", elsewhere, { name: "mine" }],
      ["GET", `${elsewhere}recordings/`],
      ["POST", `${elsewhere}recordings/one/`],
      ["DELETE", `${elsewhere}recordings/one/`],
    ] as const) {
      const refused = await app.ask(method, path, { body });
      expect(refused).toMatchObject({ status: 404, body: { code: "not_found" } });
    }
    const listed = await app.ask("GET", playlistsOf().replace("/1/", `/${second.id}/`));
    expect(listed.body).toMatchObject({ count: 0, results: [] });
    expect((await app.ask("GET", address)).body).toMatchObject({ name: "Rage clicks" });
    const current = await app.ask("GET", address.replace("/1/", "/@current/"));
    expect(current.body).toMatchObject({ name: "Rage clicks" });
  });
});

describe("the list of playlists", () => {
  /** Made a minute apart: the letters are their names; `c` is modified last. */
  const several = async () => {
    const bob = await keyOf("bob@x.y");
    const made: Record<string, string> = {};
    for (const [body, key] of [
      [{ name: "a", derived_name: "50% Off", pinned: true }],
      [{ name: "B", type: "filters", filters: { x: 1 } }, bob],
      [{ name: "c", description: "a 50% off" }, bob],
      [{ name: "d", pinned: true }],
      [{ name: "gone", deleted: true }],
    ] as const) {
      const { playlist } = await make(body, key);
      made[body.name] = playlist.short_id;
      app.clock.now += 60_000;
    }
    await app.ask("PATCH", `${playlistsOf()}${made["c"]}/`, { body: { name: "c" } });
    return { made, bob: (await me(bob)).id };
  };

  test.each([
    ["", "c d B a"],
    ["?order=-last_modified_at", "c d B a"],
    ["?order=last_modified_at", "a B d c"],
    ["?order=created_at", "a B c d"],
    ["?order=-created_at", "d c B a"],
    ["?order=name", "a B c d"],
    ["?order=-name", "d c B a"],
    ["?created_by=BOB", "c B"],
    ["?created_by=999", ""],
    ["?short_id=SHORT_C", "c"],
    ["?short_id=x", ""],
    ["?search=50%25%20oFF", "a"],
    ["?search=_", ""],
    ["?search=b", "B"],
    ["?pinned=true", "d a"],
    ["?pinned=False", "c B"],
    ["?deleted=true", "gone"],
    ["?deleted=false&pinned=true", "d a"],
    ["?type=filters", "B"],
    ["?type=collection", "c d a"],
    ["?date_from=2026-11-21T12:03:00Z", "c d"],
    ["?date_to=2026-11-21T12:01:00Z", "B a"],
    ["?date_to=2026-11-21&search=a", "a"],
    ["?date_to=2026-11-20", ""],
    ["?date_from=-4m", "c d B a"],
    ["?date_from=-0h", "c"],
    ["?limit=2", "c d"],
    ["?limit=2&offset=2", "B a"],
    ["?pinned=true&order=name&limit=1", "a"],
  ])("%s is %p, and counts exactly", async (query, names) => {
    const { made, bob } = await several();

    const asked = query.replace("BOB", String(bob)).replace("SHORT_C", made["c"] ?? "");
    const { status, body } = await app.ask("GET", playlistsOf() + asked);

    const { count, results } = body as Listed;
    expect(status).toBe(200);
    expect(results.map(({ name }) => name).join(" ")).toBe(names);
    const all = await app.ask(
      "GET",
      playlistsOf() + asked.replace(/limit=\d/, "limit=100").replace(/&offset=\d/, ""),
    );
    expect(count).toBe((all.body as Listed).results.length);
  });

  test("is walked by next, each of many made at once in its place", async () => {
    for (let n = 0; n < 7; n++) await make({ name: "same" });

    const walked: number[] = [];
    let next: string | null = `${playlistsOf()}?limit=3&order=name`;
    while (next !== null) {
      const { body } = await app.ask("GET", next.replace("http://localhost:8000", ""));
      const page = body as Listed;
      walked.push(...page.results.map(({ id }) => id));
      next = page.next;
    }
    expect(walked).toHaveLength(7);
    expect(walked).toEqual([...new Set(walked)].sort((a, b) => a - b));
  });

  test.each(["name", "-name", "created_at", "-last_modified_at"])(
    "is walked by next in order of %s, though others are made and deleted meanwhile",
    async (order) => {
      const names = ["B", "a", "Ü", "c", "a", "ü", "D", "_1"];
      const made: { playlist: Playlist; address: string }[] = [];
      for (const name of names) {
        made.push(await make({ name }));
        app.clock.now += 1000;
      }
      const asked = `${playlistsOf()}?limit=2&order=${order}`;
      const whole = (await app.ask("GET", asked.replace("limit=2", "limit=9"))).body as Listed;
      const ids = whole.results.map(({ id }) => id);

      const walked: number[] = [];
      let next: string | null = asked;
      while (next !== null) {
        const { body } = await app.ask("GET", next.replace("http://localhost:8000", ""));
        const { results, next: link } = body as Listed;
        walked.push(...results.map(({ id }) => id));
        next = link;
        // The last playlist of the page is deleted, and a new one comes first.
        const shown = made.find(({ playlist }) => playlist.id === results.at(-1)?.id);
        if (shown !== undefined) await app.ask("PATCH", shown.address, { body: { deleted: true } });
        if (order.startsWith("-")) await make({ name: "🦔" });
        else if (order === "name") await make({ name: " " });
      }
      expect(walked).toEqual(ids);
    },
  );

  test("is walked by the values of now: a playlist that is renamed is at its new place", async () => {
    const made = new Map<string, string>();
    for (const name of ["a", "b", "c", "d", "e"]) {
      made.set(name, (await make({ name })).address);
    }
    const rename = (from: string, name: string) =>
      app.ask("PATCH", made.get(from) ?? "", { body: { name } });
    const page = async (address: string) => {
      const { body } = await app.ask("GET", address.replace("http://localhost:8000", ""));
      const { count, next, results } = body as Listed;
      return { count, next: next ?? "", names: results.map(({ name }) => name) };
    };

    const first = await page(`${playlistsOf()}?limit=2&order=name`);
    await rename("b", "z");
    await rename("d", "_");
    const second = await page(first.next);

    expect([first.count, ...first.names]).toEqual([5, "a", "b"]);
    expect([second.count, ...second.names]).toEqual([5, "c", "e"]);
    expect((await page(second.next)).names).toEqual(["z"]);
  });

  test.each([
    ["date_from=2026-11-21", ["kept"]],
    ["date_to=2026-11-20", ["old"]],
    ["date_to=2026-11-20T23:59:59", ["old"]],
    ["date_from=2026-11-20T15:00:00Z", ["kept"]],
    ["date_to=2026-11-20T15:00:00Z", ["old", "kept"]],
    ["date_from=-0h", ["kept"]],
  ])("is of days by the clock of the project: %s", async (query, names) => {
    await app.ask("PATCH", `/api/projects/${app.id}/`, { body: { timezone: "Asia/Tokyo" } });
    for (const [name, at] of [
      ["old", "2026-11-20T14:59:00Z"],
      ["kept", "2026-11-20T15:00:00Z"],
    ] as const) {
      app.clock.now = Date.parse(at);
      await make({ name });
    }
    const found = await app.ask("GET", `${playlistsOf()}?order=created_at&${query}`);
    expect((found.body as Listed).results.map(({ name }) => name)).toEqual(names);
  });

  test.each([
    ["%C3%BCBERSICHT", ["Übersicht"]],
    ["%C3%96L", ["Öl und öl"]],
    ["ъезд", ["СЪЕЗД"]],
    ["[*]", ["a[*]b"]],
    ["*", ["a[*]b"]],
    ["?", ["what?"]],
    ["^a", ["^A]"]],
    ["]", ["^A]", "a[*]b"]],
    ["x-z", []],
    ["ΟΔΟΣ", ["οδος"]],
    ["οδοσ", ["οδος"]],
    ["οδος", ["οδος"]],
    ["istanbul", ["İstanbul"]],
    ["İSTANBUL", ["İstanbul"]],
    ["ıſtanbul", ["İstanbul"]],
    ["STRASSE", []],
    ["т".repeat(5000), []],
  ])("is searched in any case of any script, and by nothing else: %s", async (part, names) => {
    for (const name of [
      ...["Übersicht", "Öl und öl", "СЪЕЗД", "a[*]b", "what?", "^A]", "y", "οδος", "İstanbul"],
    ]) {
      await make({ name });
    }
    const found = await app.ask(
      "GET",
      `${playlistsOf()}?order=name&search=${part.replace("[*]", "%5B*%5D")}`,
    );
    expect((found.body as Listed).results.map(({ name }) => name as string).sort()).toEqual(
      names.sort(),
    );
  });

  test.each([
    ["cursor=x", "invalid_input", "cursor"],
    ["cursor=[1]", "invalid_input", "cursor"],
    ["cursor=[1,1]", "invalid_input", "cursor"],
    ['cursor=["",1,0]', "invalid_input", "cursor"],
    ['cursor=["",1,1,1]', "invalid_input", "cursor"],
    ["created_by=me", "invalid_input", "created_by"],
    ["created_by=1.0", "invalid_input", "created_by"],
    ["pinned=maybe", "invalid_input", "pinned"],
    ["type=saved_filters", "invalid_choice", "type"],
    ["order=id", "invalid_choice", "order"],
    ["order=--name", "invalid_choice", "order"],
    ["date_from=yesterday", "invalid_input", "date_from"],
    ["date_to=2026-02-30", "invalid_input", "date_to"],
    ["limit=-1", "invalid_input", "limit"],
    ["offset=x", "invalid_input", "offset"],
    ["search=%ff", "invalid_input", "search"],
    ["short_id[]=k7mXq2pB", "invalid_input", "short_id"],
    ["short_id%5B%5D=", "invalid_input", "short_id"],
    ["created_by[0]=1", "invalid_input", "created_by"],
  ])("refuses ?%s", async (query, code, attr) => {
    const refused = await app.ask("GET", `${playlistsOf()}?${query}`);
    expect(refused).toMatchObject({ status: 400, body: { code, attr } });
  });
});

describe("the recordings of a playlist", () => {
  const listed = async (address: string, query = "") =>
    (await app.ask("GET", `${address}recordings/${query}`, { headers: REPRESENTATION }))
      .body as Listed;
  const countOf = async (address: string) =>
    ((await app.ask("GET", address)).body as { recordings_counts: { collection: object } })
      .recordings_counts.collection;

  test("are added once each, known or not, and change nothing else (contract 4.1)", async () => {
    const { playlist, address } = await make();

    for (const id of ["one", "two", "one", "a%2Fb%20%C3%A9"]) {
      app.clock.now += 1000;
      const body = { name: "other", deleted: true };
      const added = await app.ask("POST", `${address}recordings/${id}/`, { body });
      expect([added.status, added.body]).toEqual([200, ""]);
    }

    expect((await listed(address)) as object).toEqual({
      results: [
        { id: "a/b é", added_at: "2026-11-21T12:00:04.000000Z" },
        { id: "two", added_at: "2026-11-21T12:00:02.000000Z" },
        { id: "one", added_at: "2026-11-21T12:00:01.000000Z" },
      ],
      has_next: false,
      next: null,
      version: 4,
    });
    expect((await app.ask("GET", address)).body).toEqual({
      ...playlist,
      recordings_counts: {
        collection: { count: 3, watched_count: 0 },
        saved_filters: { count: 0, watched_count: 0 },
      },
    } as never);
  });

  test("are removed once, and another playlist keeps its own", async () => {
    const { address } = await make();
    const { address: other } = await make();
    for (const each of [address, other]) await app.ask("POST", `${each}recordings/one/`);

    const removed = await app.ask("DELETE", `${address}recordings/one/`);
    const again = await app.ask("DELETE", `${address}recordings/one/`);

    expect([removed.status, removed.body]).toEqual([204, ""]);
    expect(again).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await countOf(address)).toEqual({ count: 0, watched_count: 0 });
    expect(await countOf(other)).toEqual({ count: 1, watched_count: 0 });
    expect(await listed(other)).toMatchObject({ results: [{ id: "one" }] });
  });

  test("are listed in pages whose links lead on", async () => {
    const { address } = await make();
    for (const id of ["1", "2", "3"]) await app.ask("POST", `${address}recordings/${id}/`);

    const first = await listed(address, "?limit=2");
    const rest = new URL(first.next ?? "").search;
    const second = await listed(address, "?limit=2&offset=2");

    const ids = ({ results }: Listed) => results.map(({ id }) => id as unknown);
    expect([ids(first), ids(second)]).toEqual([["3", "2"], ["1"]]);
    expect([first, second]).toMatchObject([{ has_next: true }, { has_next: false, next: null }]);
    expect(first).toMatchObject({
      next: expect.stringMatching(/limit=2&cursor=%5B\d+%5D&offset=2$/),
    });

    await app.ask("DELETE", `${address}recordings/3/`);
    await app.ask("POST", `${address}recordings/4/`);
    const next = await listed(address, rest);
    expect(next).toMatchObject({ has_next: false, next: null, results: [{ id: "1" }] });
  });

  test.each([
    ["GET", "recordings/", 200],
    ["POST", "recordings/one/", 200],
    ["DELETE", "recordings/one/", 204],
  ])("%s …/%s answers nothing, and by preference its result", async (method, path, status) => {
    const [plain, telling] = [app, await newTellingProject()];
    const result = method === "GET" ? { results: [{ id: "one" }] } : { success: true };
    const nothing = { status, body: "" };
    const whole = { status: 200, body: result };

    for (const [project, prefer, expected] of [
      [plain, undefined, nothing],
      [plain, "return=minimal", nothing],
      [plain, "return=representation", whole],
      [telling, undefined, whole],
      [telling, "return=representation", whole],
      [telling, "return=minimal", nothing],
    ] as const) {
      app = project;
      const { address } = await make();
      await app.ask("POST", `${address}recordings/one/`);
      const headers = prefer === undefined ? {} : { prefer };
      const answered = await app.ask(method, address + path, { headers });
      expect(answered).toMatchObject(expected);
      const applied = expected === whole ? "return=representation" : (prefer ?? null);
      expect(answered.headers.get("preference-applied")).toBe(applied);
      // The work is done either way.
      const count = method === "DELETE" ? 0 : 1;
      expect(await countOf(address)).toMatchObject({ count });
    }
    const missing = await app.ask(method, `${playlistsOf()}nothing/${path}`, {
      headers: REPRESENTATION,
    });
    expect(missing).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("are found by its filters, where it is of that type: none can be added", async () => {
    const { address } = await make({ type: "filters", filters: { duration: 60 } });

    const refused = await app.ask("POST", `${address}recordings/one/`);

    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_input", attr: null } });
    expect(await countOf(address)).toEqual({ count: 0, watched_count: 0 });
    const removed = await app.ask("DELETE", `${address}recordings/one/`);
    expect(removed).toMatchObject({ status: 404 });
  });

  test("have ids of at most 200 characters", async () => {
    const { address } = await make();
    const add = (chars: number) => app.ask("POST", `${address}recordings/${"x".repeat(chars)}/`);
    expect((await add(200)).status).toBe(200);
    expect(await add(201)).toMatchObject({
      status: 400,
      body: { code: "too_long", attr: "session_recording_id" },
    });
  });
});

test("playlists and their recordings outlive the process", async () => {
  using directory = temporaryDirectory();
  const before = await (async () => {
    await using own = await testApp({ data: directory.path });
    app = own;
    const { address } = await make();
    await app.ask("POST", `${address}recordings/one/`);
    return { address, body: (await app.ask("GET", address)).body };
  })();

  await using second = await testApp({ data: directory.path });
  expect((await second.ask("GET", before.address)).body).toEqual(before.body as never);
});

test("GET /api/users/@me/ shows the owner of a key of any projects", async () => {
  await using own = await testApp();
  app = own;
  const key = await keyOf("bob@x.y", ["user:read"]);

  const { status, body } = await app.ask("GET", "/api/users/@me/", { key });

  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: 2,
    uuid: expect.any(String),
    distinct_id: expect.any(String),
    first_name: "",
    last_name: "",
    email: "bob@x.y",
    is_email_verified: false,
    hedgehog_config: {},
    role_at_organization: "",
  });
  expect(await me()).toMatchObject({ id: 1, email: "owner@localhost.localdomain" });
  expect(await app.ask("GET", "/api/users/1/")).toMatchObject({ status: 404 });
});
