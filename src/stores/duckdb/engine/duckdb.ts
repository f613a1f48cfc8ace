import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { BASELINE_VERSION, migrationsFrom } from "../../../core/values/schema-version.ts";
import { DUCKDB_MIGRATIONS } from "../migrations/index.ts";
import { fatalGuard, orUnavailable } from "./faults.ts";
import { catalog, generationFile, type Rewriting } from "./generations.ts";
import { newInstance } from "./instance.ts";
import { openReads, openRewrites, openWrites, type Reads, type Writes } from "./jobs.ts";
import { commitMemory, freeCachedBlocks, memoryLimit, rowGroupsJoined } from "./memory-limit.ts";
import { scrubFreedPages } from "./page-padding.ts";
import { jobQueue, transaction } from "./queue.ts";
import { clearTemporary, temporaryLimit } from "./temporary-files.ts";

/** The event store's engine: one connection that writes, a few that read. */
export type Duckdb = Writes &
  Reads & {
    /** Frees cached blocks. Does nothing while a read, a write or a rewrite runs. */
    releaseCache(): Promise<void>;
    /**
     * Rewrites the file while queries run; see {@link openRewrites}. Callers start one rewrite at a time.
     * If memory is short, a part or all of `rewriting` is repeated without reads.
     */
    rewrite(rewriting: Rewriting): Promise<void>;
    /**
     * Removes temporary files of queries, and bytes of deleted rows in pages and in memory. Fails
     * `unavailable` while they are in use.
     */
    clearRemains(): Promise<void>;
    /** Returns the number `n` of the file in use, `events/<n>.duckdb`. */
    generation(): number;
    close(): Promise<void>;
  };

/** Where the event store's files are and what it may use. */
export type DuckdbOptions = {
  /** The data directory. */
  directory: string;
  /** The directory of the archive, which statements may read and write; absent without an archive. */
  archiveDirectory?: string;
  /** The number `n` of the current file, `events/<n>.duckdb`. */
  generation: number;
  memory_bytes: number;
  threads: number;
  /** The share of the volume that temporary files leave free, in percent. */
  diskFloorPercent?: number;
  /** The schema changes; by default DUCKDB_MIGRATIONS. */
  migrations?: readonly string[];
  /** Called after DuckDB's library was read from the executable, as on the first start. */
  onUnpacked?: () => void;
  /** Called when the engine may have started more threads. */
  onThreads?: () => void;
  /**
   * Called once, with the file in use, when the database is unusable until a restart. The process
   * must end then.
   */
  onFatal: (error: Error, file: string) => void;
};

/**
 * Size of the write-ahead log at which DuckDB checkpoints. It never exceeds the memory limit, because the
 * log's rows are in memory. Half a million events take 318 MB of memory and 15.8 µs each with this size,
 * 811 MB and 17.6 µs with 512 MB.
 */
const CHECKPOINT_MB_MAX = 64;

/**
 * Rows of a row group, a multiple of 2048. A transaction that appends as many rows writes them straight
 * into the file; a smaller one writes into the write-ahead log. Larger groups take more memory (decision 93).
 */
export const ROW_GROUP_ROWS = 24_576;

/**
 * Else DuckDB joins the few rows that pass a filter to blocks of 2,048, without the padding rows between large ones:
 * of 3,000 events of 900 KB a query took 2.9 GB, and 0.3 GB without. Queries are as fast (decision 95).
 */
const ROWS_APART = "SET enable_caching_operators = false";

/** The directory of the event store's files, below the data directory. */
export const EVENTS_DIRECTORY = "events";

/** The directory of loads that the event store does not have yet, below the data directory. */
export const LOADS_DIRECTORY = "loads";
const TEMP_DIRECTORY = "temp";

/**
 * Opens the event store, and creates it if it is missing. DuckDB's configuration is locked, so that statements
 * can reach no other file.
 */
export async function openDuckdb(options: DuckdbOptions): Promise<Duckdb> {
  const { directory, onFatal, onThreads = () => {} } = options;
  const files = join(directory, EVENTS_DIRECTORY);
  let { generation } = options;
  makeDirectories(directory);
  const instance = await newInstance(join(directory, "engine"), options.onUnpacked);
  const writer = await instance.connect();
  const temporary = temporaryLimit(join(directory, TEMP_DIRECTORY), options.diskFloorPercent ?? 0);
  try {
    await configure(writer, { ...options, temporary });
    await migrate(writer, options.migrations);
  } catch (error) {
    // The caller may rename a damaged file, which must not be open then.
    instance.closeSync();
    throw error;
  }

  onThreads();
  const guard = fatalGuard((error) => onFatal(error, generationFile(files, generation)));
  const queue = jobQueue();
  let isRewriting = false;
  const connect = async () => {
    const connection = await instance.connect();
    await connection.run(ROWS_APART);
    return connection;
  };
  const memory = await commitMemory({ ...options, connect, interruptReads: queue.interruptReads });
  const needs = { connect, queue, memory, guard, withinLimit: temporary.within };
  const writes = openWrites(needs, writer);
  const reads = await openReads({ ...needs, generation: () => generation, onThreads });
  const rewrite = openRewrites(needs, () => ({
    ...{ directory: files, generation, attach, migrate, readersDrained: queue.readsDrained },
    rows: ROW_GROUP_ROWS * rowGroupsJoined(options),
    exclusively: writes.use,
    switched(next) {
      generation = next;
    },
  }));
  return {
    ...reads,
    ...writes.all,
    // Columns that are filled during a rewrite would be lost.
    writeWhenIdle: async (work) => (isRewriting ? undefined : await writes.all.writeWhenIdle(work)),
    generation: () => generation,
    async clearRemains() {
      const scrub = (connection: DuckDBConnection) => {
        const [name, path] = [catalog(generation), generationFile(files, generation)];
        return scrubFreedPages(connection, { ...options, name, path });
      };
      // The checkpoint comes first, because until then temporary files may have rows of the log.
      await orUnavailable(writes.withoutReads(scrub));
      await clearTemporary({
        directory: join(directory, TEMP_DIRECTORY),
        alone: (work) => writes.use(() => queue.runAlone(work)),
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
      await writes.use(() => queue.whenIdle(0, () => guard(freeCachedBlocks(writer, options))));
    },
    async close() {
      await writes.use((connection) => closeFile(connection, catalog(generation)));
      await memory.end();
      instance.closeSync();
    },
  };
}

/** Closes the file. On a full disk a step fails, and the rows stay in the write-ahead log. */
async function closeFile(connection: DuckDBConnection, name: string): Promise<void> {
  for (const statement of ["CHECKPOINT", "USE memory", `DETACH ${name}`]) {
    await connection.run(statement).catch(() => undefined);
  }
}

/** Makes the engine's directories, and empties the one for temporary files. */
function makeDirectories(directory: string): void {
  for (const name of [EVENTS_DIRECTORY, LOADS_DIRECTORY, TEMP_DIRECTORY]) {
    mkdirSync(join(directory, name), { recursive: true, mode: 0o700 });
  }
  // A crash leaves temporary files, which hold stored data.
  for (const leftover of readdirSync(join(directory, TEMP_DIRECTORY))) {
    rmSync(join(directory, TEMP_DIRECTORY, leftover), { force: true, recursive: true });
  }
}

/** Attaches a file of the event store, and creates it if it is missing. */
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

/** Configures the engine and attaches the file. The order matters, because the lock comes last. */
async function configure(
  connection: DuckDBConnection,
  options: DuckdbOptions & { temporary: ReturnType<typeof temporaryLimit> },
): Promise<void> {
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
    // Else LIMIT keeps rows before the selected expressions: of 30 values of 7 MB, not their lengths.
    "SET disabled_optimizers = 'limit_pushdown'",
    // Changed persons leave gaps in row groups. Closing all gaps at once takes 400 MB.
    "SET max_vacuum_tasks = 1",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    `SET temp_directory = ${quoted(join(directory, TEMP_DIRECTORY))}`,
    options.temporary.first(),
    // A checkpoint while the file is opened would fail on a full disk (decision 66).
    "SET checkpoint_threshold = '1TB'",
  ];
  const after = [
    `SET checkpoint_threshold = '${Math.min(CHECKPOINT_MB_MAX, Math.floor(memory_bytes / 1e6))}MB'`,
    `USE ${catalog(generation)}`,
    `SET allowed_directories = [${allowed.map(quoted).join(", ")}]`,
    "SET enable_external_access = false",
    "SET allowed_configs = ['memory_limit', 'max_temp_directory_size', 'TimeZone', 'enable_caching_operators']",
    "SET lock_configuration = true",
  ];
  for (const statement of [ROWS_APART, ...before]) await connection.run(statement);
  const file = generationFile(join(directory, EVENTS_DIRECTORY), generation);
  await attach(connection, file, catalog(generation));
  for (const statement of after) await connection.run(statement);
}

/** Returns all rows of a query, by column name. `values` are bound as parameters. */
export async function rows(
  connection: DuckDBConnection,
  sql: string,
  values: Record<string, DuckDBValue> = {},
): Promise<Record<string, DuckDBValue>[]> {
  const reader = await connection.runAndReadAll(sql, values);
  return reader.getRowObjects();
}

/** Converts milliseconds to whole microseconds, as DuckDB takes them. */
export const micros = (ms: number): bigint => BigInt(Math.floor(ms * 1000));

/** Returns a text as a SQL literal. Input of callers in SQL that runs is bound instead. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns the `columns` of a `read_json`, from types by name. Names are not escaped. */
export function readColumns(columns: Record<string, string>): string {
  return `{${Object.entries(columns)
    .map(([name, type]) => `"${name}": '${type}'`)
    .join(", ")}}`;
}

/** Brings the schema up to date. Each migration and its row in `migration` are one transaction. */
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
