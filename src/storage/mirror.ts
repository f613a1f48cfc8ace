import type { DuckDBConnection } from "@duckdb/node-api";
import { quoted, readColumns } from "./duckdb.ts";
import type { MirrorFiles } from "./slices.ts";

/** UTF-8 bytes of a line: a line is an event of at most 1 MiB, its hot properties again, and what ingest adds. */
export const LINE_BYTES_MAX = 4_194_304;

const MIRROR_ROWS = (path: string) => `
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
      properties: "JSON",
    })})`;

const OVERRIDE_ROWS = (path: string) => `
  read_json(${quoted(path)}, format = 'newline_delimited', columns = ${readColumns({
    project_id: "INTEGER",
    old_person_id: "UUID",
    person_id: "UUID",
  })})`;

/** Brings the event store's mirror of persons to another version, in the caller's transaction. */
export async function applyMirror(
  connection: DuckDBConnection,
  changes: MirrorFiles,
): Promise<void> {
  const { version, persons, overrides } = changes;
  if (persons !== null) await mirrorPersons(connection, persons, changes);
  if (overrides !== null) await mirrorOverrides(connection, overrides);
  await connection.run("UPDATE meta SET value = $version::BIGINT WHERE key = 'mirror_version'", {
    version,
  });
}

/** What belonged to a person who was merged belongs to the other one; then the new overrides. */
async function mirrorOverrides(connection: DuckDBConnection, path: string): Promise<void> {
  const source = OVERRIDE_ROWS(path);
  await connection.run(
    `UPDATE person_overrides AS kept SET person_id = moved.person_id FROM ${source} AS moved
     WHERE kept.project_id = moved.project_id AND kept.person_id = moved.old_person_id`,
  );
  await connection.run(
    `DELETE FROM person_overrides WHERE (project_id, old_person_id) IN
       (SELECT (project_id, old_person_id) FROM ${source})`,
  );
  await connection.run(`INSERT INTO person_overrides BY NAME FROM ${source}`);
}

async function mirrorPersons(
  connection: DuckDBConnection,
  path: string,
  { known, moved }: MirrorFiles,
): Promise<void> {
  const source = MIRROR_ROWS(path);
  if (known) {
    await connection.run(`DELETE FROM persons WHERE id IN (SELECT id FROM ${source} WHERE known)`);
  }
  if (moved) {
    await connection.run(
      `DELETE FROM person_distinct_ids WHERE (project_id, distinct_id) IN
         (SELECT (project_id, unnest(moved)) FROM ${source})`,
    );
  }
  await connection.run(
    `INSERT INTO persons BY NAME SELECT project_id, id, uuid,
       TRY_CAST(created_at AS TIMESTAMP) AS created_at, properties FROM ${source}
       WHERE gone IS NOT TRUE`,
  );
  await connection.run(
    `INSERT INTO person_distinct_ids BY NAME
       SELECT project_id, unnest(distinct_ids) AS distinct_id, uuid AS person_id FROM ${source}`,
  );
}
