import type { Page } from "playwright-core";
import { WAIT_MS_MAX } from "./patience.ts";

/** How long the focus may be nowhere after a key, or an element be absent, in milliseconds: a page may be on its way. */
const SETTLED_MS_MAX = WAIT_MS_MAX;

/** Keys that may lead to an element from another one. */
const STEPS_MAX = 120;

/** A page that is used by keys alone. Each key leaves the focus on an element, which shows it. */
export type Keyboard = {
  /** Presses keys one after the other, such as `g` or `Control+Enter`. */
  press(...keys: string[]): Promise<void>;
  /** Types into the field that has the focus. */
  type(text: string): Promise<void>;
  /** Goes by Tab, or by another key, to the next element with a name. Fails if none has it. */
  reach(name: string | RegExp, key?: string): Promise<void>;
  /** Goes there, and presses Enter. */
  enter(name: string | RegExp): Promise<void>;
};

type Focused = { name: string; html: string; isLost: boolean; hasRing: boolean };

/** The name of an element in a page. */
const NAME = `((element) => (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent)
  .trim().replace(/\\s+/g, " "))`;

/** The names of all elements that keys may lead to. */
const NAMES = `[...document.querySelectorAll("a, button, input, select, textarea, [tabindex]")].map(${NAME})`;

/** The element with the focus: its name, and whether its ring is to be seen. */
const FOCUSED = `(() => {
  const element = document.activeElement ?? document.body;
  const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
  return {
    name: ${NAME}(element),
    html: element.outerHTML.slice(0, 120),
    isLost: element === document.body,
    hasRing: boxShadow !== "none" ||
      (outlineStyle !== "none" && outlineWidth !== "0px" && !/, 0\\)$/.test(outlineColor)),
  };
})()`;

/** Uses a page by keys. */
export function keyboardOf(page: Page, settledMsMax = SETTLED_MS_MAX): Keyboard {
  /** The element with the focus, once the page has settled; throws if there is none, or it does not show it. */
  const focused = async (key: string): Promise<Focused> => {
    const end = Date.now() + settledMsMax;
    for (;;) {
      // While another page is loaded, there is nothing to ask.
      const found = (await page.evaluate(FOCUSED).catch(() => undefined)) as Focused | undefined;
      if (found && !found.isLost && found.hasRing) return found;
      if (Date.now() > end) {
        const what = found?.isLost ? "the focus is lost" : `no ring is seen on ${found?.html}`;
        throw new Error(`After ${key} on ${page.url()}, ${what}.`);
      }
      await Bun.sleep(20);
    }
  };
  const press = async (key: string) => {
    await page.keyboard.press(key);
    return focused(key);
  };
  const reach: Keyboard["reach"] = async (name, key = "Tab") => {
    const isIt = (one: string) => (typeof name === "string" ? one === name : name.test(one));
    const passed: string[] = [];
    const end = Date.now() + settledMsMax;
    while (!((await page.evaluate(NAMES)) as string[]).some(isIt)) {
      if (Date.now() > end) throw new Error(`${page.url()} has no ${name}.`);
      await Bun.sleep(20);
    }
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const { name: found } = await press(key).catch((error: Error) => {
        throw new Error(`${error.message} It came from ${passed.join(" | ")}.`);
      });
      if (isIt(found)) return;
      passed.push(found.slice(0, 40));
    }
    throw new Error(`${key} never reaches ${name} on ${page.url()}, but ${passed.join(" | ")}`);
  };
  return {
    async press(...keys) {
      for (const key of keys) await press(key);
    },
    async type(text) {
      await page.keyboard.type(text);
      await focused(text);
    },
    reach,
    async enter(name) {
      await reach(name);
      await press("Enter");
    },
  };
}
