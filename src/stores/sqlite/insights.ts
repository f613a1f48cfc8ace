import { and, count, desc, eq, getTableColumns, lte, type SQL } from "drizzle-orm";
import type { InsightReads, InsightWrites } from "../../core/ports/insights.ts";
import { INSIGHTS_MAX, type Insight } from "../../core/queries/insight.ts";
import { rewriteFile } from "./rewrite.ts";
import { insight, user } from "./schema.ts";
import { afterKey, type Sqlite } from "./sqlite.ts";

/** Reads insights on any connection. */
export function insightReads(sqlite: Sqlite): InsightReads {
  const { orm, snapshot } = sqlite;
  const rows = selects(sqlite);
  return {
    list: async (project, { limit, offset, after }) =>
      snapshot(() => {
        const wanted = and(eq(insight.project_id, project), eq(insight.deleted, false));
        return {
          count: orm.select({ count: count() }).from(insight).where(wanted).get()?.count ?? 0,
          rows: rows(and(wanted, afterKey([insight.id], "down", after)))
            .orderBy(desc(insight.id))
            .limit(limit)
            .offset(offset)
            .all()
            .map(flat),
        };
      }),
    find: async (project, short_id) => {
      const found = rows(and(at(project, short_id), eq(insight.deleted, false))).get();
      return found && flat(found);
    },
  };
}

const at = (project: number, short_id: string) =>
  and(eq(insight.project_id, project), eq(insight.short_id, short_id));

/** Writes insights on the connection that writes. */
export function insightWrites(sqlite: Sqlite): InsightWrites {
  const { orm, raw, transaction } = sqlite;
  const rows = selects(sqlite);
  return {
    insert: async (draft) =>
      transaction(() => {
        const ofProject = eq(insight.project_id, draft.project_id);
        const same = and(
          ofProject,
          eq(insight.deleted, false),
          eq(insight.created_by, draft.created_by),
          eq(insight.name, draft.name),
          eq(insight.query, draft.query),
        );
        const known = rows(same).orderBy(desc(insight.id)).get();
        if (known !== undefined) return flat(known);
        const target = [insight.project_id, insight.short_id];
        const made = orm
          .insert(insight)
          .values(draft)
          .onConflictDoNothing({ target })
          .returning({ id: insight.id })
          .get();
        if (made === undefined) return undefined;
        const oldest = orm
          .select({ id: insight.id })
          .from(insight)
          .where(ofProject)
          .orderBy(desc(insight.id))
          .limit(1)
          .offset(INSIGHTS_MAX)
          .get();
        if (oldest !== undefined) {
          orm
            .delete(insight)
            .where(and(ofProject, lte(insight.id, oldest.id)))
            .run();
        }
        const found = rows(eq(insight.id, made.id)).get();
        return found && flat(found);
      }),

    update: async (project, short_id, change) =>
      transaction(() => {
        const wanted = at(project, short_id);
        if (Object.keys(change).length > 0) orm.update(insight).set(change).where(wanted).run();
        const found = rows(wanted).get();
        return found && flat(found);
      }),

    async eraseDeleted() {
      const gone = orm
        .delete(insight)
        .where(eq(insight.deleted, true))
        .returning({ id: insight.id });
      if (gone.all().length > 0) await rewriteFile(raw);
    },
  };
}

/** Insights with their authors. */
function selects({ orm }: Sqlite) {
  const { created_at: _created, ...created_by } = getTableColumns(user);
  return (wanted: SQL | undefined) =>
    orm
      .select({ insight, created_by })
      .from(insight)
      .innerJoin(user, eq(user.id, insight.created_by))
      .where(wanted);
}

type Joined = { insight: typeof insight.$inferSelect; created_by: Insight["created_by"] };

function flat({ insight: { project_id: _project, ...row }, created_by }: Joined): Insight {
  return { ...row, created_by };
}
