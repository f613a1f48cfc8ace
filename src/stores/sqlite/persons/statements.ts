import type { Merged } from "../../../core/ports/persons/writes.ts";
import type { Sqlite } from "../sqlite.ts";

/** A person as it is stored: `properties` is JSON, and `is_identified` 0 or 1. */
export type StoredPerson = {
  id: number;
  project_id: number;
  uuid: string;
  properties: string;
  created_at: string;
  is_identified: number;
  email: string | null;
};

/** A merge as it is stored: lists and properties are JSON, flags 0 or 1. */
export type StoredMerge = Omit<
  Merged,
  "gained" | "source_is_identified" | "target_is_identified" | "at"
> & {
  id: number;
  gained: string;
  kept: string;
  source_is_identified: number;
  target_is_identified: number;
  source_listed_at: string | null;
};

/** A distinct id of a person; `initial_uuid` is null if it never came from another person. */
export type StoredId = { distinct_id: string; position: number; initial_uuid: string | null };

/** The uuids of a person and of all persons that were merged into it, also by way of others. */
const WITH_PARTS = `WITH RECURSIVE part (uuid) AS (
  SELECT $uuid UNION SELECT source_uuid FROM part CROSS JOIN person_merge
  WHERE project_id = $project_id AND target_uuid = part.uuid)`;

/** The statements that change persons, each on the connection that writes. */
export function personStatements(raw: Sqlite["raw"]) {
  return { ...personTable(raw), ...idTables(raw), ...mergeTables(raw) };
}

/** All statements that change persons. */
export type PersonStatements = ReturnType<typeof personStatements>;

/** Values are bound by their position in statements that run for each person of a batch: it is faster. */
function personTable(raw: Sqlite["raw"]) {
  type Columns = [
    ...[id: number | null, project_id: number, uuid: string, properties: string],
    ...[created_at: string, is_identified: number, auto_properties: number],
    ...[email: string | null, version: number],
  ];
  return {
    find: raw.query<StoredPerson, [project_id: number, id: number]>(
      `SELECT id, project_id, uuid, properties, created_at, is_identified, email FROM person
       WHERE project_id = ?1 AND id = ?2`,
    ),
    insert: raw.query<null, Columns>(
      `INSERT INTO person
         (id, project_id, uuid, properties, created_at, is_identified, auto_properties, email,
          version)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
    ),
    update: raw.query<
      { created_at: string; email: string | null },
      [
        properties: string,
        is_identified: number,
        auto_properties: number,
        version: number,
        id: number,
      ]
    >(
      `UPDATE person SET properties = ?1, is_identified = ?2, auto_properties = ?3, version = ?4
       WHERE id = ?5 RETURNING created_at, email`,
    ),
    // Two statements of their own, because SQLite writes an index even if its columns stay as they are.
    setEmail: raw.query<null, [email: string | null, id: number]>(
      "UPDATE person SET email = ?1 WHERE id = ?2",
    ),
    setCreatedAt: raw.query<null, [created_at: string, id: number]>(
      "UPDATE person SET created_at = ?1 WHERE id = ?2",
    ),
    /** Deletes a person, with its distinct ids and overrides. */
    delete: raw.query<null, [id: number]>("DELETE FROM person WHERE id = ?1"),
    noteGone: raw.query<null, [id: number, version: number]>(
      "INSERT OR REPLACE INTO person_gone (id, version) VALUES (?1, ?2)",
    ),
    forgetGone: raw.query<null, [id: number]>("DELETE FROM person_gone WHERE id = ?1"),
    count: raw.query<null, [more: number, project_id: number]>(
      "UPDATE person_count SET count = count + ?1 WHERE project_id = ?2",
    ),
    noteMove: raw.query<
      null,
      { version: number; project_id: number; id: number; created_at: string }
    >(
      `INSERT INTO person_move (version, project_id, person_id, created_at)
       VALUES ($version, $project_id, $id, $created_at)`,
    ),
    forgetMoves: raw.query<null, { project_id: number; uuid: string; id: number }>(
      `${WITH_PARTS} DELETE FROM person_move WHERE person_id IN (
         SELECT $id UNION ALL SELECT source_id FROM person_merge
         WHERE project_id = $project_id AND target_uuid IN (SELECT uuid FROM part))`,
    ),
  };
}

function idTables(raw: Sqlite["raw"]) {
  return {
    idsOf: raw.query<StoredId, [person: number]>(
      `SELECT distinct_id, position, initial_uuid FROM distinct_id
       WHERE person_id = ?1 ORDER BY position`,
    ),
    insertId: raw.query<
      null,
      [
        project_id: number,
        distinct_id: string,
        id: number,
        position: number,
        initial: string | null,
      ]
    >(
      `INSERT INTO distinct_id (project_id, distinct_id, person_id, position, initial_uuid)
       VALUES (?1, ?2, ?3, ?4, ?5)`,
    ),
    /** Moves a distinct id from the person with the uuid `from` to another one. */
    moveId: raw.query<
      null,
      [
        ...[project_id: number, distinct_id: string, id: number, position: number],
        ...[from: string, uuid: string],
      ]
    >(
      `UPDATE distinct_id SET person_id = ?3, position = ?4,
         initial_uuid = nullif(coalesce(initial_uuid, ?5), ?6)
       WHERE project_id = ?1 AND distinct_id = ?2`,
    ),
    /** Puts a distinct id before the others of its person. */
    makeMain: raw.query<null, [id: number, project_id: number, distinct_id: string]>(
      `UPDATE distinct_id SET position =
         (SELECT min(position) - 1 FROM distinct_id WHERE person_id = ?1)
       WHERE project_id = ?2 AND distinct_id = ?3 AND position >
         (SELECT min(position) FROM distinct_id WHERE person_id = ?1)`,
    ),
    override: raw.query<
      null,
      [project_id: number, overridden_uuid: string, id: number, version: number]
    >(
      `INSERT OR REPLACE INTO person_override (project_id, overridden_uuid, person_id, version)
       VALUES (?1, ?2, ?3, ?4)`,
    ),
    moveOverrides: raw.query<null, [target: number, version: number, source: number]>(
      "UPDATE person_override SET person_id = ?1, version = ?2 WHERE person_id = ?3",
    ),
    overriddenBy: raw.query<{ overridden_uuid: string }, [id: number]>(
      "SELECT overridden_uuid FROM person_override WHERE person_id = ?1 ORDER BY overridden_uuid",
    ),
    noteOwned: raw.query<
      null,
      { project_id: number; distinct_id: string; person_id: string; version: number }
    >(
      `INSERT OR REPLACE INTO distinct_id_owned (project_id, distinct_id, uuid, version)
       VALUES ($project_id, $distinct_id, $person_id, $version)`,
    ),
  };
}

/**
 * Reads all merges into a person, also by way of others, oldest first. CROSS JOIN keeps the order of the
 * tables: the other order reads all merges for each part.
 */
export const mergesInto = (raw: Sqlite["raw"]) =>
  raw.query<StoredMerge, { project_id: number; uuid: string }>(
    `${WITH_PARTS} SELECT * FROM person_merge
     WHERE project_id = $project_id AND target_uuid IN (SELECT uuid FROM part) ORDER BY id`,
  );

function mergeTables(raw: Sqlite["raw"]) {
  return {
    insertMerge: raw.query<null, Omit<StoredMerge, "id" | "kept" | "source_listed_at">>(
      `INSERT INTO person_merge (project_id, target_uuid, target_created_at, target_is_identified,
         gained, source_id, source_uuid, source_properties, source_created_at,
         source_is_identified, event_uuid, source_listed_at)
       VALUES ($project_id, $target_uuid, $target_created_at, $target_is_identified,
         $gained, $source_id, $source_uuid, $source_properties, $source_created_at,
         $source_is_identified, $event_uuid, (SELECT created_at FROM person WHERE id = $source_id))`,
    ),
    mergesInto: mergesInto(raw),
    changeMerge: raw.query<null, Omit<StoredMerge, "project_id" | "event_uuid" | "kept">>(
      `UPDATE person_merge SET gained = $gained, source_properties = $source_properties,
         source_created_at = $source_created_at, source_is_identified = $source_is_identified,
         target_created_at = $target_created_at, target_is_identified = $target_is_identified
       WHERE id = $id`,
    ),
    deleteMerge: raw.query<null, [id: number]>("DELETE FROM person_merge WHERE id = ?1"),
    deleteMergesInto: raw.query<null, { project_id: number; uuid: string }>(
      `${WITH_PARTS} DELETE FROM person_merge
       WHERE project_id = $project_id AND target_uuid IN (SELECT uuid FROM part)`,
    ),
    /** Notes the keys that a user has set: a merge did not give them, even if the value is the same. */
    keepKeys: raw.query<null, { project_id: number; uuid: string; keys: string }>(
      `UPDATE person_merge SET kept = (
         SELECT json_group_array(value) FROM (
           SELECT value FROM json_each(kept) UNION
           SELECT value FROM json_each($keys) WHERE value IN (SELECT value FROM json_each(gained))))
       WHERE project_id = $project_id AND target_uuid = $uuid`,
    ),
  };
}
