import type { DuckDBConnection } from "@duckdb/node-api";
import type { ArchivedFile, ArchiveFiles } from "./archive-files.ts";
import { type Duckdb, quoted, rows } from "./duckdb.ts";

/** Whose events are to be erased: those that arrived up to `journal_seq`, by person or id. */
export type Erasure = {
  project_id: number;
  /** Person uuids under which the events may be stored. */
  uuids: readonly string[];
  distinct_ids: readonly string[];
  journal_seq: number;
};

/** Rows of a Parquet row group: DuckDB holds one in memory, of events of at most 1 MiB. */
const ROW_GROUP_ROWS = 8192;

/** Writes the rows of a query as Parquet, and says how many. */
export async function copyTo(
  connection: DuckDBConnection,
  path: string,
  select: string,
): Promise<number> {
  const options = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`;
  const done = await connection.run(`COPY (${select}) TO ${quoted(path)} (${options})`);
  return done.rowsChanged;
}

/**
 * Writes the files that hold these events anew without them, and removes the old ones; durable when
 * it resolves. Returns how many events it were. Nothing else may change the archive meanwhile.
 */
export function eraseArchived(
  duckdb: Duckdb,
  files: ArchiveFiles,
  asked: readonly Erasure[],
): Promise<number> {
  return duckdb.read(async (connection) => {
    const manifest = files.manifest();
    await putErased(connection, asked);
    const kept: ArchivedFile[] = [];
    let count = 0;
    for (const file of manifest.files) {
      const isMeant = asked.some(
        ({ project_id, journal_seq }) =>
          file.kind === "events" && project_id === file.project_id && file.first <= journal_seq,
      );
      const done = isMeant ? await eraseFrom(connection, files, file) : { erased: 0, kept: [file] };
      kept.push(...done.kept);
      count += done.erased;
    }
    if (count > 0) await files.commit({ ...manifest, files: kept });
    for (const table of ERASED_TABLES) await connection.run(`DROP TABLE temp.${table}`);
    return count;
  });
}

async function eraseFrom(connection: DuckDBConnection, files: ArchiveFiles, file: ArchivedFile) {
  const source = `${files.source([file])} AS stored ${ERASED_JOINS}`;
  const [found] = await rows(
    connection,
    `SELECT count(*)::DOUBLE AS found FROM ${source} WHERE ${IS_ERASED}`,
  );
  const erased = Number(found?.["found"] ?? 0);
  if (erased === 0) return { erased, kept: [file] };
  if (erased === file.rows) return { erased, kept: [] };
  const written = await files.write(file, file, (path) =>
    copyTo(connection, path, `SELECT stored.* FROM ${source} WHERE NOT (${IS_ERASED})`),
  );
  return { erased, kept: [written] };
}

const ERASED_TABLES = ["erased_person", "erased_id"];

const ERASED_JOINS = `
  LEFT JOIN temp.erased_person AS of_person
    ON of_person.project_id = stored.project_id AND of_person.uuid = stored.person_id
  LEFT JOIN temp.erased_id AS of_id
    ON of_id.project_id = stored.project_id AND of_id.distinct_id = stored.distinct_id`;

const IS_ERASED = "stored.seq <= greatest(of_person.up_to, of_id.up_to, 0)";

/** COPY takes no parameters, so what it is to leave out is in tables. */
async function putErased(connection: DuckDBConnection, asked: readonly Erasure[]): Promise<void> {
  const [persons, ids] = ERASED_TABLES;
  const columns = "project_id INTEGER, up_to BIGINT";
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${persons} (${columns}, uuid UUID)`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${ids} (${columns}, distinct_id VARCHAR)`);
  for (const { project_id, journal_seq, uuids, distinct_ids } of asked) {
    const whose = { project_id, up_to: journal_seq };
    for (const uuid of uuids) {
      await connection.run(
        `INSERT INTO temp.${persons} VALUES ($project_id, $up_to::BIGINT, $uuid::UUID)`,
        { ...whose, uuid },
      );
    }
    for (const id of distinct_ids) {
      await connection.run(`INSERT INTO temp.${ids} VALUES ($project_id, $up_to::BIGINT, $id)`, {
        ...whose,
        id,
      });
    }
  }
  // Asked for twice, an event must not be written twice.
  for (const [table, key] of [
    [persons, "uuid"],
    [ids, "distinct_id"],
  ]) {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE ${table} AS
         SELECT project_id, max(up_to) AS up_to, ${key} FROM temp.${table} GROUP BY ALL`,
    );
  }
}
