import { useState } from "preact/hooks";
import { offerUndo } from "../../layout/toast.tsx";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { Edits } from "./changes.ts";
import { type Card, flowed, type Tile, WIDTHS } from "./grid.ts";
import { TextDialog } from "./tile-dialogs.tsx";

/** A card among all of them, and how the dashboard is changed. */
export type Editing = { cards: readonly Card[]; at: number; edits: Edits };

/** Moves and widens a card, and removes its shown tile. After a change of the order or of a width, all cards get new places. */
export function TileTools({ cards, at, edits, tile }: Editing & { tile: Tile }) {
  const [isWriting, setWriting] = useState(false);
  const own = cards[at];
  if (own === undefined) return null;
  const { place } = own;
  const name = tile.insight?.name ?? "the text";
  const arrange = (next: readonly Card[], said: string) => {
    const tiles = flowed(next).flatMap(({ tiles: moved, place: sm }) =>
      moved.map(({ id }) => ({ id, layouts: { sm } })),
    );
    return edits.attempt({ tiles }, said);
  };
  const move = async (by: number, event: MouseEvent) => {
    const button = event.currentTarget as HTMLElement;
    const tools = button.parentElement;
    const others = cards.toSpliced(at, 1);
    await arrange(others.toSpliced(at + by, 0, own), `Place ${at + by + 1} of ${cards.length}`);
    // A tile that has moved has lost the focus, and at an end also this button.
    requestAnimationFrame(() => {
      const next = button.isConnected ? button : tools?.querySelector("button");
      if (document.activeElement === document.body) next?.focus();
    });
  };
  const widen = (w: number, label: string) =>
    arrange(cards.toSpliced(at, 1, { ...own, place: { ...place, w } }), label);
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
      {at < cards.length - 1 && (
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
