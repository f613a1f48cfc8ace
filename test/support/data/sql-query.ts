import type { SqlQuery } from "../../../src/core/ports/sql.ts";

/** A statement of a caller as the store takes it, with all its rows. */
export const sqlQuery = (text: string, more: Partial<SqlQuery> = {}): SqlQuery => {
  return { text, limit: null, moment: { now: Date.now(), timezone: "UTC" }, ...more };
};
