import type { DuckDBConnection } from "@duckdb/node-api";

/** Runs `work` in one transaction: rolls back and rethrows if it throws. */
export async function transaction<T>(
  connection: DuckDBConnection,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  await connection.run("BEGIN TRANSACTION");
  try {
    const result = await work(connection);
    await connection.run("COMMIT");
    return result;
  } catch (error) {
    // A failed COMMIT has ended the transaction already.
    await connection.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
