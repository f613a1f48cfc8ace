import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../../src/core/values/failure.ts";
import { clearTemporary } from "../../../../src/stores/duckdb/engine/temporary-files.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";
import { testDuckdb } from "../../../support/start/duckdb-store.ts";

setDefaultTimeout(60_000);

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
