import { type IsCatchingUp, requireCaughtUp } from "../events/freshness.ts";
import type { SqlCell, SqlQuery, SqlReads, SqlTable } from "../ports/sql.ts";
import { endedBy, Failure } from "../values/failure.ts";
import type { Clock } from "../values/time.ts";
import { SQL_ATTR } from "./tables.ts";
import { turns } from "./turns.ts";

/** UTF-8 bytes of one statement. */
export const SQL_BYTES_MAX = 65_536;

/** Statements of all projects that may run at the same time; others wait. */
export const SQL_RUNNING_MAX = 2;

/** Statements of all projects that may wait; the next one gets 429. */
export const SQL_WAITING_MAX = 16;

/** The longest wait of a statement for others, in milliseconds; then it gets 429. */
export const SQL_WAIT_MS_MAX = 10_000;

/** Rows of a statement without LIMIT, where the answer says whether there are more. */
export const SQL_ROWS_DEFAULT = 100;

/** Bytes of texts in one answer. */
export const SQL_ANSWER_BYTES_MAX = 16_777_216;

/**
 * Memory that statements may add to the process, as a multiple of the limit of the engine. `most` shrinks
 * when the process takes `share` of the memory of the machine, but never below `least`.
 */
const MEMORY_MORE = { most: 2, least: 1 / 2, share: 0.85 };

/**
 * Largest assumed growth of the process without statements, in bytes a second. Memory of an earlier
 * statement is freed slowly, and must not count as growth.
 */
const GROWTH_BYTES_S = 10_000_000;

/** Interval of looks at the used memory, in milliseconds. */
const MEMORY_EVERY_MS = 100;

/** The answer of a statement in the shape that PostHog's clients expect. */
export type SqlAnswer = {
  columns: string[];
  /** Name and type of each column. */
  types: [name: string, type: string][];
  results: SqlCell[][];
  /** The statement as the engine ran it. */
  hogql: string;
} & Pick<SqlTable, "limit" | "offset" | "hasMore">;

/** SQL over the views of one project; the tables also have the events of other projects (decision 81). */
export type Sql = {
  /**
   * Runs a statement, once it is its turn. Fails `too_long`, `throttled`, `query_timeout`, `unavailable` while the
   * event store catches up or memory of earlier queries is not free yet, and as {@link SqlReads} does. When
   * `signal` aborts it fails as `endedBy`.
   */
  run(project: number, query: Omit<SqlQuery, "moment">, signal: AbortSignal): Promise<SqlAnswer>;
  names: SqlReads["names"];
};

/** Limits of a statement; `memory` is the limit of the engine in MB. */
type SqlSettings = { query_seconds: number; query_rows: number; memory: number };

type Needs = {
  reads: SqlReads;
  now: Clock;
  /** The IANA name of the zone of a project. */
  timezoneOf: (project: number) => Promise<string>;
  isCatchingUp: IsCatchingUp;
  limits: SqlSettings;
  /** Memory of the process, and its limit. */
  memoryBytes: () => number;
  memoryBytesMax: number;
};

const tooMany = () =>
  new Failure(
    "throttled",
    `${SQL_RUNNING_MAX} SQL queries run at a time, of all projects together, and up to ${SQL_WAITING_MAX} others wait for at most ${SQL_WAIT_MS_MAX / 1000} s. Try again in a moment.`,
  );

/** Runs statements in parallel, within limits. */
export function sql(needs: Needs): Sql {
  const { reads, isCatchingUp, limits, memoryBytes, memoryBytesMax, now, timezoneOf } = needs;
  const places = turns({
    ...{ running: SQL_RUNNING_MAX, waiting: SQL_WAITING_MAX },
    ...{ waitMs: SQL_WAIT_MS_MAX, tooMany },
  });
  const without = memoryWithout(memoryBytes);
  const memoryMost = () => {
    const engine = limits.memory * 1e6;
    const before = without.bytes();
    const { most, least, share } = MEMORY_MORE;
    const atLeast = before + least * engine;
    return Math.min(before + most * engine, Math.max(atLeast, memoryBytesMax * share));
  };
  return {
    names: reads.names,
    async run(project, query, signal) {
      checkText(query.text);
      requireCaughtUp(isCatchingUp);
      if (places.isIdle()) without.look();
      const endTurn = await places.take(signal);
      const ending = new AbortController();
      const read = async () => {
        const moment = { now: now(), timezone: await timezoneOf(project) };
        const within = { rows: limits.query_rows, bytes: SQL_ANSWER_BYTES_MAX };
        return reads.run(project, { ...query, moment }, { ...within, signal: ending.signal });
      };
      const work = read().finally(endTurn);
      const watch = watched(ending, { signal, limits, memoryBytes, most: memoryMost() });
      try {
        // The engine may need time to stop, so the failure does not wait for it.
        return answerOf(await Promise.race([work, watch.ended]));
      } finally {
        watch.stop();
      }
    },
  };
}

function answerOf({ columns, types, rows: results, sql: hogql, ...page }: SqlTable): SqlAnswer {
  const named = columns.map((name, index): [string, string] => [name, types[index] ?? ""]);
  return { columns, types: named, results, hogql, ...page };
}

function checkText(text: string): void {
  if (Buffer.byteLength(text) > SQL_BYTES_MAX) {
    throw new Failure("too_long", `At most ${SQL_BYTES_MAX} bytes.`, SQL_ATTR);
  }
}

/** Estimates the memory of the process without statements, whenever the first statement starts. */
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
  /** Largest memory of the process. */
  most: number;
};

const MEMORY_NOT_FREE =
  "The memory of SQL queries that have ended is not free again yet. Try again in a moment.";

/** Ends a statement that takes too much time (decision 90) or memory, or whose caller disconnects. */
function watched(ending: AbortController, { signal, limits, memoryBytes, most }: Watched) {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (failure: Failure) => {
    reject(failure);
    ending.abort();
  };
  const seconds = limits.query_seconds;
  const tooLong = () =>
    end(new Failure("query_timeout", `The query took longer than ${seconds} s. Select less.`));
  const timer = setTimeout(tooLong, seconds * 1000);
  // The limit of the engine does not count the memory of some functions.
  const wasShort = memoryBytes() > most;
  const memory = setInterval(() => {
    if (memoryBytes() <= most) return;
    const tooMuch = `The query takes too much memory for --memory ${limits.memory}. Select less, or start the server with more.`;
    if (wasShort) end(new Failure("unavailable", MEMORY_NOT_FREE));
    else end(new Failure("invalid_input", tooMuch, SQL_ATTR));
  }, MEMORY_EVERY_MS);
  const gone = () => end(endedBy(signal));
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

/** Digits that every double keeps exactly. */
const EXACT_DIGITS = 15;

/** Returns a value as JSON; a number that readers may round becomes a text (decision 117). */
export function jsonOf(cell: SqlCell): string {
  if (typeof cell !== "object" || cell === null) return JSON.stringify(cell);
  if ("json" in cell) return cell.json;
  return isExact(cell.digits) ? cell.digits : `"${cell.digits}"`;
}

function isExact(digits: string): boolean {
  const significant = digits.replace(/[-.]/g, "").replace(/^0+/, "");
  const isWhole = !digits.includes(".");
  return significant.length <= EXACT_DIGITS || (isWhole && Number.isSafeInteger(Number(digits)));
}
