/** Browsers by what only they send; the first that fits counts, because most name others too. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bChromium\/|\bCriOS\/|\bHeadlessChrome\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];

/** Systems, in the same way. */
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** A name such as "Firefox on Linux" for the header `User-Agent`, in the list of sessions. */
export function browserName(agent: string | null): string {
  const named = (names: readonly [RegExp, string][]) =>
    names.find(([pattern]) => pattern.test(agent ?? ""))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser === undefined) return "another client";
  return system === undefined ? browser : `${browser} on ${system}`;
}
