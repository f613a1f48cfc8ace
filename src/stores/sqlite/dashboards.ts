import { and, asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Dashboard, Tile } from "../../core/dashboards/dashboard.ts";
import type {
  DashboardFilter,
  DashboardPlace,
  DashboardReads,
  DashboardRow,
  DashboardWrites,
  TileChange,
} from "../../core/ports/dashboards.ts";
import { anyCase } from "../../core/values/case-folding.ts";
import { flatInsight, insightRows } from "./insights.ts";
import {
  CREATED_BY,
  creator,
  dashboard,
  dashboardTile,
  insight,
  LAST_MODIFIED_BY,
  meta,
  modifier,
} from "./schema.ts";
import { afterKey, type Sqlite, tagged } from "./sqlite.ts";
import { changeTile, checkTiles } from "./tiles.ts";

/** Reads dashboards on any connection. */
export function dashboardReads(sqlite: Sqlite): DashboardReads {
  const { orm, snapshot } = sqlite;
  const { rows, one } = selects(sqlite);
  return {
    list: async (project, filter, { limit, offset, after }) =>
      snapshot(() => {
        const wanted = and(eq(dashboard.project_id, project), ...conditions(filter));
        return {
          count: orm.select({ count: count() }).from(dashboard).where(wanted).get()?.count ?? 0,
          rows: rows(and(wanted, afterKey([dashboard.id], "down", after)))
            .orderBy(desc(dashboard.id))
            .limit(limit)
            .offset(offset)
            .all()
            .map(flat),
        };
      }),
    find: async (place) => snapshot(() => one(and(at(place), eq(dashboard.deleted, false)))),
    filters: async (place) => {
      const wanted = and(at(place), eq(dashboard.deleted, false));
      return orm.select({ filters: dashboard.filters }).from(dashboard).where(wanted).get()
        ?.filters;
    },
    hasHadDefault: async (project) =>
      orm
        .select()
        .from(meta)
        .where(eq(meta.key, defaultOf(project)))
        .get() !== undefined,
  };
}

const at = ({ project, id }: DashboardPlace) =>
  and(eq(dashboard.project_id, project), eq(dashboard.id, id));

/** The fact that a project has had its default dashboard. */
const defaultOf = (project: number) => `default_dashboard_${project}`;

function conditions({ search, tags, pinned, created_by, deleted = false }: DashboardFilter) {
  const holds = (column: typeof dashboard.name | typeof dashboard.description) =>
    sql`${column} GLOB ${anyCase(search ?? "")}`;
  return [
    eq(dashboard.deleted, deleted),
    tagged(dashboard.tags, tags),
    pinned === undefined ? undefined : eq(dashboard.pinned, pinned),
    created_by === undefined ? undefined : eq(dashboard.created_by, created_by),
    search === undefined
      ? undefined
      : sql`(${holds(dashboard.name)} OR ${holds(dashboard.description)})`,
  ];
}

/** Writes dashboards on the connection that writes. */
export function dashboardWrites(sqlite: Sqlite): DashboardWrites {
  const { orm, transaction } = sqlite;
  const { one } = selects(sqlite);
  const changeTiles = (place: DashboardPlace, tiles: readonly TileChange[]) => {
    for (const tile of tiles) changeTile(sqlite, place, tile);
    if (tiles.length > 0) checkTiles(sqlite, place.id, "tiles");
  };
  return {
    insert: async ({ isDefault, ...draft }, tiles) =>
      transaction(() => {
        const { project_id: project } = draft;
        if (isTaken(sqlite, project, tiles)) return undefined;
        if (isDefault) {
          const fact = { key: defaultOf(project), value: draft.created_at };
          const noted = orm.insert(meta).values(fact).onConflictDoNothing().returning().all();
          if (noted.length === 0) return undefined;
        }
        const { id } = orm.insert(dashboard).values(draft).returning({ id: dashboard.id }).get();
        changeTiles({ project, id }, tiles);
        return one(eq(dashboard.id, id));
      }),
    update: async (place, change, tiles) =>
      transaction(() => {
        const wanted = at(place);
        if (Object.keys(change).length > 0) orm.update(dashboard).set(change).where(wanted).run();
        if (one(wanted) === undefined) return undefined;
        changeTiles(place, tiles);
        return one(wanted);
      }),
  };
}

/** Whether the project has the short id of an insight that is to be made. */
function isTaken({ orm }: Sqlite, project: number, tiles: readonly TileChange[]): boolean {
  const ids = tiles.flatMap(({ insight: one }) => (typeof one === "object" ? [one.short_id] : []));
  const wanted = and(eq(insight.project_id, project), inArray(insight.short_id, ids));
  return orm.select({ id: insight.id }).from(insight).where(wanted).get() !== undefined;
}

/** Selects dashboards with their users, and one with its tiles. */
function selects(sqlite: Sqlite) {
  const { orm } = sqlite;
  const rows = (wanted: SQL | undefined) =>
    orm
      .select({ dashboard, created_by: CREATED_BY, last_modified_by: LAST_MODIFIED_BY })
      .from(dashboard)
      .innerJoin(creator, eq(creator.id, dashboard.created_by))
      .innerJoin(modifier, eq(modifier.id, dashboard.last_modified_by))
      .where(wanted);
  const one = (wanted: SQL | undefined): Dashboard | undefined => {
    const found = rows(wanted).get();
    return found && { ...flat(found), tiles: tilesOf(sqlite, found.dashboard.id) };
  };
  return { rows, one };
}

type Joined = {
  dashboard: typeof dashboard.$inferSelect;
  created_by: DashboardRow["created_by"];
  last_modified_by: DashboardRow["last_modified_by"];
};

function flat({ dashboard: { project_id: _project, ...row }, ...users }: Joined): DashboardRow {
  return { ...row, ...users };
}

/** Returns the tiles of a dashboard in the order of their ids, without those of deleted insights. */
function tilesOf(sqlite: Sqlite, id: number): Dashboard["tiles"] {
  const tiles = sqlite.orm
    .select()
    .from(dashboardTile)
    .where(eq(dashboardTile.dashboard_id, id))
    .orderBy(asc(dashboardTile.id))
    .all();
  const ids = tiles.flatMap(({ insight_id }) => insight_id ?? []);
  const wanted = and(inArray(insight.id, ids), eq(insight.deleted, false));
  const insights = new Map(
    insightRows(sqlite)(wanted)
      .all()
      .map((row) => [row.insight.id, flatInsight(row)]),
  );
  const shown = tiles.flatMap(
    ({ dashboard_id: _dashboard, insight_id, body, ...tile }): Omit<Tile, "order">[] => {
      if (body !== null) return [{ ...tile, insight: null, text: { body } }];
      const one = insights.get(insight_id ?? 0);
      return one === undefined ? [] : [{ ...tile, insight: one, text: null }];
    },
  );
  return shown.map((tile, order): Tile => ({ ...tile, order }));
}
