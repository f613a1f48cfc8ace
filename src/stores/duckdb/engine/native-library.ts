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
 * Run from source it is not used, because the files are in node_modules.
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

/** How the name of every directory made by `unpack` starts. */
export const NATIVES_PREFIX = "duckdb-";

/** The file that remembers which files were unpacked. */
const STAMP = "verified";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/** A directory this recent may belong to an executable that is starting right now. */
const SWEEP_AGE_MS = 3_600_000;

/** Bytes that are in memory at a time while files are unpacked. */
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
  const home = join(resolve(engine.directory), natives.label);
  if (!isVerified(home, natives)) throw new Error(`DuckDB was imported before it was in ${home}`);
  const addon: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(addon, join(home, natives.files[0].name));
  } catch (cause) {
    const hint = "its file system may be mounted noexec, or libstdc++ may be missing";
    throw new Error(`DuckDB does not load from ${home} (${hint}): ${cause}`, { cause });
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
 * the CPU has no instructions for it. No call sets a change time, so a write always shows. Without a match all
 * files are unpacked again.
 */
export async function unpack(
  parent: string,
  natives: Natives,
  onRead: () => void = () => {},
): Promise<string> {
  const parentWasPrivate = claim(parent);
  const home = join(parent, natives.label);
  const homeWasPrivate = claim(home);
  if (parentWasPrivate && homeWasPrivate && isVerified(home, natives)) return home;

  const fresh = mkdtempSync(join(parent, `${NATIVES_PREFIX}new-`));
  try {
    for (const { name, source } of natives.files) await copy(Bun.file(source), join(fresh, name));
    rmSync(home, { recursive: true });
    renameSync(fresh, home);
    // The stamp comes last: without it, or with a part of it, nothing is loaded.
    writeFileSync(join(home, STAMP), identities(home, natives) ?? "", { mode: FILE_MODE });
    sweep(parent, natives.label, lstatSync(home).mtimeMs);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    onRead();
  }
  return home;
}

function isVerified(home: string, natives: Natives): boolean {
  return readText(join(home, STAMP)) === identities(home, natives);
}

/**
 * Makes a directory that only this user can enter. Returns whether no other user could write to it so far; if
 * one could, its stamp proves nothing. Windows has neither owner nor mode here.
 */
function claim(path: string): boolean {
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

/** One line per file of what changes when the file does; undefined when one is missing. */
function identities(home: string, natives: Natives): string | undefined {
  const lines: string[] = [];
  for (const { name } of natives.files) {
    const stats = lstatSync(join(home, name), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    lines.push(`${name} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}\n`);
  }
  return lines.join("");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // No stamp, or one that cannot be read: either way the files are unpacked again.
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

/** Removes other versions and what a crash left, as far as possible: a start never fails by it. */
function sweep(parent: string, label: string, nowMs: number): void {
  for (const name of readdirSync(parent)) {
    if (name === label || !name.startsWith(NATIVES_PREFIX)) continue;
    const path = join(parent, name);
    try {
      // A running process keeps the library it has loaded, and Windows keeps the file.
      if (nowMs - lstatSync(path).mtimeMs > SWEEP_AGE_MS) rmSync(path, { recursive: true });
    } catch {}
  }
}
