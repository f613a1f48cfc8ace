import type { components } from "../../api/types.ts";

/** An insight or a text of a dashboard. */
export type Tile = components["schemas"]["DashboardTile"];

/** A place on the grid of 12 columns: column, row, and size. */
export type Place = { x: number; y: number; w: number; h: number };

/** A tile with its place. */
export type PlacedTile = { tile: Tile; place: Place };

/** Columns of the grid. */
const COLUMNS = 12;

/** The widths that the editor offers, in columns. */
export const WIDTHS: readonly { value: number; label: string }[] = [
  { value: 3, label: "A quarter" },
  { value: 4, label: "A third" },
  { value: 6, label: "A half" },
  { value: 8, label: "Two thirds" },
  { value: 12, label: "Full width" },
];

/** The size of a new tile: numbers and texts are low, everything else is high. */
function sizeOf({ text, insight }: Tile): Pick<Place, "w" | "h"> {
  const display = (insight?.query["trendsFilter"] as { display?: string } | undefined)?.display;
  if (display === "BoldNumber") return { w: 3, h: 2 };
  return text === null ? { w: 6, h: 5 } : { w: 12, h: 2 };
}

/** The tiles of a dashboard in the order of their places. Those without a place come last. */
export function placed(tiles: readonly Tile[]): PlacedTile[] {
  const known = tiles.flatMap((tile) =>
    tile.layouts.sm ? [{ tile, place: tile.layouts.sm as Place }] : [],
  );
  known.sort((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);
  const bottom = Math.max(0, ...known.map(({ place }) => place.y + place.h));
  const others = tiles
    .filter(({ layouts }) => layouts.sm === undefined)
    .map((tile) => ({ tile, place: { x: 0, y: 0, ...sizeOf(tile) } }));
  const below = flowed(others).map(({ tile, place }) => ({
    tile,
    place: { ...place, y: place.y + bottom },
  }));
  return [...known, ...below];
}

/** Gives tiles new places in their order: from left to right, in rows as high as their highest tile. */
export function flowed(tiles: readonly PlacedTile[]): PlacedTile[] {
  let [x, y, height] = [0, 0, 0];
  return tiles.map(({ tile, place: { w, h } }) => {
    if (x + w > COLUMNS) [x, y, height] = [0, y + height, 0];
    const place = { x, y, w, h };
    x += w;
    height = Math.max(height, h);
    return { tile, place };
  });
}
