import type { EventFilter } from "../queries/query-fields.ts";
import type { JsonObject } from "../values/json.ts";
import type { PropertyTest } from "../values/property-filter.ts";
import { propertyIn, unknownProperty } from "./breakdowns.ts";
import type { Known } from "./names.ts";

/** The words for each operator of a filter. `is not` comes before `is`, because the first match counts. */
const OPERATORS: readonly [words: string, operator: string][] = [
  ["is not set", "is_not_set"],
  ["is set", "is_set"],
  ["is not", "is_not"],
  ["is", "exact"],
  ["does not contain", "not_icontains"],
  ["contains", "icontains"],
  ["does not match", "not_regex"],
  ["matches", "regex"],
  ["starts with", "starts_with"],
  ["ends with", "ends_with"],
  [">=", "gte"],
  ["<=", "lte"],
  [">", "gt"],
  ["<", "lt"],
  ["=", "exact"],
];

const OPERATOR = new RegExp(` (${OPERATORS.map(([words]) => words).join("|")})(?= |$)`, "gi");

/** Operators without a value. */
const VALUELESS: ReadonlySet<string> = new Set(["is_set", "is_not_set"]);

/** Operators with one value. */
const SINGLE: ReadonlySet<string> = new Set(["gt", "gte", "lt", "lte"]);

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * Splits off the filters that come last, such as `where plan is "pro" and amount > 3`. A value with a space, "and" or "or" is
 * in double quotes. Fails `invalid_input` on an unknown property.
 */
export function filtersAtEnd(
  text: string,
  known: Known,
): { rest: string; properties?: JsonObject[] } {
  const [where, conditions] = /(?:^| )where (.+)$/i.exec(text) ?? [];
  if (where === undefined || conditions === undefined || known.event(text.trim()) !== undefined)
    return { rest: text };
  const properties = conditions.split(/ and /i).map((one) => conditionIn(one, known));
  return { rest: text.slice(0, -where.length), properties };
}

function conditionIn(text: string, known: Known): JsonObject {
  for (const { 0: found, 1: words = "", index } of text.matchAll(OPERATOR)) {
    const property = propertyIn(text.slice(0, index), known);
    if (property === undefined) continue;
    const [, operator = ""] = OPERATORS.find(([one]) => one === words.toLowerCase()) ?? [];
    const rest = text.slice(index + found.length).trim();
    const texts = rest === "" ? [] : rest.split(/ or /i).map((one) => one.trim());
    const values = texts.map(known.text);
    checkCount(values.length, { operator, words, known });
    const value = values.length > 1 ? values : typedValue(operator, values[0]);
    return {
      key: property.property,
      type: property.type,
      operator,
      ...(value === undefined ? {} : { value }),
    };
  }
  throw unknownProperty(text.split(OPERATOR, 1)[0] ?? text, known);
}

function typedValue(operator: string, text: string | undefined): string | number | undefined {
  return text !== undefined && SINGLE.has(operator) && NUMBER.test(text) ? Number(text) : text;
}

function checkCount(
  count: number,
  { operator, words, known }: { operator: string; words: string; known: Known },
): void {
  const least = VALUELESS.has(operator) ? 0 : 1;
  const most = SINGLE.has(operator) ? 1 : Number.POSITIVE_INFINITY;
  if (count < least) throw known.refused(`A value is missing after ${words}.`);
  if (count > (least === 0 ? 0 : most))
    throw known.refused(`One value too many stands after ${words}.`);
}

/** Returns the words of a filter, as `filtersAtEnd` reads them; undefined if no words say it. */
export function filterWords(
  { of, filter }: EventFilter,
  nameOf: (name: string) => string,
): string | undefined {
  const test = testWords(filter.test, filter.not);
  if (test === undefined || of.type === "group" || of.type === "session") return undefined;
  return `${of.type === "person" ? "person " : ""}${nameOf(filter.key)} ${test}`;
}

const TESTS: Partial<Record<PropertyTest["is"], [is: string, not?: string]>> = {
  set: ["is set", "is not set"],
  equal: ["is", "is not"],
  contains: ["contains", "does not contain"],
  matches: ["matches", "does not match"],
  starts: ["starts with"],
  ends: ["ends with"],
};

function testWords(test: PropertyTest, isNot: boolean): string | undefined {
  if (test.is === "compare") {
    const value = NUMBER.test(test.text) ? test.text : JSON.stringify(test.text);
    return isNot ? undefined : `${test.by} ${value}`;
  }
  const words = TESTS[test.is]?.[isNot ? 1 : 0];
  if (words === undefined || test.is === "set") return words;
  const values = "any" in test ? test.any : [];
  return values.length === 0
    ? undefined
    : `${words} ${values.map((one) => JSON.stringify(one)).join(" or ")}`;
}
