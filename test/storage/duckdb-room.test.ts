import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { commitRoom } from "../../src/storage/duckdb-room.ts";

setDefaultTimeout(60_000);

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

/** Takes more than any limit here, and cannot be put on disk. */
const GREEDY = `CREATE TEMP TABLE greedy AS
  SELECT md5(range::VARCHAR) || md5((-range)::VARCHAR) AS text FROM range(20_000_000)`;

const made = (endReads: () => void) =>
  commitRoom({ connect: () => instance.connect(), memory_bytes, endReads });

const limit = async () => {
  const asked = await reader.runAndReadAll("SELECT current_setting('memory_limit')");
  return asked.getRows()[0]?.[0];
};

test("a commit has more room than others, until it is done", async () => {
  const room = await made(() => {});
  const before = await limit();
  await room.open(reader);
  expect(await limit()).not.toBe(before);
  await room.close(reader);
  expect(await limit()).toBe(before);
  expect(room.isShort()).toBe(false);
  await room.end();
});

test("whoever reads is ended where he takes of that room, and the limit is lowered then", async () => {
  let times = 0;
  const room = await made(() => {
    times += 1;
    reader.interrupt();
  });
  await expect(reader.run(GREEDY)).rejects.toThrow("Out of Memory");
  expect(times).toBe(0);
  await room.open(reader);
  await expect(reader.run(GREEDY)).rejects.toThrow("Interrupted");
  expect(times).toBeGreaterThan(0);
  await room.close(reader);
  while (room.isShort()) await Bun.sleep(10);
  expect(await limit()).toBe("122.0 MiB");
  await room.end();
});
