import { innerQuery, type Query } from "../../api/query.ts";
import type { components } from "../../api/types.ts";

/** An insight or a text of a dashboard. */
export type Tile = components["schemas"]["DashboardTile"];

/** A place on the grid of 12 columns: column, row, and size. */
export type Place = { x: number; y: number; w: number; h: number };

/** A card with its place: a tile, or several at the same place as its tabs. */
export type Card = { tiles: [Tile, ...Tile[]]; place: Place };

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

/** The way in which the insight of a tile is drawn. */
const displayOf = ({ insight }: Pick<Tile, "insight">): unknown =>
  insight && innerQuery(insight.query as Query).trendsFilter?.["display"];

/** The size of a new tile: numbers and texts are low, everything else is high. */
function sizeOf({ text, insight }: Tile): Pick<Place, "w" | "h"> {
  if (displayOf({ insight }) === "BoldNumber") return { w: 3, h: 2 };
  return text === null ? { w: 6, h: 5 } : { w: 12, h: 2 };
}

/** The cards of a dashboard in the order of their places. Tiles without a place come last. */
export function placed(tiles: readonly Tile[]): Card[] {
  const known: Card[] = [];
  for (const tile of tiles) {
    const place = tile.layouts.sm as Place | undefined;
    if (place === undefined) continue;
    const card = known.find((one) => isSame(one.place, place));
    if (card) card.tiles.push(tile);
    else known.push({ tiles: [tile], place });
  }
  known.sort((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);
  const bottom = Math.max(0, ...known.map(({ place }) => place.y + place.h));
  const others = tiles
    .filter(({ layouts }) => layouts.sm === undefined)
    .map((tile): Card => ({ tiles: [tile], place: { x: 0, y: 0, ...sizeOf(tile) } }));
  const below = flowed(others).map(({ tiles: own, place }) => ({
    tiles: own,
    place: { ...place, y: place.y + bottom },
  }));
  return [...known, ...below];
}

const isSame = (a: Place, b: Place) => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;

/** Gives cards new places in their order: from left to right, in rows as high as their highest card. */
export function flowed(cards: readonly Card[]): Card[] {
  let [x, y, height] = [0, 0, 0];
  return cards.map(({ tiles, place: { w, h } }) => {
    if (x + w > COLUMNS) [x, y, height] = [0, y + height, 0];
    const place = { x, y, w, h };
    x += w;
    height = Math.max(height, h);
    return { tiles, place };
  });
}

/** Whether a card shows numbers, of which the chosen one is drawn over time below them. */
export const isOfNumbers = ({ tiles }: Card): boolean =>
  tiles.length > 1 && tiles.every((tile) => displayOf(tile) === "BoldNumber");
