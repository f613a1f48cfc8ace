import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import { trackQuery } from "./engine-threads.ts";
import { isOutOfMemory, lacksMemory, orUnavailable, stagingError } from "./faults.ts";
import {
  catalog,
  type Part,
  type RewriteNeeds,
  type Rewriting,
  rewriteFile,
} from "./generations.ts";
import type { commitMemory } from "./memory-limit.ts";
import { type Interruption, type jobQueue, pool, rollBack, transaction } from "./queue.ts";
import type { TemporaryUse, temporaryLimit } from "./temporary-files.ts";

/** Queries that run at once; the others wait. */
const READERS_MAX = 4;

/** Queries that may wait for a reader; the next is refused. */
const READERS_WAITING_MAX = 256;

/** The longest waits for a moment without reads, in milliseconds. Other writes wait meanwhile. */
const IDLE_WAIT_MS = { canWait: 200, mustBe: 1000, isLong: 5000 };

const STILL_READ = "statements: some still read deleted data. The deletion continues later.";

type Work<T> = (connection: DuckDBConnection) => Promise<T>;
type Run = <T>(work: Work<T>) => Promise<T>;

/** How the event store is read. */
export type Reads = {
  /** Runs `work` in one transaction, so that its queries see one state. */
  read: Run;
  /** As `read`. If memory is short, `work` is repeated alone. */
  readFirst: Run;
  /**
   * As `read`, for callers of the API. If a write needs the memory, `work` is interrupted and repeated after
   * it. Fails `unavailable` if the repetitions are interrupted, too. Callers take fair turns by `caller`, as
   * `pool` has it.
   */
  readForOthers<T>(work: Work<T>, caller?: number): Promise<T>;
  /**
   * Runs SQL of callers on a new connection, which is closed afterwards. It has no current database, and
   * `catalog` is the name of the one to read. Fails `unavailable` if a write needs the memory.
   */
  readOnNewConnection<T>(
    work: (connection: DuckDBConnection, catalog: string) => Promise<T>,
  ): Promise<T>;
};

/** How the event store is changed. */
export type Writes = {
  /**
   * Runs `work` in one transaction on the connection that writes; the next write waits. Rolls back and
   * rethrows if `work` throws. If memory is short, `work` is repeated with that of a commit.
   */
  write: Run;
  /** As `write`. If memory is short, `work` is first repeated without reads. */
  writeFirst: Run;
  /**
   * As `write`, for an UPDATE. It runs while no read runs, and throws before it begins if a read goes on.
   * DuckDB keeps replaced values for reads. If memory is short, it follows dead pointers to them, and the
   * process crashes (duckdb/duckdb#26019).
   */
  writeInPlace: Run;
  /** As `write`, for work that can wait. Returns undefined if reads go on for 200 ms. */
  writeWhenIdle<T>(work: Work<T>): Promise<T | undefined>;
  /** Moves the write-ahead log into the file; blocks every query while it runs. */
  checkpoint(): Promise<void>;
};

type Needs = {
  connect(): Promise<DuckDBConnection>;
  /** Sets the limit of temporary files again, and runs work within it. */
  withinLimit: ReturnType<typeof temporaryLimit>["within"];
  queue: ReturnType<typeof jobQueue>;
  memory: Awaited<ReturnType<typeof commitMemory>>;
  /** Wraps every statement. */
  guard<T>(work: Promise<T>): Promise<T>;
};

type ReadNeeds = Pick<Needs, "connect" | "queue" | "guard" | "withinLimit"> & {
  /** The current generation. */
  generation(): number;
  onThreads(): void;
};

/** Opens the connections that read. */
export async function openReads(needs: ReadNeeds): Promise<Reads> {
  const { connect, queue, guard, generation, onThreads, withinLimit } = needs;
  const readers = await Promise.all(Array.from({ length: READERS_MAX }, connect));
  const { use } = pool(readers, READERS_WAITING_MAX);
  const inUse = new WeakMap<DuckDBConnection, number>();
  const tracked = <T>(work: () => Promise<T>) => trackQuery(() => guard(work()), onThreads);
  const once = <T>(connection: DuckDBConnection, work: Work<T>, use: TemporaryUse = "own") =>
    tracked(async () => {
      const current = generation();
      if (inUse.get(connection) !== current) {
        await connection.run(`USE ${catalog(current)}`);
        inUse.set(connection, current);
      }
      return await withinLimit(connection, use, () => transaction(connection, work));
    });
  const readAs =
    (interruption: Interruption, by: TemporaryUse) =>
    <T>(work: Work<T>, caller?: number): Promise<T> => {
      const reading = (connection: DuckDBConnection) =>
        queue.read(connection, interruption, () => once(connection, work, by));
      return use(reading, caller);
    };
  return {
    read: readAs("never", "own"),
    // A read that waits to run alone holds a connection, so it takes that first.
    readFirst: (work) =>
      use((connection) => {
        const run = () => once(connection, work);
        return queue.sharedOrAlone(run, { shared: () => queue.read(connection, "never", run) });
      }),
    readForOthers: readAs("repeat", "caller"),
    async readOnNewConnection(work) {
      const connection = await connect();
      // If memory is short, closing a connection with an open transaction crashes the process.
      const run = () =>
        withinLimit(connection, "caller", () =>
          work(connection, catalog(generation())).finally(() => rollBack(connection)),
        );
      try {
        return await queue.read(connection, "final", () => tracked(run));
      } finally {
        connection.closeSync();
      }
    },
  };
}

/**
 * Changes the event store on the one connection that writes. Exclusive work takes this connection first, so that
 * no two jobs wait for each other.
 */
export function openWrites(
  { queue, memory, guard }: Omit<Needs, "connect">,
  writer: DuckDBConnection,
) {
  const { use, isIdle } = pool([writer], Number.POSITIVE_INFINITY);
  const once = <T>(work: Work<T>) => guard(memory.transaction(writer, work));
  const withoutTransaction = (work: () => Promise<unknown>) =>
    guard(memory.during(writer, async () => void (await work())));
  /** Repeats work that lacks memory with that of a commit: one event of 8 MiB takes 120 MB to store. */
  const withRoom = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      return await memory.during(writer, work);
    }
  };
  const stillRead = () => new Error("Rows cannot be changed while a read runs");
  const writes: Writes = {
    write: (work) => use(() => withRoom(() => once(work))),
    writeFirst: (work) => {
      const run = () => queue.sharedOrAlone(() => once(work), { isShort: memory.isShort() });
      return use(() => withRoom(run));
    },
    writeInPlace: (work) =>
      use(() => queue.withoutReads(IDLE_WAIT_MS.mustBe, stillRead, () => once(work))),
    writeWhenIdle: (work) => use(() => queue.whenIdle(IDLE_WAIT_MS.canWait, () => once(work))),
    checkpoint: () => use(() => withoutTransaction(() => writer.run("CHECKPOINT"))),
  };
  /** Runs work without a transaction and without reads. Fails `unavailable` if a read does not end. */
  const withoutReads = (work: Work<void>): Promise<void> => {
    const unavailable = () => new Failure("unavailable", STILL_READ);
    const run = () => withoutTransaction(() => work(writer));
    return use(() => queue.withoutReads(IDLE_WAIT_MS.isLong, unavailable, run));
  };
  return { all: writes, withoutReads, use, isIdle };
}

/** Returns the needs of a rewrite as they are when it begins. */
type NeedsNow = () => Omit<RewriteNeeds, "part" | "withCommitMemory">;

/**
 * Rewrites the event store's file while reads run, as {@link rewriteFile}. A part that lacks memory is repeated
 * without reads. A rewrite that lacks memory is repeated once, with each part alone.
 */
export function openRewrites(
  { connect, queue, memory, guard, withinLimit }: Needs,
  needsNow: NeedsNow,
) {
  const attempt = async (rewriting: Rewriting, isAlone: boolean): Promise<void> => {
    const connection = await connect();
    const inTurn: Part = (work) => {
      const run = () => withinLimit(connection, "own", work);
      return queue.sharedOrAlone(run, {
        shared: () => queue.read(connection, "never", run),
        isShort: isAlone || memory.isShort(),
      });
    };
    const part: Part = (work) =>
      inTurn(async () => {
        let isCommitting = false;
        const whole = async () => {
          const result = await work();
          isCommitting = true;
          return result;
        };
        try {
          return await memory.transaction(connection, whole);
        } catch (error) {
          throw isCommitting ? stagingError(error) : error;
        }
      });
    const withCommitMemory: Part = (work) => inTurn(() => memory.during(connection, work));
    try {
      await guard(rewriteFile(connection, rewriting, { ...needsNow(), part, withCommitMemory }));
    } finally {
      connection.closeSync();
    }
  };
  return async (rewriting: Rewriting): Promise<void> => {
    try {
      await attempt(rewriting, false);
    } catch (error) {
      if (!lacksMemory(error)) throw error;
      await orUnavailable(attempt(rewriting, true));
    }
  };
}
