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

/** Characters of an address that are looked at for a part of it. */
const ADDRESS_CHARS_MAX = 1000;

/**
 * What texts that differ in case alone have in common (decision 107); letter by letter, so that none
 * depends on those around it. As long as the text, in code points.
 */
export function folded(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.replace(LETTER, foldedLetter);
}

const ASCII = /^[\0-\x7f]*$/;

const LETTER = /[A-Z\u{80}-\u{10ffff}]/gu;

/** A letter whose other case is several is its own upper case; of `i̇`, as which `İ` is lower, the dot goes. */
function foldedLetter(letter: string): string {
  const upper = letter.toUpperCase();
  const [lower = letter] = ([...upper].length === 1 ? upper : letter).toLowerCase();
  return lower;
}

/** The same of what is looked at of an address: all that is searched, in either store, is this. */
export function foldedAddress(address: string): string {
  if (address.length <= ADDRESS_CHARS_MAX) return folded(address);
  return folded([...address].slice(0, ADDRESS_CHARS_MAX).join(""));
}
