/** A text that was rewritten, and the place in the text before for each of its characters. */
export type Traced = { text: string; at: readonly number[] };

/** A range of a text, in characters as JavaScript counts them; `end` is not part of it. */
export type Range = { start: number; end: number };

/** Returns a text that was not rewritten yet. */
export const traced = (text: string): Traced => ({
  text,
  at: Array.from({ length: text.length }, (_, at) => at),
});

/** Replaces what a pattern finds. A new text longer than the one before ends where that one ends. */
export function rewritten(
  { text, at }: Traced,
  pattern: RegExp,
  replacement: (found: string, ...groups: string[]) => string,
): Traced {
  const places: number[] = [];
  let from = 0;
  const keep = (to: number) => {
    for (; from < to; from += 1) places.push(at[from] ?? 0);
  };
  const written = text.replace(pattern, (found, ...rest) => {
    const index = rest.find((one) => typeof one === "number") as number;
    const one = replacement(found, ...rest);
    keep(index);
    for (let more = 0; more < one.length; more += 1)
      places.push(at[index + Math.min(more, found.length - 1)] ?? 0);
    from = index + found.length;
    return one;
  });
  keep(text.length);
  return { text: written, at: places };
}

/** Returns the range in the text before for a range of a rewritten one. */
export function rangeBefore({ at }: Traced, { start, end }: Range): Range {
  const first = at[start] ?? 0;
  if (start >= end) return { start: first, end: first };
  return { start: first, end: Math.max(first, at[end - 1] ?? first) + 1 };
}

/** Names in quotes, which may have words of time, as in `"black friday"`. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** Returns a text with a letter that is in no rule in place of each letter of names in quotes. */
export const withoutQuoted = (text: string): string =>
  text.replace(QUOTED, (name) => "\u0001".repeat(name.length));

/** Returns a text of that kind with the names in quotes of `words` again. */
export const withQuoted = (text: string, words: string): string =>
  [...words.matchAll(QUOTED)].reduce(
    (all, { 0: name, index }) => all.slice(0, index) + name + all.slice(index + name.length),
    text,
  );
