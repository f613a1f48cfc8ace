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

/** Characters of an address that are looked at for a part of it, as the person store's triggers know. */
const ADDRESS_CHARS_MAX = 1000;

/**
 * What texts that differ in case alone have in common (decision 104); letter by letter, so that none
 * depends on those around it.
 */
export function folded(text: string): string {
  return text.replaceAll("İ", "i").toLowerCase().replaceAll("ς", "σ");
}

/** The same of what is looked at of an address. */
export function foldedAddress(address: string): string {
  if (address.length <= ADDRESS_CHARS_MAX) return folded(address);
  return folded([...address].slice(0, ADDRESS_CHARS_MAX).join(""));
}
