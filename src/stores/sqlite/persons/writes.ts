import { CHANGED_CHARS_MAX, personUuid } from "../../../core/identity/person.ts";
import type {
  PersonRef,
  PersonWrites,
  StoredProperties,
} from "../../../core/ports/persons/writes.ts";
import { activityWrites } from "../activity.ts";
import { undamaged } from "../damage.ts";
import { type DeletionOf, deletionWrites } from "../deletions.ts";
import { groupReads, groupWrites } from "../groups.ts";
import type { Sqlite } from "../sqlite.ts";
import { changeApplier, versions } from "./apply-change.ts";
import { changesSince } from "./changes-since.ts";
import { personStatements } from "./statements.ts";
import { eventsOf } from "./user-changes.ts";

/** Writes persons on the connection that writes. */
export function personWrites(sqlite: Sqlite): PersonWrites {
  const { raw, transaction, snapshot } = sqlite;
  const statements = personStatements(raw);
  const version = versions(sqlite);
  const groups = groupWrites(sqlite);
  const apply = changeApplier(sqlite, { statements, version, groups });
  const deletions = deletionWrites(sqlite);
  const activity = activityWrites(raw);
  const since = changesSince(raw);
  const refs = refCache(raw);
  const readProperties = propertiesReader(raw);
  const forgetOwned = raw.query<null, [version: number]>(
    "DELETE FROM distinct_id_owned WHERE version <= ?1",
  );

  return {
    resolve: async (project, distinctIds) =>
      snapshot(() => {
        const found = new Map<string, PersonRef>();
        for (const id of distinctIds) {
          const ref = refs.find(project, id);
          if (ref !== undefined) found.set(id, ref);
        }
        return found;
      }),
    properties: async (ids) => snapshot(() => readProperties(ids)),
    async apply(change) {
      const { projection, persons, found } = transaction(() => apply(change));
      refs.forget(projection?.gone ?? []);
      for (const { project_id, added, moved, columns: _, known: __, ...ref } of persons) {
        refs.put(project_id, [...added, ...moved], ref);
      }
      return { projection, found };
    },
    queueEvents: async (project, of, task) =>
      transaction(() => {
        if (typeof of === "string") {
          deletions.queue(bareId(project, of), task);
          return true;
        }
        const person = statements.find.get(project, of);
        if (person === null) return false;
        deletions.queue(eventsOf(person, statements), task);
        activity.add("delete_events", person, task.by, {});
        return true;
      }),
    projected: async (last) => void forgetOwned.run(last),
    groupTypes: groupReads(sqlite).types,
    group: async (place) => groups.find(place),
    applied: async () => version.applied(),
    projectionSince: async (first, take) =>
      transaction(() => {
        forgetOwned.run(first);
        const last = version.current();
        const changed = since(first, last);
        return take({ version: last, deleted: true, ...changed, groups: groups.since(first) });
      }),
  };
}

/** The events of a distinct id without a person, for their deletion. */
function bareId(project_id: number, distinct_id: string): DeletionOf {
  const uuid = personUuid(project_id, distinct_id);
  const ids = { person_id: 0, person_uuid: uuid, uuids: [uuid], distinct_ids: [distinct_id] };
  return { project_id, ...ids, email: null };
}

/** A UTF-16 unit is at most this many bytes of UTF-8. */
const BYTES_OF_UNIT = 3;

/** Reads properties of the first of some persons, in the caller's snapshot. */
function propertiesReader(raw: Sqlite["raw"]) {
  const propertiesOf = raw.query<{ properties: string }, [id: number]>(
    "SELECT properties FROM person WHERE id = ?1",
  );
  return (ids: Iterable<number>) => {
    const found = new Map<number, StoredProperties>();
    let chars = 0;
    for (const id of ids) {
      if (chars >= CHANGED_CHARS_MAX) return { found, unread: id };
      const row = propertiesOf.get(id);
      if (row === null) continue;
      const { length } = row.properties;
      chars += length;
      found.set(id, { properties: JSON.parse(row.properties), bytes: length * BYTES_OF_UNIT });
    }
    return { found, unread: undefined };
  };
}

/**
 * Entries of each of the cache's two generations. Each garbage collection walks through them: with
 * 50,000 instead, a batch takes 10 % more time and 25 MB more memory.
 */
const CACHED_REFS_MAX = 10_000;

/**
 * The persons of distinct ids, with a cache of the latest ones. The thread that writes is the only one with
 * a cache, so the cache sees every change.
 */
function refCache(raw: Sqlite["raw"]) {
  type Generation = { ids: Map<string, number>; persons: Map<number, PersonRef> };
  const empty = (): Generation => ({ ids: new Map(), persons: new Map() });
  let young = empty();
  let old = empty();
  const keep = (project: number, distinctId: string, ref: PersonRef) => {
    if (young.ids.size >= CACHED_REFS_MAX) [old, young] = [young, empty()];
    young.ids.set(`${project} ${distinctId}`, ref.id);
    young.persons.set(ref.id, ref);
  };
  const personOf = (id: number) => young.persons.get(id) ?? old.persons.get(id);
  const cached = (project: number, distinctId: string): PersonRef | undefined => {
    const key = `${project} ${distinctId}`;
    const recent = young.ids.get(key);
    if (recent !== undefined) return personOf(recent);
    const id = old.ids.get(key);
    const ref = id === undefined ? undefined : personOf(id);
    if (ref !== undefined) keep(project, distinctId, ref);
    return ref;
  };
  const stored = refReader(raw);
  return {
    /** Returns the person of a distinct id, in the caller's snapshot. */
    find(project: number, distinctId: string): PersonRef | undefined {
      const known = cached(project, distinctId);
      if (known !== undefined) return known;
      const ref = stored(project, distinctId);
      if (ref !== undefined) keep(project, distinctId, ref);
      return ref;
    },
    /** Replaces a person, and adds distinct ids of it. */
    put(project: number, distinctIds: readonly string[], ref: PersonRef): void {
      for (const { persons } of [young, old]) if (persons.has(ref.id)) persons.set(ref.id, ref);
      for (const id of distinctIds) keep(project, id, ref);
    },
    /** Forgets persons that are gone: their distinct ids are read again. */
    forget(ids: readonly number[]): void {
      for (const id of ids) {
        young.persons.delete(id);
        old.persons.delete(id);
      }
    },
  };
}

function refReader(raw: Sqlite["raw"]) {
  // Two statements: a join of two tables with partial indexes is planned again at each run.
  const idOf = raw.query<{ person_id: number }, [project: number, distinct_id: string]>(
    "SELECT person_id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2",
  );
  const refOf = raw.query<
    Omit<PersonRef, "is_identified"> & { is_identified: number },
    [id: number]
  >("SELECT id, uuid, created_at, is_identified, auto_properties FROM person WHERE id = ?1");
  return (project: number, distinctId: string): PersonRef | undefined => {
    const id = idOf.get(project, distinctId)?.person_id;
    const row = id === undefined ? null : refOf.get(id);
    if (row === null) return undefined;
    return { ...undamaged(row), is_identified: row.is_identified === 1 };
  };
}
