import type { DuckDBConnection } from "@duckdb/node-api";
import { isOutOfMemory } from "./faults.ts";
import { catalog, readersOf } from "./generations.ts";
import type { Ending } from "./queue.ts";
import { pool } from "./queue.ts";
import { rollBack, transaction } from "./transaction.ts";

/** Queries that run at once; the others wait. */
const READERS_MAX = 4;

/** Queries that may wait for a reader; the next is refused. */
const READERS_WAITING_MAX = 256;

type Read = <T>(work: (connection: DuckDBConnection) => Promise<T>) => Promise<T>;

/** How the event store is read. */
export type Reads = {
  /** Runs `work` in one transaction, so that its queries see one state. */
  read: Read;
  /** As `read`; without memory `work` is repeated, alone. */
  readFirst: Read;
  /**
   * As `read`, for callers of the API: if a write needs the memory, `work` is repeated after it. Fails
   * `unavailable` if that does not help.
   */
  readForOthers: Read;
  /**
   * Runs `work` on a connection of its own, which ends with it: it is in no database, and `catalog`
   * is the name of the one to read from. For statements of others, whose words are in errors; fails
   * `unavailable` where a write needs the memory.
   */
  apart<T>(work: (connection: DuckDBConnection, catalog: string) => Promise<T>): Promise<T>;
};

/** The needs of reads. */
export type ReadsNeeds = {
  connect(): Promise<DuckDBConnection>;
  /** The first generation, and the current one. */
  first: number;
  generation(): number;
  /** Wraps every read; see {@link import("./queue.ts").readWriteGate}. */
  reading<T>(connection: DuckDBConnection, ending: Ending, work: () => Promise<T>): Promise<T>;
  /** The same for a read that is alone. */
  readingAlone<T>(work: () => Promise<T>): Promise<T>;
};

/** Opens the connections that read, and knows what they read. */
export async function openReads(needs: ReadsNeeds) {
  const { connect, first, generation, reading, readingAlone } = needs;
  const connected = async () => {
    const connection = await connect();
    await connection.run(`USE ${catalog(first)}`);
    return connection;
  };
  const connections = await Promise.all(Array.from({ length: READERS_MAX }, connected));
  const { use, whileIdle } = pool(connections, READERS_WAITING_MAX);
  const { during, holding, isHeld, unread } = readersOf(first);
  const readAs =
    (ending: Ending): Read =>
    (work) =>
      use((connection) =>
        during(connection, generation(), () =>
          reading(connection, ending, () => transaction(connection, work)),
        ),
      );
  const reads: Reads = {
    read: readAs("never"),
    // A read that waits to be alone holds a connection: it takes the next one before others wait.
    readFirst: (work) =>
      use((connection) =>
        during(connection, generation(), async () => {
          const once = () => transaction(connection, work);
          try {
            return await reading(connection, "never", once);
          } catch (error) {
            if (!isOutOfMemory(error)) throw error;
            return await readingAlone(once);
          }
        }),
      ),
    readForOthers: readAs("repeat"),
    apart: (work) =>
      holding(generation(), async () => {
        const name = catalog(generation());
        const connection = await connect();
        try {
          // Without memory, an open transaction would end the process when the connection is closed.
          return await reading(connection, "final", () =>
            work(connection, name).finally(() => rollBack(connection)),
          );
        } finally {
          connection.closeSync();
        }
      }),
  };
  return { ...reads, whileIdle, isHeld, unread };
}
