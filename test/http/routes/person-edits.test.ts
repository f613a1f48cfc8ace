import { beforeEach, describe, expect, test } from "bun:test";
import { personWrites } from "../../../src/stores/sqlite/persons/writes.ts";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestProject, temporaryDirectory, testApp } from "../../support/start/app.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const newProject = sharedApp();
let app: TestProject;

beforeEach(async () => {
  app = await newProject();
});

type Shown = { id: number; uuid: string; distinct_ids: string[]; properties: object };
type Acted = {
  id: number;
  activity: string;
  user: { first_name: string; email: string | null; is_system: boolean };
  item_id: string;
  detail: { id: string; changes: object[]; merge: object | null; trigger: object | null };
  created_at: string;
};

const personsOf = () => `${app.api}/persons`;

const identified = (distinct_id: string, $set: object) =>
  event({ distinct_id, properties: { $set } });
const alias = (from: string, to: string) =>
  event({ event: "$create_alias", distinct_id: from, properties: { alias: to } });

const found = async (distinctId: string): Promise<Shown[]> =>
  ((await app.get(`/persons/?distinct_id=${distinctId}`)).body as { results: Shown[] }).results;
const personOf = async (distinctId: string): Promise<Shown> => {
  const [person] = await found(distinctId);
  if (person === undefined) throw new Error(`no person has ${distinctId}`);
  return person;
};
const post = (path: string, body?: unknown) =>
  app.ask("POST", personsOf() + path, body === undefined ? {} : { body });
const patch = (path: string, body: unknown) => app.ask("PATCH", personsOf() + path, { body });
const matching = async (key: string, value: string) => {
  const filter = encodeURIComponent(JSON.stringify({ key, value }));
  return ((await app.get(`/persons/?properties=${filter}`)).body as { count: number }).count;
};
const eventsOf = async (uuid: string) => {
  const { body } = await app.get(`/events/?person_id=${uuid}`);
  return (body as { results: { event: string }[] }).results.map((row) => row.event).toSorted();
};
/** Reads all pages from `start` on, and runs `then` after each. */
const walk = async (start: string, then: (page: Walked) => Promise<unknown>) => {
  const acted: Acted[] = [];
  const headers = { prefer: "return=representation" };
  for (let path: string | null = start; path !== null; ) {
    const page = (await app.get(path, { headers })).body as Walked;
    acted.push(...page.results);
    await then(page);
    path = page.next?.slice(`http://localhost:8000${app.api}`.length) ?? null;
    expect(acted.length).toBeLessThanOrEqual(page.total_count);
  }
  return acted;
};
type Walked = { results: Acted[]; next: string | null; total_count: number };
const activity = async (query = "?limit=100") =>
  ((await app.get(`/persons/activity/${query}`)).body as { results: Acted[] }).results;

/** The stored rows of deletions, of which the API shows a part. */
function deletionsIn() {
  const sqlite = openSqlite(`${app.directory}/hoglet.sqlite`);
  try {
    return sqlite.raw
      .query<Record<string, unknown>, [number]>("SELECT * FROM deletion_task WHERE project_id = ?")
      .all(app.id);
  } finally {
    sqlite.close();
  }
}

describe("PATCH of a person", () => {
  test("merges properties at once, where queries by property see it too", async () => {
    await app.capture(batch(identified("ann", { plan: "free", n: 1 })));
    const { id } = await personOf("ann");

    const answered = await patch(`/${id}/`, { properties: { plan: "pro", __proto__x: [1] } });

    const properties = { plan: "pro", n: 1, __proto__x: [1] };
    expect(answered).toMatchObject({ status: 200, body: { id, properties } });
    expect((await personOf("ann")).properties).toEqual(properties);
    expect(await matching("plan", "pro")).toBe(1);
    expect(await matching("plan", "free")).toBe(0);
  });

  test("keeps every key and value as it was sent", async () => {
    await app.capture(batch(event()));
    const { id } = await personOf("ann");
    const properties = '{"__proto__":{"a":[]},"list":["x",{"y":null}],"constructor":1,"0":"z"}';

    const answered = await app.ask("PATCH", `${personsOf()}/${id}/`, {
      body: `{"properties":${properties}}`,
      headers: { "content-type": "application/json" },
    });

    const kept = JSON.stringify((answered.body as Shown).properties);
    expect(JSON.parse(kept)).toEqual(JSON.parse(properties));
    expect(kept).toContain('"__proto__":{"a":[]}');
  });

  test("loses no update: neither earlier nor later events undo it", async () => {
    await app.capture(batch(identified("ann", { a: 0 })));
    const { id } = await personOf("ann");

    for (let n = 1; n <= 5; n += 1) {
      // Accepted, but not waited for.
      await app.ask("POST", "/batch/", {
        body: batch(identified("ann", { a: -n, [`e${n}`]: n })),
        key: null,
      });
      await patch(`/${id}/`, { properties: { a: n, [`p${n}`]: n } });
    }
    await app.capture(batch(identified("ann", { last: true })));

    const numbers = [1, 2, 3, 4, 5].flatMap((n) => [
      [`e${n}`, n],
      [`p${n}`, n],
    ]);
    expect((await personOf("ann")).properties).toEqual({
      a: 5,
      last: true,
      ...Object.fromEntries(numbers),
    });
  });

  test.each<[string, unknown, string, string | null]>([
    ["nothing in it", {}, "required", "properties"],
    ["no body", undefined, "required", "properties"],
    ["a list", { properties: [] }, "invalid_input", "properties"],
    ["a text", { properties: "x" }, "invalid_input", "properties"],
    ["too much", { properties: { big: "x".repeat(600_000) } }, "too_long", "properties"],
  ])("is refused with %s", async (_case, body, code, attr) => {
    await app.capture(batch(event()));
    const asked = body === undefined ? {} : { body };
    const refused = await app.ask("PATCH", `${personsOf()}/${(await personOf("ann")).id}/`, asked);
    expect(refused).toMatchObject({ status: 400, body: { code, attr } });
  });

  test("gives CSV if asked to, and one property by itself", async () => {
    await app.capture(batch(event()));
    const { id } = await personOf("ann");

    const table = await patch(`/${id}/?format=csv`, { properties: { plan: "pro" } });
    const one = await post(`/${id}/update_property/`, { key: "n", value: { deep: [null] } });

    expect(table.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(String(table.body)).toContain("properties.plan,uuid\r\n");
    expect(one).toMatchObject({ status: 202, body: "" });
    expect((await personOf("ann")).properties).toEqual({ plan: "pro", n: { deep: [null] } });
    for (const body of [{}, { key: "n" }, { value: 1 }]) {
      expect((await post(`/${id}/update_property/`, body)).status).toBe(400);
    }
  });
});

describe("delete_property", () => {
  test.each<[string, unknown]>([
    ["?$unset=plan", undefined],
    ["?%24unset=plan", { properties: {} }],
    ["", { $unset: "plan" }],
  ])("removes the key of %j %j, and an unknown one is no error", async (query, body) => {
    await app.capture(batch(identified("ann", { plan: "pro", n: 1 })));
    const { id } = await personOf("ann");

    for (const _again of [1, 2]) {
      const answered = await post(`/${id}/delete_property/${query}`, body);
      expect(answered).toMatchObject({ status: 201, body: { success: true } });
    }

    expect((await personOf("ann")).properties).toEqual({ n: 1 });
    expect(await matching("plan", "pro")).toBe(0);
    await app.capture(batch(identified("ann", { m: 2 })));
    expect((await personOf("ann")).properties).toEqual({ n: 1, m: 2 });
  });

  test("refuses different names in the address and in the body", async () => {
    await app.capture(batch(identified("ann", { plan: "pro", n: 1 })));
    const { id } = await personOf("ann");
    const remove = (name: unknown) => post(`/${id}/delete_property/?$unset=plan`, { $unset: name });
    for (const name of ["n", ["plan", "n"], [], ""]) {
      expect(await remove(name)).toMatchObject({ status: 400, body: { attr: "$unset" } });
    }
    expect((await personOf("ann")).properties).toEqual({ plan: "pro", n: 1 });
    expect((await remove(["plan"])).status).toBe(201);
    expect((await personOf("ann")).properties).toEqual({ n: 1 });
  });

  test.each(["?$unset=", ""])("removes the empty key, which can be set: %j", async (query) => {
    await app.capture(batch(identified("ann", { plan: "pro" })));
    const { id } = await personOf("ann");
    const set = await post(`/${id}/update_property/`, { key: "", value: 1 });
    expect(set.status).toBe(202);
    expect((await personOf("ann")).properties).toEqual({ plan: "pro", "": 1 });

    const body = query === "" ? { $unset: "" } : undefined;
    expect((await post(`/${id}/delete_property/${query}`, body)).status).toBe(201);

    expect((await personOf("ann")).properties).toEqual({ plan: "pro" });
  });

  test.each([[undefined], [{}], [{ properties: {} }]])("needs a key: %j", async (body) => {
    await app.capture(batch(event()));
    const { id } = await personOf("ann");
    expect(await post(`/${id}/delete_property/`, body)).toMatchObject({
      status: 400,
      body: { code: "required", attr: "$unset" },
    });
    const table = await post(`/${id}/delete_property/?$unset=x&format=csv`);
    expect([table.status, table.body]).toEqual([201, "success\r\ntrue\r\n"]);
  });
});

describe("DELETE of a person", () => {
  test.each([
    ["", 0],
    ["?delete_events=false", 0],
    ["?delete_events=False", 0],
    ["?delete_events=0", 0],
    ["?delete_events=true", 1],
    ["?delete_events=True", 1],
    ["?delete_events=1", 1],
  ])("%s queues %i deletions of events; the person is gone everywhere", async (query, queued) => {
    await app.capture(
      batch(identified("ann", { email: "ann@x.y", plan: "pro" }), event({ distinct_id: "bob" })),
    );
    const { id, uuid } = await personOf("ann");

    const answered = await app.ask("DELETE", `${personsOf()}/${id}/${query}`);

    expect(answered).toMatchObject({ status: 204, body: "" });
    expect((await app.get(`/persons/${id}/`)).status).toBe(404);
    expect((await app.get(`/persons/${uuid}/`)).status).toBe(404);
    expect((await app.ask("DELETE", `${personsOf()}/${id}/`)).status).toBe(404);
    expect((await app.get("/persons/")).body).toMatchObject({ count: 1 });
    for (const search of [
      "?distinct_id=ann",
      "?email=ann%40x.y",
      "?search=ann%40",
      "?search=n%40",
    ]) {
      expect((await app.get(`/persons/${search}`)).body).toMatchObject({ count: 0 });
    }
    expect(await matching("plan", "pro")).toBe(0);
    expect((await app.get("/persons/deletion_status/")).body).toMatchObject({ count: queued });
    expect(await eventsOf(uuid)).toEqual(["tested"]);
  });

  test.each(
    ["delete_events", "keep_person"].flatMap((attr) =>
      ["yes", "2", "null", ""].map((value): [string, string] => [attr, value]),
    ),
  )("refuses %s=%s, which is no boolean", async (attr, value) => {
    await app.capture(batch(event()));
    const { id } = await personOf("ann");
    const refused = await app.ask("DELETE", `${personsOf()}/${id}/?${attr}=${value}`);
    const body = { attr, detail: "Either true or false is expected." };
    expect(refused).toMatchObject({ status: 400, body });
    expect(await found("ann")).toHaveLength(1);
  });

  test.each([
    ["?keep_person=true", 400, 0],
    ["?keep_person=true&delete_events=false", 400, 0],
    ["?keep_person=TRUE&delete_events=1", 204, 1],
  ])(
    "%s keeps the person, answers %i, and queues %i deletions of events",
    async (query, status, queued) => {
      await app.capture(batch(identified("ann", { plan: "pro" })));
      const before = await personOf("ann");

      const answered = await app.ask("DELETE", `${personsOf()}/${before.id}/${query}`);

      const refused = {
        attr: "keep_person",
        detail: expect.stringContaining("delete_events=true"),
      };
      expect(answered).toMatchObject({ status, body: status === 400 ? refused : "" });
      expect(await personOf("ann")).toEqual(before);
      expect(deletionsIn()).toMatchObject(
        Array(queued).fill({ kind: "weekly", person_id: before.id }),
      );
      const acted = (await activity()).map((one) => one.activity);
      expect(acted).toEqual(Array(queued).fill("delete_events"));
      const unknown = await app.ask("DELETE", `${personsOf()}/999/${query}`);
      expect(unknown.status).toBe(status === 400 ? 400 : 404);
    },
  );

  test("leaves its distinct ids for a new person, who owns the events that were kept", async () => {
    await app.capture(
      batch(identified("ann", { plan: "pro" }), event({ event: "early", distinct_id: "anon" })),
    );
    await app.capture(batch(alias("anon", "ann"), event({ event: "late", distinct_id: "anon" })));
    const before = await personOf("ann");

    await app.ask("DELETE", `${personsOf()}/${before.id}/`);
    await app.capture(
      batch(event({ event: "again" }), event({ event: "anew", distinct_id: "anon" })),
    );

    const [ann, anon] = [await personOf("ann"), await personOf("anon")];
    expect(ann).toMatchObject({ uuid: before.uuid, distinct_ids: ["ann"], properties: {} });
    expect(ann.id).toBeGreaterThan(before.id);
    expect(await eventsOf(ann.uuid)).toEqual(["again", "tested"]);
    expect(await eventsOf(anon.uuid)).toEqual(["$create_alias", "anew", "early", "late"]);
    expect((await app.get("/persons/")).body).toMatchObject({ count: 2 });
    await app.capture(batch(alias("anon", "ann")));
    expect(await eventsOf(ann.uuid)).toHaveLength(7);
  });

  test("leaves no word of the person in SQLite's file, also of persons merged into it", async () => {
    using directory = temporaryDirectory();
    const own = await testApp({ data: directory.path });
    app = own;
    const secrets = ["first-secret", "second-secret", "third-secret"] as const;
    await app.capture(batch(...secrets.map((id) => identified(id, { email: `${id}@x.y` }))));
    await app.capture(batch(alias("first-secret", "second-secret")));
    const { id } = await personOf("second-secret");
    await patch(`/${id}/`, { properties: { note: "fourth-secret" } });
    await app.ask("DELETE", `${personsOf()}/${id}/`);
    await own[Symbol.asyncDispose]();

    const file = await Bun.file(`${directory.path}/hoglet.sqlite`).text();
    const left = [...secrets, "fourth-secret"].filter((secret) => file.includes(secret));
    expect(left).toEqual(["third-secret"]);
  });

  test("is not undone by events that were accepted before it", async () => {
    await app.capture(batch(event()));
    const { id } = await personOf("ann");

    await app.ask("POST", "/batch/", { body: batch(identified("ann", { late: 1 })), key: null });
    await app.ask("DELETE", `${personsOf()}/${id}/`);
    await app.app.ingest.caughtUp();

    expect(await found("ann")).toEqual([]);
  });

  test("is known to the event store after a restart that loses its copy of persons", async () => {
    using directory = temporaryDirectory();
    const data = directory.path;
    const first = await testApp({ data });
    app = first;
    await app.capture(batch(identified("ann", { plan: "pro" }), identified("anon", { n: 1 })));
    await app.capture(batch(alias("anon", "ann")));
    const { id } = await personOf("ann");
    await first[Symbol.asyncDispose]();
    // As after a kill between both stores' commits.
    const sqlite = openSqlite(`${data}/hoglet.sqlite`);
    const by = { user_id: 1, at: "2026-11-21T12:00:00.000000Z" };
    const ids = [id];
    await personWrites(sqlite).apply({ kind: "remove", project_id: 1, ids, by, events: undefined });
    sqlite.close();

    await using second = await testApp({ data });
    app = second;
    await app.capture(batch(event({ event: "anew", distinct_id: "anon" })));

    expect(await matching("plan", "pro")).toBe(0);
    expect(await eventsOf((await personOf("anon")).uuid)).toEqual([
      "$create_alias",
      "anew",
      "tested",
    ]);
  });
});

describe("deletions of events", () => {
  test("keep whose events up to where, and are listed newest first", async () => {
    await using own = await testApp();
    app = own;
    await app.capture(batch(event(), event({ distinct_id: "anon" })));
    const anon = await personOf("anon");
    await app.capture(batch(alias("anon", "ann"), event({ distinct_id: "bob" })));
    const [ann, bob] = [await personOf("ann"), await personOf("bob")];

    expect(await post(`/${ann.id}/delete_events/`)).toMatchObject({ status: 200, body: "" });
    app.clock.now += 60_000;
    await app.ask("DELETE", `${personsOf()}/${bob.id}/?delete_events=true`);

    expect(deletionsIn()).toMatchObject([
      {
        ...{ project_id: 1, person_id: ann.id, person_uuid: ann.uuid, kind: "nightly" },
        uuids: JSON.stringify([ann.uuid, anon.uuid]),
        distinct_ids: JSON.stringify(["ann", "anon"]),
        ...{ journal_seq: 4, state: "queued", attempts: 0, requested_by: 1 },
      },
      { person_uuid: bob.uuid, kind: "weekly", distinct_ids: '["bob"]', journal_seq: 4 },
    ]);
    const shown = {
      status: "pending",
      attempts: 0,
      error: null,
      counts: null,
      delete_verified_at: null,
    };
    const [first, second] = [
      {
        id: 1,
        person_uuid: ann.uuid,
        kind: "nightly",
        created_at: "2026-11-21T12:00:00.000000Z",
        ...shown,
      },
      {
        id: 2,
        person_uuid: bob.uuid,
        kind: "weekly",
        created_at: "2026-11-21T12:01:00.000000Z",
        ...shown,
      },
    ];
    const listed = async (query: string) =>
      (await app.get(`/persons/deletion_status/${query}`)).body;
    expect(await listed("")).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [second, first] as never,
    });
    expect(await listed(`?person_uuid=${ann.uuid}`)).toMatchObject({
      count: 1,
      results: [first] as never,
    });
    expect(await listed("?status=pending&limit=1")).toMatchObject({
      count: 2,
      results: [second] as never,
    });
    expect(await listed("?status=completed")).toMatchObject({ count: 0 });
    expect(await listed("?status=x")).toMatchObject({ code: "invalid_choice", attr: "status" });
    expect(await listed("?person_uuid=x")).toMatchObject({
      code: "invalid_input",
      attr: "person_uuid",
    });
  });

  test("asked for twice are one, brought up to date, unless less is asked for", async () => {
    await using own = await testApp();
    app = own;
    await app.capture(batch(event(), event({ distinct_id: "anon" })));
    await app.capture(batch(alias("anon", "ann")));
    const { id } = await personOf("ann");
    await post(`/${id}/delete_events/`);
    await app.capture(batch(event()));

    await post(`/${id}/delete_events/`);
    expect(deletionsIn()).toMatchObject([{ journal_seq: 4 }]);
    await post(`/${id}/split/`, { main_distinct_id: "ann" });
    await post(`/${id}/delete_events/`);
    expect(deletionsIn()).toMatchObject([
      { journal_seq: 4, distinct_ids: '["ann","anon"]' },
      { journal_seq: 4, distinct_ids: '["ann"]' },
    ]);
  });

  test("need a person", async () => {
    expect((await post("/1/delete_events/")).status).toBe(404);
    expect((await post("/x/delete_events/")).status).toBe(400);
  });
});

describe("bulk_delete", () => {
  test("deletes by id, uuid or distinct id, passes over strangers, and counts", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    await app.capture(batch(...ids.map((distinct_id) => event({ distinct_id }))));
    const [a, b] = [await personOf("a"), await personOf("b")];
    const second = await app.app.projects.create({ name: "second" });
    const other = `/api/environments/${second.id}/persons/bulk_delete/`;

    expect((await app.ask("POST", other, { body: { ids: [a.id] } })).body).toMatchObject({
      code: "not_found",
    });
    expect(await post("/bulk_delete/", { ids: [a.id, String(a.id), b.uuid, 999] })).toMatchObject({
      status: 202,
      body: {
        ...{ persons_found: 2, persons_deleted: 2, ids_not_found: 1 },
        events_queued_for_deletion: 0,
      },
    });
    const byDistinctId = { distinct_ids: ["c", "d", "nobody"], delete_events: true };
    expect((await post("/bulk_delete/", byDistinctId)).body).toEqual({
      ...{ persons_found: 2, ids_not_found: 1 },
      persons_deleted: 2,
      events_queued_for_deletion: 2,
      recordings_queued_for_deletion: 0,
      deletion_errors: [],
    });
    expect((await app.get("/persons/")).body).toMatchObject({ count: 1 });
    expect((await app.get("/persons/deletion_status/")).body).toMatchObject({ count: 2 });
  });

  test("keeps persons whose events alone are to go", async () => {
    await app.capture(batch(event(), event({ distinct_id: "bob" })));
    const kept = { distinct_ids: ["ann", "bob", "nobody"], keep_person: true };
    const counts = { persons_found: 2, persons_deleted: 0 };

    expect(await post("/bulk_delete/", kept)).toMatchObject({
      status: 400,
      body: { attr: "keep_person" },
    });
    expect(deletionsIn()).toEqual([]);
    expect((await post("/bulk_delete/", { ...kept, delete_events: true })).body).toMatchObject({
      ...counts,
      events_queued_for_deletion: 2,
    });
    expect(deletionsIn()).toHaveLength(2);
    expect((await app.get("/persons/")).body).toMatchObject({ count: 2 });
    const odd = await post("/bulk_delete/", { ...kept, keep_person: "true" });
    expect(odd).toMatchObject({ status: 400, body: { attr: "keep_person" } });
  });

  test.each<[string, object, string, string]>([
    ["no ids", {}, "required", "ids"],
    ["an empty list", { ids: [], delete_events: true }, "required", "ids"],
    ["a list of no distinct id", { distinct_ids: [] }, "required", "distinct_ids"],
    ["both ways", { ids: [1], distinct_ids: ["a"] }, "invalid_input", "ids"],
    ["a text that is no id", { ids: ["x"] }, "invalid_input", "ids"],
    ["a number in a text", { ids: "34" }, "invalid_input", "ids"],
    ["an empty text", { ids: "" }, "invalid_input", "ids"],
    ["a number", { ids: 5 }, "invalid_input", "ids"],
    ["an object", { ids: { 0: 1 } }, "invalid_input", "ids"],
    ["a text", { ids: [1], delete_events: "no" }, "invalid_input", "delete_events"],
    [
      "too many",
      { distinct_ids: Array.from({ length: 1001 }, String) },
      ...(["too_long", "distinct_ids"] as const),
    ],
  ])("refuses %s", async (_case, body, code, attr) => {
    const refused = await post("/bulk_delete/", body);
    expect(refused).toMatchObject({ status: 400, body: { code, attr } });
  });
});

describe("activity", () => {
  test("tells who did what and when, with the properties before and after", async () => {
    await app.capture(batch(identified("ann", { plan: "free", n: 1, email: "a@x.y" })));
    const { id, uuid } = await personOf("ann");

    await patch(`/${id}/`, { properties: { plan: "pro", n: 1, new: true } });
    await patch(`/${id}/`, { properties: { plan: "pro" } });
    app.clock.now += 1000;
    await post(`/${id}/delete_property/?$unset=n`);
    await post(`/${id}/delete_events/`);

    const [events, unset, update, ...others] = await activity();
    expect(others).toEqual([]);
    expect(update).toEqual({
      id: expect.any(Number),
      user: { first_name: "", email: "owner@localhost.localdomain", is_system: false },
      activity: "updated",
      scope: "Person",
      item_id: String(id),
      detail: {
        id: uuid,
        changes: [
          {
            ...{ type: "Person", action: "changed", field: "properties" },
            ...{ before: { plan: "free" }, after: { plan: "pro", new: true } },
          },
        ],
        ...{ merge: null, trigger: null, name: uuid },
      },
      created_at: "2026-11-21T12:00:00.000000Z",
    } as never);
    expect(unset).toMatchObject({
      activity: "delete_property",
      detail: { changes: [{ action: "deleted", before: { n: 1 }, after: {} }] },
      created_at: "2026-11-21T12:00:01.000000Z",
    });
    expect(events).toMatchObject({ activity: "delete_events" });
  });

  test("tells of merges, once each, and of splits", async () => {
    await app.capture(batch(event({ distinct_id: "anon" }), identified("ann", { plan: "pro" })));
    const anon = await personOf("anon");
    const merge = { ...alias("anon", "ann"), timestamp: "2026-11-20T01:02:03Z" };
    await app.capture(batch(merge));
    await app.capture(batch(merge));
    const ann = await personOf("ann");
    await post(`/${ann.id}/split/`, { main_distinct_id: "ann" });

    const all = await activity();
    expect(all.map((one) => [one.activity, one.item_id, one.user.is_system])).toEqual([
      ["split_from", String(anon.id), false],
      ["split_person", String(ann.id), false],
      ["merged_into", String(anon.id), true],
      ["people_merged_into", String(ann.id), true],
    ]);
    expect(all[3]).toMatchObject({
      user: { first_name: "System", email: null },
      detail: {
        merge: { source: { uuid: anon.uuid }, target: { uuid: ann.uuid } },
        trigger: { job_type: "event", job_id: merge.uuid },
      },
      created_at: "2026-11-20T01:02:03.000000Z",
    });
    expect(all[1]?.detail.changes).toMatchObject([{ before: ["ann", "anon"], after: ["ann"] }]);
  });

  test("tells what a merge brought, until a split or deletion takes it away", async () => {
    const timestamp = "2026-11-01T00:00:00Z";
    await app.capture(batch({ ...identified("anon", { plan: "free", ref: "ad" }), timestamp }));
    await app.capture(batch(identified("ann", { plan: "pro" })));
    const { created_at } = (await personOf("ann")) as Shown & { created_at: string };
    await app.capture(batch(alias("anon", "ann")));
    const brought = async () => {
      const all = await activity();
      return all.find((one) => one.activity === "people_merged_into")?.detail.changes;
    };

    expect(await brought()).toMatchObject([
      { field: "properties", before: {}, after: { ref: "ad" } },
      { field: "created_at", before: created_at, after: "2026-11-01T00:00:00.000000Z" },
    ]);
    await post(`/${(await personOf("ann")).id}/split/`, { main_distinct_id: "ann" });
    expect(await brought()).toEqual([]);
    await app.ask("DELETE", `${personsOf()}/${(await personOf("anon")).id}/`);
    expect(JSON.stringify(await activity())).not.toContain('"ad"');
  });

  test("outlives the person, by both ids, without its values", async () => {
    await app.capture(batch(event({ distinct_id: "anon" }), identified("ann", { plan: "secret" })));
    const anon = await personOf("anon");
    await patch(`/${anon.id}/`, { properties: { plan: "hidden", gained: "known" } });
    await app.capture(batch(alias("anon", "ann")));
    const { id, uuid } = await personOf("ann");
    await patch(`/${id}/`, { properties: { plan: "known" } });

    await app.ask("DELETE", `${personsOf()}/${id}/`);

    const all = await activity();
    expect(all.map((one) => one.activity)).toEqual([
      ...["deleted", "updated", "merged_into", "people_merged_into", "updated"],
    ]);
    expect(JSON.stringify(all)).not.toMatch(/secret|hidden|known/);
    for (const one of [id, uuid, anon.id]) {
      expect(await app.get(`/persons/${one}/activity/`)).toMatchObject({ status: 200, body: "" });
    }
    expect((await app.get("/persons/999/activity/")).status).toBe(404);
    expect((await app.get("/persons/x/activity/")).status).toBe(400);
  });

  test("keeps changes of persons that the deleted one was split off from before, or merged into later", async () => {
    await app.capture(batch(...["ann", "fay", "cat"].map((id) => identified(id, { n: 0 }))));
    const ann = await personOf("ann");
    await app.capture(batch(alias("fay", "ann")));
    await post(`/${ann.id}/split/`, { main_distinct_id: "ann" });
    await post(`/${ann.id}/update_property/`, { key: "own", value: "kept" });
    const fay = await personOf("fay");
    await app.capture(batch(alias("cat", "fay")));
    await post(`/${fay.id}/update_property/`, { key: "n", value: "gone" });
    await post(`/${fay.id}/split/`, { main_distinct_id: "fay" });
    const cat = await personOf("cat");

    await app.ask("DELETE", `${personsOf()}/${cat.id}/`);

    const updates = (await activity()).filter((one) => one.activity === "updated");
    expect(updates.map((one) => [one.item_id, one.detail.changes])).toMatchObject([
      [String(fay.id), []],
      [String(ann.id), [{ after: { own: "kept" } }]],
    ]);
  });

  test("forgets what a person brought, also when it goes as a part of another", async () => {
    await app.capture(batch(identified("anon", { plan: "secret" }), identified("ann", { n: 1 })));
    await app.capture(batch(alias("anon", "ann"), identified("bob", { n: 2 })));
    const [ann, bob] = [await personOf("ann"), await personOf("bob")];
    await post(`/${ann.id}/update_property/`, { key: "plan", value: "pro" });
    await post(`/${ann.id}/split/`, { main_distinct_id: "ann" });
    await app.capture(batch(alias("anon", "bob")));
    await post(`/${ann.id}/update_property/`, { key: "n", value: "kept" });

    await app.ask("DELETE", `${personsOf()}/${bob.id}/`);

    const all = await activity();
    expect(JSON.stringify(all)).not.toMatch(/secret|anon/);
    const ofAnn = all.filter((one) => one.item_id === String(ann.id));
    expect(ofAnn.map((one) => [one.activity, one.detail.changes])).toMatchObject([
      ["updated", [{ before: { n: 1 }, after: { n: "kept" } }]],
      ["split_person", [{ before: ["ann"], after: ["ann"] }]],
      ["updated", []],
      ["people_merged_into", []],
    ]);
    expect(ofAnn[2]?.user.is_system).toBe(false);
  });

  test("is that of one person by its integer id, and of all who had it by a uuid", async () => {
    await app.capture(batch(identified("ann", { plan: "free" })));
    const dead = await personOf("ann");
    await app.ask("DELETE", `${personsOf()}/${dead.id}/`);
    await app.capture(batch(identified("ann", { plan: "pro" })));
    const again = await personOf("ann");
    await patch(`/${again.id}/`, { properties: { plan: "team" } });
    const activities = async (id: number | string) => {
      const headers = { prefer: "return=representation" };
      const { body } = await app.get(`/persons/${id}/activity/`, { headers });
      return (body as { results: Acted[] }).results.map((one) => one.activity);
    };

    expect(again.uuid).toBe(dead.uuid);
    expect(await activities(again.id)).toEqual(["updated"]);
    expect(await activities(dead.id)).toEqual(["deleted"]);
    expect(await activities(again.uuid)).toEqual(["updated", "deleted"]);
    await app.ask("DELETE", `${personsOf()}/${again.id}/`);
    expect(await activities(again.uuid)).toEqual(["deleted", "updated", "deleted"]);
  });

  test("comes in pages by number, and as CSV", async () => {
    await app.capture(batch(event()));
    const { id } = await personOf("ann");
    for (let n = 0; n < 5; n += 1) await patch(`/${id}/`, { properties: { n } });

    const page = (await app.get("/persons/activity/?limit=2&page=2")).body as Record<
      string,
      unknown
    >;
    const table = await app.get("/persons/activity/?format=csv&limit=1");
    const empty = await app.get("/persons/activity/?format=csv&page=9");

    expect(page).toMatchObject({
      total_count: 5,
      next: expect.stringMatching(/\/persons\/activity\/\?limit=2&page=3&cursor=%5B\d+%5D$/),
      previous: `http://localhost:8000${app.api}/persons/activity/?limit=2&page=1`,
    });
    expect(await activity("?limit=2&page=3")).toHaveLength(1);
    expect(String(table.body).split("\r\n")).toHaveLength(3);
    expect(empty.body).toBe(
      "activity,created_at,detail.id,detail.name,id,item_id,scope,user.email,user.first_name,user.is_system\r\n",
    );
    for (const wrong of [
      ...["page=0", "cursor=x", 'cursor=["a"]', "limit=-1", "page=x", "page=9007199254740991"],
    ]) {
      expect((await app.get(`/persons/activity/?${wrong}`)).status).toBe(400);
    }
  });

  test("is walked along once each while more is done", async () => {
    await app.capture(batch(event()));
    const { id } = await personOf("ann");
    const change = (n: number) => patch(`/${id}/`, { properties: { n } });
    for (let n = 0; n < 7; n += 1) await change(n);

    for (const start of ["/persons/activity/?limit=3", `/persons/${id}/activity/?limit=3`]) {
      const before = await walk(start, async () => {});
      const during = await walk(start, () => change(8));

      expect(during.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    }
  });

  test("is whole on each page, also as a table, however large the changes are", async () => {
    await app.capture(batch(event()));
    const { id } = await personOf("ann");
    const large = "x".repeat(400_000);
    for (let n = 0; n < 25; n += 1) {
      const edited = await patch(`/${id}/`, { properties: { large: `${n}${large}` } });
      expect(edited.status).toBe(200);
    }

    const pages: number[] = [];
    const all = await walk("/persons/activity/?limit=22", async (page) => {
      pages.push(page.results.length);
    });
    const second = await activity("?limit=22&page=2");
    const table = await app.get("/persons/activity/?limit=100&format=csv");

    expect(pages).toEqual([22, 3]);
    expect(second).toEqual(all.slice(22));
    const text = (n: number) => ({ large: `${n}${large}` });
    expect(all.map((one) => one.detail.changes)).toEqual(
      Array.from({ length: 25 }, (_, at) => [
        expect.objectContaining({ before: at === 24 ? {} : text(23 - at), after: text(24 - at) }),
      ]),
    );
    const lines = String(table.body).split("\r\n");
    expect(lines.length).toBe(27);
    expect(lines[1]).toContain(`24${large}`);
    expect(lines[25]).toContain(`0${large}`);
  });
});
