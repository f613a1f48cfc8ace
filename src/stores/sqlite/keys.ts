import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { KeyReads, KeyRow, KeyWrites } from "../../core/ports/access.ts";
import { personalApiKey } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** Reads personal keys on any connection. */
export function keyReads({ orm }: Sqlite): KeyReads {
  const byHash = orm
    .select()
    .from(personalApiKey)
    .where(and(eq(personalApiKey.hash, sql.placeholder("hash")), isNull(personalApiKey.revoked_at)))
    .prepare();
  const revoked = orm
    .select({ id: personalApiKey.id })
    .from(personalApiKey)
    .where(
      and(eq(personalApiKey.hash, sql.placeholder("hash")), isNotNull(personalApiKey.revoked_at)),
    )
    .prepare();
  return {
    byHash: async (hash) => byHash.get({ hash }),
    isRevoked: async (hash) => revoked.get({ hash }) !== undefined,
    wasEverMade: async () =>
      orm.select({ id: personalApiKey.id }).from(personalApiKey).limit(1).get() !== undefined,
    find: async (id, user_id) =>
      orm
        .select()
        .from(personalApiKey)
        .where(and(eq(personalApiKey.id, id), validOf(user_id)))
        .get(),
    list: async (user_id) =>
      orm
        .select()
        .from(personalApiKey)
        .where(validOf(user_id))
        .orderBy(asc(personalApiKey.id))
        .all(),
  };
}

/** Writes personal keys on the connection that writes. */
export function keyWrites({ orm, transaction }: Sqlite): KeyWrites {
  const valid = (id: number) => and(eq(personalApiKey.id, id), validOf());
  const update = (id: number, changes: Partial<KeyRow>) =>
    orm.update(personalApiKey).set(changes).where(valid(id)).returning().get();
  return {
    insert: async (draft) => orm.insert(personalApiKey).values(draft).returning().get(),
    change: async (id, changes) => update(id, changes),
    roll: async (id, roll) =>
      transaction(() => {
        const old = orm.select().from(personalApiKey).where(valid(id)).get();
        if (old === undefined) return undefined;
        const rolled = update(id, roll);
        const { id: _id, ...gone } = { ...old, revoked_at: roll.last_rolled_at };
        orm.insert(personalApiKey).values(gone).run();
        return rolled;
      }),
    revoke: async (id, revoked_at) => update(id, { revoked_at }),
  };
}

function validOf(user_id?: number) {
  const own = user_id === undefined ? undefined : eq(personalApiKey.user_id, user_id);
  return and(isNull(personalApiKey.revoked_at), own);
}
