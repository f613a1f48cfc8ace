import type { DuckDBConnection } from "@duckdb/node-api";
import { callerOf } from "../../../core/access/callers.ts";
import { endedBy, Failure } from "../../../core/values/failure.ts";
import type { Duckdb } from "./duckdb.ts";
import { isOutOfMemory } from "./faults.ts";
import { INTERRUPT_EVERY_MS } from "./queue.ts";

/** Reads for callers of the API, with a time limit: four slow ones would hold all connections (decision 90). */
export type ApiReads = {
  /**
   * Reads as {@link Duckdb.readForOthers} does. Once the time is over or `signal` aborts, it fails
   * `query_timeout` or as `endedBy` at once, and interrupts the engine. Fails `unavailable` if the engine lacks memory.
   */
  read<T>(signal: AbortSignal, work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
};

/** The detail of `unavailable`: loads and reads share DuckDB's memory, a quarter of the machine's (decision 67). */
const NO_MEMORY =
  "Reading this takes more memory than is free now. Try again later, ask for less, or start the server with more --memory.";

/**
 * Makes reads that take at most `seconds`, including the wait for a connection. `onNoMemory` gets the error of
 * the engine if it lacks memory.
 */
export function apiReads(
  duckdb: Pick<Duckdb, "readForOthers">,
  seconds: number,
  onNoMemory: (error: Error) => void = () => {},
): ApiReads {
  return {
    async read(signal, work) {
      const controller = new AbortController();
      const { promise: ended, reject } = Promise.withResolvers<never>();
      const end = (failure: Failure) => {
        reject(failure);
        controller.abort(failure);
      };
      const onAbort = () => end(endedBy(signal));
      const tooLong = `Reading took longer than ${seconds} s. Ask for less, or for a shorter time.`;
      const timer = setTimeout(() => end(new Failure("query_timeout", tooLong)), seconds * 1000);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      try {
        const reading = duckdb.readForOthers(
          (connection) => untilAborted(connection, controller.signal, () => work(connection)),
          callerOf(signal),
        );
        // The engine may take a while to end; the caller gets the failure at once.
        return await Promise.race([ended, reading]);
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
        onNoMemory(error);
        throw new Failure("unavailable", NO_MEMORY);
      } finally {
        signal.removeEventListener("abort", onAbort);
        clearTimeout(timer);
      }
    },
  };
}

/** Runs `work`, and interrupts the statements of the connection once `signal` aborts. */
export async function untilAborted<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let repeating: ReturnType<typeof setInterval> | undefined;
  const interrupt = () => {
    connection.interrupt();
    repeating = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    signal.removeEventListener("abort", interrupt);
    clearInterval(repeating);
  }
}
