import { and, count, desc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { InsightFilter, InsightReads, InsightWrites } from "../../core/ports/insights.ts";
import { INSIGHTS_MAX, type Insight } from "../../core/queries/insight.ts";
import { anyCase } from "../../core/values/case-folding.ts";
import { readId } from "../../core/values/ids.ts";
import { CREATED_BY, creator, insight, LAST_MODIFIED_BY, modifier } from "./schema.ts";
import { afterKey, type Sqlite, tagged } from "./sqlite.ts";
import { putOnDashboards } from "./tiles.ts";

/** Reads insights on any connection. */
export function insightReads(sqlite: Sqlite): InsightReads {
  const { orm, snapshot } = sqlite;
  const rows = insightRows(sqlite);
  return {
    list: async (project, filter, { limit, offset, after }) =>
      snapshot(() => {
        const wanted = and(eq(insight.project_id, project), ...conditions(filter));
        return {
          count: orm.select({ count: count() }).from(insight).where(wanted).get()?.count ?? 0,
          rows: rows(and(wanted, afterKey([insight.id], "down", after)))
            .orderBy(desc(insight.id))
            .limit(limit)
            .offset(offset)
            .all()
            .map(flatInsight),
        };
      }),
    find: async (project, short_id) => {
      const found = rows(and(at(project, short_id), eq(insight.deleted, false))).get();
      return found && flatInsight(found);
    },
  };
}

/** An insight by its short id, else by its integer id: clients of PostHog know both. */
const at = (project: number, key: string) => {
  const own = eq(insight.project_id, project);
  const named = eq(insight.short_id, key);
  const id = readId(key);
  if (id === undefined) return and(own, named);
  const other = sql`(SELECT id FROM insight WHERE project_id = ${project} AND short_id = ${key})`;
  return and(own, sql`${insight.id} = coalesce(${other}, ${id})`);
};

/** Whether an insight stays: it is saved or on a dashboard. Written so that its index is used. */
const isKept = sql`(${insight.saved} <> 0 OR EXISTS (
  SELECT 1 FROM dashboard_tile WHERE dashboard_tile.insight_id = ${insight.id}))`;

function conditions({ search, favorited, saved, created_by, deleted, ...others }: InsightFilter) {
  const holds = (column: typeof insight.name | typeof insight.description) =>
    sql`${column} GLOB ${anyCase(search ?? "")}`;
  return [
    eq(insight.deleted, deleted ?? false),
    others.short_id === undefined ? undefined : eq(insight.short_id, others.short_id),
    tagged(insight.tags, others.tags),
    ...(others.dashboards ?? []).map(
      (id) => sql`EXISTS (SELECT 1 FROM json_each(${DASHBOARDS}) WHERE value = ${id})`,
    ),
    favorited === undefined ? undefined : eq(insight.favorited, favorited),
    saved === undefined ? undefined : sql`${isKept} = ${saved}`,
    created_by === undefined ? undefined : eq(insight.created_by, created_by),
    search === undefined
      ? undefined
      : sql`(${holds(insight.name)} OR ${holds(insight.description)})`,
  ];
}

/** Writes insights on the connection that writes. */
export function insightWrites(sqlite: Sqlite): InsightWrites {
  const { orm, transaction } = sqlite;
  const rows = insightRows(sqlite);
  const one = (wanted: SQL | undefined): Insight | undefined => {
    const found = rows(wanted).orderBy(desc(insight.id)).get();
    return found && flatInsight(found);
  };
  return {
    insert: async ({ dashboards: ids, ...draft }, by = "asked") =>
      transaction(() => {
        const same = and(
          eq(insight.project_id, draft.project_id),
          eq(insight.deleted, false),
          eq(insight.created_by, draft.created_by),
          eq(insight.name, draft.name),
          eq(insight.query, draft.query),
        );
        const known = by === "made" ? undefined : one(same);
        if (known !== undefined) return known;
        const target = [insight.project_id, insight.short_id];
        const made = orm
          .insert(insight)
          .values(draft)
          .onConflictDoNothing({ target })
          .returning({ id: insight.id })
          .get();
        if (made === undefined) return undefined;
        const { project_id: project } = draft;
        putOnDashboards(sqlite, { project, insight_id: made.id, ids });
        removeOldest(sqlite, project);
        return one(eq(insight.id, made.id));
      }),

    update: async (project, short_id, { dashboards: ids, ...change }) =>
      transaction(() => {
        const wanted = at(project, short_id);
        if (Object.keys(change).length > 0) orm.update(insight).set(change).where(wanted).run();
        const changed = one(wanted);
        if (changed === undefined || ids === undefined) return changed;
        putOnDashboards(sqlite, { project, insight_id: changed.id, ids });
        return one(wanted);
      }),
  };
}

/** Removes the oldest insights of a project that need not stay, in the caller's transaction. */
function removeOldest({ orm }: Sqlite, project: number): void {
  // Without a parameter, so that the index of insights that are not saved is used.
  const may = and(eq(insight.project_id, project), sql`${insight.saved} = 0`, sql`NOT ${isKept}`);
  const oldest = orm
    .select({ id: insight.id })
    .from(insight)
    .where(may)
    .orderBy(desc(insight.id))
    .limit(1)
    .offset(INSIGHTS_MAX)
    .get();
  if (oldest === undefined) return;
  orm
    .delete(insight)
    .where(and(may, lte(insight.id, oldest.id)))
    .run();
}

const DASHBOARDS = sql<string>`(
  SELECT json_group_array(dashboard.id ORDER BY dashboard.id)
  FROM dashboard_tile JOIN dashboard ON dashboard.id = dashboard_tile.dashboard_id
  WHERE dashboard_tile.insight_id = insight.id AND NOT dashboard.deleted)`;

/** Selects insights with their users and dashboards. */
export function insightRows({ orm }: Sqlite) {
  return (wanted: SQL | undefined) =>
    orm
      .select({
        insight,
        created_by: CREATED_BY,
        last_modified_by: LAST_MODIFIED_BY,
        dashboards: DASHBOARDS,
      })
      .from(insight)
      .innerJoin(creator, eq(creator.id, insight.created_by))
      .innerJoin(modifier, eq(modifier.id, insight.last_modified_by))
      .where(wanted);
}

type Joined = {
  insight: typeof insight.$inferSelect;
  created_by: Insight["created_by"];
  last_modified_by: Insight["last_modified_by"];
  dashboards: string;
};

/** Returns a row of {@link insightRows} as an insight. */
export function flatInsight({ insight: found, dashboards, ...users }: Joined): Insight {
  const { project_id: _project, ...row } = found;
  const shown = { updated_at: row.last_modified_at, derived_name: null, filters: {} };
  return { ...row, ...users, ...shown, dashboards: JSON.parse(dashboards) };
}
