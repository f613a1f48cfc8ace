/** The most characters of a searched part: no name is longer. */
const PART_CHARS_MAX = 4000;

/**
 * The GLOB pattern of texts that hold `part` in any case, as {@link folded} has it (decision 107): SQLite's
 * `lower` knows only the 26 letters of ASCII.
 */
export function anyCase(part: string): string {
  const characters = [...part].slice(0, PART_CHARS_MAX).map((character) => {
    const all = casesOf().get(folded(character));
    if (all !== undefined) return `[${all}]`;
    return "*?[".includes(character) ? `[${character}]` : character;
  });
  return `*${characters.join("")}*`;
}

/** The same as a pattern of RE2. */
export function anyCasePattern(part: string): string {
  const characters = [...part].map((character) => {
    const all = casesOf().get(folded(character));
    return all === undefined ? character.replace(SPECIAL, "\\$&") : `[${all}]`;
  });
  return characters.join("");
}

/** Characters with a meaning in a pattern of RE2. */
const SPECIAL = /[\\^$.|?*+()[\]{}]/;

/** No script has cases after this code point. */
const CASED_MAX = 0x1_ff_ff;

let cases: ReadonlyMap<string, string> | undefined;

/** All letters that are folded to the same one, by that one; made when it is first asked for. */
function casesOf(): ReadonlyMap<string, string> {
  if (cases !== undefined) return cases;
  const made = new Map<string, string>();
  for (let code = 0; code <= CASED_MAX; code++) {
    const letter = String.fromCodePoint(code);
    const one = folded(letter);
    if (one !== letter) made.set(one, (made.get(one) ?? one) + letter);
  }
  cases = made;
  return made;
}

/** Characters of an address that are looked at for a part of it. */
const ADDRESS_CHARS_MAX = 1000;

/**
 * The folded form of a text, equal for texts that differ only in case (decision 107). Each letter is folded by
 * itself, so the result has as many code points as the text.
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

/** The folded form of the searched part of an e-mail address, for both stores. */
export function foldedAddress(address: string): string {
  if (address.length <= ADDRESS_CHARS_MAX) return folded(address);
  return folded([...address].slice(0, ADDRESS_CHARS_MAX).join(""));
}
