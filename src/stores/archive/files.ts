import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type {
  ArchivedFile,
  ArchivedKind,
  ArchiveFiles,
  ArchivePlace,
  ArchiveState,
} from "../../core/ports/archive.ts";
import { newerVersion } from "../../core/values/schema-version.ts";
import { quoted } from "../duckdb/engine/duckdb.ts";
import { nodeDisk } from "../files/disk.ts";
import { checksumOf, fileOfPath, named, rowsOf, withoutReplaced } from "./names.ts";

/** The archived tables of the event store. */
export const ARCHIVED_KINDS: readonly ArchivedKind[] = ["events", "logs"];

/** The directory of the archive, below the data directory. */
export const ARCHIVE_DIRECTORY = "archive";

const MARKER_FILE = "archive.json";
const WRITING = ".writing";
const DAMAGED = ".damaged";

/** How the archive is opened. */
export type ArchiveOpening = {
  /** Whether to create a missing archive; otherwise it counts as empty. */
  make: boolean;
  /** Returns the last sequence number of journal and persons. The marker of this archive is not above it. */
  reached(): number;
};

/**
 * The marker of the archive. `rows` is the number of rows that its files must have; null while files are
 * replaced by others with fewer rows.
 */
type Marker = { version: 1; last: number; rows: number | null; rows_lost: number };

const EMPTY: ArchiveState = { last: 0, files: [], missing: 0, rows_lost: 0 };

/**
 * Opens the archive in `directory` and removes leftovers of a crash. Fails on the marker of a newer
 * version.
 */
export async function openArchiveFiles(
  directory: string,
  { make, reached }: ArchiveOpening,
): Promise<ArchiveFiles> {
  const markerPath = join(directory, MARKER_FILE);
  const pathOf = ({ path }: ArchivedFile) => join(directory, path);
  let state = EMPTY;

  const markerOf = (
    { last, files, missing, rows_lost }: ArchiveState,
    isChanging = false,
  ): string => {
    const rows = isChanging || missing === undefined ? null : rowsOf(files) + missing;
    const marker: Marker = { version: 1, last, rows, rows_lost };
    return JSON.stringify(marker);
  };

  const putMarker = async (next: ArchiveState, isChanging = false): Promise<void> => {
    nodeDisk.put(markerPath + WRITING, Buffer.from(markerOf(next, isChanging)));
    await syncFile(markerPath + WRITING);
    await rename(markerPath + WRITING, markerPath);
    await nodeDisk.syncDirectory(directory);
  };

  /** A crash between two steps leaves the old state, the new one, or a marker with `rows` null (decision 63). */
  const commit = async (next: ArchiveState): Promise<void> => {
    const isChanging = next.last === state.last && totalOf(next) !== totalOf(state);
    if (isChanging) await putMarker(next, true);
    for (const file of next.files) {
      if (state.files.includes(file)) continue;
      await rename(join(directory, writingPath(file, file)), pathOf(file));
      await syncAbove(directory, pathOf(file));
    }
    await sweep(directory, next.files);
    await putMarker(next);
    state = next;
  };

  const marker = readMarker(markerPath);
  const found = parquetIn(directory, /\.parquet$/).flatMap((path) => fileOfPath(path) ?? []);
  if (marker !== undefined || found.length > 0 || existsSync(markerPath)) {
    const writtenAt = (file: ArchivedFile) => statSync(pathOf(file)).mtimeMs;
    state = stateOf({ marker, found, writtenAt, reached });
    await sweep(directory, state.files);
    // An unchanged marker is not written: a start on a full disk must not need space.
    if (!existsSync(markerPath) || readFileSync(markerPath, "utf8") !== markerOf(state)) {
      await putMarker(state);
    }
  } else if (make) {
    await nodeDisk.makeDirectory(directory);
    await commit(state);
  }

  return {
    directory,
    state: () => state,
    pathOf,
    source(some) {
      const paths = some.map((file) => quoted(pathOf(file)));
      return `read_parquet([${paths.join(", ")}], union_by_name = true)`;
    },
    async write(place, { first, last }, copy) {
      const path = join(directory, writingPath(place, { first, last }));
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const rows = await copy(path);
      await syncFile(path);
      const { kind, project_id, month } = place;
      const checksum = await checksumOf(path);
      return named({ kind, project_id, month, first, last, rows, checksum });
    },
    commit,
    async isSound(file) {
      return existsSync(pathOf(file)) && file.checksum === (await checksumOf(pathOf(file)));
    },
    async quarantine(file) {
      const path = pathOf(file);
      if (existsSync(path)) await rename(path, path + DAMAGED);
      const missing = state.missing === undefined ? undefined : state.missing + file.rows;
      state = { ...state, files: state.files.filter((other) => other !== file), missing };
    },
    async removeQuarantined() {
      for (const path of parquetIn(directory, /\.parquet\.damaged$/)) {
        await rm(join(directory, path), { force: true });
      }
    },
  };
}

/** Returns the marker; undefined if it is missing or damaged. */
function readMarker(path: string): Marker | undefined {
  const marker = parsed(existsSync(path) ? readFileSync(path, "utf8") : "");
  if (typeof marker?.version !== "number" || typeof marker.last !== "number") return undefined;
  if (marker.version !== 1) throw newerVersion(`format ${marker.version}, this one knows 1`);
  return {
    version: 1,
    last: marker.last,
    rows: marker.rows ?? null,
    rows_lost: marker.rows_lost ?? 0,
  };
}

function parsed(text: string): Partial<Marker> | null {
  try {
    return JSON.parse(text) as Partial<Marker> | null;
  } catch {
    return null;
  }
}

type Found = {
  marker: Marker | undefined;
  found: readonly ArchivedFile[];
  writtenAt: (file: ArchivedFile) => number;
  reached: () => number;
};

/**
 * Returns the state that the files and the marker show. Files above the marker are of a run that did not
 * end. A marker belongs to another directory if it does not fit the files, or is above `reached`.
 */
function stateOf({ marker, found, writtenAt, reached }: Found): ArchiveState {
  if (marker !== undefined) {
    const { last, rows, rows_lost } = marker;
    const counting = found.filter((file) => file.last <= last);
    const files = withoutReplaced(counting, writtenAt);
    const missing = rows === null ? undefined : rows - rowsOf(files);
    const isAcross = found.some((file) => file.first <= last && last < file.last);
    const fits = missing === undefined || missing === 0 || (missing > 0 && last <= reached());
    if (fits && !isAcross) return { last, files, missing, rows_lost };
  }
  const files = withoutReplaced(found, writtenAt);
  const last = Math.max(0, ...files.map((file) => file.last));
  return { last, files, missing: undefined, rows_lost: 0 };
}

function totalOf({ files, missing = 0 }: ArchiveState): number {
  return rowsOf(files) + missing;
}

/** Returns the path of a file that is not yet complete, below the archive's directory. */
function writingPath(
  { kind, project_id, month }: ArchivePlace,
  { first, last }: { first: number; last: number },
): string {
  return `${kind}/${project_id}/${month}/${first}-${last}.parquet${WRITING}`;
}

/** Removes files that do not count: leftovers of a failed attempt, and files that others have replaced. */
async function sweep(directory: string, files: readonly ArchivedFile[]): Promise<void> {
  const counting = new Set(files.map(({ path }) => path));
  const leftovers = parquetIn(directory, /\.parquet(\.writing)?$/)
    .filter((path) => !counting.has(path))
    .map((path) => join(directory, path));
  for (const path of leftovers) await rm(path, { force: true });
  for (const changed of new Set(leftovers.map(dirname))) await nodeDisk.syncDirectory(changed);
}

/** Returns the paths of the archive's own files with such names, with `/`, in their order. */
function parquetIn(directory: string, pattern: RegExp): string[] {
  return ARCHIVED_KINDS.filter((kind) => existsSync(join(directory, kind))).flatMap((kind) =>
    readdirSync(join(directory, kind), { recursive: true, encoding: "utf8" })
      .map((name) => `${kind}/${name.replaceAll(sep, "/")}`)
      .filter((path) => pattern.test(path))
      .toSorted(),
  );
}

/** Makes the names of a file and of its directories durable. */
async function syncAbove(directory: string, path: string): Promise<void> {
  for (let at = dirname(path); at.length >= directory.length; at = dirname(at)) {
    await nodeDisk.syncDirectory(at);
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}
