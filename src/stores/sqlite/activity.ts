import { and, count, desc, eq } from "drizzle-orm";
import type { ActivityDetail, ActivityName, Actor, Change } from "../../core/identity/activity.ts";
import { gainKeys } from "../../core/identity/merge.ts";
import type { ActivityReads, ActivityRow } from "../../core/ports/persons/activity.ts";
import type { Merged } from "../../core/ports/persons/writes.ts";
import { type Json, type JsonObject, storableJson } from "../../core/values/json.ts";
import { activity } from "./schema.ts";
import { afterKey, type Sqlite } from "./sqlite.ts";

/** The most bytes of details that are read at once. One detail may have some MiB, and a page has a hundred. */
const READ_BYTES_MAX = 1_048_576;

/** Reads activity on any connection. */
export function activityReads({ orm, raw, snapshot }: Sqlite): ActivityReads {
  const read = rowReader(raw);
  return {
    list: async (project, person, { limit, offset, after }) =>
      snapshot(() => {
        const where = and(eq(activity.project_id, project), ofPerson(person));
        const rows = orm
          .select({ id: activity.id })
          .from(activity)
          .where(and(where, afterKey([activity.id], "down", after)))
          .orderBy(desc(activity.id))
          .limit(limit)
          .offset(offset)
          .all();
        const [total] = orm.select({ count: count() }).from(activity).where(where).all();
        return { count: total?.count ?? 0, rows };
      }),
    read: async (project, ids) =>
      snapshot(() => {
        const rows: ActivityRow[] = [];
        let left = READ_BYTES_MAX;
        for (const id of ids) {
          if (left <= 0) break;
          const { row, bytes } = read(project, id);
          rows.push(row);
          left -= bytes;
        }
        return rows;
      }),
  };
}

type StoredActivity = Omit<ActivityRow, "detail" | "user"> & { detail: string } & (
    | { first_name: string; email: string }
    | { first_name: null; email: null }
  );

/** Reads a row and the bytes of its texts. Rows are read one by one, because details may be large. */
function rowReader(raw: Sqlite["raw"]) {
  const byId = raw.query<StoredActivity, [number]>(
    `SELECT activity.id, person_id, person_uuid, activity, detail, activity.created_at,
       first_name, email
     FROM activity LEFT JOIN user ON user.id = user_id WHERE activity.id = ?1`,
  );
  const brought = broughtBy(raw);
  return (project: number, id: number): { row: ActivityRow; bytes: number } => {
    const found = byId.get(id);
    if (found === null) throw new Error(`the activity ${id} was listed and is not there`);
    const { detail: json, first_name, email, ...row } = found;
    const user = first_name === null ? null : { first_name, email };
    const detail: ActivityDetail = JSON.parse(json);
    const more = brought(project, row.activity, detail);
    const bytes = Buffer.byteLength(json) + Buffer.byteLength(more?.source_properties ?? "");
    const changes = more === null ? {} : { changes: changesOf(more) };
    return { row: { ...row, user, detail: { ...detail, ...changes } }, bytes };
  };
}

/**
 * The properties that a merge added to the remaining person. They are stored with the merge, and deleted with
 * the person or with the person that a split restores.
 */
function broughtBy(raw: Sqlite["raw"]) {
  const merges = raw.query<Brought, [number, string, string, string]>(
    `SELECT gained, source_properties, target_created_at, source_created_at FROM person_merge
     WHERE project_id = ?1 AND target_uuid = ?2 AND source_uuid = ?3 AND event_uuid = ?4`,
  );
  return (project: number, activity: string, { merge, event_uuid = "" }: ActivityDetail) => {
    if (merge === undefined || activity !== "people_merged_into") return null;
    return merges.get(project, merge.target, merge.source, event_uuid);
  };
}

type Brought = {
  gained: string;
  source_properties: string;
  target_created_at: string;
  source_created_at: string;
};

function changesOf({ gained, source_properties, ...at }: Brought): Change[] {
  const after: JsonObject = {};
  gainKeys(after, JSON.parse(source_properties), JSON.parse(gained));
  const [before, earlier] = [at.target_created_at, at.source_created_at];
  return [
    ...(Object.keys(after).length === 0 ? [] : [{ field: "properties", before: {}, after }]),
    ...(earlier < before ? [{ field: "created_at", before, after: earlier }] : []),
  ];
}

function ofPerson(person: { id: number } | { uuid: string } | undefined) {
  if (person === undefined) return undefined;
  return "id" in person ? eq(activity.person_id, person.id) : eq(activity.person_uuid, person.uuid);
}

/** The person of a new entry. */
export type ActedOn = { project_id: number; id: number; uuid: string };

/** Id of the entry of the split that ended a merge; `until` if the merge lasted longer. */
const LEFT = `coalesce((
  SELECT min(id) FROM activity AS part WHERE part.project_id = ?1
    AND part.person_uuid = whole.uuid AND part.activity = 'split_from' AND part.id > merge.id),
  whole.until)`;

/**
 * Finds the persons that a person was part of, each with the last entry of that time (decision 50). They are
 * the persons that it was split from, and the persons that it was merged into before, directly or with others. The
 * entry of a split is the last one before the entries of its parts. The plus keeps the type of the column out
 * of the comparison, which could not use its index otherwise.
 */
const WHOLES = `
  WITH RECURSIVE whole (uuid, since, until) AS (
    SELECT ?2, 0, coalesce(max(id), 0) FROM activity
    WHERE project_id = ?1 AND person_uuid = ?2 AND activity = 'split_from'
    UNION
    SELECT split.person_uuid, max(whole.since, coalesce((
      SELECT max(id) FROM activity AS merge WHERE merge.project_id = ?1
        AND merge.activity = 'people_merged_into'
        AND json_extract(merge.detail, '$.merge.source') = +whole.uuid AND merge.id < part.id), 0)),
      split.id
    FROM whole
    CROSS JOIN activity AS part ON part.project_id = ?1 AND part.person_uuid = whole.uuid
      AND part.activity = 'split_from' AND part.id > whole.since AND part.id <= whole.until
    JOIN activity AS split ON split.id = (
      SELECT id FROM activity WHERE project_id = ?1 AND activity = 'split_person' AND id < part.id
      ORDER BY id DESC LIMIT 1)
    UNION
    SELECT merge.person_uuid, max(whole.since, merge.id), min(whole.until, ${LEFT})
    FROM whole
    CROSS JOIN activity AS merge ON merge.project_id = ?1
      AND merge.activity = 'people_merged_into'
      AND json_extract(merge.detail, '$.merge.source') = +whole.uuid AND merge.id < whole.until
      AND ${LEFT} > whole.since)
  SELECT uuid, max(until) AS until FROM whole WHERE uuid <> ?2 GROUP BY uuid`;

/** Writes activity in the caller's transaction. */
export function activityWrites(raw: Sqlite["raw"]) {
  type Columns = [number, number, string, number | null, string, string, string];
  const insert = raw.query<null, Columns>(
    `INSERT INTO activity
       (project_id, person_id, person_uuid, user_id, activity, detail, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
  );
  const shrink = raw.query<null, [number, string]>(
    "UPDATE activity SET detail = '{}' WHERE project_id = ?1 AND person_uuid = ?2",
  );
  const wholes = raw.query<{ uuid: string; until: number }, [number, string]>(WHOLES);
  // An entry does not say from which merged person a value came, so all values are removed.
  const forgetValues = raw.query<null, [number, string, number]>(
    `UPDATE activity SET detail = '{}' WHERE project_id = ?1 AND person_uuid = ?2 AND id < ?3
       AND activity IN ('updated', 'delete_property')`,
  );
  const splits = raw.query<{ id: number; detail: string }, [number, string]>(
    `SELECT id, detail FROM activity
     WHERE project_id = ?1 AND person_uuid = ?2 AND activity = 'split_person'`,
  );
  const change = raw.query<null, [number, string]>("UPDATE activity SET detail = ?2 WHERE id = ?1");
  const add = (
    name: ActivityName,
    { project_id, id, uuid }: ActedOn,
    by: { user_id: number | null; at: string },
    detail: ActivityDetail,
  ): void => {
    const json = storableJson(detail as JsonObject);
    insert.run(project_id, id, uuid, by.user_id, name, json, by.at);
  };
  return {
    add: (name: ActivityName, person: ActedOn, by: Actor, detail: ActivityDetail) =>
      add(name, person, by, detail),
    /** Adds a merge to the activity of both persons, of which one is deleted. */
    merged(merge: Merged, target_id: number): void {
      const { project_id, source_id, source_uuid: source, target_uuid: target, event_uuid } = merge;
      const by = { user_id: null, at: merge.at };
      const detail = { merge: { source, target }, event_uuid };
      add("people_merged_into", { project_id, id: target_id, uuid: target }, by, detail);
      if (source_id === null) return;
      add("merged_into", { project_id, id: source_id, uuid: source }, by, detail);
    },
    /**
     * Removes all but user, kind and time from a person's activity. From the activity of persons that it was
     * split from, it removes its distinct ids and the changed values until the split.
     */
    shrink(project_id: number, uuid: string, distinctIds: readonly string[]): void {
      shrink.run(project_id, uuid);
      const gone = new Set(distinctIds);
      for (const whole of wholes.all(project_id, uuid)) {
        forgetValues.run(project_id, whole.uuid, whole.until);
        for (const { id, detail } of splits.all(project_id, whole.uuid)) {
          change.run(id, withoutIds(detail, gone));
        }
      }
    },
  };
}

/** The detail of a split without some distinct ids. */
function withoutIds(json: string, gone: ReadonlySet<string>): string {
  const rest = (ids: Json) =>
    Array.isArray(ids) ? ids.filter((id) => typeof id !== "string" || !gone.has(id)) : ids;
  const { changes = [], ...others }: ActivityDetail = JSON.parse(json);
  const kept = changes.map(({ field, before, after }) => {
    return { field, before: rest(before), after: rest(after) };
  });
  return JSON.stringify({ ...others, changes: kept });
}
