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
  /** Oldest first, without the revoked ones. */
  list(): Promise<KeyRow[]>;
};

/** Changes to personal keys. */
export type KeyWrites = {
  insert(draft: Omit<KeyRow, "id">): Promise<KeyRow>;
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
  const valid = orm
    .select()
    .from(personalApiKey)
    .where(isNull(personalApiKey.revoked_at))
    .orderBy(asc(personalApiKey.id))
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
    list: async () => valid.all(),
  };
}

/** Writes personal keys on the connection that writes. */
export function keyWrites({ orm }: Sqlite): KeyWrites {
  return {
    insert: async (draft) => orm.insert(personalApiKey).values(draft).returning().get(),
    revoke: async (id, revoked_at) =>
      orm
        .update(personalApiKey)
        .set({ revoked_at })
        .where(and(eq(personalApiKey.id, id), isNull(personalApiKey.revoked_at)))
        .returning()
        .get(),
  };
}
