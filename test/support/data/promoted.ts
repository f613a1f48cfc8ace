import { expect } from "bun:test";
import { type Duckdb, rows } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { readableColumns } from "../../../src/stores/duckdb/events/hot-columns.ts";
import { pointer, textIn } from "../../../src/stores/duckdb/lists/property-filter.ts";

/** Expects each readable column to have the value in the JSON; returns the number of columns. */
export async function expectSameTexts(duckdb: Duckdb): Promise<number> {
  return await duckdb.read(async (connection) => {
    const promoted = await readableColumns(connection);
    for (const [key, column] of promoted) {
      const sql = `SELECT count(*)::INTEGER AS wrong FROM events
        WHERE ${column} IS DISTINCT FROM ${textIn("$pointer")}`;
      expect([key, await rows(connection, sql, { pointer: pointer(key) })]).toEqual([
        key,
        [{ wrong: 0 }],
      ]);
    }
    return promoted.size;
  });
}
