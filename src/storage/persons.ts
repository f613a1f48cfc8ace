import type { JsonObject } from "../domain/json.ts";
import { storableJson } from "../domain/json.ts";
import type { PageQuery } from "../domain/page.ts";
import type { ProjectWarning } from "../domain/warning.ts";
import type { Sqlite } from "./sqlite.ts";
import { warningWrites } from "./warnings.ts";

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

/** A person whom a distinct id means: all but what events change. */
export type PersonRef = { id: number; uuid: string; created_at: string };

/** A person that a slice made; its integer id is given when it is stored. */
export type NewPerson = {
  project_id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  distinct_id: string;
};

/** A person whose properties a slice changed. */
export type ChangedPerson = PersonRef & { project_id: number; properties: JsonObject };

/** All that a slice of events does to persons. */
export type PersonChanges = {
  created: NewPerson[];
  changed: ChangedPerson[];
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
  properties(ids: Iterable<number>): Promise<Map<number, JsonObject>>;
  /**
   * Applies a slice in one transaction, durable when it resolves, and says which ids the new
   * persons got, in the order of `created`. Refuses (throws) a slice that was applied before.
   */
  apply(changes: PersonChanges): Promise<number[]>;
  /** The last sequence number applied; 0 at first. */
  applied(): Promise<number>;
  /** What the mirror in the event store needs to know of these persons. */
  rows(ids: Iterable<number>): Promise<(PersonRow & { project_id: number })[]>;
};

type StoredPerson = {
  id: number;
  project_id: number;
  uuid: string;
  properties: string;
  created_at: string;
};

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
  const refOf = raw.query<PersonRef, [number, string]>(
    `SELECT person.id, person.uuid, person.created_at
     FROM distinct_id JOIN person ON person.id = person_id
     WHERE distinct_id.project_id = ?1 AND distinct_id = ?2`,
  );
  const propertiesOf = raw.query<{ properties: string }, [number]>(
    "SELECT properties FROM person WHERE id = ?1",
  );
  const insertPerson = raw.query<null, [number, string, string, string]>(
    "INSERT INTO person (project_id, uuid, properties, created_at) VALUES (?1, ?2, ?3, ?4)",
  );
  const count = raw.query<null, [number, number]>(
    "UPDATE person_count SET count = count + ?1 WHERE project_id = ?2",
  );
  const insertDistinctId = raw.query<null, [number, string, number]>(
    `INSERT INTO distinct_id (project_id, distinct_id, person_id, position) VALUES (?1, ?2, ?3, 0)`,
  );
  const updateProperties = raw.query<null, [string, number]>(
    "UPDATE person SET properties = ?1 WHERE id = ?2",
  );
  const byId = raw.query<StoredPerson, [number]>(
    `SELECT ${PERSON_COLUMNS} FROM person WHERE id = ?1`,
  );
  const mark = appliedMark(sqlite);
  const warn = warningWrites(sqlite);
  const refs = refCache();
  const complete = completeRows(raw);

  return {
    async resolve(project, distinctIds) {
      const found = new Map<string, PersonRef>();
      sqlite.snapshot(() => {
        for (const id of distinctIds) {
          const known = refs.get(project, id);
          const ref = known ?? refOf.get(project, id);
          if (ref === null) continue;
          found.set(id, ref);
          if (known === undefined) refs.set(project, id, ref);
        }
      });
      return found;
    },
    async properties(ids) {
      const found = new Map<number, JsonObject>();
      sqlite.snapshot(() => {
        for (const id of ids) {
          const row = propertiesOf.get(id);
          if (row !== null) found.set(id, JSON.parse(row.properties));
        }
      });
      return found;
    },
    async apply({ created, changed, warnings = [], applied_seq }) {
      const ids = sqlite.transaction(() => {
        mark.advance(applied_seq);
        warn(warnings);
        for (const { id, properties } of changed)
          updateProperties.run(storableJson(properties), id);
        for (const [project, persons] of Map.groupBy(created, ({ project_id }) => project_id)) {
          count.run(persons.length, project);
        }
        return created.map(({ project_id, uuid, properties, created_at, distinct_id }) => {
          const text = storableJson(properties);
          const id = Number(insertPerson.run(project_id, uuid, text, created_at).lastInsertRowid);
          insertDistinctId.run(project_id, distinct_id, id);
          return id;
        });
      });
      created.forEach(({ project_id, distinct_id, uuid, created_at }, at) => {
        refs.set(project_id, distinct_id, { id: ids[at] ?? 0, uuid, created_at });
      });
      return ids;
    },
    applied: async () => mark.read(),
    rows: async (ids) => sqlite.snapshot(() => complete([...ids].flatMap((id) => byId.all(id)))),
  };
}

/** Entries of each of the cache's two generations. */
const CACHED_REFS_MAX = 50_000;

/**
 * The persons of distinct ids that came lately. Only the thread that writes has it, so nothing
 * changes behind its back.
 */
function refCache() {
  let young = new Map<string, PersonRef>();
  let old = new Map<string, PersonRef>();
  const put = (key: string, ref: PersonRef) => {
    if (young.size >= CACHED_REFS_MAX) [old, young] = [young, new Map()];
    young.set(key, ref);
  };
  return {
    get(project: number, distinctId: string): PersonRef | undefined {
      const key = `${project} ${distinctId}`;
      const ref = young.get(key) ?? old.get(key);
      if (ref !== undefined && !young.has(key)) put(key, ref);
      return ref;
    },
    set: (project: number, distinctId: string, ref: PersonRef) =>
      put(`${project} ${distinctId}`, ref),
  };
}

/** The sequence number up to which this store has applied the journal. */
function appliedMark({ raw }: Sqlite) {
  const read = raw.query<{ value: string }, []>("SELECT value FROM meta WHERE key = 'applied_seq'");
  const write = raw.query<null, [string]>(
    "INSERT OR REPLACE INTO meta (key, value) VALUES ('applied_seq', ?1)",
  );
  const current = () => Number(read.get()?.value ?? 0);
  return {
    read: current,
    advance(seq: number) {
      if (seq <= current()) throw new Error(`Slice up to ${seq} was applied before`);
      write.run(String(seq));
    },
  };
}

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
