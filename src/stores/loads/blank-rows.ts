/**
 * DuckDB reads, writes and sorts 2,048 rows at once, however large they are. So what is large takes
 * more rows than one: behind it are blank ones, of a project with a negative number that nobody asks
 * for (decision 95).
 */

/** Bytes of what takes one row. */
const ROW_BYTES_MAX = 2048;

/** Bytes for each of its rows, of what takes more. */
const BYTES_PER_ROW = 1536;

/** How many rows something of so many bytes takes. */
export function rowsOf(bytes: number): number {
  return bytes <= ROW_BYTES_MAX ? 1 : Math.ceil(bytes / BYTES_PER_ROW);
}

/** The condition that a row is not blank. */
export const NOT_BLANK = "project_id > 0";

/** What a blank row has where there must be a UUID. */
export const NO_UUID = "00000000-0000-0000-0000-000000000000";

/** The order of events that are large, and of their blank rows, which stay with them: last. */
export const LARGE_LAST = `
  CASE WHEN project_id < 0 OR strlen(coalesce(whole_properties, properties)) > ${ROW_BYTES_MAX}
    THEN seq ELSE 0 END`;
