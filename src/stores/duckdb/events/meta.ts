import type { DuckDBConnection } from "@duckdb/node-api";
import { rows } from "../engine/duckdb.ts";

/** Single facts about the event store: `applied_seq` of the journal, `mirror_version` of the persons. */
export type MetaKey = "applied_seq" | "mirror_version";

/** What the event store holds under a key; 0 if nothing. */
export async function metaOf(connection: DuckDBConnection, key: MetaKey): Promise<number> {
  const [row] = await rows(connection, "SELECT value FROM meta WHERE key = $key", { key });
  return Number(row?.["value"] ?? 0);
}

/** Replaces a value by a new row: an UPDATE would have to wait until no read runs. */
export async function setMeta(
  connection: DuckDBConnection,
  key: MetaKey,
  value: number,
): Promise<void> {
  await connection.run("DELETE FROM meta WHERE key = $key", { key });
  await connection.run("INSERT INTO meta VALUES ($key, $value::BIGINT)", { key, value });
}
