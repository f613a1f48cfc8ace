import type { NameIndex } from "../names/index.ts";
import { CONCEPTS, FILLER } from "../names/lexicon.ts";
import { formOf, isSpelledLike, singular, stemOf } from "../text/stems.ts";
import type { Word } from "../text/words.ts";
import { DONE, PEOPLE, PHRASES } from "./phrases.ts";

/** The words of all phrases, as written and as stems. Spelling is corrected to these words. */
const KNOWN_WORDS: ReadonlySet<string> = new Set(
  [...Object.values(CONCEPTS).flatMap((phrases) => phrases.split(/[\s,]+/)), ...FILLER].filter(
    (word) => /^\p{L}{4,}$/u.test(word),
  ),
);
const KNOWN_STEMS: ReadonlySet<string> = new Set(
  [...KNOWN_WORDS, ...[...PHRASES.keys()].flatMap((key) => key.split(" "))].flatMap((word) => [
    word,
    stemOf(word),
    formOf(word),
  ]),
);

/** Synonyms by stem. They apply if only the second word is in the names of the project. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  "finish:complete begin:start quit:cancel stop:cancel churn:cancel unsubscribe:cancel renewing:renew buy:purchase crash:exception delete:remove remove:delete reserve:book listen:play watch:play stream:play pay:purchase see:view saw:view link:connect hold:complete conduct:complete reply:answer respond:answer"
    .split(" ")
    .map((pair) => pair.split(":").map(stemOf) as [string, string]),
);

/** Words that are no slip, although two of their letters turned round make a filler word: "lost" is not "lots". */
const NO_SLIPS: ReadonlySet<string> = new Set("lost form won sued dose ear tow".split(" "));

/** The filler word of which two neighboring letters were typed in the wrong order, such as "teh". */
const turnedRound = (low: string): string | undefined =>
  [...low].flatMap((letter, at) => {
    const turned = `${low.slice(0, at)}${low[at + 1] ?? ""}${letter}${low.slice(at + 2)}`;
    return low.length > 2 && turned.length === low.length && FILLER.has(turned) ? [turned] : [];
  })[0];

/** Whether two words have the same letters, some in another order. */
const isTurned = (one: string, other: string): boolean =>
  [...one].toSorted().join("") === [...other].toSorted().join("");

/** Returns a word with its spelling corrected or replaced by a synonym. Words of the project's names never change. */
export function mended(word: Word, index: NameIndex): Word {
  const { low, stem, isQuoted } = word;
  const synonym = SYNONYMS.get(stem);
  // "Paid" is a verb, although "payment" is a property.
  const isVerb = /(?:ed|paid)$/.test(low);
  const isOwn =
    index.eventsWith.has(stem) ||
    index.eventsBy.has(stem) ||
    (!isVerb && index.propertiesBy.has(stem));
  if (synonym !== undefined && !isQuoted && !isOwn && index.eventsWith.has(synonym)) {
    return { ...word, stem: synonym };
  }
  const isKnown =
    KNOWN_STEMS.has(low) ||
    PEOPLE.test(low) ||
    KNOWN_STEMS.has(stem) ||
    index.ownWords.has(low) ||
    index.phraseStems.has(stem) ||
    index.eventsWith.has(stem) ||
    index.ownWords.has(singular(low));
  if (isQuoted || isKnown || !/^\p{L}+$/u.test(low)) return word;
  const turned = NO_SLIPS.has(low) ? undefined : turnedRound(low);
  if (turned !== undefined)
    return { ...word, low: turned, stem: stemOf(turned), form: formOf(turned) };
  if (low.length < 5) return word;
  // No word is a slip of one without a meaning of its own: "stars" are no "starts".
  const all = [...KNOWN_WORDS, ...index.ownWords].filter(
    (one) => one.length >= 5 && one[0] === low[0] && !FILLER.has(one) && !DONE.has(stemOf(one)),
  );
  // A letter too many is a slip if it is doubled. Otherwise it is another word: "monkeys" are no "money".
  // Another letter in a short word makes another word, too: "speed" is no "spend".
  const isOther = (one: string, typed: string) =>
    (typed.length > one.length && one.length < 9 && !/(.)\1/.test(typed)) ||
    (typed.length === one.length && one.length < 7 && !isTurned(one, typed));
  const like = (most: number) =>
    all.find((one) =>
      [low, singular(low), formOf(low)].some(
        (typed) => isSpelledLike(one, typed, most) && !isOther(one, typed),
      ),
    );
  const found = like(1) ?? (low.length >= 8 ? like(2) : undefined);
  return found === undefined
    ? word
    : { ...word, low: found, stem: stemOf(found), form: formOf(found) };
}
