import { nameWords, singular } from "../text/stems.ts";
import type { TimeWords } from "../text/time.ts";

/** A name of several words in a question, with its position in UTF-16 code units. */
export type LongName = { text: string; start: number; end: number };

/** The maximum number of words in a name of several words. */
const NAME_WORDS_MAX = 6;

const spokenKey = (words: readonly string[]): string => words.map(singular).join(" ");

/** Returns the keys of names and values with several words. */
export const longNamesOf = (names: Iterable<string>): ReadonlySet<string> =>
  new Set(
    [...names]
      .map(nameWords)
      .filter(({ length }) => length > 1 && length <= NAME_WORDS_MAX)
      .map(spokenKey),
  );

/** Returns the names of several words that have a word about time in them, the longest ones first. */
export function timedNames(
  text: string,
  said: readonly TimeWords[],
  names: ReadonlySet<string>,
): LongName[] {
  if (said.length === 0) return [];
  const words = [...text.matchAll(/"[^"]*"|[\p{L}\p{M}\d_]+/gu)];
  const found: LongName[] = [];
  for (let length = NAME_WORDS_MAX; length > 1; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const some = words.slice(from, from + length);
      const [start, last] = [some[0]?.index ?? 0, some.at(-1)];
      const end = (last?.index ?? 0) + (last?.[0].length ?? 0);
      const isTimed = said.some((one) => one.start < end && start < one.end);
      const isIn = found.some((one) => one.start < end && start < one.end);
      const isName = names.has(spokenKey(some.flatMap(([word]) => nameWords(word))));
      if (isTimed && isName && !isIn) found.push({ text: text.slice(start, end), start, end });
    }
  }
  return found;
}
