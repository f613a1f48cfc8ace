import { closeSync, fsyncSync, openSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { shrink } from "./memory-limit.ts";
import { zeroPagePadding } from "./page-padding.ts";

type Stale = {
  /** The name under which the file is attached, and its path. */
  name: string;
  path: string;
  memory_bytes: number;
};

/**
 * Clears bytes of deleted rows from the padding of pages, and from memory that becomes pages. Without it
 * three of 30 runs left values in the new file, written with the next checkpoint. Nothing else may run.
 */
export async function scrubFreedPages(
  connection: DuckDBConnection,
  { name, path, memory_bytes }: Stale,
): Promise<void> {
  // A result stays in memory until the garbage collection.
  Bun.gc(true);
  const clear = () => zeroPagePadding(connection, { name, path });
  // Also before the checkpoint: pages that it frees keep their content.
  await clear();
  await connection.run("CHECKPOINT");
  await clear();
  sync(path);
  await shrink(connection, { memory_bytes });
}

function sync(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
