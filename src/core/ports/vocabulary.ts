/** How the values of a property look: most of them. A list is also an object. */
export type ValueType = "text" | "number" | "boolean" | "time" | "list";

/**
 * A property by name; `count` is the number of rows that have it, among the newest that were read. `hasNumbers`
 * says of one that is not of numbers that some of its values are numbers, or texts that read as numbers.
 */
export type NamedProperty = {
  name: string;
  type: ValueType;
  hasNumbers?: boolean;
  count: number;
};

/** An event by name, with the properties of its newest events. */
export type NamedEvent = {
  name: string;
  /** The number of all its events. */
  count: number;
  /** The most frequent first. */
  properties: NamedProperty[];
  /** The project's own words for it. */
  alsoCalled: string[];
};

/** The things that have a value. */
export type ValueOwner =
  | { type: "event"; event: string }
  | { type: "person" }
  | { type: "group"; group_type_index: number };

/**
 * A value of a property, as text: a text of at most 100 characters, or a number or boolean as JSON. The keys of
 * groups are values of their property `$group_key`. `count` is the number of rows with it, among the newest that were read.
 */
export type KnownValue = { of: ValueOwner; property: string; value: string; count: number };

/** The project's own words for a property. */
export type PropertyWords = { type: "event" | "person"; name: string; words: string[] };

/** The names and values that the questions of a project can mention. */
export type ProjectVocabulary = {
  /** The most frequent first, at most 1,000. */
  events: NamedEvent[];
  /** Of the newest 20,000 persons, the most frequent first. */
  person_properties: NamedProperty[];
  /** In the order of their indexes, with the properties of the newest 20,000 groups of all types. */
  groups: { group_type: string; group_type_index: number; properties: NamedProperty[] }[];
  /** The most frequent first; of a property at most 2,000, and 50,000 in all. */
  values: KnownValue[];
  propertiesAlsoCalled: PropertyWords[];
};
