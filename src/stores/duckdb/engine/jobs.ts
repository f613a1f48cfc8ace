import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import { trackQuery } from "./engine-threads.ts";
import { lacksMemory, orUnavailable, stagingError } from "./faults.ts";
import {
  catalog,
  type Part,
  type RewriteNeeds,
  type Rewriting,
  rewriteFile,
} from "./generations.ts";
import type { commitMemory } from "./memory-limit.ts";
import { type Ending, type jobQueue, pool, rollBack, transaction } from "./queue.ts";

/** Queries that run at once; the others wait. */
const READERS_MAX = 4;

/** Queries that may wait for a reader; the next is refused. */
const READERS_WAITING_MAX = 256;

/** The longest waits for a moment without reads, in milliseconds: other writes wait, too. */
const BETWEEN_MS = { canWait: 200, mustBe: 1000, isLong: 5000 };

const READ = "statements: some still read deleted data. The deletion continues later.";

type Work<T> = (connection: DuckDBConnection) => Promise<T>;
type Run = <T>(work: Work<T>) => Promise<T>;

/** How the event store is read. */
export type Reads = {
  /** Runs `work` in one transaction, so that its queries see one state. */
  read: Run;
  /** As `read`; without memory `work` is repeated, alone. */
  readFirst: Run;
  /**
   * As `read`, for callers of the API: if a write needs the memory, `work` is repeated after it. Fails
   * `unavailable` if that does not help.
   */
  readForOthers: Run;
  /**
   * Runs `work` on a connection of its own, which ends with it: it is in no database, and `catalog`
   * is the name of the one to read from. For statements of others, whose words are in errors; fails
   * `unavailable` where a write needs the memory.
   */
  apart<T>(work: (connection: DuckDBConnection, catalog: string) => Promise<T>): Promise<T>;
};

/** How the event store is changed. */
export type Writes = {
  /**
   * Runs `work` in one transaction on the connection that writes; the next waits until it is
   * done. Rolls back and rethrows if it throws.
   */
  write: Run;
  /** As `write`; without memory `work` is repeated without reads. */
  writeFirst: Run;
  /**
   * As `write`, for an UPDATE: it runs while no read does, and throws before it begins if one goes on.
   * DuckDB keeps replaced values for reads, and without memory follows dead pointers to them: the
   * process ends (duckdb/duckdb#26019).
   */
  writeInPlace: Run;
  /** The same for work that can wait: `undefined` if a read runs now. */
  writeBetween<T>(work: Work<T>): Promise<T | undefined>;
  /** Moves the write-ahead log into the file; blocks every query while it runs. */
  checkpoint(): Promise<void>;
};

type Needs = {
  connect(): Promise<DuckDBConnection>;
  queue: ReturnType<typeof jobQueue>;
  room: Awaited<ReturnType<typeof commitMemory>>;
  /** Wraps every statement. */
  guard<T>(work: Promise<T>): Promise<T>;
};

type ReadNeeds = Pick<Needs, "connect" | "queue" | "guard"> & {
  /** The current generation. */
  generation(): number;
  onThreads(): void;
};

/** Opens the connections that read. */
export async function openReads(needs: ReadNeeds): Promise<Reads> {
  const { connect, queue, guard, generation, onThreads } = needs;
  const readers = await Promise.all(Array.from({ length: READERS_MAX }, connect));
  const { use } = pool(readers, READERS_WAITING_MAX);
  const inUse = new WeakMap<DuckDBConnection, number>();
  const tracked = <T>(work: () => Promise<T>) => trackQuery(() => guard(work()), onThreads);
  const once = <T>(connection: DuckDBConnection, work: Work<T>) =>
    tracked(async () => {
      const current = generation();
      if (inUse.get(connection) !== current) {
        await connection.run(`USE ${catalog(current)}`);
        inUse.set(connection, current);
      }
      return await transaction(connection, work);
    });
  const readAs =
    (ending: Ending): Run =>
    (work) =>
      use((connection) => queue.read(connection, ending, () => once(connection, work)));
  return {
    read: readAs("never"),
    // A read that waits to be alone holds a connection: it takes the next one before others wait.
    readFirst: (work) =>
      use((connection) => {
        const alone = () => once(connection, work);
        return queue.orAlone(alone, { shared: () => queue.read(connection, "never", alone) });
      }),
    readForOthers: readAs("repeat"),
    async apart(work) {
      const connection = await connect();
      // Without memory, an open transaction would end the process when the connection is closed.
      const ended = () =>
        work(connection, catalog(generation())).finally(() => rollBack(connection));
      try {
        return await queue.read(connection, "final", () => tracked(ended));
      } finally {
        connection.closeSync();
      }
    },
  };
}

/**
 * Changes the event store on the one connection that writes. Exclusive work takes this connection first, so that
 * no two wait for each other.
 */
export function openWrites({ queue, room, guard }: Omit<Needs, "connect">, only: DuckDBConnection) {
  const { use, isIdle } = pool([only], Number.POSITIVE_INFINITY);
  const once = <T>(work: Work<T>) => guard(room.transaction(only, work));
  const bare = (work: () => Promise<unknown>) =>
    guard(room.during(only, async () => void (await work())));
  const updated = () => new Error("Rows cannot be changed while a read runs");
  const writes: Writes = {
    write: (work) => use(() => once(work)),
    writeFirst: (work) => use(() => queue.orAlone(() => once(work), { isShort: room.isShort() })),
    writeInPlace: (work) =>
      use(() => queue.withoutReads(BETWEEN_MS.mustBe, updated, () => once(work))),
    writeBetween: (work) => use(() => queue.between(BETWEEN_MS.canWait, () => once(work))),
    checkpoint: () => use(() => bare(() => only.run("CHECKPOINT"))),
  };
  /** Runs work without a transaction and without reads. Fails `unavailable` if a read does not end. */
  const alone = (work: Work<void>): Promise<void> => {
    const held = () => new Failure("unavailable", READ);
    return use(() => queue.withoutReads(BETWEEN_MS.isLong, held, () => bare(() => work(only))));
  };
  return { all: writes, alone, use, isIdle };
}

/** The needs of a rewrite, as they are when it begins. */
type Files = () => Omit<RewriteNeeds, "part" | "withCommitMemory">;

/**
 * Rewrites the event store's file while reads run, as {@link rewriteFile}. A part that finds no memory runs
 * without reads; a draft that is lost for want of memory is begun once more, alone. Exclusive work takes the
 * connection that writes first, so that it never waits for it while others wait for the work.
 */
export function openRewrites({ connect, queue, room, guard }: Needs, files: Files) {
  const once = async (rewriting: Rewriting, isAlone: boolean): Promise<void> => {
    const connection = await connect();
    const inTurn: Part = (work) =>
      queue.orAlone(work, {
        shared: () => queue.read(connection, "never", work),
        isShort: isAlone || room.isShort(),
      });
    const part: Part = (work) =>
      inTurn(async () => {
        let isCommitting = false;
        const whole = async () => {
          const result = await work();
          isCommitting = true;
          return result;
        };
        try {
          return await room.transaction(connection, whole);
        } catch (error) {
          throw isCommitting ? stagingError(error) : error;
        }
      });
    const withCommitMemory: Part = (work) => inTurn(() => room.during(connection, work));
    try {
      await guard(rewriteFile(connection, rewriting, { ...files(), part, withCommitMemory }));
    } finally {
      connection.closeSync();
    }
  };
  return async (rewriting: Rewriting): Promise<void> => {
    try {
      await once(rewriting, false);
    } catch (error) {
      if (!lacksMemory(error)) throw error;
      await orUnavailable(once(rewriting, true));
    }
  };
}
