import type { ProjectVocabulary, ValueType } from "../../ports/vocabulary.ts";
import { nameStems, nameWords, stemOf } from "../text/stems.ts";
import { DEFINED_PROPERTIES } from "./defined.ts";
import { add, contentStems, defined, type EventInfo, keyOf, type PropertyInfo } from "./index.ts";

/** The session properties. */
const OF_SESSIONS: readonly (readonly [name: string, type: ValueType])[] = [
  ["$entry_pathname", "text"],
  ["$end_pathname", "text"],
  ["$session_duration", "number"],
  ["$pageview_count", "number"],
  ["$is_bounce", "boolean"],
];

/** Returns the properties of a project's events, persons, groups and sessions. */
export function propertiesOf(
  vocabulary: ProjectVocabulary,
  events: ReadonlyMap<string, EventInfo>,
): PropertyInfo[] {
  const ofEvents = new Map<
    string,
    { types: Map<ValueType, number>; hasNumbers: boolean; count: number; events: Set<string> }
  >();
  for (const event of events.values()) {
    for (const { name, type, hasNumbers, count } of event.properties.values()) {
      const none = { types: new Map(), hasNumbers: false, count: 0, events: new Set<string>() };
      const one = ofEvents.get(name) ?? none;
      one.hasNumbers ||= hasNumbers === true || type === "number";
      one.types.set(type, (one.types.get(type) ?? 0) + count);
      one.count += count;
      one.events.add(event.name);
      ofEvents.set(name, one);
    }
  }
  const mostly = (types: Map<ValueType, number>) =>
    [...types].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "text";
  const flags = flagsOf(vocabulary);
  const all = [
    ...[...ofEvents].map(([name, { types, events: those, ...rest }]): PropertyInfo => {
      return { of: "event", name, type: mostly(types), ...rest, events: those };
    }),
    ...vocabulary.person_properties.map((one): PropertyInfo => ({ of: "person", ...one })),
    ...vocabulary.groups.flatMap(({ group_type_index: group, properties }) =>
      properties.map((one): PropertyInfo => ({ of: "group", group, ...one })),
    ),
    ...OF_SESSIONS.map(([name, type]): PropertyInfo => ({ of: "session", name, type, count: 1 })),
  ];
  return all.map((one) => ({ ...one, ...flags.get(`${one.of} ${one.group ?? ""} ${one.name}`) }));
}

const YES = /^(?:true|yes|y|on|1)$/i;
const NO = /^(?:false|no|n|off|0)$/i;

/** Properties whose known values all mean yes or no, in several spellings: true, "true" and "yes". */
function flagsOf({ values }: ProjectVocabulary): Map<string, Partial<PropertyInfo>> {
  const known = new Map<string, Set<string>>();
  for (const { of, property, value } of values) {
    const key = `${of.type} ${of.type === "group" ? of.group_type_index : ""} ${property}`;
    known.set(key, (known.get(key) ?? new Set()).add(value));
  }
  return new Map(
    [...known].flatMap(([key, all]) => {
      const isFlag =
        [...all].every((one) => YES.test(one) || NO.test(one)) &&
        // "0" and "1" alone may be counts, and "on" and "off" any two states.
        [...all].some((one) => /^(?:true|false|yes|no)$/i.test(one));
      const [yes, no] = [YES, NO].map((sure) => [...all].filter((one) => sure.test(one)));
      const known = { ...(yes?.length ? { yes } : {}), ...(no?.length ? { no } : {}) };
      return isFlag ? [[key, { type: "boolean", ...known }] as const] : [];
    }),
  );
}

/** Units in names that people leave out of a question. */
const UNIT_WORDS = /^(?:ms|s|sec|secs|seconds|min|minutes|eur|usd|gbp|bytes|count|pct|percent)$/;

/** Units in names and how people write them. */
const LONG_UNITS: Readonly<Record<string, string>> = {
  ...{ s: "seconds", sec: "seconds", ms: "milliseconds", min: "minutes", mins: "minutes" },
  ...{ h: "hours", km: "kilometers", m: "meters", kb: "kilobytes", mb: "megabytes" },
};

/** Nouns that people may add to the name of a property, as in "payment method". */
const GENERIC = ["method", "type", "name", "code", "kind", "level", "tier", "category", "status"];

/** Nouns at the end of a name that people leave out: "by tutor" is by the property `tutorName`. */
const NAMING = /^(?:name|title|code)$/;

// The project's own names come first, then the words for SDK properties, then the names of SDK properties.
const isOwn = ({ name }: PropertyInfo) => !/^\$|^distinct_id$|^token$/.test(name);

/** Returns the properties of a project by the words for them. */
export function propertyKeys(vocabulary: ProjectVocabulary, properties: readonly PropertyInfo[]) {
  const propertiesBy = new Map<string, PropertyInfo[]>();
  const propertiesWith = new Map<string, PropertyInfo[]>();
  const all = properties.filter(({ of }) => of !== "session");
  const [own, others] = [all.filter(isOwn), all.filter((one) => !isOwn(one))];
  const byName = new Map(all.toReversed().map((one) => [`${one.of} ${one.name}`, one]));
  const bySpoken = new Map(
    own.toReversed().map((one) => [`${one.of} ${nameWords(one.name).join("_")}`, one]),
  );
  const addPhrases = (one: PropertyInfo | undefined, phrases: readonly string[]) => {
    for (const phrase of one === undefined ? [] : phrases)
      add(propertiesBy, keyOf(contentStems(phrase)), one as PropertyInfo);
  };
  for (const { type, name, words } of vocabulary.propertiesAlsoCalled) {
    addPhrases(byName.get(`${type} ${name}`), words);
  }
  for (const one of own) addOwn(vocabulary, propertiesBy, one);
  for (const { names, words } of DEFINED_PROPERTIES.map(defined)) {
    const known = (name: string) =>
      byName.get(`event ${name}`) ?? bySpoken.get(`event ${name}`) ?? [];
    addPhrases(names.flatMap(known)[0], words);
  }
  for (const one of others) add(propertiesBy, keyOf(nameStems(one.name)), one);
  for (const one of own) {
    const stems = nameStems(one.name);
    for (const stem of stems.length < 2 ? [] : [stems[0], stems.at(-1)]) {
      if (stem !== undefined && !isOfEvent(one, stem)) add(propertiesWith, stem, one);
    }
  }
  return { propertiesBy, propertiesWith };
}

/** Whether a word is part of the name of an event with the property. */
const isOfEvent = ({ events }: PropertyInfo, word = ""): boolean =>
  [...(events ?? [])].some((event) => nameStems(event).includes(stemOf(word)));

/** A name with its unit as people write it. "Delivery time" is `deliveryMinutes`. */
function unitNames(words: readonly string[]): string[][] {
  const isTime = (word: string) => /^(?:s|secs?|seconds|mins?|minutes|h|hours|days)$/.test(word);
  const timed = words.filter((word) => !isTime(word));
  const isTimed = timed.length > 0 && timed.length < words.length;
  return [
    words.map((word) => LONG_UNITS[word] ?? word),
    ...(isTimed ? ["time", "duration"].map((noun) => [...timed, noun]) : []),
  ];
}

/** A name without the noun that people leave out, or with one that they add: "payment method" is `payment`. */
const textNames = (words: readonly string[]): string[][] => [
  ...(NAMING.test(words.at(-1) ?? "") ? [words.slice(0, -1)] : []),
  ...(words.length === 1 ? GENERIC.map((noun) => [...words, noun]) : []),
];

/** Adds a property by its name, by its name without units, and by its name with a generic noun. */
function addOwn(
  { groups }: ProjectVocabulary,
  propertiesBy: Map<string, PropertyInfo[]>,
  one: PropertyInfo,
): void {
  const words = nameWords(one.name);
  const addWords = (some: readonly string[]) => add(propertiesBy, keyOf(some.map(stemOf)), one);
  addWords(words);
  // "Seconds read" of "article read" is no "read".
  const withoutUnits = words.filter((word) => !UNIT_WORDS.test(word));
  if (withoutUnits.length > 1 || !isOfEvent(one, withoutUnits[0])) addWords(withoutUnits);
  for (const some of one.type === "number" ? unitNames(words) : []) addWords(some);
  if (one.type === "boolean") addWords(words.filter((word) => !/^(?:is|has|was|had)$/.test(word)));
  for (const some of one.type === "text" ? textNames(words) : [])
    if (!propertiesBy.has(keyOf(some.map(stemOf)))) addWords(some);
  const group = groups.find(({ group_type_index: index }) => index === one.group);
  if (one.group !== undefined && groups.length > 0)
    addWords([...nameWords(group?.group_type ?? ""), ...words]);
}
