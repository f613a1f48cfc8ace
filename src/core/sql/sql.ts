import { type IsCatchingUp, requireCaughtUp } from "../events/freshness.ts";
import type { SqlCell, SqlReads } from "../ports/sql.ts";
import { Failure } from "../values/failure.ts";
import { SQL_ATTR } from "./extent.ts";

/** UTF-8 bytes of a statement. */
export const SQL_BYTES_MAX = 65_536;

/** Statements of all projects that run at the same time; the next gets 429. */
export const SQL_RUNNING_MAX = 2;

/** Bytes of text in one answer. */
export const SQL_ANSWER_BYTES_MAX = 16_777_216;

/**
 * How much more memory the process may have than without statements, in times what the engine may use;
 * less where this share of the machine's is taken, but always the least.
 */
const MEMORY_MORE = { most: 2, least: 1 / 2, share: 0.85 };

/**
 * How fast the process's memory without statements may seem to grow, in bytes a second: memory that a
 * former statement left is freed slowly, and must not count as this growth.
 */
const GROWTH_BYTES_S = 10_000_000;

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

/** SQL over the views of one project: other projects' events are in the same tables (decision 81). */
export type Sql = {
  /**
   * Runs a statement. Fails `too_long`, `throttled`, `query_timeout`, `unavailable` while the event store
   * is behind or queries before have not given back their memory, and as {@link SqlReads} does. `signal`
   * tells that nobody waits for the answer any more.
   */
  run(project: number, text: string, signal: AbortSignal): Promise<SqlAnswer>;
};

/** How far a statement may go; `memory` is what the engine may use, in MB. */
type SqlSettings = { query_seconds: number; query_rows: number; memory: number };

type Needs = {
  reads: SqlReads;
  isCatchingUp: IsCatchingUp;
  limits: SqlSettings;
  /** Memory that the process uses, and that it may use. */
  memoryBytes: () => number;
  memoryBytesMax: number;
};

/** Runs statements one beside another, within limits. */
export function sql({ reads, isCatchingUp, limits, memoryBytes, memoryBytesMax }: Needs): Sql {
  let running = 0;
  const without = memoryWithout(memoryBytes);
  const memoryMost = () => {
    const engine = limits.memory * 1e6;
    const { most, least, share } = MEMORY_MORE;
    const before = without.bytes();
    return Math.min(
      before + most * engine,
      Math.max(before + least * engine, memoryBytesMax * share),
    );
  };
  return {
    async run(project, text, signal) {
      checkText(text);
      requireCaughtUp(isCatchingUp);
      if (running >= SQL_RUNNING_MAX) {
        const detail = `At most ${SQL_RUNNING_MAX} SQL queries run at a time, of all projects together, and as many run now. Try again in a moment.`;
        throw new Failure("throttled", detail);
      }
      if (running === 0) without.look();
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
      const watch = watched(ending, { signal, limits, memoryBytes, most: memoryMost() });
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

/** What the process has while no statement runs, as it was found out when one began. */
function memoryWithout(memoryBytes: () => number) {
  let bytes: number | undefined;
  let seenAt = 0;
  return {
    look(): void {
      const now = performance.now();
      const grown = ((now - seenAt) / 1000) * GROWTH_BYTES_S;
      bytes = Math.min(memoryBytes(), (bytes ?? Number.POSITIVE_INFINITY) + grown);
      seenAt = now;
    },
    bytes: () => bytes ?? 0,
  };
}

type Watched = Pick<Needs, "limits" | "memoryBytes"> & {
  signal: AbortSignal;
  /** The memory that the process may have. */
  most: number;
};

const NOT_GIVEN_BACK =
  "The memory of SQL queries that have ended is not free again yet. Try again in a moment.";

/** Ends a statement that takes too long (decision 90) or too much, or that nobody waits for. */
function watched(ending: AbortController, { signal, limits, memoryBytes, most }: Watched) {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const fail = (failure: Failure) => {
    reject(failure);
    ending.abort();
  };
  const end = (detail: string) => fail(new Failure("invalid_input", detail, SQL_ATTR));
  const late = (detail: string) => fail(new Failure("query_timeout", detail));
  const gone = () => late("Nobody waits for the answer.");
  const seconds = limits.query_seconds;
  const tooLong = () => late(`The query took longer than ${seconds} s. Select less.`);
  // What some functions take does not count for the engine's own limit.
  const isShort = memoryBytes() > most;
  const tooMuch = () => {
    if (isShort) fail(new Failure("unavailable", NOT_GIVEN_BACK));
    else end("The query takes more memory than there is. Select less.");
  };
  const timer = setTimeout(tooLong, seconds * 1000);
  const memory = setInterval(() => {
    if (memoryBytes() > most) tooMuch();
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

/** Digits that every double says exactly, and JSON's readers with it. */
const EXACT_DIGITS = 15;

/** A value as JSON: a number that readers may round is a text (decision 117). */
export function jsonOf(cell: SqlCell): string {
  if (typeof cell !== "object" || cell === null) return JSON.stringify(cell);
  if ("json" in cell) return cell.json;
  return isExact(cell.digits) ? cell.digits : `"${cell.digits}"`;
}

function isExact(digits: string): boolean {
  const significant = digits.replace(/[-.]/g, "").replace(/^0+/, "");
  return significant.length <= EXACT_DIGITS || Number.isSafeInteger(whole(digits));
}

const whole = (digits: string) => (digits.includes(".") ? Number.NaN : Number(digits));
