import type { DuckDBConnection } from "@duckdb/node-api";
import type {
  Archive,
  ArchivedFile,
  ArchivedKind,
  ArchiveFiles,
  ArchivePlace,
} from "../../core/ports/archive.ts";
import { type Duckdb, quoted, rows } from "../duckdb/engine/duckdb.ts";
import { UNPROMOTED } from "../duckdb/events/hot-columns.ts";
import { NOT_BLANK } from "../loads/event-lines.ts";
import { copyTo, countIn, eraseArchived } from "./erase.ts";
import { ARCHIVED_KINDS } from "./files.ts";

/** A file of as many rows is not joined with others. */
const FILE_ROWS = 100_000;

/** Small files of the newest month that are worth being joined; of an earlier one, two. */
const SMALL_FILES_MAX = 16;

/**
 * The archive in `files` of the event store in `duckdb`. A file that is found to be damaged is
 * written anew from the event store, and `onMended` told of it, and how many rows of one that was
 * given up the event store does not have (decision 76).
 */
export function archiveOf(
  duckdb: Duckdb,
  files: ArchiveFiles,
  onMended: (file: ArchivedFile, lost: number) => void,
): Archive {
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
    const added = await duckdb.readFirst(async (connection) => {
      const made: ArchivedFile[] = [];
      for (const kind of ARCHIVED_KINDS) {
        for (const place of await placesOf(connection, kind, range)) {
          made.push(await writeStored(connection, files, { ...place, ...range }));
        }
      }
      return made;
    });
    await files.commit({ ...rest, last: upTo, files: [...kept, ...added] });
  };

  /** Has the event store, which holds all that is archived, make up for what is damaged. */
  const mend = async (suspects: readonly ArchivedFile[]): Promise<void> => {
    for (const file of suspects) {
      if (await files.isSound(file)) continue;
      const made = await duckdb.readFirst((connection) => writeStored(connection, files, file));
      const { files: all, ...rest } = files.manifest();
      const others = all.filter((other) => other !== file);
      const lost = file.is_given_up ? Math.max(0, file.rows - made.rows) : 0;
      const rows_lost = (rest.rows_lost ?? 0) + lost;
      const counted = rows_lost === 0 ? rest : { ...rest, rows_lost };
      await files.commit({ ...counted, files: made.rows === 0 ? others : [...others, made] });
      onMended(file, lost);
    }
  };

  const compact = async (): Promise<boolean> => {
    await mend(smallFiles(files.manifest().files));
    const manifest = files.manifest();
    const small = smallFiles(manifest.files);
    const [sample] = small;
    if (sample === undefined) return false;
    const { kind, project_id, month } = sample;
    const range = {
      first: Math.min(...small.map(({ first }) => first)),
      last: Math.max(...small.map(({ last }) => last)),
    };
    const joined = await duckdb.readFirst((connection) =>
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
    complete: () =>
      alone(async () => {
        await mend(files.manifest().files.filter((file) => !files.isThere(file)));
        if (files.manifest().is_listed_anew) await compare(duckdb, files);
      }),
    files: () => files.manifest().files.length,
    check: (place) => alone(() => mend(files.manifest().files.slice(place, place + 1))),
    compact: () => alone(compact),
    erase: (asked) =>
      alone(async () => {
        await files.removeSetAside();
        const projects = new Set(asked.map(({ project_id }) => project_id));
        await mend(files.manifest().files.filter(({ project_id }) => projects.has(project_id)));
        return eraseArchived(duckdb, files, asked);
      }),
  };
}

/** Has the places of which the event store has other rows than the files of a list that was made anew written anew. */
async function compare(duckdb: Duckdb, files: ArchiveFiles): Promise<void> {
  const { is_listed_anew: _, files: listed, ...rest } = files.manifest();
  const range = { first: 1, last: rest.last };
  const kept = await duckdb.readFirst(async (connection) => {
    const all: ArchivedFile[] = [];
    for (const kind of ARCHIVED_KINDS) {
      for (const place of await placesOf(connection, kind, range)) {
        const held = listed.filter((file) => isIn(file, place));
        const found = held.length === 0 ? 0 : await countIn(connection, files.source(held));
        if (found === place.rows) all.push(...held);
        else all.push(await writeStored(connection, files, { ...place, ...range }));
      }
    }
    return all;
  });
  await files.commit({ ...rest, files: kept });
}

function isIn(file: ArchivePlace, { kind, project_id, month }: ArchivePlace): boolean {
  return file.kind === kind && file.project_id === project_id && file.month === month;
}

/** Writes what the event store has of a place and a range of sequence numbers. */
function writeStored(
  connection: DuckDBConnection,
  files: ArchiveFiles,
  of: ArchivePlace & { first: number; last: number },
): Promise<ArchivedFile> {
  const { kind, project_id, month, first, last } = of;
  const where = `seq BETWEEN ${first} AND ${last} AND project_id IN (${project_id}, ${-project_id}) AND ${MONTH} = ${quoted(month)}`;
  return files.write({ kind, project_id, month }, of, (path) =>
    copyTo(connection, path, `SELECT ${UNPROMOTED} FROM ${kind} WHERE ${where}`),
  );
}

/** The month in which a row arrived. */
const MONTH = "strftime(ingested_at, '%Y-%m')";

/** The projects and months that have rows in a range, and how many. */
async function placesOf(
  connection: DuckDBConnection,
  kind: ArchivedKind,
  { first, last }: { first: number; last: number },
): Promise<(ArchivePlace & { rows: number })[]> {
  const found = await rows(
    connection,
    `SELECT project_id, ${MONTH} AS month, count(*)::DOUBLE AS rows FROM ${kind}
     WHERE seq BETWEEN ${first} AND ${last} AND ${NOT_BLANK} GROUP BY ALL ORDER BY ALL`,
  );
  return found.map((row) => ({
    kind,
    project_id: Number(row["project_id"]),
    month: String(row["month"]),
    rows: Number(row["rows"]),
  }));
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
