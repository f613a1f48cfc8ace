import { SQL_VIEWS } from "../../../core/sql/allowed.ts";
import { SQL_ATTR } from "../../../core/sql/extent.ts";
import { syntaxSentence, withEngineText } from "../../../core/sql/syntax.ts";
import { Failure } from "../../../core/values/failure.ts";

/** Returns the failure `invalid_input` of a statement. */
export function refused(detail: string): Failure {
  return new Failure("invalid_input", detail, SQL_ATTR);
}

/** Most characters of DuckDB's message in a failure. */
const MESSAGE_CHARS_MAX = 600;

const NO_PLAN =
  "DuckDB cannot plan this statement, by a fault of its own. Write it in another way: a query within a query as a JOIN, for example.";

/**
 * Returns the failure for an error of DuckDB before a statement runs. Such a message has names and types, but no
 * stored values. Returns undefined if the error is not about the statement.
 */
export function bindFailure({ message }: Error): Failure | undefined {
  // Unlike an internal error while a statement runs, it leaves the database as it is.
  if (/^(INTERNAL|Invalid|Serialization) Error: /.test(message)) return refused(NO_PLAN);
  const [found, kind] = /^(Binder|Catalog|Not implemented|Parser) Error: /.exec(message) ?? [];
  if (found === undefined) return undefined;
  const [said = ""] = message
    .slice(found.length)
    .split(/\n\nLINE |\n?\s*Candidate (?:functions|macros):/);
  const detail = said.replace(/\s+/g, " ").trim().slice(0, MESSAGE_CHARS_MAX);
  const better = BETTER.map(([pattern, write]) => {
    const match = pattern.exec(detail);
    return match === null ? undefined : write(detail, match);
  }).find((one) => one !== undefined);
  if (better !== undefined) return refused(better);
  const sentence =
    kind === "Parser"
      ? `${syntaxSentence(detail)}.`
      : "The SQL does not fit the tables, or the types of their columns.";
  return refused(withEngineText(sentence, detail));
}

/** Messages of DuckDB before a statement runs that do not say what to write. */
const BETTER: [message: RegExp, write: (detail: string, match: RegExpExecArray) => string][] = [
  [
    /^Values list "(\w+)" does not have a column named "(.*)"$/,
    (detail, [, table = "", column = ""]) => {
      const columns = Object.keys(SQL_VIEWS[table] ?? {});
      if (columns.length === 0) return detail;
      return `There is no column "${column}" in ${table}: there are ${columns.join(", ")}.`;
    },
  ],
  [
    /^Referenced column "(.*)" not found in FROM clause!(?: Candidate bindings: (.*))?$/,
    (detail, [, column, similar]) => {
      const offer = similar === undefined ? "" : ` Similar names: ${similar}.`;
      return withEngineText(`There is no column "${column}" in these tables.${offer}`, detail);
    },
  ],
  [
    /^column "(.*?)" must appear in the GROUP BY clause/,
    (detail, [, column]) =>
      withEngineText(`Add "${column}" to GROUP BY, or write any_value(${column}).`, detail),
  ],
  [
    /^Cannot compare values of type TIMESTAMP.* and type INTEGER/,
    (detail) => `${detail}. A time is written in quotes: '2026-11-30'.`,
  ],
  [
    /'(?:sum|avg)\(BOOLEAN\)'/,
    () => "A sum or average is of numbers: of a condition write countIf(condition) / count().",
  ],
];

// DuckDB's messages while a statement runs may have stored values, so callers get only these sentences.
const FAULTS: [message: RegExp, detail: string][] = [
  [/^Out of Memory Error/, "The query takes too much memory. Select less, or group by less."],
  [
    /^Invalid type Error: .*Invalid type for BETWEEN/,
    "One (a, b) is not compared with two bounds at once: compare a as well, or write one bound with OR.",
  ],
  [
    /^Invalid Input Error: More than one row returned by a subquery/,
    "A query that is a value has more than one row. Add LIMIT 1.",
  ],
  [
    /^Conversion Error: extract specifier /,
    "A part of a date is not known: year, quarter, month, week, day, hour, minute, second and the like.",
  ],
  [
    /^Not implemented Error: Unknown TimeZone/,
    "A time zone is not known. They are named like Europe/Berlin.",
  ],
  [
    /^Invalid Input Error: Could not parse string /,
    "A text is not in the format of strptime. try_strptime makes it NULL.",
  ],
  [
    /^Invalid Input Error: Failed to parse format/,
    "The format of strftime or strptime is not understood.",
  ],
  [
    /^Invalid Input Error: (?:missing|invalid|unexpected|no argument|bad|trailing) /,
    "The regular expression is not understood.",
  ],
  [
    /^Syntax Error: /,
    "LIKE is not understood: its pattern ends with the character of ESCAPE, or that is no ASCII character.",
  ],
  [
    /^Out of Range Error|^Conversion Error: (?:Type|Casting) .* out of range/s,
    "A number is too large for its type. A cast to DOUBLE makes room.",
  ],
  [
    /^(?:Conversion|Invalid Input|Not implemented|Out of Range) Error/,
    "A value cannot be converted or calculated with. TRY_CAST makes it NULL.",
  ],
];

/** Returns the failure for an error while a statement ran; other errors unchanged. */
export function failureOf(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const [, detail] = FAULTS.find(([message]) => message.test(error.message)) ?? [];
  return detail === undefined ? error : refused(detail);
}
