import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asProblem } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { announce } from "../ui/live-region.tsx";

/** How long an offer to undo stays, in milliseconds. While the pointer or the focus is on it, it stays. */
const SHOWN_MS = 10_000;

const offer = signal<{ text: string; undo?: () => Promise<unknown> } | undefined>(undefined);

/** Says that something is deleted, and offers to bring it back. A newer offer replaces it. */
export function offerUndo(text: string, undo: () => Promise<unknown>): void {
  announce(`${text}. Undo is at the end of the page.`);
  offer.value = { text, undo };
}

/** The place of an offer to undo, over the foot of the page. */
export function Toast() {
  const shown = offer.value;
  useEffect(() => {
    if (shown === undefined) return;
    const timer = setInterval(() => {
      if (document.querySelector(".toast:is(:hover, :focus-within)") === null) close();
    }, SHOWN_MS);
    return () => clearInterval(timer);
  }, [shown]);
  if (shown === undefined) return null;
  const { text, undo } = shown;
  const bringBack = async () => {
    close();
    try {
      await undo?.();
      announce("Undone");
    } catch (error) {
      offer.value = { text: `Not undone: ${asProblem(error).message}` };
    }
  };
  return (
    <section class="toast" aria-label="Undo">
      <p>{text}</p>
      {undo && <Button onClick={bringBack}>Undo</Button>}
      <Button kind="quiet" icon="close" label="Close" onClick={close} />
    </section>
  );
}

function close(): void {
  offer.value = undefined;
}
