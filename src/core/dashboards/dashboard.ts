import type { User } from "../access/key.ts";
import type { Insight } from "../queries/insight.ts";
import type { JsonObject } from "../values/json.ts";

/** A place on a grid of 12 columns: column, row, and its size in columns and rows. */
export type Place = { x: number; y: number; w: number; h: number };

/** The places of a tile, on large and on small screens; where one is absent, the client chooses. */
export type Layouts = { sm?: Place; xs?: Place };

/** An insight or a text of a dashboard. The other of the two is null. */
export type Tile = {
  id: number;
  /** Place among the tiles of the dashboard, from 0. */
  order: number;
  insight: Insight | null;
  text: { body: string } | null;
  layouts: Layouts;
  color: string | null;
};

/** A dashboard. `filters` has `date_from`, `date_to` and `properties`, as queries have them. */
export type Dashboard = {
  id: number;
  name: string;
  description: string;
  /** As they were sent, in their order. */
  tags: string[];
  pinned: boolean;
  deleted: boolean;
  filters: JsonObject;
  created_at: string;
  created_by: User;
  /** When and by whom it, or one of its tiles, was last changed. */
  last_modified_at: string;
  last_modified_by: User;
  /** In the order in which they were added; those of deleted insights are hidden. */
  tiles: Tile[];
};

/** Tiles of one dashboard. */
export const DASHBOARD_TILES_MAX = 50;

/** Characters of a dashboard's name. */
export const DASHBOARD_NAME_CHARS_MAX = 400;

/** Characters of a dashboard's description. */
export const DASHBOARD_DESCRIPTION_CHARS_MAX = 10_000;

/** Characters of a text tile. */
export const TILE_TEXT_CHARS_MAX = 4000;
