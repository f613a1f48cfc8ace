import type { GroupRow } from "./groups.ts";

/*
 * Changes of persons on their way from the person store to the event store. The event store has a
 * projection of all persons and groups to join events with them.
 *
 * Each change of the person store gets the next version, a whole number from 1 on, without gaps. The
 * projection applies changes in the order of versions, and keeps the version of the last one (decision 83).
 * A crash may lose changes on their way; `PersonWrites.projectionSince` then returns all that the projection lacks.
 * The rules of all ports are in `events.ts`.
 */

/** A group of the projection; `properties` is JSON. */
export type ProjectedGroup = Omit<GroupRow, "properties"> & { properties: string };

/**
 * Properties of a person in two forms, both JSON. `propertyTexts` makes them for every person store,
 * because stored projections rest on its columns.
 */
export type PropertyTexts = {
  /** All properties as one object, for the person store. */
  text: string;
  /**
   * Members of an object, without its braces: the columns of the projection that are not null. A property's
   * name decides its column. Of a large person the large ones are missing, and `whole_properties` has all.
   */
  columns: string;
};

/** A new or changed person of the projection, as it is after the change. */
export type ProjectedPerson = Pick<PropertyTexts, "columns"> & {
  project_id: number;
  id: number;
  uuid: string;
  created_at: string;
  /** Distinct ids to add to the projection with this person. Those it has already may be missing. */
  distinct_ids: string[];
  /** Those of `distinct_ids` that the projection may have with another person. */
  moved: string[];
  /** Whether the projection may have the person already; false only for persons that are new. */
  known: boolean;
};

/** Events stored with the person `old_person_id` belong to `person_id` from now on; both are uuids. */
export type ProjectedOverride = { project_id: number; old_person_id: string; person_id: string };

/** All stored events with a distinct id belong to the person with the uuid `person_id` from now on. */
export type ProjectedOwned = { project_id: number; distinct_id: string; person_id: string };

/** Changes that bring the projection to a version. */
export type ProjectionChanges = {
  version: number;
  persons: ProjectedPerson[];
  /** Integer ids of persons that were merged into others or deleted. */
  gone: number[];
  /** Set if some persons in `gone` were deleted, so that their distinct ids leave the projection too. */
  deleted?: true;
  overrides: ProjectedOverride[];
  groups: ProjectedGroup[];
  /** Comes from splits and deletions, which take events away from a person. */
  owned: ProjectedOwned[];
};

/** The same changes as iterables, because all changes since a version may not fit into memory. */
export type ProjectionStream = {
  [Kind in keyof ProjectionChanges]: ProjectionChanges[Kind] extends (infer Row)[]
    ? Iterable<Row>
    : ProjectionChanges[Kind];
};
