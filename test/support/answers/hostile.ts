/** Texts that some language on the way takes for more than a text. */
export const HOSTILE_TEXTS = [
  ...["'", '"', "\\", ";", "`", "--", "/*", "%", "_", "*", "?", "$", "^", "|", "+", "(", ")"],
  ...["[", "]", "{", "}", "/", "~", "~0", "~1", "#", "&", "=", ",", ".", ":", "@", "<", ">", " "],
  ...["' OR '1'='1", "'); DROP TABLE person; --", '" OR ""="', "\\'; SELECT 1; --", "a%' --"],
  ...["$.a", "$[0]", '$."a"', `a"] || (SELECT 1) || $["`, "$.*", "/a/b", "~01", "a.b", "a\\.b"],
  ...["NEAR(a b)", "a AND b", "a OR b", "NOT a", "a*", "^a", '"a" "b"', "email:a", "{email}: a"],
  ...["$1", ":v0", "$v0", "?1", "@v0", "$project", "{{x}}", "%s", "%00", "%27"],
  ...["__proto__", "constructor", "toString", "null", "undefined", "true", "0", "-1", "1e3", "NaN"],
  ...["<script>alert(1)</script>", "javascript:alert(1)", "</textarea>", "=1+1", "\t=1", "\r\n"],
  ...[
    ...["a\nb", "\u2028", "\u202e", "\ufeff", "é", "e\u0301", "🦔", "\u{10ffff}", "\u0007"],
    "\u001b[2J",
  ],
  ...["a\0b", "\0", "\ud800", "a\udfffb", "\ufffd"],
];

/** The text as every store keeps it. */
export function stored(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
