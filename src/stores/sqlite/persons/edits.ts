import type { Change } from "../../../core/identity/activity.ts";
import { applyUpdate, PERSON_BYTES_MAX, personUuid } from "../../../core/identity/person.ts";
import type { DeletionAsked } from "../../../core/ports/erasure.ts";
import type { EditAsked, RemovalAsked, Removed } from "../../../core/ports/person-writes.ts";
import type { ProjectedOwned, ProjectionChanges } from "../../../core/ports/projection.ts";
import { Failure } from "../../../core/values/failure.ts";
import { type JsonObject, sameJson, setKey } from "../../../core/values/json.ts";
import { propertyTexts } from "../../loads/person-columns.ts";
import { activityWrites } from "../activity.ts";
import { type DeletionOf, deletionWrites } from "../deletions.ts";
import type { Sqlite } from "../sqlite.ts";
import type { Stored } from "./apply-slice.ts";
import { personRows } from "./rows.ts";
import type { PersonRow } from "./splits.ts";

/** What an edit did, for the projection and for whoever remembers persons. */
export type Edited = { projection: ProjectionChanges; stored: Stored[] };

/** The part of the person store that users change; synchronous, for its one connection. */
export function personEdits(sqlite: Sqlite, nextVersion: () => number) {
  const statements = prepare(sqlite.raw);
  const rows = personRows(sqlite.raw);
  const activity = activityWrites(sqlite.raw);
  const deletions = deletionWrites(sqlite);

  const edit = (person: PersonRow, { update, activity: name, by }: EditAsked): Edited | null => {
    statements.keep.run(person.project_id, person.uuid, JSON.stringify(Object.keys(update.set)));
    const before = JSON.parse(person.properties) as JsonObject;
    const after = JSON.parse(person.properties) as JsonObject;
    if (!applyUpdate(after, update)) return null;
    if (Buffer.byteLength(propertyTexts(after).text) > PERSON_BYTES_MAX) {
      const detail = `A person's properties have at most ${PERSON_BYTES_MAX} bytes as JSON.`;
      throw new Failure("too_long", detail, "properties");
    }
    const version = nextVersion();
    const is_identified = person.is_identified === 1;
    const changed = { ...person, is_identified, properties: after };
    const { lifted, texts } = rows.update(changed, version);
    activity.add(name, person, by, { changes: [changeOf(before, after)] });
    const { id, project_id, uuid, created_at } = person;
    const { columns } = texts;
    const projected = { id, project_id, uuid, created_at, columns, known: true };
    return {
      projection: { ...nothing(version), persons: [{ ...projected, distinct_ids: [], moved: [] }] },
      stored: [{ id, project_id, uuid, created_at, is_identified, lifted, distinct_ids: [] }],
    };
  };

  const remove = (person: PersonRow, asked: RemovalAsked, version: number): ProjectedOwned[] => {
    const { id, project_id, uuid } = person;
    const whose = eventsOf(person);
    if (asked.events !== undefined) deletions.queue(whose, asked.events);
    for (const earlier of whose.uuids) activity.shrink(project_id, earlier, whose.distinct_ids);
    activity.add("deleted", person, asked.by, {
      changes: [{ field: "delete_events", before: null, after: asked.events !== undefined }],
    });
    statements.forgetMerges(project_id, uuid, id);
    statements.delete.run(id);
    statements.gone.run(id, version);
    statements.uncount.run(project_id);
    // Events of ids that had come to the person go back to whom these ids would make.
    const owned = whose.distinct_ids.flatMap((distinct_id): ProjectedOwned[] => {
      const person_id = personUuid(project_id, distinct_id);
      return person_id === uuid ? [] : [{ project_id, distinct_id, person_id }];
    });
    for (const { distinct_id, person_id } of owned) {
      statements.own.run(project_id, distinct_id, person_id, version);
    }
    return owned;
  };

  const eventsOf = (person: PersonRow): DeletionOf => ({
    project_id: person.project_id,
    person_id: person.id,
    person_uuid: person.uuid,
    uuids: [person.uuid, ...statements.earlier(person.id)],
    distinct_ids: statements.idsOf(person.id),
  });

  return {
    /**
     * Changes a person's properties; null if that changes nothing, undefined if there is no such
     * person. Fails `too_long`.
     */
    edit: (project: number, id: number, asked: EditAsked): Edited | null | undefined =>
      sqlite.transaction(() => {
        const person = statements.find(project, id);
        return person === null ? undefined : edit(person, asked);
      }),
    /** Deletes those of the persons that there are. */
    remove: (project: number, ids: readonly number[], asked: RemovalAsked): Removed =>
      sqlite.transaction(() => {
        const version = nextVersion();
        const persons = ids.flatMap((id) => statements.find(project, id) ?? []);
        const owned = persons.flatMap((person) => remove(person, asked, version));
        const gone = persons.map(({ id }) => id);
        if (gone.length > 0) statements.removed.run(String(version));
        return { projection: { ...nothing(version), gone, deleted: true, owned }, gone };
      }),
    /** Forgets what was kept until the projection is of this version. */
    projected: (version: number): void =>
      sqlite.transaction(() => {
        statements.forgetOwned.run(version);
      }),
    /** Queues the deletion of a person's events; false if there is no such person. */
    queueEvents: (project: number, id: number, asked: DeletionAsked): boolean =>
      sqlite.transaction(() => {
        const person = statements.find(project, id);
        if (person === null) return false;
        deletions.queue(eventsOf(person), asked);
        activity.add("delete_events", person, asked.by, {});
        return true;
      }),
  };
}

function nothing(version: number): ProjectionChanges {
  return { version, persons: [], gone: [], overrides: [], groups: [], owned: [] };
}

/** The properties that differ, before and after. */
function changeOf(before: JsonObject, after: JsonObject): Change {
  const only = (here: JsonObject, there: JsonObject) => {
    const differing: JsonObject = {};
    for (const [key, value] of Object.entries(here)) {
      const other = Object.hasOwn(there, key) ? there[key] : undefined;
      if (other === undefined || !sameJson(value, other)) setKey(differing, key, value);
    }
    return differing;
  };
  return { field: "properties", before: only(before, after), after: only(after, before) };
}

/** The uuids of a person and of all who were merged into it, also by way of others. */
const WITH_PARTS = `WITH RECURSIVE part (uuid) AS (
  SELECT ?2 UNION SELECT source_uuid FROM part CROSS JOIN person_merge
  WHERE project_id = ?1 AND target_uuid = part.uuid)`;

function prepare(raw: Sqlite["raw"]) {
  const find = raw.query<PersonRow, [number, number]>(
    `SELECT id, project_id, uuid, properties, created_at, is_identified FROM person
     WHERE project_id = ?1 AND id = ?2`,
  );
  const ids = raw.query<{ distinct_id: string }, [number]>(
    "SELECT distinct_id FROM distinct_id WHERE person_id = ?1 ORDER BY position",
  );
  const earlier = raw.query<{ old_uuid: string }, [number]>(
    "SELECT old_uuid FROM person_override WHERE person_id = ?1 ORDER BY old_uuid",
  );
  const forgetMoves = raw.query<null, [number, string, number]>(
    `${WITH_PARTS} DELETE FROM person_move WHERE person_id IN (
       SELECT ?3 UNION ALL SELECT source_id FROM person_merge
       WHERE project_id = ?1 AND target_uuid IN (SELECT uuid FROM part))`,
  );
  const forgetParts = raw.query<null, [number, string]>(
    `${WITH_PARTS} DELETE FROM person_merge
     WHERE project_id = ?1 AND target_uuid IN (SELECT uuid FROM part)`,
  );
  // What was merged into the person, also by way of others, holds their properties; where all of them were
  // listed goes before it is forgotten who they were.
  const forgetMerges = (project: number, uuid: string, id: number) => {
    forgetMoves.run(project, uuid, id);
    forgetParts.run(project, uuid);
  };
  return {
    find: (project: number, id: number) => find.get(project, id),
    idsOf: (id: number) => ids.all(id).map(({ distinct_id }) => distinct_id),
    /** The uuids under which events of the person may be stored beside its own. */
    earlier: (id: number) => earlier.all(id).map(({ old_uuid }) => old_uuid),
    // Its distinct ids and overrides go with it.
    delete: raw.query<null, [number]>("DELETE FROM person WHERE id = ?1"),
    gone: raw.query<null, [number, number]>(
      "INSERT OR REPLACE INTO person_gone (id, version) VALUES (?1, ?2)",
    ),
    // Until the event store is written anew, its projection's file may hold bytes of them (decision 60).
    removed: raw.query<null, [string]>(
      "INSERT OR REPLACE INTO meta (key, value) VALUES ('removed_version', ?1)",
    ),
    uncount: raw.query<null, [number]>(
      "UPDATE person_count SET count = count - 1 WHERE project_id = ?1",
    ),
    // What a user has set is not what a merge gave, also if it was the same.
    keep: raw.query<null, [number, string, string]>(
      `UPDATE person_merge SET kept = (
         SELECT json_group_array(value) FROM (
           SELECT value FROM json_each(kept) UNION
           SELECT value FROM json_each(?3) WHERE value IN (SELECT value FROM json_each(gained))))
       WHERE project_id = ?1 AND target_uuid = ?2`,
    ),
    own: raw.query<null, [number, string, string, number]>(
      `INSERT OR REPLACE INTO distinct_id_owned (project_id, distinct_id, uuid, version)
       VALUES (?1, ?2, ?3, ?4)`,
    ),
    forgetOwned: raw.query<null, [number]>("DELETE FROM distinct_id_owned WHERE version <= ?1"),
    forgetMerges,
  };
}
