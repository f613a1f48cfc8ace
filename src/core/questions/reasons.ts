import { type EventInfo, type NameIndex, type PropertyInfo, spoken } from "./names/index.ts";
import type { Condition, Part } from "./read/parts.ts";
import { PEOPLE } from "./read/phrases.ts";
import type { Place, Places } from "./read/rules.ts";
import { folded, isSpelledLike, nameWords, stemOf } from "./text/stems.ts";

/** Words that were not understood, with their position in UTF-16 code units. */
type Said = { text: string; start: number };

/** The way to write a word that changes a question, where the query has no place for it. */
const OF_WORDS: readonly (readonly [words: RegExp, reason: string])[] = [
  [
    /^(?:only|just|merely|solely|exclusively|nothing but)$/,
    'It says that there was nothing else. Leave it out if there may have been, or write how often: "exactly once".',
  ],
  [
    /^(?:lost|los[et]s?|losing|churn(?:ed|ing)?)$/,
    'Ask for the lifecycle to see who became dormant: "lifecycle of page views".',
  ],
  [/^gain(?:s|ed|ing)?$/, 'Ask for new ones: "new visitors in November".'],
  [/^(?:still|yet|already)$/, 'Say when it was: "in the last 7 days".'],
  [
    /^(?:combined|together|altogether|in total|overall)$/,
    "Each count has a line of its own. Ask for one of them, or add them up.",
  ],
  [/^either$/, 'Put "or" between the two, and leave "either" out.'],
  [/^(?:neither|nor)$/, 'Write "who did not … and who did not …".'],
  [
    /^(?:but|except|excluding|exclude|save|besides|other than|apart from|except for|without)$/,
    'Write what to leave out right after "except": "except card", or "where method is not card".',
  ],
  [
    /busiest|quietest|peak/,
    "Ask which day, day of the week or hour had the most of an event: which day had the most page views.",
  ],
  [
    /latest|newest|oldest|earliest|most recent|\blast\b/,
    "Ask for its time, with your event in place of purchase: when was the last purchase, when was the first purchase.",
  ],
  [/touch|attribution/, "Name the event and the property: purchases by first touch utm source."],
];

const ofWords = (text: string): string | undefined =>
  OF_WORDS.find(([words]) => words.test(text))?.[1];

/** How many names a reason has. */
const NAMES_MAX = 3;

const quoted = (names: Iterable<string>): string =>
  [...new Set(names)]
    .slice(0, NAMES_MAX)
    .map((name) => JSON.stringify(name))
    .join(", ");

/** Own properties of an event, of numbers or of others. */
const propertiesOf = (event: EventInfo | undefined, isNumber: boolean): string[] =>
  [...(event?.properties.values() ?? [])]
    .filter(({ name, type }) => !/^\$|^utm_/.test(name) && (type === "number") === isNumber)
    .map(({ name }) => name);

/** Hints for a word of the grammar by its tags, for the event of the question. */
const OF_TAGS: readonly (readonly [
  tags: string,
  reason: (event: EventInfo) => string | undefined,
])[] = [
  [
    "CMP MORE LESS AT_LEAST AT_MOST OR_MORE OR_LESS BETWEEN EXACTLY",
    (event) => {
      const [name] = propertiesOf(event, true);
      return name === undefined
        ? `"${event.name}" has no property of numbers. For how often people did it, write "people with at least 2 ${event.name}".`
        : `Write the property before the number: "where ${name} is more than 10". Numbers of "${event.name}" are ${quoted(propertiesOf(event, true))}.`;
    },
  ],
  [
    "AVERAGE MEDIAN GREATEST SMALLEST HOW_LONG SUM P75 P90 P95 P99",
    (event) => {
      const [name] = propertiesOf(event, true);
      return name === undefined
        ? `"${event.name}" has no property of numbers to calculate with.`
        : `Write the number that is meant: "average ${name} of ${event.name}". Numbers of "${event.name}" are ${quoted(propertiesOf(event, true))}.`;
    },
  ],
  [
    "BY PER",
    (event) => {
      const names = propertiesOf(event, false);
      return names.length === 0
        ? undefined
        : `Write a property after it: "${event.name} by ${names[0]}". Properties of "${event.name}" are ${quoted(names)}.`;
    },
  ],
  [
    "SHARE RATE AS_SHARE",
    (event) => {
      const [name = "plan"] = propertiesOf(event, false);
      return `Write of what, and which part: "share of ${event.name} where ${name} is …".`;
    },
  ],
  [
    "WITHOUT",
    ({ name }) =>
      `Write "people who did not …" for people without an event, or "${name} where … is not …".`,
  ],
  ["IS_NEW FIRST_SEEN", ({ name }) => `Write "people with ${name} for the first time".`],
];

/** Returns a hint for words that were not understood. */
export function reasonFor(said: Said, places: Places<Part>, index: NameIndex): string {
  const text = folded(said.text);
  const ofWord = ofWords(text);
  if (ofWord !== undefined) return ofWord;
  const place = places
    .sequence()
    .find(({ from }) => places.terms[from]?.words.some(({ start }) => start === said.start));
  const [event] = places.sequence().flatMap(({ part }) => (part?.kind === "ev" ? part.event : []));
  const known =
    place === undefined
      ? undefined
      : (reasonOf(place, places, event) ?? ofBareNumber(places.terms[place.from]?.number, index));
  if (known !== undefined) return known;
  const close = closeTo(text, index);
  const names =
    close.length > 0 ? close : [...index.events.keys()].filter((one) => !/^\$/.test(one));
  const such = names.length === 0 ? "" : `, such as ${quoted(names)}`;
  return `Write the name of an event, property or value instead${such}, give the name this word by also_called, or ask in SQL.`;
}

/** The hint for a word of the grammar, or for a name in the wrong place. */
function reasonOf(
  { tags, from }: Place<Part>,
  places: Places<Part>,
  event: EventInfo | undefined,
): string | undefined {
  const ofTag =
    event === undefined
      ? undefined
      : OF_TAGS.find(([some]) => some.split(" ").some((tag) => tags.includes(tag)))?.[1](event);
  const { properties = [], values = [], partOf = [], words = [] } = places.terms[from] ?? {};
  const [property] = properties;
  if (ofTag !== undefined && property !== undefined)
    return `${ofTag} If the property ${property.name} is meant, write it in double quotes: ${JSON.stringify(property.name)}.`;
  if (ofTag !== undefined) return ofTag;
  if (property !== undefined) return ofProperty(property, event);
  const [value] = values;
  if (value !== undefined) {
    const { name } = value.property;
    return `It is a value of ${name}: write "where ${name} is ${JSON.stringify(value.value)}", or "by ${name}".`;
  }
  if (partOf.length > 0 && PEOPLE.test(words[0]?.low ?? ""))
    return `Write "people" for all of them, or "people with ${partOf[0]?.name}".`;
  return partOf.length === 0
    ? undefined
    : `It is a part of a name. Write the whole name: ${quoted(partOf.map(({ name }) => name))}.`;
}

/** The hint for a number that is a value of a property. */
function ofBareNumber(number: number | undefined, { values }: NameIndex): string | undefined {
  const [value] = number === undefined ? [] : (values.get(`#${number}`) ?? []);
  return value && `Write the property before it: "where ${value.property.name} is ${number}".`;
}

/** The hint for a property that the question leaves without a use. */
function ofProperty(
  { name, of, type, events = new Set() }: PropertyInfo,
  event?: EventInfo,
): string {
  const owner =
    of !== "event" || (event !== undefined && events.has(event.name)) ? event : undefined;
  const own = owner?.name ?? [...events][0] ?? "users";
  if (of === "event" && type === "number")
    return `Write what of it: "average ${name} of ${own}", "total ${name} of ${own}", "maximum ${name} of ${own}" or "${own} where ${name} is more than 10".`;
  return type === "boolean"
    ? `Write "${own} where ${name} is true", or "${own} by ${name}".`
    : `Write "${own} by ${name}", or "${own} where ${name} is …".`;
}

/** The hint where a question names nothing to count, as in "age by tier". */
export function reasonForNothing(text: string, places: Places<Part>): string {
  const ofWord = ofWords(folded(text));
  if (ofWord !== undefined) return ofWord;
  const all = places.sequence();
  const by = all.findIndex(({ tags }) => tags.includes("BY"));
  const named = all.map(({ part, tags, from }) =>
    part === undefined && tags.includes("PROP") ? places.terms[from]?.properties[0] : undefined,
  );
  const label = by < 0 ? undefined : named.slice(by).find((one) => one !== undefined);
  const first = named.find((one) => one !== undefined && one !== label);
  if (first?.type === "number") return ofNumber(first, label);
  const own = first ?? label;
  if (own !== undefined) return `Write what to count: "${ownerOf(own)} by ${(label ?? own).name}".`;
  const condition = all.flatMap(({ part }) => (part?.kind === "filter" ? part : []))[0];
  const property = condition?.of[0]?.property;
  return condition === undefined || property === undefined
    ? 'Write what to count: the name of an event, or "users".'
    : `Write what to count before it: "${ownerOf(property)} where ${property.name} ${isWhat(condition)}".`;
}

const COMPARED = {
  ...{ gt: "more than", gte: "at least", lt: "less than", lte: "at most", exact: "exactly" },
} as const;

/** A condition in words, after the name of its property. */
const isWhat = ({ bounds, of, operator }: Condition): string =>
  bounds === undefined
    ? `is ${operator === "exact" ? "" : "not "}${of[0]?.values.map((one) => JSON.stringify(one)).join(" or ")}`
    : `is ${bounds.map(({ is, number }) => `${COMPARED[is]} ${number}`).join(" and ")}`;

/** The event that has a property, or the people. */
const ownerOf = ({ events = new Set() }: PropertyInfo): string => [...events][0] ?? "users";

/** The hint for a number alone, as in "age by tier" and "severity by part". */
function ofNumber({ name, of }: PropertyInfo, label: PropertyInfo | undefined): string {
  if (of === "event" || of === "session") {
    const by = label === undefined ? "" : ` by ${label.name}`;
    return `Write what of it: "average ${name}${by}" or "total ${name}${by}".`;
  }
  const key = (own: string) => `properties.${/^[A-Za-z_]\w*$/.test(own) ? own : `\`${own}\``}`;
  const [also, group] =
    label?.of === of ? [`${key(label.name)}, `, ` GROUP BY ${key(label.name)}`] : ["", ""];
  return `${name} is a property of ${of}s. Ask in SQL: SELECT ${also}avg(toFloat(${key(name)})) FROM ${of}s${group}.`;
}

/** A text without accents, in two spellings: "süd" is "sud" and "sued". */
const plain = (text: string): string[] => {
  const bare = (one: string) => one.normalize("NFD").replace(/\p{M}+/gu, "");
  const long: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", ø: "oe" };
  return [bare(text), bare(text.replace(/[äöüßø]/g, (letter) => long[letter] ?? letter))];
};

/** Names and values with a word that is spelled like another one, the own names first. */
export function closeTo(word: string, index: NameIndex): string[] {
  const text = folded(word);
  if (text.length < 3) return [];
  const most = [8, 4].filter((length) => text.length >= length).length;
  const isClose = (one: string) =>
    plain(one).some((a) => plain(text).some((b) => isSpelledLike(a, b, most))) ||
    (text.length > 4 && isSpelledLike(stemOf(one), stemOf(text), 1));
  const names = [...index.events.keys(), ...index.properties.map(({ name }) => name)];
  const values = [...index.values.values()].flat().map(({ value }) => value);
  const isNamed = (name: string) =>
    isClose(spoken(name)) || nameWords(name).some((one) => one.length > 2 && isClose(one));
  return [...new Set([...names.filter((one) => !/^\$/.test(one)), ...values])].filter(isNamed);
}
