/** A name, and how much it is like another text: 0 if it is not. */
export type Alike = { name: string; like: number };

/** Names by similarity to a text, most similar first; equally similar names keep their order. */
export function closestNames(
  text: string,
  names: readonly string[],
  folded: (name: string) => string = (name) => name,
): Alike[] {
  const likeness = likenessTo(text);
  return names
    .map((name) => ({ name, like: likeness(folded(name)) }))
    .toSorted((a, b) => b.like - a.like);
}

/** The least similarity of spelling at which a name is offered before more frequent ones. */
const SIMILARITY_MIN = 0.4;

/**
 * How much a name is like a text: 2 if the text is in it, else which share of their pairs of letters
 * they have in common, 0 if that is little.
 */
function likenessTo(text: string): (name: string) => number {
  const pairsOf = (one: string) =>
    new Set(Array.from({ length: one.length + 1 }, (_, at) => ` ${one} `.slice(at, at + 2)));
  const pairs = pairsOf(text);
  return (name) => {
    if (name.includes(text)) return 2;
    const others = pairsOf(name);
    const common = [...pairs].filter((pair) => others.has(pair)).length;
    const like = (2 * common) / (pairs.size + others.size);
    return like < SIMILARITY_MIN ? 0 : like;
  };
}
