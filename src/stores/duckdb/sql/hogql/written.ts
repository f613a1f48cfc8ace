import type { Token } from "./tokens.ts";

/** SQL that is made of a text, and from which place of the text each part of it comes. */
export class Written {
  readonly text: string;
  /** Parts in order: where they begin in the SQL and in the text, and whether they are the same in both. */
  readonly #parts: { from: number; at: number; isSame: boolean }[] = [];
  #sql = "";

  constructor(text: string) {
    this.text = text;
  }

  /** SQL that is its own text. */
  static of(text: string): Written {
    const written = new Written(text);
    written.add({ space: "", at: 0 }, text);
    return written;
  }

  get sql(): string {
    return this.#sql;
  }

  /** Adds the SQL of a token. */
  add({ space, at }: Pick<Token, "space" | "at">, sql: string): void {
    const isSame = this.text.startsWith(sql, at);
    this.#parts.push({ from: this.#sql.length + space.length, at, isSame });
    this.#sql += space + sql;
  }

  /** Returns the place in the text of a part of the parse tree, whose place in the SQL is in bytes of UTF-8. */
  placeOf(bytes: number): string | undefined {
    const all = new TextEncoder().encode(this.#sql);
    return bytes > all.length
      ? undefined
      : this.#place(new TextDecoder().decode(all.slice(0, bytes)).length);
  }

  /** Returns the place in the text of a mistake that the parser finds, whose place in the SQL is in characters. */
  placeOfMistake(characters: number): string | undefined {
    return this.#place([...this.#sql].slice(0, characters).join("").length);
  }

  /**
   * Returns line and column of the text, from 1. A value, or a word that was rewritten, has the place where it begins.
   */
  #place(from: number): string | undefined {
    const part = this.#parts.findLast((one) => one.from <= from);
    if (part === undefined) return undefined;
    const at = part.at + (part.isSame ? from - part.from : 0);
    const lines = this.text.slice(0, at).split("\n");
    return `(line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1})`;
  }
}
