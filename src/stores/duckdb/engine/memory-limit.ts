import type { DuckDBConnection } from "@duckdb/node-api";
import { transaction } from "./queue.ts";

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

/**
 * Memory that DuckDB may use beyond its limit while it commits and checkpoints (decision 106). Without memory
 * at that moment, its tables are broken from then on.
 */
const ROOM_BYTES = 512_000_000;

/** The part of it that reads may use before they are interrupted: a commit lacks what reads take. */
const SHARED_BYTES = 64_000_000;

/** The pause between checks how much is used, in milliseconds. */
const LOOK_EVERY_MS = 10;

type Needs = {
  connect(): Promise<DuckDBConnection>;
  memory_bytes: number;
  /** Interrupts the reads that may be interrupted. Repeated reads wait until the limit is lowered. */
  endReads(lowered: Promise<void>): void;
};

/**
 * Memory of running reads. Cached blocks do not count, because DuckDB frees them if memory is short. Rows that
 * are in no file yet, some 250 MB before a checkpoint, belong to the write (decision 106).
 */
const USED = `SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory()
  WHERE tag NOT IN ('BASE_TABLE', 'METADATA', 'EXTERNAL_FILE_CACHE', 'IN_MEMORY_TABLE')`;

/** Raises the memory limit for commits, and lowers it once the engine is back within it. */
export async function commitMemory({ connect, memory_bytes, endReads }: Needs) {
  const watcher = await connect();
  /** Open: the limit is raised. Closing: reads hold too much memory for the limit to be lowered. */
  let state: "closed" | "open" | "closing" = "closed";
  let lowered = Promise.withResolvers<void>();
  const open = new Set<DuckDBConnection>();
  let isWatching = false;
  let watching = Promise.resolve();
  let setting = Promise.resolve();

  /** One change at a time, so that the last one counts. */
  const limitTo = (bytes: number): Promise<void> => {
    const set = () => watcher.run(memoryLimit({ memory_bytes: bytes }));
    const done = setting.then(async () => void (await set()));
    setting = done.catch(() => undefined);
    return done;
  };
  const close = () => {
    state = "closed";
    lowered.resolve();
  };
  const lower = async (): Promise<void> => {
    try {
      await limitTo(memory_bytes);
      if (state === "closing") close();
    } catch {
      // The next check tries again.
    }
  };
  const isExceeded = async (): Promise<boolean> => {
    try {
      const [row] = (await watcher.runAndReadAll(USED)).getRows();
      return Number(row?.[0]) > memory_bytes + SHARED_BYTES;
    } catch {
      return true;
    }
  };
  const isRaised = () => state !== "closed";
  const watch = async (): Promise<void> => {
    isWatching = true;
    while (isRaised()) {
      await Bun.sleep(LOOK_EVERY_MS);
      if (isRaised() && (await isExceeded())) endReads(lowered.promise);
      if (state === "closing") await lower();
    }
    isWatching = false;
  };

  /** Raises the limit, for a connection that commits. */
  const raise = async (by: DuckDBConnection): Promise<void> => {
    open.add(by);
    if (!isRaised()) lowered = Promise.withResolvers();
    state = "open";
    if (!isWatching) watching = watch();
    await limitTo(memory_bytes + ROOM_BYTES);
  };
  /** Lowers it again, as soon as that can be and no other commits. */
  const release = async (by: DuckDBConnection): Promise<void> => {
    if (!open.delete(by) || open.size > 0) return;
    state = "closing";
    await lower();
  };

  return {
    /** Whether reads hold more memory than the limit. */
    isShort: () => state === "closing",

    /** Runs `work` with a raised limit. */
    async during<T>(by: DuckDBConnection, work: () => Promise<T>): Promise<T> {
      try {
        await raise(by);
        return await work();
      } finally {
        await release(by);
      }
    },

    /** Runs `work` in one transaction; the limit is raised before it ends. */
    async transaction<T>(
      by: DuckDBConnection,
      work: (connection: DuckDBConnection) => Promise<T>,
    ): Promise<T> {
      try {
        return await transaction(by, work, () => raise(by));
      } finally {
        await release(by);
      }
    },

    /** Resolves when nothing is watched any more. */
    async end(): Promise<void> {
      close();
      await watching;
      watcher.closeSync();
    },
  };
}
