import { HOGQL_SYNTAX_REFUSED } from "./functions.ts";
import {
  AFTER_CONDITIONS,
  BEGINS,
  CLAUSES,
  type Frame,
  frame,
  JOINS,
  NO_CALLS,
  SIGNS,
  type Token,
  tokensOf,
  unescaped,
} from "./tokens.ts";
import { refuse } from "./tree.ts";

/** A statement that DuckDB's parser reads, and the texts of the columns of its first SELECT. */
export type Readable = { sql: string; columns: string[] };

const UNNAMED =
  "ARRAY JOIN takes a list with a name: ARRAY JOIN JSONExtractArrayRaw(properties.tags) AS tag.";
const BRACES = "In braces stands a name: {filters}, {variables.name} or {name} of `values`.";

/**
 * Rewrites the words of HogQL that DuckDB's parser does not read. Words with a meaning become calls of names in
 * quotes, to which `rewrite.ts` gives the meaning. `fill` returns the SQL of a name in braces. Fails `invalid_input`
 * on what only ClickHouse has.
 */
export function readableSql(text: string, fill: (name: string) => string): Readable {
  const tokens = tokensOf(text);
  const skeleton = tokens.map(({ kind, word }) =>
    /space|ted|ticked|dollars/.test(kind) ? " " : word,
  );
  const [, advice] = HOGQL_SYNTAX_REFUSED.find(([syntax]) => syntax.test(skeleton.join(""))) ?? [];
  if (advice !== undefined) return refuse(advice);
  return new Reading(tokens, text, fill).read();
}

class Reading {
  readonly #out: string[] = [];
  readonly #frames: Frame[] = [frame()];
  readonly #columns: string[] = [];
  readonly #tokens: readonly Token[];
  readonly #text: string;
  readonly #fill: (name: string) => string;
  #column: number | null = null;
  #at = 0;

  constructor(tokens: readonly Token[], text: string, fill: (name: string) => string) {
    this.#tokens = tokens;
    this.#text = text;
    this.#fill = fill;
  }

  read(): Readable {
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const { kind, text, word } = this.#token;
      if (kind === "text") this.#put(unescaped(text));
      else if (kind === "ticked") this.#put(`"${text.slice(1, -1)}"`);
      else if (kind === "sign") this.#sign(word);
      else if (kind === "word") this.#name(text, word);
      else this.#put(text);
    }
    this.#endColumn(this.#text.replace(/[\s;]+$/, "").length);
    this.#endClause();
    return { sql: this.#out.join(""), columns: this.#columns };
  }

  get #token(): Token {
    return this.#tokens[this.#at] as Token;
  }

  get #frame(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  #put(sql: string): true {
    this.#out.push(sql);
    return true;
  }

  #next(from = this.#at, step = 1): number {
    let at = from + step;
    while (this.#tokens[at]?.kind === "space") at += step;
    return at;
  }

  #word(at: number): string {
    return this.#tokens[at]?.word ?? "";
  }

  /** The bracket that ends what one opens. */
  #closing(open: number): number {
    let depth = 0;
    for (let at = open; at < this.#tokens.length; at += 1) {
      const { kind, word } = this.#tokens[at] as Token;
      if (kind === "sign" && /^[([]$/.test(word)) depth += 1;
      if (kind === "sign" && /^[)\]]$/.test(word)) depth -= 1;
      if (depth === 0) return at;
    }
    return this.#tokens.length;
  }

  #endColumn(end: number): void {
    if (this.#column === null || this.#frames.length > 1) return;
    this.#columns.push(this.#text.slice(this.#column, end).replace(/\s+/g, " ").trim());
    this.#column = null;
  }

  #endClause(): void {
    if (this.#frame.isUnnamed) refuse(UNNAMED);
    this.#put(this.#frame.close);
    Object.assign(this.#frame, { close: "", isArray: false });
  }

  #sign(word: string): void {
    const after = this.#word(this.#next());
    if (/^[([]$/.test(word)) this.#frames.push(frame());
    if (/^[)\]]$/.test(word)) {
      this.#endClause();
      this.#put(this.#frame.end);
      if (this.#frames.length > 1) this.#frames.pop();
    }
    if (word === "{") this.#braces();
    else if (word === ",") this.#comma(after);
    else if (word === "~" && /[\w)\]"'`]$/.test(this.#word(this.#next(this.#at, -1))))
      this.#put("|~");
    else this.#put(SIGNS[word] ?? word);
  }

  #comma(after: string): void {
    if (after === ")") return;
    const isColumn = this.#column !== null && this.#frames.length === 1;
    this.#endColumn(this.#token.at);
    if (isColumn) this.#column = this.#token.at + 1;
    if (!this.#frame.isArray) this.#put(",");
    else if (this.#frame.isUnnamed) refuse(UNNAMED);
    else {
      this.#frame.isUnnamed = true;
      this.#put(", unnest(");
    }
  }

  #braces(): void {
    const end = this.#tokens.findIndex(({ word }, at) => at > this.#at && word === "}");
    const inner = this.#tokens.slice(this.#at + 1, end).map(({ text }) => text);
    const name = inner.join("").trim();
    if (end < 0 || !/^[a-zA-Z_][\w.]*$/.test(name)) refuse(BRACES);
    this.#put(this.#fill(name));
    this.#at = end;
  }

  #name(text: string, word: string): void {
    const [before, after] = [this.#next(this.#at, -1), this.#next()].map((at) => this.#word(at));
    const isPart = before === ".";
    if (!isPart && this.#clause(word, before ?? "", after ?? "")) return;
    if (word.startsWith("$")) this.#put(`"${text}"`);
    else if (after !== "(" || isPart) this.#put(text);
    else if (word === "not") this.#negation(text);
    else if (this.#isQuoted(word, before ?? "")) this.#put(`"${word.replace(/inframe$/, "")}"`);
    else this.#call(text);
  }

  /** Whether a word before a bracket is a call here, which DuckDB's parser takes for something else. */
  #isQuoted(word: string, before: string): boolean {
    const open = this.#next();
    switch (word) {
      case "and":
      case "or":
      case "in":
        return BEGINS.has(before);
      case "any":
        return !/[=<>]$/.test(before);
      case "cast":
        return this.#hasComma(open);
      case "extract":
        return this.#word(this.#next(this.#next(open))) !== "from";
      case "position":
        return this.#tokens.slice(open, this.#closing(open)).every((one) => one.word !== "in");
      default:
        return word === "laginframe" || word === "leadinframe";
    }
  }

  /** Whether brackets have a comma of their own, as in `CAST(a, 'Float64')`. */
  #hasComma(open: number): boolean {
    for (let at = open + 1; at < this.#closing(open); at += 1) {
      if (/^[([]$/.test(this.#word(at))) at = this.#closing(at);
      else if (this.#word(at) === ",") return true;
    }
    return false;
  }

  /** A call, or one with two pairs of brackets: `quantile(0.9)(x)` becomes `"quantile()"(0.9, x)`. */
  #call(text: string): void {
    const open = this.#next();
    const second = this.#next(this.#closing(open));
    if (NO_CALLS.has(text.toLowerCase()) || this.#word(second) !== "(") {
      this.#put(text);
      return;
    }
    const given = this.#tokens.slice(open + 1, this.#closing(open)).map((one) => one.text);
    this.#put(`"${text}()"(${given.join("")}${given.length > 0 ? ", " : ""}`);
    this.#frames.push(frame());
    this.#at = second;
  }

  // DuckDB's parser makes NOT (a < b) a >= b, which is not true where a is missing.
  #negation(text: string): void {
    const open = this.#next();
    const follows = this.#word(this.#next(this.#closing(open)));
    if (follows !== "" && !AFTER_CONDITIONS.has(follows)) {
      this.#put(text);
      return;
    }
    this.#put("NOT (true AND (");
    this.#frames.push(frame(")"));
    this.#at = open;
  }

  /** Returns whether a word that begins or ends a part of a SELECT was written. */
  #clause(word: string, before: string, after: string): boolean {
    if (word === "from" || CLAUSES.has(word)) this.#endColumn(this.#token.at);
    if (word === "where" && this.#frame.close === ")") return this.#put(") AND (");
    const isEnd = CLAUSES.has(word) || (this.#frame.isArray && JOINS.has(word) && after !== "(");
    if (isEnd) this.#endClause();
    if (isEnd && word !== "limit") this.#frame.hasOrder = word === "order";
    return this.#begins(word, before, after);
  }

  #begins(word: string, before: string, after: string): boolean {
    switch (word) {
      case "select":
        return this.#select(after);
      case "except":
        return before === "*" && after === "(" && this.#put("EXCLUDE");
      case "prewhere":
        this.#frame.close = ")";
        return this.#put("WHERE (");
      case "limit":
        return this.#limit();
      case "as":
        return this.#frame.isUnnamed && this.#as();
      case "array":
        return after === "join" && this.#arrays("CROSS", "");
      case "left":
        if (after === "array") this.#at = this.#next();
        return after === "array" && this.#arrays("LEFT", " ON true");
      case "global":
        return after === "in" || after === "not";
      case "final":
        return /^\w+$/.test(before) && after !== "." && after !== "(";
      default:
        return false;
    }
  }

  #as(): true {
    this.#frame.isUnnamed = false;
    return this.#put(") AS");
  }

  #select(after: string): false {
    const isFirst = this.#frames.length === 1 && this.#columns.length === 0;
    const { at, text } = this.#tokens[after === "distinct" ? this.#next() : this.#at] as Token;
    if (isFirst) this.#column = at + text.length;
    return false;
  }

  #arrays(kind: string, on: string): true {
    this.#put(`${kind} JOIN LATERAL (SELECT unnest(`);
    Object.assign(this.#frame, {
      isArray: true,
      isUnnamed: true,
      close: `) AS "array join"${on} `,
    });
    this.#at = this.#next();
    return true;
  }

  /** `LIMIT 3 BY a` becomes `ORDER BY …, "limit by"(3, 0, a)`, and `LIMIT 5, 10` becomes `LIMIT 10 OFFSET 5`. */
  #limit(): boolean {
    const [first, sign] = [this.#next(), this.#next(this.#next())];
    const second = this.#next(sign);
    const isPair = this.#word(sign) === ",";
    const isOffset = this.#word(sign) === "offset";
    const by = isPair || isOffset ? this.#next(second) : sign;
    const [count, skipped] = isPair ? [second, first] : [first, isOffset ? second : -1];
    const [limit, offset] = [this.#word(count), this.#word(skipped) || "0"];
    if (this.#word(by) === "by") {
      this.#put(`${this.#frame.hasOrder ? ", " : "ORDER BY "}"limit by"(${limit}, ${offset}, `);
      Object.assign(this.#frame, { close: ") ", hasOrder: false });
      this.#at = by;
      return true;
    }
    if (isPair) this.#at = second;
    return isPair && this.#put(`LIMIT ${limit} OFFSET ${offset}`);
  }
}
