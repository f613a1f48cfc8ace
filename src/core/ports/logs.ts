import type { LogQuery } from "../logs/query.ts";
import type { LogRecord } from "../logs/record.ts";

/** A stored log record as the API shows it. */
export type LogRow = Omit<LogRecord, "trace_flags">;

/** Log records of a project. The rules of all ports are in `events.ts`. */
export type LogReads = {
  /**
   * Returns the page that a query describes, in the order of `timestamp`, then of arrival; `isMore`
   * says whether records follow it. There is no count of all.
   * Fails `invalid_input` for a filter with an invalid regular expression.
   */
  list(
    project: number,
    query: LogQuery,
    signal: AbortSignal,
  ): Promise<{ rows: (LogRow & { seq: number })[]; isMore: boolean }>;
  /** Returns the number of records that name one of some distinct ids, as an erasure finds them, and the named ids. */
  naming(
    project: number,
    distinctIds: readonly string[],
    signal: AbortSignal,
  ): Promise<{ count: number; ids: string[] }>;
};
