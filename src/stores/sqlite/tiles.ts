import { and, count, eq, inArray } from "drizzle-orm";
import { DASHBOARD_TILES_MAX } from "../../core/dashboards/dashboard.ts";
import type { DashboardPlace, TileChange } from "../../core/ports/dashboards.ts";
import type { NewInsight } from "../../core/ports/insights.ts";
import { Failure } from "../../core/values/failure.ts";
import { dashboard, dashboardTile, insight } from "./schema.ts";
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

/**
 * Changes, removes or adds a tile of a dashboard, in the caller's transaction. Fails `invalid_input` on a tile or an
 * insight that does not exist, and on another insight or text for a tile.
 */
export function changeTile(
  { orm }: Pick<Sqlite, "orm">,
  place: DashboardPlace,
  tile: TileChange,
): void {
  const { id, insight: asked, body, attr, deleted = false, ...look } = tile;
  if (id === undefined) {
    addTile({ orm }, place, { asked, body, attr, look });
    return;
  }
  const wanted = and(eq(dashboardTile.dashboard_id, place.id), eq(dashboardTile.id, id));
  const found = orm.select().from(dashboardTile).where(wanted).get();
  if (found === undefined) {
    throw new Failure("invalid_input", "The tile was not found.", `${attr}__id`);
  }
  if (deleted) {
    orm.delete(dashboardTile).where(wanted).run();
    return;
  }
  checkShown(found, tile);
  const change = { ...look, ...(body === undefined ? {} : { body }) };
  if (Object.keys(change).length === 0) return;
  orm.update(dashboardTile).set(change).where(wanted).run();
}

type NewTile = {
  asked: TileChange["insight"];
  body: string | undefined;
  attr: string;
  look: Pick<TileChange, "layouts" | "color">;
};

/** Adds a tile; an insight that the dashboard has keeps its tile, which gets the new look. */
function addTile(
  { orm }: Pick<Sqlite, "orm">,
  place: DashboardPlace,
  { asked, body, attr, look }: NewTile,
): void {
  const insight_id = asked === undefined ? null : insightOf({ orm }, place.project, asked, attr);
  const ofBoth = [dashboardTile.dashboard_id, dashboardTile.insight_id];
  const added = orm
    .insert(dashboardTile)
    .values({ layouts: {}, ...look, dashboard_id: place.id, insight_id, body: body ?? null });
  if (Object.keys(look).length === 0) added.onConflictDoNothing({ target: ofBoth }).run();
  else added.onConflictDoUpdate({ target: ofBoth, set: look }).run();
}

function checkShown(
  shown: { insight_id: number | null; body: string | null },
  { insight, body, attr }: TileChange,
): void {
  const isOther = insight !== undefined && insight !== shown.insight_id;
  if (!isOther && (body === undefined || shown.body !== null)) return;
  const detail = "A tile keeps what it shows: delete it, and add another one without an id.";
  throw new Failure("invalid_input", detail, `${attr}__${isOther ? "insight" : "text"}`);
}

/** Returns the id of an insight, which is made if it is given whole. Fails `invalid_input` if there is no such one. */
function insightOf(
  { orm }: Pick<Sqlite, "orm">,
  project: number,
  asked: number | NewInsight,
  attr: string,
): number {
  if (typeof asked === "object") {
    const { dashboards: _none, ...draft } = asked;
    return orm.insert(insight).values(draft).returning({ id: insight.id }).get().id;
  }
  const wanted = and(eq(insight.project_id, project), eq(insight.id, asked));
  const present = and(wanted, eq(insight.deleted, false));
  if (orm.select({ id: insight.id }).from(insight).where(present).get() !== undefined) return asked;
  throw new Failure("invalid_input", "The insight was not found.", `${attr}__insight`);
}
