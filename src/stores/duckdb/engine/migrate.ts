import type { DuckDBConnection } from "@duckdb/node-api";
import { BASELINE_VERSION, migrationsFrom } from "../../../core/values/schema-version.ts";
import { DUCKDB_MIGRATIONS } from "../migrations/index.ts";
import { transaction } from "./transaction.ts";

/** Brings the schema up to date; a row of `migration` is written in each migration's transaction. */
export async function migrate(
  connection: DuckDBConnection,
  migrations: readonly string[] = DUCKDB_MIGRATIONS,
): Promise<void> {
  await connection.run("CREATE TABLE IF NOT EXISTS migration (version INTEGER)");
  const stored = await connection.runAndReadAll("SELECT max(version) AS version FROM migration");
  const [row] = stored.getRowObjects();
  const { from } = migrationsFrom(Number(row?.["version"] ?? 0), migrations.length);
  for (const [index, migration] of migrations.entries()) {
    if (index < from) continue;
    await transaction(connection, async () => {
      await connection.run(migration);
      await connection.run(`INSERT INTO migration VALUES (${BASELINE_VERSION + index})`);
    });
  }
  if (from < migrations.length) await connection.run("CHECKPOINT");
}
