import { folded, formOf, stemOf } from "./stems.ts";

/** A word of a question, or a quoted text. `start` and `end` are its position in UTF-16 code units. */
export type Word = {
  /** The text as written, without quotes. */
  text: string;
  /** In lower case. */
  low: string;
  stem: string;
  /** The part that its inflected forms share. */
  form: string;
  isQuoted: boolean;
  /** Whether the whole question is in capitals, so that those of the word say nothing. */
  isLoud: boolean;
  /** Whether a hyphen joins it to the next word, as in "no-show". */
  isJoined?: boolean;
  /** The owner before a quoted property, as in `person."plan"`. */
  owner?: string;
  start: number;
  end: number;
};

/** Contractions and signs with their replacements, which have the same length. */
const PLAIN: readonly [pattern: RegExp, plain: string][] = [
  [/'s\b/gi, "  "],
  [/'(?:ve|re|ll)\b/gi, "   "],
  [/'[dm]\b/gi, "  "],
  [/→/g, ">"],
];

/** Text in double quotes. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** Hides the text in quotes. `shown` puts it back into a text of the same length. */
export function withoutQuotes(text: string) {
  const plain = text.replace(/[“”„«»]/g, '"').replace(/[‘’]/g, "'");
  const shown = (changed: string): string =>
    [...plain.matchAll(QUOTED)].reduce(
      (all, { 0: quoted, index }) =>
        all.slice(0, index) + quoted + all.slice(index + quoted.length),
      changed,
    );
  return { hidden: plain.replace(QUOTED, (quoted) => '"'.repeat(quoted.length)), shown };
}

/** Matches quoted text, comparison signs, punctuation, addresses, and other text between spaces. */
const WORD =
  /(?:(event|person|session|group\d*)\.)?"((?:[^"\\]|\\.)*)"|'([^']+)'(?=[\s,.?!;)]|$)|-+>|>{2,}|[<>]=|!=|[<>=&+,;()?!:%"…]|[€$£]?\d[\d.]*(?=\+(?:\s|$))|(?:https?:\/\/|\/)[^\s",()]*|[^\s"<>=&,;()?!:%…]+/gi;

/** Splits a question into words. Each punctuation mark is a separate word. */
export function wordsOf(question: string): Word[] {
  const { hidden, shown } = withoutQuotes(question);
  const text = shown(
    PLAIN.reduce(
      (all, [pattern, plain]) => all.replace(pattern, (found) => plain.slice(0, found.length)),
      hidden,
    ),
  );
  const isLoud = hidden === hidden.toUpperCase();
  const wordOf = (part: string, start: number, end: number): Word => ({
    ...{ text: part, low: folded(part), stem: stemOf(folded(part)), form: formOf(folded(part)) },
    ...{ isQuoted: false, isLoud, start, end },
  });
  return [...text.matchAll(WORD)].flatMap(
    ({ 0: all, 1: owner, 2: double, 3: single, index: start }): Word[] => {
      const quoted = double ?? single;
      if (quoted !== undefined) {
        const name = quoted.replace(/\\(.)/g, "$1");
        return [
          {
            ...wordOf(name, start, start + all.length),
            stem: folded(name),
            form: folded(name),
            isQuoted: true,
            ...(owner === undefined ? {} : { owner: owner.toLowerCase() }),
          },
        ];
      }
      const parts = partsOf(all);
      return parts.map(({ part, at }, index) => ({
        ...wordOf(part, start + at, start + at + part.length),
        ...(index < parts.length - 1 && /^[a-z]+$/i.test(part) ? { isJoined: true } : {}),
      }));
    },
  );
}

/** "Didn't" is "did not". */
const NEGATED = /^(do|does|did|is|are|was|were|has|have|had)(n't|nt)$/i;

/** Splits contractions, splits at hyphens, and drops a period at the end. Addresses, versions and ids are not split. */
function partsOf(text: string): { part: string; at: number }[] {
  const [, verb = ""] = NEGATED.exec(text) ?? [];
  if (verb !== "") {
    return [
      { part: verb, at: 0 },
      { part: "not", at: verb.length },
    ];
  }
  if (/^\/|:\/\/|@|^\$/.test(text)) return [{ part: text.replace(/[.]+$/, "") || text, at: 0 }];
  const whole = text.replace(/(?<=.)\.+$/, "");
  // "1-star" and "7-day" are two words, versions and dates are one.
  const isCount = /^\d+-[a-z]{3,}$/i.test(whole);
  if (!isCount && /^-|\d[-.](?!day|week|month)|[-.]\d/.test(whole)) return [{ part: whole, at: 0 }];
  return [...whole.matchAll(/-+>|[^-]+/g)].map(({ 0: part, index }) => ({ part, at: index }));
}

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty`
    .split(" ")
    .map((word, value): [string, number] => [word, value]),
  ...Object.entries({ thirty: 30, forty: 40, fifty: 50, sixty: 60, ninety: 90 }),
  ...Object.entries({ hundred: 100, thousand: 1000 }),
]);

/** Returns the number in a word such as `1,000`, `€50`, `2k` or `three`; undefined for other words. */
export function numberOf(word: string): number | undefined {
  const named = NUMBERS.get(word.toLowerCase());
  if (named !== undefined) return named;
  const [, digits, thousand] =
    /^[€$£]?(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)(k?)[€$£]?$/i.exec(word) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits.replaceAll(",", "")) * (thousand === "" ? 1 : 1000);
}
