import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Receipt } from "../../../src/core/erasure/deletion.ts";
import { ATTEMPTS_MAX } from "../../../src/core/erasure/deletion.ts";
import { ROW_GROUP_ROWS } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { openPersonStore } from "../../support/answers/sqlite.ts";
import { batch } from "../../support/data/build-records.ts";
import {
  eventsOf,
  files,
  fill,
  type Listed,
  named,
  namesOf,
  newest,
  personOf,
  remove,
  removeEvents,
  type Stored,
  statuses,
} from "../../support/data/deletions.ts";
import type { TestProject } from "../../support/start/app.ts";
import { temporaryDirectory, testApp } from "../../support/start/app.ts";
import { preparedData } from "../../support/start/prepared-data.ts";
import { casesOf, rounds } from "../../support/start/rounds.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const shared = sharedApp();

/** Events of others, which a run takes a while for. */
const FILLED = ROW_GROUP_ROWS / 3 - 1;

/** A data directory with {@link FILLED} events of 997 persons. */
const filled = preparedData(async (data) => {
  await using app = await testApp({ data });
  await fill(app, FILLED);
});

describe("while a batch runs", () => {
  /** More events of others: so many are written again in several parts. */
  const MORE = rounds(0, 6) * ROW_GROUP_ROWS;

  test("events are accepted and stored, and persons split and deleted, and all of it holds", async () => {
    using place = temporaryDirectory();
    await filled(place.path);
    await using app = await testApp({ data: place.path });
    await fill(app, MORE);
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
    const split = app.ask("POST", `${app.api}/persons/${id}/split/`, {
      body: { main_distinct_id: "left" },
    });
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
      FILLED + MORE + 4 + sent,
    );
  });

  test("S36: the same person is captured, changed by two, merged and deleted again, and it holds", async () => {
    using place = temporaryDirectory();
    await filled(place.path);
    await using app = await testApp({ data: place.path });
    await app.capture(batch(named("one", "ann"), named("two", "bob"), named("three", "eve")));
    const [{ id }, eve] = [await personOf(app, "ann"), await personOf(app, "eve")];
    await removeEvents(app, "ann");
    await removeEvents(app, "bob");

    const running = app.app.deletionRuns.run();
    const patch = (properties: object) =>
      app.ask("PATCH", `${app.api}/persons/${id}/`, { body: { properties } });
    const merge = named("$merge_dangerously", "ann", { properties: { alias: "bob" } });
    const answers = await Promise.all([
      ...[patch({ a: 1 }), patch({ b: 2 })],
      app.ask("POST", "/batch/", { body: batch(named("four", "ann"), merge), key: null }),
      app.ask("DELETE", `${app.api}/persons/${eve.id}/?delete_events=true`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
    await running;
    await app.app.ingest.caughtUp();

    // Later events stay.
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
    const app = await shared();
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
    await filled(place.path);
    {
      await using app = await testApp({
        data: place.path,
        now: Date.parse("2026-11-21T12:00:00Z"),
      });
      await app.capture(batch(named("one", "ann"), named("two", "bob")));
      await app.app.deletionRuns.tick();
      await removeEvents(app, "ann");
      const running = app.app.deletionRuns.run().catch(() => undefined);
      while ((await app.app.deletionDesk.receipt(1)).state === "queued") await Bun.sleep(1);
      await remove(app, "bob");
      app.clock.now = Date.parse("2026-11-22T05:00:10Z");
      void app.app.deletionRuns.tick().catch(() => undefined);
      // Its run then waits for the other one.
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
    await filled(place.path);
    // Twelve times as many events come quickest from within the store.
    await onStore(
      join(place.path, "events", "1.duckdb"),
      "INSERT INTO store.events SELECT e.* REPLACE (uuid() AS uuid) FROM store.events AS e, range(11)",
    );
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
      const lacking = 4 * ROW_GROUP_ROWS - 1 - 12 * FILLED;
      await app.capture(batch(...Array.from({ length: lacking }, () => named("first", "ann"))));
      expect(await night("2026-11-21T12:00:01Z")).toEqual(["1.duckdb", "1.duckdb.wal"]);
      expect(await night("2026-11-22T03:00:00Z")).toEqual(["1.duckdb", "1.duckdb.wal"]);
      await app.capture(batch(named("last", "user-0")));
      expect(await night("2026-11-23T02:59:59Z")).toEqual(["1.duckdb", "1.duckdb.wal"]);
      expect(await night("2026-11-23T03:00:00Z")).toEqual(["2.duckdb"]);
      await app.capture(batch(named("later", "user-0")));
      expect(await night("2026-11-24T03:00:00Z")).toEqual(["2.duckdb", "2.duckdb.wal"]);
      expect(await namesOf(app, "user-0")).toEqual([
        ...Array.from({ length: 12 * Math.ceil(FILLED / 997) }, () => "filled"),
        ...["last", "later"],
      ]);
    }
    const path = join(place.path, "events", "2.duckdb");
    // Events of one person are next to each other; later ones are at the end.
    expect(await runsOfPersons(path)).toBe(997 + 1 + 1);
  });
});

describe("S46: a clock that jumps", () => {
  const SUNDAY = "2026-11-22";

  const MOVES: [how: string, moves: string[]][] = [
    ["steps back over Sunday five o'clock", [`${SUNDAY}T05:00:01Z`, `${SUNDAY}T04:59:58Z`]],
    ["is set back by a day", [`${SUNDAY}T05:00:01Z`, "2026-11-21T05:00:00Z"]],
    ["is set ahead by a year and back", ["2027-11-22T05:00:00Z", `${SUNDAY}T04:00:00Z`]],
  ];

  test.each(casesOf(MOVES.slice(0, 1), MOVES))(
    "runs each task once, and all of them: it %s",
    async (_how, moves) => {
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
    },
  );
});

describe("a task", () => {
  test("leaves a receipt that names the person by uuid only", async () => {
    const app = await shared();
    await app.capture(batch(named("one", "ann"), named("two", "ann")));
    const uuid = await remove(app, "ann");
    app.clock.now = Date.parse("2026-11-21T13:00:00Z");
    await app.app.deletionRuns.run();
    const id = (await newest(app))?.id ?? 0;
    const receipt: Receipt = await app.app.deletionDesk.receipt(id);
    expect(receipt).toEqual({
      ...{ id, project_id: app.id, person_uuid: uuid, kind: "weekly" },
      ...{ requested_by: 1, requested_by_email: "owner@localhost.localdomain" },
      ...{ requested_at: "2026-11-21T12:00:00.000000Z", state: "done", attempts: 1, error: null },
      started_at: "2026-11-21T13:00:00.000000Z",
      finished_at: "2026-11-21T13:00:00.000000Z",
      counts: { events: 2, logs: 0, warnings: 0, dead_letters: 0 },
      places: { count: 0, results: [] },
    });
  });

  test("can be withdrawn before it runs, and not when it is done", async () => {
    const app = await shared();
    await app.capture(batch(named("one", "ann")));
    await removeEvents(app, "ann");
    const id = (await newest(app))?.id ?? 0;
    expect(await app.app.deletionDesk.cancel(id)).toMatchObject({ state: "cancelled" });
    expect(await app.app.deletionRuns.run()).toEqual({ done: 0 });
    expect(await namesOf(app, "ann")).toEqual(["one"]);
    const { cancel, receipt } = app.app.deletionDesk;
    expect(await cancel(id).catch((error) => error.code)).toBe("not_found");
    expect(await receipt(id + 1).catch((error) => error.code)).toBe("not_found");
  });

  test("that fails tells why, is tried again, and is given up in the end", async () => {
    const app = await shared();
    // The second leaves a warning, which the first attempt removes.
    await app.capture(batch(named("one", "ann"), named("two", "ann", { uuid: "none" })));
    await removeEvents(app, "ann");
    const id = (await newest(app))?.id ?? 0;
    // A directory where the draft of the dead letters would be cannot be written to.
    appendFileSync(join(app.directory, "dead-letters.ndjson"), "{}\n");
    mkdirSync(join(app.directory, "dead-letters.ndjson.new", "in-the-way"), { recursive: true });
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(await app.app.deletionRuns.run().catch(() => "failed")).toBe("failed");
      const { state, attempts, error } = await app.app.deletionDesk.receipt(id);
      expect([state, attempts]).toEqual([attempt < 5 ? "queued" : "failed", attempt]);
      expect(error).not.toBe("");
    }
    expect(await statuses(app)).toEqual(["failed"]);
    rmSync(join(app.directory, "dead-letters.ndjson.new"), { recursive: true });
    app.clock.now += 366 * 86_400_000;
    await app.app.deletionRuns.tick();
    expect(await statuses(app)).toEqual(["failed"]);
    expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });
    expect((await app.app.deletionDesk.receipt(id)).counts).toEqual({
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
    await filled(place.path);
    {
      await using app = await testApp({ data: place.path });
      await app.capture(batch(named("one", "ann")));
      await removeEvents(app, "ann");
    }
    // If each of the stops counted as an attempt, the task would be given up.
    const before = ATTEMPTS_MAX - 2;
    const sqlite = openPersonStore(place.path);
    sqlite.run("UPDATE deletion_task SET attempts = ?", [before]);
    sqlite.close();
    const begun = async (app: TestProject) => {
      while ((await app.app.deletionDesk.receipt(1)).attempts === before) await Bun.sleep(1);
    };
    for (let stops = 0; stops < 3; stops += 1) {
      const app = await testApp({ data: place.path });
      // A run that was interrupted continues by itself, before this one.
      const running = app.app.deletionRuns.run().catch(() => undefined);
      await begun(app);
      await app[Symbol.asyncDispose]();
      await running;
    }

    await using app = await testApp({ data: place.path });
    expect(await app.app.deletionRuns.run()).toEqual({ done: 1 });
    expect(await app.app.deletionDesk.receipt(1)).toMatchObject({
      ...{ state: "done", attempts: before + 1 },
    });
    expect(await namesOf(app, "ann")).toEqual([]);
  });

  test("ends, though the task waits for events that have no room", async () => {
    using place = temporaryDirectory();
    const disk = { free: 1e12, total: 1e12 };
    const app = await testApp({ data: place.path, volume: () => disk });
    await app.capture(batch(named("one", "ann")));
    await removeEvents(app, "ann");
    const send = async (count: number) => {
      const some = batch(...Array.from({ length: count }, () => named("filled", "bob")));
      return (await app.ask("POST", "/batch/", { body: some, key: null })).status;
    };
    // The disk is looked at once a second: events are accepted for so long, and then have no room.
    while (app.app.ingest.lag() === 0) {
      disk.free = 1e12;
      while ((await send(1)) !== 200) await Bun.sleep(20);
      disk.free = 0;
      while ((await send(4096)) === 200);
    }
    const running = app.app.deletionRuns.run().catch((error: Error) => error.message);
    while ((await app.app.deletionDesk.receipt(1)).state !== "running") await Bun.sleep(1);

    await app.app.close(100);

    expect(await running).toMatch(/The server is stopping/);
  });
});

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
  while ((await app.app.deletionDesk.receipt(1)).state !== "done") await Bun.sleep(20);
  expect(await namesOf(app, "bob")).toEqual(["two"]);
});

test("while temporary files may hold deleted data, a run is not done, and continues later", async () => {
  const app = await shared();
  await app.capture(batch(named("one", "ann"), named("two", "bob")));
  await remove(app, "ann");
  const file = join(app.directory, "temp", "duckdb_temp_storage_DEFAULT-0.tmp");
  mkdirSync(file);

  const refused = await app.app.deletionRuns.run().catch((error) => error);
  const waiting = await statuses(app);
  // Its events are gone, except from the archive: a rebuild would bring them back after a withdrawal.
  const id = (await newest(app))?.id ?? 0;
  const withdrawn = await app.app.deletionDesk.cancel(id).catch((error) => error);
  rmSync(file, { recursive: true });
  await app.app.deletionRuns.run();

  expect(refused.message).toStartWith("temporary_files: ");
  expect(withdrawn).toMatchObject({ code: "not_found" });
  expect(waiting).not.toEqual(["completed"]);
  expect(await statuses(app)).toEqual(["completed"]);
  expect(await namesOf(app, "bob")).toEqual(["two"]);
});

/** How often the person changes from one row of the events to the next, and once more. */
async function runsOfPersons(path: string): Promise<number> {
  const [[runs] = []] = await onStore(
    path,
    `SELECT count(*)::INTEGER FROM (SELECT person_id, lag(person_id) OVER (ORDER BY rowid) AS last
       FROM store.events) WHERE person_id IS DISTINCT FROM last`,
  );
  return Number(runs);
}

/** Runs a statement on an event store that no server has open, as `store`, and returns its rows. */
async function onStore(path: string, statement: string) {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`ATTACH '${path}' AS store`);
  const rows = (await connection.runAndReadAll(statement)).getRows();
  await connection.run("DETACH store");
  connection.closeSync();
  instance.closeSync();
  return rows;
}
