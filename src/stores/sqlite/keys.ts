import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { personalApiKey } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** A personal key as it is kept: its SHA-256 (`hash`), never the key. */
export type KeyRow = typeof personalApiKey.$inferSelect;

/** What personal keys there are. */
export type KeyReads = {
  /** The key with this hash that is not revoked; it may have expired. */
  byHash(hash: string): Promise<KeyRow | undefined>;
  /** Whether a key with this hash was revoked. */
  isRevoked(hash: string): Promise<boolean>;
  /** Whether there ever was a key, also one that is revoked by now. */
  hasBeen(): Promise<boolean>;
  /** The key with this id that is not revoked, of this user if one is given. */
  find(id: number, user_id?: number): Promise<KeyRow | undefined>;
  /** Oldest first, without the revoked ones; of one user if it is given. */
  list(user_id?: number): Promise<KeyRow[]>;
};

/** What may change of a key. */
export type KeyChanges = Partial<
  Pick<KeyRow, "label" | "scopes" | "scoped_teams" | "expires_at" | "last_used_at">
>;

/** What a key gets with its new value. */
export type KeyRoll = Pick<KeyRow, "hash" | "mask_value"> & { last_rolled_at: string };

/** Changes to personal keys. */
export type KeyWrites = {
  insert(draft: Omit<KeyRow, "id">): Promise<KeyRow>;
  /** Changes at least one field; undefined if there is no such key or it is revoked. */
  change(id: number, changes: KeyChanges): Promise<KeyRow | undefined>;
  /**
   * Replaces a key's value; the old one counts as revoked from then on, under another id.
   * Undefined if there is no such key or it is revoked.
   */
  roll(id: number, roll: KeyRoll): Promise<KeyRow | undefined>;
  /** Ends a key at once; undefined if there is none or it was revoked before. */
  revoke(id: number, revoked_at: string): Promise<KeyRow | undefined>;
};

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
    hasBeen: async () =>
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
