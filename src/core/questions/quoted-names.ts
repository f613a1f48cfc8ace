/** A question with a mark in place of each quoted name. A mark contains NUL, which no stored text has. */
export type QuotedQuestion = { text: string; quoted: readonly string[] };

/** A name in quotes: a JSON string, or in the quotes of other keyboards. It is never read as grammar (decision 58). */
const QUOTED =
  /(?<![^\s,>→])(?:"(?:[^"\\]|\\.)*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»)(?![^\s,\-→?.!;])/g;

const MARK = /\0(\d+)\0/g;

const markOf = (index: number) => `\0${index}\0`;

/** Replaces quoted names by marks, and spaces between words by one. */
export function markQuotedNames(words: string): QuotedQuestion {
  const quoted: string[] = [];
  const text = words.replace(QUOTED, (one) => {
    const name = parsed(one);
    return name === undefined ? one : markOf(quoted.push(name) - 1);
  });
  return { text: text.replace(/\s+/g, " ").trim(), quoted };
}

/** Returns the quoted name that a text is the mark of. */
export function nameOfMark(text: string, quoted: readonly string[]): string | undefined {
  const [, index] = /^\0(\d+)\0$/.exec(text) ?? [];
  return index === undefined ? undefined : quoted[Number(index)];
}

/** Returns the text of a question with its names in quotes. */
export function spelledOut({ text, quoted }: QuotedQuestion): string {
  return text.replace(MARK, (_, index) => JSON.stringify(quoted[Number(index)]));
}

/** Returns a question with a name in quotes at each of its places, in any case. */
export function withQuotes({ text, quoted }: QuotedQuestion, name: string): QuotedQuestion {
  const mark = markOf(quoted.length);
  return { text: text.replace(standing(name), () => mark), quoted: [...quoted, name] };
}

/** Ends of words after the beginning of a name, and characters of a name that is not in quotes. */
const NAME_ENDS_MAX = 12;
const NAME_CHARS_MAX = 200;

/** Where a name may begin and end: at the bounds of `standing`. */
const STARTS = /(?<![^ ,>→])(?=[^ ,>→])/g;
const ENDS = /(?<=[^ ])(?![^ ,\-→?.!;])/g;

const AFTER_PERSON = /(?:^|[ ,])(?:person|user)(?:'s)? $/i;

/** All parts of a question that may be names; `ofPersons` has the parts after `person`. */
export type PossibleNames = { all: string[]; ofPersons: string[] };

/** Returns the parts of a question that may be names, quoted names without their quotes. */
export function possibleNames({ text, quoted }: QuotedQuestion): PossibleNames {
  const [all, ofPersons] = [new Set<string>(), new Set<string>()];
  const ends = [...text.matchAll(ENDS)].map(({ index }) => index);
  for (const { index: start } of text.matchAll(STARTS)) {
    const isOfPerson = AFTER_PERSON.test(text.slice(0, start));
    const first = ends.findIndex((end) => end > start);
    for (const end of first < 0 ? [] : ends.slice(first, first + NAME_ENDS_MAX)) {
      if (end - start > NAME_CHARS_MAX) break;
      const part = text.slice(start, end);
      const name = nameOfMark(part, quoted) ?? part;
      all.add(name);
      if (isOfPerson) ofPersons.add(name);
    }
  }
  return { all: [...all], ofPersons: [...ofPersons] };
}

/** Whether a text contains a name, in any case. */
export function contains(name: string, text: string): boolean {
  return standing(name).test(text);
}

function standing(name: string): RegExp {
  const spaced = name.replace(/\s+/g, " ").trim();
  const escaped = spaced.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`(?<![^ ,>→])${escaped}(?![^ ,\\-→])`, "gi");
}

function parsed(text: string): string | undefined {
  if (!text.startsWith('"')) return text.slice(1, -1).trim();
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
