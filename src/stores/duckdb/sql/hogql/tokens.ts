import { named, refuse } from "../tree.ts";

/** Spaces and remarks, texts in dollars, texts, names in quotes, numbers, names, signs, and all else. */
const TOKENS =
  /(?<space>--[^\n]*|\/\*[\s\S]*?\*\/|\s+)|(?<dollars>(?<![\w$.])\$(\w*)\$[\s\S]*?\$\3\$)|(?<text>'(?:[^'\\]|\\[\s\S]|'')*')|(?<quoted>"(?:[^"]|"")*")|(?<ticked>`[^`]+`)|(?<number>\d[\w.]*)|(?<word>[a-zA-Z_$][\w$]*)|(?<sign>\?\?|=~\*?|!~\*?|->>?|[|&<>!=]{2}|[\s\S])/g;

/**
 * A part of a statement: its kind is the name of a group of TOKENS, `word` is in lower case, and `space` are the spaces
 * and remarks before it.
 */
export type Token = { kind: string; text: string; word: string; space: string; at: number };

/** Returns the parts of a statement; the last one is its end. Fails on a quote that is not closed. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let space = "";
  for (const { 0: all, groups = {}, index } of text.matchAll(TOKENS)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "sign";
    const word = kind === "text" ? "''" : all.toLowerCase();
    if (kind === "sign" && word === "'") refuse(UNCLOSED);
    const isKey = tokens.at(-1)?.word === "." && space === "";
    const made = kind === "number" && !isKey ? plainNumber(all, text[index + all.length]) : all;
    if (kind !== "space") tokens.push({ kind, text: made, word, space, at: index });
    space = kind === "space" ? space + all : "";
  }
  return [...tokens, { kind: "end", text: "", word: "", space, at: text.length }];
}

/** Returns a number as DuckDB reads it. Fails on one with other letters in it, which DuckDB would take for a name. */
function plainNumber(text: string, next = ""): string {
  if (/^0(?:x[\da-f]+|b[01]+)$/i.test(text)) return String(BigInt(text.toLowerCase()));
  if (/^\d[\d_]*(?:[.]\d*)?(?:e\d+)?$/i.test(text)) return text;
  if (/^\d+(?:[.]\d*)?e$/i.test(text) && /[-+]/.test(next)) return text;
  return refuse(
    `${named(text)} is no number: a number has no letters, a name begins with one, a text has quotes.`,
  );
}

/** Escapes of ClickHouse; a backslash before another sign stays, so that '\d' is a pattern. */
const ESCAPES: Record<string, string> = {
  ...{
    n: "\n",
    t: "\t",
    r: "\r",
    b: "\b",
    f: "\f",
    a: "\x07",
    v: "\v",
    e: "\x1b",
    0: "\0",
    "\\": "\\",
  },
  ...{ "'": "'", '"': '"', "`": "`", "/": "/", "=": "=" },
};

/** Returns the text of bytes that are written as `\\xc3\\xa9`. */
function utf8(codes: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Buffer.from(codes.replace(/\\x/gi, ""), "hex"),
    );
  } catch {
    return refuse(`${codes} is no character in UTF-8: write the character itself.`);
  }
}

/** Returns a text of ClickHouse as DuckDB has it. */
export function unescaped(text: string): string {
  const plain = text.slice(1, -1).replaceAll("''", "\\'");
  const made = plain.replace(/((?:\\x[0-9a-f]{2})+)|\\([\s\S])/gi, (all, codes, sign: string) =>
    codes === undefined ? (ESCAPES[sign] ?? all) : utf8(codes),
  );
  if (/\0/.test(made)) refuse("SQL has no character of code 0.");
  return `'${made.replaceAll("'", "''")}'`;
}

/** Returns what to write in place of signs that stand in no condition here; empty without such signs. */
export function signAdvice(text: string): string {
  const has = tokensOf(text).some(({ kind, word }) => kind === "sign" && /&&|\|\|/.test(word));
  return has ? ". Conditions are joined by AND and OR, not by && and ||" : "";
}

/** The failure of a quote that is left over. */
const UNCLOSED = String.raw`A quote is opened and not closed. A backslash is written \\, as in 'C:\\'.`;

const setOf = (words: string) => new Set(words.split(" "));
const ENDS = "where prewhere group having order limit offset qualify window union except intersect";
/** Words that begin a part of a SELECT. */
export const CLAUSES = setOf(ENDS);
/** Words that end a list of ARRAY JOIN. */
export const JOINS = setOf("join inner left right full cross semi anti array on using");
/** Words that may follow a condition in brackets; the end of a statement has an empty one. */
export const AFTER_CONDITIONS = setOf(` , ) ; and or then else end as from ${ENDS}`);
/** Words before a bracket that are no calls. */
export const NO_CALLS = setOf(
  `${ENDS} in values over filter by as and or not on using when then else from join between like ilike all exists select with recursive distinct interval exclude replace`,
);
/** Where an expression begins, so that `and(a, b)` is a call. */
export const BEGINS = setOf("( , select where prewhere and or on having when then else by if");
/** Signs of HogQL, and the signs that stand for them. */
export const SIGNS: Record<string, string> = {
  ...{ "??": "|||", "=~": "|~", "!~": "|!~", "=~*": "|~*", "!~*": "|!~*" },
  // DuckDB would read x->-x as one sign.
  "->": "-> ",
};
