import { Database } from "bun:sqlite";
import { chmodSync } from "node:fs";

/**
 * Takes a data directory for this process, or returns undefined when another has it. The lock is
 * SQLite's own on an empty file: the system drops it when the process ends, however it ends.
 */
export function lockDirectory(path: string): { release: () => void } | undefined {
  const database = new Database(path, { create: true });
  chmodSync(path, 0o600);
  try {
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    // Else there is a file beside it, for which a full disk has no room.
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined;
    throw error;
  }
}
