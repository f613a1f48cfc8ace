import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { anyCasePattern, folded } from "../../../core/values/case-folding.ts";
import { Failure } from "../../../core/values/failure.ts";
import {
  DECIMAL,
  type FilterGroup,
  isGroup,
  type PropertyFilter,
  type PropertyTest,
  type Range,
} from "../../../core/values/property-filter.ts";
import { versionPatterns } from "../../../core/values/version-range.ts";
import { quoted, rows } from "../engine/duckdb.ts";

/** Binds a value to a statement and returns the parameter that stands for it. */
export type Bind = (value: string | number, type?: string) => string;

/** Parameters of a statement that is put together, `v0` and so on, and what is bound to them. */
export function binder(): { values: Record<string, DuckDBValue>; bind: Bind } {
  const values: Record<string, DuckDBValue> = {};
  let count = 0;
  const bind: Bind = (value, type = "VARCHAR") => {
    const name = `v${count++}`;
    values[name] = value;
    return `$${name}::${type}`;
  };
  return { values, bind };
}

/** Regular expressions in the filters of one request. The slowest take 0.1 s each before they read any text. */
export const PATTERNS_MAX = 20;

/**
 * RE2 takes no backtracking pattern and none that is too large: fails `invalid_input` on those, and
 * on more than PATTERNS_MAX; `attr` is to blame (decision 48).
 */
export async function checkPatterns(
  connection: DuckDBConnection,
  filters: readonly PropertyFilter[],
  attr: string,
): Promise<void> {
  const patterns = filters.flatMap(({ test }) => (test.is === "matches" ? test.any : []));
  if (patterns.length > PATTERNS_MAX) {
    const detail = `At most ${PATTERNS_MAX} regular expressions are taken.`;
    throw new Failure("invalid_input", detail, attr);
  }
  for (const pattern of patterns) {
    try {
      await rows(connection, "SELECT regexp_matches('', $pattern)", { pattern });
    } catch (error) {
      if (!String(error).includes("Invalid Input Error")) throw error;
      const detail = "A regular expression of RE2 is expected, which has no lookaround.";
      throw new Failure("invalid_input", detail, attr);
    }
  }
}

/**
 * The condition that a filter is passed; `textAt` says where the property's text is, of a parameter
 * that is its JSON pointer. What has no value passes no test, and so every test that is turned round.
 */
export function passes(
  { key, not, test }: PropertyFilter,
  textAt: (pointer: string) => string,
  bind: Bind,
): string {
  const text = textAt(bind(pointer(key)));
  // A lambda, so that the text is taken out of the JSON once, and not for each of many values.
  const passed = `list_transform([${text}], lambda t: ${tested(test, "t", bind)})[1]`;
  return `(${passed}) IS ${not ? "NOT TRUE" : "TRUE"}`;
}

/** The condition that a group is met; `one` is that of what is no group. */
export function groupMet<F extends object>(
  { any, of }: FilterGroup<F>,
  one: (filter: F) => string,
): string {
  const each = of.map((part) => (isGroup(part) ? groupMet(part, one) : one(part)));
  return `(${each.join(any ? " OR " : " AND ")})`;
}

/** The same of a property that is a column of its own. */
export function passesIn(column: string, { not, test }: PropertyFilter, bind: Bind): string {
  return `(${tested(test, column, bind)}) IS ${not ? "NOT TRUE" : "TRUE"}`;
}

/** The condition that a text passes a test. */
export function tested(test: PropertyTest, text: string, bind: Bind): string {
  switch (test.is) {
    case "set":
      return `${text} IS NOT NULL`;
    case "date":
      return `regexp_full_match(${text}, '${ISO_TIME}') AND (${dated(test, text, bind)})`;
    case "version":
      // Written out, so that they are compiled once, and of digits alone.
      return versionPatterns(test)
        .map((pattern) => `regexp_full_match(${text}, ${quoted(pattern)})`)
        .join(" AND ");
    default:
      return textTested(test, text, bind);
  }
}

/** Characters of a part that a pattern is made of: a longer one is compared as the engine folds it. */
const PATTERN_CHARS_MAX = 4000;

/**
 * The condition that a text has a part in any case, as `folded` has it (decision 107): the engine's `lower` is
 * another in some letters, none of which is ASCII.
 */
export function hasPart(text: string, part: string, bind: Bind): string {
  const has = `contains(lower(${text}), ${bind(folded(part))})`;
  if (part.length > PATTERN_CHARS_MAX) return has;
  return `CASE WHEN strlen(${text}) = length(${text}) THEN ${has}
    ELSE regexp_matches(${text}, ${bind(anyCasePattern(part))}) END`;
}

/** Tests of a text alone, or of the number that it is. */
type TextTest = Exclude<PropertyTest, { is: "set" } | { is: "date" } | { is: "version" }>;

/** The condition that such a test is passed. */
function textTested(test: TextTest, text: string, bind: Bind): string {
  const any = (values: string[], one: (value: string) => string) =>
    values.map((value) => one(bind(value))).join(" OR ") || `${text} IN (NULL)`;
  // As a text: whole numbers would be bound as integers of 64 bits.
  const bound = (value: number) => bind(String(value), "DOUBLE");
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  const ofNumber = (condition: string) => `CASE
    WHEN ${text} < '${BEHIND_DIGITS}' AND isfinite(${number}) AND ${condition}
    THEN regexp_full_match(${text}, '${DECIMAL}') END`;
  switch (test.is) {
    case "equal":
      return any(test.any, (value) => `${text} = ${value}`);
    case "contains":
      return test.any.map((part) => hasPart(text, part, bind)).join(" OR ") || `${text} IN (NULL)`;
    case "starts":
      return any(test.any, (value) => `starts_with(${text}, ${value})`);
    case "ends":
      return any(test.any, (value) => `ends_with(${text}, ${value})`);
    case "matches":
      return any(test.any, (value) => `regexp_matches(${text}, ${value})`);
    case "compare":
      if (test.number === null) return `${text} ${test.by} ${bind(test.text)}`;
      return ofNumber(`${number} ${test.by} ${bound(test.number)}`);
    case "between":
      return ofNumber(`${number} BETWEEN ${bound(test.from)} AND ${bound(test.to)}`);
  }
}

/**
 * What comes behind whatever begins as a number: the engine takes four times as long to find that a text
 * is none as to read one. Its numbers are more than ours, such as `1_000`, ` 1 ` and `.5`, but to look at
 * each whether it is of ours takes as long as the rest, so that it is looked at last.
 */
const BEHIND_DIGITS = ":";

/** The finite number that a text is (decision 105); null if it is none. */
export function numberOf(text: string): string {
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  return `CASE WHEN ${text} < '${BEHIND_DIGITS}' AND isfinite(${number})
      AND regexp_full_match(${text}, '${DECIMAL}') THEN ${number} END`;
}

/** ISO 8601, with a time of day or without: the engine takes `infinity` and `epoch` for times, too. */
const ISO_TIME = String.raw`\s*\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?\s*([Zz]|[+-]\d\d(:?\d\d)?)?)?\s*`;

/** What comes behind the time of day where a time has a zone. */
const ZONED = String.raw`:\d\d([.,]\d+)?\s*([Zz]|[+-]\d\d(:?\d\d)?)\s*$`;

/** A test of a time. */
type DateTest = Extract<PropertyTest, { is: "date" }>;

/** A time without a zone is on the clock of the filter's, or in UTC, which is the engine's. */
function dated({ wall, ...instant }: DateTest, text: string, bind: Bind): string {
  const ranged = (type: string, range: Range) =>
    within(`TRY_CAST(${text} AS ${type})`, range, (time) => bind(time, type));
  if (wall === undefined) return ranged("TIMESTAMPTZ", instant);
  return `CASE WHEN regexp_matches(${text}, '${ZONED}') THEN ${ranged("TIMESTAMPTZ", instant)}
    ELSE ${ranged("TIMESTAMP", wall)} END`;
}

function within<T>(
  value: string,
  { from, before }: { from: T | null; before: T | null },
  bind: (bound: T) => string,
): string {
  return [
    ...(from === null ? [] : [`${value} >= ${bind(from)}`]),
    ...(before === null ? [] : [`${value} < ${bind(before)}`]),
  ].join(" AND ");
}

/** A key as a JSON pointer (RFC 6901): as a path, `$` and dots in it would mean something. */
export function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The text of a property in a column of JSON; `pointer` is a parameter of its JSON pointer. */
export function textIn(pointer: string, column = "properties"): string {
  return `json_extract_string(${column}, ${pointer})`;
}
