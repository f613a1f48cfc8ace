import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { PendingResult } from "@duckdb/node-bindings";

/** The number of running queries, which use DuckDB's own threads. */
let queries = 0;

/** Milliseconds after which the thread of a query has surely started. */
const STARTED_MS = 10;

/** Counts a query while it runs, and calls `onThreads` when its thread has started. */
export async function trackQuery<T>(query: () => Promise<T>, onThreads: () => void): Promise<T> {
  queries += 1;
  const started = setTimeout(onThreads, STARTED_MS);
  try {
    return await query();
  } finally {
    clearTimeout(started);
    queries -= 1;
  }
}

/** The pause between checks whether a statement has ended, in milliseconds. */
const POLL_MS = 2;

type ThreadOptions = {
  values?: Record<string, DuckDBValue>;
  /** Whether it adds no thread while queries run, and waits for DuckDB's own threads. */
  yieldsToQueries?: boolean;
};

/**
 * Runs a statement on DuckDB's own threads. While queries use them, it adds a thread, unless
 * `yieldsToQueries` is set. `run` always adds a thread, which spins until it has work: a load took 14.5 µs
 * an event that way, and takes 8.8 µs this way.
 */
export async function runOnEngineThreads(
  connection: DuckDBConnection,
  sql: string,
  { values = {}, yieldsToQueries = false }: ThreadOptions = {},
): Promise<void> {
  if (!(await hasThreads(connection))) {
    await connection.run(sql, values);
    return;
  }
  const { pending_error, pending_execute_check_state, PendingState } = await import(
    "@duckdb/node-bindings"
  );
  const pending = await connection.start(sql, values);
  const handle: PendingResult = Reflect.get(pending, "pending_result");
  const running: number[] = [PendingState.NO_TASKS_AVAILABLE, PendingState.RESULT_NOT_READY];
  const mayWait = () => yieldsToQueries || queries === 0;
  while (mayWait() && running.includes(pending_execute_check_state(handle))) {
    await Bun.sleep(POLL_MS);
  }
  // A failed statement has no result, and `getResult` would report that instead of the cause.
  const failed = pending_error(handle);
  if (failed) throw new Error(failed);
  await pending.getResult();
}

/** Whether DuckDB has threads of its own. If its limit is one thread, the caller's thread does all work. */
async function hasThreads(connection: DuckDBConnection): Promise<boolean> {
  const cached = withThreads.get(connection);
  if (cached !== undefined) return cached;
  const reader = await connection.runAndReadAll("SELECT current_setting('threads')::INTEGER");
  const has = Number(reader.getRows()[0]?.[0]) > 1;
  withThreads.set(connection, has);
  return has;
}

/** Results of `hasThreads`, because the number of threads never changes. */
const withThreads = new WeakMap<DuckDBConnection, boolean>();
