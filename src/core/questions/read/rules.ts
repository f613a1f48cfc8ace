import type { Term } from "./terms.ts";

/**
 * The terms of a question as text that patterns can match. Each place is `<at|TAGS|word>`. A part that was read is one
 * place, tagged with its kind. In a pattern, capitals are tags, `{word}` is a word, and `_` skips filler words, but no comma.
 */
export class Places<Part extends { kind: string }> {
  readonly terms: readonly Term[];
  private places: Place<Part>[];

  constructor(terms: readonly Term[]) {
    this.terms = terms;
    this.places = terms.map((term, from) => ({ from, tags: tagsOf(term), word: wordOf(term) }));
  }

  /** Replaces each match of a pattern with the part that `read` returns. If it returns undefined, the match is skipped. */
  each(pattern: string, read: (found: Match<Part>) => Part | undefined): void {
    const compiled = compile(pattern);
    for (let from = 0; ; ) {
      const text = this.places
        .slice(from)
        .map(({ tags, word }, at) => `<${from + at}|${tags.join(",")}|${word}>`)
        .join("");
      const found = compiled.exec(text);
      if (found === null) return;
      const at = [...found[0].matchAll(/<(\d+)\|/g)].map(([, one]) => Number(one));
      const [first = 0, last = first] = [at[0], at.at(-1)];
      const part = read(this.match(first, last));
      from = first + 1;
      if (part === undefined) continue;
      const place = { from: (this.places[first] as Place<Part>).from, ...partPlace(part) };
      this.places.splice(first, last - first + 1, place);
    }
  }

  private match(first: number, last: number): Match<Part> {
    const all = this.places.slice(first, last + 1);
    const of = (...tags: string[]) =>
      all.filter((place) => tags.some((tag) => place.tags.includes(tag)));
    const term = ({ from }: Place<Part>) => this.terms[from] as Term;
    return {
      ...{ all, of, term, before: this.places[first - 1], after: this.places[last + 1] },
      free: (...tags) =>
        (tags.length === 0 ? all : of(...tags)).filter(({ part }) => part === undefined),
      text: (place) =>
        term(place)
          .words.map(({ text }) => text)
          .join(" "),
    };
  }

  /** All places in order. */
  sequence(): readonly Place<Part>[] {
    return this.places;
  }

  /** Turns a place into a part and marks other places as words of that part. */
  claim(at: number, part: Part, others: readonly number[] = []): void {
    this.places[at] = { ...(this.places[at] as Place<Part>), ...partPlace(part) };
    for (const other of others) {
      const joined = this.places[other] as Place<Part>;
      this.places[other] = { ...joined, tags: ["JOINED"], word: "", joins: part };
    }
  }
}

const partPlace = <Part extends { kind: string }>(part: Part) => ({
  tags: [part.kind.toUpperCase()],
  word: "",
  part,
});

/** A term, or a part that was read. */
export type Place<Part> = {
  from: number;
  tags: readonly string[];
  word: string;
  part?: Part;
  joins?: Part;
};

/** The places that a pattern matched. */
export type Match<Part> = {
  all: readonly Place<Part>[];
  /** Places with any of the tags. */
  of(...tags: string[]): Place<Part>[];
  /** Places with any of the tags that are not a part yet. Without tags, all such places. */
  free(...tags: string[]): Place<Part>[];
  before: Place<Part> | undefined;
  after: Place<Part> | undefined;
  term(place: Place<Part>): Term;
  /** The words of a place as written. */
  text(place: Place<Part>): string;
};

function tagsOf(term: Term): string[] {
  return [
    ...[...term.concepts].map((one) => one.toUpperCase()),
    ...(term.events.length > 0 ? ["EV"] : []),
    ...(term.partOf.length > 0 ? ["EVPART"] : []),
    ...(term.properties.length > 0 ? ["PROP"] : []),
    ...(term.near.length > 0 ? ["NEARPROP"] : []),
    ...(term.values.length > 0 ? ["VAL"] : []),
    ...(term.group === undefined ? [] : ["GROUP"]),
    ...(term.number === undefined ? [] : ["NUM"]),
    ...(term.page === undefined ? [] : ["PAGE"]),
    ...(term.who === undefined ? [] : ["WHOM"]),
    ...(term.words[0]?.isQuoted === true && term.words[0].owner === undefined ? ["QUOTED"] : []),
    ...(term.isFiller ? ["F"] : []),
  ];
}

const wordOf = ({ words }: Term) =>
  words[0]?.isQuoted === true
    ? ""
    : words
        .map(({ low }) => low)
        .join("_")
        .replace(/[<>|]/g, "");

const compiled = new Map<string, RegExp>();

/** The tokens of a pattern: words in braces, tags, `_` and regular expression signs. */
const SIGN = /\{([^}]+)\}|([A-Z][A-Z_0-9]*)|_|[()?*+|]|\s+/g;

function compile(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const tagged = (tag: string, word = "") =>
    `<\\d+\\|(?:[^|>]*,)?${tag}(?:,[^|>]*)?\\|${word}[^>]*>`;
  const source = pattern.replace(SIGN, (sign, word?: string, tag?: string) => {
    if (word !== undefined) return `<\\d+\\|[^|>]*\\|(?:${word})>`;
    if (tag !== undefined) return `(?:${tagged(tag)})`;
    if (sign === "_") return `(?:${tagged("F", "(?!,>)")})*?`;
    return sign === "(" ? "(?:" : sign.trim();
  });
  const made = new RegExp(source);
  compiled.set(pattern, made);
  return made;
}
