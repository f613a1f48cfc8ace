import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import type { Duckdb } from "./duckdb.ts";
import { isOutOfMemory } from "./faults.ts";

/** Reads for callers of the API, with an end: four slow ones would hold all readers (decision 90). */
export type ApiReads = {
  /**
   * As {@link Duckdb.readForOthers}, within the time and until `signal` ends it: then it fails `query_timeout`
   * at once and interrupts the engine. Fails `unavailable` without memory.
   */
  read<T>(signal: AbortSignal, work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
};

/** Why a read failed without memory: loads share DuckDB's, a quarter of the machine's (decision 67). */
const NO_MEMORY =
  "Reading this takes more memory than is free now. Try again later, or ask for less.";

/**
 * Reads that take at most so many seconds, with the time that they wait for a reader. `onNoMemory`
 * gets the error of the engine then.
 */
export function apiReads(
  duckdb: Pick<Duckdb, "readForOthers">,
  seconds: number,
  onNoMemory: (error: Error) => void = () => {},
): ApiReads {
  return {
    async read(signal, work) {
      const ending = new AbortController();
      const { promise: ended, reject } = Promise.withResolvers<never>();
      const end = (detail: string) => {
        const failure = new Failure("query_timeout", detail);
        reject(failure);
        ending.abort(failure);
      };
      const gone = () => end("The client has disconnected.");
      const tooLong = `Reading took longer than ${seconds} s. Ask for less, or for a shorter time.`;
      const timer = setTimeout(() => end(tooLong), seconds * 1000);
      signal.addEventListener("abort", gone, { once: true });
      if (signal.aborted) gone();
      try {
        const reading = duckdb.readForOthers((connection) =>
          whileWanted(connection, ending.signal, () => work(connection)),
        );
        // The engine may take a while to end; the caller gets the failure at once.
        return await Promise.race([ended, reading]);
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
        onNoMemory(error);
        throw new Failure("unavailable", NO_MEMORY);
      } finally {
        signal.removeEventListener("abort", gone);
        clearTimeout(timer);
      }
    },
  };
}

/** The pause between interrupts of a statement: one between two steps has no effect. */
const INTERRUPT_EVERY_MS = 50;

/** Runs `work` on a connection until `signal` ends it: then its statements are interrupted repeatedly. */
export async function whileWanted<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let again: ReturnType<typeof setInterval> | undefined;
  const interrupt = () => {
    connection.interrupt();
    again = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    signal.removeEventListener("abort", interrupt);
    clearInterval(again);
  }
}
