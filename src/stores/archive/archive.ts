import type { DuckDBConnection } from "@duckdb/node-api";
import type {
  Archive,
  ArchivedFile,
  ArchivedKind,
  ArchiveFiles,
  ArchivePlace,
} from "../../core/ports/archive.ts";
import { inTurn } from "../../core/values/in-turn.ts";
import { type Duckdb, quoted, rows } from "../duckdb/engine/duckdb.ts";
import { WITHOUT_MATERIALIZED } from "../duckdb/events/hot-columns.ts";
import { NOT_PADDING } from "../loads/event-lines.ts";
import { copyTo, eraseArchived } from "./erase.ts";
import { ARCHIVED_KINDS } from "./files.ts";
import { placeOf, rowsOf } from "./names.ts";

/** A file with this many rows, or more, is not joined with others. */
const FILE_ROWS = 100_000;

/** Number of small files of the newest month that are joined at once. For earlier months, two are enough. */
const SMALL_FILES_MAX = 16;

/** Receives reports of damage in the archive. */
export type ArchiveReports = {
  /** A file was missing or damaged, and is written again from the event store (decision 76). */
  onRepaired(file: ArchivedFile): void;
  /** Missing rows are lost, because the event store does not have them either; `rows` is their number. */
  onLost(rows: number): void;
};

/** Returns the archive in `files` of the event store in `duckdb`. */
export function archiveOf(duckdb: Duckdb, files: ArchiveFiles, reports: ArchiveReports): Archive {
  const alone = inTurn();
  const add = async (upTo: number): Promise<void> => {
    const { last, files: existing, ...counts } = files.state();
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
    await files.commit({ ...counts, last: upTo, files: [...existing, ...added] });
  };

  const repair = async (suspects: readonly ArchivedFile[]): Promise<void> => {
    for (const file of suspects) {
      if (await files.isSound(file)) continue;
      const made = await duckdb.readFirst((connection) => writeStored(connection, files, file));
      const state = files.state();
      const others = state.files.filter((other) => other !== file);
      await files.commit({ ...state, files: made.rows === 0 ? others : [...others, made] });
      reports.onRepaired(file);
    }
  };

  const compact = async (): Promise<boolean> => {
    await repair(smallFiles(files.state().files));
    const state = files.state();
    const small = smallFiles(state.files);
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
    const others = state.files.filter((file) => !small.includes(file));
    await files.commit({ ...state, files: [...others, joined] });
    return true;
  };

  return {
    last: () => files.state().last,
    add: (upTo) => alone(() => add(upTo)),
    complete: () => alone(() => completeFrom(duckdb, files, reports)),
    files: () => files.state().files.length,
    check: (index) => alone(() => repair(files.state().files.slice(index, index + 1))),
    compact: () => alone(compact),
    erase: (requests) =>
      alone(async () => {
        await files.removeQuarantined();
        const projects = new Set(requests.map(({ project_id }) => project_id));
        await repair(files.state().files.filter(({ project_id }) => projects.has(project_id)));
        return eraseArchived(duckdb, files, requests);
      }),
  };
}

/** Writes each place again whose number of rows in its files differs from that in the event store. */
async function completeFrom(
  duckdb: Duckdb,
  files: ArchiveFiles,
  { onRepaired, onLost }: ArchiveReports,
): Promise<void> {
  const { last, files: existing, missing, rows_lost } = files.state();
  if (missing === 0) return;
  const range = { first: 1, last };
  const repaired: ArchivedFile[] = [];
  const kept = await duckdb.readFirst(async (connection) => {
    const all: ArchivedFile[] = [];
    for (const kind of ARCHIVED_KINDS) {
      for (const place of await placesOf(connection, kind, range)) {
        const held = existing.filter((file) => placeOf(file) === placeOf(place));
        if (rowsOf(held) === place.rows) all.push(...held);
        else repaired.push(await writeStored(connection, files, { ...place, ...range }));
      }
    }
    return [...all, ...repaired];
  });
  const found = rowsOf(kept) - rowsOf(existing);
  const lost = missing === undefined ? 0 : Math.max(0, missing - found);
  await files.commit({ last, files: kept, missing: 0, rows_lost: rows_lost + lost });
  for (const file of repaired) onRepaired(file);
  if (lost > 0) onLost(lost);
}

/** Writes the event store's rows of a place and a range of sequence numbers. */
function writeStored(
  connection: DuckDBConnection,
  files: ArchiveFiles,
  of: ArchivePlace & { first: number; last: number },
): Promise<ArchivedFile> {
  const { kind, project_id, month, first, last } = of;
  const where = `seq BETWEEN ${first} AND ${last} AND project_id IN (${project_id}, ${-project_id}) AND ${MONTH} = ${quoted(month)}`;
  return files.write({ kind, project_id, month }, of, (path) =>
    copyTo(connection, path, `SELECT ${WITHOUT_MATERIALIZED} FROM ${kind} WHERE ${where}`),
  );
}

/** The month in which a row arrived. */
const MONTH = "strftime(ingested_at, '%Y-%m')";

/** Returns the projects and months that have rows in a range, with their number of rows. */
async function placesOf(
  connection: DuckDBConnection,
  kind: ArchivedKind,
  { first, last }: { first: number; last: number },
): Promise<(ArchivePlace & { rows: number })[]> {
  const found = await rows(
    connection,
    `SELECT project_id, ${MONTH} AS month, count(*)::DOUBLE AS rows FROM ${kind}
     WHERE seq BETWEEN ${first} AND ${last} AND ${NOT_PADDING} GROUP BY ALL ORDER BY ALL`,
  );
  return found.map((row) => ({
    kind,
    project_id: Number(row["project_id"]),
    month: String(row["month"]),
    rows: Number(row["rows"]),
  }));
}

/**
 * Returns small files of one place, if enough of them can be joined. No larger file lies between them, so the
 * range of the joined file has no rows of other files.
 */
function smallFiles(all: readonly ArchivedFile[]): ArchivedFile[] {
  const newest = all
    .map(({ month }) => month)
    .toSorted()
    .at(-1);
  for (const files of Map.groupBy(all, placeOf).values()) {
    const enough = files[0]?.month === newest ? SMALL_FILES_MAX : 2;
    let small: ArchivedFile[] = [];
    for (const file of files.toSorted((a, b) => a.first - b.first)) {
      if (file.rows < FILE_ROWS) small.push(file);
      else if (small.length < enough) small = [];
      else break;
    }
    if (small.length >= enough) return small;
  }
  return [];
}
