import { PAGE_BYTES_MAX } from "./page.ts";

/** The first rows that fit into a page, at least one, and whether more rows follow. */
export function fitting<T>(
  found: Iterable<T>,
  bytesOf: (row: T) => number,
): { rows: T[]; isCut: boolean } {
  const rows: T[] = [];
  let bytes = 0;
  for (const row of found) {
    if (bytes >= PAGE_BYTES_MAX) return { rows, isCut: true };
    rows.push(row);
    bytes += bytesOf(row);
  }
  return { rows, isCut: false };
}
