import type { FilterGroup, PropertyFilter } from "../../values/property-filter.ts";
import type { PersonFilter, PersonPositions, PositionsQuery } from "./reads.ts";

/*
 * Searches of persons that the person store alone cannot answer fast. The event store looks through its
 * projection of persons, which is a few seconds older under load (decision 83). The rules of all ports are
 * in `events.ts`.
 */

/** A filter that only the projection can answer (decision 48). */
export type ProjectionFilter = PersonFilter & { properties: (PropertyFilter | FilterGroup)[] };

/** A value of a property, and the number of persons that have it. */
export type PropertyValue = { name: string; count: number };

/**
 * Searches in the projection of persons. Properties that it omits of large persons are read from the person
 * store, so that no filter finds a person by their absence (decision 95).
 */
export type PersonSearch = {
  /**
   * Returns the positions of a part of the persons that match, in the order of a list of persons, at the
   * version of the projection. Fails `invalid_input` on a pattern that cannot be read.
   */
  positions(
    project: number,
    filter: ProjectionFilter,
    query: PositionsQuery,
    signal: AbortSignal,
  ): Promise<PersonPositions>;
  /**
   * Returns values of a property that have `part` in them, in any case of its letters: the most
   * frequent first, then by name. At most 100 values are returned, of at most 1 KiB each.
   */
  values(project: number, key: string, part: string, signal: AbortSignal): Promise<PropertyValue[]>;
};
