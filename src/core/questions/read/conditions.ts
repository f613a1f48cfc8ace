import { type NameIndex, numbersAmong, type PropertyInfo, spoken } from "../names/index.ts";
import { nameStems, nameWords, stemOf } from "../text/stems.ts";
import { inUnitOf, numbersIn } from "./numbers.ts";
import type { Compared, Condition, Part } from "./parts.ts";
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
    places.each(pattern, (found) => equalNumber(found, index));
  }
  places.each("PROP _ IS_UNSET", (found) => isSet(found, false));
  places.each("PROP _ IS_SET", (found) => isSet(found, true));
  places.each(
    "PROP (_ (EV|EVPART|PERSON|VISITOR|PAYER))? (VERSUS|OR|AND) _ (WITHOUT|{non|not}) (PROP)? ",
    either,
  );
  places.each("PROP _ (IS_IT|EXACTLY|{is|was|:})? {true|yes|false|no}", isTrue);
  places.each("(SET_ANY|WITHOUT|{with}) _ GROUP", (found) => hasGroup(found, index));
  places.each("WITHOUT _ PROP", (found) => (isVerb(found) ? undefined : isSet(found, false)));
  places.each("SET_ANY PROP", (found) => isSet(found, true));
  places.each("{fail(?:ed|s|ing)?|succe[a-z]+|un[a-z][a-z][a-z]+}", (found) =>
    outcome(found, index),
  );
  // "Orders that are a gift", "premium articles": a boolean says what something is.
  places.each("PROP", isSo);
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

const propertiesIn = (found: Found): readonly PropertyInfo[] => {
  const [place] = found.free("PROP");
  const [near] = found.free("NEARPROP");
  if (place !== undefined) return found.term(place).properties;
  return near === undefined ? [] : found.term(near).near;
};

/** A condition with the same values for each possible property; undefined without properties. */
const condition = (
  found: Found,
  properties: readonly PropertyInfo[],
  operator: string,
  values: string[],
  more: Partial<Condition> = {},
): Condition | undefined =>
  conditionOn(
    found,
    properties.map((property) => ({ property, values, isExact: true })),
    { operator, isNamed: true, ...more },
  );

/** Returns a condition with the possible properties and their values; undefined without properties. */
export const conditionOn = (
  found: Found,
  of: Condition["of"],
  more: Pick<Condition, "operator" | "isNamed"> & Partial<Condition>,
): Condition | undefined =>
  of.length === 0
    ? undefined
    : { kind: "filter", of, text: found.free().map(found.text).join(" "), ...more };

function numeric(found: Found, compared: Compared): Condition | undefined {
  const properties = numbersAmong(propertiesIn(found)).filter(
    ({ name }) => inUnitOf(name, compared) !== undefined,
  );
  const bounds = inUnitOf(properties[0]?.name ?? "", compared) ?? compared.bounds;
  const values = bounds.map(({ number }) => String(number));
  return condition(found, properties, "exact", values, { bounds });
}

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

function isSet(found: Found, is: boolean): Condition | undefined {
  const properties = propertiesIn(found);
  const type = properties[0]?.type;
  if (type === "boolean") return condition(found, properties, "exact", [String(is)]);
  if (type === "number" && !is) return condition(found, properties, "exact", ["0"]);
  return condition(found, properties, is ? "is_set" : "is_not_set", []);
}

/** Reads "runs that failed" and "unresolved tickets" by yes-or-no properties such as `ok` and `resolved`. */
function outcome(found: Found, { properties, ownWords }: NameIndex): Condition | undefined {
  const [{ word, tags } = { word: "", tags: [] }] = found.all;
  if (tags.length > 0 || ownWords.has(word)) return undefined;
  const [, base] = /^un(.+)$/.exec(word) ?? [];
  const isSame = base === undefined ? /^(?:ok|success(?:ful)?|succeeded|passed)$/ : undefined;
  const named = properties.filter(
    ({ of, name, type }) =>
      of === "event" &&
      type === "boolean" &&
      (isSame?.test(spoken(name)) ?? nameStems(name).at(-1) === stemOf(base ?? "")),
  );
  return condition(found, named, "exact", [String(word.startsWith("succ"))]);
}

/** Reads "VIP versus non-VIP", with a line for each. */
function either(found: Found): Condition | undefined {
  const [first, second = first] = found.of("PROP");
  if (first === undefined || found.before?.tags.includes("BY") === true) return undefined;
  const same = new Set(found.term(second ?? first).properties);
  const properties = found
    .term(first)
    .properties.filter((one) => one.type === "boolean" && same.has(one));
  return condition(found, properties, "exact", ["true", "false"], { isEach: true });
}

/** Reads "ok is false". */
function isTrue(found: Found): Condition | undefined {
  const properties = propertiesIn(found).filter(({ type }) => type === "boolean");
  const is = /^(?:true|yes)$/.test(found.all.at(-1)?.word ?? "");
  return condition(found, properties, "exact", [String(is)]);
}

/** Reads a boolean property as a condition if it stands before an event or after a form of "be". */
function isSo(found: Found): Condition | undefined {
  const { before, after } = found;
  const properties = propertiesIn(found).filter(({ type }) => type === "boolean");
  const isAfterBe = BE.test(`${before?.word} ${found.all[0]?.word}`);
  const isLabel = ["BY", "PER", "WHICH", "MOST"].some((tag) => before?.tags.includes(tag));
  const isAdjective =
    !isLabel &&
    ["EV", "EVPART", "VAL", "PERSON", "VISITOR", "PAYER"].some((tag) => after?.tags.includes(tag));
  // A plural such as "students" or "first purchases" is a condition too.
  const isNoun = !isLabel && /[^s]s$/.test(found.all[0]?.word ?? "");
  // "Charged on fast chargers", "for remote jobs".
  const isObject = /^(?:on|for|with|in|from|at|using|via)$/.test(before?.word ?? "");
  // "Handed in late".
  const isAdverb = before?.part === undefined && before?.tags.includes("DONE") === true;
  return isAfterBe || isAdjective || isNoun || isObject || isAdverb
    ? condition(found, properties, "exact", ["true"])
    : undefined;
}

const BE = /^\S*(?:^| )(?:is|are|was|were|be|been|being)[ _]/;

/** Reads a property and the values next to it; undefined if there are no values. */
function listed(found: Found): Condition | undefined {
  if (["BY", "FIRST_TOUCH", "LAST_TOUCH"].some((tag) => found.before?.tags.includes(tag)))
    return undefined;
  const named = found.of("PROP")[0];
  const places = found.free("VAL", "QUOTED").filter((place) => place !== named);
  if (places.length === 0) return undefined;
  const of = propertiesIn(found).flatMap((property) => {
    const values = places.flatMap((place) => storedValue(place, property, found) ?? []);
    return values.length === places.length ? [{ property, values, isExact: true }] : [];
  });
  const isNot = found.of("WITHOUT", "EXCEPT", "DIFFERS").length > 0;
  const isEach = found.of("VERSUS").length > 0 ? { isEach: true as const } : {};
  return conditionOn(found, of, { operator: isNot ? "is_not" : "exact", isNamed: true, ...isEach });
}

/** The stored value of a property that a place names. Text in quotes is used as written. */
function storedValue(
  place: At,
  { of, name, group, type }: PropertyInfo,
  found: Found,
): string | undefined {
  const { values, words, events, number } = found.term(place);
  const known = values.find(
    ({ property }) => property.of === of && property.name === name && property.group === group,
  );
  // In "companies with "order placed" events", the quoted text is an event.
  const isEvent = events.length > 0 && !found.all.some(({ word }) => IS_WORD.test(word));
  const isText = words[0]?.isQuoted === true && (type !== "number" || number !== undefined);
  return known?.value ?? (isText && !isEvent ? words[0]?.text : undefined);
}
