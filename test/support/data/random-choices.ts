/** Random choices, the same for the same seed. */
export type Choices = ReturnType<typeof randomChoices>;

/** Numbers that look random, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Makes choices for random statements; a share of their parts may not run. */
export function randomChoices(seed: number) {
  const random = randomOf(seed);
  let isForbidden = false;
  return {
    random,
    /** Share of places that get a part that may not run. */
    badShare: 0.001,
    pick: <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T,
    chance: (share: number) => random() < share,
    several: <T>(most: number, make: () => T): T[] =>
      Array.from({ length: 1 + Math.floor(random() * most) }, make),
    /** Notes that the statement has a part that may not run. */
    bad(text: string): string {
      isForbidden = true;
      return text;
    },
    /** Whether a part since the last call may not run. */
    takeForbidden(): boolean {
      const was = isForbidden;
      isForbidden = false;
      return was;
    },
  };
}
