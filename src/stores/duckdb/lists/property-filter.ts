import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { anyCasePattern, folded } from "../../../core/values/case-folding.ts";
import { Failure } from "../../../core/values/failure.ts";
import { DECIMAL } from "../../../core/values/filter-operators.ts";
import {
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

/** Collects the parameters of a statement, `v0` and so on, and their values. */
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

/** Regular expressions in the filters of one request. The slowest take 0.1 s before they read a text (decision 48). */
export const PATTERNS_MAX = 20;

/**
 * Fails `invalid_input` with the field `attr` on patterns that RE2 refuses, and on more than PATTERNS_MAX.
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

/** Properties that are lists of texts: filters and lines look at each text, as in PostHog. */
const TEXT_LISTS: ReadonlySet<string> = new Set([
  ...["$exception_types", "$exception_values", "$exception_sources", "$exception_functions"],
]);

/** Whether filters and lines look at each text of a property of events. */
export const isTextList = (key: string): boolean => TEXT_LISTS.has(key);

/** Returns SQL of the texts in a list, which is given as JSON; another value is one text itself. */
export const itemsOf = (text: string): string =>
  `coalesce(TRY_CAST(TRY_CAST(${text} AS JSON) AS VARCHAR[]), [${text}])`;

/** Returns the condition that a test holds for the text of a property, or for one of several texts in it. */
export function anyText(
  { key, test }: Pick<PropertyFilter, "key" | "test">,
  text: string,
  condition: (text: string) => string,
): string {
  if (!isTextList(key) || test.is === "set") return condition(text);
  return `len(list_filter(${itemsOf(text)}, lambda item: ${condition("item")})) > 0`;
}

/**
 * Returns the condition of a filter; `textAt` returns SQL of the text of a property from a parameter with
 * its JSON pointer. A missing value fails each test, and so passes each negated one.
 */
export function passes(
  filter: PropertyFilter,
  textAt: (pointer: string) => string,
  bind: Bind,
): string {
  const { key, not, test } = filter;
  const text = textAt(bind(pointer(key)));
  if (isTextList(key)) return passesIn(text, filter, bind);
  // A lambda reads the text from the JSON once, not once for each value.
  const passed = `list_transform([${text}], lambda t: ${tested(test, "t", bind)})[1]`;
  return `(${passed}) IS ${not ? "NOT TRUE" : "TRUE"}`;
}

/** Returns the condition of a group; `one` returns the condition of a filter. */
export function groupMet<F extends object>(
  { any, of }: FilterGroup<F>,
  one: (filter: F) => string,
): string {
  const each = of.map((part) => (isGroup(part) ? groupMet(part, one) : one(part)));
  return `(${each.join(any ? " OR " : " AND ")})`;
}

/** Returns the condition of a filter whose property is a column. */
export function passesIn(column: string, filter: PropertyFilter, bind: Bind): string {
  const passed = anyText(filter, column, (text) => tested(filter.test, text, bind));
  return `(${passed}) IS ${filter.not ? "NOT TRUE" : "TRUE"}`;
}

/** Returns the condition that a text passes a test. */
export function tested(test: PropertyTest, text: string, bind: Bind): string {
  switch (test.is) {
    case "set":
      return `${text} IS NOT NULL`;
    case "date":
      return `regexp_full_match(${text}, '${ISO_TIME}') AND (${dated(test, text, bind)})`;
    case "version":
      // Literal patterns are compiled once; they have only digits, so quoting is safe.
      return versionPatterns(test)
        .map((pattern) => `regexp_full_match(${text}, ${quoted(pattern)})`)
        .join(" AND ");
    default:
      return textTested(test, text, bind);
  }
}

/** Longest part that becomes a pattern; longer parts are compared by DuckDB's `lower`. */
const PATTERN_CHARS_MAX = 4000;

/**
 * Returns the condition that a text contains a part in any case. Texts that are not ASCII are compared by a
 * pattern, because DuckDB's `lower` folds some 390 letters in another way than `folded` (decision 107).
 */
export function hasPart(text: string, part: string, bind: Bind): string {
  const has = `contains(lower(${text}), ${bind(folded(part))})`;
  if (part.length > PATTERN_CHARS_MAX) return has;
  return `CASE WHEN strlen(${text}) = length(${text}) THEN ${has}
    ELSE regexp_matches(${text}, ${bind(anyCasePattern(part))}) END`;
}

/** A test of a text, or of the number in it. */
type TextTest = Exclude<PropertyTest, { is: "set" } | { is: "date" } | { is: "version" }>;

function textTested(test: TextTest, text: string, bind: Bind): string {
  const any = (values: string[], one: (value: string) => string) =>
    values.map((value) => one(bind(value))).join(" OR ") || `${text} IN (NULL)`;
  // Bound as a text, because whole numbers would be bound as integers of 64 bits.
  const bound = (value: number) => bind(String(value), "DOUBLE");
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  const ofNumber = (condition: string) => `CASE
    WHEN ${text} < '${AFTER_DIGITS}' AND isfinite(${number}) AND ${condition}
    THEN regexp_full_match(${text}, '${DECIMAL}') END`;
  switch (test.is) {
    case "equal":
      return [
        any(test.any, (value) => `${text} = ${value}`),
        ...(test.numbers === undefined
          ? []
          : [`(${ofNumber(`${number} IN (${test.numbers.map(bound).join(", ")})`)})`]),
      ].join(" OR ");
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
 * A text that sorts after all texts that begin like a number. The comparison with it comes first, because
 * DuckDB needs four times as long to refuse a text as to read a number. The regular expression comes last,
 * because it is slow. It refuses numbers that only DuckDB takes (`1_000`, ` 1 `, `.5`).
 */
const AFTER_DIGITS = ":";

/** Returns SQL of the finite number in a text; null if the text is no such number. */
export function numberOf(text: string): string {
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  return `CASE WHEN ${text} < '${AFTER_DIGITS}' AND isfinite(${number})
      AND regexp_full_match(${text}, '${DECIMAL}') THEN ${number} END`;
}

/** ISO 8601 with or without a time of day; DuckDB would also take `infinity` and `epoch`. */
const ISO_TIME = String.raw`\s*\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?\s*([Zz]|[+-]\d\d(:?\d\d)?)?)?\s*`;

/** The end of a time with a zone. */
const ZONED = String.raw`:\d\d([.,]\d+)?\s*([Zz]|[+-]\d\d(:?\d\d)?)\s*$`;

/** A test of a time. */
type DateTest = Extract<PropertyTest, { is: "date" }>;

// A time without a zone is on the clock of the filter. Without such a clock it is UTC, as in DuckDB.
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

/** Returns a key as a JSON pointer (RFC 6901), because `$` and dots have a meaning in a path. */
export function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns SQL of the text of a property in a JSON column; `pointer` is a parameter with its JSON pointer. */
export function textIn(pointer: string, column = "properties"): string {
  return `json_extract_string(${column}, ${pointer})`;
}
