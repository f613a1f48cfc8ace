import { statSync } from "node:fs";
import { and, desc, eq, lt, notInArray, or, sql } from "drizzle-orm";
import type { SessionReads, SessionWrites } from "../../core/ports/sessions.ts";
import { consoleLink, consoleSession, meta } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** Reads sessions of the console on any connection. */
export function sessionReads({ orm }: Sqlite): SessionReads {
  const byHash = orm
    .select()
    .from(consoleSession)
    .where(eq(consoleSession.hash, sql.placeholder("hash")))
    .prepare();
  return {
    byHash: async (hash) => byHash.get({ hash }),
    list: async (user_id) =>
      orm
        .select()
        .from(consoleSession)
        .where(eq(consoleSession.user_id, user_id))
        .orderBy(desc(consoleSession.id))
        .all(),
  };
}

/** Writes sessions of the console on the connection that writes. */
export function sessionWrites({ orm, transaction }: Sqlite): SessionWrites {
  return {
    insert: async (draft, { expired, keep }) =>
      transaction(() => {
        const { created_at, last_seen_at, user_id, id } = consoleSession;
        const ended = or(
          lt(created_at, expired.made_before),
          lt(last_seen_at, expired.seen_before),
        );
        orm.delete(consoleSession).where(ended).run();
        const made = orm.insert(consoleSession).values(draft).returning().get();
        const ofUser = eq(user_id, draft.user_id);
        const newest = orm
          .select({ id })
          .from(consoleSession)
          .where(ofUser)
          .orderBy(desc(id))
          .limit(keep);
        orm
          .delete(consoleSession)
          .where(and(ofUser, notInArray(id, newest)))
          .run();
        return made;
      }),
    async see(id, last_seen_at) {
      orm.update(consoleSession).set({ last_seen_at }).where(eq(consoleSession.id, id)).run();
    },
    async end(id, user_id) {
      const own = user_id === undefined ? undefined : eq(consoleSession.user_id, user_id);
      const ended = and(eq(consoleSession.id, id), own);
      return orm.delete(consoleSession).where(ended).returning().get() !== undefined;
    },
    endAll: async () => transaction(() => endAll(orm)),
    insertLink: async (link, at) =>
      transaction(() => {
        orm.delete(consoleLink).where(lt(consoleLink.ends_at, at)).run();
        orm.insert(consoleLink).values(link).run();
      }),
    takeLink: async (hash) =>
      orm.delete(consoleLink).where(eq(consoleLink.hash, hash)).returning().get(),
  };
}

/** Names the file in the table of facts. A copy has another name, also in the place of the original. */
const FILE = "file";

/**
 * Ends all sessions and links if the file is a copy of the one of the last start, and returns how many sessions
 * there were. Else a restored backup would bring back sessions that have ended since (decision 163).
 */
export function endSessionsOfCopy({ raw, orm, transaction }: Sqlite): number {
  const { ino, birthtimeNs } = statSync(raw.filename, { bigint: true });
  const value = `${ino} ${birthtimeNs}`;
  const before = orm.select().from(meta).where(eq(meta.key, FILE)).get()?.value;
  if (before === value) return 0;
  return transaction(() => {
    const set = { value };
    orm
      .insert(meta)
      .values({ key: FILE, value })
      .onConflictDoUpdate({ target: meta.key, set })
      .run();
    return before === undefined ? 0 : endAll(orm);
  });
}

function endAll(orm: Sqlite["orm"]): number {
  orm.delete(consoleLink).run();
  return orm.delete(consoleSession).returning({ id: consoleSession.id }).all().length;
}
