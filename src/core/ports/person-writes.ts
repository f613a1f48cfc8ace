import type { ActivityName, Actor } from "../identity/activity.ts";
import type { GroupType } from "../identity/group.ts";
import type { Lifts } from "../identity/lifted-properties.ts";
import type { PersonUpdate } from "../identity/person.ts";
import type { SplitAsked } from "../identity/split.ts";
import type { JsonObject } from "../values/json.ts";
import type { ProjectWarning } from "../warnings/warning.ts";
import type { DeletionAsked } from "./erasure.ts";
import type { GroupChanges, GroupKey, GroupRow } from "./groups.ts";
import type { MirrorChanges, MirrorStream } from "./mirror.ts";

/** A person whom a distinct id means: all that is needed to tell whether an event changes it. */
export type PersonRef = {
  id: number;
  uuid: string;
  created_at: string;
  is_identified: boolean;
  /** Which properties it has from its events. */
  lifted: Lifts;
};

/** A person's properties, and the UTF-8 bytes of their JSON. */
export type StoredProperties = { properties: JsonObject; bytes: number };

/** A person that a slice made; its integer id is given when it is stored. */
export type NewPerson = {
  project_id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  is_identified: boolean;
};

/** A person whom a slice changed. */
export type ChangedPerson = NewPerson & { id: number };

/**
 * All distinct ids of a person in their order, where some are new or come from another person:
 * new ones by themselves, those of a stored person all together.
 */
export type IdsOfPerson = {
  project_id: number;
  /** The person's uuid. */
  uuid: string;
  /** `home` is the uuid of the person whom the id belonged to first. */
  entries: ({ distinct_id: string; home: string } | { person_id: number; uuid: string })[];
  /** The id that goes to the front. */
  main: string | null;
};

/** A merge, with what is needed to undo it. Both persons are as they were before. */
export type Merged = {
  project_id: number;
  target_uuid: string;
  target_created_at: string;
  target_is_identified: boolean;
  /** Keys that the target got from the source. */
  gained: string[];
  /** Null if the source was never stored. */
  source_id: number | null;
  source_uuid: string;
  /** JSON text. */
  source_properties: string;
  source_created_at: string;
  source_is_identified: boolean;
  event_uuid: string;
  /** When the event happened, ISO 8601. */
  at: string;
};

/** Events that were stored with `old_uuid` belong to the person `uuid` now. */
export type Override = { project_id: number; old_uuid: string; uuid: string };

/** All that a slice of events does to persons. */
export type PersonChanges = {
  created: NewPerson[];
  changed: ChangedPerson[];
  merged: Merged[];
  ids: IdsOfPerson[];
  overrides: Override[];
  groups: GroupChanges;
  /** What there is to warn of, in the order of arrival. */
  warnings?: readonly ProjectWarning[];
  /** The last sequence number of the slice. */
  applied_seq: number;
};

/** How a person is to be changed, and what that is called in its activity. */
export type EditAsked = { update: PersonUpdate; activity: ActivityName; by: Actor };

/** Who deletes persons, and whether their events are to go. */
export type RemovalAsked = { by: Actor; events: DeletionAsked | undefined };

/** The persons that were deleted, by their integer ids. */
export type Removed = { mirror: MirrorChanges; gone: number[] };

/** The side of the person store that ingest needs. */
export type PersonWrites = {
  /** The persons of distinct ids; ids that mean nobody are left out. */
  resolve(project: number, distinctIds: Iterable<string>): Promise<Map<string, PersonRef>>;
  /**
   * The properties of the first of some persons, by id, until they come to CHANGED_CHARS_MAX; `unread`
   * is the next one.
   */
  properties(
    ids: Iterable<number>,
  ): Promise<{ found: Map<number, StoredProperties>; unread: number | undefined }>;
  /**
   * Applies a slice in one transaction, durable when it resolves, and says what the mirror in the
   * event store lacks now. Refuses (throws) a slice that was applied before.
   */
  apply(changes: PersonChanges): Promise<MirrorChanges>;
  /** The group types of a project. */
  groupTypes(project: number): Promise<GroupType[]>;
  /** A group by its place; undefined if there is none. */
  group(place: GroupKey): Promise<GroupRow | undefined>;
  /** The last sequence number applied; 0 at first. */
  applied(): Promise<number>;
  /**
   * Splits a person in one transaction (decision 28) and says what the mirror lacks now; undefined
   * if there is no such person. Fails `invalid_input`.
   */
  split(
    project: number,
    id: number,
    asked: SplitAsked,
    by: Actor,
  ): Promise<MirrorChanges | undefined>;
  /** As {@link personEdits}; says what the mirror lacks now. */
  edit(project: number, id: number, asked: EditAsked): Promise<MirrorChanges | null | undefined>;
  remove(project: number, ids: readonly number[], asked: RemovalAsked): Promise<Removed>;
  queueEvents(project: number, id: number, asked: DeletionAsked): Promise<boolean>;
  mirrored(version: number): Promise<void>;
  /** Gives `take` what a mirror of a version lacks, which has to be taken at once; 0 for all there is. */
  mirrorSince<T>(version: number, take: (changes: MirrorStream) => T): Promise<T>;
};
