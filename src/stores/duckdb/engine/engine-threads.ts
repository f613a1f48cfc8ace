import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { PendingResult } from "@duckdb/node-bindings";

/** Queries that compute now, and take of DuckDB's own threads for as long as each lasts. */
let queries = 0;

/** How long a query has run when the thread that it holds has surely been started, in milliseconds. */
const STARTED_MS = 10;

/** Computes the answer to a query; `onThreads` is called when more threads may run for it. */
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

type Apart = {
  values?: Record<string, DuckDBValue>;
  /** Whether it waits for DuckDB's own threads also while queries have them. */
  yieldsToQueries?: boolean;
};

/**
 * Runs a statement on DuckDB's own threads alone, and, unless it is patient, on one more while queries
 * use them all. A thread that waits in `run` spins for more work instead: a load took 14.5 µs an event, half
 * of it waiting, and takes 8.8 µs so.
 */
export async function runOnEngineThreads(
  connection: DuckDBConnection,
  sql: string,
  { values = {}, yieldsToQueries = false }: Apart = {},
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
  // A statement that failed has no result, and asked for it DuckDB blames the call.
  const failed = pending_error(handle);
  if (failed) throw new Error(failed);
  await pending.getResult();
}

/** Whether DuckDB has threads of its own: with one thread, only the caller works. The number never changes. */
async function hasThreads(connection: DuckDBConnection): Promise<boolean> {
  const known = threaded.get(connection);
  if (known !== undefined) return known;
  const reader = await connection.runAndReadAll("SELECT current_setting('threads')::INTEGER");
  const has = Number(reader.getRows()[0]?.[0]) > 1;
  threaded.set(connection, has);
  return has;
}

const threaded = new WeakMap<DuckDBConnection, boolean>();
