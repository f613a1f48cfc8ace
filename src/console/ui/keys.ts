import { useEffect, useRef } from "preact/hooks";
import { singleKeys } from "../state/preferences.ts";

/** Keys of the page, each with its effect; `g x` is two keys after each other. */
export type Keys = Record<string, () => void>;

/** How the key is written that the console knows as Ctrl: Macs have another one in its place. */
export const CTRL = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** How long a first key waits for its second, in milliseconds. */
const SECOND_KEY_MS = 1500;

/** The first key that waits for its second, and when it was pressed. */
let waiting = { key: "", at: 0 };

/** The first key that the present one may follow; empty without one. */
let first = "";

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The key that was pressed, with the one before it if that waits for a second: `g e`, `?`, `Ctrl+Enter`. */
function pressed(event: KeyboardEvent): string {
  if (event.ctrlKey || event.metaKey) {
    return `Ctrl+${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
  }
  return first === "" ? event.key : `${first} ${event.key}`;
}

/**
 * Has keys do something while the component is on the page. Keys without Ctrl do nothing in fields and
 * open dialogs, or where they are turned off.
 */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.altKey || event.defaultPrevented) return;
      const key = pressed(event);
      const run = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined;
      const isSingle = !key.startsWith("Ctrl+");
      const isOff = !singleKeys.value || isField(event.target) || document.querySelector(":modal");
      if (run === undefined || (isSingle && isOff)) return;
      event.preventDefault();
      run();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** Remembers a first key such as `g`, before all others see the key. Called once for the whole console. */
export function rememberFirstKeys(): void {
  const remember = (event: KeyboardEvent) => {
    const isFirst = event.key === "g" && !event.ctrlKey && !event.metaKey && !isField(event.target);
    first = event.timeStamp - waiting.at < SECOND_KEY_MS ? waiting.key : "";
    waiting = { key: isFirst ? event.key : "", at: event.timeStamp };
  };
  addEventListener("keydown", remember, { capture: true });
}

/** Moves the focus to the next or previous row of the page's table. */
export function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}
