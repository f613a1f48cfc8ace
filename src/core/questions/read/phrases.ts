import { CONCEPTS, type Concept } from "../names/lexicon.ts";
import { folded, formOf, stemOf } from "../text/stems.ts";

/** The maximum number of words in a phrase. */
export const PHRASE_WORDS_MAX = 9;

/** Nouns that may mean all people. */
export const PEOPLE =
  /^(?:driver|rider|passenger|guest|reader|listener|viewer|donor|fan|candidate|applicant|tenant|employee|teacher|parent|traveller|attendee|participant|student|patient|player|member|learner|owner|seller|subscriber|follower)s?$/;

/** Stems of verbs without a meaning of their own, such as "placed". */
export const DONE: ReadonlySet<string> = new Set(CONCEPTS.done.split(/[\s,]+/).map(stemOf));

const phraseKey = (phrase: string) => phrase.split(/\s+/).map((word) => formOf(folded(word)));

/** Articles that may be inside a phrase. */
const ARTICLES: ReadonlySet<string> = new Set("the a an our your my their any".split(" "));

/** The stems of a phrase without articles; undefined if only one is left. */
export const innerOf = (stems: readonly string[]): string | undefined => {
  const inner = stems.filter((stem) => !ARTICLES.has(stem));
  return inner.length > 1 ? inner.join(" ") : undefined;
};

/** Concepts by the stems of their phrases, with and without articles. */
export const PHRASES: ReadonlyMap<string, ReadonlySet<Concept>> = (() => {
  const keys = new Map<string, Set<Concept>>();
  for (const [concept, phrases] of Object.entries(CONCEPTS)) {
    for (const phrase of phrases.split(", ")) {
      const stems = phraseKey(phrase);
      // "Pages a visit" are pages per visit, page visits are not.
      const inner = phrase.startsWith("pages a ") ? undefined : innerOf(stems);
      for (const key of new Set([stems.join(" "), inner ?? stems.join(" ")]))
        keys.set(key, (keys.get(key) ?? new Set()).add(concept as Concept));
    }
  }
  return keys;
})();
