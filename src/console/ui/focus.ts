/** Puts the focus on the heading of the open dialog, else of the page, so that keys go on from there. */
export function focusHeading(): void {
  const [dialog] = [...document.querySelectorAll<HTMLElement>("dialog:modal h2")].slice(-1);
  (dialog ?? document.querySelector<HTMLElement>("main h1"))?.focus();
}

/** The field of an open part of the page, as a popover is, in which keys go on. */
export const firstField = (part: Element | null | undefined) =>
  part?.querySelector<HTMLElement>("[role=combobox], [role=menuitemradio][aria-checked=true]") ??
  part?.querySelector<HTMLElement>("input, select, button");

/**
 * When the element with the focus is taken from the page, such as a button that has done its work, the focus goes to
 * the heading, or stays in the popover that it was in. Called once for the whole console.
 */
export function keepFocus(): void {
  let last: EventTarget | null = null;
  addEventListener("focusin", ({ target }) => {
    last = target;
  });
  const observer = new MutationObserver(() => {
    const isGone = last instanceof HTMLElement && !last.isConnected;
    if (!isGone || document.activeElement !== document.body) return;
    const field = firstField([...document.querySelectorAll(".popover")].at(-1));
    if (field) field.focus();
    else focusHeading();
  });
  observer.observe(document.body, { childList: true, subtree: true });
}
