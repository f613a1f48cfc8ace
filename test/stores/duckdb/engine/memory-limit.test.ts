import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { commitMemory } from "../../../../src/stores/duckdb/engine/memory-limit.ts";

const memory_bytes = 128_000_000;

let instance: DuckDBInstance;
let reader: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
  reader = await instance.connect();
  await reader.run("SET threads = 1");
  await reader.run("SET temp_directory = ''");
  await reader.run("SET memory_limit = '128MB'");
});

afterAll(() => instance.closeSync());

const TEXT = "md5(range::VARCHAR) || md5((-range)::VARCHAR)";

/** Takes more than any limit here, and cannot be put on disk. */
const GREEDY = `SELECT len(list(${TEXT})) FROM range(20_000_000)`;

/** Rows that are in no file: 300 MB. */
const WRITTEN = `CREATE TABLE written AS SELECT ${TEXT} AS text FROM range(4_000_000)`;

const made = (interruptReads: (lowered: Promise<void>) => void) =>
  commitMemory({ connect: () => instance.connect(), memory_bytes, interruptReads });

const limit = async () => {
  const asked = await reader.runAndReadAll("SELECT current_setting('memory_limit')");
  return asked.getRows()[0]?.[0];
};

test("a commit has more memory than others, until it is done", async () => {
  const memory = await made(() => {});
  const before = await limit();
  await memory.during(reader, async () => expect(await limit()).not.toBe(before));
  expect(await limit()).toBe(before);
  expect(memory.isShort()).toBe(false);
  await memory.end();
});

test("rows that are in no file yet interrupt no read: they belong to the write", async () => {
  let times = 0;
  const memory = await made(() => {
    times += 1;
  });
  await memory.during(reader, async () => {
    await reader.run(WRITTEN);
    const used = await reader.runAndReadAll("SELECT sum(memory_usage_bytes) FROM duckdb_memory()");
    expect(Number(used.getRows()[0]?.[0])).toBeGreaterThan(memory_bytes + 64_000_000);
    await Bun.sleep(100);
    await reader.run("DROP TABLE written");
  });
  await memory.end();
  expect(times).toBe(0);
});

test("an interrupted read learns when the limit is lowered", async () => {
  const lowered: Promise<void>[] = [];
  const memory = await made((promise) => {
    lowered.push(promise);
    reader.interrupt();
  });
  let limited: Promise<unknown> | undefined;
  await memory.during(reader, async () => {
    await expect(reader.run(GREEDY)).rejects.toThrow("Interrupted");
    limited = lowered[0]?.then(limit);
  });
  expect(await limited).toBe("122.0 MiB");
  await memory.end();
});

test("a read that takes the memory of commits is interrupted, and the limit is lowered then", async () => {
  let times = 0;
  const memory = await made(() => {
    times += 1;
    reader.interrupt();
  });
  await expect(reader.run(GREEDY)).rejects.toThrow("Out of Memory");
  expect(times).toBe(0);
  await memory.during(reader, async () => {
    await expect(reader.run(GREEDY)).rejects.toThrow("Interrupted");
  });
  expect(times).toBeGreaterThan(0);
  while (memory.isShort()) await Bun.sleep(10);
  expect(await limit()).toBe("122.0 MiB");
  await memory.end();
});
