import type { DuckDBConnection } from "@duckdb/node-api";
import { transaction } from "./queue.ts";

/** Most row groups of loads that a rewrite joins into one. */
const JOINED_MAX = 4;

/** Memory that a rewrite takes for each joined row group, because its rows are sorted. */
const JOINED_BYTES = 60_000_000;

/** The memory limit that makes the engine free its cached blocks. */
const IDLE_BYTES = 8_000_000;

type Memory = { memory_bytes: number };

/** Returns the statement that sets how much memory the engine may use. */
export function memoryLimit({ memory_bytes }: Memory): string {
  return `SET memory_limit = '${Math.floor(memory_bytes / 1e6)}MB'`;
}

/** Returns how many row groups of loads a rewrite joins into one. */
export function rowGroupsJoined({ memory_bytes }: Memory): number {
  return Math.min(JOINED_MAX, Math.max(1, Math.floor(memory_bytes / JOINED_BYTES)));
}

/**
 * Frees the blocks that DuckDB has read, which only a lower memory limit does. After a start with 1.5
 * million events they were 52 MB of 288. No other statement may run meanwhile, because it would lack memory.
 */
export async function freeCachedBlocks(
  connection: DuckDBConnection,
  memory: Memory,
): Promise<void> {
  try {
    // Blocks in use stay; DuckDB reports that as an error.
    await connection.run(memoryLimit({ memory_bytes: IDLE_BYTES })).catch(() => undefined);
  } finally {
    await connection.run(memoryLimit(memory));
  }
}

/**
 * Memory that DuckDB may use beyond its limit while it commits and checkpoints. A commit that lacks memory
 * makes the database unusable (decision 106).
 */
const COMMIT_BYTES = 512_000_000;

/** The part of it that reads may use before they are interrupted in favor of the commit. */
const READS_BYTES = 64_000_000;

/** The pause between checks of the used memory, in milliseconds. */
const CHECK_EVERY_MS = 10;

type Needs = {
  connect(): Promise<DuckDBConnection>;
  memory_bytes: number;
  /** Interrupts the reads that may be interrupted. Reads that are repeated wait for `lowered` first. */
  interruptReads(lowered: Promise<void>): void;
};

/**
 * Memory of running reads. Cached blocks do not count, because DuckDB frees them if memory is short. Rows that
 * are in no file yet, some 250 MB before a checkpoint, count as memory of the write.
 */
const READS_MEMORY = `SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory()
  WHERE tag NOT IN ('BASE_TABLE', 'METADATA', 'EXTERNAL_FILE_CACHE', 'IN_MEMORY_TABLE')`;

/** Raises the memory limit for commits, and lowers it once the engine is back within it. */
export async function commitMemory({ connect, memory_bytes, interruptReads }: Needs) {
  const watcher = await connect();
  /** While it is lowering, reads still hold too much memory. */
  let state: "normal" | "raised" | "lowering" = "normal";
  let lowered = Promise.withResolvers<void>();
  const committing = new Set<DuckDBConnection>();
  let isWatching = false;
  let watching = Promise.resolve();
  let setting = Promise.resolve();

  /** Changes the limit. Changes run one after the other, so that the last one holds. */
  const limitTo = (bytes: number): Promise<void> => {
    const set = () => watcher.run(memoryLimit({ memory_bytes: bytes }));
    const done = setting.then(async () => void (await set()));
    setting = done.catch(() => undefined);
    return done;
  };
  const setNormal = () => {
    state = "normal";
    lowered.resolve();
  };
  const lower = async (): Promise<void> => {
    try {
      await limitTo(memory_bytes);
      if (state === "lowering") setNormal();
    } catch {
      // The next check tries again.
    }
  };
  const isExceeded = async (): Promise<boolean> => {
    try {
      const [row] = (await watcher.runAndReadAll(READS_MEMORY)).getRows();
      return Number(row?.[0]) > memory_bytes + READS_BYTES;
    } catch {
      return true;
    }
  };
  const isRaised = () => state !== "normal";
  const watch = async (): Promise<void> => {
    isWatching = true;
    while (isRaised()) {
      await Bun.sleep(CHECK_EVERY_MS);
      if (isRaised() && (await isExceeded())) interruptReads(lowered.promise);
      if (state === "lowering") await lower();
    }
    isWatching = false;
  };

  /** Raises the limit, for a connection that commits. */
  const raise = async (by: DuckDBConnection): Promise<void> => {
    committing.add(by);
    if (!isRaised()) lowered = Promise.withResolvers();
    state = "raised";
    if (!isWatching) watching = watch();
    await limitTo(memory_bytes + COMMIT_BYTES);
  };
  /** Lowers the limit once no other connection commits and reads hold less memory. */
  const release = async (by: DuckDBConnection): Promise<void> => {
    if (!committing.delete(by) || committing.size > 0) return;
    state = "lowering";
    await lower();
  };

  return {
    /** Whether reads hold more memory than the limit. */
    isShort: () => state === "lowering",

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

    /** Stops the checks of the memory. */
    async end(): Promise<void> {
      setNormal();
      await watching;
      watcher.closeSync();
    },
  };
}
