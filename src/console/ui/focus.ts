/** Puts the focus on the heading of the open dialog, else of the page, so that keys go on from there. */
export function focusHeading(): void {
  const [dialog] = [...document.querySelectorAll<HTMLElement>("dialog:modal h2")].slice(-1);
  (dialog ?? document.querySelector<HTMLElement>("main h1"))?.focus();
}

/**
 * When the element with the focus is taken from the page, such as a button that has done its work, the focus goes to
 * the heading. Called once for the whole console.
 */
export function keepFocus(): void {
  let last: EventTarget | null = null;
  addEventListener("focusin", ({ target }) => {
    last = target;
  });
  const observer = new MutationObserver(() => {
    const isGone = last instanceof HTMLElement && !last.isConnected;
    if (isGone && document.activeElement === document.body) focusHeading();
  });
  observer.observe(document.body, { childList: true, subtree: true });
}
