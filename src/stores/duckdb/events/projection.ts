import type { DuckDBConnection } from "@duckdb/node-api";
import type { ProjectionFiles } from "../../../core/ports/loads.ts";
import { PROPERTY_COLUMNS } from "../../loads/person-columns.ts";
import { quoted, readColumns, rows } from "../engine/duckdb.ts";
import { runOnEngineThreads } from "../engine/engine-threads.ts";
import { noteOmitted } from "../lists/omitted-properties.ts";

/** UTF-8 bytes of a line: an event of at most 1 MiB, a copy of its hot properties, and the fields that ingest adds. */
export const LINE_BYTES_MAX = 4_194_304;

const PERSON_ROWS = (path: string) => `
  read_json(${quoted(path)}, format = 'newline_delimited',
    maximum_object_size = ${LINE_BYTES_MAX}, columns = ${readColumns({
      project_id: "INTEGER",
      id: "BIGINT",
      uuid: "UUID",
      created_at: "VARCHAR",
      distinct_ids: "VARCHAR[]",
      moved: "VARCHAR[]",
      known: "BOOLEAN",
      gone: "BOOLEAN",
      email: "VARCHAR",
      whole_properties: "JSON",
      ...Object.fromEntries(PROPERTY_COLUMNS.map((column) => [column, "JSON"])),
    })})`;

/**
 * Returns a source that one thread alone reads, by a limit that no file reaches: several need 40 MB each for large
 * rows, and more the longer the file is.
 */
const byOneThread = (source: string) => `(SELECT * FROM ${source} LIMIT 1000000000000)`;

const OVERRIDE_ROWS = (path: string) => `
  read_json(${quoted(path)}, format = 'newline_delimited', columns = ${readColumns({
    project_id: "INTEGER",
    old_person_id: "UUID",
    person_id: "UUID",
  })})`;

/** Whether events change by an UPDATE, during which no read may run. */
export const isInPlace = (changes: ProjectionFiles | null): boolean =>
  typeof changes?.owned === "string";

/** Brings the person projection to another version, in the caller's transaction. */
export async function applyChanges(
  connection: DuckDBConnection,
  changes: ProjectionFiles,
): Promise<void> {
  const { version, persons, overrides, groups, owned } = changes;
  if (persons !== null) await projectPersons(connection, persons, changes);
  if (overrides !== null) await projectOverrides(connection, overrides);
  if (groups !== null) await projectGroups(connection, groups);
  if (owned !== null) await setEventOwners(connection, owned);
  await setMeta(connection, "mirror_version", version);
}

/** Adds overrides, and redirects older ones from a merged person to the person it was merged into. */
async function projectOverrides(connection: DuckDBConnection, path: string): Promise<void> {
  const source = OVERRIDE_ROWS(path);
  await runOnEngineThreads(
    connection,
    `CREATE OR REPLACE TEMP TABLE moved AS
     SELECT project_id, old_person_id, person_id FROM ${source}
     UNION ALL
     SELECT kept.project_id, kept.old_person_id, moved.person_id FROM person_overrides AS kept
     JOIN ${source} AS moved
       ON moved.project_id = kept.project_id AND moved.old_person_id = kept.person_id
     WHERE (kept.project_id, kept.old_person_id) NOT IN
       (SELECT (project_id, old_person_id) FROM ${source})`,
  );
  await runOnEngineThreads(
    connection,
    `DELETE FROM person_overrides WHERE (project_id, old_person_id) IN
       (SELECT (project_id, old_person_id) FROM temp.moved)`,
  );
  await runOnEngineThreads(connection, "INSERT INTO person_overrides BY NAME FROM temp.moved");
  await connection.run("DROP TABLE temp.moved");
}

async function projectPersons(
  connection: DuckDBConnection,
  path: string,
  { known, moved, deleted, large }: ProjectionFiles,
): Promise<void> {
  // Each statement would read the file again. Large rows stay in it, because a table would hold them in memory.
  if (!large) {
    await runOnEngineThreads(
      connection,
      `CREATE OR REPLACE TEMP TABLE changed_persons AS FROM ${PERSON_ROWS(path)}`,
    );
  }
  const source = large ? byOneThread(PERSON_ROWS(path)) : "temp.changed_persons";
  if (deleted) {
    for (const table of ["person_distinct_ids", "person_overrides"]) {
      await runOnEngineThreads(
        connection,
        `DELETE FROM ${table} WHERE (project_id, person_id) IN
           (SELECT (project_id, uuid) FROM persons
            WHERE id IN (SELECT id FROM ${source} WHERE gone))`,
      );
    }
  }
  if (known) {
    await runOnEngineThreads(
      connection,
      `DELETE FROM persons WHERE id IN (SELECT id FROM ${source} WHERE known)`,
    );
  }
  if (moved) {
    await runOnEngineThreads(
      connection,
      `DELETE FROM person_distinct_ids WHERE (project_id, distinct_id) IN
         (SELECT (project_id, unnest(moved)) FROM ${source})`,
    );
  }
  await runOnEngineThreads(
    connection,
    `INSERT INTO persons BY NAME SELECT project_id, id, uuid,
       TRY_CAST(created_at AS TIMESTAMP) AS created_at,
       email, whole_properties, ${PROPERTY_COLUMNS.join(", ")} FROM ${source}
       WHERE gone IS NOT TRUE`,
  );
  await runOnEngineThreads(
    connection,
    `INSERT INTO person_distinct_ids BY NAME
       SELECT project_id, unnest(distinct_ids) AS distinct_id, uuid AS person_id FROM ${source}`,
  );
  if (large) await noteOmitted(connection, "person", { from: source });
  else await connection.run("DROP TABLE temp.changed_persons");
}

async function projectGroups(connection: DuckDBConnection, path: string): Promise<void> {
  const source = byOneThread(`read_json(${quoted(path)}, format = 'newline_delimited',
    maximum_object_size = ${LINE_BYTES_MAX}, columns = ${readColumns({
      project_id: "INTEGER",
      type_index: "INTEGER",
      key: "VARCHAR",
      created_at: "VARCHAR",
      properties: "JSON",
      whole_properties: "JSON",
    })})`);
  // Padding rows of a large group have its key, and a negative project id.
  await connection.run(
    `DELETE FROM groups WHERE (abs(project_id), type_index, key) IN
       (SELECT (abs(project_id), type_index, key) FROM ${source})`,
  );
  await connection.run(
    `INSERT INTO groups BY NAME
       SELECT * REPLACE (TRY_CAST(created_at AS TIMESTAMP) AS created_at) FROM ${source}`,
  );
  await noteOmitted(connection, "group", { from: source });
}

/** Sets the person of stored events by distinct id, because before a split all had the same person. */
async function setEventOwners(connection: DuckDBConnection, path: string): Promise<void> {
  const source = `read_json(${quoted(path)}, format = 'newline_delimited', columns = ${readColumns({
    project_id: "INTEGER",
    distinct_id: "VARCHAR",
    person_id: "UUID",
  })})`;
  await connection.run(
    `UPDATE events SET person_id = owned.person_id FROM ${source} AS owned
     WHERE events.project_id = owned.project_id AND events.distinct_id = owned.distinct_id`,
  );
}

/**
 * Keys of `meta`: `applied_seq`, the last stored sequence number of the journal; `mirror_version`, the version
 * of the person projection; and `restoring`, 1 while the store is filled from the archive.
 */
export type MetaKey = "applied_seq" | "mirror_version" | "restoring";

/** Returns the value of a key, in the current database or in `catalog`; 0 if it is missing. */
export async function metaOf(
  connection: DuckDBConnection,
  key: MetaKey,
  catalog?: string,
): Promise<number> {
  const table = catalog === undefined ? "meta" : `${catalog}.meta`;
  const [row] = await rows(connection, `SELECT value FROM ${table} WHERE key = $key`, { key });
  return Number(row?.["value"] ?? 0);
}

/** Replaces the row of a key, because an UPDATE would wait until no read runs. */
export async function setMeta(
  connection: DuckDBConnection,
  key: MetaKey,
  value: number,
): Promise<void> {
  // As literals in one call, both take half of the time that they take with parameters.
  await connection.run(
    `DELETE FROM meta WHERE key = '${key}'; INSERT INTO meta VALUES ('${key}', ${value})`,
  );
}
