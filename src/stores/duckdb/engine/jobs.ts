import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import type { commitMemory } from "./commit-memory.ts";
import { isOutOfMemory } from "./faults.ts";
import type { readWriteGate } from "./queue.ts";
import { pool } from "./queue.ts";
import { transaction } from "./transaction.ts";

type Work<T> = (connection: DuckDBConnection) => Promise<T>;
type Write = <T>(work: Work<T>) => Promise<T>;

/** How the event store is changed. */
export type Writes = {
  /**
   * Runs `work` in one transaction on the connection that writes; the next waits until it is
   * done. Rolls back and rethrows if it throws.
   */
  write: Write;
  /** As `write`; without memory `work` is repeated without reads. */
  writeFirst: Write;
  /**
   * As `write`, for an UPDATE: it runs while no read does, and throws before it begins if one goes on.
   * DuckDB keeps replaced values for reads, and without memory follows dead pointers to them: the
   * process ends (duckdb/duckdb#26019).
   */
  writeInPlace: Write;
  /** The same for work that can wait: `undefined` if a read runs now. */
  writeBetween<T>(work: Work<T>): Promise<T | undefined>;
  /** Moves the write-ahead log into the file; blocks every query while it runs. */
  checkpoint(): Promise<void>;
};

type Needs = {
  connection: DuckDBConnection;
  room: Awaited<ReturnType<typeof commitMemory>>;
  turns: Pick<ReturnType<typeof readWriteGate>, "alone" | "between">;
  /** Wraps every statement. */
  guard<T>(work: Promise<T>): Promise<T>;
};

/** The longest waits for a moment without reads, in milliseconds: other writes wait, too. */
const BETWEEN_MS = { canWait: 200, mustBe: 1000, isLong: 5000 };

const READ = "statements: some still read deleted data. The deletion continues later.";

/**
 * Changes the event store on the one connection that writes. Exclusive work takes this connection first, so that
 * no two wait for each other.
 */
export function openWrites({ connection: only, room, turns, guard }: Needs) {
  const { use, whileIdle } = pool([only], Number.POSITIVE_INFINITY);

  const withCommitMemory = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await guard(work());
    } finally {
      await room.close(only);
    }
  };
  const once = <T>(connection: DuckDBConnection, work: Work<T>): Promise<T> =>
    withCommitMemory(() => transaction(connection, work, () => room.open(only)));
  const writes: Writes = {
    write: (work) => use((connection) => once(connection, work)),
    writeFirst: (work) =>
      use(async (connection) => {
        try {
          if (!room.isShort()) return await once(connection, work);
        } catch (error) {
          if (!isOutOfMemory(error)) throw error;
        }
        return await turns.alone(() => once(connection, work));
      }),
    writeInPlace: (work) =>
      use(async (connection) => {
        const made = async () => ({ result: await once(connection, work) });
        const done = await turns.between(BETWEEN_MS.mustBe, made);
        if (done !== undefined) return done.result;
        return await turns.alone((isAlone) => {
          if (!isAlone) throw new Error("Rows cannot be changed while a read runs");
          return once(connection, work);
        });
      }),
    writeBetween: (work) =>
      use((connection) => turns.between(BETWEEN_MS.canWait, () => once(connection, work))),
    checkpoint: () =>
      use((connection) =>
        withCommitMemory(async () => {
          await room.open(only);
          await connection.run("CHECKPOINT");
        }),
      ),
  };
  /** Runs work without a transaction and without reads. Fails `unavailable` if a read does not end. */
  const alone = (work: Work<void>): Promise<void> =>
    use(async (connection) => {
      const made = () =>
        withCommitMemory(async () => {
          await room.open(only);
          await work(connection);
          return true;
        });
      const done = await turns.between(BETWEEN_MS.isLong, made);
      if (done !== undefined) return;
      await turns.alone((isAlone) => {
        if (!isAlone) throw new Failure("unavailable", READ);
        return made();
      });
    });
  return { all: writes, alone, use, whileIdle };
}
