import { expect, test } from "bun:test";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { readRows } from "../../../src/stores/archive/gap-rows.ts";
import { openDuckdb, ROW_GROUP_ROWS } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

const MEMORY = { memory_bytes: 128_000_000 };

/** An event store of some row groups that is closed; its file. */
async function stored(directory: string, rowGroups: number): Promise<string> {
  const onFatal = (error: Error) => {
    throw error;
  };
  const duckdb = await openDuckdb({ directory, generation: 1, ...MEMORY, threads: 2, onFatal });
  await duckdb.write(async (connection) => {
    await connection.run(
      `INSERT INTO events BY NAME SELECT 1 AS project_id, 1 + range AS seq, uuid() AS uuid,
         'sent' AS event, 'ann' AS distinct_id, uuid() AS person_id, now()::TIMESTAMP AS "timestamp",
         now()::TIMESTAMP AS ingested_at, 0 AS mark, {text: md5(range::VARCHAR)}::JSON AS properties
       FROM range(${rowGroups * ROW_GROUP_ROWS})`,
    );
  });
  await duckdb.close();
  return join(directory, "events", "1.duckdb");
}

/** How many rows of a column Parquet files have, and between which numbers. */
async function numbersIn(paths: readonly string[]) {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const list = paths.map((path) => `'${path}'`).join(", ");
  const found = await connection.runAndReadAll(
    `SELECT count(DISTINCT seq)::INTEGER, min(seq)::INTEGER, max(seq)::INTEGER FROM read_parquet([${list}])`,
  );
  connection.closeSync();
  instance.closeSync();
  return found.getRows()[0];
}

test("rows in gaps are taken out of a whole event store, no others, and it stays as it was", async () => {
  using place = temporaryDirectory();
  const file = await stored(place.path, 2);
  const { mtimeMs } = statSync(file);
  const gaps = [
    { first: 11, last: 20 },
    { first: 30_001, last: 30_005 },
    { first: 99_000, last: 99_999 },
  ];

  const { files, damage } = await readRows(file, gaps, { directory: place.path, ...MEMORY });

  expect(damage).toBeUndefined();
  expect(files).toEqual([{ kind: "events", path: expect.any(String), rows: 15 }]);
  expect(await numbersIn(files.map(({ path }) => path))).toEqual([15, 11, 30_005]);
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
});

test("a damaged event store gives no rows of the table that cannot be read, and the error", async () => {
  using place = temporaryDirectory();
  const file = await stored(place.path, 6);
  // The engine's blocks are 256 KiB behind three headers.
  const at = 12_288 + 12 * 262_144;
  const damaged = openSync(file, "r+");
  writeSync(damaged, Buffer.alloc(8192, 7), 0, 8192, at);
  closeSync(damaged);

  const gaps = [{ first: 1, last: 6 * ROW_GROUP_ROWS }];
  const { files, damage } = await readRows(file, gaps, { directory: place.path, ...MEMORY });

  expect(damage?.message).toContain("Corrupt");
  expect(files).toEqual([]);
});
