import { expect, test } from "bun:test";
import { ROW_GROUP_ROWS, rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";
import { testDuckdb } from "../../../support/start/duckdb-store.ts";

test("a checkpoint closes up one run of gaps, and the next one another: all at once take much memory", async () => {
  using place = temporaryDirectory();
  const duckdb = await testDuckdb(place.path, { memory_bytes: 256_000_000 });
  const rowGroups = async () => {
    const found = await duckdb.read((connection) =>
      rows(
        connection,
        "SELECT count(DISTINCT row_group_id)::INTEGER AS count FROM pragma_storage_info('numbers')",
      ),
    );
    return Number(found[0]?.["count"]);
  };
  const total = () =>
    duckdb.read((connection) => rows(connection, "SELECT sum(n)::VARCHAR AS sum FROM numbers"));
  for (let group = 0; group < 8; group += 1) {
    await duckdb.write(async (connection) => {
      const from = group * ROW_GROUP_ROWS;
      const range = `range(${from}, ${from + ROW_GROUP_ROWS}) AS of(n)`;
      await connection.run(
        group === 0
          ? `CREATE TABLE numbers AS FROM ${range}`
          : `INSERT INTO numbers SELECT n FROM ${range}`,
      );
    });
  }
  await duckdb.checkpoint();
  await duckdb.write((connection) => connection.run("DELETE FROM numbers WHERE n % 8 < 5"));
  const before = await total();

  const counts = [await rowGroups()];
  for (let time = 0; time < 4; time += 1) {
    await duckdb.checkpoint();
    counts.push(await rowGroups());
    // A checkpoint with nothing to do would be none.
    await duckdb.write((connection) => connection.run("INSERT INTO numbers VALUES (0)"));
  }

  expect(await total()).toEqual(before);
  expect(counts).toEqual([8, 7, 6, 5, 4]);
  await duckdb.close();
});
