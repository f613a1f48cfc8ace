import { dirname, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ArchivedFile } from "../../core/ports/archive.ts";
import { isDiskFull } from "../../core/values/failure.ts";
import { quoted, rows } from "../duckdb/engine/duckdb.ts";
import { isOutOfMemory } from "../duckdb/engine/faults.ts";
import { newInstance } from "../duckdb/engine/instance.ts";
import { DUCKDB_MIGRATIONS } from "../duckdb/migrations/index.ts";
import { NOT_BLANK } from "../loads/event-lines.ts";

/** What files are looked at with, which holds little at once. */
const MEMORY = "128MB";

/** What is looked at of a file: where it is, and what its place says that is in it. */
type Looked = Pick<ArchivedFile, "kind" | "project_id" | "month" | "first" | "last"> & {
  /** The whole path. */
  path: string;
};

/** Looks at files of the archive, of which nothing but their names may be true (decision 76). */
export type ArchiveCheck = {
  /** How many rows that are not blank a file has; undefined unless it is whole, and what its name says. */
  rowsOf(file: Looked): Promise<number | undefined>;
};

/**
 * Works with a check of files below `directory`, in an engine of its own: what that makes of the damage
 * is no harm to the other.
 */
export async function withArchiveCheck<T>(
  directory: string,
  work: (check: ArchiveCheck) => Promise<T>,
): Promise<T> {
  const instance = await newInstance(join(dirname(directory), "engine"));
  try {
    const connection = await instance.connect();
    await connection.run(`SET memory_limit = '${MEMORY}'`);
    await connection.run("SET threads = 1");
    for (const migration of DUCKDB_MIGRATIONS) await connection.run(migration);
    return await work(checkOn(connection));
  } finally {
    instance.closeSync();
  }
}

function checkOn(connection: DuckDBConnection): ArchiveCheck {
  return {
    async rowsOf(file) {
      try {
        const source = `read_parquet(${quoted(file.path)})`;
        await connection.run(`INSERT INTO ${file.kind} BY NAME SELECT * FROM ${source} LIMIT 0`);
        const [row] = await rows(connection, WHOLE(source, file));
        return row?.["is_in_place"] === true ? Number(row["found"]) : undefined;
      } catch (error) {
        if (isOutOfMemory(error) || (error instanceof Error && isDiskFull(error))) throw error;
        return undefined;
      }
    },
  };
}

/** Each value of each row is read, and each row must be of the file's place. */
const WHOLE = (source: string, { project_id, month, first, last }: Looked) => `
  SELECT count(*) FILTER (${NOT_BLANK})::DOUBLE AS found, bit_xor(hash(whole)) AS read,
    coalesce(bool_and(seq BETWEEN ${first} AND ${last} AND abs(project_id) = ${project_id}
      AND strftime(ingested_at, '%Y-%m') = ${quoted(month)}), true) AS is_in_place
  FROM ${source} AS whole`;

/** Whether a file is whole, and has as many rows as the list says. */
export async function isReadable(directory: string, file: ArchivedFile): Promise<boolean> {
  const path = join(directory, file.path);
  return withArchiveCheck(directory, async (check) => {
    return (await check.rowsOf({ ...file, path })) === file.rows;
  });
}
