import { type EventNames, folded } from "../names.ts";
import { stemOf, stemsOf } from "./english.ts";
import {
  EVENT_PHRASES,
  JOINING,
  PROPERTY_PHRASES,
  ROLES,
  type Role,
  VALUE_WORDS,
} from "./lexicon.ts";

/** A property of events or of persons. */
export type Property = { of: "event" | "person"; name: string };

/** A stored value, and how many of the newest rows have it. */
export type KnownValue = { property: Property; value: string; count: number };

/** The names of a project, the types of its groups, and the values that a question may mean. */
export type ProjectNames = EventNames & {
  groupTypes: readonly { group_type: string; group_type_index: number }[];
  values: readonly KnownValue[];
};

/** Meanings by keys. */
export type ByKey<T> = Map<string, T>;

/** Stems of words that names have inside, but not at their ends. */
export const JOINING_STEMS = new Set([...JOINING].map(stemOf));

const phrasesIn = (text: string) => text.split(",").map((phrase) => phrase.trim());

const keyOf = (phrase: string) =>
  phrase
    .split(/\s+/)
    .map((part) => stemOf(folded(part)))
    .join(" ");

/** Roles by the keys of their phrases. */
export const ROLE_KEYS: ReadonlyMap<string, ReadonlySet<Role>> = (() => {
  const keys = new Map<string, Set<Role>>();
  for (const [role, phrases] of Object.entries(ROLES)) {
    for (const phrase of phrasesIn(phrases)) {
      const key = keyOf(phrase);
      const core = key
        .split(" ")
        .filter((stem) => !JOINING_STEMS.has(stem))
        .join(" ");
      for (const one of new Set([key, core.includes(" ") ? core : key])) {
        keys.set(one, (keys.get(one) ?? new Set()).add(role as Role));
      }
    }
  }
  return keys;
})();

/** Keys of a name: its stems together; of two words also in the other order, as in "viewed products". */
function nameKeys(name: string): string[] {
  const stems = stemsOf(name);
  const turned = stems.length === 2 ? [stems.toReversed().join("")] : [];
  return [stems.join(""), ...turned];
}

/** The key of a phrase without articles and the like, as in "added something to the cart". */
function coreKeys(phrase: string): string[] {
  const stems = stemsOf(phrase);
  const core = stems.filter((stem) => !JOINING_STEMS.has(stem));
  return core.length > 1 && core.length < stems.length ? [core.join(" ")] : [];
}

/** Returns events by the keys of their names and of the words for them. */
export function eventKeys({ events }: ProjectNames): ByKey<string> {
  const keys: ByKey<string> = new Map();
  const known = new Map(events.toReversed().map(({ name }) => [stemsOf(name).join(""), name]));
  for (const phrases of EVENT_PHRASES) {
    const all = phrasesIn(phrases);
    const name = all
      .map((one) => known.get(stemsOf(one).join("")))
      .find((one) => one !== undefined);
    if (name === undefined) continue;
    for (const phrase of all)
      addMissing(keys, [keyOf(phrase), ...nameKeys(phrase), ...coreKeys(phrase)], name);
  }
  // A project's own name for something comes before a word of the lexicon.
  for (const { name } of events.toReversed()) {
    for (const key of [...nameKeys(name), ...coreKeys(name)]) if (key !== "") keys.set(key, name);
  }
  return keys;
}

/** Returns properties by the keys of their names and of the words for them. */
export function propertyKeys({
  properties,
  person_properties,
  groupTypes,
}: ProjectNames): ByKey<Property> {
  const keys: ByKey<Property> = new Map();
  const known = new Map(properties.toReversed().map(({ name }) => [stemsOf(name).join(""), name]));
  const ofPersons = new Map(person_properties.map(({ name, count }) => [name, count]));
  const isOwn = ({ name, count }: { name: string; count: number }) =>
    !name.startsWith("$") && count >= (ofPersons.get(name) ?? 0);
  for (const { name } of properties.filter(isOwn)) {
    addMissing(keys, [stemsOf(name).join(""), ...unitlessKeys(name)], { of: "event", name });
  }
  for (const { name } of person_properties) {
    const isBoth = properties.some((one) => one.name === name && !isOwn(one));
    if (isBoth && !name.startsWith("$")) addMissing(keys, nameKeys(name), { of: "person", name });
  }
  for (const { group_type, group_type_index } of groupTypes) {
    const group: Property = { of: "event", name: `$group_${group_type_index}` };
    for (const key of nameKeys(group_type)) keys.set(key, group);
    keys.set(keyOf(`${group_type}s`), group);
  }
  for (const phrases of PROPERTY_PHRASES) {
    const all = phrasesIn(phrases);
    const name = all
      .map((one) => known.get(stemsOf(one).join("")))
      .find((one) => one !== undefined);
    if (name === undefined) continue;
    for (const phrase of all) {
      addMissing(keys, [keyOf(phrase), stemsOf(phrase).join("")], { of: "event", name });
    }
  }
  for (const { name } of properties) {
    addMissing(keys, [stemsOf(name).join("")], { of: "event", name });
  }
  for (const { name } of person_properties) {
    addMissing(keys, nameKeys(name), { of: "person", name });
  }
  return keys;
}

/** The key of a name without its unit: of `duration_ms` "duration". */
function unitlessKeys(name: string): string[] {
  const [, whole] = /^(.+)_(?:ms|s|sec|seconds|minutes|eur|usd|count|bytes)$/.exec(name) ?? [];
  return whole === undefined ? [] : [stemsOf(whole).join("")];
}

function addMissing<T>(found: ByKey<T>, keys: readonly string[], value: T): void {
  for (const key of keys) if (key !== "" && !found.has(key)) found.set(key, value);
}

/** Returns values by their folded texts and by other words for them. */
export function valueKeys({ values }: ProjectNames): ByKey<KnownValue[]> {
  const keys: ByKey<KnownValue[]> = new Map();
  const add = (key: string, value: KnownValue) => keys.set(key, [...(keys.get(key) ?? []), value]);
  for (const one of values) {
    add(folded(one.value), one);
    const [, page] = /^\/([\w-]+)$/.exec(one.value) ?? [];
    if (page === undefined || one.property.name !== "$pathname") continue;
    const names = [page, page.replace(/[-_]/g, " "), page.replace(/^sign-?up$/, "sign up")];
    for (const name of new Set(names)) add(`${folded(name)} page`, one);
  }
  for (const [word, others] of VALUE_WORDS) {
    for (const other of others) for (const one of keys.get(other) ?? []) add(word, one);
  }
  return keys;
}
