import { asc, eq, sql } from "drizzle-orm";
import type { PageQuery } from "../domain/page.ts";
import type { Project } from "../domain/project.ts";
import { project } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** What projects there are. */
export type ProjectReads = {
  /** Oldest first, those of `only` if it is given. */
  list(
    page: PageQuery,
    only: readonly number[] | null,
  ): Promise<{ count: number; rows: Project[] }>;
  find(id: number): Promise<Project | undefined>;
  all(): Promise<Project[]>;
};

/** Changes to projects. */
export type ProjectWrites = {
  insert(draft: Omit<Project, "id">): Promise<Project>;
  /** Replaces the project key; undefined if there is no such project. */
  rotate(id: number, api_token: string): Promise<Project | undefined>;
};

/** Reads projects on any connection. */
export function projectReads({ orm }: Sqlite): ProjectReads {
  const byId = orm
    .select()
    .from(project)
    .where(eq(project.id, sql.placeholder("id")))
    .prepare();
  const all = orm.select().from(project).orderBy(asc(project.id)).prepare();
  return {
    async list({ limit, offset }, only) {
      const seen = all.all().filter(({ id }) => only === null || only.includes(id));
      return { count: seen.length, rows: seen.slice(offset, offset + limit) };
    },
    find: async (id) => byId.get({ id }),
    all: async () => all.all(),
  };
}

/** Writes projects on the connection that writes. */
export function projectWrites({ orm }: Sqlite): ProjectWrites {
  return {
    insert: async (draft) => orm.insert(project).values(draft).returning().get(),
    rotate: async (id, api_token) =>
      orm.update(project).set({ api_token }).where(eq(project.id, id)).returning().get(),
  };
}
