import { Failure } from "./errors.ts";
import { isObject, type Json, type JsonObject, storableText } from "./json.ts";
import { isoTime, parseTime, TIME_MS_MAX, TIME_MS_MIN } from "./time.ts";
import { type Version, versionRange } from "./version-range.ts";

/** What a property's value is tested for; a property that is missing or null passes no test. */
export type PropertyTest =
  | { is: "set" }
  /** Its text against any of these: what is no text is tested as JSON. `contains` ignores case. */
  | { is: "equal" | "contains" | "starts" | "ends" | "matches"; any: string[] }
  /** By `number` where both are numbers, else by `text`. */
  | { is: "compare"; by: ">" | ">=" | "<" | "<="; text: string; number: number | null }
  | { is: "between"; from: number; to: number }
  /** From a time on and before another, ISO 8601. */
  | { is: "date"; from: string | null; before: string | null }
  /** From a version on and before another. */
  | { is: "version"; from: Version | null; before: Version | null };

/** One condition on a property of a person or event; `not` turns the test round (decision 48). */
export type PropertyFilter = { key: string; not: boolean; test: PropertyTest };

/** Filters of one request, and values of one filter. */
export const PROPERTY_FILTERS_MAX = 50;
const VALUES_MAX = 1000;

/**
 * Reads filters from the parameter `properties`: each text is a filter as a JSON object, or a list
 * of them; all must pass. `now` is what relative dates count from, in milliseconds. Fails
 * `invalid_input`.
 */
export function propertyFilters(texts: readonly string[], now: number): PropertyFilter[] {
  const filters = texts.flatMap((text) => {
    const value = parse(text);
    return Array.isArray(value) ? value : [value];
  });
  if (filters.length > PROPERTY_FILTERS_MAX) {
    throw malformed(`At most ${PROPERTY_FILTERS_MAX} filters are taken.`);
  }
  return filters.map((filter) => propertyFilter(filter, now));
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("A JSON list of filters is expected, or one filter as a JSON object.");
  }
}

/** One filter, on what `of` says has the property. Fails as {@link propertyFilters} does. */
export function propertyFilter(
  filter: Json,
  now: number,
  of: "event" | "person" = "person",
): PropertyFilter {
  if (!isObject(filter)) throw malformed("A filter is an object with key, operator and value.");
  const { key, operator = "exact", type = of } = filter;
  if (typeof key !== "string") throw malformed("A filter's key is the name of a property.");
  if (type !== of) throw malformed(`Only filters of the type ${of} are known.`);
  const read = typeof operator === "string" ? OPERATORS.get(operator) : undefined;
  if (read === undefined) {
    throw malformed(`An operator is one of ${[...OPERATORS.keys()].join(", ")}.`);
  }
  const { not = false, ...test } = read(filter, now);
  return { key: storableText(key), not, test: test as PropertyTest };
}

type Read = (filter: JsonObject, now: number) => PropertyTest & { not?: boolean };

const not =
  (read: Read): Read =>
  (filter, now) => ({ ...read(filter, now), not: true });
const texts =
  (is: "equal" | "contains" | "starts" | "ends" | "matches"): Read =>
  (filter) => ({ is, any: textsOf(filter) });
const compare =
  (by: ">" | ">=" | "<" | "<="): Read =>
  (filter) => {
    const text = textOf(single(filter));
    const number = text.trim() === "" ? Number.NaN : Number(text);
    return { is: "compare", by, text, number: Number.isFinite(number) ? number : null };
  };
const version =
  (operator: Parameters<typeof versionRange>[0]): Read =>
  (filter) => {
    const range = versionRange(operator, textOf(single(filter)));
    if (range === undefined) throw malformed("A version like 1.2.3 is expected.");
    return { is: "version", ...range };
  };
const set: Read = () => ({ is: "set" });

/** Every operator that is known. */
const OPERATORS = new Map<string, Read>([
  ["exact", texts("equal")],
  ["is_not", not(texts("equal"))],
  ["in", texts("equal")],
  ["not_in", not(texts("equal"))],
  // Projects have no rules for cleaning paths, so that every path is clean.
  ["is_cleaned_path_exact", texts("equal")],
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
  ["is_date_exact", date((from, before) => ({ from, before }))],
  ["is_date_before", date((from) => ({ from: null, before: from }))],
  ["is_date_after", date((_, before) => ({ from: before, before: null }))],
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

function between(filter: JsonObject): PropertyTest {
  const pair = given(filter);
  const [from, to] = Array.isArray(pair) && pair.length === 2 ? pair.map(Number) : [];
  if (from === undefined || to === undefined || !Number.isFinite(from + to)) {
    throw malformed("A list of two numbers is expected.");
  }
  return { is: "between", from, to };
}

type Range = { from: string | null; before: string | null };

/** Reads a date as the time it spans: a whole day where no time of day is given. */
function date(range: (from: string, before: string) => Range): Read {
  return (filter, now) => {
    const { from, before } = span(textOf(single(filter)), now, filter["operator"]);
    return { is: "date", ...range(iso(from), iso(before)) };
  };
}

const DAY_MS = 86_400_000;
const MICROSECOND_MS = 0.001;
const RELATIVE = /^-(\d{1,4})([Mhdwmqy])$/;
const DATE_ONLY = /^\d{4}-\d\d-\d\d$/;

function span(text: string, now: number, operator: Json | undefined) {
  const relative = RELATIVE.exec(text);
  const time = relative === null ? parseTime(text) : earlier(now, relative);
  if (time === undefined) {
    throw malformed("A time in ISO 8601 is expected, or a relative one such as -7d.");
  }
  const isDay = DATE_ONLY.test(text) || (relative !== null && operator === "is_date_exact");
  if (!isDay) return { from: time, before: time + MICROSECOND_MS };
  const day = Math.floor(time / DAY_MS) * DAY_MS;
  return { from: day, before: day + DAY_MS };
}

const UNIT_MS = new Map([
  ["M", 60_000],
  ["h", 3_600_000],
  ["d", DAY_MS],
  ["w", 7 * DAY_MS],
]);
const UNIT_MONTHS = new Map([
  ["m", 1],
  ["q", 3],
  ["y", 12],
]);

/** A month before the 31st may have no 31st: then it is its last day. */
function earlier(now: number, [, count = "", unit = ""]: RegExpExecArray): number {
  const ms = UNIT_MS.get(unit);
  if (ms !== undefined) return now - Number(count) * ms;
  const time = new Date(now);
  const day = time.getUTCDate();
  time.setUTCDate(1);
  time.setUTCMonth(time.getUTCMonth() - Number(count) * (UNIT_MONTHS.get(unit) ?? 0));
  const last = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 0)).getUTCDate();
  time.setUTCDate(Math.min(day, last));
  return time.getTime();
}

function iso(ms: number): string {
  return isoTime(Math.min(Math.max(ms, TIME_MS_MIN), TIME_MS_MAX));
}

function given({ value }: JsonObject): Json {
  if (value === undefined || value === null) throw malformed("This operator needs a value.");
  return value;
}

function single(filter: JsonObject): Json {
  const value = given(filter);
  if (Array.isArray(value)) throw malformed("This operator takes one value.");
  return value;
}

function textsOf(filter: JsonObject): string[] {
  const value = given(filter);
  const list = Array.isArray(value) ? value : [value];
  if (list.length > VALUES_MAX) throw malformed(`A filter has at most ${VALUES_MAX} values.`);
  return list.map(textOf);
}

function textOf(value: Json): string {
  return storableText(typeof value === "string" ? value : JSON.stringify(value));
}

function malformed(detail: string): Failure {
  return new Failure("invalid_input", detail, "properties");
}
