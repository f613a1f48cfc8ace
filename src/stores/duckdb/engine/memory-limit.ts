import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * The most row groups of loads that a rewrite joins into one (decision 93), and the memory that each of them
 * takes, because its rows are sorted.
 */
const JOINED_MAX = 4;
const JOINED_BYTES = 60_000_000;

/** Memory that an idle engine keeps for cached blocks. */
const SHRUNK_BYTES = 8_000_000;

type Memory = { memory_bytes: number };

/** The statement that says how much memory the engine may use. */
export function memoryLimit({ memory_bytes }: Memory): string {
  return `SET memory_limit = '${Math.floor(memory_bytes / 1e6)}MB'`;
}

/** How many row groups of loads a rewrite joins into one. */
export function joinable({ memory_bytes }: Memory): number {
  return Math.min(JOINED_MAX, Math.max(1, Math.floor(memory_bytes / JOINED_BYTES)));
}

/**
 * Frees the blocks that DuckDB has read, which only a lower memory limit does. After a start with a
 * million and a half events they were 52 MB of 288. Nothing else may run meanwhile: it would find no memory.
 */
export async function shrink(connection: DuckDBConnection, memory: Memory): Promise<void> {
  try {
    // Blocks in use stay; DuckDB reports that as an error.
    await connection.run(memoryLimit({ memory_bytes: SHRUNK_BYTES })).catch(() => undefined);
  } finally {
    await connection.run(memoryLimit(memory));
  }
}
