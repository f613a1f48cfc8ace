import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { UserReads, UserWrites } from "../../core/ports/access.ts";
import { user } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** The columns that make a `User`. */
const { created_at: _, ...COLUMNS } = getTableColumns(user);

/** Reads users on any connection. */
export function userReads({ orm }: Sqlite): UserReads {
  return {
    find: async (id) => orm.select(COLUMNS).from(user).where(eq(user.id, id)).get(),
    byEmail: async (email) =>
      orm.select(COLUMNS).from(user).where(sql`lower(${user.email}) = lower(${email})`).get(),
    owner: async () => orm.select(COLUMNS).from(user).orderBy(asc(user.id)).limit(1).get(),
  };
}

/** Writes users on the connection that writes. */
export function userWrites({ orm }: Sqlite): UserWrites {
  return {
    insert: async (draft) => orm.insert(user).values(draft).returning(COLUMNS).get(),
    async rename(id, email) {
      orm.update(user).set({ email }).where(eq(user.id, id)).run();
    },
  };
}
