import { named } from "./extent.ts";

/** Messages of DuckDB's parser, in words for people who do not know parsers. */
const SENTENCES: readonly [message: RegExp, write: (match: RegExpExecArray) => string][] = [
  [
    /^syntax error at or near "([\s\S]*)"$/,
    ([, at]) => `The SQL is not understood at ${named(at)}`,
  ],
  [/^syntax error at end of input/, () => "The SQL ends where more is expected"],
  [/^unterminated quoted/, () => "A quote is opened and not closed"],
  [/^unterminated .*comment/, () => "A comment is opened and not closed"],
  [/^SELECT clause without selection list/, () => "SELECT has no columns"],
];

/** Returns a sentence on a message of DuckDB's parser, without its end. */
export function syntaxSentence(message: string): string {
  for (const [said, write] of SENTENCES) {
    const match = said.exec(message);
    if (match !== null) return write(match);
  }
  return "The SQL is not understood";
}

/** Returns a sentence, then the message of DuckDB, by which it can be searched for. */
export const withEngineText = (sentence: string, message: string): string =>
  `${sentence} DuckDB: ${message}`;
