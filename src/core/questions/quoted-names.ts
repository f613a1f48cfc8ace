/** A question with a mark for each name that was in double quotes; NUL is in no text that is stored. */
export type Marked = { text: string; quoted: readonly string[] };

/** A name in quotes, as a JSON string or in the quotes of other keyboards: never words of the grammar (decision 58). */
const QUOTED =
  /(?<![^\s,>→])(?:"(?:[^"\\]|\\.)*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»)(?![^\s,\-→?.!;])/g;

const MARK = /\0(\d+)\0/g;

const markOf = (index: number) => `\0${index}\0`;

/** Puts marks in the place of names in double quotes; spaces between words are one each. */
export function marked(words: string): Marked {
  const quoted: string[] = [];
  const text = words.replace(QUOTED, (one) => {
    const name = parsed(one);
    return name === undefined ? one : markOf(quoted.push(name) - 1);
  });
  return { text: text.replace(/\s+/g, " ").trim(), quoted };
}

/** The name that a text is a mark of. */
export function nameOfMark(text: string, quoted: readonly string[]): string | undefined {
  const [, index] = /^\0(\d+)\0$/.exec(text) ?? [];
  return index === undefined ? undefined : quoted[Number(index)];
}

/** The text as one may ask it, with names in quotes for the marks. */
export function asked({ text, quoted }: Marked): string {
  return text.replace(MARK, (_, index) => JSON.stringify(quoted[Number(index)]));
}

/** The same question with a name in quotes wherever it stands, in any case. */
export function quoting({ text, quoted }: Marked, name: string): Marked {
  const mark = markOf(quoted.length);
  return { text: text.replace(standing(name), () => mark), quoted: [...quoted, name] };
}

/** Whether a name stands in a text, in any case. */
export function stands(name: string, text: string): boolean {
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
