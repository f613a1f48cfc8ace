/** Characters that terminals and readers act on instead of showing them: C0, C1, line ends, directions. */
const CONTROL_CHARS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** A text with control characters as escapes such as `\u202e`, so that a terminal only shows them. */
export function escapeControlChars(text: string): string {
  return text.replace(
    CONTROL_CHARS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
