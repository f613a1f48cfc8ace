/** Characters of a part that are looked for: longer names there are none. */
const PART_CHARS_MAX = 4000;

/**
 * The GLOB pattern of texts that hold `part` in any case (decision 56): SQLite's `lower` knows only the 26 letters
 * of ASCII. Of a letter whose other case is several (ß, İ), only the case that is asked for is found.
 */
export function anyCase(part: string): string {
  const characters = [...part].slice(0, PART_CHARS_MAX).map((character) => {
    const cases = [character.toLowerCase(), character.toUpperCase()];
    const others = cases.filter((other) => [...other].length === 1);
    const all = [...new Set([character, ...others])].join("");
    return all !== character || "*?[".includes(character) ? `[${all}]` : character;
  });
  return `*${characters.join("")}*`;
}
