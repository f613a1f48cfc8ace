/** The answer of a statement. Each row has a value for each column. */
export type SqlTable = {
  columns: string[];
  /** Types of the columns, by the store's own names. */
  types: string[];
  rows: SqlCell[][];
  /** The statement as the store ran it. */
  sql: string;
};

/** Bounds of one statement. */
export type SqlLimits = {
  /** Ends the statement when it aborts. */
  signal: AbortSignal;
  /** The most rows of the answer. */
  rows: number;
  /** The most bytes of texts in the answer. */
  bytes: number;
};

/** SQL that callers of the API write. The rules of all ports are in `events.ts`. */
export type SqlReads = {
  /**
   * Runs one SELECT over the views `SQL_VIEWS` of the project; it sees no other project and changes
   * nothing (decision 81). The store refuses a statement before it runs if `checkSql` does.
   *
   * Fails `invalid_input` if the statement is not allowed, is not understood, fails on its data, or
   * exceeds a limit. The sentence of the failure contains no stored value. When `signal` aborts it ends soon and
   * fails; the caller has answered by then.
   */
  run(project: number, text: string, limits: SqlLimits): Promise<SqlTable>;
};

/**
 * A value in an answer of SQL. `digits` is a number that a double may not hold exactly. `json` is a list or an
 * object. Both are texts.
 */
export type SqlCell = null | boolean | number | string | { digits: string } | { json: string };
