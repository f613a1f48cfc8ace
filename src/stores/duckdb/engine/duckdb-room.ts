import type { DuckDBConnection } from "@duckdb/node-api";
import { memoryLimit } from "./memory-limit.ts";

/**
 * What the engine may use beyond its limit while it commits and checkpoints (decision 106): if it finds
 * no memory then, its tables are broken from there on.
 */
const ROOM_BYTES = 512_000_000;

/** How much of that those who read may use until they are ended: what they take of it a commit lacks. */
const SHARED_BYTES = 64_000_000;

/** How often is looked how much is used, in milliseconds. */
const LOOK_EVERY_MS = 10;

type Needs = {
  connect(): Promise<DuckDBConnection>;
  memory_bytes: number;
  /** Ends those who read, and may be ended; who does it again waits until the limit is lowered. */
  endReads(lowered: Promise<void>): void;
};

/**
 * What those who read have: what was read of a file is let go of where memory is short, and rows that are
 * in no file yet, some 250 MB before a checkpoint, are what it writes (decision 106).
 */
const USED = `SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory()
  WHERE tag NOT IN ('BASE_TABLE', 'METADATA', 'EXTERNAL_FILE_CACHE', 'IN_MEMORY_TABLE')`;

/** The room that commits have, watched until the engine is back within its limit. */
export async function commitRoom({ connect, memory_bytes, endReads }: Needs) {
  const watcher = await connect();
  /** Whether the limit is raised, or was and those who read hold too much for it to be lowered. */
  let state: "closed" | "open" | "closing" = "closed";
  let lowered = Promise.withResolvers<void>();
  const open = new Set<DuckDBConnection>();
  let isWatching = false;
  let watching = Promise.resolve();
  let setting = Promise.resolve();

  /** One after the other, so that the limit is the one that was asked for last. */
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
      // It is tried again.
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

  return {
    /** Whether those who read hold more than the limit. */
    isShort: () => state === "closing",

    /** Raises the limit, for a connection that commits. */
    async open(by: DuckDBConnection): Promise<void> {
      open.add(by);
      if (!isRaised()) lowered = Promise.withResolvers();
      state = "open";
      if (!isWatching) watching = watch();
      await limitTo(memory_bytes + ROOM_BYTES);
    },

    /** Lowers it again, as soon as that can be and no other commits. */
    async close(by: DuckDBConnection): Promise<void> {
      if (!open.delete(by) || open.size > 0) return;
      state = "closing";
      await lower();
    },

    /** Resolves when nothing is watched any more. */
    async end(): Promise<void> {
      close();
      await watching;
      watcher.closeSync();
    },
  };
}
