import type { Json } from "../values/json.ts";

/** The answer of a statement. Each row has a value for each column. */
export type SqlTable = {
  columns: string[];
  /** Types of the columns, by the store's own names. */
  types: string[];
  rows: SqlCell[][];
  /** The statement as the store ran it. */
  sql: string;
  /** The most rows of the answer, and how many it leaves out before them. */
  limit: number;
  offset: number;
  /** Whether there are more rows. */
  hasMore: boolean;
};

/** A statement of a caller, with the request's values for names in braces, as it was sent. */
export type SqlQuery = {
  text: string;
  filters?: Json | undefined;
  variables?: Json | undefined;
  values?: Json | undefined;
  /** The rows of a statement without LIMIT; null for all of them, of which none may be missing. */
  limit: number | null;
  /** The time of the request, in milliseconds, and the IANA name of the project's zone. */
  moment: { now: number; timezone: string };
};

/** Bounds of one statement. */
export type SqlLimits = {
  /** Ends the statement when it aborts. */
  signal: AbortSignal;
  /** The most rows of the answer, also of a larger LIMIT. */
  rows: number;
  /** The most bytes of texts in the answer. */
  bytes: number;
};

/** SQL that callers of the API write. The rules of all ports are in `events.ts`. */
export type SqlReads = {
  /**
   * Runs one SELECT in HogQL over the tables `SQL_VIEWS` of the project; it sees no other project and changes
   * nothing (decision 81). Its dates and hours are on the clock of `moment`. The store refuses parts that are not
   * on its list before it runs.
   *
   * Fails `invalid_input` if the statement is not allowed, is not understood, fails on its data, or
   * exceeds a limit. The sentence of the failure contains no stored value, and no words of the store's engine. When
   * `signal` aborts it ends soon and fails; the caller has answered by then.
   */
  run(project: number, query: SqlQuery, limits: SqlLimits): Promise<SqlTable>;
  /** Names of functions and of types, for editors. */
  names: { functions: readonly string[]; types: readonly string[] };
};

/**
 * A value in an answer of SQL. `digits` is a number that a double may not hold exactly. `json` is a list or an
 * object. Both are texts.
 */
export type SqlCell = null | boolean | number | string | { digits: string } | { json: string };
