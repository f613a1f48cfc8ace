import type { RefObject } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";

/** The least distance from the edge of the window, and the distance from the button, in pixels. */
const EDGE = 8;
const GAP = 4;

/** The greatest part of the window's height that a list takes. */
const PART_MAX = 0.7;

/** An open part that lies over the page next to its button; `root` has both. */
export function useFloating(
  isOpen: boolean,
  root: RefObject<HTMLElement | null>,
  part: RefObject<HTMLElement | null>,
  /** Called on a press or a focus elsewhere. */
  onLeave: () => void,
): void {
  // Before it is seen, and again while something moves below it, or its size changes.
  useLayoutEffect(() => {
    const button = root.current?.querySelector("button");
    if (!isOpen || !part.current || !button) return;
    const again = () => part.current && place(part.current, button);
    again();
    const sizes = new ResizeObserver(again);
    for (const child of [...part.current.children]) sizes.observe(child);
    addEventListener("scroll", again, { capture: true, passive: true });
    addEventListener("resize", again);
    return () => {
      sizes.disconnect();
      removeEventListener("scroll", again, { capture: true });
      removeEventListener("resize", again);
    };
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    // A chosen row may be gone by now.
    const leave = ({ target }: Event) => {
      const isGone = target instanceof Node && !target.isConnected;
      if (!isGone && !root.current?.contains(target as Node)) onLeave();
    };
    addEventListener("pointerdown", leave);
    addEventListener("focusin", leave);
    return () => {
      removeEventListener("pointerdown", leave);
      removeEventListener("focusin", leave);
    };
  });
}

/**
 * Puts a list next to its button: below it, or above where there is more room, from its left edge, or to its right
 * edge where it would leave the window. Its position is fixed, so that no part of the page cuts it off.
 */
function place(list: HTMLElement, button: HTMLElement): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const [below, above] = [innerHeight - bottom, top].map((room) => room - GAP - EDGE);
  const [down = 0, up = 0] = [below, above];
  const { style } = list;
  const height = Math.min(list.scrollHeight + 2, innerHeight * PART_MAX);
  const isBelow = height <= down || down >= up;
  style.maxHeight = `${Math.min(height, isBelow ? down : up)}px`;
  style.top = isBelow ? `${bottom + GAP}px` : "";
  style.bottom = isBelow ? "" : `${innerHeight - top + GAP}px`;
  const width = list.offsetWidth;
  const start = left + width <= innerWidth - EDGE ? left : right - width;
  style.left = `${Math.max(EDGE, Math.min(start, innerWidth - EDGE - width))}px`;
}
