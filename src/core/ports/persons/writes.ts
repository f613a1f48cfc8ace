import type { ActivityName, Actor } from "../../identity/activity.ts";
import type { AutoProperties } from "../../identity/auto-properties.ts";
import type { GroupType } from "../../identity/groups.ts";
import type { PersonUpdate } from "../../identity/person.ts";
import type { SplitQuery } from "../../identity/split.ts";
import type { JsonObject } from "../../values/json.ts";
import type { ProjectWarning } from "../../warnings/warning.ts";
import type { DeletionAsked } from "../erasure.ts";
import type { GroupChanges, GroupKey, GroupRow } from "./groups.ts";
import type { ProjectionChanges, ProjectionStream } from "./projection.ts";

/*
 * Writes of the person store: persons with their distinct ids, groups, warnings and activity. Core decides
 * the changes of a batch of events, and the store applies them. The rules of all ports are in `events.ts`.
 *
 * All these methods run in one thread, which owns the store. Each change runs in one transaction and gets
 * the next version. Its result goes to the projection (`projection.ts`). A method that "comes between two
 * batches" must not run after a batch has read persons and before it is applied.
 *
 * A person has an integer id, which is never used again, and a uuid. A distinct id belongs to one person
 * of its project at most. The store keeps each merge as it was (`Merged`), so that a split can undo it.
 */

/** The person of a distinct id, with the facts that show whether an event changes it. */
export type PersonRef = {
  id: number;
  uuid: string;
  created_at: string;
  is_identified: boolean;
  /** The automatic properties that the person has, by `autoPropertiesIn`. */
  auto_properties: AutoProperties;
};

/** Properties of a person. `bytes` is the size of their JSON in UTF-8, or more. */
export type StoredProperties = { properties: JsonObject; bytes: number };

/** A person that a batch makes. The store gives it the next integer id. */
export type NewPerson = {
  project_id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  is_identified: boolean;
};

/** A stored person as it is after a batch. */
export type ChangedPerson = NewPerson & { id: number };

/**
 * All distinct ids of a person in their order, if a batch changes them. An entry is either one new id, or
 * all ids of a stored person in their stored order.
 */
export type IdsOfPerson = {
  project_id: number;
  /** Uuid of the person. Its own stored ids come first. */
  uuid: string;
  /** `initial_uuid` is the uuid of the person that the new id belonged to first. */
  entries: ({ distinct_id: string; initial_uuid: string } | { person_id: number; uuid: string })[];
  /** The id that becomes the first one; null if the order stays. */
  main: string | null;
};

/** A merge of a source into a target. Both persons are described as they were before it. */
export type Merged = {
  project_id: number;
  target_uuid: string;
  target_created_at: string;
  target_is_identified: boolean;
  /** Names of the properties that the target got from the source. */
  gained: string[];
  /** Null if this batch made the source, so that it was never stored. */
  source_id: number | null;
  source_uuid: string;
  /** JSON. */
  source_properties: string;
  source_created_at: string;
  source_is_identified: boolean;
  /** Uuid and time of the event that merged them. */
  event_uuid: string;
  at: string;
};

/** Events that were stored with the person `overridden_uuid` belong to the person `uuid` from now on. */
export type Override = { project_id: number; overridden_uuid: string; uuid: string };

/**
 * The changes that a batch of events makes. The store applies them in this order: warnings, new and
 * changed persons, distinct ids, overrides, merges, groups.
 *
 * A merged source that was stored is removed. Overrides that led to it lead to the target. Both persons
 * get an activity: `people_merged_into` for the target, `merged_into` for a stored source.
 */
export type BatchChange = {
  kind: "batch";
  created: NewPerson[];
  changed: ChangedPerson[];
  /** In the order of the events. A target may be the source of a later merge. */
  merged: Merged[];
  ids: IdsOfPerson[];
  overrides: Override[];
  groups: GroupChanges;
  /** Warnings to add, in the order of arrival; see `warnings.ts`. */
  warnings?: readonly ProjectWarning[];
  /** The last sequence number of the batch. */
  applied_seq: number;
};

/**
 * A user changes properties by `applyUpdate`. It fails `too_long` above PERSON_BYTES_MAX, and for new
 * properties above PROPERTIES_MAX. It may be repeated.
 *
 * The activity `activity` has the properties that differ, before and after. A property that a user sets
 * stays when a split undoes the merge that brought it.
 */
export type SetChange = {
  kind: "set";
  project_id: number;
  id: number;
  update: PersonUpdate;
  activity: ActivityName;
  by: Actor;
};

/**
 * A user undoes merges of a person, as `split` in core decides (decision 28). It fails `invalid_input`. It
 * must not be repeated: the distinct ids belong to other persons by then.
 *
 * A person that comes back has its old integer id. `owned` has all distinct ids that leave. The person
 * gets the activity `split_person`, and then each that leaves gets `split_from`.
 */
export type SplitChange = {
  kind: "split";
  project_id: number;
  id: number;
  query: SplitQuery;
  by: Actor;
};

/**
 * A user deletes the persons that exist, with their distinct ids, overrides and merges into them. It may
 * be repeated: the second call finds no person.
 *
 * - With `events`, it queues the deletion of each person's events, as `queueEvents` does.
 * - A distinct id that came from another person goes to the person that `personUuid` gives it (`owned`).
 * - Details of the activity of these persons are emptied, and their distinct ids leave other details
 *   (decision 50). Then each person gets the activity `deleted`.
 * - The store notes the version for `Batch.removed_version` (`erasure.ts`).
 */
export type RemoveChange = {
  kind: "remove";
  project_id: number;
  ids: readonly number[];
  events: DeletionAsked | undefined;
  by: Actor;
};

/** A change of persons by a user. */
export type UserChange = SetChange | SplitChange | RemoveChange;

/** A change of persons. */
export type PersonChange = BatchChange | UserChange;

/** The result of a change: null if no person is changed, and the number of its persons that exist. */
export type AppliedChange = { projection: ProjectionChanges | null; found: number };

/** Writes of the person store. Its reads see each write that has resolved. */
export type PersonWrites = {
  /** Returns the persons of distinct ids. An id without a person is left out. */
  resolve(project: number, distinctIds: Iterable<string>): Promise<Map<string, PersonRef>>;

  /**
   * Returns properties of the first of some persons, by integer id, up to CHANGED_CHARS_MAX characters of
   * JSON. `unread` is the first id that is not read; undefined if all are.
   */
  properties(
    ids: Iterable<number>,
  ): Promise<{ found: Map<number, StoredProperties>; unread: number | undefined }>;

  /**
   * Applies a change, and returns the change for the projection. A change by a user comes between two batches.
   * Batches come in the order of their sequence numbers. It fails for a batch that is applied already,
   * so a batch must not be repeated after success.
   */
  apply(change: PersonChange): Promise<AppliedChange>;

  /** Returns the group types of a project, in order of their indexes. */
  groupTypes(project: number): Promise<GroupType[]>;

  /** Returns one group. */
  group(place: GroupKey): Promise<GroupRow | undefined>;

  /** Returns the last sequence number that is applied; 0 at first. */
  applied(): Promise<number>;

  /**
   * Queues the deletion of a person's events, and adds the activity `delete_events`; returns false if
   * the person does not exist. With a distinct id it queues that of the id alone, as of the person that the id
   * would make: for an id without a person. It comes between two batches.
   *
   * If an equal task is queued that has no other uuids and distinct ids, that task gets the new uuids,
   * distinct ids and `journal_seq`. Else a second call queues a second task.
   */
  queueEvents(project: number, of: number | string, asked: DeletionAsked): Promise<boolean>;

  /**
   * Removes data that was kept until the projection has a version: `owned` up to it. It comes after the
   * projection has the version. It may be repeated.
   */
  projected(version: number): Promise<void>;

  /**
   * Calls `take` with all changes that a projection of `version` lacks; with 0, these are all persons. `take`
   * is synchronous and reads the iterables to their end, in one transaction. It comes between two
   * batches, and may be repeated.
   */
  projectionSince<T>(version: number, take: (changes: ProjectionStream) => T): Promise<T>;
};
