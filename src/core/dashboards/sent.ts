import type { TileChange } from "../ports/dashboards.ts";
import { Failure } from "../values/failure.ts";
import { isLonger, type JsonObject, storableText } from "../values/json.ts";
import { storableTags } from "../values/tags.ts";
import {
  DASHBOARD_DESCRIPTION_CHARS_MAX,
  DASHBOARD_NAME_CHARS_MAX,
  DASHBOARD_TILES_MAX,
  type Layouts,
  type Place,
  TILE_TEXT_CHARS_MAX,
} from "./dashboard.ts";

/** A tile as it is sent. With `id` it is changed, else added. An insight may be sent as it was read. */
export type SentTile = {
  id?: number | undefined;
  insight?: number | { id: number } | null | undefined;
  text?: { body: string } | null | undefined;
  layouts?: { [size in keyof Layouts]: Place | undefined } | undefined;
  color?: string | null | undefined;
  deleted?: boolean | undefined;
};

/** The fields of a dashboard as they are sent. */
export type SentDashboard = {
  name?: string | undefined;
  description?: string | undefined;
  tags?: string[] | undefined;
  pinned?: boolean | undefined;
  deleted?: boolean | undefined;
  filters?: JsonObject | undefined;
  tiles?: SentTile[] | undefined;
  _create_in_folder?: string | undefined;
};

/** Columns of the grid on which tiles are placed. */
const COLUMNS = 12;

/** Rows of that grid. */
const ROWS_MAX = 1000;

/** Characters of the color of a tile. */
const COLOR_CHARS_MAX = 40;

/** Returns the sent fields in storable form; a field that is absent stays absent. Fails `too_long`. */
export function storableDashboard({ name, description, tags, ...others }: SentDashboard) {
  const { pinned, deleted, filters, _create_in_folder: folder } = others;
  checkFolder(folder);
  return {
    ...(tags === undefined ? {} : { tags: storableTags(tags) }),
    ...(name === undefined ? {} : { name: text(name, DASHBOARD_NAME_CHARS_MAX, "name") }),
    ...(description === undefined
      ? {}
      : { description: text(description, DASHBOARD_DESCRIPTION_CHARS_MAX, "description") }),
    ...(pinned === undefined ? {} : { pinned }),
    ...(deleted === undefined ? {} : { deleted }),
    ...(filters === undefined ? {} : { filters }),
  };
}

/** Fails `invalid_input` on a folder other than `Unfiled`, the default of PostHog's clients. */
export function checkFolder(folder: string | undefined): void {
  if (folder === undefined || /^(?:Unfiled(?:\/|$)|$)/.test(folder)) return;
  const detail = "There are no folders. Send tags, by which a list can be filtered.";
  throw new Failure("invalid_input", detail, "_create_in_folder");
}

/** Returns sent tiles as changes. Fails `invalid_input` and `too_long`. */
export function tileChanges(sent: readonly SentTile[]): TileChange[] {
  if (sent.length > DASHBOARD_TILES_MAX) {
    const detail = `A dashboard has at most ${DASHBOARD_TILES_MAX} tiles.`;
    throw new Failure("invalid_input", detail, "tiles");
  }
  const changes = sent.map((tile, at) => tileChange(tile, `tiles__${at}`));
  const shown = new Set<unknown>();
  for (const { insight, deleted, attr } of changes) {
    if (insight === undefined || deleted === true) continue;
    if (shown.has(insight)) {
      const detail =
        "tiles has this insight twice, and a dashboard shows it once. Leave out one of the tiles.";
      throw new Failure("invalid_input", detail, `${attr}__insight`);
    }
    shown.add(insight);
  }
  return changes;
}

function tileChange(tile: SentTile, attr: string): TileChange {
  const { id, insight = null, text: sent = null, layouts, color, deleted } = tile;
  if (id === undefined && deleted !== true && (insight === null) === (sent === null)) {
    throw new Failure("invalid_input", "A tile has an insight or a text.", attr);
  }
  if (id === undefined && deleted === true) {
    const detail = "A tile is deleted by its id, which the dashboard has in tiles.";
    throw new Failure("required", detail, `${attr}__id`);
  }
  return {
    attr,
    ...(id === undefined ? {} : { id }),
    ...(insight === null ? {} : { insight: typeof insight === "object" ? insight.id : insight }),
    ...(sent === null ? {} : { body: text(sent.body, TILE_TEXT_CHARS_MAX, `${attr}__text__body`) }),
    ...(layouts === undefined ? {} : { layouts: layoutsOf(layouts, `${attr}__layouts`) }),
    ...(color === undefined
      ? {}
      : { color: color && text(color, COLOR_CHARS_MAX, `${attr}__color`) }),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

function layoutsOf({ sm, xs }: NonNullable<SentTile["layouts"]>, attr: string): Layouts {
  for (const place of [sm, xs]) {
    if (place === undefined || isOnGrid(place)) continue;
    const detail = `A place is on a grid of ${COLUMNS} columns and ${ROWS_MAX} rows.`;
    throw new Failure("invalid_input", detail, attr);
  }
  return {
    ...(sm === undefined ? {} : { sm: placed(sm) }),
    ...(xs === undefined ? {} : { xs: placed(xs) }),
  };
}

/** Without the fields in which a client's grid keeps what it does. */
const placed = ({ x, y, w, h }: Place): Place => ({ x, y, w, h });

const isOnGrid = ({ x, y, w, h }: Place) =>
  x >= 0 && w >= 1 && x + w <= COLUMNS && y >= 0 && h >= 1 && y + h <= ROWS_MAX;

function text(sent: string, charsMax: number, attr: string): string {
  if (!isLonger(sent, charsMax)) return storableText(sent);
  throw new Failure("too_long", `At most ${charsMax} characters.`, attr);
}
