/** What properties are of. */
export const PROPERTY_OWNERS = ["event", "person", "group"] as const;

/** What a property is of. */
export type PropertyOwner = (typeof PROPERTY_OWNERS)[number];

/** What the values of a property are, in the words of PostHog's clients. */
export const PROPERTY_TYPES = ["Boolean", "DateTime", "Numeric", "String"] as const;

/** An event by name. Times are ISO 8601. */
export type EventDefinition = {
  name: string;
  count: number;
  first_seen_at: string;
  last_seen_at: string;
};

/** A property by name. */
export type PropertyDefinition = {
  name: string;
  type: PropertyOwner;
  /** What most of its values are; null for lists and objects, and without a value. */
  property_type: (typeof PROPERTY_TYPES)[number] | null;
  is_numerical: boolean;
  /** How many of those that were looked at have it. */
  count: number;
  /** The latest time, of events alone, ISO 8601. */
  last_seen_at: string | null;
};

/** Which definitions a list asks for. */
export type DefinitionFilter = {
  /** A part of the name, in any case. */
  search?: string | undefined;
};
