/** The way to write a word that changes a question, where the query has no place for it. */
const REASONS: readonly (readonly [words: RegExp, reason: string])[] = [
  [
    /^(?:only|just|merely|solely|exclusively|nothing_but)$/,
    'It says that there was nothing else. Leave it out if there may have been, or write how often: "exactly once".',
  ],
  [
    /^(?:lost|los[et]s?|losing|churn(?:ed|ing)?)$/,
    'Ask for the lifecycle to see who became dormant: "lifecycle of page views".',
  ],
  [/^gain(?:s|ed|ing)?$/, 'Ask for new ones: "new visitors in November".'],
  [/^(?:still|yet|already)$/, 'Say when it was: "in the last 7 days".'],
  [
    /^(?:combined|together|altogether|in_total|overall)$/,
    "Each count has a line of its own. Ask for one of them, or add them up.",
  ],
  [/^either$/, 'Put "or" between the two, and leave "either" out.'],
  [/^(?:neither|nor)$/, 'Write "who did not … and who did not …".'],
  [
    /^(?:but|except|excluding|exclude|save|besides|other_than|apart_from|except_for|without)$/,
    'Write what to leave out right after "except": "except card", or "where method is not card".',
  ],
];

/** Returns what to write instead of a word; undefined if there is nothing to say. */
export function reasonFor(text: string): string | undefined {
  const word = text.toLowerCase().replace(/\s+/g, "_");
  return REASONS.find(([words]) => words.test(word))?.[1];
}
