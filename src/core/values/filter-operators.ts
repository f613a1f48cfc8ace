import type { Failure } from "./failure.ts";
import { type Json, storableText } from "./json.ts";
import type { PropertyTest, Range } from "./property-filter.ts";
import { isoTime } from "./time.ts";
import { versionRange } from "./version-range.ts";
import { type Moment, type TimeSpan, zonedSpan } from "./zoned-time.ts";

/** The input of an operator. */
type Given = Moment & {
  value: Json | undefined;
  malformed: (detail: string) => Failure;
};

type Read = (given: Given) => PropertyTest & { not?: boolean };

const not =
  (read: Read): Read =>
  (given) => ({ ...read(given), not: true });
const texts =
  (is: "contains" | "starts" | "ends" | "matches"): Read =>
  (given) => ({ is, any: textsOf(given) });
const equal: Read = (given) => {
  const any = textsOf(given);
  const numbers = any
    .filter((text) => EQUAL_NUMBER.test(text.trim()))
    .map(Number)
    .filter(isExact);
  return { is: "equal", any, ...(numbers.length > 0 && { numbers }) };
};
// Larger ones are ids, of which a double holds several as one number.
const isExact = (number: number) => Math.abs(number) <= Number.MAX_SAFE_INTEGER;
/** Texts that are in the order of their times. */
const DATED = /^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d.*)?)?$/;
const compare =
  (by: ">" | ">=" | "<" | "<="): Read =>
  (given) => {
    const text = textOf(single(given), given);
    const number = numberIn(text, given);
    if (number === null && !DATED.test(text)) {
      throw given.malformed(
        "A number is expected, or a time in ISO 8601. Write is_date_after or is_date_before for other times, and semver_gt and its relatives for versions.",
      );
    }
    return { is: "compare", by, text, number };
  };
const version =
  (operator: Parameters<typeof versionRange>[0]): Read =>
  (given) => {
    const range = versionRange(operator, textOf(single(given), given));
    if (range === undefined) throw given.malformed("A version like 1.2.3 is expected.");
    return { is: "version", ...range };
  };
const set: Read = () => ({ is: "set" });

/** Every operator that is known, and how its value is read. */
export const OPERATORS = new Map<string, Read>([
  ["exact", equal],
  ["is_not", not(equal)],
  ["in", equal],
  ["not_in", not(equal)],
  // Projects have no rules for cleaning paths, so that every path is clean.
  ["is_cleaned_path_exact", equal],
  ["icontains", texts("contains")],
  ["not_icontains", not(texts("contains"))],
  ["icontains_multi", texts("contains")],
  ["not_icontains_multi", not(texts("contains"))],
  ["starts_with", texts("starts")],
  ["ends_with", texts("ends")],
  ["regex", texts("matches")],
  ["not_regex", not(texts("matches"))],
  ["gt", compare(">")],
  ["gte", compare(">=")],
  ["min", compare(">=")],
  ["lt", compare("<")],
  ["lte", compare("<=")],
  ["max", compare("<=")],
  ["between", between],
  ["not_between", not(between)],
  ["is_set", set],
  ["is_not_set", not(set)],
  ["is_date_exact", date((from, before) => ({ from, before }), { agesAreDays: true })],
  ["is_date_before", date((from) => ({ from: null, before: from }), { isOpen: true })],
  ["is_date_after", date((_, before) => ({ from: before, before: null }), { isOpen: true })],
  ["semver_eq", version("eq")],
  ["semver_neq", not(version("eq"))],
  ["semver_gt", version("gt")],
  ["semver_gte", version("gte")],
  ["semver_lt", version("lt")],
  ["semver_lte", version("lte")],
  ["semver_tilde", version("tilde")],
  ["semver_caret", version("caret")],
  ["semver_wildcard", version("wildcard")],
]);

function between(given: Given): PropertyTest {
  const pair = some(given);
  const isPair = Array.isArray(pair) && pair.length === 2;
  const [from, to] = isPair ? pair.map((one) => numberIn(textOf(one, given), given)) : [];
  if (from == null || to == null) throw given.malformed("A list of two numbers is expected.");
  if (from > to) throw given.malformed("The smaller number comes first.");
  return { is: "between", from, to };
}

/** The texts that are numbers, as a pattern that the event store's engine takes, too (decision 105). */
export const DECIMAL = String.raw`[-+]?\d+(\.\d+)?([eE][-+]?\d+)?`;

const NUMBER = new RegExp(`^${DECIMAL}$`);
/** Without zeros before the number, because `007` may be an id. */
const EQUAL_NUMBER = new RegExp(`^(?![-+]?0\\d)${DECIMAL}$`);

/** The number in a text; null if the text is not a number. */
function numberIn(text: string, { malformed }: Given): number | null {
  const number = NUMBER.test(text.trim()) ? Number(text) : null;
  if (number === null || Number.isFinite(number)) return number;
  throw malformed(TOO_LARGE);
}

const TOO_LARGE = "A number is too large.";

/** Reads a date as the time it spans; with `isOpen` the range is all before or after it. */
function date(
  range: (from: string, before: string) => Range,
  { agesAreDays = false, isOpen = false },
): Read {
  const spanText = ({ from, before }: TimeSpan) => range(isoTime(from), isoTime(before));
  return (given) => {
    const { now, timezone } = given;
    const span = zonedSpan(textOf(single(given), given), { now, timezone, agesAreDays });
    if (span === undefined) {
      throw given.malformed("A time in ISO 8601 is expected, or a relative one such as -7d.");
    }
    const wall = timezone === "UTC" ? {} : { wall: spanText(span.wall) };
    return { is: "date", ...spanText(isOpen ? span.inner : span.instant), ...wall };
  };
}

function some({ value, malformed }: Given): Json {
  if (value === undefined || value === null) throw malformed("This operator needs a value.");
  return value;
}

function single(given: Given): Json {
  const value = some(given);
  if (Array.isArray(value)) throw given.malformed("This operator takes one value.");
  return value;
}

function textsOf(given: Given): string[] {
  const value = some(given);
  return (Array.isArray(value) ? value : [value]).map((one) => textOf(one, given));
}

function textOf(value: Json, { malformed }: Given): string {
  if (typeof value === "string") return storableText(value);
  if (typeof value === "object") {
    const one = value === null ? "null" : "An object";
    throw malformed(
      `${Array.isArray(value) ? "A list in a list" : one} is no value to compare with. Write a text, a number, true or false, or a list of these; a key such as station.city leads to a nested value.`,
    );
  }
  const text = String(value);
  // The event store writes 1e21, JavaScript 1e+21.
  return typeof value === "number" ? text.replace("e+", "e") : text;
}
