import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type {
  ArchivedFile,
  ArchivedKind,
  ArchiveFiles,
  ArchivePlace,
  Manifest,
} from "../../core/ports/archive.ts";
import { SchemaError } from "../../core/values/schema-version.ts";
import { nodeDisk } from "../files/disk.ts";

/** What is archived: the tables of the event store that hold what was sent. */
export const ARCHIVED_KINDS: readonly ArchivedKind[] = ["events", "logs"];

/** The directory of the archive, below the data directory. */
export const ARCHIVE_DIRECTORY = "archive";

const MANIFEST_FILE = "archive.json";
const WRITING = ".writing";
const DAMAGED = ".damaged";

/** What is done with an archive when it is opened. */
export type ArchiveOpening = {
  /** Whether to make one where there is none; else it is taken for empty. */
  make: boolean;
  /**
   * Makes a list that was lost or damaged anew, of files below the directory (decision 76). What cannot be
   * read gets the suffix `aside`.
   */
  listAnew(paths: readonly string[], aside: string): Promise<Manifest>;
  /** The highest sequence number that anything beside the archive has: a list of ours goes no further. */
  reached(): number;
};

/**
 * Opens the archive in `directory` and removes what a crash has left in it. Throws on a list that a newer
 * version has written.
 */
export async function openArchiveFiles(
  directory: string,
  { make, listAnew, reached }: ArchiveOpening,
): Promise<ArchiveFiles> {
  const list = join(directory, MANIFEST_FILE);
  let manifest: Manifest = { version: 1, last: 0, files: [] };

  const commit = async (next: Manifest): Promise<void> => {
    await put(list, JSON.stringify(next, null, 1));
    manifest = next;
    await sweep(directory, manifest);
  };

  const kept = readManifest(list);
  const there = parquetIn(directory, /\.parquet$/);
  if (kept !== undefined && !isOfAnother(kept, { directory, there, reached })) {
    manifest = kept;
    await sweep(directory, manifest);
  } else if (existsSync(list) || there.length > 0) {
    if (existsSync(list)) await rename(list, list + DAMAGED);
    await commit(await listAnew(there, DAMAGED));
  } else if (make) {
    await nodeDisk.makeDirectory(directory);
    await commit(manifest);
  }

  const pathOf = ({ path }: ArchivedFile) => join(directory, path);

  const isThere = (file: ArchivedFile): boolean => isIn(directory, file);

  const moveAway = async (file: ArchivedFile): Promise<void> => {
    const path = pathOf(file);
    if (existsSync(path)) await rename(path, path + DAMAGED);
  };

  const freePath = ({ kind, project_id, month }: ArchivePlace, name: string): string => {
    const taken = new Set(manifest.files.map(({ path }) => path));
    for (let n = 1; ; n += 1) {
      const path = `${kind}/${project_id}/${month}/${name}${n === 1 ? "" : `.${n}`}.parquet`;
      if (!taken.has(path)) return path;
    }
  };

  return {
    directory,
    manifest: () => manifest,
    pathOf,
    isThere,
    source(some) {
      const paths = some.map((file) => `'${pathOf(file).replaceAll("'", "''")}'`);
      return `read_parquet([${paths.join(", ")}], union_by_name = true)`;
    },
    async write(place, { first, last }, copy) {
      const path = freePath(place, `${first}-${last}`);
      const target = join(directory, path);
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      const rows = await copy(target + WRITING);
      await syncFile(target + WRITING);
      await rename(target + WRITING, target);
      for (let at = dirname(target); at.length >= directory.length; at = dirname(at)) {
        await nodeDisk.syncDirectory(at);
      }
      const bytes = statSync(target).size;
      return { ...place, path, first, last, rows, bytes, sha256: await sha256Of(target) };
    },
    async isSound(file) {
      if (!isThere(file)) return false;
      return file.sha256 === undefined || file.sha256 === (await sha256Of(pathOf(file)));
    },
    moveAway,
    async setAside(file) {
      await moveAway(file);
      const others = manifest.files.filter((other) => other !== file);
      await commit({
        ...manifest,
        files: others,
        rows_lost: (manifest.rows_lost ?? 0) + file.rows,
      });
    },
    async giveUp(file) {
      await moveAway(file);
      const { bytes: _, sha256: __, ...rest } = file;
      const files = manifest.files.map((other) =>
        other === file ? { ...rest, is_given_up: true as const } : other,
      );
      await commit({ ...manifest, files });
    },
    async removeSetAside() {
      for (const path of parquetIn(directory, /\.parquet\.damaged$/)) {
        await rm(join(directory, path), { force: true });
      }
    },
    commit,
  };
}

/** The list that is kept; undefined if there is none, or it says nothing. */
function readManifest(list: string): Manifest | undefined {
  const text = existsSync(list) ? readFileSync(list, "utf8") : "";
  const found = parsed(text);
  if (typeof found?.version !== "number" || !Array.isArray(found.files)) return undefined;
  if (found.version !== 1)
    throw new SchemaError("It was written by a newer version. Run that version.");
  return found as Manifest;
}

/** Whether a file is in a directory, and as long as it was. */
function isIn(directory: string, { path, bytes, is_given_up }: ArchivedFile): boolean {
  const found = statSync(join(directory, path), { throwIfNoEntry: false });
  if (found === undefined || is_given_up) return false;
  return bytes === undefined || bytes === found.size;
}

type Beside = Pick<ArchiveOpening, "reached"> & { directory: string; there: readonly string[] };

/**
 * Whether a list cannot be of this directory: none of its files is there, and there are others, or it goes
 * further than all that is beside it (decision 76).
 */
function isOfAnother({ files, last }: Manifest, { directory, there, reached }: Beside): boolean {
  if (files.length === 0) return false;
  if (files.some((file) => file.is_given_up || isIn(directory, file))) return false;
  // A file that is written anew in the place of one that is gone has its name but for a number.
  const nameOf = (path: string) => path.replace(/(\.\d+)?\.parquet$/, "");
  const names = new Set(files.map(({ path }) => nameOf(path)));
  return there.some((path) => !names.has(nameOf(path))) || last > reached();
}

function parsed(text: string): Partial<Manifest> | null {
  try {
    return JSON.parse(text) as Partial<Manifest> | null;
  } catch {
    return null;
  }
}

/** Removes files that do not count: of an attempt that failed, or replaced by others. */
async function sweep(directory: string, { files }: Manifest): Promise<void> {
  const counting = new Set(files.map(({ path }) => path));
  for (const path of parquetIn(directory, /\.parquet(\.writing)?$/)) {
    if (!counting.has(path)) await rm(join(directory, path), { force: true });
  }
}

/** Paths of the archive's own files with such names. */
function parquetIn(directory: string, named: RegExp): string[] {
  return ARCHIVED_KINDS.filter((kind) => existsSync(join(directory, kind))).flatMap((kind) =>
    readdirSync(join(directory, kind), { recursive: true, encoding: "utf8" })
      .map((name) => join(kind, name))
      .filter((path) => named.test(path)),
  );
}

/** Puts a text in the place of a file's, all or nothing. */
async function put(path: string, text: string): Promise<void> {
  nodeDisk.put(path + WRITING, Buffer.from(text));
  await syncFile(path + WRITING);
  await rename(path + WRITING, path);
  await nodeDisk.syncDirectory(dirname(path));
}

/** A file's SHA-256 in hexadecimal digits. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
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
