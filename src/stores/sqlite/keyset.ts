import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Keys } from "../../core/values/page.ts";

/**
 * The condition that a row comes after the one with the keys `after`, in the order of `columns`, all ascending
 * or all descending; undefined without keys.
 */
export function afterKey(
  columns: SQLWrapper[],
  direction: "up" | "down",
  after: Keys | undefined,
): SQL | undefined {
  if (after === undefined) return undefined;
  const keys = after.map((key) => sql`${key}`);
  const [row, place] = [columns, keys].map((list) => sql`(${sql.join(list, sql`, `)})`);
  return direction === "up" ? sql`${row} > ${place}` : sql`${row} < ${place}`;
}
