import { folded } from "../names.ts";
import { rewritten, type Traced, traced } from "./traced.ts";

/** A word of a question. `stem` is the same for all forms of a word; `start` and `end` are places in the text. */
export type Word = {
  text: string;
  stem: string;
  isQuoted: boolean;
  start: number;
  end: number;
};

/** Words whose forms have no rule, by the form that stands for all of them. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bought: "buy",
    paid: "pay",
    ran: "run",
    sold: "sell",
    sent: "send",
    saw: "see",
    seen: "see",
    came: "come",
    went: "go",
    gone: "go",
    goes: "go",
    made: "make",
    did: "do",
    does: "do",
    done: "do",
    doing: "do",
    left: "leave",
    spent: "spend",
    brought: "bring",
    found: "find",
    thought: "think",
    taught: "teach",
    caught: "catch",
    took: "take",
    taken: "take",
    used: "use",
    uses: "use",
    using: "use",
    people: "person",
    subscription: "subscribe",
    subscriber: "subscribe",
    registration: "register",
    sessions: "session",
    news: "news",
    address: "address",
    bounced: "bounce",
    began: "begin",
    begun: "begin",
    spoke: "speak",
    got: "get",
    has: "have",
    had: "have",
    is: "be",
    are: "be",
    was: "be",
    were: "be",
    been: "be",
  }),
);

/** Letters of the shortest word that loses an end. */
const SHORTEST = { ing: 6, ed: 5, e: 4 };

/** Returns the stem of a word in lower case. */
export function stemOf(word: string): string {
  const irregular = IRREGULAR.get(word) ?? IRREGULAR.get(word.replace(/s$/, ""));
  if (irregular !== undefined) return withoutE(irregular);
  let stem = word;
  if (stem.length > 4 && stem.endsWith("ies")) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^suai]s$/.test(stem) && stem.length > 2) stem = stem.slice(0, -1);
  if (stem.length >= SHORTEST.ing && stem.endsWith("ing")) stem = undoubled(stem.slice(0, -3));
  else if (stem.length >= SHORTEST.ed && stem.endsWith("ed")) stem = undoubled(stem.slice(0, -2));
  return withoutE(stem);
}

const undoubled = (stem: string) => stem.replace(/([bdgkmnprt])\1$/, "$1");

const withoutE = (stem: string) =>
  stem.length >= SHORTEST.e && stem.endsWith("e") ? stem.slice(0, -1) : stem;

/** Returns the stems of a name: of `signed_up`, `signed up` and `SignedUp` alike. */
export function stemsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[\s_\-.]+/)
    .map((part) => stemOf(folded(part).replace(/^\$/, "")))
    .filter((stem) => stem !== "");
}

/** Words in double quotes, signs of comparison, or texts between spaces. */
const WORD = /"((?:[^"\\]|\\.)*)"|[<>]=?|[^\s"<>]+/g;

/** Contractions and signs between sentences, and the text that is read in their place. */
const PLAIN: readonly [pattern: RegExp, plain: string][] = [
  [/\b(did|do|does|has|have|was|were|is|are|could|would)n['’]t\b/gi, "$1 not"],
  [/\bhaven['’]t\b/gi, "have not"],
  [/\bnever\b/gi, "not"],
  [/['’]s\b/gi, ""],
  [/['’](?:ve|re|ll|d)\b/gi, ""],
  [/\bI mean\b,?/gi, " "],
  [/\b(?:pls|plz|thx)\b/gi, " "],
  [/\bppl\b/gi, "people"],
  [/\bu\b(?!\.)/g, "you"],
  [/\b(?:nr|num)\.?(?=\s+of\b)/gi, "number"],
  [/->|→|>(?=\s*[^\d\s=])/g, " → "],
  [/[?!;:]+(?=\s|$)/g, " , "],
  [/\.(?=\s|$)/g, " , "],
  [/,(?=\s|$)/g, " , "],
  [/[()[\]{}]/g, " "],
  [/%/g, " percent "],
  [/\s+/g, " "],
];

/** Writes a question in the form in which it is read. */
export const plainEnglish = (text: string): Traced =>
  PLAIN.reduce(
    (all, [pattern, plain]) =>
      rewritten(all, pattern, (_, first = "") => plain.replace("$1", String(first))),
    traced(text),
  );

/** Returns the words of a text. A comma is a word of its own. */
export function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: all, 1: quoted, index }): Word[] => {
    const start = index;
    if (quoted !== undefined) {
      const name = quoted.replace(/\\(.)/g, "$1");
      return [{ text: name, stem: folded(name), isQuoted: true, start, end: start + all.length }];
    }
    return splitAt(all).map(({ part, at }) => ({
      text: part,
      stem: stemOf(folded(part)),
      isQuoted: false,
      start: start + at,
      end: start + at + part.length,
    }));
  });
}

/** Splits at hyphens and arrows between letters, but neither an address nor an e-mail address. */
function splitAt(text: string): { part: string; at: number }[] {
  if (/^\/|:\/\/|@|^\$|\d/.test(text)) return [{ part: text, at: 0 }];
  return [...text.matchAll(/->|→|[^-→]+/g)].map(({ 0: part, index }) => ({ part, at: index }));
}

const NUMBERS: ReadonlyMap<string, number> = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, value): [string, number] => [word, value])
    .concat([
      ["thirty", 30],
      ["sixty", 60],
      ["ninety", 90],
      ["hundred", 100],
    ]),
);

/** Returns the number of a word such as `1,000`, `€50` or `three`. */
export function numberOf(word: string): number | undefined {
  const named = NUMBERS.get(word.toLowerCase());
  if (named !== undefined) return named;
  const [, digits] =
    /^[€$£]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[€$£]|eur)?$/i.exec(word) ?? [];
  return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}

/** Whether one text becomes the other by `most` changes of a letter; two neighbours in turn are one. */
export function isSpelledLike(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  const counts = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const at = (i: number, j: number) => counts[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    counts[i] = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isTurned = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const changes = [at(i - 1, j) + 1, at(i, j - 1) + 1];
      changes.push(at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]));
      if (isTurned) changes.push(at(i - 2, j - 2) + 1);
      (counts[i] as number[])[j] = Math.min(...changes);
    }
  }
  return at(a.length, b.length) <= most;
}
