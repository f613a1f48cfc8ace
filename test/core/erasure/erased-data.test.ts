import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOG_DISTINCT_ID_KEYS } from "../../../src/core/logs/record.ts";
import { ROW_GROUP_ROWS } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { batch, event } from "../../support/data/build-records.ts";
import {
  activityOf,
  edit,
  files,
  fill,
  named,
  namesOf,
  newest,
  personOf,
  remove,
  removeEvents,
  statuses,
  token,
} from "../../support/data/deletions.ts";
import { logsBody } from "../../support/data/logs.ts";
import { findPlanted } from "../../support/disk/bytes-on-disk.ts";
import type { TestProject } from "../../support/start/app.ts";
import { temporaryDirectory, testApp } from "../../support/start/app.ts";
import { rounds, turnOf } from "../../support/start/rounds.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const shared = sharedApp();

const sqliteFiles = (found: object) =>
  Object.keys(found).filter((file) => file.startsWith("hoglet.sqlite"));

describe("deleted means gone", () => {
  test("S47: no byte of a person is left in any file, raw or in a frame, and all others stay", async () => {
    await using app = await testApp({ flags: { "--memory": "128" } });
    const rowGroups = rounds(1 / 3, 5);
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
    const path = `${app.api}/persons/${person.id}/`;
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
    // Later writes bring nothing back from memory.
    await fill(app, rounds(1 / 6, 2) * ROW_GROUP_ROWS);
    expect(await findPlanted(join(app.directory, "events"), all)).toEqual({});
  });

  test("S47: a person whose events stay loses what the person store held, in every file", async () => {
    await using app = await testApp({ now: Date.parse("2026-11-21T12:00:00Z") });
    const [sent, email] = [token(), `${token()}@x.y`];
    const kept = token();
    await app.capture(
      batch(
        named("kept", "ann", { properties: { kept } }),
        named("sent", "ann", { properties: { $set: { sent, email } } }),
        named("other", "bob"),
      ),
    );
    const { id } = await personOf(app, "ann");
    const [patched, before] = [token(), token()];
    for (const value of [before, patched]) {
      await app.ask("PATCH", `${app.api}/persons/${id}/`, { body: { properties: { value } } });
    }
    // The projection of the event store has properties of persons, too.
    expect(Object.keys(await findPlanted(app.directory, [patched])).toSorted()).toEqual([
      expect.stringMatching(/^1\.duckdb/),
      expect.stringMatching(/^hoglet\.sqlite/),
    ]);

    await remove(app, "ann", "");
    await app.app.deletionRuns.run();

    expect(await namesOf(app, "ann")).toEqual(["kept", "sent"]);
    expect(await findPlanted(app.directory, [patched, before])).toEqual({});
    // The second event tells the others too, and stays: so only the event store and its archive have them.
    const found = await findPlanted(app.directory, [sent, email]);
    const ofEvents = /^2\.duckdb|\.parquet/;
    expect(Object.keys(found).filter((file) => !ofEvents.test(file))).toEqual([]);
    const { body } = await app.get("/persons/");
    expect(body).toMatchObject({ count: 1 });
    expect(JSON.stringify(body)).not.toContain(sent);
  });

  test.each([
    ["a person of its own before", "apart"],
    ["never stored before it was merged", "at once"],
  ])(
    "the activity of others loses the data of a deleted person that was split off: %s",
    async (_case, came) => {
      const app = await shared();
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
      const log = await activityOf(app, ann);
      expect(log.map((one) => [one.activity, one.detail.changes.length])).toEqual([
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
    const app = await shared();
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
    await edit(app, person, "split/", { main_distinct_id: id });

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
    const each = rounds(2, 6);
    const ids = Array.from({ length: 2 * each }, (_, at) => `user-${at}`);
    await app.capture(batch(...ids.map((id) => named("one", id)), named("stays", "bob")));
    for (const id of ids.slice(0, each)) await removeEvents(app, id);
    for (const id of ids.slice(each)) await remove(app, id);

    expect(await app.app.deletionRuns.run()).toEqual({ done: 2 * each });

    expect(files(app)).toEqual(["2.duckdb"]);
    for (const id of ids) expect(await namesOf(app, id)).toEqual([]);
    expect(await namesOf(app, "bob")).toEqual(["stays"]);
  });

  test("distinct ids of merged persons are included, and those of others are not", async () => {
    const app = await shared();
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
    const app = await shared();
    await app.capture(batch(named("ahead", "ann", { timestamp: "2026-11-22T10:00:00Z" })));
    await removeEvents(app, "ann");
    await app.capture(batch(named("late", "ann", { timestamp: "2001-01-01T00:00:00Z" })));
    await app.app.deletionRuns.run();
    expect(await namesOf(app, "ann")).toEqual(["late"]);
  });

  test("a deleted event may be sent again, and others of its batch stay known", async () => {
    const app = await shared();
    const [gone, kept] = [named("gone", "ann"), named("kept", "bob")];
    await app.capture(batch(gone, kept));
    await removeEvents(app, "ann");
    await app.app.deletionRuns.run();
    await app.capture(batch(gone, kept));
    expect([await namesOf(app, "ann"), await namesOf(app, "bob")]).toEqual([["gone"], ["kept"]]);
  });

  test("log records that name the person go too, those of others stay", async () => {
    const app = await shared();
    await app.capture(batch(named("one", "ann"), named("two", "bob")));
    const [gone, kept] = [token(), token()];
    await sendLogs(app, ["ann"], gone);
    await sendLogs(app, ["bob"], kept);
    await removeEvents(app, "ann");
    await app.app.deletionRuns.run();
    expect((await newest(app))?.counts).toMatchObject({ events: 1, logs: 1 });
    expect(await findPlanted(app.directory, [gone])).toEqual({});
    expect(await findPlanted(app.directory, [kept])).not.toEqual({});
  });

  test.each(["stored", "archived", "a dead letter"])(
    "a log record that names the person by any usual attribute, its own or its resource's, goes: %s",
    async (place) => {
      const app = await shared();
      await app.capture(batch(named("one", "ann"), named("two", "bob"), named("three", "5")));
      const logs = LOG_DISTINCT_ID_KEYS.flatMap((key) =>
        ["ann", "bob", "annabel"].flatMap((id) =>
          [true, false].map((isOwn) => ({ id, key, isOwn, text: `of ${id} as ${token()}` })),
        ),
      );
      const ofNumber = token();
      await sendEach(app, ...logs, { id: 5, key: "user.id", isOwn: true, text: ofNumber });
      await app.app.ingest.caughtUp();
      if (place === "archived") {
        await removeEvents(app, "5");
        await app.app.deletionRuns.run();
        expect(await findPlanted(app.directory, [ofNumber])).toEqual({});
      }
      if (place === "a dead letter") {
        const letters = logs.map(({ id, key, isOwn, text }) => {
          const attributes = { resource_attributes: {}, attributes: {} };
          attributes[isOwn ? "attributes" : "resource_attributes"] = { [key]: id };
          return `${JSON.stringify({ seq: 1, project_id: app.id, body: text, ...attributes })}\n`;
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
      expect((await newest(app))?.counts).toMatchObject({
        ...{ events: 1, logs: gone.length },
        dead_letters: place === "a dead letter" ? gone.length : 0,
      });
    },
  );

  test.each(["stored", "archived", "a dead letter"])(
    "a log record that names the person by an id that events have cut goes, too: %s",
    async (place) => {
      const app = await shared();
      // Each of these takes two UTF-16 units.
      const long = (name: string) => `${name}${"\u{1f600}".repeat(150)}-${"x".repeat(100)}`;
      const [id, other] = [long("ann"), long("bob")];
      await app.capture(batch(named("one", id), named("two", other), named("three", "carl")));
      const [gone, kept] = [token(), token()];
      const part = { key: "user.id", isOwn: false };
      await sendEach(app, { id, ...part, text: gone }, { id: other, ...part, text: kept });
      await app.app.ingest.caughtUp();
      if (place === "archived") {
        await removeEvents(app, "carl");
        await app.app.deletionRuns.run();
      }
      if (place === "a dead letter") {
        const letter = (name: string, body: string) =>
          `${JSON.stringify({ seq: 1, project_id: app.id, body, attributes: { distinct_id: name } })}\n`;
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
      const body = { main_distinct_id: "ann" };
      expect((await app.ask("POST", `${app.api}/persons/${id}/split/`, { body })).status).toBe(201);
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

describe("a deletion takes the events of the distinct ids of its request", () => {
  const merged = (into: string, alias: string) =>
    named("$merge_dangerously", into, { properties: { alias } });
  const ways = {
    "their own": async (app: TestProject) => removeEvents(app, "ann"),
    "and the person": async (app: TestProject) => {
      await remove(app, "ann");
      await app.capture(batch(named("again", "ann")));
    },
  };

  test.each(turnOf(Object.entries(ways), 0, 2))(
    "not of who was merged into it since, when it is split off: %s",
    async (_way, ask) => {
      const app = await shared();
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

  test.each(turnOf(Object.entries(ways), 1, 2))(
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

/** Captures a log record of each of some ids. */
async function sendLogs(app: TestProject, ids: readonly string[], text = ""): Promise<void> {
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

/** Captures log records of each of which an attribute, or one of its resource, is a distinct id. */
async function sendEach(app: TestProject, ...logs: LogSent[]): Promise<void> {
  const resourceLogs = logs.map(({ id, key, isOwn, text }) => {
    const value = typeof id === "number" ? { intValue: id } : { stringValue: id };
    const attributes = [{ key, value }];
    const logRecords = [{ body: { stringValue: text }, attributes: isOwn ? attributes : [] }];
    return { resource: { attributes: isOwn ? [] : attributes }, scopeLogs: [{ logRecords }] };
  });
  const path = "/i/v1/logs?token=phc_testproject";
  expect((await app.ask("POST", path, { body: { resourceLogs }, key: null })).status).toBe(200);
}

/** Which of some texts were found in files of the archive. */
function inArchive(found: Record<string, string[]>, texts: readonly string[]): Set<string> {
  const inside = Object.entries(found).filter(([file]) => file.includes(".parquet"));
  return new Set(inside.flatMap(([, some]) => some).filter((text) => texts.includes(text)));
}

/** Plants leftovers of a failed load, a torn journal and a crash: of a person, and of another one. */
function plantLeftovers(
  app: TestProject,
  { id, uuid, text }: { id: string; uuid: string; text: string },
) {
  const letter = (distinct_id: string, person_id: string) =>
    `${JSON.stringify({ seq: 1, project_id: 1, person_id, distinct_id, properties: { text } })}\n`;
  const letters = join(app.directory, "dead-letters.ndjson");
  writeFileSync(letters, letter(id, uuid) + letter("bob", "other").replace(text, ""));
  const corrupt = join(app.directory, "journal", "corrupt");
  mkdirSync(corrupt);
  writeFileSync(join(corrupt, "0000000000000001-16.bin"), `\u0000${id} ${text}`);
  // The damage may be in the id itself.
  writeFileSync(join(corrupt, "0000000000000001-160.bin"), `${id.replace("p", "q")} ${text}`);
  writeFileSync(join(app.directory, "loads", "1.events.ndjson"), letter(id, uuid));
  for (const name of ["draft.duckdb", "7.duckdb.damaged-20260101T000000Z"]) {
    writeFileSync(join(app.directory, "events", name), letter(id, uuid));
  }
  const archived = join(app.directory, "archive", "events", "1", "2026-11");
  writeFileSync(join(archived, "7-7.parquet.damaged"), letter(id, uuid));
  expect(existsSync(letters)).toBe(true);
}
