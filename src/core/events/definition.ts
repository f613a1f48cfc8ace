/** The kinds of things that have properties. */
export const PROPERTY_OWNERS = ["event", "person", "group"] as const;

/** The kind of thing that has a property. */
export type PropertyOwner = (typeof PROPERTY_OWNERS)[number];

/** The types of a property's values, named as PostHog's clients name them. */
export const PROPERTY_TYPES = ["Boolean", "DateTime", "Numeric", "String"] as const;

/** One of PROPERTY_TYPES. */
export type PropertyType = (typeof PROPERTY_TYPES)[number];

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
  /** The type of most values; null for lists and objects, and without a value. */
  property_type: PropertyType | null;
  is_numerical: boolean;
  /** The number of events that have it, or of examined persons or groups. */
  count: number;
  /** The latest time, of events alone, ISO 8601. */
  last_seen_at: string | null;
};

/** Which definitions a list asks for. */
export type DefinitionFilter = {
  /** A part of the name, in any case. */
  search?: string | undefined;
};

/** Names of events in one filter. */
export const EVENT_NAMES_MAX = 50;
