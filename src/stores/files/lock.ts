import { Database } from "bun:sqlite";
import { chmodSync } from "node:fs";

/**
 * Locks a data directory for this process; returns undefined if another process has it. The lock is
 * SQLite's own on an empty file, so the system releases it at any end of the process.
 */
export function lockDirectory(path: string): { release: () => void } | undefined {
  const database = new Database(path, { create: true });
  chmodSync(path, 0o600);
  try {
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    // Without this SQLite creates a second file, for which a full disk has no space.
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined;
    throw error;
  }
}
