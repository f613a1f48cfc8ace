import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ArchivedKind, TakenRows } from "../../core/ports/archive.ts";
import type { Hole } from "../../core/ports/journal.ts";
import { isDiskFull } from "../../core/values/failure.ts";
import { LOADS_DIRECTORY, quoted, rows } from "../duckdb/engine/duckdb.ts";
import { newInstance } from "../duckdb/engine/instance.ts";
import { memoryLimit } from "../duckdb/engine/memory-limit.ts";
import { UNPROMOTED } from "../duckdb/events/hot-columns.ts";
import { copyTo } from "./erase.ts";
import { ARCHIVED_KINDS } from "./files.ts";

/**
 * What was taken; `damage` says why not all could be looked at, undefined if it was. `applied` is the
 * last sequence number that the event store had.
 */
export type Taken = { files: TakenRows[]; damage: Error | undefined; applied: number };

/** Rows that are given up at once where they cannot be read: a vector of the engine. */
const UNREAD_ROWS_MIN = 2048;

type Options = {
  /** The data directory. */
  directory: string;
  memory_bytes: number;
};

/**
 * Takes the rows in holes of the journal from an event store's file that nobody uses; of a damaged one
 * what can be read. In an engine of its own: what that makes of the damage is no harm to the other.
 */
export async function takeRows(
  file: string,
  holes: readonly Hole[],
  { directory, memory_bytes }: Options,
): Promise<Taken> {
  const instance = await newInstance(join(directory, "engine"));
  const loads = join(directory, LOADS_DIRECTORY);
  const taken: Taken = { files: [], damage: undefined, applied: 0 };
  try {
    const connection = await instance.connect();
    for (const statement of [
      memoryLimit({ memory_bytes }),
      "SET threads = 1",
      "SET autoinstall_known_extensions = false",
      "SET autoload_known_extensions = false",
      // A start empties it.
      `SET temp_directory = ${quoted(loads)}`,
      "CREATE TABLE hole (first BIGINT, last BIGINT)",
      `INSERT INTO hole VALUES ${holes.map(valuesOf).join(", ")}`,
      `ATTACH ${quoted(file)} AS aside (READ_ONLY)`,
    ]) {
      await connection.run(statement);
    }
    const [mark] = await rows(connection, "SELECT value FROM aside.meta WHERE key = 'applied_seq'");
    taken.applied = Number(mark?.["value"] ?? 0);
    for (const kind of ARCHIVED_KINDS) {
      await takeKind(connection, { kind, directory: loads, taken });
    }
  } catch (error) {
    taken.damage ??= damageIn(error);
  } finally {
    instance.closeSync();
  }
  return taken;
}

const valuesOf = ({ first, last }: Hole) => `(${Number(first)}, ${Number(last)})`;

type Taking = { kind: ArchivedKind; directory: string; taken: Taken };

async function takeKind(
  connection: DuckDBConnection,
  { kind, directory, taken }: Taking,
): Promise<void> {
  const take = async (start: number, end: number): Promise<void> => {
    const path = join(directory, `taken-${kind}-${start}.parquet`);
    try {
      const count = await copyTo(connection, path, ROWS(kind, start, end));
      if (count > 0) taken.files.push({ kind, path, rows: count });
      else rmSync(path, { force: true });
    } catch (error) {
      rmSync(path, { force: true });
      const damage = damageIn(error);
      if (end - start <= UNREAD_ROWS_MIN) {
        taken.damage ??= damage;
        return;
      }
      const middle = start + Math.ceil((end - start) / 2);
      await take(start, middle);
      await take(middle, end);
    }
  };
  const [row] = await rows(connection, `SELECT max(rowid)::DOUBLE AS last FROM aside.${kind}`);
  await take(0, Number(row?.["last"] ?? -1) + 1);
}

/** The error, if it is no reason to try again later: whoever has no room will have. */
function damageIn(error: unknown): Error {
  if (error instanceof Error && !isDiskFull(error)) return error;
  throw error;
}

/** All of the rows from a place to another that are in holes; the outer bounds spare the others. */
const ROWS = (kind: ArchivedKind, start: number, end: number) => `
  SELECT ${UNPROMOTED} FROM aside.${kind}
  WHERE rowid >= ${start} AND rowid < ${end}
    AND seq >= (SELECT min(first) FROM hole) AND seq <= (SELECT max(last) FROM hole)
    AND EXISTS (FROM hole WHERE seq BETWEEN first AND last)`;
