/** What terminals and readers act on and do not show: C0 and C1, line ends, directions. */
const CONTROL_CHARS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** A text whose every character is shown: what would be acted on is written as `\u202e`. */
export function escapeControlChars(text: string): string {
  return text.replace(
    CONTROL_CHARS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
