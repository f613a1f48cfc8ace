import { expect, test } from "bun:test";
import { CATALOGUE, consoleTexts, textsOf } from "../../scripts/build/console-texts.ts";

/** Phrases of earlier texts, which a native writer would not write. They must not come back. */
const BANNED: readonly RegExp[] = [
  ...[/until before/i, /was said/i, /\bas no period\b/i, /\basked for\b/i, /\bits (events|ids)\b/i],
  ...[/\bdistinct id\b/, /\bIds\b/, /\bpersons\b/i, /\bof the keyboard\b/i, /\bthe like\b/i],
  ...[
    /\b(is|are) (made|begun|asked)\b/i,
    /\bMade\b/,
    /\bMake (the|a) (key|favourite)/i,
    /\bFavour\b/,
  ],
  ...[
    /\bThere is no such\b/i,
    /\bNothing (waits|passes|has arrived)/i,
    /\bGo to the first page\b/i,
  ],
  ...[/\bbroken down by\b/i, /\bshown as\b/i, /\bperiod (back|on)\b/i, /\bother days\b/i],
  ...[/\bAs in (each|the) /i, /\bno whole question\b/i, /\bsuch as:/i, /\bI have kept\b/i],
  ...[/\bspeak to the computer\b/i, /\bnarrowing\b/i, /\blies ahead\b/i, /\bby the week\b/i],
  ...[
    /\bmade again\b/i,
    /\bon their way\b/i,
    /\bwhich suffices\b/i,
    /\bWaits\b/,
    /\bcounts? no more\b/i,
  ],
  ...[/\d %/, /\bRead at\b/, /\bKey of the project\b/, /\bkeep it like\b/i, /\bnone before\b/i],
];

const bannedIn = (text: string) => BANNED.filter((phrase) => phrase.test(text)).map(String);

test("the catalogue has every text of the console: bun scripts/build/console-texts.ts", async () => {
  expect(await Bun.file(CATALOGUE).text()).toBe(await consoleTexts());
});

test("no text has a phrase that was banned", async () => {
  const wrong = (await consoleTexts())
    .split("\n")
    .filter((line) => line.startsWith("- "))
    .flatMap((line) => bannedIn(line).map((phrase) => `${line} ${phrase}`));
  expect(wrong).toEqual([]);
});

test.each([
  ["<p>Hello <b>you</b>, {name}</p>", ["Hello you, {…}"]],
  ['<Button label="Close it" class="a b" />', ["Close it"]],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a source.
  ["const text = `Deleted ${name}`", ["Deleted {…}"]],
  ['useLoad("some key", () => "Not found")', ["Not found"]],
  ['import { x } from "./a b.ts"; set({ kind: "TrendsQuery" })', []],
  ['const A = ["one two", "Three", "four"]', ["one two", "Three"]],
])("the texts of %s are found", (source, texts) => {
  expect(textsOf("a.tsx", source).sort()).toEqual(texts.sort());
});

test("a banned phrase is found", () => {
  expect(bannedIn("Key of the project")).toHaveLength(1);
  expect(bannedIn("14.8 % of persons")).toHaveLength(2);
});
