import { constants, Database, SQLiteError } from "bun:sqlite";
import { chmodSync, statSync } from "node:fs";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Keys } from "../../core/values/page.ts";
import { BASELINE_VERSION, migrationsFrom } from "../../core/values/schema-version.ts";
import { SQLITE_MIGRATIONS } from "./migrations/index.ts";
import { isLogDamaged } from "./wal-check.ts";

/** One connection: bun:sqlite for prepared hot paths, drizzle for the rest. Synchronous. */
export type Sqlite = {
  raw: Database;
  orm: ReturnType<typeof drizzle>;
  /** Runs `work` in one transaction; it must not await. Rolls back and rethrows if it throws. */
  transaction<T>(work: () => T): T;
  /** Runs several reads on one state of the data. It is also faster, because the file is locked only once. */
  snapshot<T>(work: () => T): T;
  /** Frees the memory of cached pages. */
  release(): void;
  close(): void;
};

/** How long a connection waits for another one's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/** Pages that the connection that writes keeps in memory, in KiB. */
const WRITER_CACHE_KIB = 32_768;

/**
 * Pages of 4 KiB in the write-ahead log at which SQLite moves them into the file. A batch changes thousands
 * of pages, and the next batch changes many of the same ones.
 */
const WAL_PAGES = 16_384;

/** Largest file, in bytes, of which a start checks every page. */
const CHECKED_BYTES_MAX = 67_108_864;

/**
 * Opens the one connection that writes, and brings the schema up to date by `migrations`. Throws
 * SchemaError if the file is of a newer version, or of a build before the first release.
 */
export function openSqlite(path: string, migrations = SQLITE_MIGRATIONS): Sqlite {
  if (isLogDamaged(path)) throw new Error(`its write-ahead log ${path}-wal is damaged`);
  const raw = new Database(path, { create: true, strict: true });
  try {
    return prepared(raw, path, migrations);
  } catch (error) {
    raw.close();
    throw isSharedMemoryFull(error)
      ? new Error("database or disk is full", { cause: error })
      : error;
  }
}

/** Whether the error says that the `-shm` file, which connections share, could not be enlarged. */
function isSharedMemoryFull(error: unknown): boolean {
  return error instanceof SQLiteError && error.code === "SQLITE_IOERR_SHMSIZE";
}

function prepared(raw: Database, path: string, migrations: readonly string[]): Sqlite {
  if (path !== ":memory:") chmodSync(path, 0o600);
  checkFile(raw);
  raw.run("PRAGMA journal_mode = WAL");
  // The log files stay when the store is closed, because a start on a full disk could not create them.
  raw.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  raw.run("PRAGMA synchronous = FULL");
  raw.run("PRAGMA secure_delete = ON");
  raw.run("PRAGMA foreign_keys = ON");
  raw.run(`PRAGMA cache_size = -${WRITER_CACHE_KIB}`);
  raw.run(`PRAGMA wal_autocheckpoint = ${WAL_PAGES}`);
  raw.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const sqlite = connection(raw);
  migrate(sqlite, migrations);
  // Otherwise a file takes the undo data of statements with triggers, which doubles the time of a person.
  raw.run("PRAGMA temp_store = MEMORY");
  return sqlite;
}

/**
 * Throws on a damaged file. Checks every page of a small file, but only the first page of each table and index
 * of a larger one, because a start must not take seconds (decision 65).
 */
function checkFile(raw: Database): void {
  const pragma = (sql: string): unknown => Object.values(raw.query<object, []>(sql).get() ?? {})[0];
  const bytes = Number(pragma("PRAGMA page_count")) * Number(pragma("PRAGMA page_size"));
  if (bytes > CHECKED_BYTES_MAX) {
    const tables = raw.query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0",
    );
    for (const { name } of tables.all()) raw.run(`SELECT 1 FROM "${name}" LIMIT 1`);
    return;
  }
  if (pragma("PRAGMA quick_check(1)") !== "ok") throw new Error("it is damaged");
}

/** Throws if there is no file, or an empty one. SQLite would silently create a new database. */
export function expectKept(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new Error("it is missing");
  if (size === 0) throw new Error("it is empty");
}

/** Opens a connection that can only read; the file must exist and be up to date. */
export function readSqlite(path: string): Sqlite {
  const raw = new Database(path, { readonly: true, strict: true });
  raw.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return connection(raw);
}

function connection(raw: Database): Sqlite {
  const within = <T>(begin: string, work: () => T): T => {
    raw.run(begin);
    try {
      const result = work();
      raw.run("COMMIT");
      return result;
    } catch (error) {
      if (raw.inTransaction) raw.run("ROLLBACK");
      throw error;
    }
  };
  return {
    raw,
    orm: drizzle(raw),
    transaction: (work) => within("BEGIN IMMEDIATE", work),
    snapshot: (work) => within("BEGIN", work),
    release: () => raw.run("PRAGMA shrink_memory"),
    close: () => raw.close(),
  };
}

function migrate({ raw, transaction }: Sqlite, migrations: readonly string[]): void {
  const stored = raw.query<{ user_version: number }, []>("PRAGMA user_version").get();
  const version = stored?.user_version ?? 0;
  const { from } = migrationsFrom(version, migrations.length);
  for (const [index, migration] of migrations.entries()) {
    if (index < from) continue;
    transaction(() => {
      raw.run(migration);
      raw.run(`PRAGMA user_version = ${BASELINE_VERSION + index}`);
    });
  }
}

/** The condition that a JSON list holds any of some texts; undefined without texts. */
export function tagged(list: SQLWrapper, tags: readonly string[] | undefined): SQL | undefined {
  if (tags === undefined) return undefined;
  const wanted = JSON.stringify(tags);
  return sql`EXISTS (SELECT 1 FROM json_each(${list}) AS own
    JOIN json_each(${wanted}) AS wanted ON own.value = wanted.value)`;
}

/**
 * The condition that a row comes after the one with the keys `after`, in the order of `columns`, all ascending
 * or all descending; undefined without keys.
 */
export function afterKey(
  columns: SQLWrapper[],
  direction: "up" | "down",
  after: Keys | undefined,
): SQL | undefined {
  if (after === undefined) return undefined;
  const keys = after.map((key) => sql`${key}`);
  const [row, place] = [columns, keys].map((list) => sql`(${sql.join(list, sql`, `)})`);
  return direction === "up" ? sql`${row} > ${place}` : sql`${row} < ${place}`;
}
