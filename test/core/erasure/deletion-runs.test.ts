import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Receipt } from "../../../src/core/erasure/deletion.ts";
import { LOG_DISTINCT_ID_KEYS } from "../../../src/core/logs/record.ts";
import { ROW_GROUP_ROWS } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { openPersonStore } from "../../support/answers/sqlite.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { logsBody } from "../../support/data/logs.ts";
import { findPlanted } from "../../support/disk/bytes-on-disk.ts";
import { type TestApp, temporaryDirectory, testApp } from "../../support/start/app.ts";

setDefaultTimeout(60_000);

const PERSONS = "/api/environments/1/persons";

type Listed<Row> = { count: number; results: Row[] };
type Stored = { uuid: string; event: string; distinct_id: string; person_id: string };

const personOf = async (app: TestApp, distinctId: string) => {
  const found = await app.get(`/persons/?distinct_id=${distinctId}`);
  const [person] = (found.body as Listed<{ id: number; uuid: string }>).results;
  if (person === undefined) throw new Error(`nobody has ${distinctId}`);
  return person;
};

const eventsOf = async (app: TestApp, distinctId: string) =>
  ((await app.get(`/events/?limit=1000&distinct_id=${distinctId}`)).body as Listed<Stored>).results;

const namesOf = async (app: TestApp, distinctId: string) =>
  (await eventsOf(app, distinctId)).map((row) => row.event).toSorted();

/** Asks for the deletion of a person with its events. */
async function remove(app: TestApp, distinctId: string, query = "?delete_events=true") {
  const { id, uuid } = await personOf(app, distinctId);
  expect((await app.ask("DELETE", `${PERSONS}/${id}/${query}`)).status).toBe(204);
  return uuid;
}

/** Asks for the deletion of a person's events. */
async function removeEvents(app: TestApp, distinctId: string) {
  const { id } = await personOf(app, distinctId);
  expect((await app.ask("POST", `${PERSONS}/${id}/delete_events/`)).status).toBe(200);
}

/** Changes a person by one of its actions. */
async function edit(app: TestApp, { id }: { id: number }, action: string, body: object) {
  const { status } = await app.ask("POST", `${PERSONS}/${id}/${action}`, { body });
  expect(status).toBeOneOf([201, 202]);
}

async function activityOf(app: TestApp, { id }: { id: number }) {
  const headers = { prefer: "return=representation" };
  const { body } = await app.get(`/persons/${id}/activity/?limit=100`, { headers });
  return (body as Listed<{ activity: string; detail: { changes: object[] } }>).results;
}

const sqliteFiles = (found: object) =>
  Object.keys(found).filter((file) => file.startsWith("hoglet.sqlite"));

const statuses = async (app: TestApp) => {
  const { body } = await app.get("/persons/deletion_status/");
  return (body as Listed<{ status: string }>).results.map(({ status }) => status);
};

const files = ({ directory }: TestApp) => readdirSync(join(directory, "events")).toSorted();

const named = (name: string, distinct_id: string, fields: object = {}) =>
  event({ event: name, distinct_id, ...fields });

let tokens = 0;
/** A text that is nowhere else. */
function token(): string {
  tokens += 1;
  return `planted-${tokens}-${crypto.randomUUID()}`;
}

describe("deleted means gone", () => {
  test("S47: no byte of a person is left in any file, raw or in a frame, and all others stay", async () => {
    await using app = await testApp({ flags: { "--memory": "128" } });
    const rowGroups = 5;
    const texts = Array.from({ length: 120 }, token);
    const every = Math.floor((rowGroups * ROW_GROUP_ROWS) / texts.length);
    const [id, anonymous, name, was] = [token(), token(), token(), token()];
    const [patched, logged, late] = [token(), token(), token()];
    const email = `${token()}@x.y`;
    await app.ask("POST", "/batch/", {
      key: null,
      body: batch(
        named("before", anonymous, { properties: { $set: { was } } }),
        named("$identify", id, {
          properties: { $anon_distinct_id: anonymous, $set: { name, email } },
        }),
        named("$create_alias", id, { properties: { alias: id } }),
        named("of another", "carl"),
      ),
    });
    for (let from = 0; from < every * texts.length; from += 4096) {
      const events = Array.from(
        { length: Math.min(4096, every * texts.length - from) },
        (_, at) => {
          const secret = (from + at) % every === 0 ? texts[(from + at) / every] : undefined;
          const pad = Bun.hash(String(from + at))
            .toString(36)
            .repeat(8);
          const distinct_id = secret === undefined ? `user-${(from + at) % 997}` : id;
          return event({ distinct_id, properties: { pad, secret } });
        },
      );
      await app.ask("POST", "/batch/", { body: batch(...events), key: null });
    }
    await sendLogs(app, [id, "bob"], logged);
    // Another's deletion has all of it archived and the journal emptied.
    await removeEvents(app, "carl");
    await app.app.deletionRuns.run();
    await app.capture(batch(named("late", id, { properties: { late } })));
    const person = await personOf(app, id);
    const path = `${PERSONS}/${person.id}/`;
    await app.ask("PATCH", path, { body: { properties: { patched } } });
    const uuid = await remove(app, id);
    plantLeftovers(app, { id, uuid, text: was });

    const before = await findPlanted(app.directory, [...texts, late, logged, name, patched]);
    expect(before["2.duckdb in frames"]?.length).toBeGreaterThanOrEqual(80);
    expect(inArchive(before, texts).size).toBe(texts.length);
    expect(inArchive(before, [logged]).size).toBe(1);
    expect(Object.entries(before).filter(([file]) => file.endsWith(".journal"))).toEqual([
      [expect.any(String), [late]],
    ]);
    for (const file of ["2.duckdb.wal", "hoglet.sqlite"]) {
      const inside = Object.keys(before).filter((name) => name.startsWith(file));
      expect(inside.flatMap((name) => before[name] ?? [])).toContain(patched);
    }

    expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });

    const all = [...texts, id, anonymous, name, was, email, patched, logged, late];
    expect(await findPlanted(app.directory, all)).toEqual({});
    const { count } = (await app.get("/events/?limit=1")).body as { count: number };
    expect(count).toBe((every - 1) * texts.length);
    expect(files(app)).toEqual(["3.duckdb"]);
    expect(await statuses(app)).toEqual(["completed", "completed"]);
    expect((await app.app.deletionDesk.receipt(2)).counts).toMatchObject({
      ...{ events: texts.length + 4, logs: 1, warnings: 1, dead_letters: 1 },
    });
    const letters = readFileSync(join(app.directory, "dead-letters.ndjson"), "utf8");
    expect(letters.trim().split("\n")).toHaveLength(1);
    const archived = await findPlanted(join(app.directory, "archive"), ["log of bob"]);
    expect(Object.keys(archived).length).toBeGreaterThan(0);
    // Nor does what was in memory come back with what is written next.
    await fill(app, 2 * ROW_GROUP_ROWS);
    expect(await findPlanted(join(app.directory, "events"), all)).toEqual({});
  });

  test("S47: a person whose events stay loses what the person store held, in every file", async () => {
    await using app = await testApp({ now: Date.parse("2026-11-21T12:00:00Z") });
    const [told, email] = [token(), `${token()}@x.y`];
    const kept = token();
    await app.capture(
      batch(
        named("kept", "ann", { properties: { kept } }),
        named("told", "ann", { properties: { $set: { told, email } } }),
        named("other", "bob"),
      ),
    );
    const { id } = await personOf(app, "ann");
    const [patched, before] = [token(), token()];
    for (const value of [before, patched]) {
      await app.ask("PATCH", `${PERSONS}/${id}/`, { body: { properties: { value } } });
    }
    // What only the person store holds is in the event store's projection of it, too.
    expect(Object.keys(await findPlanted(app.directory, [patched])).toSorted()).toEqual([
      expect.stringMatching(/^1\.duckdb/),
      expect.stringMatching(/^hoglet\.sqlite/),
    ]);

    await remove(app, "ann", "");
    await app.app.deletionRuns.run();

    expect(await namesOf(app, "ann")).toEqual(["kept", "told"]);
    expect(await findPlanted(app.directory, [patched, before])).toEqual({});
    // The second event tells the others too, and stays: so only the event store and its archive have them.
    const found = await findPlanted(app.directory, [told, email]);
    const ofEvents = /^2\.duckdb|\.parquet/;
    expect(Object.keys(found).filter((file) => !ofEvents.test(file))).toEqual([]);
    const { body } = await app.get("/persons/");
    expect(body).toMatchObject({ count: 1 });
    expect(JSON.stringify(body)).not.toContain(told);
  });

  test.each([
    ["a person of its own before", "apart"],
    ["never stored before it was merged", "at once"],
  ])(
    "the activity of others loses the data of a deleted person that was split off: %s",
    async (_case, came) => {
      await using app = await testApp();
      const [inner, between] = [token(), token()];
      const [patched, removed, changed] = [token(), token(), token()];
      const first = named("seen", inner, { properties: { $set: { patched, removed } } });
      const merged = named("$create_alias", inner, { properties: { alias: between } });
      await app.capture(
        batch(named("seen", "ann"), named("seen", between, { properties: { $set: { changed } } })),
      );
      for (const events of came === "apart" ? [[first], [merged]] : [[first, merged]]) {
        await app.capture(batch(...events));
      }
      const middle = await personOf(app, between);
      await edit(app, middle, "update_property/", { key: "patched", value: 1 });
      await app.capture(batch(named("$create_alias", between, { properties: { alias: "ann" } })));
      const ann = await personOf(app, "ann");
      await edit(app, ann, "delete_property/", { $unset: "removed" });
      await edit(app, ann, "update_property/", { key: "changed", value: 1 });
      await edit(app, ann, "split/", { distinct_ids_to_split: [inner] });
      await edit(app, ann, "update_property/", { key: "between splits", value: 1 });
      expect(sqliteFiles(await findPlanted(app.directory, [patched]))).not.toEqual([]);
      expect(sqliteFiles(await findPlanted(app.directory, [removed]))).not.toEqual([]);

      await remove(app, inner);
      expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });
      expect(await findPlanted(app.directory, [inner, patched, removed])).toEqual({});

      await edit(app, ann, "split/", { distinct_ids_to_split: [between] });
      await edit(app, ann, "update_property/", { key: "after", value: 1 });
      await remove(app, between);
      expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });
      expect(await findPlanted(app.directory, [between, changed])).toEqual({});
      const told = await activityOf(app, ann);
      expect(told.map((one) => [one.activity, one.detail.changes.length])).toEqual([
        ["updated", 1],
        ["split_person", 1],
        ["updated", 0],
        ["split_person", 1],
        ["updated", 0],
        ["delete_property", 0],
        ["people_merged_into", 0],
      ]);
    },
  );

  test("nothing stays of a person with whom was split off it", async () => {
    await using app = await testApp();
    const [id, name, patched] = [token(), token(), token()];
    await app.capture(
      batch(
        named("seen", id, { properties: { $set: { name } } }),
        named("seen", "bob", { properties: { $set: { plan: "pro" } } }),
      ),
    );
    const was = await personOf(app, "bob");
    await edit(app, was, "update_property/", { key: "plan", value: "team" });
    const bob = await personOf(app, "bob");
    await app.capture(batch(named("$merge_dangerously", id, { properties: { alias: "bob" } })));
    const person = await personOf(app, id);
    await edit(app, person, "update_property/", { key: "patched", value: patched });
    await edit(app, person, "split/", {});

    await remove(app, id);
    expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });

    expect(await findPlanted(app.directory, [id, name, patched])).toEqual({});
    expect(await personOf(app, "bob")).toEqual(bob);
    expect((await activityOf(app, bob)).map((one) => [one.activity, one.detail.changes])).toEqual([
      ["split_from", []],
      ["merged_into", []],
      ["updated", [expect.objectContaining({ before: { plan: "pro" }, after: { plan: "team" } })]],
    ]);
  });

  test("a batch of many tasks rewrites the event store once", async () => {
    await using app = await testApp();
    const ids = Array.from({ length: 12 }, (_, at) => `user-${at}`);
    await app.capture(batch(...ids.map((id) => named("one", id)), named("stays", "bob")));
    for (const id of ids.slice(0, 6)) await removeEvents(app, id);
    for (const id of ids.slice(6)) await remove(app, id);

    expect(await app.app.deletionRuns.run()).toEqual({ done: 12 });

    expect(files(app)).toEqual(["2.duckdb"]);
    for (const id of ids) expect(await namesOf(app, id)).toEqual([]);
    expect(await namesOf(app, "bob")).toEqual(["stays"]);
  });

  test("distinct ids of merged persons are included, and those of others are not", async () => {
    await using app = await testApp();
    await app.capture(
      batch(
        named("one", "anon-1"),
        named("$identify", "ann", { properties: { $anon_distinct_id: "anon-1" } }),
        named("two", "ann-2", { properties: { $set: { a: 1 } } }),
        named("$merge_dangerously", "ann", { properties: { alias: "ann-2" } }),
        named("three", "ann-2"),
        named("four", "bob"),
      ),
    );
    await removeEvents(app, "ann");
    await app.app.deletionRuns.run();
    for (const id of ["anon-1", "ann", "ann-2"]) expect(await namesOf(app, id)).toEqual([]);
    expect(await namesOf(app, "bob")).toEqual(["four"]);
    expect((await personOf(app, "ann-2")).uuid).toBe((await personOf(app, "anon-1")).uuid);
  });

  test("future-dated events go, and events that came after the request stay", async () => {
    await using app = await testApp();
    await app.capture(batch(named("ahead", "ann", { timestamp: "2026-11-22T10:00:00Z" })));
    await removeEvents(app, "ann");
    await app.capture(batch(named("late", "ann", { timestamp: "2001-01-01T00:00:00Z" })));
    await app.app.deletionRuns.run();
    expect(await namesOf(app, "ann")).toEqual(["late"]);
  });

  test("a deleted event may be sent again, and others of its batch stay known", async () => {
    await using app = await testApp();
    const [gone, kept] = [named("gone", "ann"), named("kept", "bob")];
    await app.capture(batch(gone, kept));
    await removeEvents(app, "ann");
    await app.app.deletionRuns.run();
    await app.capture(batch(gone, kept));
    expect([await namesOf(app, "ann"), await namesOf(app, "bob")]).toEqual([["gone"], ["kept"]]);
  });

  test("log records that name the person go too, those of others stay", async () => {
    await using app = await testApp();
    await app.capture(batch(named("one", "ann"), named("two", "bob")));
    await sendLogs(app, ["ann", "bob"]);
    await removeEvents(app, "ann");
    await app.app.deletionRuns.run();
    expect((await app.app.deletionDesk.receipt(1)).counts).toMatchObject({ events: 1, logs: 1 });
    expect(await findPlanted(app.directory, ["log of ann"])).toEqual({});
    expect(await findPlanted(app.directory, ["log of bob"])).not.toEqual({});
  });

  test.each(["stored", "archived", "a dead letter"])(
    "a log record that names the person by any usual attribute, its own or its resource's, goes: %s",
    async (place) => {
      await using app = await testApp();
      await app.capture(batch(named("one", "ann"), named("two", "bob"), named("three", "5")));
      const logs = LOG_DISTINCT_ID_KEYS.flatMap((key) =>
        ["ann", "bob", "annabel"].flatMap((id) =>
          [true, false].map((isOwn) => ({ id, key, isOwn, text: `of ${id} as ${token()}` })),
        ),
      );
      for (const log of logs) await sendLog(app, log);
      await sendLog(app, { id: 5, key: "user.id", isOwn: true, text: "of a number" });
      await app.app.ingest.caughtUp();
      if (place === "archived") {
        await removeEvents(app, "5");
        await app.app.deletionRuns.run();
        expect(await findPlanted(app.directory, ["of a number"])).toEqual({});
      }
      if (place === "a dead letter") {
        const letters = logs.map(({ id, key, isOwn, text }) => {
          const attributes = { resource_attributes: {}, attributes: {} };
          attributes[isOwn ? "attributes" : "resource_attributes"] = { [key]: id };
          return `${JSON.stringify({ seq: 1, project_id: 1, body: text, ...attributes })}\n`;
        });
        writeFileSync(join(app.directory, "dead-letters.ndjson"), letters.join(""));
      }
      await removeEvents(app, "ann");

      await app.app.deletionRuns.run();

      const [gone, kept] = [logs.filter(({ id }) => id === "ann"), logs.filter(isOfOther)];
      const texts = (some: typeof logs) => some.map(({ text }) => text);
      expect(await findPlanted(app.directory, texts(gone))).toEqual({});
      const found = await findPlanted(app.directory, texts(kept));
      expect(new Set(Object.values(found).flat()).size).toBe(kept.length);
      const { counts } = await app.app.deletionDesk.receipt(place === "archived" ? 2 : 1);
      expect(counts).toMatchObject({
        ...{ events: 1, logs: gone.length },
        dead_letters: place === "a dead letter" ? gone.length : 0,
      });
    },
  );

  test.each(["stored", "archived", "a dead letter"])(
    "a log record that names the person by an id that events have cut goes, too: %s",
    async (place) => {
      await using app = await testApp();
      // Each of these takes two UTF-16 units.
      const long = (name: string) => `${name}${"\u{1f600}".repeat(150)}-${"x".repeat(100)}`;
      const [id, other] = [long("ann"), long("bob")];
      await app.capture(batch(named("one", id), named("two", other), named("three", "carl")));
      const [gone, kept] = [token(), token()];
      await sendLog(app, { id, key: "user.id", isOwn: false, text: gone });
      await sendLog(app, { id: other, key: "user.id", isOwn: false, text: kept });
      await app.app.ingest.caughtUp();
      if (place === "archived") {
        await removeEvents(app, "carl");
        await app.app.deletionRuns.run();
      }
      if (place === "a dead letter") {
        const letter = (name: string, body: string) =>
          `${JSON.stringify({ seq: 1, project_id: 1, body, attributes: { distinct_id: name } })}\n`;
        const letters = letter(id, gone) + letter(other, kept);
        writeFileSync(join(app.directory, "dead-letters.ndjson"), letters);
      }
      await removeEvents(app, encodeURIComponent([...id].slice(0, 200).join("")));

      await app.app.deletionRuns.run();

      expect(await findPlanted(app.directory, [gone])).toEqual({});
      expect(await findPlanted(app.directory, [kept])).not.toEqual({});
    },
  );

  test("events of a person that was split off before stay, also in the archive", async () => {
    using place = temporaryDirectory();
    {
      await using app = await testApp({ data: place.path });
      await app.capture(
        batch(
          named("one", "ann", { properties: { $set: { a: 1 } } }),
          named("two", "bob", { properties: { $set: { a: 2 } } }),
          named("$merge_dangerously", "ann", { properties: { alias: "bob" } }),
          named("three", "bob"),
          named("four", "carl"),
        ),
      );
      // Has it all archived, while what bob sent is ann's.
      await removeEvents(app, "carl");
      await app.app.deletionRuns.run();
      const { id } = await personOf(app, "ann");
      expect((await app.ask("POST", `${PERSONS}/${id}/split/`, { body: {} })).status).toBe(201);
      await remove(app, "ann");
      await app.app.deletionRuns.run();
      expect(await namesOf(app, "bob")).toEqual(["three", "two"]);
    }
    rmSync(join(place.path, "events"), { recursive: true });

    await using app = await testApp({ data: place.path });
    await app.app.ingest.caughtUp();

    expect(await namesOf(app, "bob")).toEqual(["three", "two"]);
    expect(await namesOf(app, "ann")).toEqual([]);
  });
});

describe("while a batch runs", () => {
  test("events are accepted and stored, and persons split and deleted, and all of it holds", async () => {
    await using app = await testApp();
    await fill(app, 6 * ROW_GROUP_ROWS);
    await app.capture(
      batch(
        named("one", "left", { properties: { $set: { a: 1 } } }),
        named("two", "right", { properties: { $set: { b: 1 } } }),
        named("$merge_dangerously", "left", { properties: { alias: "right" } }),
        named("three", "right"),
        named("gone", "ann"),
      ),
    );
    await removeEvents(app, "ann");
    const { id } = await personOf(app, "left");

    let isRunning = true;
    const running = app.app.deletionRuns.run().finally(() => {
      isRunning = false;
    });
    const split = app.ask("POST", `${PERSONS}/${id}/split/`, { body: {} });
    let sent = 0;
    while (isRunning) {
      await app.capture(batch(named(`during-${sent}`, "during")));
      sent += 1;
    }
    await running;
    expect((await split).status).toBe(201);
    await app.app.ingest.caughtUp();

    expect(sent).toBeGreaterThan(0);
    expect(await eventsOf(app, "during")).toHaveLength(sent);
    expect(await namesOf(app, "ann")).toEqual([]);
    const right = await personOf(app, "right");
    const owners = new Set((await eventsOf(app, "right")).map(({ person_id }) => person_id));
    expect(owners).toEqual(new Set([right.uuid]));
    expect(right.uuid).not.toBe((await personOf(app, "left")).uuid);
    expect(((await app.get("/events/?limit=1")).body as Listed<Stored>).count).toBe(
      6 * ROW_GROUP_ROWS + 4 + sent,
    );
  });

  test("S36: the same person is captured, changed by two, merged and deleted again, and it holds", async () => {
    await using app = await testApp();
    await fill(app, 2 * ROW_GROUP_ROWS);
    await app.capture(batch(named("one", "ann"), named("two", "bob"), named("three", "eve")));
    const [{ id }, eve] = [await personOf(app, "ann"), await personOf(app, "eve")];
    await removeEvents(app, "ann");
    await removeEvents(app, "bob");

    const running = app.app.deletionRuns.run();
    const patch = (properties: object) =>
      app.ask("PATCH", `${PERSONS}/${id}/`, { body: { properties } });
    const merge = named("$merge_dangerously", "ann", { properties: { alias: "bob" } });
    const answers = await Promise.all([
      ...[patch({ a: 1 }), patch({ b: 2 })],
      app.ask("POST", "/batch/", { body: batch(named("four", "ann"), merge), key: null }),
      app.ask("DELETE", `${PERSONS}/${eve.id}/?delete_events=true`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
    await running;
    await app.app.ingest.caughtUp();

    // What came after the requests stays.
    expect(await namesOf(app, "ann")).toEqual(["$merge_dangerously", "four"]);
    expect(await namesOf(app, "bob")).toEqual([]);
    const { body } = await app.get(`/persons/${id}/`);
    expect(body).toMatchObject({ distinct_ids: ["ann", "bob"], properties: { a: 1, b: 2 } });
    expect((await app.get(`/persons/${eve.id}/`)).status).toBe(404);
    await app.app.deletionRuns.run();
    expect(await namesOf(app, "eve")).toEqual([]);
    expect(await statuses(app)).toEqual(["completed", "completed", "completed"]);
    expect((await app.app.deletionDesk.receipt(1)).counts).toMatchObject({ events: 1 });
  });

  test("requests during a run wait for the next one, and runs never overlap", async () => {
    await using app = await testApp();
    await app.capture(batch(named("one", "ann"), named("two", "bob")));
    await removeEvents(app, "ann");
    const first = app.app.deletionRuns.run();
    await removeEvents(app, "bob");
    const second = app.app.deletionRuns.run();
    const done = (await Promise.all([first, second])).map((ran) => ran.done);
    expect(done[0] ?? 0).toBeGreaterThan(0);
    expect((done[0] ?? 0) + (done[1] ?? 0)).toBe(2);
    expect(await statuses(app)).toEqual(["completed", "completed"]);
  });
});

describe("schedules", () => {
  test("Sunday at five runs the weekly batch and three o'clock the nightly one", async () => {
    await using app = await testApp({ now: Date.parse("2026-11-21T12:00:00Z") });
    await app.capture(batch(named("one", "ann"), named("two", "bob")));
    await app.app.deletionRuns.tick();
    await remove(app, "ann");
    await removeEvents(app, "bob");
    app.clock.now = Date.parse("2026-11-22T02:59:59Z");
    await app.app.deletionRuns.tick();
    expect(await statuses(app)).toEqual(["pending", "pending"]);
    app.clock.now = Date.parse("2026-11-22T03:00:10Z");
    await app.app.deletionRuns.tick();
    expect(await statuses(app)).toEqual(["completed", "pending"]);
    app.clock.now = Date.parse("2026-11-22T05:00:00Z");
    await app.app.deletionRuns.tick();
    expect(await statuses(app)).toEqual(["completed", "completed"]);
  });

  test("a run that was missed is caught up at the next start, both kinds in one batch", async () => {
    using place = temporaryDirectory();
    {
      await using app = await testApp({
        data: place.path,
        now: Date.parse("2026-11-21T12:00:00Z"),
      });
      await app.capture(batch(named("one", "ann"), named("two", "bob")));
      await app.app.deletionRuns.tick();
      await remove(app, "ann");
      await removeEvents(app, "bob");
    }
    await using app = await testApp({ data: place.path, now: Date.parse("2026-12-24T12:00:00Z") });
    await app.app.deletionRuns.tick();
    expect(await statuses(app)).toEqual(["completed", "completed"]);
    expect(files(app)).toEqual(["2.duckdb"]);
    await app.capture(batch(named("again", "ann")));
    expect(await namesOf(app, "ann")).toEqual(["again"]);
  });
});

describe("a run that is due during another run", () => {
  test("is done by the next start, if the server ends before its turn", async () => {
    using place = temporaryDirectory();
    {
      await using app = await testApp({
        data: place.path,
        now: Date.parse("2026-11-21T12:00:00Z"),
      });
      await fill(app, 20_000);
      await app.capture(batch(named("one", "ann"), named("two", "bob")));
      await app.app.deletionRuns.tick();
      await removeEvents(app, "ann");
      const running = app.app.deletionRuns.run().catch(() => undefined);
      while ((await app.app.deletionDesk.receipt(1)).state === "queued") await Bun.sleep(1);
      await remove(app, "bob");
      app.clock.now = Date.parse("2026-11-22T05:00:10Z");
      void app.app.deletionRuns.tick().catch(() => undefined);
      // The look is over by then, and its run behind the other one.
      await Bun.sleep(1);
      await app.app.deletionRuns.stop(60_000);
      await running;
    }
    await using app = await testApp({ data: place.path, now: Date.parse("2026-11-22T06:00:00Z") });
    await app.app.deletionRuns.tick();
    expect(await statuses(app)).toEqual(["completed", "completed"]);
    expect(await namesOf(app, "bob")).toEqual([]);
  });
});

describe("the order of the event store", () => {
  test("the nightly run puts it in order by person once much of it is new, and not before", async () => {
    using place = temporaryDirectory();
    const count = 4 * ROW_GROUP_ROWS;
    {
      await using app = await testApp({
        data: place.path,
        now: Date.parse("2026-11-21T12:00:00Z"),
        flags: { "--memory": "256" },
      });
      const night = async (at: string) => {
        app.clock.now = Date.parse(at);
        await app.app.deletionRuns.tick();
        return files(app);
      };
      await fill(app, count - 1);
      expect(await night("2026-11-21T12:00:01Z")).toEqual(["1.duckdb", "1.duckdb.wal"]);
      expect(await night("2026-11-22T03:00:00Z")).toEqual(["1.duckdb", "1.duckdb.wal"]);
      await app.capture(batch(named("last", "user-0")));
      expect(await night("2026-11-23T02:59:59Z")).toEqual(["1.duckdb", "1.duckdb.wal"]);
      expect(await night("2026-11-23T03:00:00Z")).toEqual(["2.duckdb"]);
      await app.capture(batch(named("later", "user-0")));
      expect(await night("2026-11-24T03:00:00Z")).toEqual(["2.duckdb", "2.duckdb.wal"]);
      expect(await namesOf(app, "user-0")).toEqual([
        ...Array.from({ length: Math.ceil((count - 1) / 997) }, () => "filled"),
        ...["last", "later"],
      ]);
    }
    const path = join(place.path, "events", "2.duckdb");
    // Each person's are next to each other, and what came later is behind.
    expect(await runsOfPersons(path)).toBe(997 + 1);
  });
});

describe("S46: a clock that jumps", () => {
  const SUNDAY = "2026-11-22";

  test.each([
    ["steps back over Sunday five o'clock", [`${SUNDAY}T05:00:01Z`, `${SUNDAY}T04:59:58Z`]],
    ["is set back by a day", [`${SUNDAY}T05:00:01Z`, "2026-11-21T05:00:00Z"]],
    ["is set ahead by a year and back", ["2027-11-22T05:00:00Z", `${SUNDAY}T04:00:00Z`]],
  ])("runs each task once, and all of them: it %s", async (_how, moves) => {
    await using app = await testApp({ now: Date.parse("2026-11-21T12:00:00Z") });
    await app.capture(batch(named("one", "ann"), named("two", "bob")));
    await app.app.deletionRuns.tick();
    await remove(app, "ann");
    for (const at of [...moves, `${SUNDAY}T05:00:02Z`]) {
      app.clock.now = Date.parse(at);
      await app.app.deletionRuns.tick();
    }
    const first = await app.app.deletionDesk.receipt(1);
    expect(first).toMatchObject({ state: "done", attempts: 1, counts: { events: 1 } });

    await remove(app, "bob");
    app.clock.now = Date.parse("2026-11-29T05:00:00Z");
    await app.app.deletionRuns.tick();
    expect(await statuses(app)).toEqual(["completed", "completed"]);
    expect(await app.app.deletionDesk.receipt(1)).toEqual(first);
  });
});

describe("a task", () => {
  test("leaves a receipt that names the person by uuid only", async () => {
    await using app = await testApp({ now: Date.parse("2026-11-21T12:00:00Z") });
    await app.capture(batch(named("one", "ann"), named("two", "ann")));
    const uuid = await remove(app, "ann");
    app.clock.now = Date.parse("2026-11-21T13:00:00Z");
    await app.app.deletionRuns.run();
    const receipt: Receipt = await app.app.deletionDesk.receipt(1);
    expect(receipt).toEqual({
      ...{ id: 1, project_id: 1, person_uuid: uuid, kind: "weekly" },
      ...{ requested_by: 1, requested_by_email: "owner@localhost.localdomain" },
      ...{ requested_at: "2026-11-21T12:00:00.000000Z", state: "done", attempts: 1, error: null },
      started_at: "2026-11-21T13:00:00.000000Z",
      finished_at: "2026-11-21T13:00:00.000000Z",
      counts: { events: 2, logs: 0, warnings: 0, dead_letters: 0 },
    });
  });

  test("can be withdrawn before it runs, and not when it is done", async () => {
    await using app = await testApp();
    await app.capture(batch(named("one", "ann")));
    await removeEvents(app, "ann");
    expect(await app.app.deletionDesk.cancel(1)).toMatchObject({ state: "cancelled" });
    expect(await app.app.deletionRuns.run()).toEqual({ done: 0 });
    expect(await namesOf(app, "ann")).toEqual(["one"]);
    const { cancel, receipt } = app.app.deletionDesk;
    expect(await cancel(1).catch((error) => error.code)).toBe("not_found");
    expect(await receipt(7).catch((error) => error.code)).toBe("not_found");
  });

  test("that fails tells why, is tried again, and is given up in the end", async () => {
    await using app = await testApp();
    // The second leaves a warning, which the first attempt removes.
    await app.capture(batch(named("one", "ann"), named("two", "ann", { uuid: "none" })));
    await removeEvents(app, "ann");
    // A directory where the draft of the dead letters would be cannot be written to.
    appendFileSync(join(app.directory, "dead-letters.ndjson"), "{}\n");
    mkdirSync(join(app.directory, "dead-letters.ndjson.new", "in-the-way"), { recursive: true });
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(await app.app.deletionRuns.run().catch(() => "failed")).toBe("failed");
      const { state, attempts, error } = await app.app.deletionDesk.receipt(1);
      expect([state, attempts]).toEqual([attempt < 5 ? "queued" : "failed", attempt]);
      expect(error).not.toBe("");
    }
    expect(await statuses(app)).toEqual(["failed"]);
    rmSync(join(app.directory, "dead-letters.ndjson.new"), { recursive: true });
    app.clock.now += 366 * 86_400_000;
    await app.app.deletionRuns.tick();
    expect(await statuses(app)).toEqual(["failed"]);
    expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });
    expect((await app.app.deletionDesk.receipt(1)).counts).toEqual({
      ...{ events: 2, logs: 0, warnings: 1, dead_letters: 0 },
    });
  });

  test("that ends the process each time is given up, too, and can be run by hand", async () => {
    using place = temporaryDirectory();
    {
      await using app = await testApp({ data: place.path });
      await app.capture(batch(named("one", "ann")));
      await removeEvents(app, "ann");
    }
    const sqlite = openPersonStore(place.path);
    sqlite.run("UPDATE deletion_task SET state = 'running', attempts = 5");
    sqlite.close();

    await using app = await testApp({ data: place.path });
    await app.app.deletionRuns.tick();

    expect(await app.app.deletionDesk.receipt(1)).toMatchObject({
      ...{ state: "failed", attempts: 5, error: "The server ended each time while this ran" },
    });
    expect(await namesOf(app, "ann")).toEqual(["one"]);
    expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });
    expect(await namesOf(app, "ann")).toEqual([]);
  });
});

describe("a server that is stopped during a task", () => {
  test("takes no attempt from it, however often, and the next start goes on with it", async () => {
    using place = temporaryDirectory();
    {
      await using app = await testApp({ data: place.path });
      await fill(app, 2 * ROW_GROUP_ROWS);
      await app.capture(batch(named("one", "ann")));
      await removeEvents(app, "ann");
    }
    const begun = async (app: TestApp) => {
      while ((await app.app.deletionDesk.receipt(1)).attempts === 0) await Bun.sleep(1);
    };
    for (let stops = 0; stops < 7; stops += 1) {
      const app = await testApp({ data: place.path });
      // What was begun before goes on by itself, and this one comes too late.
      const running = app.app.deletionRuns.run().catch(() => undefined);
      await begun(app);
      await app[Symbol.asyncDispose]();
      await running;
    }

    await using app = await testApp({ data: place.path });
    expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });
    expect(await app.app.deletionDesk.receipt(1)).toMatchObject({ state: "done", attempts: 1 });
    expect(await namesOf(app, "ann")).toEqual([]);
  });

  test("ends, though the task waits for events that have no room", async () => {
    using place = temporaryDirectory();
    const disk = { free: 1e12, total: 1e12 };
    const app = await testApp({ data: place.path, volume: () => disk });
    await app.capture(batch(named("one", "ann")));
    await removeEvents(app, "ann");
    disk.free = 0;
    for (let status = 200; status === 200; ) {
      const some = batch(...Array.from({ length: 4096 }, () => named("filled", "bob")));
      ({ status } = await app.ask("POST", "/batch/", { body: some, key: null }));
    }
    expect(app.app.ingest.lag()).toBeGreaterThan(0);
    const running = app.app.deletionRuns.run().catch((error: Error) => error.message);
    while ((await app.app.deletionDesk.receipt(1)).state !== "running") await Bun.sleep(1);

    await app.app.close(100);

    expect(await running).toMatch(/The server is stopping/);
  });
});

/** How often the person changes from one row of the events to the next, and once more. */
async function runsOfPersons(path: string): Promise<number> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`ATTACH '${path}' AS store`);
  const [[runs] = []] = (
    await connection.runAndReadAll(
      `SELECT count(*)::INTEGER FROM (SELECT person_id, lag(person_id) OVER (ORDER BY rowid) AS last
         FROM store.events) WHERE person_id IS DISTINCT FROM last`,
    )
  ).getRows();
  connection.closeSync();
  instance.closeSync();
  return Number(runs);
}

/** Captures a log record of each of some ids. */
async function sendLogs(app: TestApp, ids: readonly string[], text = ""): Promise<void> {
  const logRecords = ids.map((id) => ({
    body: { stringValue: `log of ${id} ${id === ids[0] ? text : ""}` },
    attributes: [{ key: "posthogDistinctId", value: { stringValue: id } }],
  }));
  const path = "/i/v1/logs?token=phc_testproject";
  expect((await app.ask("POST", path, { body: logsBody(logRecords), key: null })).status).toBe(200);
  await app.app.ingest.caughtUp();
}

type LogSent = { id: string | number; key: string; isOwn: boolean; text: string };

const isOfOther = ({ id }: LogSent) => id !== "ann";

/** Captures a log record that names somebody, or whose resource does. */
async function sendLog(app: TestApp, { id, key, isOwn, text }: LogSent): Promise<void> {
  const value = typeof id === "number" ? { intValue: id } : { stringValue: id };
  const attributes = [{ key, value }];
  const logRecords = [{ body: { stringValue: text }, attributes: isOwn ? attributes : [] }];
  const resource = { attributes: isOwn ? [] : attributes };
  const body = { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] };
  const path = "/i/v1/logs?token=phc_testproject";
  expect((await app.ask("POST", path, { body, key: null })).status).toBe(200);
}

/** Which of some texts were found in files of the archive. */
function inArchive(found: Record<string, string[]>, texts: readonly string[]): Set<string> {
  const inside = Object.entries(found).filter(([file]) => file.includes(".parquet"));
  return new Set(inside.flatMap(([, some]) => some).filter((text) => texts.includes(text)));
}

/** What a failed load, a torn journal and a crash may have left of a person and of somebody else. */
function plantLeftovers(
  app: TestApp,
  { id, uuid, text }: { id: string; uuid: string; text: string },
) {
  const letter = (distinct_id: string, person_id: string) =>
    `${JSON.stringify({ seq: 1, project_id: 1, person_id, distinct_id, properties: { text } })}\n`;
  const letters = join(app.directory, "dead-letters.ndjson");
  writeFileSync(letters, letter(id, uuid) + letter("bob", "other").replace(text, ""));
  const corrupt = join(app.directory, "journal", "corrupt");
  mkdirSync(corrupt);
  writeFileSync(join(corrupt, "0000000000000001-16.bin"), `\u0000${id} ${text}`);
  // What is damaged may be the id itself.
  writeFileSync(join(corrupt, "0000000000000001-160.bin"), `${id.replace("p", "q")} ${text}`);
  writeFileSync(join(app.directory, "loads", "1.events.ndjson"), letter(id, uuid));
  for (const name of ["draft.duckdb", "7.duckdb.damaged-20260101T000000Z"]) {
    writeFileSync(join(app.directory, "events", name), letter(id, uuid));
  }
  const archived = join(app.directory, "archive", "events", "1", "2026-11");
  writeFileSync(join(archived, "7-7.parquet.damaged"), letter(id, uuid));
  expect(existsSync(letters)).toBe(true);
}

/** Stores events of many persons. */
describe("a deletion takes the events of the distinct ids of its request", () => {
  const merged = (into: string, alias: string) =>
    named("$merge_dangerously", into, { properties: { alias } });
  const ways = {
    "their own": async (app: TestApp) => removeEvents(app, "ann"),
    "and the person": async (app: TestApp) => {
      await remove(app, "ann");
      await app.capture(batch(named("again", "ann")));
    },
  };

  test.each(Object.entries(ways))(
    "not of who was merged into it since, when it is split off: %s",
    async (_way, ask) => {
      await using app = await testApp();
      await app.capture(batch(named("one", "ann"), named("two", "bob"), named("three", "cat")));
      await ask(app);
      await app.capture(batch(merged("ann", "bob")));
      await app.capture(batch(merged("cat", "ann")));
      const asked = { distinct_ids_to_split: ["ann"] };
      await edit(app, await personOf(app, "cat"), "split/", asked);

      await app.app.deletionRuns.run();

      expect(await namesOf(app, "ann")).not.toContain("one");
      expect(await namesOf(app, "ann")).toContain("$merge_dangerously");
      expect(await namesOf(app, "bob")).toEqual(["two"]);
      expect(await namesOf(app, "cat")).toEqual(["$merge_dangerously", "three"]);
    },
  );

  test.each(Object.entries(ways))(
    "not of who was merged into it since, when the event store is made again: %s",
    async (_way, ask) => {
      using place = temporaryDirectory();
      {
        await using app = await testApp({ data: place.path });
        await app.capture(batch(named("one", "ann"), named("two", "bob")));
        await ask(app);
        await app.capture(batch(merged("ann", "bob")));
      }
      rmSync(join(place.path, "events"), { recursive: true });
      await using app = await testApp({ data: place.path });
      while ((await app.get("/events/")).status !== 200) await Bun.sleep(20);
      expect(await namesOf(app, "ann")).toContain("one");

      await app.app.deletionRuns.run();

      expect(await namesOf(app, "ann")).not.toContain("one");
      expect(await namesOf(app, "bob")).toEqual(["two"]);
    },
  );
});

async function fill(app: TestApp, count: number): Promise<void> {
  for (let from = 0; from < count; from += 8192) {
    const events = Array.from({ length: Math.min(8192, count - from) }, (_, at) =>
      named("filled", `user-${(from + at) % 997}`, { properties: { at: from + at } }),
    );
    await app.ask("POST", "/batch/", { body: batch(...events), key: null });
  }
  await app.app.ingest.caughtUp();
}

test("a postponed task is done by the next start, before it is due", async () => {
  using place = temporaryDirectory();
  {
    await using app = await testApp({ data: place.path });
    await app.capture(batch(named("one", "ann"), named("two", "bob")));
    await remove(app, "ann");
    // A directory cannot be removed as a file is, as one in use cannot on Windows.
    mkdirSync(join(app.directory, "temp", "duckdb_temp_storage_DEFAULT-0.tmp"));
    const refused = await app.app.deletionRuns.run().catch((error) => error);
    expect(refused.message).toStartWith("temporary_files: ");
    expect(await statuses(app)).toEqual(["pending"]);
  }
  await using app = await testApp({ data: place.path });
  while ((await statuses(app))[0] !== "completed") await Bun.sleep(20);
  expect(await namesOf(app, "bob")).toEqual(["two"]);
});

test("while temporary files may hold deleted data, a run is not done, and continues later", async () => {
  await using app = await testApp();
  await app.capture(batch(named("one", "ann"), named("two", "bob")));
  await remove(app, "ann");
  const file = join(app.directory, "temp", "duckdb_temp_storage_DEFAULT-0.tmp");
  mkdirSync(file);

  const refused = await app.app.deletionRuns.run().catch((error) => error);
  const waiting = await statuses(app);
  // Its events are gone, but from the archive: who withdrew it would have them again with a rebuild.
  const withdrawn = await app.app.deletionDesk.cancel(1).catch((error) => error);
  rmSync(file, { recursive: true });
  await app.app.deletionRuns.run();

  expect(refused.message).toStartWith("temporary_files: ");
  expect(withdrawn).toMatchObject({ code: "not_found" });
  expect(waiting).not.toEqual(["completed"]);
  expect(await statuses(app)).toEqual(["completed"]);
  expect(await namesOf(app, "bob")).toEqual(["two"]);
});
