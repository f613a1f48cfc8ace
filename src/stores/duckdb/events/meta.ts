import type { DuckDBConnection } from "@duckdb/node-api";
import { rows } from "../engine/duckdb.ts";

/**
 * Keys of `meta`: `applied_seq` of the journal, `mirror_version` of the person projection, and `restoring`, 1
 * while the store is filled from the archive.
 */
export type MetaKey = "applied_seq" | "mirror_version" | "restoring";

/** Returns the value of a key, in the current database or in `catalog`; 0 without one. */
export async function metaOf(
  connection: DuckDBConnection,
  key: MetaKey,
  catalog?: string,
): Promise<number> {
  const table = catalog === undefined ? "meta" : `${catalog}.meta`;
  const [row] = await rows(connection, `SELECT value FROM ${table} WHERE key = $key`, { key });
  return Number(row?.["value"] ?? 0);
}

/** Replaces a value by a new row, because an UPDATE would wait until no read runs. */
export async function setMeta(
  connection: DuckDBConnection,
  key: MetaKey,
  value: number,
): Promise<void> {
  await connection.run("DELETE FROM meta WHERE key = $key", { key });
  await connection.run("INSERT INTO meta VALUES ($key, $value::BIGINT)", { key, value });
}
