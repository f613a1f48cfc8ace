import { CHANGED_CHARS_MAX } from "../../../core/identity/person.ts";
import type {
  PersonRef,
  PersonWrites,
  StoredProperties,
} from "../../../core/ports/person-writes.ts";
import { groupReads } from "../groups.ts";
import type { Sqlite } from "../sqlite.ts";
import { identityWrites, type Stored } from "./apply-slice.ts";
import { personEdits } from "./edits.ts";
import { refCache } from "./ref-cache.ts";
import { splitWrites } from "./splits.ts";

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
      const { projection, stored } = identity.apply(changes);
      refs.forget(changes.merged.flatMap(({ source_id }) => source_id ?? []));
      remember(stored);
      return projection;
    },
    async split(project, id, asked, by) {
      const done = splits.split(project, id, asked, by);
      remember(done?.stored ?? []);
      return done?.projection;
    },
    async edit(project, id, asked) {
      const done = edits.edit(project, id, asked);
      remember(done?.stored ?? []);
      return done === null ? null : done?.projection;
    },
    async remove(project, ids, asked) {
      const done = edits.remove(project, ids, asked);
      refs.forget(done.gone);
      return done;
    },
    queueEvents: async (project, id, asked) => edits.queueEvents(project, id, asked),
    projected: async (version) => edits.projected(version),
    groupTypes: groupReads(sqlite).types,
    group: async (place) => identity.group(place),
    applied: async () => identity.applied(),
    projectionSince: async (version, take) => identity.projectionSince(version, take),
  };
}

type StoredRef = Omit<PersonRef, "is_identified"> & { is_identified: number };

/** A UTF-16 unit is at most this many bytes of UTF-8. */
const BYTES_OF_UNIT = 3;
