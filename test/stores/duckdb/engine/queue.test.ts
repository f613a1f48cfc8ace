import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { BatchContent, BatchEvent, BulkLoadFiles } from "../../../../src/core/ports/loads.ts";
import { openDuckdb, ROW_GROUP_ROWS } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { jobQueue, pool, transaction } from "../../../../src/stores/duckdb/engine/queue.ts";
import { eventStore } from "../../../../src/stores/duckdb/events/store.ts";
import { loadFiles } from "../../../../src/stores/loads/loads.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";
import { casesOf } from "../../../support/start/rounds.ts";

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
  await connection.run("CREATE TABLE numbers (n INTEGER)");
});

afterAll(() => instance.closeSync());

type Files = ReturnType<typeof loadFiles>;

const SLICE = 4096;

const ENDLESS =
  "SELECT max(a.range + b.range + c.range) FROM range(1e6::BIGINT) a, range(1e6::BIGINT) b, range(1e6::BIGINT) c";

test("an exclusive write waits for running reads, and later reads wait for it", async () => {
  const queue = jobQueue();
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = queue.read(connection, "final", async () => {
    await end;
    done.push("first");
  });
  const write = queue.runAlone(async () => done.push("write"));
  const next = queue.runAlone(async () => done.push("next"));
  const second = queue.read(connection, "final", async () => done.push("second"));
  await Bun.sleep(20);
  expect(done).toEqual([]);
  resolve();
  await Promise.all([first, write, next, second]);
  expect(done).toEqual(["first", "write", "next", "second"]);
});

test("a read that takes long is ended, and says why", async () => {
  const queue = jobQueue();
  const endless = queue.read(connection, "final", () => connection.run(ENDLESS)).catch((e) => e);
  expect(await queue.runAlone(async () => "written")).toBe("written");
  expect(await endless).toMatchObject({ code: "unavailable" });
  expect(await queue.read(connection, "final", async () => "read")).toBe("read");
});

test("an interrupted read is repeated after the write, a limited number of times", async () => {
  const queue = jobQueue();
  const done: string[] = [];
  const repeated = queue.read(connection, "repeat", async () => {
    done.push("read");
    if (done.length === 1) await connection.run(ENDLESS);
    return "whole";
  });
  await queue.runAlone(async () => done.push("written"));
  expect(await repeated).toBe("whole");
  expect(done).toEqual(["read", "written", "read"]);

  let times = 0;
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const ended = queue
    .read(connection, "repeat", () => {
      times += 1;
      return connection.run(ENDLESS);
    })
    .catch((error) => error);
  const ending = setInterval(() => queue.interruptReads(isOver), 10);
  await Bun.sleep(200);
  expect(times).toBe(1);
  resolve();
  expect(await ended).toMatchObject({ code: "unavailable" });
  expect(times).toBe(3);
  clearInterval(ending);
});

test("work between reads waits for a moment without reads, and delays none before", async () => {
  const queue = jobQueue();
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = queue.read(connection, "never", () => end);
  const given = queue.whenIdle(60_000, async () => done.push("between"));
  await queue.read(connection, "never", async () => done.push("second"));
  expect(done).toEqual(["second"]);
  resolve();
  await Promise.all([first, given]);
  expect(done).toEqual(["second", "between"]);
});

test("without such a moment there is no work", async () => {
  const queue = jobQueue();
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const first = queue.read(connection, "never", () => end);
  expect(await queue.whenIdle(20, async () => "done")).toBeUndefined();
  resolve();
  await first;
  expect(await queue.whenIdle(20, async () => "done")).toBe("done");
});

test("an error of a read itself is not blamed on the write", async () => {
  const queue = jobQueue();
  const failing = queue.read(connection, "final", () => connection.run("SELECT nobody"));
  await expect(failing).rejects.toThrow("Binder Error");
});

test("calls wait for a connection up to a number, the next is refused, and room is used again", async () => {
  const connection = {} as DuckDBConnection;
  const readers = pool([connection], 2);
  const busy = Promise.withResolvers<void>();
  const used: number[] = [];
  const use = (n: number) =>
    readers.use(async () => {
      await busy.promise;
      used.push(n);
    });

  const taken = [use(1), use(2), use(3)];
  await expect(use(4)).rejects.toMatchObject({ code: "unavailable" });
  busy.resolve();
  await Promise.all(taken);
  await use(5);

  expect(used).toEqual([1, 2, 3, 5]);
});

test("callers take turns: one with few requests does not wait for all requests of another", async () => {
  const connections = Array.from({ length: 4 }, () => ({}) as DuckDBConnection);
  const readers = pool(connections, 256);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const use = (caller: number | undefined, name: string) =>
    readers.use(async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    }, caller);
  const turn = async () => {
    ends.shift()?.();
    await Bun.sleep(1);
  };

  const greedy = Array.from({ length: 60 }, (_, at) => use(1, `greedy ${at}`));
  await Bun.sleep(1);
  expect(started).toEqual(["greedy 0", "greedy 1", "greedy 2"]);
  const others = [use(2, "other"), use(undefined, "own"), use(3, "third")];
  await Bun.sleep(1);
  expect(started.slice(3)).toEqual(["other"]);
  await turn();
  await turn();
  expect(started.slice(4)).toEqual(["own", "third"]);
  while (ends.length > 0) await turn();
  await Promise.all([...greedy, ...others]);
  expect(started.length).toBe(63);
  expect(readers.isIdle()).toBe(true);
});

type Added = BulkLoadFiles["add"];

const LOADS: [how: string, count: number, added: (files: Files) => Added][] = [
  ["of a row group each", 4 * ROW_GROUP_ROWS, (files: Files) => files.add],
  [
    "that wait for a checkpoint",
    12 * SLICE,
    (files: Files) => (slice: BatchContent) => [
      ...files.add(slice),
      ...[files.end()].filter((load) => load !== null),
    ],
  ],
];

test.each(casesOf(LOADS.slice(0, 1), LOADS))(
  "loads %s are stored while statements of others take all the memory there is",
  async (_, count, added) => {
    using root = temporaryDirectory();
    const fatal: Error[] = [];
    const duckdb = await openDuckdb({
      directory: root.path,
      generation: 1,
      memory_bytes: 128e6,
      threads: 2,
      onFatal: (error) => fatal.push(error),
    });
    const store = eventStore(duckdb, join(root.path, "dead"));
    const add = added(loadFiles(join(root.path, "loads"), ROW_GROUP_ROWS));
    let isOver = false;
    const greedy = Array.from({ length: 2 }, async () => {
      while (!isOver) {
        await duckdb
          .readOnNewConnection((other, catalog) =>
            other.run(GREEDY.replace("events", `${catalog}.events`)),
          )
          .catch(String);
      }
    });
    let stored = 0;
    for (let seq = 1; stored < count; seq += SLICE) {
      const range = { first: seq, last: seq + SLICE - 1 };
      const events = Array.from({ length: SLICE }, (_, at) => sliceEvent(seq + at));
      for (const load of add({ range, events, logs: [], projection: null })) {
        await store.append(load);
        stored += load.count;
      }
    }
    isOver = true;
    await Promise.all(greedy);
    expect((await store.counts()).events).toBe(stored);
    expect(fatal).toEqual([]);
    await duckdb.close();
  },
);

/** What it gathers cannot be put on disk. */
const GREEDY = `SELECT count(*) FROM (
  SELECT md5(properties::VARCHAR) AS hash, list(properties::VARCHAR) AS texts FROM events
  GROUP BY hash ORDER BY texts)`;

function sliceEvent(seq: number): BatchEvent {
  const event = {
    uuid: Bun.randomUUIDv7(),
    event: "tested",
    distinct_id: `person-${seq % 2000}`,
    timestamp: "2026-11-21T12:00:00.000000Z",
    properties: { n: seq, text: `${seq} `.repeat(50) },
  };
  const place = { seq, project_id: 1, arrived_at: Date.parse(event.timestamp) };
  const person_id = "01a1fc9a-592b-78b3-8d80-aa75992efae9";
  const line = Buffer.from(`${JSON.stringify(event)}\n`);
  return { ...place, person_id, event, groups: undefined, mark: 1, historical: false, line };
}

const NO_MEMORY = "Out of Memory Error: could not allocate block";

/** The connection, on which a statement finds no memory so many times, before or after it is carried out. */
function withoutMemory(
  statement: string,
  times: number,
  when: "before" | "after",
  said = NO_MEMORY,
) {
  let left = times;
  return new Proxy(connection, {
    get(target, name) {
      if (name !== "run") return Reflect.get(target, name);
      return async (sql: string) => {
        const fails = sql === statement && left > 0;
        if (fails) left -= 1;
        if (!fails || when === "after") await target.run(sql);
        if (fails) throw new Error(said);
      };
    },
  });
}

const add = (n: number) => async (on: DuckDBConnection) => {
  await on.run(`INSERT INTO numbers VALUES (${n})`);
};

const numbers = async () =>
  (await connection.runAndReadAll("SELECT n FROM numbers ORDER BY n")).getRows().flat();

test.each([
  ["for want of memory", NO_MEMORY],
  ["because it was interrupted", "INTERRUPT Error: Interrupted!"],
])("a transaction that cannot be rolled back %s is rolled back later", async (_, said) => {
  const failing = async (on: DuckDBConnection) => {
    await add(1)(on);
    await on.run("SELECT nothing");
  };
  const failed = await transaction(withoutMemory("ROLLBACK", 3, "before", said), failing).catch(
    String,
  );

  expect(failed).toContain("Binder Error");
  await transaction(connection, add(2));
  expect(await numbers()).toEqual([2]);
  await connection.run("DELETE FROM numbers");
});

test("a transaction that began and found no memory is ended", async () => {
  const begun = withoutMemory("BEGIN TRANSACTION", 1, "after");
  expect(await transaction(begun, add(3)).catch(String)).toContain(NO_MEMORY);

  await transaction(connection, add(4));
  expect(await numbers()).toEqual([4]);
});

test("a commit that was carried out stays, though it failed", async () => {
  const committed = withoutMemory("COMMIT", 1, "after");
  expect(await transaction(committed, add(5)).catch(String)).toContain(NO_MEMORY);

  await transaction(connection, add(6));
  expect(await numbers()).toEqual([4, 5, 6]);
});
