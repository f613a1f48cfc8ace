import type {
  DefinitionFilter,
  DefinitionNote,
  DescribedKind,
  EventDefinition,
  PropertyDefinition,
  PropertyOwner,
} from "../events/definition.ts";
import type { Part } from "../values/page.ts";
import type { PropertyValue } from "./persons/search.ts";

/** Position of a name in a list: the highest count first, then the name. */
export type DefinitionKeys = readonly [count: number, name: string];

/** A property of events whose values have `part` in them; with `event`, of the events of that name. */
export type EventValuesQuery = { key: string; part: string; event?: string | undefined };

/** A property of the groups of a type whose values have `part` in them. */
export type GroupValuesQuery = { type_index: number; key: string; part: string };

/**
 * Names of events and properties in a project, the most frequent first (decision 82). `count` is the
 * number of names that match. The rules of all ports are in `events.ts`.
 */
export type DefinitionReads = {
  /** Returns names of events, with how many events have each and when it was seen. */
  events(
    project: number,
    filter: DefinitionFilter,
    part: Part<DefinitionKeys>,
    signal: AbortSignal,
  ): Promise<{ count: number; rows: EventDefinition[] }>;

  /**
   * Returns names of properties of events, persons or groups. Those of events are exact. Of persons and
   * groups only the newest are read, so a rare property may be missing. With `event_names`, only
   * properties that the newest events of these names have; counts are still those of all events.
   */
  properties(
    project: number,
    filter: DefinitionFilter & { type: PropertyOwner; event_names?: readonly string[] | undefined },
    part: Part<DefinitionKeys>,
    signal: AbortSignal,
  ): Promise<{ count: number; rows: PropertyDefinition[] }>;

  /**
   * Returns values of a property of the newest events, in any case of their letters: the most frequent
   * first, then by name. At most 50 values are returned, of at most 1 KiB each.
   */
  eventValues(
    project: number,
    query: EventValuesQuery,
    signal: AbortSignal,
  ): Promise<PropertyValue[]>;

  /** Returns values of a property of the newest groups of a type, as `eventValues` does. */
  groupValues(
    project: number,
    query: GroupValuesQuery,
    signal: AbortSignal,
  ): Promise<PropertyValue[]>;
};

/** Identity of a name that a project describes. */
export type DescribedPlace = { project: number; kind: DescribedKind; name: string };

/** The notes of projects on their names. A name without a note has `NO_NOTE`. */
export type DefinitionNoteReads = {
  /** Returns the notes on those of some names that have one; at most 1,000 names are asked for. */
  notes(
    project: number,
    kind: DescribedKind,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, DefinitionNote>>;

  /** Returns all names that have a note, in order. */
  noted(project: number, kind: DescribedKind): Promise<string[]>;

  /** Returns all names for which the project has words of its own, in the order of kind and name. */
  words(project: number): Promise<{ kind: DescribedKind; name: string; also_called: string[] }[]>;
};

/** Changes of these notes. */
export type DefinitionWrites = {
  /**
   * Changes the sent fields of a name's note, and returns the note; the name need not occur. An empty note is removed.
   * Fails `invalid_input` on a new note of a project that has DESCRIBED_MAX.
   */
  describe(place: DescribedPlace, change: Partial<DefinitionNote>): Promise<DefinitionNote>;
};
