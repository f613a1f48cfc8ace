import { folded } from "../values/case-folding.ts";

/** The ends of words, and each position outside of a word. */
const EDGE = /(?<![\p{L}\p{N}_])|(?![\p{L}\p{N}_])/gu;

/**
 * Returns a function that finds which of some names a text contains, as whole words and in any case. It looks
 * up parts of the text, so its time hardly depends on the number of names. A found name is in folded form.
 */
export function mentionFinder(names: ReadonlySet<string>): (text: string) => Set<string> {
  const lengths = new Set([...names].map(({ length }) => length));
  return (text) => {
    const parts = partsOf(folded(text), lengths);
    return new Set([...parts].filter((part) => names.has(part)));
  };
}

/** The parts of a text that begin and end at an edge, and have one of some lengths. */
function* partsOf(text: string, lengths: ReadonlySet<number>): Iterable<string> {
  const longest = Math.max(0, ...lengths);
  const edges = [...text.matchAll(EDGE)].map(({ index }) => index);
  for (const [at, from] of edges.entries()) {
    for (let next = at + 1; next < edges.length; next++) {
      const to = edges[next] ?? 0;
      if (to - from > longest) break;
      if (lengths.has(to - from)) yield text.slice(from, to);
    }
  }
}
