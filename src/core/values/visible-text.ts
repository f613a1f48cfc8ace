/** What terminals and readers act on and do not show: C0 and C1, line ends, directions. */
const LIVELY = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** A text whose every character is shown: what would be acted on is written as `\u202e`. */
export function inert(text: string): string {
  return text.replace(
    LIVELY,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
