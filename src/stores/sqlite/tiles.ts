import { and, count, eq, inArray } from "drizzle-orm";
import { DASHBOARD_TILES_MAX } from "../../core/dashboards/dashboard.ts";
import { Failure } from "../../core/values/failure.ts";
import { dashboard, dashboardTile } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/**
 * Puts an insight on these dashboards and removes it from all others, in the caller's transaction. Its tiles on
 * deleted dashboards stay. Fails `invalid_input` on a dashboard that the project does not have, or that is full.
 */
export function putOnDashboards(
  { orm }: Sqlite,
  { project, insight_id, ids }: { project: number; insight_id: number; ids: readonly number[] },
): void {
  const present = orm
    .select({ id: dashboard.id })
    .from(dashboard)
    .where(and(eq(dashboard.project_id, project), eq(dashboard.deleted, false)))
    .all()
    .map(({ id }) => id);
  if (ids.some((id) => !present.includes(id))) {
    throw new Failure("invalid_input", "A dashboard was not found.", "dashboards");
  }
  const others = present.filter((id) => !ids.includes(id));
  const ofInsight = eq(dashboardTile.insight_id, insight_id);
  orm
    .delete(dashboardTile)
    .where(and(ofInsight, inArray(dashboardTile.dashboard_id, others)))
    .run();
  for (const dashboard_id of new Set(ids)) {
    orm
      .insert(dashboardTile)
      .values({ dashboard_id, insight_id, layouts: {} })
      .onConflictDoNothing()
      .run();
    checkTiles({ orm }, dashboard_id, "dashboards");
  }
}

/** Fails `invalid_input` with the field `attr` if a dashboard has more than DASHBOARD_TILES_MAX tiles. */
export function checkTiles({ orm }: Pick<Sqlite, "orm">, dashboard_id: number, attr: string): void {
  const found = orm
    .select({ tiles: count() })
    .from(dashboardTile)
    .where(eq(dashboardTile.dashboard_id, dashboard_id))
    .get();
  if ((found?.tiles ?? 0) <= DASHBOARD_TILES_MAX) return;
  const detail = `A dashboard has at most ${DASHBOARD_TILES_MAX} tiles.`;
  throw new Failure("invalid_input", detail, attr);
}
