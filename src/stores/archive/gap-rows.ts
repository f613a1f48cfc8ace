import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ArchivedKind, TakenRows } from "../../core/ports/archive.ts";
import type { SeqGap } from "../../core/ports/journal.ts";
import { isDiskFull } from "../../core/values/failure.ts";
import { LOADS_DIRECTORY, quoted } from "../duckdb/engine/duckdb.ts";
import { newInstance } from "../duckdb/engine/instance.ts";
import { memoryLimit } from "../duckdb/engine/memory-limit.ts";
import { WITHOUT_MATERIALIZED } from "../duckdb/events/hot-columns.ts";
import { metaOf } from "../duckdb/events/projection.ts";
import { copyTo } from "./erase.ts";
import { ARCHIVED_KINDS } from "./files.ts";

/**
 * Rows that were read, in files. `damage` is the error of a table that could not be read.
 * `applied` is the last sequence number that the event store had.
 */
export type GapRows = { files: TakenRows[]; damage: Error | undefined; applied: number };

type Options = {
  /** The data directory. */
  directory: string;
  memory_bytes: number;
};

/**
 * Copies the rows in gaps of the journal from the file of an event store that is not in use. It runs in an
 * engine of its own, because damage in the file can end an engine.
 */
export async function readRows(
  file: string,
  gaps: readonly SeqGap[],
  { directory, memory_bytes }: Options,
): Promise<GapRows> {
  const instance = await newInstance(join(directory, "engine"));
  const loads = join(directory, LOADS_DIRECTORY);
  const result: GapRows = { files: [], damage: undefined, applied: 0 };
  try {
    const connection = await instance.connect();
    for (const statement of [
      memoryLimit({ memory_bytes }),
      "SET threads = 1",
      "SET autoinstall_known_extensions = false",
      "SET autoload_known_extensions = false",
      // A start empties this directory.
      `SET temp_directory = ${quoted(loads)}`,
      "CREATE TABLE gap (first BIGINT, last BIGINT)",
      `INSERT INTO gap VALUES ${gaps.map(valuesOf).join(", ")}`,
      `ATTACH ${quoted(file)} AS source (READ_ONLY)`,
    ]) {
      await connection.run(statement);
    }
    result.applied = await metaOf(connection, "applied_seq", "source");
    for (const kind of ARCHIVED_KINDS) {
      const path = join(loads, `recovered-${kind}.parquet`);
      const count = await copyTo(connection, path, ROWS(kind));
      if (count > 0) result.files.push({ kind, path, rows: count });
      else rmSync(path, { force: true });
    }
  } catch (error) {
    result.damage = damageIn(error);
  } finally {
    instance.closeSync();
  }
  return result;
}

const valuesOf = ({ first, last }: SeqGap) => `(${Number(first)}, ${Number(last)})`;

/** Returns the error; throws it if the disk is full, because the start tries again then. */
function damageIn(error: unknown): Error {
  if (error instanceof Error && !isDiskFull(error)) return error;
  throw error;
}

/** The rows in gaps; the outer bounds let the engine skip the others. */
const ROWS = (kind: ArchivedKind) => `
  SELECT ${WITHOUT_MATERIALIZED} FROM source.${kind}
  WHERE seq >= (SELECT min(first) FROM gap) AND seq <= (SELECT max(last) FROM gap)
    AND EXISTS (FROM gap WHERE seq BETWEEN first AND last)`;
