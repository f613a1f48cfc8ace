import type { DuckDBConnection } from "@duckdb/node-api";
import type {
  ArchivedFile,
  ArchivedKind,
  ArchiveFiles,
  Erasure,
} from "../../core/ports/archive.ts";
import { type Duckdb, quoted, rows } from "../duckdb/engine/duckdb.ts";
import { runOnEngineThreads } from "../duckdb/engine/engine-threads.ts";
import { LOG_OWNERS, MAY_HAVE_OWNER } from "../duckdb/lists/logs.ts";
import { NOT_PADDING } from "../loads/event-lines.ts";

/** Rows of a Parquet row group: DuckDB holds one in memory, of rows of 2 KiB at most (decision 95). */
const ROW_GROUP_ROWS = 8192;

/**
 * Writes the rows of a query as Parquet, in their order, and returns their number without padding
 * (decision 95). OFFSET 0 makes DuckDB use one thread and 40 to 55 MB: 1.6 million events take 17 s. Several
 * threads would collect rows in memory to keep their order: they took 23 to 28 s and 240 of 256 MB. The lowest
 * level of compression makes files of the same size in two thirds of the time.
 */
export async function copyTo(
  connection: DuckDBConnection,
  path: string,
  select: string,
): Promise<number> {
  const options = `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, PRESERVE_ORDER false`;
  const copy = `COPY (FROM (${select}) OFFSET 0) TO ${quoted(path)} (${options})`;
  await runOnEngineThreads(connection, copy, { yieldsToQueries: true });
  return countIn(connection, `read_parquet(${quoted(path)})`);
}

/** Returns the number of rows of a source without padding. */
export async function countIn(connection: DuckDBConnection, source: string): Promise<number> {
  const count = `SELECT count(*)::DOUBLE AS count FROM ${source} WHERE ${NOT_PADDING}`;
  const [found] = await rows(connection, count);
  return Number(found?.["count"] ?? 0);
}

/**
 * Writes files again without their erased rows, and returns how many rows are gone; durable when it resolves.
 * A row that the event store still has stays (decision 60). No other work may change the archive meanwhile.
 */
export async function eraseArchived(
  duckdb: Duckdb,
  files: ArchiveFiles,
  requests: readonly Erasure[],
): Promise<number> {
  const state = files.state();
  const kept: ArchivedFile[] = [];
  let count = 0;
  for (const file of state.files) {
    const matching = requests.filter(
      ({ project_id, journal_seq }) => project_id === file.project_id && file.first <= journal_seq,
    );
    const done =
      matching.length === 0
        ? { erased: 0, kept: [file] }
        : await duckdb.readFirst((connection) => eraseFrom(connection, files, { file, matching }));
    kept.push(...done.kept);
    count += done.erased;
  }
  if (count > 0) await files.commit({ ...state, files: kept });
  return count;
}

type FileErasure = { file: ArchivedFile; matching: readonly Erasure[] };

async function eraseFrom(
  connection: DuckDBConnection,
  files: ArchiveFiles,
  { file, matching }: FileErasure,
) {
  await putErased(connection, matching);
  const done = await eraseMatching(connection, files, file);
  for (const table of ERASED_TABLES) await connection.run(`DROP TABLE temp.${table}`);
  return done;
}

async function eraseMatching(
  connection: DuckDBConnection,
  files: ArchiveFiles,
  file: ArchivedFile,
) {
  const { kind, first, last } = file;
  const stored = `${files.source([file])} AS stored`;
  // Few rows match, and only these are looked up in the event store.
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE erased_row AS
       SELECT DISTINCT seq FROM (SELECT stored.seq FROM ${stored} ${ERASED_JOINS[kind]}) AS matched
       ANTI JOIN (SELECT seq FROM ${kind} WHERE seq BETWEEN ${first} AND ${last} AND ${NOT_PADDING}) AS held
         USING (seq)`,
  );
  const [found] = await rows(connection, "SELECT count(*)::DOUBLE AS found FROM temp.erased_row");
  const erased = Number(found?.["found"] ?? 0);
  if (erased === 0) return { erased, kept: [file] };
  const written = await files.write(file, file, (path) =>
    copyTo(connection, path, `SELECT * FROM ${stored} ANTI JOIN temp.erased_row USING (seq)`),
  );
  return { erased, kept: written.rows === 0 ? [] : [written] };
}

const ERASED_TABLES = ["erased_key", "erased_id", "erased_row"];

/** Keys of one statement. */
const KEYS_MAX = 10_000;

const ADD_KEYS = `
  INSERT INTO temp.erased_key SELECT unnest(from_json($keys,
    '[{"project_id": "INTEGER", "up_to": "BIGINT", "distinct_id": "VARCHAR"}]'), recursive := true)`;

const EVENT_JOINS = `
  JOIN temp.erased_id AS of_id
    ON of_id.project_id = stored.project_id AND of_id.distinct_id = stored.distinct_id
    AND stored.seq <= of_id.up_to`;

const LOG_JOINS = `
  CROSS JOIN LATERAL (SELECT unnest(${LOG_OWNERS}) AS distinct_id WHERE ${MAY_HAVE_OWNER}) AS owner
  JOIN temp.erased_id AS of_id
    ON of_id.project_id = stored.project_id AND stored.seq <= of_id.up_to
    AND of_id.distinct_id = owner.distinct_id`;

/** Joins that find the matching rows, by kind. */
const ERASED_JOINS: Record<ArchivedKind, string> = { events: EVENT_JOINS, logs: LOG_JOINS };

/** COPY takes no parameters, so the erased ids are in tables. */
async function putErased(
  connection: DuckDBConnection,
  requests: readonly Erasure[],
): Promise<void> {
  const keys = requests.flatMap(({ project_id, journal_seq: up_to, distinct_ids }) =>
    distinct_ids.map((distinct_id) => ({ project_id, up_to, distinct_id })),
  );
  const columns = "project_id INTEGER, up_to BIGINT, distinct_id VARCHAR";
  await connection.run(`CREATE OR REPLACE TEMP TABLE erased_key (${columns})`);
  for (let at = 0; at < keys.length; at += KEYS_MAX) {
    await connection.run(ADD_KEYS, { keys: JSON.stringify(keys.slice(at, at + KEYS_MAX)) });
  }
  // Each id has one row only, because a join with two rows would write an event twice.
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE erased_id AS
       SELECT project_id, max(up_to) AS up_to, distinct_id FROM temp.erased_key GROUP BY ALL`,
  );
}
