import { effect, signal } from "@preact/signals";

/** How the console looks: as the system does, or always light or dark. */
export type Theme = "system" | "light" | "dark";

/** The themes with their names, in the order in which they are offered. */
export const THEMES: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "Same as the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

const THEME = "hoglet.theme";
const SINGLE_KEYS = "hoglet.keys";

/** A value of local storage; null if it is absent, or the browser keeps nothing. */
export function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a value in local storage; does nothing where the browser keeps nothing. */
export function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The browser keeps nothing, or has no room: the value lasts as long as the page.
  }
}

const isTheme = (text: string | null): text is Theme =>
  text === "system" || text === "light" || text === "dark";

const kept = stored(THEME);

/** The chosen theme, kept in the browser. */
export const theme = signal<Theme>(isTheme(kept) ? kept : "system");

/** Whether keys without Ctrl do something, kept in the browser. */
export const singleKeys = signal(stored(SINGLE_KEYS) !== "off");

/** Keeps the theme again once a sign-out has emptied the storage: it belongs to the browser, not to the user. */
export function keepTheme(): void {
  if (theme.value !== "system") store(THEME, theme.value);
}

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(systemDark.matches);
systemDark.addEventListener("change", ({ matches }) => {
  isSystemDark.value = matches;
});

/** Whether the page is dark now, whichever setting says so. Charts are drawn again when it changes. */
export const isDark = signal(false);

/** Applies the preferences to the page, now and at each change. */
export function applyPreferences(): void {
  effect(() => {
    isDark.value = theme.value === "dark" || (theme.value === "system" && isSystemDark.value);
    document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
  });
  theme.subscribe((value) => {
    if (value !== "system" || stored(THEME) !== null) store(THEME, value);
  });
  singleKeys.subscribe((on) => {
    if (!on || stored(SINGLE_KEYS) !== null) store(SINGLE_KEYS, on ? "on" : "off");
  });
}
