import { sourceName } from "../../api/source-name.ts";

/** A picture of the server's by its id, or letters in its place. */
export type EmblemFound = { id: string; isFlag: boolean } | { letters: string };

/** Countries whose flag is too fine for 16 px; their code takes its place. */
const WITHOUT_FLAG =
  /^(?:A[CI]|BL|C[PQY]|D[GM]|E[AUZ]|FK|GS|IO|K[IZ]|LK|ME|QO|S[AI]|TM|UN|VI|XB|ZZ)$/;

/** Former codes, whose names are those of the codes in their place. */
const FORMER = /^(?:AN|BU|CS|D[DY]|FX|HV|NH|RH|SU|TP|UK|VD|Y[DU]|ZR)$/;

const BROWSERS: readonly [start: RegExp, id: string][] = [
  [/^(?:chrome|chromium|google chrome)/i, "googlechrome"],
  [/^firefox/i, "firefoxbrowser"],
  [/^(?:mobile )?safari/i, "safari"],
  [/^opera/i, "opera"],
];

const SYSTEMS: readonly [start: RegExp, id: string][] = [
  [/^windows/i, "windows"],
  [/^(?:mac|ios|ipados|tvos|watchos)/i, "apple"],
  [/^android/i, "android"],
  [/^ubuntu/i, "ubuntu"],
];

const DEVICES: readonly [start: RegExp, id: string][] = [
  [/^desktop/i, "desktop"],
  [/^(?:mobile|phone)/i, "mobile"],
  [/^tablet/i, "tablet"],
];

const SITES: readonly [start: RegExp, id: string][] = [
  [/^google$/i, "google"],
  [/^facebook$/i, "facebook"],
  [/^x$/i, "x"],
  [/^youtube$/i, "youtube"],
  [/^reddit$/i, "reddit"],
  [/^github$/i, "github"],
  [/^pinterest$/i, "pinterest"],
  [/^tiktok$/i, "tiktok"],
  [/^perplexity$/i, "perplexity"],
  [/^hacker news$/i, "ycombinator"],
];

/** Signs by the end of a property's name, after `$`, `$initial_` and the like. */
const KINDS: readonly [property: RegExp, signs: typeof SITES][] = [
  [/(?:^|[$_])browser$/, BROWSERS],
  [/(?:^|[$_])os$/, SYSTEMS],
  [/(?:^|[$_])device_type$/, DEVICES],
  [/(?:^|[$_])(?:referring_domain|utm_source)$/, SITES],
];

let codes: Map<string, string> | undefined;

/** The code of a country by its English name, as the server has it. */
function codeOf(name: string): string | undefined {
  if (codes === undefined) {
    codes = new Map();
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    for (const code of letters.flatMap((a) => letters.map((b) => a + b))) {
      const known = FORMER.test(code) ? undefined : names.of(code);
      if (known !== undefined) codes.set(known, code);
    }
  }
  return codes.get(name);
}

/** The emblem of a value of a property; undefined for other properties. */
export function emblemOf(property: string, value: string): EmblemFound | undefined {
  if (/(?:^|_)country(?:_name|_code)?$/.test(property)) {
    const code = /^[A-Z]{2}$/.test(value) ? value : codeOf(value);
    if (code === undefined) return { letters: "" };
    const isBare = WITHOUT_FLAG.test(code) || FORMER.test(code);
    return isBare ? { letters: code } : { id: code, isFlag: true };
  }
  const signs = KINDS.find(([name]) => name.test(property))?.[1];
  if (signs === undefined) return undefined;
  const named = signs === SITES ? sourceName(value) : value;
  const id = signs.find(([start]) => start.test(named))?.[1];
  if (id !== undefined) return { id, isFlag: false };
  // The signs of "(none)" and of no source are no letters of a name.
  return { letters: /^[\p{L}\p{N}]/u.exec(named)?.[0].toUpperCase() ?? "" };
}
