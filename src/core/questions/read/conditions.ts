import { PEOPLE } from "../measures/items.ts";
import { type NameIndex, numbersAmong, type PropertyInfo, sameIn, spoken } from "../names/index.ts";
import { nameWords } from "../text/stems.ts";
import { either, isDoneBy, isSo, isTrue, outcome, without } from "./flags.ts";
import { inUnitOf, numbersIn } from "./numbers.ts";
import {
  type Compared,
  type Condition,
  condition,
  conditionOn,
  type Part,
  propertiesIn,
} from "./parts.ts";
import type { Match, Place, Places } from "./rules.ts";

type Found = Match<Part>;
type At = Place<Part>;

const IS = "({is}|{be}|{are}|{was}|{were}|{of}|{:}|{equals}|EXACTLY)";
const IS_WORD = /^(?:is|be|are|was|were|equals|is_not|be_not|[:=]|!=)$/;
const VALUES =
  "(VAL|QUOTED)(((AND|OR|VERSUS|{,}|{, or}) _ ({by|from|with|via|on|in})? _)+ (VAL|QUOTED))*";

/** Text operators by the tags of their words. */
export const TEXT_OPERATORS = [
  ["CONTAINS", "icontains"],
  ["STARTS", "starts_with"],
  ["ENDS", "ends_with"],
] as const;

/** Reads conditions that name their property, such as "plan is pro". */
export function readNamedConditions(places: Places<Part>, index: NameIndex): void {
  for (const pattern of ["CMP _ PROP", "PROP _ CMP"]) {
    places.each(pattern, (found) => numeric(found, found.of("CMP")[0]?.part as Compared));
  }
  // "A status of 400 or more" is on the property `statusCode`.
  places.each("NEARPROP {of|is|was} _ CMP", (found) =>
    numeric(found, found.of("CMP")[0]?.part as Compared),
  );
  places.each(`(EXCEPT|WITHOUT) _ PROP _ (BY)? _ ${VALUES}`, listed);
  places.each(`PROP _ ${IS}? _ (WITHOUT|EXCEPT|DIFFERS)? _ ${VALUES}`, listed);
  places.each("PROP {is|equals|=|:} {[a-z]}", (found) => letter(found, index));
  places.each(`(EXCEPT|WITHOUT) _ ${VALUES} ({as|in|for})? PROP`, listed);
  places.each(`${VALUES} PROP`, listed);
  for (const [tag, is] of [
    ["OR_MORE", "gte"],
    ["OR_LESS", "lte"],
  ] as const) {
    places.each(`NUM PROP ${tag}`, (found) =>
      numeric(found, { kind: "cmp", bounds: [{ is, number: numbersIn(found)[0] ?? 0 }] }),
    );
  }
  const numbers = "(WITHOUT|EXCEPT|DIFFERS)? _ NUM((OR|AND|{,}) NUM)*";
  for (const pattern of [`PROP (EXACTLY|{is}|{of}|{:})? ${numbers}`, `${numbers} PROP`]) {
    places.each(pattern, (found) => (isLimit(found) ? undefined : equalNumber(found, index)));
  }
  places.each("PROP _ IS_UNSET", (found) =>
    condition(found, propertiesIn(found), "is_not_set", []),
  );
  places.each("PROP _ IS_SET", (found) => condition(found, propertiesIn(found), "is_set", []));
  places.each(
    "PROP (_ (EV|EVPART|PERSON|VISITOR|PAYER))? (VERSUS|OR|AND) _ (WITHOUT|{non|not}) (PROP)? ",
    either,
  );
  places.each("PROP _ (IS_IT|EXACTLY|{is|was|:})? {true|yes|false|no}", isTrue);
  places.each("(SET_ANY|WITHOUT|{with}) _ GROUP", (found) => hasGroup(found, index));
  places.each("WITHOUT _ PROP", (found) =>
    isVerb(found) || isDoneTo(found) ? undefined : without(found, index),
  );
  places.each("SET_ANY PROP", (found) => isSo(found, true));
  places.each("{fail(?:ed|s|ing)?|succe[a-z]+|un[a-z][a-z][a-z]+}", (found) =>
    outcome(found, index),
  );
  // "Orders that are a gift", "premium articles": a boolean says what something is.
  places.each("{by} _ PROP", isDoneBy);
  places.each("PROP", (found) => isSo(found));
  for (const [tag, operator] of TEXT_OPERATORS) {
    places.each(`PROP _ (WITHOUT)? _ ${tag} (QUOTED|PAGE|VAL|EV|PROP)`, (found) => {
      const value = found.all.at(-1) as At;
      // The last word is the value, even if it is also the name of a property.
      const named = found.free("PROP").find((place) => place !== value);
      const properties = named === undefined ? [] : found.term(named).properties;
      const not = found.of("WITHOUT").length > 0 ? "not_" : "";
      const text = found.term(value).page ?? found.text(value);
      return condition(found, properties, `${not}${operator}`, [text]);
    });
  }
}

/** "Size is s", "grade is a": a letter is a value where the property that has it is named. */
function letter(found: Found, index: NameIndex): Condition | undefined {
  const known = index.values.get(found.text(found.all.at(-1) as At).toLowerCase()) ?? [];
  const valuesOf = (property: PropertyInfo) =>
    known.filter((one) => one.property === property).map(({ value }) => value);
  const properties = propertiesIn(found).filter((one) => valuesOf(one).length > 0);
  return conditionOn(
    found,
    properties.map((property) => ({ property, values: valuesOf(property), isExact: true })),
    { operator: "exact", isNamed: true },
  );
}

/** Reads "searches with the word dental", "searches that mention webp": a part of the text that people searched. */
export function readTexts(places: Places<Part>, index: NameIndex): void {
  const searched = index.properties.filter(
    ({ of, name, type }) => of === "event" && type === "text" && SEARCHED.test(spoken(name)),
  );
  const part = (found: Found) =>
    condition(found, searched, "icontains", [found.text(found.all.at(-1) as At)]);
  places.each("(CONTAINS|{with|for}) _ {word|term|phrase} {[^|>]+}", part);
  places.each("CONTAINS _ QUOTED", part);
  places.each("CONTAINS _ {(?!the\\b|an?\\b|>)[^|>]+}", (found) =>
    found.all.at(-1)?.tags.length === 0 ? part(found) : undefined,
  );
}

/** Names of properties with the text that people searched. */
const SEARCHED = /^(?:search )?(?:query|term|text)$/;

function numeric(found: Found, compared: Compared): Condition | undefined {
  // "Users with at least 2 orders" are people, also if a number is called "users".
  const [named] = found.free("PROP");
  const isOfPeople = PEOPLE.some((tag) => named?.tags.includes(tag));
  if (isOfPeople && found.all.length > 2) return undefined;
  const properties = numbersAmong(propertiesIn(found)).filter(
    ({ name }) => inUnitOf(name, compared) !== undefined,
  );
  const bounds = inUnitOf(properties[0]?.name ?? "", compared) ?? compared.bounds;
  const values = bounds.map(({ number }) => String(number));
  return condition(found, properties, "exact", values, { bounds });
}

/** Whether the number in "top 5 levels" and "which 3 levels" is one of lines. */
const isLimit = ({ all, before }: Found): boolean =>
  all[0]?.tags.includes("NUM") === true &&
  before?.part === undefined &&
  ["MOST", "LEAST", "WHICH"].some((tag) => before?.tags.includes(tag));

function equalNumber(found: Found, index: NameIndex): Condition | undefined {
  const numbers = numbersIn(found).map(String);
  // Filters compare texts, so a number stands for all its stored spellings.
  const spellings = (number: string, property: PropertyInfo) =>
    (index.values.get(`#${number}`) ?? []).flatMap((one) =>
      one.property === property ? one.value : [],
    );
  const of = propertiesIn(found).flatMap((property) => {
    const stored = numbers.map((number) => spellings(number, property));
    if (property.type !== "number" && stored.some(({ length }) => length === 0)) return [];
    const values = [...new Set([...numbers, ...stored.flat()])];
    return [{ property, values, isExact: true }];
  });
  const isNot = found.of("WITHOUT", "EXCEPT", "DIFFERS").length > 0;
  return conditionOn(found, of, { operator: isNot ? "is_not" : "exact", isNamed: true });
}

/** Whether "pay" in "did not pay" is the verb of an event, and not the property "payment". */
function isVerb(found: Found): boolean {
  const { words, partOf, properties } = found.term(found.all.at(-1) as At);
  const [{ low, stem } = { low: "", stem: "" }] = words;
  const isOfEvent = partOf.some(({ verbs }) => verbs.has(stem));
  return isOfEvent && !properties.some(({ name }) => nameWords(name).includes(low));
}

/** Whether "no seats" in "booked no seats" is the thing of the event, and not its number. */
function isDoneTo(found: Found): boolean {
  const { before } = found;
  if (before === undefined || before.part !== undefined) return false;
  const { events, partOf } = found.term(before);
  const own = found.term(found.all.at(-1) as At).partOf;
  return own.some((one) => events.includes(one) || partOf.includes(one));
}

/** Reads "with a company" and "without a company". */
function hasGroup(found: Found, index: NameIndex): Condition | undefined {
  const { group } = found.term(found.all.at(-1) as At);
  const property = index.properties.find(
    (one) => one.of === "group" && one.group === group?.index && one.name === "name",
  );
  if (property === undefined) return undefined;
  const operator = found.of("WITHOUT").length > 0 ? "is_not_set" : "is_set";
  return conditionOn(found, [{ property, values: [], isExact: true }], { operator, isNamed: true });
}

/** Reads a property and the values next to it; undefined if there are no values. */
function listed(found: Found): Condition | undefined {
  if (["BY", "FIRST_TOUCH", "LAST_TOUCH"].some((tag) => found.before?.tags.includes(tag)))
    return undefined;
  const named = found.of("PROP")[0];
  const places = found.free("VAL", "QUOTED").filter((place) => place !== named);
  if (places.length === 0) return undefined;
  const of = propertiesIn(found).flatMap((property) => {
    const values = places.map((place) => storedValues(place, property, found));
    return values.every(({ length }) => length > 0)
      ? [{ property, values: values.flat(), isExact: true }]
      : [];
  });
  const isNot = found.of("WITHOUT", "EXCEPT", "DIFFERS").length > 0;
  const isEach = found.of("VERSUS").length > 0 ? { isEach: true as const } : {};
  return conditionOn(found, of, { operator: isNot ? "is_not" : "exact", isNamed: true, ...isEach });
}

/** The stored values of a property that a place names. Text in quotes is used as written. */
function storedValues(
  place: At,
  { of, name, group, type }: PropertyInfo,
  found: Found,
): readonly string[] {
  const { values, words, events, number } = found.term(place);
  const known = values.find(
    ({ property }) => property.of === of && property.name === name && property.group === group,
  );
  // In "companies with "order placed" events", the quoted text is an event.
  const isEvent = events.length > 0 && !found.all.some(({ word }) => IS_WORD.test(word));
  const isText = words[0]?.isQuoted === true && (type !== "number" || number !== undefined);
  if (known !== undefined) return sameIn(values, known);
  return isText && !isEvent ? [words[0]?.text ?? ""] : [];
}
