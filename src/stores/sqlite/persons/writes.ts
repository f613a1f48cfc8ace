import type { Actor } from "../../../core/identity/activity.ts";
import type { GroupType } from "../../../core/identity/group.ts";
import type { Lifts } from "../../../core/identity/lifted-properties.ts";
import { CHANGED_CHARS_MAX } from "../../../core/identity/person.ts";
import type { SplitAsked } from "../../../core/identity/split.ts";
import type { DeletionAsked } from "../../../core/ports/erasure.ts";
import type { GroupChanges, GroupKey, GroupRow } from "../../../core/ports/groups.ts";
import type { MirrorChanges, MirrorStream } from "../../../core/ports/mirror.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { ProjectWarning } from "../../../core/warnings/warning.ts";
import { groupReads } from "../groups.ts";
import type { Sqlite } from "../sqlite.ts";
import { identityWrites, type Stored } from "./apply-slice.ts";
import { type EditAsked, personEdits, type RemovalAsked, type Removed } from "./edits.ts";
import { refCache } from "./ref-cache.ts";
import { splitWrites } from "./splits.ts";

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

/** Writes persons on the connection that writes. */
export function personWrites(sqlite: Sqlite): PersonWrites {
  const { raw } = sqlite;
  // Not a join: with a partial index on persons, one that is bound anew is planned anew.
  const idOf = raw.query<{ person_id: number }, [number, string]>(
    "SELECT person_id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2",
  );
  const refOf = raw.query<StoredRef, [number]>(
    "SELECT id, uuid, created_at, is_identified, lifted FROM person WHERE id = ?1",
  );
  const propertiesOf = raw.query<{ properties: string }, [number]>(
    "SELECT properties FROM person WHERE id = ?1",
  );
  const refs = refCache();
  const identity = identityWrites(sqlite);
  const splits = splitWrites(sqlite, identity.nextVersion);
  const edits = personEdits(sqlite, identity.nextVersion);
  const remember = (rows: readonly Stored[]) => {
    for (const { project_id, distinct_ids, ...ref } of rows) {
      refs.put(project_id, distinct_ids, ref);
    }
  };

  const find = (project: number, id: string): PersonRef | undefined => {
    const known = refs.get(project, id);
    if (known !== undefined) return known;
    const person_id = idOf.get(project, id)?.person_id;
    const row = person_id === undefined ? null : refOf.get(person_id);
    if (row === null) return undefined;
    const ref = { ...row, is_identified: row.is_identified === 1 };
    refs.set(project, id, ref);
    return ref;
  };

  return {
    async resolve(project, distinctIds) {
      const found = new Map<string, PersonRef>();
      sqlite.snapshot(() => {
        for (const id of distinctIds) {
          const ref = find(project, id);
          if (ref !== undefined) found.set(id, ref);
        }
      });
      return found;
    },
    async properties(ids) {
      const found = new Map<number, StoredProperties>();
      let chars = 0;
      const unread = sqlite.snapshot(() => {
        for (const id of ids) {
          if (chars >= CHANGED_CHARS_MAX) return id;
          const row = propertiesOf.get(id);
          if (row === null) continue;
          const { length } = row.properties;
          chars += length;
          found.set(id, { properties: JSON.parse(row.properties), bytes: length * BYTES_OF_UNIT });
        }
        return undefined;
      });
      return { found, unread };
    },
    async apply(changes) {
      const { mirror, stored } = identity.apply(changes);
      refs.forget(changes.merged.flatMap(({ source_id }) => source_id ?? []));
      remember(stored);
      return mirror;
    },
    async split(project, id, asked, by) {
      const done = splits.split(project, id, asked, by);
      remember(done?.stored ?? []);
      return done?.mirror;
    },
    async edit(project, id, asked) {
      const done = edits.edit(project, id, asked);
      remember(done?.stored ?? []);
      return done === null ? null : done?.mirror;
    },
    async remove(project, ids, asked) {
      const done = edits.remove(project, ids, asked);
      refs.forget(done.gone);
      return done;
    },
    queueEvents: async (project, id, asked) => edits.queueEvents(project, id, asked),
    mirrored: async (version) => edits.mirrored(version),
    groupTypes: groupReads(sqlite).types,
    group: async (place) => identity.group(place),
    applied: async () => identity.applied(),
    mirrorSince: async (version, take) => identity.mirrorSince(version, take),
  };
}

type StoredRef = Omit<PersonRef, "is_identified"> & { is_identified: number };

/** A UTF-16 unit is at most this many bytes of UTF-8. */
const BYTES_OF_UNIT = 3;
