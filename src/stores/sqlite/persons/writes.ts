import { CHANGED_CHARS_MAX } from "../../../core/identity/person.ts";
import type {
  PersonRef,
  PersonWrites,
  StoredProperties,
} from "../../../core/ports/person-writes.ts";
import { activityWrites } from "../activity.ts";
import { deletionWrites } from "../deletions.ts";
import { groupReads, groupWrites } from "../groups.ts";
import type { Sqlite } from "../sqlite.ts";
import { changeApplier, versions } from "./apply-change.ts";
import { changesSince } from "./changes-since.ts";
import { refCache } from "./ref-cache.ts";
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
    queueEvents: async (project, id, task) =>
      transaction(() => {
        const person = statements.find.get(project, id);
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
