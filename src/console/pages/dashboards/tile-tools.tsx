import { useState } from "preact/hooks";
import { offerUndo } from "../../layout/toast.tsx";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { Edits } from "./changes.ts";
import { flowed, type PlacedTile, WIDTHS } from "./grid.ts";
import { TextDialog } from "./tile-dialogs.tsx";

/** Moves, widens and removes a tile. After a change of the order or of a width, all tiles get new places. */
export function TileTools(props: { tiles: readonly PlacedTile[]; at: number; edits: Edits }) {
  const { tiles, at, edits } = props;
  const [isWriting, setWriting] = useState(false);
  const own = tiles[at];
  if (own === undefined) return null;
  const { tile, place } = own;
  const name = tile.insight?.name ?? "the text";
  const arrange = (next: readonly PlacedTile[], said: string) =>
    edits.attempt(
      { tiles: flowed(next).map((one) => ({ id: one.tile.id, layouts: { sm: one.place } })) },
      said,
    );
  const move = async (by: number, event: MouseEvent) => {
    const button = event.currentTarget as HTMLElement;
    const tools = button.parentElement;
    const others = tiles.toSpliced(at, 1);
    await arrange(others.toSpliced(at + by, 0, own), `Place ${at + by + 1} of ${tiles.length}`);
    // A tile that has moved has lost the focus, and at an end also this button.
    requestAnimationFrame(() => {
      const next = button.isConnected ? button : tools?.querySelector("button");
      if (document.activeElement === document.body) next?.focus();
    });
  };
  const widen = (w: number, label: string) =>
    arrange(tiles.toSpliced(at, 1, { tile, place: { ...place, w } }), label);
  const remove = async () => {
    if (!(await edits.attempt({ tiles: [{ id: tile.id, deleted: true }] }))) return;
    const { insight, text, layouts, color } = tile;
    const again = insight ? { insight: insight.id } : { text: { body: text?.body ?? "" } };
    offerUndo(`Removed ${name}`, () => edits.send({ tiles: [{ ...again, layouts, color }] }));
  };
  return (
    <div class="tile-tools">
      {at > 0 && (
        <Button
          kind="quiet"
          icon="left"
          label={`Move ${name} back`}
          onClick={(event) => move(-1, event)}
        />
      )}
      {at < tiles.length - 1 && (
        <Button
          kind="quiet"
          icon="right"
          label={`Move ${name} on`}
          onClick={(event) => move(1, event)}
        />
      )}
      <Menu
        label={`Change ${name}`}
        icon="more"
        isQuiet
        items={[
          ...WIDTHS.map(({ value, label }) => ({
            label,
            isChosen: place.w === value,
            onChoose: () => widen(value, label),
          })),
          ...(tile.text ? [{ label: "Change the text…", onChoose: () => setWriting(true) }] : []),
          {
            label: "Remove",
            isDanger: true,
            onChoose: remove,
          },
        ]}
      />
      {isWriting && (
        <TextDialog
          first={tile.text?.body ?? ""}
          onSave={(body) => edits.send({ tiles: [{ id: tile.id, text: { body } }] })}
          onClose={() => setWriting(false)}
        />
      )}
    </div>
  );
}
