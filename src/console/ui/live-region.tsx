import { signal } from "@preact/signals";

const message = signal("");

/** Has a screen reader say a sentence, without moving the focus. */
export function announce(text: string): void {
  // The same sentence twice is said twice only if the text differs.
  message.value = message.value === text ? `${text} ` : text;
}

/** The place from which a screen reader reads; once on the page, and once in each open dialog. */
export function LiveRegion() {
  return (
    <output class="off-screen" aria-live="polite">
      {message.value}
    </output>
  );
}
