import { refuse } from "../tree.ts";
import { BRACES, HOGQL_SYNTAX_REFUSED, UNNAMED } from "./refused.ts";
import { refuseOthers } from "./statements.ts";
import {
  AFTER_CONDITIONS,
  BEGINS,
  CLAUSES,
  JOINS,
  NO_CALLS,
  SIGNS,
  type Token,
  tokensOf,
  unescaped,
} from "./tokens.ts";
import { Written } from "./written.ts";

/** A statement that DuckDB's parser reads, and the texts of the columns of its first SELECT. */
export type Readable = { written: Written; columns: string[] };

/**
 * Rewrites the words of HogQL that DuckDB's parser does not read. Words with a meaning become calls of names in
 * quotes, to which `rewrite.ts` gives the meaning. `fill` returns the SQL of a name in braces. Fails `invalid_input`
 * on what only ClickHouse has.
 */
export function readableSql(text: string, fill: (name: string) => string): Readable {
  const tokens = tokensOf(text);
  const skeleton = tokens.map(({ kind, space, word }) => {
    const shown = /ted|ticked|dollars/.test(kind) ? " " : word;
    return space === "" ? shown : ` ${shown}`;
  });
  refuseOthers(tokens);
  const [, advice] = HOGQL_SYNTAX_REFUSED.find(([syntax]) => syntax.test(skeleton.join(""))) ?? [];
  if (advice !== undefined) return refuse(advice);
  return new Reading(tokens, text, fill).read();
}

/** The state within one pair of brackets; `close` ends the part that was begun. */
type Frame = { close: string; hasOrder: boolean; isArray: boolean; isUnnamed: boolean };
const frame = (): Frame => ({ close: "", hasOrder: false, isArray: false, isUnnamed: false });

const isOpen = (word: string) => word === "(" || word === "[";
const isClose = (word: string) => word === ")" || word === "]";

/** The reading of one statement; its methods return the SQL of a token, and may skip the next ones. */
class Reading {
  readonly #tokens: readonly Token[];
  readonly #text: string;
  readonly #fill: (name: string) => string;
  readonly #frames: Frame[] = [frame()];
  readonly #columns: string[] = [];
  /** Where the text of a column of the first SELECT begins. */
  #column: number | null = null;
  #at = 0;

  constructor(tokens: readonly Token[], text: string, fill: (name: string) => string) {
    this.#tokens = tokens;
    this.#text = text;
    this.#fill = fill;
  }

  read(): Readable {
    const written = new Written(this.#text);
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at] as Token;
      written.add(token, this.#read(token));
    }
    const end = this.#text.replace(/[\s;]+$/, "").length;
    this.#endColumn(end);
    written.add({ space: "", at: end }, this.#endClause());
    return { written, columns: this.#columns };
  }

  #read({ kind, text, word }: Token): string {
    if (kind === "text") return unescaped(text);
    if (kind === "ticked") return `"${text.slice(1, -1).replaceAll('"', '""')}"`;
    if (kind === "sign") return this.#sign(word);
    return kind === "word" ? this.#name(text, word) : text;
  }

  get #frame(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  /** The word of a token before or after this one, by how far it is. */
  #word(distance: number): string {
    return this.#tokens[this.#at + distance]?.word ?? "";
  }

  /** The distance of the bracket that ends what one opens. */
  #closing(open: number): number {
    let depth = 0;
    for (let distance = open; this.#at + distance < this.#tokens.length; distance += 1) {
      if (isOpen(this.#word(distance))) depth += 1;
      if (isClose(this.#word(distance))) depth -= 1;
      if (depth === 0) return distance;
    }
    return this.#tokens.length - this.#at;
  }

  #endColumn(end: number): void {
    if (this.#column === null || this.#frames.length > 1) return;
    this.#columns.push(this.#text.slice(this.#column, end).replace(/\s+/g, " ").trim());
    this.#column = null;
  }

  #endClause(): string {
    if (this.#frame.isUnnamed) refuse(UNNAMED);
    const { close } = this.#frame;
    Object.assign(this.#frame, { close: "", isArray: false });
    return close;
  }

  #sign(word: string): string {
    if (word === "{") return this.#braces();
    if (word === ",") return this.#comma();
    if (word === "." && this.#isPlace()) return this.#place();
    if (isOpen(word)) this.#frames.push(frame());
    if (isClose(word)) {
      const ended = this.#endClause();
      if (this.#frames.length > 1) this.#frames.pop();
      return ended + word;
    }
    const isMatch = word === "~" && /[\w)\]"'`]$/.test(this.#word(-1));
    return isMatch ? "|~" : (SIGNS[word] ?? word);
  }

  /** Whether a dot stands before the place of a part of a tuple, as in `x.2`. */
  #isPlace(): boolean {
    const [before, dot, place] = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2);
    const isAfter = before !== dot && /[\w)\]"`]$/.test(before?.text ?? "");
    return isAfter && place?.kind === "number" && `${dot?.space}${place.space}` === "";
  }

  #place(): string {
    this.#at += 1;
    return this.#word(0)
      .split(".")
      .map((place) => (/^\d+$/.test(place) ? `['.${place}']` : `['${place}']`))
      .join("");
  }

  #comma(): string {
    if (this.#word(1) === ")") return "";
    const { at } = this.#tokens[this.#at] as Token;
    const isColumn = this.#column !== null && this.#frames.length === 1;
    this.#endColumn(at);
    if (isColumn) this.#column = at + 1;
    if (!this.#frame.isArray) return ",";
    if (this.#frame.isUnnamed) refuse(UNNAMED);
    this.#frame.isUnnamed = true;
    return ", unnest(";
  }

  #braces(): string {
    const end = this.#tokens.findIndex(({ word }, at) => at > this.#at && word === "}");
    const name = this.#textOf(this.#at + 1, end).trim();
    if (end < 0 || !/^[a-zA-Z_][\w.]*$/.test(name)) refuse(BRACES);
    this.#at = end;
    return this.#fill(name);
  }

  #textOf(from: number, to: number): string {
    const tokens = this.#tokens.slice(from, to);
    return tokens.map(({ space, text }) => space + text).join("");
  }

  #name(text: string, word: string): string {
    const isPart = this.#word(-1) === ".";
    const isCall = this.#word(1) === "(";
    const clause = isPart ? undefined : this.#clause(text, word);
    if (clause !== undefined) return clause;
    if (word.startsWith("$")) return `"${text}"`;
    if (!isCall || isPart) return text;
    return this.#isQuoted(word) ? `"${word.replace(/inframe$/, "")}"` : this.#call(text);
  }

  /** Whether a word before a bracket is a call here, which DuckDB's parser takes for something else. */
  #isQuoted(word: string): boolean {
    const before = this.#word(-1);
    const end = this.#closing(1);
    switch (word) {
      case "and":
      case "or":
      case "in":
        return BEGINS.has(before === "not" ? this.#word(-2) : before);
      case "array":
        return this.#word(2) !== "select";
      // DuckDB's parser makes NOT (a < b) a >= b, which is not true where a is missing.
      case "not":
        return (
          AFTER_CONDITIONS.has(this.#word(end + 1)) && !/^(?:select|with)$/.test(this.#word(2))
        );
      case "any":
        return !/[=<>]$/.test(before);
      case "cast":
        return this.#hasComma(end);
      case "extract":
        return this.#word(3) !== "from";
      case "position":
        return this.#tokens.slice(this.#at, this.#at + end).every((one) => one.word !== "in");
      default:
        return word === "laginframe" || word === "leadinframe" || word === "char";
    }
  }

  /** Whether the brackets after this word have a comma of their own, as in `CAST(a, 'Float64')`. */
  #hasComma(end: number): boolean {
    for (let distance = 2; distance < end; distance += 1) {
      if (isOpen(this.#word(distance))) distance = this.#closing(distance);
      else if (this.#word(distance) === ",") return true;
    }
    return false;
  }

  /** A call, or one with two pairs of brackets: `quantile(0.9)(x)` becomes `"quantile()"(0.9, x)`. */
  #call(text: string): string {
    const second = this.#closing(1) + 1;
    if (NO_CALLS.has(text.toLowerCase()) || this.#word(second) !== "(") return text;
    const given = this.#textOf(this.#at + 2, this.#at + second - 1);
    this.#frames.push(frame());
    this.#at += second;
    return `"${text}()"(${given}${given === "" ? "" : ", "}`;
  }

  /** A word that begins or ends a part of a SELECT; undefined if it is to be read as a name. */
  #clause(text: string, word: string): string | undefined {
    const isPart = CLAUSES.has(word);
    if (word === "from" || isPart) this.#endColumn((this.#tokens[this.#at] as Token).at);
    if (word === "where" && this.#frame.close === ")") return ") AND (";
    const isEnd = isPart || (this.#frame.isArray && JOINS.has(word) && this.#word(1) !== "(");
    const ended = isEnd ? this.#endClause() : "";
    if (isEnd && word !== "limit") this.#frame.hasOrder = word === "order";
    const begun = this.#begun(word);
    return begun === undefined && !isEnd ? undefined : ended + (begun ?? text);
  }

  #begun(word: string): string | undefined {
    const [before, after] = [this.#word(-1), this.#word(1)];
    switch (word) {
      case "select":
        return this.#select();
      case "except":
        return before === "*" && after === "(" ? "EXCLUDE" : undefined;
      case "prewhere":
        this.#frame.close = ")";
        return "WHERE (";
      case "limit":
        return this.#limit();
      case "as":
        return this.#named();
      case "array":
        return after === "join" ? this.#arrayJoin("CROSS", 1, "") : undefined;
      case "left":
        return after === "array" ? this.#arrayJoin("LEFT", 2, " ON true") : undefined;
      case "global":
        return after === "in" || after === "not" ? "" : undefined;
      case "final":
        return /^\w+$/.test(before) && after !== "." && after !== "(" ? "" : undefined;
      default:
        return undefined;
    }
  }

  #select(): undefined {
    if (this.#frames.length > 1 || this.#columns.length > 0) return;
    const { at, text } = this.#tokens[this.#at + (this.#word(1) === "distinct" ? 1 : 0)] as Token;
    this.#column = at + text.length;
  }

  #named(): string | undefined {
    const { isUnnamed } = this.#frame;
    this.#frame.isUnnamed = false;
    return isUnnamed ? ") AS" : undefined;
  }

  #arrayJoin(kind: string, distance: number, on: string): string {
    const close = `) AS "array join"${on} `;
    Object.assign(this.#frame, { isArray: true, isUnnamed: true, close });
    this.#at += distance;
    return `${kind} JOIN LATERAL (SELECT unnest(`;
  }

  /** `LIMIT 3 BY a` becomes `ORDER BY …, "limit by"(3, 0, a)`, and `LIMIT 5, 10` becomes `LIMIT 10 OFFSET 5`. */
  #limit(): string | undefined {
    const isPair = this.#word(2) === ",";
    const hasSecond = isPair || this.#word(2) === "offset";
    const [count, skipped] = isPair ? [3, 1] : [1, 3];
    const [limit, offset] = [this.#word(count), hasSecond ? this.#word(skipped) : "0"];
    const by = hasSecond ? 4 : 2;
    if (this.#word(by) === "by") {
      const begun = this.#frame.hasOrder ? ", " : "ORDER BY ";
      Object.assign(this.#frame, { close: ") ", hasOrder: false });
      this.#at += by;
      return `${begun}"limit by"(${limit}, ${offset}, `;
    }
    if (isPair) this.#at += 3;
    return isPair ? `LIMIT ${limit} OFFSET ${offset}` : undefined;
  }
}
