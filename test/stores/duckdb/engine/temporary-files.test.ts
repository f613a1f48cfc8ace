import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { FLOOR_BYTES_MIN } from "../../../../src/core/ingest/backpressure.ts";
import { Failure } from "../../../../src/core/values/failure.ts";
import { rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import {
  clearTemporary,
  temporaryLimit,
} from "../../../../src/stores/duckdb/engine/temporary-files.ts";
import { smallDisk } from "../../../support/disk/small-disk.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";
import { testDuckdb } from "../../../support/start/duckdb-store.ts";

const TOKEN = "planted-in-a-temporary-file";

/** More than there is memory for, and it takes longer than anybody waits. */
const GREEDY = `
  SELECT a.range, md5(random()::VARCHAR) || repeat('${TOKEN}', 10) AS text
  FROM range(100000) AS a, range(100000) AS b ORDER BY text, a.range`;

test("temporary files of queries are removed, and queries that hold them end", async () => {
  using place = temporaryDirectory();
  const duckdb = await testDuckdb(place.path);
  const directory = join(place.path, "temp");
  const hasToken = () =>
    readdirSync(directory).some((name) => {
      const path = join(directory, name);
      return existsSync(path) && readFileSync(path).includes(TOKEN);
    });
  await duckdb.clearRemains();
  const greedy = duckdb
    .readOnNewConnection((connection) => connection.run(GREEDY))
    .catch((error) => error);
  while (!hasToken()) await Bun.sleep(20);

  await duckdb.clearRemains();

  expect(hasToken()).toBe(false);
  const ended = await greedy;
  expect(ended).toBeInstanceOf(Failure);
  expect(ended).toMatchObject({ code: "unavailable" });
  await duckdb.close();
});

test("open temporary files leave the directory, and the engine continues", async () => {
  using place = temporaryDirectory();
  const duckdb = await testDuckdb(place.path);
  const directory = join(place.path, "temp");
  const sizes = () => readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  const spill = `CREATE TEMP TABLE kept AS
    SELECT repeat('${TOKEN}', 20) || md5(range::VARCHAR) AS text FROM range(300_000)`;
  const sum = "SELECT count(*)::INTEGER AS count, sum(length(text))::INTEGER AS length FROM kept";
  const whole = { count: 300_000, length: 300_000 * (TOKEN.length * 20 + 32) };
  // Also another time, when the engine has removed its own.
  for (const clear of [true, false, true]) {
    await duckdb.read(async (connection) => {
      await connection.run(spill);
      expect(Math.max(0, ...sizes())).toBeGreaterThan(0);

      if (clear) await clearTemporary({ directory, alone: (work) => work() });

      expect(Math.max(0, ...sizes()) === 0).toBe(clear);
      expect((await connection.runAndReadAll(sum)).getRowObjects()).toEqual([whole]);
      await connection.run("DROP TABLE kept");
    });
  }
  await duckdb.clearRemains();
  await duckdb.close();
});

test("where their names cannot be taken from them it fails, and may be tried again", async () => {
  using place = temporaryDirectory();
  const file = join(place.path, "duckdb_temp_storage_DEFAULT-0.tmp");
  mkdirSync(file);
  const clear = () => clearTemporary({ directory: place.path, alone: (work) => work() });

  const refused = await clear().catch((error) => error);
  rmSync(file, { recursive: true });
  await clear();

  expect(refused).toBeInstanceOf(Failure);
  expect(refused).toMatchObject({ code: "unavailable" });
  expect(refused.message).toStartWith("temporary_files: ");
});

test("no work of the server lets a caller's query take the disk below its floor", async () => {
  await using disk = await smallDisk(500_000_000);
  const connection = await (await DuckDBInstance.create()).connect();
  const { within } = temporaryLimit(disk.outside, 5);
  const limit = async () => {
    const [row] = await rows(
      connection,
      "SELECT current_setting('max_temp_directory_size') AS mib",
    );
    return Number.parseFloat(String(row?.["mib"])) * 1_048_576;
  };

  const alone = await within(connection, "own", limit);
  const meanwhile = await within(connection, "caller", () => within(connection, "own", limit));
  const failed = within(connection, "caller", () => Promise.reject(new Error("interrupted")));
  await failed.catch(() => undefined);
  const afterwards = await within(connection, "own", limit);

  // The statement has whole MB, the setting tenths of a MiB.
  const roundedBytes = 2_000_000;
  expect(Math.abs(alone - disk.free() / 2)).toBeLessThan(roundedBytes);
  expect(Math.abs(meanwhile - (disk.free() - FLOOR_BYTES_MIN) / 2)).toBeLessThan(roundedBytes);
  expect(afterwards).toBe(alone);
  connection.closeSync();
});
