import { eq } from "drizzle-orm";
import type { DeletionWrites } from "../../core/ports/erasure.ts";
import { rewriteFile, truncateLog } from "./rewrite.ts";
import { annotation, dashboard, insight } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** Erases the records that users have deleted, on the connection that writes. */
export function eraseDeleted({ orm, raw, transaction }: Sqlite): DeletionWrites["eraseDeleted"] {
  return async () => {
    const tables = [annotation, dashboard, insight];
    const isAny = tables.some((table) =>
      orm.select({ id: table.id }).from(table).where(eq(table.deleted, true)).limit(1).get(),
    );
    if (!isAny) return;
    // While others read, the records stay, so that the next call finds them.
    truncateLog(raw);
    transaction(() => {
      for (const table of tables) orm.delete(table).where(eq(table.deleted, true)).run();
    });
    rewriteFile(raw);
  };
}
