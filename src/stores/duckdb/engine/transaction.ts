import type { DuckDBConnection } from "@duckdb/node-api";
import { isOutOfMemory } from "./faults.ts";

/** How long a rollback is tried again that found no memory or was interrupted, and how often, in milliseconds. */
const ROLLBACK_MS_MAX = 10_000;
const ROLLBACK_EVERY_MS = 20;

/** A read that is to end is interrupted until it has, and then its rollback may be. */
const INTERRUPTED = /INTERRUPT Error/;

/**
 * Runs `work` in one transaction; rolls back and rethrows if it throws. `before` runs before the commit and
 * before a rollback. If memory is short, a commit may succeed and still report an error, because there was no
 * memory for its empty result.
 */
export async function transaction<T>(
  connection: DuckDBConnection,
  work: (connection: DuckDBConnection) => Promise<T>,
  before: () => Promise<unknown> = async () => {},
): Promise<T> {
  try {
    await connection.run("BEGIN TRANSACTION");
    const result = await work(connection);
    await before();
    await connection.run("COMMIT");
    return result;
  } catch (error) {
    await before().catch(() => undefined);
    await rollBack(connection);
    throw error;
  }
}

/** Ends the transaction without a trace, if there is one. */
export async function rollBack(connection: DuckDBConnection): Promise<void> {
  const deadline = performance.now() + ROLLBACK_MS_MAX;
  for (;;) {
    try {
      await connection.run("ROLLBACK");
      return;
    } catch (cause) {
      // A failed COMMIT has ended the transaction already.
      if (!isOutOfMemory(cause) && !INTERRUPTED.test(String(cause))) return;
      if (performance.now() > deadline) {
        throw new Error("FATAL Error: a transaction cannot be rolled back", { cause });
      }
    }
    await Bun.sleep(ROLLBACK_EVERY_MS);
  }
}
