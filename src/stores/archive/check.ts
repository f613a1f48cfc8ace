import { dirname, join } from "node:path";
import type { ArchivedFile } from "../../core/ports/archive.ts";
import { isDiskFull } from "../../core/values/failure.ts";
import { quoted, rows } from "../duckdb/engine/duckdb.ts";
import { isOutOfMemory } from "../duckdb/engine/faults.ts";
import { newInstance } from "../duckdb/engine/instance.ts";
import { NOT_PADDING } from "../loads/event-lines.ts";

/** Memory of the engine that reads a file; it holds one row group at a time. */
const MEMORY = "128MB";

/**
 * Returns whether each value of a file can be read, and whether the file has its number of rows. It uses an
 * engine of its own, because damage can end an engine (decision 76).
 */
export async function isReadable(directory: string, file: ArchivedFile): Promise<boolean> {
  const source = `read_parquet(${quoted(join(directory, file.path))})`;
  const instance = await newInstance(join(dirname(directory), "engine"));
  try {
    const connection = await instance.connect();
    await connection.run(`SET memory_limit = '${MEMORY}'`);
    await connection.run("SET threads = 1");
    const [row] = await rows(
      connection,
      `SELECT count(*) FILTER (${NOT_PADDING})::DOUBLE AS count, bit_xor(hash(whole)) AS read
       FROM ${source} AS whole`,
    );
    return Number(row?.["count"]) === file.rows;
  } catch (error) {
    if (isOutOfMemory(error) || (error instanceof Error && isDiskFull(error))) throw error;
    return false;
  } finally {
    instance.closeSync();
  }
}
