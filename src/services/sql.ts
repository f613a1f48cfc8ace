import { Failure } from "../domain/errors.ts";
import type { SqlCell } from "../domain/sql-cell.ts";
import { SQL_ATTR } from "../domain/sql-part.ts";
import type { SqlReads } from "../storage/sql.ts";
import { checkUpToDate, type IsBehind } from "./behind.ts";

/** UTF-8 bytes of a statement. */
export const SQL_BYTES_MAX = 65_536;

/** Statements that run at once; the next is refused. */
export const SQL_RUNNING_MAX = 2;

/** Bytes of the texts in one answer. */
export const SQL_ANSWER_BYTES_MAX = 16_777_216;

/** The share of the process's memory at which a statement ends that has more of it than at its start. */
const MEMORY_SHARE = 0.85;

/** How often is looked how much memory there is in use, in milliseconds. */
const MEMORY_EVERY_MS = 100;

/** What a statement answers, as PostHog's clients know it. */
export type SqlAnswer = {
  columns: string[];
  /** A name and a type of each column. */
  types: [name: string, type: string][];
  results: SqlCell[][];
  /** The statement as it was run. */
  hogql: string;
};

/** SQL over one project (decision 81). */
export type Sql = {
  /**
   * Runs a statement. Fails `too_long`, `throttled`, `unavailable` while the event store is behind,
   * and as {@link SqlReads} does. `signal` tells that nobody waits for the answer any more.
   */
  run(project: number, text: string, signal: AbortSignal): Promise<SqlAnswer>;
};

/** How far a statement may go; `memory` is what the engine may use, in MB. */
type SqlSettings = { query_seconds: number; query_rows: number; memory: number };

type Needs = {
  reads: SqlReads;
  isBehind: IsBehind;
  limits: SqlSettings;
  /** Memory that the process uses, and that it may use. */
  memoryBytes: () => number;
  memoryBytesMax: number;
};

/** Runs statements one beside another, within limits. */
export function sql({ reads, isBehind, limits, ...memory }: Needs): Sql {
  let running = 0;
  return {
    async run(project, text, signal) {
      checkText(text);
      checkUpToDate(isBehind);
      if (running >= SQL_RUNNING_MAX) {
        const detail = `${SQL_RUNNING_MAX} queries run already. Try again in a moment.`;
        throw new Failure("throttled", detail);
      }
      running += 1;
      const ending = new AbortController();
      const work = reads
        .run(project, text, {
          signal: ending.signal,
          rows: limits.query_rows,
          bytes: SQL_ANSWER_BYTES_MAX,
        })
        .finally(() => {
          running -= 1;
        });
      const watch = watched(ending, { signal, limits, ...memory });
      try {
        // The engine may take a while to end; who asked is told at once.
        const { columns, types, rows, sql: hogql } = await Promise.race([work, watch.ended]);
        const named = columns.map((name, index): [string, string] => [name, types[index] ?? ""]);
        return { columns, types: named, results: rows, hogql };
      } finally {
        watch.stop();
      }
    },
  };
}

function checkText(text: string): void {
  if (Buffer.byteLength(text) > SQL_BYTES_MAX) {
    throw new Failure("too_long", `At most ${SQL_BYTES_MAX} bytes.`, SQL_ATTR);
  }
  if (text.includes("\0")) {
    throw new Failure("invalid_input", "SQL has no character of code 0.", SQL_ATTR);
  }
}

type Watched = Pick<Needs, "limits" | "memoryBytes" | "memoryBytesMax"> & { signal: AbortSignal };

/** Ends a statement that takes too long or too much, or that nobody waits for. */
function watched(
  ending: AbortController,
  { signal, limits, memoryBytes, memoryBytesMax }: Watched,
) {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (detail: string) => {
    reject(new Failure("invalid_input", detail, SQL_ATTR));
    ending.abort();
  };
  const gone = () => end("Nobody waits for the answer.");
  const seconds = limits.query_seconds;
  const tooLong = () => end(`The query took longer than ${seconds} s. Select less.`);
  // What some functions take does not count for the engine's own limit.
  const atStart = memoryBytes();
  const engine = limits.memory * 1e6;
  // What a statement before it has left may still be held, and is used again.
  const most = Math.min(
    atStart + 2 * engine,
    Math.max(atStart + engine / 2, memoryBytesMax * MEMORY_SHARE),
  );
  const timer = setTimeout(tooLong, seconds * 1000);
  const memory = setInterval(() => {
    if (memoryBytes() > most) end("The query takes more memory than there is. Select less.");
  }, MEMORY_EVERY_MS);
  signal.addEventListener("abort", gone, { once: true });
  if (signal.aborted) gone();
  return {
    ended,
    stop() {
      signal.removeEventListener("abort", gone);
      clearTimeout(timer);
      clearInterval(memory);
    },
  };
}
