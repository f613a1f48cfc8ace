import { Failure } from "../values/failure.ts";

/** A calculation with the numbers of series, `A` is the first and `B` the second; `name` is the caller's. */
export type Formula = { text: string; name?: string; part: FormulaPart };

/** A part of a formula: two parts and their operator, the index of a series, or a number. */
export type FormulaPart =
  | { operator: Operator; of: [FormulaPart, FormulaPart] }
  | { series: number }
  | { number: number };

type Operator = "+" | "-" | "*" | "/";

/** Returns the indexes of the series that a formula names. */
export function seriesIn({ part }: Pick<Formula, "part">): number[] {
  if ("operator" in part) return part.of.flatMap((one) => seriesIn({ part: one }));
  return "series" in part ? [part.series] : [];
}

/** Characters of a formula. */
export const FORMULA_CHARS_MAX = 400;

/** Levels of nested brackets and signs. */
const DEPTH_MAX = 50;

/** Returns the result of a formula; null if a number that it needs is null, or if the result is not finite. */
export function calculated({ part }: Formula, numbers: readonly (number | null)[]): number | null {
  const numberOf = (one: FormulaPart): number => {
    if ("number" in one) return one.number;
    if ("series" in one) return numbers[one.series] ?? Number.NaN;
    const [a, b] = one.of;
    return OPERATIONS[one.operator](numberOf(a), numberOf(b));
  };
  const value = numberOf(part);
  return Number.isFinite(value) ? value : null;
}

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
  return { text, part: reader(tokens, series, malformed)() };
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

const OPERATIONS: Record<Operator, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

/** Returns a parser of the tokens, by precedence. */
function reader(tokens: readonly string[], series: number, malformed: () => Failure) {
  let at = 0;
  let depth = 0;
  const chain = (operators: string, operand: () => FormulaPart) => (): FormulaPart => {
    let left = operand();
    for (let token = tokens[at]; token !== undefined && operators.includes(token); ) {
      at += 1;
      left = { operator: token as Operator, of: [left, operand()] };
      token = tokens[at];
    }
    return left;
  };
  const atom = (): FormulaPart => {
    const token = tokens[at];
    at += 1;
    depth += 1;
    if (token === undefined || depth > DEPTH_MAX) throw malformed();
    const part = atomOf(token);
    depth -= 1;
    return part;
  };
  const sum = chain("+-", chain("*/", atom));
  const atomOf = (token: string): FormulaPart => {
    if (token === "-") {
      return { operator: "-", of: [{ number: 0 }, atom()] };
    }
    if (token === "(") {
      const inner = sum();
      if (tokens[at] !== ")") throw malformed();
      at += 1;
      return inner;
    }
    const index = token.charCodeAt(0) - FIRST_LETTER;
    if (index >= 0 && index < series) return { series: index };
    const number = Number(token);
    if (Number.isNaN(number)) throw malformed();
    return { number };
  };
  return (): FormulaPart => {
    const part = sum();
    if (at < tokens.length) throw malformed();
    return part;
  };
}
