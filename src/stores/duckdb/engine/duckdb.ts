import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { BASELINE_VERSION, migrationsFrom } from "../../../core/values/schema-version.ts";
import { DUCKDB_MIGRATIONS } from "../migrations/index.ts";
import { fatalGuard, orUnavailable } from "./faults.ts";
import { catalog, generationFile, type Rewriting } from "./generations.ts";
import { newInstance } from "./instance.ts";
import { openReads, openRewrites, openWrites, type Reads, type Writes } from "./jobs.ts";
import { commitMemory, joinable, memoryLimit, shrink } from "./memory-limit.ts";
import { scrubFreedPages } from "./page-padding.ts";
import { jobQueue, transaction } from "./queue.ts";
import { clearTemporary, temporaryMb } from "./temporary-files.ts";

/** The event store's engine: one connection that writes, a few that read. */
export type Duckdb = Writes &
  Reads & {
    /** Frees cached blocks, unless something runs. */
    releaseCache(): Promise<void>;
    /**
     * Rewrites the file, one rewrite at a time; see {@link openRewrites}. Queries run meanwhile. A part that
     * finds no memory is repeated without reads, and so may be all of `rewriting`.
     */
    rewrite(rewriting: Rewriting): Promise<void>;
    /**
     * Removes temporary files of queries, and remains of deleted rows in pages and in memory. Fails
     * `unavailable` while they are in use.
     */
    clearRemains(): Promise<void>;
    /** Which `events/<n>.duckdb` is in use. */
    generation(): number;
    close(): Promise<void>;
  };

/** Where the event store's files are and what it may use. */
export type DuckdbOptions = {
  /** The data directory. */
  directory: string;
  /** The directory of the archive, which statements may read and write; none without an archive. */
  archiveDirectory?: string;
  /** Which `events/<n>.duckdb` is the current one. */
  generation: number;
  memory_bytes: number;
  threads: number;
  /** The schema changes, if not DUCKDB_MIGRATIONS. */
  migrations?: readonly string[];
  /** Called when the engine itself was read from the executable, which a first start does. */
  onUnpacked?: () => void;
  /** Called when more of the process's threads may compute for the engine than before. */
  onThreads?: () => void;
  /**
   * Called once, with the file that is in use, when the engine can no longer be trusted: the process
   * must end (design 3).
   */
  onFatal: (error: Error, file: string) => void;
};

/**
 * Write-ahead log at which DuckDB checkpoints, never more than its memory, which holds the log's rows.
 * Half a million events take 318 MB and 15.8 µs each, with 512 MB of log 811 MB and 17.6 µs.
 */
const CHECKPOINT_MB_MAX = 64;

/**
 * Rows of a row group (decision 93), a multiple of 2048. A transaction that appends as many goes
 * straight into the file, and the others into the write-ahead log.
 */
export const ROW_GROUP_ROWS = 24_576;

/** The directory of the event store's files, below the data directory. */
export const EVENTS_DIRECTORY = "events";

/** The directory of loads on their way in, below the data directory. */
export const LOADS_DIRECTORY = "loads";
const TEMP_DIRECTORY = "temp";

/** Opens the event store, creating it if absent, and locks down DuckDB, a pinned version (decision 5). */
export async function openDuckdb(options: DuckdbOptions): Promise<Duckdb> {
  const { directory, onFatal, onThreads = () => {} } = options;
  const files = join(directory, EVENTS_DIRECTORY);
  let { generation } = options;
  makeDirectories(directory);
  const instance = await newInstance(join(directory, "engine"), options.onUnpacked);
  const first = await instance.connect();
  try {
    await configure(first, options);
    await migrate(first, options.migrations);
  } catch (error) {
    // An open file could not be renamed.
    instance.closeSync();
    throw error;
  }

  onThreads();
  const guard = fatalGuard((error) => onFatal(error, generationFile(files, generation)));
  const queue = jobQueue();
  let isRewriting = false;
  const connect = () => instance.connect();
  const room = await commitMemory({ ...options, connect, endReads: queue.end });
  const needs = { connect, queue, room, guard };
  const writes = openWrites(needs, first);
  const reads = await openReads({ ...needs, generation: () => generation, onThreads });
  const rewrite = openRewrites(needs, () => ({
    ...{ directory: files, generation, attach, migrate, unread: queue.settled },
    rows: ROW_GROUP_ROWS * joinable(options),
    exclusively: writes.use,
    switched(next) {
      generation = next;
    },
  }));
  return {
    ...reads,
    ...writes.all,
    // Columns that are filled during a rewrite would be lost.
    writeBetween: async (work) => (isRewriting ? undefined : await writes.all.writeBetween(work)),
    generation: () => generation,
    async clearRemains() {
      const stale = (connection: DuckDBConnection) => {
        const [name, path] = [catalog(generation), generationFile(files, generation)];
        return scrubFreedPages(connection, { ...options, name, path });
      };
      // First: rows that are in the log alone may be in temporary files, too, until it is checkpointed.
      await orUnavailable(writes.alone(stale));
      await clearTemporary({
        directory: join(directory, TEMP_DIRECTORY),
        alone: (work) => writes.use(() => queue.alone(work)),
      });
    },
    async rewrite(rewriting) {
      isRewriting = true;
      try {
        await rewrite(rewriting);
      } finally {
        isRewriting = false;
      }
    },
    async releaseCache() {
      if (isRewriting || !writes.isIdle()) return;
      await writes.use(() => queue.between(0, () => guard(shrink(first, options))));
    },
    async close() {
      await writes.use((connection) => leave(connection, catalog(generation)));
      await room.end();
      instance.closeSync();
    },
  };
}

/** Closes the file. On a full disk a step fails, and the write-ahead log keeps its content. */
async function leave(connection: DuckDBConnection, name: string): Promise<void> {
  for (const statement of ["CHECKPOINT", "USE memory", `DETACH ${name}`]) {
    await connection.run(statement).catch(() => undefined);
  }
}

/** Makes the directories that the engine uses, and empties that of its temporary files. */
function makeDirectories(directory: string): void {
  for (const name of [EVENTS_DIRECTORY, LOADS_DIRECTORY, TEMP_DIRECTORY]) {
    mkdirSync(join(directory, name), { recursive: true, mode: 0o700 });
  }
  // The engine removes its files only when it is closed, and they hold data from memory.
  for (const leftover of readdirSync(join(directory, TEMP_DIRECTORY))) {
    rmSync(join(directory, TEMP_DIRECTORY, leftover), { force: true, recursive: true });
  }
}

/** Attaches a file of the event store; makes it if it is missing. */
async function attach(
  connection: DuckDBConnection,
  path: string,
  name: string,
  rows = ROW_GROUP_ROWS,
): Promise<void> {
  await connection.run(
    `ATTACH ${quoted(path)} AS ${name} (STORAGE_VERSION 'latest', ROW_GROUP_SIZE ${rows})`,
  );
}

/** The order matters: once the configuration is locked, nothing outside can be reached. */
async function configure(connection: DuckDBConnection, options: DuckdbOptions): Promise<void> {
  const { directory, archiveDirectory, generation, memory_bytes, threads } = options;
  const allowed = [LOADS_DIRECTORY, EVENTS_DIRECTORY].map((name) => join(directory, name));
  if (archiveDirectory !== undefined) allowed.push(archiveDirectory);
  const before = [
    memoryLimit(options),
    `SET threads = ${threads}`,
    "SET TimeZone = 'UTC'",
    // Returns freed memory to the system in the background: 100 MB under load, at no measurable cost.
    "SET allocator_background_threads = true",
    "SET preserve_insertion_order = true",
    // Gaps in row groups, which changed persons leave, are closed in small steps: all at once takes 400 MB.
    "SET max_vacuum_tasks = 1",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    `SET temp_directory = ${quoted(join(directory, TEMP_DIRECTORY))}`,
    `SET max_temp_directory_size = '${temporaryMb(directory)}MB'`,
    // A checkpoint while the file is opened would fail on a full disk (decision 66).
    "SET checkpoint_threshold = '1TB'",
  ];
  const after = [
    `SET checkpoint_threshold = '${Math.min(CHECKPOINT_MB_MAX, Math.floor(memory_bytes / 1e6))}MB'`,
    `USE ${catalog(generation)}`,
    `SET allowed_directories = [${allowed.map(quoted).join(", ")}]`,
    "SET enable_external_access = false",
    "SET allowed_configs = ['memory_limit']",
    "SET lock_configuration = true",
  ];
  for (const statement of before) await connection.run(statement);
  const file = generationFile(join(directory, EVENTS_DIRECTORY), generation);
  await attach(connection, file, catalog(generation));
  for (const statement of after) await connection.run(statement);
}

/** All rows of a query, by column name. Values are bound, never spliced in. */
export async function rows(
  connection: DuckDBConnection,
  sql: string,
  values: Record<string, DuckDBValue> = {},
): Promise<Record<string, DuckDBValue>[]> {
  const reader = await connection.runAndReadAll(sql, values);
  return reader.getRowObjects();
}

/** Microseconds since the epoch, for DuckDB, of milliseconds. */
export const micros = (ms: number): bigint => BigInt(Math.floor(ms * 1000));

/** A text as a SQL literal, for own paths and for SQL that is shown, never for input of callers. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Columns of a `read_json` with their types, as it takes them. Only for names of our own. */
export function readColumns(columns: Record<string, string>): string {
  return `{${Object.entries(columns)
    .map(([name, type]) => `"${name}": '${type}'`)
    .join(", ")}}`;
}

/** Brings the schema up to date; a row of `migration` is written in each migration's transaction. */
export async function migrate(
  connection: DuckDBConnection,
  migrations: readonly string[] = DUCKDB_MIGRATIONS,
): Promise<void> {
  await connection.run("CREATE TABLE IF NOT EXISTS migration (version INTEGER)");
  const stored = await connection.runAndReadAll("SELECT max(version) AS version FROM migration");
  const [row] = stored.getRowObjects();
  const { from } = migrationsFrom(Number(row?.["version"] ?? 0), migrations.length);
  for (const [index, migration] of migrations.entries()) {
    if (index < from) continue;
    await transaction(connection, async () => {
      await connection.run(migration);
      await connection.run(`INSERT INTO migration VALUES (${BASELINE_VERSION + index})`);
    });
  }
  if (from < migrations.length) await connection.run("CHECKPOINT");
}
