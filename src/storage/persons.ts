import type { GroupType } from "../domain/group.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Lifts } from "../domain/lift.ts";
import type { PageQuery } from "../domain/page.ts";
import type { SplitAsked } from "../domain/split.ts";
import type { ProjectWarning } from "../domain/warning.ts";
import { type GroupChanges, type GroupKey, type GroupRow, groupReads } from "./groups.ts";
import { identityWrites, type Stored } from "./identity.ts";
import type { MirrorChanges } from "./mirror-changes.ts";
import { refCache } from "./ref-cache.ts";
import { splitWrites } from "./splits.ts";
import type { Sqlite } from "./sqlite.ts";

/** A person as it is kept. `distinct_ids`: the main one first, then as they were attached. */
export type PersonRow = {
  id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  distinct_ids: string[];
};

/** Which persons a list asks for. */
export type PersonFilter = { distinct_id?: string | undefined };

/** What persons a project has. */
export type PersonReads = {
  /** Newest first by `created_at`, then id. `count` is exact. */
  list(
    project: number,
    filter: PersonFilter,
    page: PageQuery,
  ): Promise<{ count: number; rows: PersonRow[] }>;
  /** By integer id or by uuid. */
  find(project: number, by: { id: number } | { uuid: string }): Promise<PersonRow | undefined>;
};

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
  /** The properties of persons, by id. */
  properties(ids: Iterable<number>): Promise<Map<number, StoredProperties>>;
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
  split(project: number, id: number, asked: SplitAsked): Promise<MirrorChanges | undefined>;
  /** What a mirror of a version lacks; 0 for all there is. */
  mirrorSince(version: number): Promise<MirrorChanges>;
};

type StoredPerson = {
  id: number;
  project_id: number;
  uuid: string;
  properties: string;
  created_at: string;
};

/** Columns of a person that the API shows. */
const PERSON_COLUMNS = "id, project_id, uuid, properties, created_at";

/** Reads persons on any connection. */
export function personReads({ raw }: Sqlite): PersonReads {
  const page = raw.query<StoredPerson, [number, number, number]>(
    `SELECT ${PERSON_COLUMNS} FROM person WHERE project_id = ?1
     ORDER BY created_at DESC, id DESC LIMIT ?2 OFFSET ?3`,
  );
  const count = raw.query<{ count: number }, [number]>(
    "SELECT count FROM person_count WHERE project_id = ?1",
  );
  const byDistinctId = raw.query<StoredPerson, [number, string]>(
    `SELECT ${PERSON_COLUMNS} FROM person WHERE project_id = ?1 AND id =
       (SELECT person_id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2)`,
  );
  const byId = raw.query<StoredPerson, [number, number]>(
    `SELECT ${PERSON_COLUMNS} FROM person WHERE project_id = ?1 AND id = ?2`,
  );
  const byUuid = raw.query<StoredPerson, [number, string]>(
    `SELECT ${PERSON_COLUMNS} FROM person WHERE project_id = ?1 AND uuid = ?2`,
  );
  const complete = completeRows(raw);

  return {
    async list(project, { distinct_id }, { limit, offset }) {
      if (distinct_id !== undefined) {
        const found = byDistinctId.all(project, distinct_id);
        return { count: found.length, rows: complete(found.slice(offset, offset + limit)) };
      }
      return {
        count: count.get(project)?.count ?? 0,
        rows: complete(page.all(project, limit, offset)),
      };
    },
    async find(project, by) {
      const found = "id" in by ? byId.all(project, by.id) : byUuid.all(project, by.uuid);
      return complete(found)[0];
    },
  };
}

/** Writes persons on the connection that writes. */
export function personWrites(sqlite: Sqlite): PersonWrites {
  const { raw } = sqlite;
  const refOf = raw.query<StoredRef, [number, string]>(
    `SELECT person.id, person.uuid, person.created_at, is_identified, lifted
     FROM distinct_id JOIN person ON person.id = person_id
     WHERE distinct_id.project_id = ?1 AND distinct_id = ?2`,
  );
  const propertiesOf = raw.query<{ properties: string }, [number]>(
    "SELECT properties FROM person WHERE id = ?1",
  );
  const refs = refCache();
  const identity = identityWrites(sqlite);
  const splits = splitWrites(sqlite, identity.nextVersion);
  const remember = (rows: readonly Stored[]) => {
    for (const { project_id, distinct_ids, ...ref } of rows) {
      refs.put(project_id, distinct_ids, ref);
    }
  };

  const find = (project: number, id: string): PersonRef | undefined => {
    const known = refs.get(project, id);
    if (known !== undefined) return known;
    const row = refOf.get(project, id);
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
      sqlite.snapshot(() => {
        for (const id of ids) {
          const row = propertiesOf.get(id);
          if (row === null) continue;
          const bytes = row.properties.length * BYTES_OF_UNIT;
          found.set(id, { properties: JSON.parse(row.properties), bytes });
        }
      });
      return found;
    },
    async apply(changes) {
      const { mirror, stored } = identity.apply(changes);
      refs.forget(changes.merged.flatMap(({ source_id }) => source_id ?? []));
      remember(stored);
      return mirror;
    },
    async split(project, id, asked) {
      const done = splits.split(project, id, asked);
      remember(done?.stored ?? []);
      return done?.mirror;
    },
    groupTypes: groupReads(sqlite).types,
    group: async (place) => identity.group(place),
    applied: async () => identity.applied(),
    mirrorSince: async (version) => identity.mirrorSince(version),
  };
}

type StoredRef = Omit<PersonRef, "is_identified"> & { is_identified: number };

/** A UTF-16 unit is at most this many bytes of UTF-8. */
const BYTES_OF_UNIT = 3;

/** Adds their distinct ids to rows. */
function completeRows(raw: Sqlite["raw"]) {
  const idsOf = raw.query<{ distinct_id: string }, [number]>(
    "SELECT distinct_id FROM distinct_id WHERE person_id = ?1 ORDER BY position",
  );
  return (rows: StoredPerson[]) =>
    rows.map((row) => ({
      ...row,
      properties: JSON.parse(row.properties) as JsonObject,
      distinct_ids: idsOf.all(row.id).map(({ distinct_id }) => distinct_id),
    }));
}
