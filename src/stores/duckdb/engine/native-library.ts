import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";

/**
 * Where the executable unpacks DuckDB's native files, `<data>/engine`. Set it before the first
 * `import("@duckdb/node-api")`, in each worker too: a worker has its own copy of this module.
 * From source it is unused, because the files are in node_modules.
 */
export const engine = { directory: "" };

/** A native file in the executable: its name on disk and the embedded path it is read from. */
export type NativeFile = { name: string; source: string };

/**
 * The native files of one DuckDB version. `label` names their directory: it starts with
 * NATIVES_PREFIX and differs whenever a byte differs. The first file is the addon, which finds
 * the others in its own directory.
 */
export type Natives = { label: string; files: readonly [NativeFile, ...NativeFile[]] };

/** The start of the name of each directory that `unpack` makes. */
export const NATIVES_PREFIX = "duckdb-";

/** The file that lists the identities of the unpacked files. */
const STAMP = "verified";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/** A younger directory may belong to an executable that is starting right now. */
const REMOVED_AGE_MS = 3_600_000;

/** Bytes of an embedded file that are in memory at once. */
const PIECE_BYTES = 1_048_576;

/**
 * Loads the addon that was unpacked before; its exports are what `@duckdb/node-bindings` exports. The
 * build puts the call in place of that package's own loader. Throws when the directory is unset, has no
 * such files, or is on a file system that forbids execution.
 */
export function loadNatives(natives: Natives): unknown {
  if (engine.directory === "") {
    throw new Error("DuckDB was imported before engine.directory was set");
  }
  const directory = join(resolve(engine.directory), natives.label);
  if (!isVerified(directory, natives))
    throw new Error(`DuckDB was imported before it was in ${directory}`);
  const addon: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(addon, join(directory, natives.files[0].name));
  } catch (cause) {
    const hint = "its file system may be mounted noexec, or libstdc++ may be missing";
    throw new Error(`DuckDB does not load from ${directory} (${hint}): ${cause}`, { cause });
  }
  return addon.exports;
}

/**
 * Makes sure that `parent` holds the native files, and returns their directory. The caller must have the lock of
 * the data directory. `onRead` is called after the executable read its own file. Throws
 * when a directory on the way is a symlink or belongs to another user, because a user who can write there
 * decides which code runs here.
 *
 * A start compares inode, size and times with those of the unpacked files, as SHA-256 of 70 MB takes 300 ms where
 * the CPU has no instructions for it. No program can set a change time, so a write always shows. Without a
 * match all files are unpacked again.
 */
export async function unpack(
  parent: string,
  natives: Natives,
  onRead: () => void = () => {},
): Promise<string> {
  const parentWasPrivate = makePrivate(parent);
  const directory = join(parent, natives.label);
  const wasPrivate = makePrivate(directory);
  if (parentWasPrivate && wasPrivate && isVerified(directory, natives)) return directory;

  const fresh = mkdtempSync(join(parent, `${NATIVES_PREFIX}new-`));
  try {
    for (const { name, source } of natives.files) await copy(Bun.file(source), join(fresh, name));
    rmSync(directory, { recursive: true });
    renameSync(fresh, directory);
    // The stamp comes last: without it, or with a part of it, nothing is loaded.
    writeFileSync(join(directory, STAMP), identities(directory, natives) ?? "", {
      mode: FILE_MODE,
    });
    removeOthers(parent, natives.label, lstatSync(directory).mtimeMs);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    onRead();
  }
  return directory;
}

function isVerified(directory: string, natives: Natives): boolean {
  return readText(join(directory, STAMP)) === identities(directory, natives);
}

/**
 * Makes a directory that only this user can enter. Returns whether no other user could write to it so far; if
 * one could, its stamp proves nothing. Windows has neither owner nor mode here.
 */
function makePrivate(path: string): boolean {
  mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw new Error(`${path} must be a directory, not a link to one`);
  if (process.getuid !== undefined && stats.uid !== process.getuid()) {
    throw new Error(`${path} belongs to another user: run Hoglet as that user, or remove it`);
  }
  if (process.platform === "win32") return true;
  if ((stats.mode & OPEN_TO_OTHERS) !== 0) chmodSync(path, DIRECTORY_MODE);
  return (stats.mode & WRITABLE_BY_OTHERS) === 0;
}

/** Returns a line for each file that changes with the file; undefined if a file is missing. */
function identities(directory: string, natives: Natives): string | undefined {
  const lines: string[] = [];
  for (const { name } of natives.files) {
    const stats = lstatSync(join(directory, name), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    lines.push(`${name} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}\n`);
  }
  return lines.join("");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Without a readable stamp the files are unpacked again.
    return "";
  }
}

/** Copies a file durably. */
async function copy(from: Blob, to: string): Promise<void> {
  const file = openSync(to, "wx", FILE_MODE);
  try {
    for (let at = 0; at < from.size; at += PIECE_BYTES) {
      writeFileSync(file, new Uint8Array(await from.slice(at, at + PIECE_BYTES).arrayBuffer()));
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes other versions and leftovers of a crash. Errors are ignored, because they harm no start. */
function removeOthers(parent: string, label: string, nowMs: number): void {
  for (const name of readdirSync(parent)) {
    if (name === label || !name.startsWith(NATIVES_PREFIX)) continue;
    const path = join(parent, name);
    try {
      // A running process keeps the library it has loaded, and Windows keeps the file.
      if (nowMs - lstatSync(path).mtimeMs > REMOVED_AGE_MS) rmSync(path, { recursive: true });
    } catch {}
  }
}
