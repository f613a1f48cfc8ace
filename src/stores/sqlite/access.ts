import { and, asc, eq, getTableColumns, gt, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { Project } from "../../core/access/project.ts";
import type {
  KeyReads,
  KeyRow,
  KeyWrites,
  ProjectReads,
  ProjectWrites,
  UserReads,
  UserWrites,
} from "../../core/ports/access.ts";
import { formerProjectKey, personalApiKey, project, user } from "./schema.ts";
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

/** The columns that make a `User`. */
const { created_at: _, ...USER_COLUMNS } = getTableColumns(user);

/** Reads users on any connection. */
export function userReads({ orm }: Sqlite): UserReads {
  return {
    find: async (id) => orm.select(USER_COLUMNS).from(user).where(eq(user.id, id)).get(),
    byEmail: async (email) =>
      orm.select(USER_COLUMNS).from(user).where(sql`lower(${user.email}) = lower(${email})`).get(),
    owner: async () => orm.select(USER_COLUMNS).from(user).orderBy(asc(user.id)).limit(1).get(),
  };
}

/** Writes users on the connection that writes. */
export function userWrites({ orm }: Sqlite): UserWrites {
  return {
    insert: async (draft) => orm.insert(user).values(draft).returning(USER_COLUMNS).get(),
    async rename(id, email) {
      orm.update(user).set({ email }).where(eq(user.id, id)).run();
    },
  };
}

/** Reads projects on any connection. */
export function projectReads({ orm }: Sqlite): ProjectReads {
  const byId = orm
    .select()
    .from(project)
    .where(eq(project.id, sql.placeholder("id")))
    .prepare();
  const all = orm.select().from(project).orderBy(asc(project.id)).prepare();
  return {
    async list({ limit, offset, after: [after] = [0] }, only) {
      const seen = all.all().filter(({ id }) => only === null || only.includes(id));
      const rows = seen.filter(({ id }) => id > after).slice(offset, offset + limit);
      return { count: seen.length, rows };
    },
    find: async (id) => byId.get({ id }),
    all: async () => all.all(),
    formerKeys: async (project_id) =>
      orm
        .select({ api_token: formerProjectKey.api_token, ends_at: formerProjectKey.ends_at })
        .from(formerProjectKey)
        .where(eq(formerProjectKey.project_id, project_id))
        .orderBy(asc(formerProjectKey.ends_at))
        .all(),
  };
}

/** Writes projects on the connection that writes. */
export function projectWrites({ orm, transaction }: Sqlite): ProjectWrites {
  const update = (id: number, changes: Partial<Project>) =>
    orm.update(project).set(changes).where(eq(project.id, id)).returning().get();
  return {
    insert: async (draft) => orm.insert(project).values(draft).returning().get(),
    update: async (id, changes) => update(id, changes),
    rotate: async (id, { api_token, at, ends_at }) =>
      transaction(() => {
        const old = orm.select().from(project).where(eq(project.id, id)).get();
        if (old === undefined || old.api_token === api_token) return old;
        const former = formerProjectKey;
        const later = and(eq(former.project_id, id), gt(former.ends_at, ends_at));
        orm.update(former).set({ ends_at }).where(later).run();
        orm
          .insert(former)
          .values({ api_token: old.api_token, project_id: id, ends_at })
          .onConflictDoUpdate({ target: former.api_token, set: { project_id: id, ends_at } })
          .run();
        orm.delete(former).where(lte(former.ends_at, at)).run();
        orm.delete(former).where(eq(former.api_token, api_token)).run();
        return update(id, { api_token });
      }),
  };
}
