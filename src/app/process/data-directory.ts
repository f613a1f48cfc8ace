import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { isDiskFull } from "../../core/values/failure.ts";

/** A data directory that cannot be used; the message is a sentence that says what to do. */
export class DataError extends Error {}

/** A data directory that another process is using. */
export class LockedError extends DataError {}

/** Names that an unused data directory may hold: file systems and people put them there. */
const MAY_BE_THERE = /^(\..*|lost\+found|hoglet\.toml)$/;

/** Files that mark a directory of Hoglet; the lock is the first file in it. */
const OURS = ["lock.db", "hoglet.sqlite"];

/** Whether the directory is ours already. Throws DataError if it cannot be read. */
export function isUsed(path: string): boolean {
  return namesIn(path).some((name) => OURS.includes(name));
}

/** Throws DataError if the directory is not one of Hoglet yet. Creates nothing. */
export function expectUsed(path: string): void {
  if (isUsed(path)) return;
  throw new DataError(
    `There is no data directory of hoglet at ${path}. Give --data another, or make one with hoglet serve.`,
  );
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw unusable(path, error);
  }
}

/**
 * Creates the data directory if it is absent, for its owner alone. It stays empty: the first file must be the
 * lock, which marks the directory for the next start.
 */
export function useDirectory(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const names = readdirSync(path);
    const used = names.some((name) => OURS.includes(name));
    if (!used && !names.every((name) => MAY_BE_THERE.test(name))) {
      throw new DataError(`${path} holds other files. Give --data a directory of its own.`);
    }
    chmodSync(path, 0o700);
    expectKinds(path);
    return path;
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw unusable(path, error);
  }
}

/** Directories in a data directory. */
const DIRECTORIES = ["archive", "engine", "events", "journal", "loads", "seen", "temp"];

/** Files in a data directory, by the directory that they are in. */
const FILES: Record<string, RegExp> = {
  "": /^(lock\.db|hoglet\.sqlite(-wal|-shm)?|journal\.(end|lost)|dead-letters\.ndjson|daily-salts\.json|initial-key)$/,
  archive: /^archive\.json$/,
  events: /^\d+\.duckdb(\.wal)?$/,
  journal: /^\d+\.journal$/,
};

/**
 * Throws DataError if a file or directory of Hoglet is of another kind, or this user may not read and write
 * it. A pipe, for example, would block the process that opens it.
 */
function expectKinds(path: string): void {
  for (const name of namesIn(path).filter((found) => DIRECTORIES.includes(found))) {
    if (!kindOf(join(path, name))?.isDirectory()) throw notAs(join(path, name), "directory");
    expectAccess(join(path, name));
  }
  for (const [directory, files] of Object.entries(FILES)) {
    for (const name of namesIn(join(path, directory)).filter((found) => files.test(found))) {
      const file = join(path, directory, name);
      if (!kindOf(file)?.isFile()) throw notAs(file, "file");
      expectAccess(file);
    }
  }
}

/** The file status of a path; undefined if it does not exist. */
function kindOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function expectAccess(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new DataError(
      `${path} cannot be read and written (${codeOf(error)}). Give it to the user that runs hoglet.`,
    );
  }
}

function notAs(path: string, kind: "directory" | "file"): DataError {
  return new DataError(
    `${path} is not a ${kind}. Move it away, and put the original ${kind} back.`,
  );
}

function unusable(path: string, error: unknown): DataError {
  return new DataError(
    `The data directory ${path} cannot be used (${codeOf(error)}). Make it a directory that this user can write, or give --data another.`,
  );
}

/** Returns the code of an error, such as `EACCES`; else its text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** Opens a file of the data directory. Throws DataError with the file's name and `advice` if that fails. */
export async function opened<T>(file: string, advice: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof DataError) throw error;
    // Checked by name, because errors lose their class between threads.
    if (error instanceof Error && error.name === "SchemaError") {
      throw new DataError(`${file} cannot be opened. ${error.message}`);
    }
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    const help = error instanceof Error && isDiskFull(error) ? "Free space on its disk." : advice;
    throw new DataError(`${file} cannot be opened: ${reason.replace(/[.!]*$/, "")}. ${help}`);
  }
}
