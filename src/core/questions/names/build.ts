import type { ProjectVocabulary } from "../../ports/vocabulary.ts";
import { nameStems, nameWords } from "../text/stems.ts";
import { eventKeys } from "./events.ts";
import { keyOf, type NameIndex } from "./index.ts";
import { longNamesOf } from "./long-names.ts";
import { propertiesOf, propertyKeys } from "./properties.ts";
import { sectionsOf, valuesOf } from "./values.ts";

const indexes = new WeakMap<ProjectVocabulary, NameIndex>();

/** Returns the index of a project's names. It is built once per vocabulary. */
export function indexOf(vocabulary: ProjectVocabulary): NameIndex {
  const known = indexes.get(vocabulary) ?? built(vocabulary);
  indexes.set(vocabulary, known);
  return known;
}

function built(vocabulary: ProjectVocabulary): NameIndex {
  const keys = eventKeys(vocabulary);
  const properties = propertiesOf(vocabulary, keys.events);
  const values = valuesOf(vocabulary, properties);
  const names = [...keys.events.keys(), ...properties.map(({ name }) => name)];
  const ofProperties = propertyKeys(vocabulary, properties);
  const phrases = [...keys.eventsBy.keys(), ...ofProperties.propertiesBy.keys()];
  return {
    ...keys,
    ...ofProperties,
    phraseStems: new Set(phrases.flatMap((key) => key.split(" "))),
    ...{ properties, values, sections: sectionsOf(values) },
    longNames: longNamesOf([...names, ...values.keys()]),
    groups: new Map(
      vocabulary.groups.map(({ group_type: name, group_type_index: index }) => [
        keyOf(nameStems(name)),
        { name, index },
      ]),
    ),
    ownWords: new Set([
      ...names.flatMap(nameWords),
      ...[...values.keys()].flatMap((text) => text.split(/[\s_-]+/)),
      ...vocabulary.groups.flatMap(({ group_type }) => nameWords(group_type)),
    ]),
  };
}
