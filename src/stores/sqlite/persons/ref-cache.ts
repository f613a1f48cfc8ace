import type { PersonRef } from "../../../core/ports/person-writes.ts";
import type { Sqlite } from "../sqlite.ts";

/**
 * Entries of each of the cache's two generations. Each garbage collection walks through them: with
 * 50,000 instead, a batch takes 10 % more time and 25 MB more memory.
 */
const CACHED_REFS_MAX = 10_000;

/**
 * The persons of distinct ids, with a cache of the latest ones. The thread that writes is the only one with
 * a cache, so the cache sees every change.
 */
export function refCache(raw: Sqlite["raw"]) {
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
    return row === null ? undefined : { ...row, is_identified: row.is_identified === 1 };
  };
}
