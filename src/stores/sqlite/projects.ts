import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import type { Project } from "../../core/access/project.ts";
import type { ProjectReads, ProjectWrites } from "../../core/ports/access.ts";
import { formerProjectKey, project } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

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
