import { and, desc, eq, lt, notInArray, or, sql } from "drizzle-orm";
import type { SessionReads, SessionWrites } from "../../core/ports/sessions.ts";
import { consoleLink, consoleSession } from "./schema.ts";
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
    endAll: async () =>
      transaction(() => {
        orm.delete(consoleLink).run();
        return orm.delete(consoleSession).returning({ id: consoleSession.id }).all().length;
      }),
    insertLink: async (link, at) =>
      transaction(() => {
        orm.delete(consoleLink).where(lt(consoleLink.ends_at, at)).run();
        orm.insert(consoleLink).values(link).run();
      }),
    takeLink: async (hash) =>
      orm.delete(consoleLink).where(eq(consoleLink.hash, hash)).returning().get(),
  };
}
