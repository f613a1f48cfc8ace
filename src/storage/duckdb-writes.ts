import type { DuckDBConnection } from "@duckdb/node-api";
import { isOutOfMemory } from "./duckdb-faults.ts";
import { commitLimit, memoryLimit } from "./duckdb-memory.ts";
import { pool } from "./duckdb-pool.ts";
import { transaction } from "./duckdb-transaction.ts";
import type { memoryTurns } from "./duckdb-turns.ts";

type Write = <T>(work: (connection: DuckDBConnection) => Promise<T>) => Promise<T>;

/** How the event store is changed. */
export type Writes = {
  /**
   * Runs `work` in one transaction on the connection that writes; the next waits until it is
   * done. Rolls back and rethrows if it throws.
   */
  write: Write;
  /** As `write`; if it finds no memory, once more while nobody reads: `work` is repeated. */
  writeFirst: Write;
  /** Moves the write-ahead log into the file; blocks every query while it runs. */
  checkpoint(): Promise<void>;
};

type Needs = {
  connection: DuckDBConnection;
  memory_bytes: number;
  turns: Pick<ReturnType<typeof memoryTurns>, "alone">;
  /** What every statement passes. */
  guard<T>(work: Promise<T>): Promise<T>;
};

/** The share of its memory at which a commit is left to itself: what is read again is not counted. */
const TIGHT_SHARE = 0.8;

/** Whether so much of the memory is held that a commit may find none. */
async function isTight(connection: DuckDBConnection, memory_bytes: number): Promise<boolean> {
  try {
    const [row] = (await connection.runAndReadAll(HELD)).getRows();
    return Number(row?.[0]) > memory_bytes * TIGHT_SHARE;
  } catch {
    return true;
  }
}

const HELD = `SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory()
  WHERE tag NOT IN ('BASE_TABLE', 'METADATA')`;

/** Changes the event store on the one connection that writes. */
export function openWrites({ connection: only, memory_bytes, turns, guard }: Needs) {
  const { use, whileIdle } = pool([only], Number.POSITIVE_INFINITY);
  /** Whether reads hold more than the limit, and with it what a commit needs. */
  let isShort = false;

  const roomy: Write = (work) =>
    use(async (connection) => {
      try {
        return await guard(work(connection));
      } finally {
        const lowered = connection.run(memoryLimit({ memory_bytes }));
        isShort = await lowered.then(
          () => false,
          () => true,
        );
      }
    });
  const before = (connection: DuckDBConnection) => () =>
    connection.run(commitLimit({ memory_bytes }));
  const write: Write = (work) =>
    roomy((connection) =>
      transaction(connection, work, {
        before: before(connection),
        commit: (run) => run(),
      }),
    );
  const writeWithRoom: Write = (work) =>
    roomy((connection) =>
      transaction(connection, work, {
        before: before(connection),
        commit: async (run) =>
          (await isTight(connection, memory_bytes)) ? turns.alone(run) : run(),
      }),
    );
  const writes: Writes = {
    write,
    async writeFirst(work) {
      try {
        if (!isShort) return await writeWithRoom(work);
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
      }
      return await turns.alone(() => write(work));
    },
    checkpoint: () =>
      roomy(async (connection) => {
        await connection.run(commitLimit({ memory_bytes }));
        await connection.run("CHECKPOINT");
      }),
  };
  return { ...writes, use, whileIdle };
}
