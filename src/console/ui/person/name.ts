/** Ids that a computer made up say nothing: hexadecimal digits and dashes alone, as those of visitors who gave no name. */
const MADE_UP = /^(?=.*\d)[0-9a-f-]{24,}$/i;

/** Whether a person has no name but an id that a computer made up. */
export const isAnonymous = (name: string): boolean => MADE_UP.test(name);

/** The name of a person as it is shown; of a made-up id only its ends, which tell two apart: `Anonymous · c9a0…18e2`. */
export const shownName = (name: string): string =>
  isAnonymous(name) ? `Anonymous · ${name.slice(0, 4)}…${name.slice(-4)}` : name;

/** One or two letters for a name or an e-mail address, such as `RD` for rosa.dubois@example.com. */
export function initialsOf(name: string): string {
  const words = (name.split("@")[0] || name).match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters
    .map((word) => [...(word ?? "")][0])
    .join("")
    .toUpperCase();
}

/** The angle of the colour of an id, from 0 up to 360: the same for the same person wherever it is shown. */
export function hueOf(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return (hash * 47) % 360;
}
