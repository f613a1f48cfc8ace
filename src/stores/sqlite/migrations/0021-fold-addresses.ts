import type { Database } from "bun:sqlite";
import { foldedAddress } from "../../../core/values/case-folding.ts";

/** Persons that are read at a time. */
const AT_ONCE = 1000;

/** Folds the addresses that have other letters than ASCII's, which SQLite's `lower` does not know. */
export function foldAddresses(raw: Database): void {
  const others = raw.query<{ id: number; email: string }, [number]>(
    `SELECT id, email FROM person WHERE id > ?1 AND email GLOB '*[^' || char(1) || '-' || char(127) || ']*'
     ORDER BY id LIMIT ${AT_ONCE}`,
  );
  const fold = raw.query<null, [string, number]>("UPDATE person SET address = ?1 WHERE id = ?2");
  for (let last = 0, isLast = false; !isLast; ) {
    const rows = others.all(last);
    for (const { id, email } of rows) fold.run(foldedAddress(email), id);
    last = rows.at(-1)?.id ?? last;
    isLast = rows.length < AT_ONCE;
  }
}
