import { eq } from "drizzle-orm";
import type { DeletionWrites } from "../../core/ports/erasure.ts";
import { rewriteFile } from "./rewrite.ts";
import { annotation, dashboard, insight } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** Erases the records that users have deleted, on the connection that writes. */
export function eraseDeleted({ orm, raw, transaction }: Sqlite): DeletionWrites["eraseDeleted"] {
  return async () => {
    const gone = transaction(() =>
      [annotation, dashboard, insight].flatMap((table) =>
        orm.delete(table).where(eq(table.deleted, true)).returning({ id: table.id }).all(),
      ),
    );
    if (gone.length > 0) await rewriteFile(raw);
  };
}
