/** The kinds of things that have properties. */
export const PROPERTY_OWNERS = ["event", "person", "group"] as const;

/** The kind of thing that has a property. */
export type PropertyOwner = (typeof PROPERTY_OWNERS)[number];

/** The types of a property's values, named as PostHog's clients name them. */
export const PROPERTY_TYPES = ["Boolean", "DateTime", "Numeric", "String"] as const;

/** One of PROPERTY_TYPES. */
export type PropertyType = (typeof PROPERTY_TYPES)[number];

/** An event by name. Times are ISO 8601; null for a name that no event has. */
export type EventDefinition = {
  name: string;
  count: number;
  first_seen_at: string | null;
  last_seen_at: string | null;
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
  /** Whole names, of which a definition has one. */
  names?: readonly string[] | undefined;
  /** Whether to leave out the names of SDKs, which begin with `$`. */
  isOwn?: boolean | undefined;
};

/** The kinds of names that a project can describe. */
export type DescribedKind = "event" | "event_property" | "person_property";

/** A note on an event or property. */
export type DefinitionNote = {
  description: string;
  /** The project's own words for it in questions. */
  also_called: string[];
  tags: string[];
  /** Whether the project has marked it as sent correctly. */
  verified: boolean;
};

/** The empty note: a name without a note has it. */
export const NO_NOTE: DefinitionNote = {
  description: "",
  also_called: [],
  tags: [],
  verified: false,
};

/** Characters of the description of an event or property. */
export const DESCRIPTION_CHARS_MAX = 400;

/** A project's own words for one event or property. */
export const ALSO_CALLED_MAX = 20;

/** Characters of one of a project's own words. */
export const ALSO_CALLED_CHARS_MAX = 100;

/** Events and properties that one project describes. */
export const DESCRIBED_MAX = 5000;

/** Names of events, or of properties, in one filter. */
export const NAMES_MAX = 50;
