import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * How many row groups of loads are one where the file is written anew (decision 93), at most, and the
 * memory that each of them asks for: what is in it is sorted.
 */
const JOINED_MAX = 4;
const JOINED_BYTES = 60_000_000;

/** What the engine may keep of what it has read when it has nothing to do. */
const SHRUNK_BYTES = 8_000_000;

type Memory = { memory_bytes: number };

/** The statement that says how much memory the engine may use. */
export function memoryLimit({ memory_bytes }: Memory): string {
  return `SET memory_limit = '${Math.floor(memory_bytes / 1e6)}MB'`;
}

/** How many row groups of loads are one where the file is written anew. */
export function joinable({ memory_bytes }: Memory): number {
  return Math.min(JOINED_MAX, Math.max(1, Math.floor(memory_bytes / JOINED_BYTES)));
}

/**
 * Frees the blocks that DuckDB has read, which only a lower memory limit does. After a start with a
 * million and a half events they were 52 MB of 288. Nothing else may run meanwhile: it would find no memory.
 */
export async function shrink(connection: DuckDBConnection, memory: Memory): Promise<void> {
  try {
    // What is in use stays; then it says that it could not.
    await connection.run(memoryLimit({ memory_bytes: SHRUNK_BYTES })).catch(() => undefined);
  } finally {
    await connection.run(memoryLimit(memory));
  }
}
