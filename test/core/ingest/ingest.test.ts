import { describe, expect, test } from "bun:test";
import { existsSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { BATCH_EVENTS_MAX, type BatchResult } from "../../../src/core/ingest/batches.ts";
import { intervalMs, isBusy, waitForBatch } from "../../../src/core/ingest/ingest.ts";
import { stopSignal } from "../../../src/core/ingest/retry.ts";
import { ROW_GROUP_ROWS } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestProject, temporaryDirectory, testApp } from "../../support/start/app.ts";
import { testDuckdb } from "../../support/start/duckdb-store.ts";
import { sharedApp } from "../../support/start/shared-app.ts";

const HOUR_MS = 3_600_000;

const project = sharedApp();

async function personOf(app: TestProject, distinctId: string) {
  const { body } = await app.get(`/persons/?distinct_id=${distinctId}`);
  return (body as { results: { properties: unknown; created_at: string; uuid: string }[] })
    .results[0];
}

async function eventCount(app: TestProject, query = ""): Promise<number> {
  const { status, body } = await app.get(`/events/?limit=1${query}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return (body as { count: number }).count;
}

describe("changes of persons by events (contract 6)", () => {
  test("$set, $set_once and $unset are applied in the order of arrival, also within a batch", async () => {
    const app = await project();

    await app.capture(
      batch(
        event({
          properties: { $set: { n: 1, gone: 1 }, $set_once: { first: "a" } },
          timestamp: "2026-11-20",
        }),
        // Backdated, yet it arrives later and wins.
        event({
          properties: { $set: { n: 2 }, $set_once: { first: "b" } },
          timestamp: "2026-11-10",
        }),
        event({ properties: { $unset: ["gone"] } }),
      ),
    );
    await app.capture(
      batch(event({ properties: { $set: { n: 3 } } }), event({ $set: { top: true } })),
    );

    expect(await personOf(app, "ann")).toMatchObject({
      properties: { n: 3, first: "a", top: true },
      created_at: "2026-11-20T00:00:00.000000Z",
    });
  });

  test("$identify updates properties and merges no persons without $anon_distinct_id", async () => {
    const app = await project();
    await app.capture(
      batch(event({ event: "$identify", properties: { $set: { email: "a@b.c" } } })),
    );
    expect(await personOf(app, "ann")).toMatchObject({ properties: { email: "a@b.c" } });
    expect((await app.get("/persons/")).body).toMatchObject({ count: 1 });
  });

  test("an anonymous event makes no person, changes none, and belongs to the one made later", async () => {
    const app = await project();
    const anonymous = { $process_person_profile: false, $set: { n: 1 } };

    await app.capture(batch(event({ properties: anonymous })));
    expect(await personOf(app, "ann")).toBeUndefined();
    await app.capture(batch(event({ properties: { $set: { n: 2 } } })));
    await app.capture(batch(event({ properties: anonymous })));

    const ann = await personOf(app, "ann");
    expect(ann).toMatchObject({ properties: { n: 2 } });
    expect(await eventCount(app, `&person_id=${ann?.uuid}`)).toBe(3);
  });
});

describe("a uuid that is sent again", () => {
  test("adds no row and applies no $set again, in the same batch or a later one", async () => {
    await using app = await testApp();
    const first = event({ properties: { $set: { n: 1 } } });
    const second = event({ properties: { $set: { n: 2 } } });

    await app.capture(batch(first, second, first));
    await app.capture(batch(first));

    expect(await eventCount(app)).toBe(2);
    expect(await personOf(app, "ann")).toMatchObject({ properties: { n: 2 } });
    expect(app.app.ingest.counts()).toMatchObject({ stored: 2, duplicates: 2 });
  });

  test("is known after a restart, until the window of 48 hours has passed", async () => {
    using directory = temporaryDirectory();
    const data = directory.path;
    const sent = event();
    const start = Date.parse("2026-11-21T12:00:00Z");
    const sendAt = async (hours: number) => {
      await using app = await testApp({ data, now: start + hours * HOUR_MS });
      await app.capture(batch(sent));
      return await eventCount(app);
    };

    expect(await sendAt(0)).toBe(1);
    expect(await sendAt(1)).toBe(1);
    expect(await sendAt(47.9)).toBe(1);
    // A day back, as a clock may be set, is still within the window.
    expect(await sendAt(-24)).toBe(1);
    expect(await sendAt(48.1)).toBe(2);
  });

  test("is known after a restart though the clock was set back for longer than the window", async () => {
    using directory = temporaryDirectory();
    const data = directory.path;
    const start = Date.parse("2026-11-21T12:00:00Z");
    const sent = [event(), event(), event()];
    const sendAt = async (hours: number, some: number) => {
      await using app = await testApp({ data, now: start + hours * HOUR_MS });
      await app.capture(batch(...sent.slice(0, some)));
      return await eventCount(app);
    };

    expect(await sendAt(0, 1)).toBe(1);
    expect(await sendAt(-100, 2)).toBe(2);
    expect(await sendAt(-99, 2)).toBe(2);
    expect(await sendAt(-52, 3)).toBe(3);
  });

  test("of another project is another event", async () => {
    const app = await project();
    const second = await app.app.projects.create({ name: "second", api_token: "phc_second" });
    const sent = event();

    await app.capture(batch(sent));
    await app.capture({ ...batch(sent), api_key: "phc_second" });

    expect(await eventCount(app)).toBe(1);
    const { body } = await app.ask("GET", `/api/environments/${second.id}/events/`);
    expect(body).toMatchObject({ count: 1 });
  });

  test("with another event is kept out, and the first stays", async () => {
    const app = await project();
    const sent = event({ event: "first" });

    await app.capture(batch(sent));
    await app.capture(batch({ ...sent, event: "second" }));

    expect((await app.get("/events/")).body).toMatchObject({
      count: 1,
      results: [{ event: "first" }],
    });
  });
});

test("a historical migration changes persons in order, and is stored by time (contract 4.5.3)", async () => {
  using directory = temporaryDirectory();
  const days = [3, 1, 2].map((day) =>
    event({ timestamp: `2024-01-0${day}T00:00:00Z`, properties: { $set: { day } } }),
  );
  await migrate(directory.path, days);

  const { DuckDBInstance } = await import("@duckdb/node-api");
  const file = join(directory.path, "events/1.duckdb");
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const stored = await connection.runAndReadAll(
    `SELECT strftime("timestamp", '%d') AS day FROM events ORDER BY rowid`,
  );
  expect(stored.getRows().flat()).toEqual(["01", "02", "03"]);
  connection.closeSync();
  instance.closeSync();
});

/** Sends a historical migration, and checks what the API shows of it. */
async function migrate(data: string, days: object[]): Promise<void> {
  await using app = await testApp({ data });

  await app.capture({ ...batch(...days), historical_migration: true });

  expect(await personOf(app, "ann")).toMatchObject({ properties: { day: 2 } });
  const { body } = await app.get("/events/");
  const times = (body as { results: { timestamp: string }[] }).results.map((row) => row.timestamp);
  expect(times.map((time) => time.slice(0, 10))).toEqual([
    "2024-01-03",
    "2024-01-02",
    "2024-01-01",
  ]);
}

test("events of a person merged on a full disk are found with the remaining person", async () => {
  await using app = await testApp();
  const anonymous = { distinct_id: "anon", properties: { $process_person_profile: false } };
  await app.capture(batch(event(anonymous), event({ distinct_id: "user" })));
  const user = await personOf(app, "user");
  const loads = join(app.directory, "loads");
  const merge = { event: "$identify", distinct_id: "user" };

  renameSync(loads, `${loads}.away`);
  const body = batch(event({ ...merge, properties: { $anon_distinct_id: "anon" } }));
  expect((await app.ask("POST", "/batch/", { body, key: null })).status).toBe(200);
  while ((await personOf(app, "anon")) === undefined) await Bun.sleep(20);
  renameSync(`${loads}.away`, loads);
  await app.capture(batch(event({ distinct_id: "other" })));

  expect(await eventCount(app, `&person_id=${user?.uuid}`)).toBe(3);
});

test("an idle server checkpoints the event store, and goes on as before", async () => {
  await using app = await testApp({ idleMs: 20 });
  const sent = event();
  const log = join(app.directory, "events/1.duckdb.wal");

  await app.capture(batch(sent));
  while (existsSync(log) && statSync(log).size > 0) await Bun.sleep(10);
  await app.capture(batch(sent, event()));

  expect(await eventCount(app)).toBe(2);
});

test("a large backlog is stored whole, once, in several batches", async () => {
  const app = await project();
  const events = Array.from({ length: 30_000 }, (_, n) =>
    event({ distinct_id: `u${n % 700}`, properties: { $set: { n } } }),
  );

  await Promise.all(
    Array.from({ length: 30 }, (_, part) =>
      app.ask("POST", "/batch/", {
        body: batch(...events.slice(part * 1000, part * 1000 + 1000)),
        key: null,
      }),
    ),
  );
  await app.app.ingest.caughtUp();

  expect(await eventCount(app)).toBe(30_000);
  expect((await app.get("/persons/?limit=1")).body).toMatchObject({ count: 700 });
  expect((await personOf(app, "u0"))?.properties).toEqual({ n: 29_400 });
});

test("a load that was stored up to the middle of a batch continues after it", async () => {
  using directory = temporaryDirectory();
  const data = directory.path;
  const events = Array.from({ length: 30_000 }, (_, n) =>
    event({ distinct_id: `u${n % 7}`, properties: { n, $set_once: { first: n } } }),
  );
  {
    await using app = await testApp({ data });
    await app.capture(batch(...events));
    expect(await eventCount(app)).toBe(30_000);
  }
  // As a kill leaves it between the two loads of the batch: SQLite has all of it.
  await loseEventsAfter(ROW_GROUP_ROWS, data);

  await using app = await testApp({ data });
  await app.app.ingest.caughtUp();

  expect(app.app.ingest.counts()).toEqual({
    stored: 30_000 - ROW_GROUP_ROWS,
    duplicates: 0,
    dead: 0,
  });
  expect(await eventCount(app)).toBe(30_000);
  expect(await eventCount(app, `&uuid=${events.at(ROW_GROUP_ROWS)?.["uuid"]}`)).toBe(1);
  expect((await personOf(app, "u3"))?.properties).toEqual({ first: 3 });
});

async function loseEventsAfter(seq: number, directory: string): Promise<void> {
  const duckdb = await testDuckdb(directory, { memory_bytes: 256_000_000 });
  await duckdb.write(async (connection) => {
    await connection.run(`DELETE FROM events WHERE seq > ${seq}`);
    await connection.run(`UPDATE meta SET value = ${seq} WHERE key = 'applied_seq'`);
  });
  await duckdb.close();
}

const NEVER = Number.POSITIVE_INFINITY;
const TAKEN = 1000;

const NOTHING: BatchResult = {
  ...{ last: 0, endedEarly: false, count: 0 },
  ...{ duplicates: 0, reused: 0, loads: [] },
};

/** Waits for a batch of a journal whose last number is `durableSeq`. */
function gathering(durableSeq: () => number, isHastened = () => false) {
  const signal = stopSignal();
  const done = waitForBatch(TAKEN, NEVER, { journal: { durableSeq }, signal, isHastened });
  return { signal, done };
}

test("a full batch is taken at once, though more comes", async () => {
  let polls = 0;
  const { done } = gathering(() => TAKEN + BATCH_EVENTS_MAX + polls++);
  await done;
  // Where it begins, and the one look that finds it.
  expect(polls).toBe(2);
});

test("waiting events are taken when no more come, however few", async () => {
  const { done } = gathering(() => TAKEN + 1);
  await done;
});

test("a batch waits while more events come: a full batch costs less", async () => {
  let last = TAKEN;
  const { done } = gathering(() => {
    last += 500;
    return last;
  });
  await done;
  expect(last - TAKEN).toBeGreaterThanOrEqual(BATCH_EVENTS_MAX);
});

test("where nothing waits, it is gone on once nothing has come for longer: a load may wait", async () => {
  const from = performance.now();
  const { done } = gathering(() => TAKEN);
  await done;
  expect(performance.now() - from).toBeGreaterThan(200);
});

test("a batch is busy by the events of its time, however few", () => {
  const batch = (count: number, endedEarly = false) => ({ ...NOTHING, count, endedEarly });
  const busy = (count: number, ms: number) => isBusy(batch(count), ms);

  expect([busy(300, 100), busy(299, 100)]).toEqual([true, false]);
  expect([busy(2400, 800), busy(400, 800)]).toEqual([true, false]);
  expect(busy(5000, Number.POSITIVE_INFINITY)).toBe(false);
  expect(isBusy(batch(1, true), 60_000)).toBe(true);
  const intervals = [true, false].map((isBusyOne) => intervalMs(batch(1), isBusyOne));
  expect(intervals).toEqual([800, 100]);
  expect(intervalMs(batch(1, true), true)).toBe(0);
});

test("a caller can end the wait, and so does a stop", async () => {
  let isHastened = false;
  const asked = gathering(
    () => TAKEN,
    () => isHastened,
  );
  isHastened = true;
  await asked.done;

  const stopped = gathering(() => TAKEN);
  stopped.signal.stop();
  await stopped.done;
});

test("it ends at the given time", async () => {
  let last = TAKEN;
  const signal = stopSignal();
  const isHastened = () => false;
  const durableSeq = () => (last += 1);
  await waitForBatch(TAKEN, performance.now() + 50, {
    journal: { durableSeq },
    signal,
    isHastened,
  });
  expect(last - TAKEN).toBeLessThan(BATCH_EVENTS_MAX);
});
