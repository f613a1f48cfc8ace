import type { DuckDBConnection } from "@duckdb/node-api";
import { copyTo, type Erasure, eraseArchived } from "./archive-erase.ts";
import {
  ARCHIVED_KINDS,
  type ArchivedFile,
  type ArchivedKind,
  type ArchiveFiles,
} from "./archive-files.ts";
import { type Duckdb, quoted, rows } from "./duckdb.ts";

/**
 * The archive: every event and log record that left the journal, as Parquet, from which the event
 * store can be made again (decision 63). Calls are carried out one after the other.
 */
export type Archive = {
  /** The last sequence number that is archived; 0 at first. */
  last(): number;
  /**
   * Archives what the event store holds up to `upTo`, which it must have applied; durable when it
   * resolves. Throws what DuckDB or the disk throws; then nothing has changed.
   */
  add(upTo: number): Promise<void>;
  /** Makes one file of many small ones, where there are; says whether there were. */
  compact(): Promise<boolean>;
  /**
   * Writes the files that hold these events anew without them, and removes the old ones; durable
   * when it resolves. Returns how many events it were. What is not in the archive is none of its.
   */
  erase(asked: readonly Erasure[]): Promise<number>;
};

/** A file of as many rows is not joined with others. */
const FILE_ROWS = 1_000_000;

/** Small files of the newest month that are worth being joined; of an earlier one, two. */
const SMALL_FILES_MAX = 16;

/** The archive in `files` of the event store in `duckdb`. */
export function archiveOf(duckdb: Duckdb, files: ArchiveFiles): Archive {
  let before: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = before.then(work);
    before = done.catch(() => undefined);
    return done;
  };
  const add = async (upTo: number): Promise<void> => {
    const { last, files: kept, ...rest } = files.manifest();
    if (upTo <= last) return;
    const range = { first: last + 1, last: upTo };
    const added = await duckdb.read(async (connection) => {
      const made: ArchivedFile[] = [];
      for (const kind of ARCHIVED_KINDS) {
        for (const { where, ...place } of await placesOf(connection, kind, range)) {
          const copy = (path: string) =>
            copyTo(connection, path, `SELECT * FROM ${kind} WHERE ${where}`);
          made.push(await files.write(place, range, copy));
        }
      }
      return made;
    });
    await files.commit({ ...rest, last: upTo, files: [...kept, ...added] });
  };

  const compact = async (): Promise<boolean> => {
    const manifest = files.manifest();
    const small = smallFiles(manifest.files);
    const [sample] = small;
    if (sample === undefined) return false;
    const { kind, project_id, month } = sample;
    const range = {
      first: Math.min(...small.map(({ first }) => first)),
      last: Math.max(...small.map(({ last }) => last)),
    };
    const joined = await duckdb.read((connection) =>
      files.write({ kind, project_id, month }, range, (path) =>
        copyTo(connection, path, `SELECT * FROM ${files.source(small)}`),
      ),
    );
    const others = manifest.files.filter((file) => !small.includes(file));
    await files.commit({ ...manifest, files: [...others, joined] });
    return true;
  };

  return {
    last: () => files.manifest().last,
    add: (upTo) => alone(() => add(upTo)),
    compact: () => alone(compact),
    erase: (asked) => alone(() => eraseArchived(duckdb, files, asked)),
  };
}

/** The projects and months that have rows in a range, and which rows those are. */
async function placesOf(
  connection: DuckDBConnection,
  kind: ArchivedKind,
  { first, last }: { first: number; last: number },
) {
  const range = `seq BETWEEN ${first} AND ${last}`;
  const month = "strftime(ingested_at, '%Y-%m')";
  const found = await rows(
    connection,
    `SELECT DISTINCT project_id, ${month} AS month FROM ${kind} WHERE ${range} ORDER BY ALL`,
  );
  return found.map((row) => {
    const place = { kind, project_id: Number(row["project_id"]), month: String(row["month"]) };
    const where = `${range} AND project_id = ${place.project_id} AND ${month} = ${quoted(place.month)}`;
    return { ...place, where };
  });
}

/** Small files of one place, if they are worth joining. */
function smallFiles(all: readonly ArchivedFile[]): ArchivedFile[] {
  const small = all.filter(({ rows: count }) => count < FILE_ROWS);
  const newest = all
    .map(({ month }) => month)
    .toSorted()
    .at(-1);
  const places = Map.groupBy(small, (file) => `${file.kind} ${file.project_id} ${file.month}`);
  for (const some of places.values()) {
    const enough = some[0]?.month === newest ? SMALL_FILES_MAX : 2;
    if (some.length >= enough) return some;
  }
  return [];
}
