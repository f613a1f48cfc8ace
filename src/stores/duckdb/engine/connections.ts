import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";

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
  const giveBack = (connection: DuckDBConnection) => {
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
        giveBack(connection);
      }
    },

    /** Lends all of them at once; does nothing if one is lent. */
    async whileIdle(work: (all: readonly DuckDBConnection[]) => Promise<void>): Promise<void> {
      if (idle.length < all.length) return;
      idle.length = 0;
      try {
        await work(all);
      } finally {
        for (const connection of all) giveBack(connection);
      }
    },
  };
}
