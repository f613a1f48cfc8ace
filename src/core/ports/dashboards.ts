import type { Dashboard, Layouts } from "../dashboards/dashboard.ts";
import type { JsonObject } from "../values/json.ts";
import type { Part } from "../values/page.ts";
import type { NewInsight } from "./insights.ts";

/*
 * Dashboards. A deleted one stays stored: only `update` finds it, and may restore it. A tile whose insight is
 * deleted is hidden. The rules of all ports are in `events.ts`.
 */

/** A dashboard in a list, without its tiles. */
export type DashboardRow = Omit<Dashboard, "tiles">;

/** Conditions on the dashboards of a list, which all hold. */
export type DashboardFilter = {
  /** A part of the name or the description, in any case of its letters. */
  search?: string | undefined;
  /** Any of these tags. */
  tags?: readonly string[] | undefined;
  pinned?: boolean | undefined;
  /** Id of its author. */
  created_by?: number | undefined;
  /** Whether it is deleted; without it, no deleted ones are listed. */
  deleted?: boolean | undefined;
};

/** Identity of a dashboard. */
export type DashboardPlace = { project: number; id: number };

/** Reads of dashboards. */
export type DashboardReads = {
  /** Returns a part of the project's dashboards, the newest first; `count` is exact. */
  list(
    project: number,
    filter: DashboardFilter,
    part: Part,
  ): Promise<{ count: number; rows: DashboardRow[] }>;
  /** Returns one dashboard, unless it is deleted. */
  find(place: DashboardPlace): Promise<Dashboard | undefined>;
  /** Returns the filters of one dashboard, unless it is deleted. */
  filters(place: DashboardPlace): Promise<JsonObject | undefined>;
  /** Returns whether the project has had its default dashboard. */
  hasHadDefault(project: number): Promise<boolean>;
};

/** The fields of a dashboard that are written; users are named by their ids. */
export type DashboardFields = Omit<
  Dashboard,
  "id" | "tiles" | "created_at" | "created_by" | "last_modified_by"
> & { last_modified_by: number };

/** A dashboard to be made; `created_by` is the id of its author. */
export type NewDashboard = Omit<DashboardFields, "deleted"> & {
  project_id: number;
  created_at: string;
  created_by: number;
  /** Whether it is the default dashboard, of which each project gets one. If the project has had it, nothing is made. */
  isDefault: boolean;
};

/**
 * A tile to be changed if `id` is that of one, else to be added with one of `insight` and `body`. An insight is
 * given by its id, or is made. A field that is absent keeps its value.
 */
export type TileChange = {
  id?: number;
  insight?: number | NewInsight;
  body?: string;
  layouts?: Layouts;
  color?: string | null;
  /** Removes the tile. Its insight stays. */
  deleted?: boolean;
  /** The field to blame if it cannot be changed. */
  attr: string;
};

/** Changes of dashboards. */
export type DashboardWrites = {
  /**
   * Makes a dashboard with its tiles and their new insights, and returns it. Returns undefined, and makes nothing, if
   * the project has one of the short ids already, or has had its default dashboard. Fails as `update`.
   */
  insert(draft: NewDashboard, tiles: readonly TileChange[]): Promise<Dashboard | undefined>;
  /**
   * Changes a dashboard, also a deleted one, and the given tiles, and returns it; undefined if it does not exist.
   * An insight that it has already is not added again. Fails `invalid_input` on a tile or an insight that does not
   * exist, and beyond DASHBOARD_TILES_MAX tiles. One that fails has changed nothing.
   */
  update(
    place: DashboardPlace,
    change: Partial<DashboardFields>,
    tiles: readonly TileChange[],
  ): Promise<Dashboard | undefined>;
};
