import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import { isOutOfMemory } from "./faults.ts";

/**
 * Lends connections, in the order of asking. Fails `unavailable` when `waitingMax` wait already.
 */
export function pool(all: readonly DuckDBConnection[], waitingMax: number) {
  const idle = [...all];
  const waiting: ((connection: DuckDBConnection) => void)[] = [];
  const take = (): Promise<DuckDBConnection> | DuckDBConnection => {
    const connection = idle.pop();
    if (connection !== undefined) return connection;
    if (waiting.length >= waitingMax) {
      throw new Failure("unavailable", "Too many queries are waiting. Try again in a moment.");
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (connection: DuckDBConnection) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };
  return {
    async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
      const connection = await take();
      try {
        return await work(connection);
      } finally {
        release(connection);
      }
    },

    /** Lends all of them at once; does nothing if one is lent. */
    async whileIdle(work: (all: readonly DuckDBConnection[]) => Promise<void>): Promise<void> {
      if (idle.length < all.length) return;
      idle.length = 0;
      try {
        await work(all);
      } finally {
        for (const connection of all) release(connection);
      }
    },
  };
}

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
