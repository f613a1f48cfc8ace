import { Failure } from "../values/failure.ts";

/** A calculation with the numbers of series: `A` is the first, `B` the second. */
export type Formula = {
  text: string;
  /** Returns null if a number that it needs is null, or if the result is not finite. */
  of(numbers: readonly (number | null)[]): number | null;
};

/** Characters of a formula. */
export const FORMULA_CHARS_MAX = 400;

/** Levels of nested brackets and signs. */
const DEPTH_MAX = 50;

type Part = (numbers: readonly (number | null)[]) => number;

const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z])(?![A-Za-z])|([-+*/()]))/y;
const FIRST_LETTER = 65;

/**
 * Reads a formula over `series` series: letters, decimal numbers, `+ - * /` and brackets. Fails
 * `invalid_input` with the field `attr`.
 */
export function readFormula(text: string, series: number, attr: string): Formula {
  const last = String.fromCharCode(FIRST_LETTER + series - 1);
  const malformed = () => {
    const letters = series === 1 ? "A" : `A to ${last}`;
    const detail = `A formula of ${letters}, numbers, + - * / and brackets is expected, of at most ${FORMULA_CHARS_MAX} characters.`;
    return new Failure("invalid_input", detail, attr);
  };
  if (text.length > FORMULA_CHARS_MAX) throw malformed();
  const tokens = tokensOf(text);
  if (tokens === undefined) throw malformed();
  const part = reader(tokens, series, malformed)();
  return {
    text,
    of(numbers) {
      const value = part(numbers);
      return Number.isFinite(value) ? value : null;
    },
  };
}

function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const found = TOKEN.exec(trimmed);
    if (found === null) return undefined;
    tokens.push((found[0] ?? "").trim().toUpperCase());
  }
  return tokens;
}

const OPERATIONS: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

/** Returns a parser of the tokens, by precedence. */
function reader(tokens: readonly string[], series: number, malformed: () => Failure): () => Part {
  let at = 0;
  let depth = 0;
  const chain = (operators: string, operand: () => Part) => (): Part => {
    let left = operand();
    for (let token = tokens[at]; token !== undefined && operators.includes(token); ) {
      at += 1;
      const [a, b] = [left, operand()];
      const operation = OPERATIONS[token] as (a: number, b: number) => number;
      left = (numbers) => operation(a(numbers), b(numbers));
      token = tokens[at];
    }
    return left;
  };
  const atom = (): Part => {
    const token = tokens[at];
    at += 1;
    depth += 1;
    if (token === undefined || depth > DEPTH_MAX) throw malformed();
    const part = atomOf(token);
    depth -= 1;
    return part;
  };
  const sum = chain("+-", chain("*/", atom));
  const atomOf = (token: string): Part => {
    if (token === "-") {
      const negated = atom();
      return (numbers) => -negated(numbers);
    }
    if (token === "(") {
      const inner = sum();
      if (tokens[at] !== ")") throw malformed();
      at += 1;
      return inner;
    }
    const index = token.charCodeAt(0) - FIRST_LETTER;
    if (index >= 0 && index < series) return (numbers) => numbers[index] ?? Number.NaN;
    const number = Number(token);
    if (Number.isNaN(number)) throw malformed();
    return () => number;
  };
  return () => {
    const part = sum();
    if (at < tokens.length) throw malformed();
    return part;
  };
}
