import { Database } from "bun:sqlite";
import { join } from "node:path";

/** The longest wait for a server that writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

/** Opens the person store of a data directory, also while a server uses it. */
export function openPersonStore(data: string, options: { readonly?: boolean } = {}): Database {
  const { readonly = false } = options;
  const path = join(data, "hoglet.sqlite");
  const sqlite = readonly ? new Database(path, { readonly }) : new Database(path);
  sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return sqlite;
}
